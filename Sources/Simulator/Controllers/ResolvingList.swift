import Packets
import Vocabulary

/// The resolving list of a controller (Vol 6, Part B, 4.7): whose private addresses it knows to be
/// whose, and which private addresses of its own it shows to whom.
struct ResolvingList: Sendable {
  struct Entry: Sendable {
    var keys: ResolvingListEntry
    var mode = PrivacyMode.network
    /// The 48 bits under which this peer was heard last.
    var peerAddress: UInt64?
    /// The 48 bits of our own that it is shown, and since when.
    var localAddress: UInt64?
    var localSince = Moment.zero
  }

  private(set) var entries: [Entry] = []
  var isEnabled = false
  /// In seconds.
  var timeout: UInt16 = 900
  /// What was found out about an address: an entry, or that there is none.
  private var known: [UInt64: Int?] = [:]

  private static let noKey = [UInt8](repeating: 0, count: 16)

  /// What LE Add Device To Resolving List is answered with (Vol 4, Part E, 7.8.38).
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

  /// Answered with 0x02 when it is not there (7.8.39).
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

  /// Whose private address this is; nothing while nothing is resolved.
  mutating func identity(of address: Address) -> Address? {
    guard isEnabled, address.isResolvablePrivate, let place = resolve(address) else { return nil }
    entries[place].peerAddress = address.bits
    return entries[place].keys.peer
  }

  /// Addresses come again and again, and rotate: looked up, and bounded.
  private mutating func resolve(_ address: Address) -> Int? {
    if let found = known[address.bits] { return found }
    let found = entries.firstIndex { $0.keys.peerKey != Self.noKey && Self.resolves(address, $0.keys.peerKey) }
    if known.count >= 64 { known = [:] }
    known[address.bits] = .some(found)
    return found
  }

  /// Whether this peer is heard under private addresses only (Vol 6, Part B, 4.7, network privacy
  /// mode).
  func ignoresIdentity(_ address: Address) -> Bool {
    guard isEnabled, let place = place(of: address) else { return false }
    return entries[place].mode == .network && entries[place].keys.peerKey != Self.noKey
  }

  /// Whether directed advertising to this private address means us.
  func isOurs(_ address: Address) -> Bool {
    isEnabled && address.isResolvablePrivate
      && entries.contains { $0.keys.localKey != Self.noKey && Self.resolves(address, $0.keys.localKey) }
  }

  /// Whether we were shown under this address as a private one of our own.
  func isShown(_ address: Address) -> Bool {
    address.isResolvablePrivate && entries.contains { $0.localAddress == address.bits }
  }

  /// The private address that this peer is shown; nothing when it is not on the list, or we have no
  /// key for it. Made anew when its time is over.
  mutating func localAddress(for peer: Address, at now: Moment, _ random: inout SplitMix) -> Address? {
    guard isEnabled, let place = place(of: peer), entries[place].keys.localKey != Self.noKey else { return nil }
    let age = now - entries[place].localSince
    if entries[place].localAddress == nil || age >= .seconds(Int64(timeout)) {
      entries[place].localAddress = Self.address(of: entries[place].keys.localKey, &random)
      entries[place].localSince = now
    }
    return entries[place].localAddress.map { Address(bits: $0, kind: .random) }
  }

  /// Its random part is neither all zeros nor all ones (Vol 6, Part B, 1.3.2.2).
  static func address(of key: [UInt8], _ random: inout SplitMix) -> UInt64 {
    let drawn = 0x40_0000 | UInt32(truncatingIfNeeded: 1 + random.next(below: 0x3F_FFFE))
    return UInt64(drawn) << 24 | UInt64(hash(key, drawn))
  }

  static func resolves(_ address: Address, _ key: [UInt8]) -> Bool {
    hash(key, UInt32(truncatingIfNeeded: address.bits >> 24)) == UInt32(address.bits & 0xFF_FFFF)
  }

  /// The function ah (Vol 3, Part H, 2.2.2): of 24 bits 24 bits.
  private static func hash(_ key: [UInt8], _ random: UInt32) -> UInt32 {
    // Keys come least significant octet first; FIPS 197 has the most significant first.
    let block = [UInt8](repeating: 0, count: 13) + [16, 8, 0].map { UInt8(truncatingIfNeeded: random >> $0) }
    return AES128.encrypt(block, key: key.reversed()).suffix(3).reduce(0) { $0 << 8 | UInt32($1) }
  }
}
