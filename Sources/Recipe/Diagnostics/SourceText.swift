package import Exchange

/// The text of a file with the starts of its lines. Offsets are in bytes; lines and columns count
/// from 1, columns in Unicode scalars.
package struct SourceText: Equatable, Sendable {
  package let name: String
  package let bytes: [UInt8]
  /// The offset of each line's start.
  package let lineStarts: [Int]

  package init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
    var starts = [0]
    for (index, byte) in bytes.enumerated() where byte == 0x0A { starts.append(index + 1) }
    lineStarts = starts
  }

  package var lineCount: Int { lineStarts.count }

  /// The line of an offset; the last line if the offset is past the end.
  package func line(of offset: UInt32) -> Int {
    let wanted = Int(offset)
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= wanted { low = middle } else { high = middle }
    }
    return low + 1
  }

  package func column(of offset: UInt32) -> Int {
    let start = lineStarts[line(of: offset) - 1]
    let end = max(start, min(Int(offset), bytes.count))
    return scalarCount(bytes[start..<end]) + 1
  }

  /// The text of a line without its line end; empty if there is no such line.
  package func lineText(_ line: Int) -> String {
    guard let span = lineSpan(line) else { return "" }
    return String(decoding: bytes[span], as: UTF8.self)
  }

  /// The byte range of a line without its line end.
  package func lineSpan(_ line: Int) -> Range<Int>? {
    guard line >= 1, line <= lineStarts.count else { return nil }
    let start = lineStarts[line - 1]
    var end = line < lineStarts.count ? lineStarts[line] - 1 : bytes.count
    if end > start, bytes[end - 1] == 0x0D { end -= 1 }
    return start..<end
  }

  /// An empty range at the beginning of a line.
  package func startOfLine(_ line: Int, file: UInt16 = 0) -> SourceRange {
    let start = UInt32(truncatingIfNeeded: lineSpan(line)?.lowerBound ?? bytes.count)
    return SourceRange(file: file, start: start, end: start)
  }

  /// The white space at the start of a line.
  package func indentation(ofLine line: Int) -> String {
    guard let span = lineSpan(line) else { return "" }
    return String(decoding: bytes[span].prefix { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
  }

  package func text(_ range: SourceRange) -> String {
    let end = min(Int(range.end), bytes.count)
    let start = min(Int(range.start), end)
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  private func scalarCount(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) } }
}
