import Vocabulary

/// Rows of cells below each other, for a terminal that may be too narrow for them. Nothing is left
/// out: what does not fit goes on in the next line.
package enum TextTable {
  private static let gap = "  "
  /// With fewer columns a last cell that has to be broken goes on a line of its own.
  private static let narrowest = 16
  /// With fewer columns for the last cell there are no columns at all.
  private static let leastRoom = 8

  /// - Parameters:
  ///   - columns: how wide a line may be; nothing: as wide as it gets.
  ///   - widths: at least as many columns for the first cells.
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

  /// One row without columns: cells one after the other, and further lines begin two columns later.
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

  /// Broken at spaces. A word that is longer than a line stays whole, so that it can be copied.
  private static func wrapped(_ text: String, _ columns: Int?) -> [String] {
    guard let columns, Shown.width(of: text) > columns else { return [text] }
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      let whole = line.isEmpty ? String(word) : "\(line) \(word)"
      if Shown.width(of: whole) <= columns || line.isEmpty {
        line = whole
      } else {
        lines.append(line)
        line = String(word)
      }
    }
    return lines + [line]
  }

  private static func trimmed(_ text: String) -> String {
    var text = text
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}
