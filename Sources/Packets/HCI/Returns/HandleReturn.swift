package import Vocabulary

/// The return parameters after the status of commands about one link.
package struct HandleReturn: Hashable, Portable {
  package var handle: ConnectionHandle

  package init(handle: ConnectionHandle) {
    self.handle = handle
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try ConnectionHandle(reading: &reader)
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
  }
}
