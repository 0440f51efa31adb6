package import Exchange
package import Recipe

/// The starts of lines in a recipe and its included files, to find the line of an offset.
package struct LineTable: Equatable, Sendable {
  private struct File: Equatable {
    var source: SourceText
    var name: String { source.name }
    var starts: [Int] { source.lineStarts }
  }

  private var files: [File]

  package init(_ sources: [SourceText]) { files = sources.map { File(source: $0) } }

  package var count: Int { files.count }

  mutating func append(_ source: SourceText) { files.append(File(source: source)) }

  /// The line of a range; `.none` if the file has no text.
  package func line(of range: SourceRange) -> RecipeLine {
    guard files.indices.contains(Int(range.file)) else { return .none }
    let starts = files[Int(range.file)].starts
    var low = 0
    var high = starts.count
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= Int(range.start) { low = middle + 1 } else { high = middle }
    }
    return RecipeLine(low, file: range.file)
  }

  /// A statement as written, for messages: on one line, without comments, shortened if it is long.
  package func quote(_ range: SourceRange) -> String {
    guard files.indices.contains(Int(range.file)) else { return "" }
    let bytes = files[Int(range.file)].source.bytes
    var text: [UInt8] = []
    var mark: UInt8?
    var place = Int(range.start)
    let end = min(Int(range.end), bytes.count)
    while place < end, text.count < Self.longestQuote * 4 {
      var byte = bytes[place]
      place += 1
      switch byte {
      case UInt8(ascii: "\\") where mark == UInt8(ascii: "\""):
        text.append(byte)
        if place < end { byte = bytes[place] }
        place += 1
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if mark == nil { mark = byte } else if mark == byte { mark = nil }
      case UInt8(ascii: "#") where mark == nil:
        while place < end, bytes[place] != 0x0A { place += 1 }
        continue
      default: break
      }
      if byte == 0x0A || mark == nil && (byte == 0x20 || byte == 0x09 || byte == 0x0D) {
        if text.last != 0x20 { text.append(0x20) }
      } else {
        text.append(byte)
      }
    }
    while text.last == 0x20 { text.removeLast() }
    let scalars = String(decoding: text, as: UTF8.self).unicodeScalars
    guard scalars.count > Self.longestQuote else { return String(scalars) }
    return String(String.UnicodeScalarView(scalars.prefix(Self.longestQuote - 1))) + "…"
  }

  private static let longestQuote = 72

  /// The name of an included file; `nil` for the recipe itself.
  package func fileName(of line: RecipeLine) -> String? {
    line.file > 0 && files.indices.contains(Int(line.file)) ? files[Int(line.file)].name : nil
  }

  /// Marks the end of a line that a command has added.
  package static let addedMark = "# added by tooth serve"

  private func isAdded(_ line: RecipeLine) -> Bool {
    guard line.file == 0, line.number > 0, let file = files.first, file.starts.indices.contains(line.number - 1) else {
      return false
    }
    let start = file.starts[line.number - 1]
    let end = file.starts.indices.contains(line.number) ? file.starts[line.number] - 1 : file.source.bytes.count
    let mark = Array(Self.addedMark.utf8)
    var last = min(end, file.source.bytes.count)
    while last > start, file.source.bytes[last - 1] == 0x0A { last -= 1 }
    return last - start > mark.count && file.source.bytes[last - mark.count..<last].elementsEqual(mark)
  }

  /// `line 12`, `line 12 of common.ble`, or the command that added the line.
  package func text(of line: RecipeLine) -> String {
    if isAdded(line) { return "tooth serve" }
    return fileName(of: line).map { "line \(line.number) of \($0)" } ?? "line \(line.number)"
  }
}
