package import Vocabulary

/// A line of a recipe or of a file that it includes.
package struct RecipeLine: Hashable, Sendable {
  /// The number of the file, as in `SourceRange`; below 256.
  package var file: UInt16
  /// The number of the line, from 1; 0 if unknown.
  package var number: Int

  package init(_ number: Int, file: UInt16 = 0) {
    self.number = number
    self.file = file
  }

  package static let none = RecipeLine(0)
}

extension RecipeLine: ExpressibleByIntegerLiteral {
  package init(integerLiteral number: Int) { self.init(number) }
}

/// Both fit in 32 bits: a text has at most 1 MiB, so the number of a line fits in 24.
extension RecipeLine: Durable {
  package init(packed: UInt32) { self.init(Int(packed & 0xFF_FFFF), file: UInt16(packed >> 24)) }

  package var packed: UInt32 {
    UInt32(truncatingIfNeeded: file & 0xFF) << 24 | UInt32(truncatingIfNeeded: min(max(number, 0), 0xFF_FFFF))
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) { self.init(packed: try reader.readUInt32()) }

  package func write(to writer: inout ByteWriter) { writer.put(packed) }
}
