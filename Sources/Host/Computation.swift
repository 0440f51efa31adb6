package import Exchange
import Packets
package import Vocabulary

/// The number of a computation that a host has ordered. Numbers count up; 0 means none.
package struct ComputationID: Hashable, Sendable {
  package let raw: UInt64
  package init(_ raw: UInt64) { self.raw = raw }
}

/// Work outside the core, which has no cryptography and no randomness. `HostOutput.compute` orders
/// it; `HostInput.computed` answers it before any other input.
///
/// These answers are all that a run of a host depends on. A successor that gets the same answers
/// behaves in the same way.
package enum Computation: Equatable, Sendable {
  /// AES-CMAC with a zero key over these bytes (Vol 3, Part G, 7.3.1).
  case databaseHash(of: [UInt8])
  /// This number of random octets. No other answer is random.
  case random(Int)
  /// A function of the Security Manager's toolbox (Vol 3, Part H, 2.2); octets as on the air.
  case security(SecurityComputation)
  /// The device among these that generated this private address (Vol 6, Part B, 1.3.2.3).
  case resolve(Address, [IdentityKey])
  /// A new resolvable private address of this IRK.
  case privateAddress([UInt8])
  // State that outlives the process
  /// The static random address of ours that bonded devices know, and that no other adapter uses.
  case storedAddress
  /// Our identity and the bonds of the adapter with this address.
  case loadBonds(own: Address)
  /// The same, or `unchanged` if no other process has changed them since.
  case refreshBonds(own: Address)
  /// Whether a bond could be stored with `keepBond` now: `done`, or `refused` with the reason.
  case checkRoom(own: Address)
  /// Stores a bond and our identity on disk, replacing an older bond.
  case keepBond(Bond, of: LocalIdentity)
  /// Removes a bond and what our server remembers of it.
  case forgetBond(Address, of: LocalIdentity)
  /// Stores what our server remembers of a client on disk.
  case keepMemory(ServerMemory, of: LocalIdentity)
}

/// A step of pairing. Octets are as on the air, least significant first.
package enum SecurityComputation: Equatable, Sendable {
  /// The P-256 public key of a private key.
  case publicKey([UInt8])
  /// The ECDH shared secret.
  case secret([UInt8], with: PublicKey)
  case f4(u: [UInt8], v: [UInt8], x: [UInt8], z: UInt8)
  /// f5, and f6 twice with its MacKey.
  case keyAndChecks(KeyAndChecks)
  case g2(u: [UInt8], v: [UInt8], x: [UInt8], y: [UInt8])
  case c1(key: [UInt8], random: [UInt8], request: [UInt8], response: [UInt8], initiator: Address, responder: Address)
  case s1(key: [UInt8], responderRandom: [UInt8], initiatorRandom: [UInt8])

  /// The values that both devices know at the end of phase 2.
  package struct KeyAndChecks: Equatable, Sendable {
    package var secret: [UInt8]
    package var initiatorNonce: [UInt8]
    package var responderNonce: [UInt8]
    package var initiator: Address
    package var responder: Address
    /// The r of the initiator's check: the passkey, or the responder's out-of-band random value.
    package var r: [UInt8]
    /// The r of the responder's check.
    package var responderR: [UInt8]
    /// The IO capability, OOB flag and AuthReq of each device.
    package var initiatorFeatures: [UInt8]
    package var responderFeatures: [UInt8]
  }
}

/// The key by which a device's private addresses are resolved.
package struct IdentityKey: Equatable, Sendable {
  package var identity: Address
  /// The IRK: 16 octets, as on the air.
  package var key: [UInt8]
}

/// A point of P-256: 32 octets for each coordinate, least significant first.
package struct PublicKey: Equatable, Sendable {
  package var x: [UInt8]
  package var y: [UInt8]

  package init(x: [UInt8], y: [UInt8]) {
    self.x = x
    self.y = y
  }
}

/// The result of a `Computation`.
package enum ComputationResult: Equatable, Sendable {
  /// 16 octets, as ATT carries them.
  case databaseHash([UInt8])
  /// The result of `random`, and of computations with a single value.
  case octets([UInt8])
  case publicKey(PublicKey)
  case keyAndChecks(longTermKey: [UInt8], initiatorCheck: [UInt8], responderCheck: [UInt8])
  /// A number, 0 to 999999.
  case number(UInt32)
  /// The result of `resolve` (`nil` if none of the devices matches), of `privateAddress`, and of
  /// `storedAddress` (`nil` if there is none).
  case address(Address?)
  /// The private key is invalid or the point is not on the curve.
  case invalid
  /// Our identity, the bonds, the bonds whose files cannot be trusted, other findings, what our
  /// server remembers, and the bonds of our other identities.
  case bonds(
    LocalIdentity, [Bond], unusable: [UnusableBond], remarks: [String], memories: [ServerMemory] = [],
    elsewhere: [BondElsewhere] = [])
  case done
  /// A result of `refreshBonds`.
  case unchanged
  /// libcrypto is missing.
  case unavailable
  /// The store refuses, for this reason.
  case refused(String)
  /// There may be bonds, but none can be trusted, for this reason.
  case unreadable(String)
}

/// The computations that a host waits for.
struct PendingComputations: Equatable, Sendable {
  enum Purpose: Equatable, Sendable {
    /// The hash of the table that was published last.
    case databaseHash
    /// The pairing on this link.
    case security(ConnectionHandle)
    /// All bonds of this adapter.
    case bonds
    /// Whether this link's bond could be stored.
    case room(ConnectionHandle)
    /// The storing of this link's bond.
    case keeping(ConnectionHandle)
    case forgetting(OwnerID, OperationID, Address)
    /// A change of a bond whose outcome is ignored.
    case dropping
    /// The storing of what our server remembers of this client.
    case remembering(Address)
    /// The device with this private address.
    case resolving(Address)
    /// Our next private address.
    case ownAddress
    /// Our static random address, for which the initialisation waits.
    case staticAddress
    /// Our out-of-band data.
    case offering
  }

  fileprivate struct Pending: Equatable, Sendable {
    var id: ComputationID
    var purpose: Purpose
  }

  private var newest: UInt64 = 0
  private var pending: [Pending] = []

  /// Returns the number of a new computation. An earlier one for the same purpose is no longer
  /// awaited.
  mutating func order(for purpose: Purpose) -> ComputationID {
    pending.removeAll { $0.purpose == purpose }
    newest += 1
    pending.append(Pending(id: ComputationID(newest), purpose: purpose))
    return ComputationID(newest)
  }

  func isPending(_ purpose: Purpose) -> Bool { pending.contains { $0.purpose == purpose } }

  /// Returns the purpose of a computation; `nil` if it is no longer awaited.
  mutating func answered(_ id: ComputationID) -> Purpose? {
    guard let place = pending.firstIndex(where: { $0.id == id }) else { return nil }
    return pending.remove(at: place).purpose
  }
}

// MARK: Handover between processes

extension ComputationID: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self.init(try reader.next()) }
  package func write(to writer: inout ByteWriter) { writer.put(all: raw) }
}

extension Computation: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .databaseHash(of: try reader.next())
    case 1: self = .random(try reader.next(0...64, "number of random octets"))
    case 2: self = .security(try reader.next())
    case 3: self = .loadBonds(own: try reader.next())
    case 4: self = .keepBond(try reader.next(), of: try reader.next())
    case 5: self = .forgetBond(try reader.next(), of: try reader.next())
    case 6: self = .keepMemory(try reader.next(), of: try reader.next())
    case 7: self = .resolve(try reader.next(), try reader.next())
    case 8: self = .privateAddress(try reader.next())
    case 9: self = .refreshBonds(own: try reader.next())
    case 10: self = .storedAddress
    case 11: self = .checkRoom(own: try reader.next())
    case let other: throw .invalid("computation", UInt64(other))
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .databaseHash(let bytes): writer.put(all: 0 as UInt8, bytes)
    case .random(let count): writer.put(all: 1 as UInt8, count)
    case .security(let computation): writer.put(all: 2 as UInt8, computation)
    case .loadBonds(let own): writer.put(all: 3 as UInt8, own)
    case .keepBond(let bond, let own): writer.put(all: 4 as UInt8, bond, own)
    case .forgetBond(let identity, let own): writer.put(all: 5 as UInt8, identity, own)
    case .keepMemory(let memory, let own): writer.put(all: 6 as UInt8, memory, own)
    case .resolve(let address, let keys): writer.put(all: 7 as UInt8, address, keys)
    case .privateAddress(let key): writer.put(all: 8 as UInt8, key)
    case .refreshBonds(let own): writer.put(all: 9 as UInt8, own)
    case .storedAddress: writer.put(10 as UInt8)
    case .checkRoom(let own): writer.put(all: 11 as UInt8, own)
    }
  }
}

extension ComputationResult: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .databaseHash(try reader.next())
    case 1: self = .unavailable
    case 2: self = .octets(try reader.next())
    case 3: self = .publicKey(try reader.next())
    case 4:
      self = .keyAndChecks(
        longTermKey: try reader.next(), initiatorCheck: try reader.next(), responderCheck: try reader.next())
    case 5: self = .number(try reader.next())
    case 6: self = .invalid
    case 7:
      self = .bonds(
        try reader.next(), try reader.next(), unusable: try reader.next(), remarks: try reader.next(), memories: try reader.next(),
        elsewhere: try reader.next())
    case 8: self = .done
    case 9: self = .refused(try reader.next())
    case 10: self = .unreadable(try reader.next())
    case 12: self = .address(try reader.next())
    case 13: self = .unchanged
    case let other: throw .invalid("result of a computation", UInt64(other))
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .databaseHash(let hash): writer.put(all: 0 as UInt8, hash)
    case .unavailable: writer.put(1 as UInt8)
    case .octets(let octets): writer.put(all: 2 as UInt8, octets)
    case .publicKey(let key): writer.put(all: 3 as UInt8, key)
    case .keyAndChecks(let key, let initiator, let responder): writer.put(all: 4 as UInt8, key, initiator, responder)
    case .number(let number): writer.put(all: 5 as UInt8, number)
    case .invalid: writer.put(6 as UInt8)
    case .bonds(let identity, let bonds, let unusable, let remarks, let memories, let elsewhere):
      writer.put(all: 7 as UInt8, identity, bonds, unusable, remarks, memories, elsewhere)
    case .done: writer.put(8 as UInt8)
    case .refused(let reason): writer.put(all: 9 as UInt8, reason)
    case .unreadable(let reason): writer.put(all: 10 as UInt8, reason)
    case .address(let address): writer.put(all: 12 as UInt8, address)
    case .unchanged: writer.put(13 as UInt8)
    }
  }
}

extension IdentityKey: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self.init(identity: try reader.next(), key: try reader.next()) }
  package func write(to writer: inout ByteWriter) { writer.put(all: identity, key) }
}

extension PublicKey: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self.init(x: try reader.next(), y: try reader.next()) }
  package func write(to writer: inout ByteWriter) { writer.put(all: x, y) }
}

extension SecurityComputation.KeyAndChecks: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      secret: try reader.next(), initiatorNonce: try reader.next(), responderNonce: try reader.next(),
      initiator: try reader.next(), responder: try reader.next(), r: try reader.next(), responderR: try reader.next(),
      initiatorFeatures: try reader.next(),
      responderFeatures: try reader.next())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(
      all: secret, initiatorNonce, responderNonce, initiator, responder, r, responderR, initiatorFeatures, responderFeatures)
  }
}

extension SecurityComputation: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .publicKey(try reader.next())
    case 1: self = .secret(try reader.next(), with: try reader.next())
    case 2: self = .f4(u: try reader.next(), v: try reader.next(), x: try reader.next(), z: try reader.next())
    case 3: self = .keyAndChecks(try reader.next())
    case 4: self = .g2(u: try reader.next(), v: try reader.next(), x: try reader.next(), y: try reader.next())
    case 5:
      self = .c1(
        key: try reader.next(), random: try reader.next(), request: try reader.next(), response: try reader.next(),
        initiator: try reader.next(), responder: try reader.next())
    case 6: self = .s1(key: try reader.next(), responderRandom: try reader.next(), initiatorRandom: try reader.next())
    case let other: throw .invalid("step of pairing", UInt64(other))
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .publicKey(let key): writer.put(all: 0 as UInt8, key)
    case .secret(let key, let peer): writer.put(all: 1 as UInt8, key, peer)
    case .f4(let u, let v, let x, let z): writer.put(all: 2 as UInt8, u, v, x, z)
    case .keyAndChecks(let known): writer.put(all: 3 as UInt8, known)
    case .g2(let u, let v, let x, let y): writer.put(all: 4 as UInt8, u, v, x, y)
    case .c1(let key, let random, let request, let response, let initiator, let responder):
      writer.put(all: 5 as UInt8, key, random, request, response, initiator, responder)
    case .s1(let key, let responder, let initiator): writer.put(all: 6 as UInt8, key, responder, initiator)
    }
  }
}

extension PendingComputations.Purpose: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .databaseHash
    case 1: self = .security(try reader.next())
    case 2: self = .bonds
    case 3: self = .keeping(try reader.next())
    case 4: self = .forgetting(try reader.next(), try reader.next(), try reader.next())
    case 5: self = .dropping
    case 6: self = .remembering(try reader.next())
    case 7: self = .resolving(try reader.next())
    case 8: self = .ownAddress
    case 9: self = .offering
    case 10: self = .staticAddress
    case 11: self = .room(try reader.next())
    case let other: throw .invalid("purpose of a computation", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .databaseHash: writer.put(0 as UInt8)
    case .security(let handle): writer.put(all: 1 as UInt8, handle)
    case .bonds: writer.put(2 as UInt8)
    case .keeping(let handle): writer.put(all: 3 as UInt8, handle)
    case .forgetting(let owner, let id, let peer): writer.put(all: 4 as UInt8, owner, id, peer)
    case .dropping: writer.put(5 as UInt8)
    case .remembering(let identity): writer.put(all: 6 as UInt8, identity)
    case .resolving(let address): writer.put(all: 7 as UInt8, address)
    case .ownAddress: writer.put(8 as UInt8)
    case .offering: writer.put(9 as UInt8)
    case .staticAddress: writer.put(10 as UInt8)
    case .room(let handle): writer.put(all: 11 as UInt8, handle)
    }
  }
}

extension PendingComputations.Pending: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    id = try reader.next()
    purpose = try reader.next()
  }

  func write(to writer: inout ByteWriter) { writer.put(all: id, purpose) }
}

extension PendingComputations: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    newest = try reader.nextCounter("number of a computation")
    pending = try reader.next()
  }

  func write(to writer: inout ByteWriter) { writer.put(all: newest, pending) }
}
