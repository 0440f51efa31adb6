package import Vocabulary

/// A stretch of a recipe's text: which file, from which byte up to (not including) which byte.
package struct SourceRange: Hashable, Sendable {
  /// 0 is the recipe itself; its included files count up from 1.
  package var file: UInt16
  package var start: UInt32
  package var end: UInt32

  package init(file: UInt16 = 0, start: UInt32, end: UInt32) {
    self.file = file
    self.start = start
    self.end = end
  }

  /// The place of what no text stands for.
  package static let none = SourceRange(start: 0, end: 0)

  /// From the start of this range to the end of the other.
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
