package import Vocabulary

/// A range of bytes in a text of a recipe; `end` is exclusive.
package struct SourceRange: Hashable, Sendable {
  /// The number of the file: 0 is the recipe; its included files follow from 1.
  package var file: UInt16
  package var start: UInt32
  package var end: UInt32

  package init(file: UInt16 = 0, start: UInt32, end: UInt32) {
    self.file = file
    self.start = start
    self.end = end
  }

  /// The range of something that is in no text.
  package static let none = SourceRange(start: 0, end: 0)

  /// The range from the start of this one to the end of the other.
  package func to(_ other: SourceRange) -> SourceRange {
    SourceRange(file: file, start: start, end: Swift.max(end, other.end))
  }
}

extension SourceRange: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let file = try reader.readUInt16()
    let start = try reader.readUInt32()
    self.init(file: file, start: start, end: try reader.readUInt32())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(file)
    writer.put(start)
    writer.put(end)
  }
}
