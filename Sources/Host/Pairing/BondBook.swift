import Exchange
package import Vocabulary

/// A bond whose file is damaged, or that another user can have written: its device is not talked to
/// in the clear.
package struct UnusableBond: Equatable, Sendable {
  package var identity: Address
  /// Which file, and what is wrong with it.
  package var reason: String

  package init(identity: Address, reason: String) {
    self.identity = identity
    self.reason = reason
  }
}

/// The bonds of this adapter's identity, as far as they are kept somewhere.
struct BondBook: Equatable, Sendable {
  struct Removal: Equatable, Sendable {
    var owner: OwnerID
    var id: OperationID
    var peer: Address
  }

  /// Who we are; nothing while no store has answered, and then nothing can be paired.
  private(set) var identity: LocalIdentity?
  /// The store was asked.
  var isAsked = false
  /// Why there is none.
  var fault: String?
  /// There may be bonds that the store cannot give.
  var hidesBonds = false
  /// Removals that wait for the store's first answer.
  var removals: [Removal] = []
  /// Ascending by identity.
  private(set) var bonds: [Bond] = []
  private(set) var unusable: [UnusableBond] = []

  /// None is ever dropped for another.
  static let most = 256

  mutating func loaded(_ identity: LocalIdentity, _ bonds: [Bond], _ unusable: [UnusableBond]) {
    self.identity = identity
    self.unusable = Array(unusable.prefix(Self.most))
    self.bonds = []
    for bond in bonds { put(bond) }
  }

  /// Of the device with this address, its identity or where it was met last.
  func bond(with address: Address) -> Bond? {
    bonds.first { $0.identity == address } ?? bonds.first { $0.lastAddress == address }
  }

  /// Why a bond with this peer, which there is or may be, cannot be used.
  func obstacle(to peer: Address) -> String? {
    hidesBonds ? fault : bond(with: peer) == nil ? unusable.first { $0.identity == peer }?.reason : nil
  }

  func holds(_ identity: Address) -> Bool { bonds.contains { $0.identity == identity } }

  /// Whether this identity was never met at this address.
  func belongsToAnother(than peer: Address, _ identity: Address) -> Bool {
    guard identity != peer, let old = bonds.first(where: { $0.identity == identity }) else { return false }
    return old.lastAddress != peer
  }

  var isFull: Bool { bonds.count >= Self.most }

  mutating func put(_ bond: Bond) {
    let place = bonds.firstIndex { $0.identity >= bond.identity } ?? bonds.count
    if place < bonds.count, bonds[place].identity == bond.identity {
      bonds[place] = bond
    } else if !isFull {
      bonds.insert(bond, at: place)
    }
  }

  mutating func remove(_ identity: Address) {
    bonds.removeAll { $0.identity == identity }
    unusable.removeAll { $0.identity == identity }
  }
}

extension BondBook: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    identity = try reader.next()
    isAsked = try reader.next()
    fault = try reader.next()
    hidesBonds = try reader.next()
    removals = try reader.next()
    unusable = try reader.next()
    bonds = try reader.next()
    guard bonds.count <= Self.most else { throw .invalid("number of bonds", UInt64(bonds.count)) }
  }

  func write(to writer: inout ByteWriter) { writer.put(all: identity, isAsked, fault, hidesBonds, removals, unusable, bonds) }
}

extension UnusableBond: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(identity: try reader.next(), reason: try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: identity, reason) }
}

extension BondBook.Removal: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(owner: try reader.next(), id: try reader.next(), peer: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: owner, id, peer) }
}
