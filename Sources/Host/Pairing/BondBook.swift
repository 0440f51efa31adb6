import Exchange
package import Vocabulary

/// A bond whose file is damaged or may have been written by another user. Its device is never used
/// without encryption.
package struct UnusableBond: Equatable, Sendable {
  package var identity: Address
  /// The file and what is wrong with it.
  package var reason: String

  package init(identity: Address, reason: String) {
    self.identity = identity
    self.reason = reason
  }
}

/// A bond of another adapter of ours, which this one cannot use.
package struct BondElsewhere: Equatable, Sendable {
  package var identity: Address
  package var adapter: Address

  package init(identity: Address, adapter: Address) {
    self.identity = identity
    self.adapter = adapter
  }
}

/// The bonds of this adapter's identity, as far as they are stored.
struct BondBook: Equatable, Sendable {
  struct Removal: Equatable, Sendable {
    var owner: OwnerID
    var id: OperationID
    var peer: Address
  }

  /// Our identity; `nil` until a store has answered. Without it, pairing is impossible.
  private(set) var identity: LocalIdentity?
  /// Whether the store was asked for the bonds.
  var isAsked = false
  /// Why there is no identity.
  var fault: String?
  /// Whether there may be bonds that the store cannot read.
  var hidesBonds = false
  /// Removals that wait for the store's first answer.
  var removals: [Removal] = []
  var attempts = AttemptBook()
  /// The failed pairings with our fixed passkey, of all devices together: each one reveals a bit of
  /// it, and anyone can come with a new address.
  var guesses = PairingAttempts()
  /// The number of requests for bonds so far.
  var questions: UInt64 = 0
  /// Ascending by identity address.
  private(set) var bonds: [Bond] = []
  private(set) var unusable: [UnusableBond] = []
  /// The bonds of other adapters.
  var elsewhere: [BondElsewhere] = []
  /// The memories of our server's bonded clients, ascending by identity address.
  private(set) var memories: [ServerMemory] = []
  /// The clients whose memory is not on disk yet, and when it will be written.
  private(set) var unsaved: [Address] = []
  private(set) var savesAt: Moment?
  /// The devices whose keys did not fit, and which the next link pairs again (`--rebond`).
  private var distrusted: [Address] = []

  /// The most bonds. None is ever dropped for another.
  static let most = 256

  mutating func loaded(
    _ identity: LocalIdentity, _ bonds: [Bond], _ unusable: [UnusableBond], _ memories: [ServerMemory]
  ) {
    self.identity = identity
    (fault, hidesBonds) = (nil, false)
    self.unusable = Array(unusable.prefix(Self.most))
    self.bonds = []
    for bond in bonds { put(bond) }
    self.memories = []
    for memory in memories { put(memory) }
  }

  /// Takes bonds that were read again. The state of an unchanged bond in this process is newer than
  /// its file.
  /// - Parameter keeping: The bonds of links, which may not be on disk yet.
  mutating func refreshed(
    _ identity: LocalIdentity, _ list: [Bond], _ unusable: [UnusableBond], _ memories: [ServerMemory], keeping inUse: [Address]
  ) {
    self.identity = identity
    self.unusable = Array(unusable.prefix(Self.most))
    for old in bonds where !inUse.contains(old.identity) && !list.contains(where: { $0.identity == old.identity }) {
      remove(old.identity)
    }
    for bond in list {
      let old = bonds.first { $0.identity == bond.identity }
      if let old, old.keys == bond.keys, old.identityKey == bond.identityKey { continue }
      put(bond)
      if let memory = memories.first(where: { $0.identity == bond.identity }) { put(memory) }
    }
  }

  /// The IRKs of bonded devices that may use private addresses.
  var identityKeys: [IdentityKey] {
    bonds.compactMap { bond in bond.identityKey.map { IdentityKey(identity: bond.identity, key: $0) } }
  }

  var canResolve: Bool { bonds.contains { $0.identityKey != nil } }

  /// Stores the current private address of a device. Returns whether it is new.
  mutating func met(_ identity: Address, at address: Address) -> Bool {
    guard let place = bonds.firstIndex(where: { $0.identity == identity }), bonds[place].lastAddress != address else {
      return false
    }
    bonds[place].lastAddress = address
    return true
  }

  func memory(of identity: Address) -> ServerMemory? { memories.first { $0.identity == identity } }

  /// Stores a memory. Returns whether it has changed.
  @discardableResult
  mutating func put(_ memory: ServerMemory) -> Bool {
    guard holds(memory.identity) else { return false }
    let place = memories.firstIndex { $0.identity >= memory.identity } ?? memories.count
    if place < memories.count, memories[place].identity == memory.identity {
      guard memories[place] != memory else { return false }
      memories[place] = memory
    } else {
      memories.insert(memory, at: place)
    }
    return true
  }

  mutating func saveLater(_ identity: Address, at moment: Moment) {
    if !unsaved.contains(identity) { unsaved.append(identity) }
    savesAt = savesAt ?? moment
  }

  mutating func takeUnsaved() -> [ServerMemory] {
    defer {
      unsaved = []
      savesAt = nil
    }
    return unsaved.compactMap { memory(of: $0) }
  }

  /// The bond of the device with this identity address or last known address.
  func bond(with address: Address) -> Bond? {
    bonds.first { $0.identity == address } ?? bonds.first { $0.lastAddress == address }
  }

  /// Why a known or possible bond with this peer cannot be used.
  func obstacle(to peer: Address) -> String? {
    hidesBonds ? fault : bond(with: peer) == nil ? unusable.first { $0.identity == peer }?.reason : nil
  }

  func holds(_ identity: Address) -> Bool { bonds.contains { $0.identity == identity } }

  /// Whether this identity was never seen at this address.
  func belongsToAnother(than peer: Address, _ identity: Address) -> Bool {
    guard identity != peer, let old = bonds.first(where: { $0.identity == identity }) else { return false }
    return old.lastAddress != peer
  }

  var isFull: Bool { bonds.count >= Self.most }

  mutating func distrust(_ identity: Address) {
    if holds(identity), !distrusted.contains(identity) { distrusted.append(identity) }
  }

  /// Whether the next link is to be paired again. It is asked once.
  mutating func takeDistrust(of identity: Address) -> Bool {
    guard let place = distrusted.firstIndex(of: identity) else { return false }
    distrusted.remove(at: place)
    return true
  }

  mutating func put(_ bond: Bond) {
    let place = bonds.firstIndex { $0.identity >= bond.identity } ?? bonds.count
    if place < bonds.count, bonds[place].identity == bond.identity {
      // What our server remembers of a client ends with its bond (Vol 3, Part G, 3.3.3.3).
      if bonds[place].madeAt != bond.madeAt { memories.removeAll { $0.identity == bond.identity } }
      bonds[place] = bond
    } else if !isFull {
      bonds.insert(bond, at: place)
    }
  }

  mutating func remove(_ identity: Address) {
    bonds.removeAll { $0.identity == identity }
    unusable.removeAll { $0.identity == identity }
    memories.removeAll { $0.identity == identity }
    unsaved.removeAll { $0 == identity }
    distrusted.removeAll { $0 == identity }
  }
}

extension BondBook: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    identity = try reader.next()
    isAsked = try reader.next()
    fault = try reader.next()
    hidesBonds = try reader.next()
    removals = try reader.next()
    attempts = try reader.next()
    guesses = try reader.next()
    questions = try reader.nextCounter("questions")
    unusable = try reader.next()
    bonds = try reader.next()
    guard bonds.count <= Self.most else { throw .invalid("number of bonds", UInt64(bonds.count)) }
    memories = try reader.next()
    unsaved = try reader.next()
    savesAt = try reader.next()
    distrusted = try reader.next()
    guard distrusted.count <= Self.most else { throw .invalid("number of bonds in doubt", UInt64(distrusted.count)) }
    elsewhere = try reader.next()
  }

  func write(to writer: inout ByteWriter) {
    writer.put(
      all: identity, isAsked, fault, hidesBonds, removals, attempts, guesses, questions, unusable, bonds, memories, unsaved,
      savesAt,
      distrusted, elsewhere)
  }
}

extension UnusableBond: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(identity: try reader.next(), reason: try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: identity, reason) }
}

extension BondElsewhere: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(identity: try reader.next(), adapter: try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: identity, adapter) }
}

extension BondBook.Removal: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(owner: try reader.next(), id: try reader.next(), peer: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: owner, id, peer) }
}
