import Exchange
package import Vocabulary

/// Names a computation that a host has ordered; counted up, and 0 for none.
package struct ComputationID: Hashable, Sendable {
  package let raw: UInt64
  package init(_ raw: UInt64) { self.raw = raw }
}

/// Work outside the core, which has no cryptography and no randomness: ordered by
/// `HostOutput.compute`, answered by `HostInput.computed` before anything else is told.
///
/// What a run of a host depends on is in these answers, so a successor that is given the same ones
/// goes on in the same way.
package enum Computation: Equatable, Sendable {
  /// AES-CMAC with a key of zeros over these bytes (Vol 3, Part G, 7.3.1).
  case databaseHash(of: [UInt8])
}

/// What came of a `Computation`: a case for each of its cases.
package enum ComputationResult: Equatable, Sendable {
  /// 16 octets, as ATT carries them.
  case databaseHash([UInt8])
  /// It cannot be done here: there is no libcrypto.
  case unavailable
}

/// The computations that a host waits for.
struct OwedComputations: Equatable, Sendable {
  enum Purpose: UInt8, Sendable {
    /// Of the table that was published last.
    case databaseHash
  }

  fileprivate struct Owed: Equatable, Sendable {
    var id: ComputationID
    var purpose: Purpose
  }

  private var newest: UInt64 = 0
  private var owed: [Owed] = []

  /// The name of a new one. What was ordered before for the same purpose is not waited for any
  /// more.
  mutating func order(for purpose: Purpose) -> ComputationID {
    owed.removeAll { $0.purpose == purpose }
    newest += 1
    owed.append(Owed(id: ComputationID(newest), purpose: purpose))
    return ComputationID(newest)
  }

  /// What it was for; nothing when nobody waits for it.
  mutating func answered(_ id: ComputationID) -> Purpose? {
    guard let place = owed.firstIndex(where: { $0.id == id }) else { return nil }
    return owed.remove(at: place).purpose
  }
}

// MARK: From process to process

extension ComputationID: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self.init(try reader.next()) }
  package func write(to writer: inout ByteWriter) { writer.put(all: raw) }
}

extension Computation: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .databaseHash(of: try reader.next())
    case let other: throw .invalid("computation", UInt64(other))
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .databaseHash(let bytes): writer.put(all: 0 as UInt8, bytes)
    }
  }
}

extension ComputationResult: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .databaseHash(try reader.next())
    case 1: self = .unavailable
    case let other: throw .invalid("result of a computation", UInt64(other))
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .databaseHash(let hash): writer.put(all: 0 as UInt8, hash)
    case .unavailable: writer.put(1 as UInt8)
    }
  }
}

extension OwedComputations.Owed: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    id = try reader.next()
    let raw = try reader.readUInt8()
    guard let purpose = OwedComputations.Purpose(rawValue: raw) else { throw .invalid("purpose of a computation", UInt64(raw)) }
    self.purpose = purpose
  }

  func write(to writer: inout ByteWriter) { writer.put(all: id, purpose.rawValue) }
}

extension OwedComputations: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    newest = try reader.nextCounter("number of a computation")
    owed = try reader.next()
  }

  func write(to writer: inout ByteWriter) { writer.put(all: newest, owed) }
}
