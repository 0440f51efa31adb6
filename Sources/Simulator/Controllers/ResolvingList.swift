import Packets
import Vocabulary

/// The resolving list of a controller (Vol 6, Part B, 4.7). It resolves the private addresses of
/// peers, and generates the controller's own private address for each peer.
struct ResolvingList: Sendable {
  struct Entry: Sendable {
    var keys: ResolvingListEntry
    var mode = PrivacyMode.network
    /// The private address, in 48 bits, at which this peer was last received.
    var peerAddress: UInt64?
    /// The controller's private address for this peer, in 48 bits.
    var localAddress: UInt64?
    /// When `localAddress` was generated.
    var localSince = Moment.zero
  }

  private(set) var entries: [Entry] = []
  var isEnabled = false
  /// The lifetime of the controller's private addresses in seconds.
  var timeout: UInt16 = 900
  /// The index of the entry that resolves each address; `nil` if no entry does.
  private var known: [UInt64: Int?] = [:]

  private static let noKey = [UInt8](repeating: 0, count: 16)

  /// Adds an entry. Returns the status of LE Add Device To Resolving List (Vol 4, Part E, 7.8.38).
  mutating func add(_ keys: ResolvingListEntry, room: Int) -> HCIStatus {
    if entries.contains(where: { $0.keys == keys }) { return .success }
    let isTaken = entries.contains {
      $0.keys.peer == keys.peer || keys.peerKey != Self.noKey && $0.keys.peerKey == keys.peerKey
    }
    if isTaken { return .invalidParameters }
    guard entries.count < room else { return .memoryExceeded }
    entries.append(Entry(keys: keys))
    known = [:]
    return .success
  }

  /// Removes an entry. Returns 0x02 if it is not on the list (Vol 4, Part E, 7.8.39).
  mutating func remove(_ peer: Address) -> HCIStatus {
    guard let place = place(of: peer) else { return .unknownConnection }
    entries.remove(at: place)
    known = [:]
    return .success
  }

  mutating func clear() {
    entries = []
    known = [:]
  }

  mutating func setMode(_ mode: PrivacyMode, of peer: Address) -> HCIStatus {
    guard let place = place(of: peer) else { return .unknownConnection }
    entries[place].mode = mode
    return .success
  }

  func place(of peer: Address) -> Int? { entries.firstIndex { $0.keys.peer == peer } }

  /// The identity address of the peer with this private address; `nil` if it is not resolved.
  mutating func identity(of address: Address) -> Address? {
    guard isEnabled, address.isResolvablePrivate, let place = resolve(address) else { return nil }
    entries[place].peerAddress = address.bits
    return entries[place].keys.peer
  }

  /// The index of the entry that resolves an address. Results are cached because each address is
  /// received many times; the cache is limited because addresses change.
  private mutating func resolve(_ address: Address) -> Int? {
    if let found = known[address.bits] { return found }
    let found = entries.firstIndex { $0.keys.peerKey != Self.noKey && Self.resolves(address, $0.keys.peerKey) }
    if known.count >= 64 { known = [:] }
    known[address.bits] = .some(found)
    return found
  }

  /// Whether packets with this identity address are ignored because of network privacy mode (Vol 6,
  /// Part B, 4.7).
  func ignoresIdentity(_ address: Address) -> Bool {
    guard isEnabled, let place = place(of: address) else { return false }
    return entries[place].mode == .network && entries[place].keys.peerKey != Self.noKey
  }

  /// Whether this is a private address of the controller, as the target of directed advertising.
  func isOurs(_ address: Address) -> Bool {
    isEnabled && address.isResolvablePrivate
      && entries.contains { $0.keys.localKey != Self.noKey && Self.resolves(address, $0.keys.localKey) }
  }

  /// Whether this is a private address that the controller currently uses.
  func isShown(_ address: Address) -> Bool {
    address.isResolvablePrivate && entries.contains { $0.localAddress == address.bits }
  }

  /// The controller's private address for this peer, replaced when it expires; `nil` if the peer is
  /// not on the list, has no local IRK, or address resolution is disabled.
  mutating func localAddress(for peer: Address, at now: Moment, _ random: inout SplitMix) -> Address? {
    guard isEnabled, let place = place(of: peer), entries[place].keys.localKey != Self.noKey else { return nil }
    let age = now - entries[place].localSince
    if entries[place].localAddress == nil || age >= .seconds(Int64(timeout)) {
      entries[place].localAddress = Self.address(of: entries[place].keys.localKey, &random)
      entries[place].localSince = now
    }
    return entries[place].localAddress.map { Address(bits: $0, kind: .random) }
  }

  /// Generates a private address. Its random part is neither all zeros nor all ones (Vol 6, Part B,
  /// 1.3.2.2).
  static func address(of key: [UInt8], _ random: inout SplitMix) -> UInt64 {
    let drawn = 0x40_0000 | UInt32(truncatingIfNeeded: 1 + random.next(below: 0x3F_FFFE))
    return UInt64(drawn) << 24 | UInt64(hash(key, drawn))
  }

  static func resolves(_ address: Address, _ key: [UInt8]) -> Bool {
    hash(key, UInt32(truncatingIfNeeded: address.bits >> 24)) == UInt32(address.bits & 0xFF_FFFF)
  }

  /// The function ah (Vol 3, Part H, 2.2.2), from 24 bits to 24 bits.
  private static func hash(_ key: [UInt8], _ random: UInt32) -> UInt32 {
    // HCI has the least significant octet of a key first, FIPS 197 the most significant one.
    let block = [UInt8](repeating: 0, count: 13) + [16, 8, 0].map { UInt8(truncatingIfNeeded: random >> $0) }
    return AES128.encrypt(block, key: key.reversed()).suffix(3).reduce(0) { $0 << 8 | UInt32($1) }
  }
}
