package import Vocabulary

/// The answer to Read Controller Index List: the controllers that the kernel manages. It lacks
/// those that a program holds or that are still being set up.
package struct ControllerIndexes: Hashable, Portable {
  package var indexes: [UInt16]

  package init(_ indexes: [UInt16] = []) { self.indexes = indexes }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    indexes = []
    for _ in 0..<(try reader.readUInt16()) { indexes.append(try reader.readUInt16()) }
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(UInt16(truncatingIfNeeded: indexes.count))
    for index in indexes { writer.put(index) }
  }
}
