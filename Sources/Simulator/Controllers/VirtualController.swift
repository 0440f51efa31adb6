import Packets
import Vocabulary

/// The state of one controller, as seen through HCI.
struct VirtualController: Sendable {
  /// The command set in use: one excludes the other until the next reset (Vol 4, Part E, 3.1.1).
  enum Dialect: Sendable { case undecided, legacy, extended }

  let id: ControllerID
  let name: String
  let model: ControllerModel
  let identity: Address
  let supported: SupportedCommands

  // Reset restores these.
  var randomAddress: UInt64?
  var eventMask = Self.defaultEventMask
  var eventMaskPage2: UInt64 = 0
  var leEventMask = Self.defaultLEEventMask
  var dialect = Dialect.undecided
  var sets: [AdvertisingSet] = []
  var scanParameters = ScanParameters(active: false, interval: 0x10, window: 0x10)
  var extendedScanParameters = ExtendedScanParameters(le1M: ExtendedScanPHY(active: false, interval: 0x10, window: 0x10))
  var scanning: Scanning?
  /// The valid generation of the scan's end in the agenda.
  var scanGeneration: UInt64 = 0
  var initiating: Initiating?
  var acceptList: [Address] = []
  var resolving = ResolvingList()
  /// The channels that the host has classified as usable; new links use no others.
  var channelMap = ChannelMap.all
  var suggestedOctets: UInt16 = 27
  var suggestedTime: UInt16 = 328
  /// Indices in `Air.links`, ascending by handle.
  var links: [Int] = []
  /// The ACL packets of the host that no peer has acknowledged.
  var outstanding = 0

  // Reset keeps these.
  var hasHost = true
  var isVanished = false
  var loss: Double = 0
  var delay = TimeSpan.zero
  var faults = ControllerFaults()
  var random: SplitMix

  static let defaultEventMask: UInt64 = 0x0000_1FFF_FFFF_FFFF
  static let defaultLEEventMask: UInt64 = 0x1F

  init(id: ControllerID, name: String, model: ControllerModel, identity: Address, random: SplitMix) {
    self.id = id
    self.name = name
    self.model = model
    self.identity = identity
    self.random = random
    supported = SupportedCommands(model.supportedCommands)
  }

  /// The 48 bits of Read BD_ADDR; 0 if there is no public address.
  var publicBits: UInt64 { model.hasPublicAddress && identity.kind == .public ? identity.bits : 0 }

  /// The controller's own address of this type for this peer; `nil` if a random address was never
  /// set.
  mutating func ownAddress(_ type: OwnAddressType, for peer: Address? = nil, at now: Moment) -> Address? {
    if type == .resolvableOrPublic || type == .resolvableOrRandom, let peer,
      let address = resolving.localAddress(for: peer, at: now, &random)
    {
      return address
    }
    return switch type {
    case .public, .resolvableOrPublic: Address(bits: publicBits, kind: .public)
    case .random, .resolvableOrRandom: randomAddress.map { Address(bits: $0, kind: .random) }
    }
  }

  /// The identity address of a private address; `nil` if the controller does not resolve it.
  mutating func identity(of address: Address) -> Address? {
    model.resolvingListFault == nil ? resolving.identity(of: address) : nil
  }

  /// Whether address resolution must not be enabled or disabled now (Vol 4, Part E, 7.8.44).
  var isOnAir: Bool { scanning != nil || initiating != nil || isAdvertising }

  var isListening: Bool { !isVanished && (scanning != nil || initiating != nil) }

  var isAdvertising: Bool { sets.contains { $0.isEnabled } }

  /// Whether the accept list must not change now (Vol 4, Part E, 7.8.15).
  var usesAcceptList: Bool {
    if let scanning, scanning.filterPolicy.usesList { return true }
    if let initiating, initiating.usesList { return true }
    return sets.contains { $0.isEnabled && $0.filterPolicy != .all }
  }
}
