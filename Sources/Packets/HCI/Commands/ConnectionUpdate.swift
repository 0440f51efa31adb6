package import Vocabulary

/// LE Connection Update (Vol 4, Part E, 7.8.18).
package struct ConnectionUpdate: Hashable, Portable {
  package var handle: ConnectionHandle
  package var connection: ConnectionParameters

  package init(handle: ConnectionHandle, connection: ConnectionParameters) {
    self.handle = handle
    self.connection = connection
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try ConnectionHandle(reading: &reader)
    connection = try ConnectionParameters(reading: &reader)
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
    connection.write(to: &writer)
  }
}
