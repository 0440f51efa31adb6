package import Vocabulary

/// The client that owns a command, subscription, scan or link. A run with its own host is owner 1.
package struct OwnerID: Hashable, Comparable, Sendable {
  package var raw: UInt32

  package init(_ raw: UInt32) { self.raw = raw }

  package static let run = OwnerID(1)

  package static func < (left: OwnerID, right: OwnerID) -> Bool { left.raw < right.raw }
}

/// The number of a command. Its owner assigns it and never uses it twice; the outcome carries it.
package struct OperationID: Hashable, Comparable, Sendable {
  package var raw: UInt64

  package init(_ raw: UInt64) { self.raw = raw }

  package static func < (left: OperationID, right: OperationID) -> Bool { left.raw < right.raw }
}

extension OperationID: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { raw = try reader.readVarint() }

  package func write(to writer: inout ByteWriter) { writer.put(varint: raw) }
}

/// The number of an event, which the host counts for each owner. An owner acknowledges the events
/// that its commit contains.
package struct EventNumber: Hashable, Comparable, Sendable {
  package var raw: UInt64

  package init(_ raw: UInt64) { self.raw = raw }

  package static func < (left: EventNumber, right: EventNumber) -> Bool { left.raw < right.raw }
}

/// A request of a central that waits for an answer of our server.
package struct ServerRequestID: Hashable, Sendable {
  package var raw: UInt64

  package init(_ raw: UInt64) { self.raw = raw }
}

/// A question of a pairing that waits for an answer. The host counts these.
package struct PairingQuestionID: Hashable, Sendable {
  package var raw: UInt64

  package init(_ raw: UInt64) { self.raw = raw }
}
