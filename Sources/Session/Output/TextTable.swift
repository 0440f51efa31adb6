import Vocabulary

/// Rows of cells for a terminal that may be too narrow. Nothing is omitted: text that does not fit
/// continues on the next line.
package enum TextTable {
  private static let gap = "  "
  /// The least width at which the last cell is wrapped in its column. With less, it goes on a line
  /// of its own.
  private static let narrowest = 16
  /// The least width of the last cell at which there are columns at all.
  private static let leastRoom = 8

  /// - Parameters:
  ///   - columns: The width of a line; `nil` for no limit.
  ///   - widths: The least widths of the first cells.
  package static func lines(_ rows: [[String]], columns: Int?, widths least: [Int] = []) -> [String] {
    let count = max(0, (rows.map(\.count).max() ?? 0) - 1)
    let widths = (0..<count).map { place in
      rows.reduce(least.indices.contains(place) ? least[place] : 0) { place < $1.count ? max($0, Shown.width(of: $1[place])) : $0 }
    }
    let indent = widths.reduce(0) { $0 + $1 + gap.utf8.count }
    let room = columns.map { $0 - indent }
    if let room, room < leastRoom { return rows.flatMap { stacked($0, columns: columns) } }
    return rows.flatMap { row -> [String] in
      let head = zip(row, widths).map { Shown.padded($0, $1) + gap }.joined()
      guard row.count > count else { return [trimmed(head)] }
      let parts = wrapped(row[count], room)
      if let columns, let room, parts.contains(where: { Shown.width(of: $0) > room }) || parts.count > 1 && room < narrowest {
        return [trimmed(head)] + wrapped(row[count], columns - gap.utf8.count).map { gap + $0 }
      }
      return parts.enumerated().map { trimmed(($0 == 0 ? head : String(repeating: " ", count: indent)) + $1) }
    }
  }

  /// A row without columns: the cells one after the other, with further lines indented by two
  /// columns.
  package static func stacked(_ row: [String], columns: Int?) -> [String] {
    var lines: [String] = []
    var line = ""
    for cell in row where !cell.isEmpty {
      let whole = line.isEmpty ? cell : line + gap + cell
      if columns.map({ Shown.width(of: whole) <= $0 }) ?? true {
        line = whole
        continue
      }
      if !line.isEmpty { lines.append(line) }
      let parts = wrapped(cell, columns.map { $0 - gap.utf8.count }).enumerated().map { lines.isEmpty && $0 == 0 ? $1 : gap + $1 }
      lines += parts.dropLast()
      line = parts.last ?? ""
    }
    return lines + (line.isEmpty ? [] : [line])
  }

  /// Wraps a finished line. Its further lines begin below its last column that starts in the left
  /// half of the terminal.
  package static func folded(_ line: String, columns: Int?) -> [String] {
    guard let columns, Shown.width(of: line) > columns else { return [line] }
    var (head, width, indent, spaces) = (line.startIndex, 0, 0, 0)
    for place in line.indices where width <= columns / 2 {
      if line[place] == " " {
        spaces += 1
      } else {
        if spaces > 1 { (head, indent) = (place, width) }
        spaces = 0
      }
      width += Shown.width(of: String(line[place]))
    }
    let isIndented = head == line.startIndex && line.first == " "
    // A line without columns keeps of its indentation what fits.
    if isIndented { indent = min(line.prefix { $0 == " " }.count, columns / 2) }
    let margin = String(repeating: " ", count: isIndented ? indent : max(indent, gap.utf8.count))
    let parts = wrapped(String(line[head...]), columns - margin.utf8.count)
    // A long word that fits below its title goes there.
    let widest = parts.reduce(0) { max($0, Shown.width(of: $1)) }
    if head > line.startIndex, widest > columns - margin.utf8.count, widest <= columns - gap.utf8.count {
      return [trimmed(String(line[..<head]))] + wrapped(String(line[head...]), columns - gap.utf8.count).map { gap + $0 }
    }
    return parts.enumerated().map { ($0 > 0 || isIndented ? margin : String(line[..<head])) + $1 }
  }

  /// Wraps text at spaces. A word that is longer than a line stays whole, so that it can be copied.
  private static func wrapped(_ text: String, _ columns: Int?) -> [String] {
    guard let columns, Shown.width(of: text) > columns else { return [text] }
    var lines: [String] = []
    var line = ""
    // Only the spaces at the end of a line are left out.
    var spaces = ""
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if !word.isEmpty {
        let whole = line.isEmpty ? String(word) : line + spaces + word
        if Shown.width(of: whole) <= columns || line.isEmpty {
          line = whole
        } else {
          lines.append(line)
          line = String(word)
        }
        spaces = ""
      }
      spaces += " "
    }
    return lines + [line]
  }

  private static func trimmed(_ text: String) -> String {
    var text = text
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}
