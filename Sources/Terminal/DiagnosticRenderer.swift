import Exchange
package import Recipe
import Vocabulary

/// Renders findings about a recipe's text, as pictures with a caret or as one JSON object per line.
package struct DiagnosticRenderer: Sendable {
  /// Whether to draw frames with ASCII characters only.
  package var ascii: Bool
  package var colour: Bool
  /// The width of the terminal; `nil` if it is not a terminal, where lines are not broken.
  package var columns: Int?

  /// Longer lines are shown only in part.
  private static let width = 160

  package init(ascii: Bool = false, colour: Bool = false, columns: Int? = nil) {
    self.ascii = ascii
    self.colour = colour
    self.columns = columns.map { max(24, $0) }
  }

  /// Converts the frame of a stored picture to ASCII, but not its contents.
  package static func asciiFrame(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let margin = line.prefix { $0 == " " || $0.isNumber }
      let rest = line.dropFirst(margin.count)
      if rest.hasPrefix("┌─ ") { return "\(margin)--> \(rest.dropFirst(3))" }
      return rest.hasPrefix("│") ? "\(margin)|\(rest.dropFirst())" : String(line)
    }.joined(separator: "\n")
  }

  /// All findings, separated by empty lines. `sources` is indexed by file number.
  package func text(_ diagnostics: [Diagnostic], in sources: [SourceText]) -> String {
    diagnostics.map { text($0, in: sources) }.joined(separator: "\n")
  }

  /// A finding of several lines, each with its line end.
  package func text(_ diagnostic: Diagnostic, in sources: [SourceText]) -> String {
    let title = "\(diagnostic.severity.rawValue)[\(diagnostic.code)]"
    let message = folded(Shown.text(diagnostic.message), after: title.utf8.count + 2, "  ")
    var lines = ["\(paint(title, severityColour(diagnostic.severity))): \(bold(message))"]
    guard let source = source(of: diagnostic.range, in: sources) else { return lines.joined(separator: "\n") + "\n" }
    let places = [diagnostic.range] + diagnostic.labels.map(\.range)
    let gutter = max(2, places.map { String(self.line(of: $0, in: sources)).utf8.count }.max() ?? 2)
    let margin = String(repeating: " ", count: gutter)
    let corner = ascii ? "--> " : "┌─ "
    lines.append("\(margin)\(frame(corner))\(place(diagnostic.range, in: source))")
    lines += picture(diagnostic.range, diagnostic.label, "^", gutter, source, severityColour(diagnostic.severity))
    var file = diagnostic.range.file
    for label in diagnostic.labels {
      guard let other = self.source(of: label.range, in: sources) else { continue }
      if label.range.file != file { lines.append("\(margin)\(frame(corner))\(place(label.range, in: other))") }
      file = label.range.file
      lines += picture(label.range, label.text, "-", gutter, other, "36")
    }
    for fact in diagnostic.facts {
      let text = Shown.text(fact.text)
      // Not folded, because marks must be below their columns.
      lines.append("\(margin)= \(fact.marks.isEmpty ? folded(text, after: gutter + 2, margin + "  ") : text)")
      if !fact.marks.isEmpty { lines.append("\(margin)  \(Shown.text(fact.marks))") }
    }
    for fix in diagnostic.fixes {
      let shown = self.text(of: fix, in: sources)
      let below = "\n\(margin)       "
      if !shown.isEmpty { lines.append("\(margin)= \(bold("fix:")) \(indented(Shown.lines(shown), below))") }
    }
    for note in diagnostic.notes {
      let parts = Shown.lines(note).split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
        folded(String($1), after: $0 == 0 ? gutter + 8 : 0, margin + "  ")
      }
      lines.append("\(margin)= note: \(parts.joined(separator: "\n"))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Breaks text at spaces if the terminal is too narrow.
  /// - Parameters:
  ///   - taken: columns already used in the first line.
  ///   - margin: prefix of the other lines.
  private func folded(_ text: String, after taken: Int, _ margin: String) -> String {
    guard let columns else { return text }
    var (result, width) = ("", taken)
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let more = Shown.width(of: String(word))
      if result.isEmpty {
        result += word
        width += more
      } else if width + 1 + more <= columns {
        result += " \(word)"
        width += more + 1
      } else {
        result += "\n\(margin)\(word)"
        width = Shown.width(of: margin) + more
      }
    }
    return result
  }

  private func place(_ range: SourceRange, in source: SourceText) -> String {
    "\(Shown.text(source.name)):\(source.line(of: range.start)):\(source.column(of: range.start))"
  }

  /// The line of a range, underlined.
  private func picture(
    _ range: SourceRange, _ label: String, _ sign: String, _ gutter: Int, _ source: SourceText, _ colour: String
  ) -> [String] {
    let number = source.line(of: range.start)
    let column = source.column(of: range.start)
    guard let span = source.lineSpan(number) else { return [] }
    var scalars = Array(String(decoding: source.bytes[span], as: UTF8.self).unicodeScalars)
    let endColumn = source.line(of: range.end) == number ? source.column(of: range.end) : scalars.count + 1
    var start = min(column - 1, scalars.count)
    var length = max(1, endColumn - column)
    if scalars.count > Self.width {
      let from = max(0, min(start - 60, scalars.count - Self.width))
      scalars = Array(scalars[from..<min(scalars.count, from + Self.width)])
      start -= from
      length = max(1, min(length, scalars.count - start))
    }
    var pieces = scalars.map { scalar in
      let piece = isPrintable(scalar) ? String(scalar) : ascii ? "?" : "\u{B7}"
      return ascii ? Shown.ascii(piece) : piece
    }
    if let columns { narrow(&pieces, &start, &length, to: max(8, columns - gutter - 3)) }
    let shown = pieces.joined()
    // Chinese and Japanese characters take two columns, combining marks none.
    let indent = pieces.prefix(start).map { $0 == "\t" ? "\t" : String(repeating: " ", count: Shown.width(of: $0)) }.joined()
    let marked = pieces.dropFirst(start).prefix(length)
    length = max(1, length - marked.count + marked.reduce(0) { $0 + Shown.width(of: $1) })
    let bar = ascii ? "|" : "│"
    let padded = String(number) + String(repeating: " ", count: max(0, gutter - String(number).utf8.count))
    let margin = String(repeating: " ", count: gutter)
    let edge = "\(margin)\(frame(bar)) "
    let signs = String(repeating: sign, count: length)
    let text = Shown.text(label)
    let head = ["\(frame(padded + bar)) \(shown)"]
    let taken = gutter + 2 + Shown.width(of: indent) + length
    if let columns, taken + 1 + Shown.width(of: text) > columns, !text.isEmpty {
      // The label does not fit next to the marks, so it goes below them.
      let parts = folded(text, after: gutter + 2, margin + "  ").split(separator: "\n").enumerated()
      return head + ["\(edge)\(indent)\(paint(signs, colour))"]
        + parts.map { "\(edge)\(paint(String($0 == 0 ? $1 : $1.dropFirst(gutter + 2)), colour))" }
    }
    return head + ["\(edge)\(indent)\(paint(signs + (text.isEmpty ? "" : " " + text), colour))"]
  }

  /// Reduces a line to the part around its mark, with an ellipsis at cut ends.
  private func narrow(_ pieces: inout [String], _ start: inout Int, _ length: inout Int, to columns: Int) {
    func width(_ pieces: ArraySlice<String>) -> Int { pieces.reduce(0) { $0 + Shown.width(of: $1) } }
    guard width(pieces[...]) > columns else { return }
    let dots = ascii ? ".." : "\u{2026}"
    // Keep some text before the mark, but leave most of the width to the mark.
    var first = min(start, pieces.count - 1)
    while first > 0, width(pieces[(first - 1)..<start]) <= columns / 3 || width(pieces[(first - 1)...]) <= columns - 2 {
      first -= 1
    }
    var last = pieces.count
    let room = columns - (first > 0 ? 2 : 0)
    while last > first + 1, width(pieces[first..<last]) > room - (last < pieces.count ? 2 : 0) { last -= 1 }
    let isCut = last < pieces.count
    pieces = (first > 0 ? [dots] : []) + pieces[first..<last] + (isCut ? [dots] : [])
    start = start - first + (first > 0 ? 1 : 0)
    length = max(1, min(length, pieces.count - (isCut ? 1 : 0) - start))
  }

  private func isPrintable(_ scalar: UnicodeScalar) -> Bool {
    scalar == "\t" || !Shown.isHostile(scalar)
  }

  /// The inserted text, or the corrected line.
  private func text(of fix: Fix, in sources: [SourceText]) -> String {
    guard let first = fix.edits.first else { return fix.lead }
    if !fix.lead.isEmpty {
      return "\(fix.lead)   \(trimmed(first.replacement))"
    }
    guard let source = source(of: first.range, in: sources), let span = source.lineSpan(source.line(of: first.range.start)) else {
      return ""
    }
    var bytes: [UInt8] = []
    var place = span.lowerBound
    for edit in fix.edits.sorted(by: { $0.range.start < $1.range.start }) {
      let start = Int(edit.range.start)
      guard start >= place, start <= span.upperBound else { continue }
      bytes += source.bytes[place..<start] + Array(edit.replacement.utf8)
      place = max(place, min(Int(edit.range.end), source.bytes.count))
    }
    if place < span.upperBound { bytes += source.bytes[place..<span.upperBound] }
    let line = String(decoding: bytes, as: UTF8.self)
    // Show the comment if the fix creates it.
    let isComment = fix.edits.contains { $0.replacement.utf8.contains(UInt8(ascii: "#")) }
    let shown = trimmed(isComment ? line : withoutComment(line))
    return shown.isEmpty ? "remove this line" : shown
  }

  /// Indents all lines after the first.
  private func indented(_ text: String, _ end: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: end)
  }

  private func trimmed(_ text: String) -> String {
    var result = text[...]
    while let first = result.first, first.isWhitespace { result = result.dropFirst() }
    while let last = result.last, last.isWhitespace { result = result.dropLast() }
    return String(result)
  }

  /// The corrected line without its trailing comment.
  private func withoutComment(_ line: String) -> String {
    var quote: Character?
    for index in line.indices {
      let character = line[index]
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if character == "#" {
        return String(line[..<index])
      }
    }
    return line
  }

  private func source(of range: SourceRange, in sources: [SourceText]) -> SourceText? {
    sources.indices.contains(Int(range.file)) ? sources[Int(range.file)] : nil
  }

  private func line(of range: SourceRange, in sources: [SourceText]) -> Int {
    source(of: range, in: sources)?.line(of: range.start) ?? 1
  }

  // MARK: - colour

  private func severityColour(_ severity: Diagnostic.Severity) -> String {
    switch severity {
    case .error: "1;31"
    case .warning: "1;33"
    case .note: "1;36"
    }
  }

  private func paint(_ text: String, _ code: String) -> String { colour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
  private func bold(_ text: String) -> String { paint(text, "1") }
  private func frame(_ text: String) -> String { paint(text, "34") }

  // MARK: - JSON

  /// One object per line: `{code, severity, file, range, message, labels, fixes, notes}`. The label
  /// next to the caret comes first.
  package func json(_ diagnostics: [Diagnostic], in sources: [SourceText]) -> String {
    diagnostics.map { json($0, in: sources) + "\n" }.joined()
  }

  package func json(_ diagnostic: Diagnostic, in sources: [SourceText]) -> String {
    var labels = diagnostic.label.isEmpty ? [] : [Diagnostic.Label(range: diagnostic.range, text: diagnostic.label)]
    labels += diagnostic.labels
    /// The file is named only if it differs.
    func place(_ range: SourceRange, _ name: String, _ text: String) -> JSONObject {
      var object = JSONObject()
      if range.file != diagnostic.range.file { object.set("file", source(of: range, in: sources)?.name ?? "") }
      object.set("range", json(range, in: sources))
      object.set(name, text)
      return object
    }
    var object = JSONObject()
    object.set("code", diagnostic.code)
    object.set("severity", diagnostic.severity.rawValue)
    object.set("file", source(of: diagnostic.range, in: sources)?.name ?? "")
    object.set("range", json(diagnostic.range, in: sources))
    object.set("message", diagnostic.message)
    object.set("labels", labels.map { place($0.range, "text", $0.text) })
    object.set(
      "fixes",
      diagnostic.fixes.map { fix in
        var object = JSONObject()
        object.set("text", text(of: fix, in: sources))
        object.set("edits", fix.edits.map { place($0.range, "replacement", $0.replacement) })
        return object
      })
    object.set("notes", diagnostic.facts.map(\.text) + diagnostic.notes)
    return Shown.json(object.text)
  }

  private func json(_ range: SourceRange, in sources: [SourceText]) -> JSONObject {
    let source = source(of: range, in: sources)
    var object = JSONObject()
    for (name, offset) in [("start", range.start), ("end", range.end)] {
      guard let source else {
        object.set(name, Int(offset))
        continue
      }
      var place = JSONObject()
      place.set("line", source.line(of: offset))
      place.set("column", source.column(of: offset))
      place.set("offset", Int(offset))
      object.set(name, place)
    }
    return object
  }
}
