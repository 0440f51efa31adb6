package import Vocabulary

/// A connection to the keeper's socket, numbered by whoever accepts it; never used twice.
package struct ConnectionID: Hashable, Comparable, Sendable {
  package var raw: UInt64

  package init(_ raw: UInt64) { self.raw = raw }

  package static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.raw < right.raw }
}

/// Who is at the other end of a socket, as the kernel says (SO_PEERCRED).
package struct Credentials: Equatable, Sendable {
  package var process: Int32
  package var user: UInt32

  package init(process: Int32, user: UInt32) {
    self.process = process
    self.user = user
  }
}

extension ConnectionID: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self.init(try reader.next()) }
  package func write(to writer: inout ByteWriter) { raw.write(to: &writer) }
}

extension Credentials: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(process: Int32(bitPattern: try reader.readUInt32()), user: try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: UInt32(bitPattern: process), user) }
}
