package import Vocabulary

/// Who asked: every command, subscription, scan and link knows its owner. A run hosting itself is
/// owner 1.
package struct OwnerID: Hashable, Comparable, Sendable {
  package var raw: UInt32

  package init(_ raw: UInt32) { self.raw = raw }

  package static let run = OwnerID(1)

  package static func < (left: OwnerID, right: OwnerID) -> Bool { left.raw < right.raw }
}

/// The number of a command, given by its owner and never used twice. An outcome names it.
package struct OperationID: Hashable, Comparable, Sendable {
  package var raw: UInt64

  package init(_ raw: UInt64) { self.raw = raw }

  package static func < (left: OperationID, right: OperationID) -> Bool { left.raw < right.raw }
}

extension OperationID: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { raw = try reader.readVarint() }

  package func write(to writer: inout ByteWriter) { writer.put(varint: raw) }
}

/// The number of an event, counted up by the host for each owner. An owner acknowledges what its
/// commit covers.
package struct EventNumber: Hashable, Comparable, Sendable {
  package var raw: UInt64

  package init(_ raw: UInt64) { self.raw = raw }

  package static func < (left: EventNumber, right: EventNumber) -> Bool { left.raw < right.raw }
}

/// A request of a central that waits for the answer of our server.
package struct ServerRequestID: Hashable, Sendable {
  package var raw: UInt64

  package init(_ raw: UInt64) { self.raw = raw }
}

/// A question of a pairing that waits for its answer, counted up by the host.
package struct PairingQuestionID: Hashable, Sendable {
  package var raw: UInt64

  package init(_ raw: UInt64) { self.raw = raw }
}
