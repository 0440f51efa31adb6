import Exchange
import Linux
package import Runner
package import Vocabulary

/// Formats `print` as text, JSON lines or CSV. The first record prints the header of CSV; later
/// records of another shape cause a warning.
package struct PrintFormatter {
  private let format: Console.Style.Format
  private let zone: TimeZoneRules
  private var columns: [String]?
  private var warnedShapes: [[String]] = []
  /// Whether a user reads it, and should see the names and types of values.
  var isAtTerminal = false
  /// Whether the terminal shows only ASCII characters.
  var ascii = false
  /// Whether the text is a recipe.
  var isRecipe = false

  package init(format: Console.Style.Format, zone: TimeZoneRules) {
    self.format = format
    self.zone = zone
  }

  /// Returns the text for stdout, and a warning if one is due.
  package mutating func text(_ line: PrintedLine, _ surroundings: Surroundings, at now: WallTime) -> (
    text: String, warning: String?
  ) {
    if let prompt = line.prompt { return (shown(line, prompt, surroundings), nil) }
    switch format {
    case .text:
      let text = Self.plain(line, surroundings)
      return (isRecipe ? Shown.recipe(text) : text, nil)
    case .json: return (json(line, surroundings, at: now), nil)
    case .csv: return csv(line, surroundings)
    }
  }

  /// The output at a prompt: each value as it comes or, with JSON, an object for each entry.
  private mutating func shown(_ line: PrintedLine, _ prompt: PromptOutput, _ surroundings: Surroundings) -> String {
    switch (prompt, format) {
    case (.echo(let echo), .text) where isAtTerminal:
      let name = echo.name
      let value = line.values.first ?? .nothing
      let valueText = TextRendering.text(of: value, surroundings)
      // Every line is indented, so that a name from the air cannot look like a prompt.
      let lines = name == "device" ? Shown.text(valueText) : Shown.lines(valueText).replacing(every: "\n", with: "\n  ")
      let unit = echo.unit.isEmpty || value.isNothing ? "" : " \(echo.unit)"
      let whole = "  " + (name.isEmpty ? "" : "\(name) = ") + lines + unit
      let text = ascii ? Shown.ascii(whole) : whole
      if name == "device" { return text + "\n" }
      return Self.echo(text, kind: kind(of: value, echo.octets), columns: terminalSize().columns)
    case (.echo, .text): return Self.plain(line, surroundings)
    case (.echo, .csv): return csv(line, surroundings).text
    case (.echo, .json), (.ended, .text), (.ended, .csv): return ""
    case (.ended(let end), .json):
      var object = JSONObject()
      object.set("entry", end.number)
      object.set("state", end.state.word)
      if let value = end.value { object.set("value", json: JSON.text(of: value, surroundings)) }
      if end.state == .failed {
        var failure = JSONObject()
        failure.set("kind", end.failureKind)
        failure.set("message", end.failureText)
        object.set("failure", json: failure.text)
      }
      return object.text + "\n"
    }
  }

  /// The type of a value, and the octets that it was decoded from if they are few; for bytes, their
  /// number, and their printable characters.
  private func kind(of value: Value, _ octets: [UInt8]) -> String {
    guard case .bytes(let bytes) = value, !bytes.isEmpty else {
      guard (1...8).contains(octets.count) else { return value.typeName }
      return "\(value.typeName) \(ascii ? "-" : "·") \(Hex.text(octets))"
    }
    let count = "\(bytes.count) byte\(bytes.count == 1 ? "" : "s")"
    guard bytes.count <= 16, bytes.contains(where: { (0x21...0x7E).contains($0) }) else { return count }
    let text = bytes.map { (0x20...0x7E).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
    return "\(count) \(ascii ? "-" : "·") \"\(text)\""
  }

  /// A value with its kind after it, or below it if the terminal is too narrow.
  static func echo(_ text: String, kind: String, columns: Int) -> String {
    let place = max(4, min(40, columns - 16))
    let width = Shown.width(of: text)
    let gap = max(2, place - width)
    // A value of several lines is wider than what the terminal shows of it.
    guard width + gap + Shown.width(of: kind) > columns, width <= columns else {
      return text + String(repeating: " ", count: gap) + kind + "\n"
    }
    return text + "\n" + String(repeating: " ", count: place) + kind + "\n"
  }

  /// The values separated by spaces, with a line end or `ending`.
  package static func plain(_ line: PrintedLine, _ surroundings: Surroundings) -> String {
    line.values.map { TextRendering.text(of: $0, surroundings) }.list(by: " ") + line.ending
  }

  private func json(_ line: PrintedLine, _ surroundings: Surroundings, at now: WallTime) -> String {
    var object = JSONObject()
    object.set("time", zone.civil(now).description)
    object.set("device", line.device)
    object.set("line", line.line)
    if let file = line.file { object.set("file", file) }
    object.set("value", json: JSON.text(of: line.values.count == 1 ? line.values[0] : .list(line.values), surroundings))
    return object.text + "\n"
  }

  private mutating func csv(_ line: PrintedLine, _ surroundings: Surroundings) -> (text: String, warning: String?) {
    guard line.values.count == 1, case .record(let record) = line.values[0] else {
      return (CSV.line(line.values, surroundings) + "\n", nil)
    }
    let shape = record.fields.map(\.key)
    guard let known = columns else {
      columns = shape
      return (CSV.header(of: record) + "\n" + CSV.line(record, columns: shape, surroundings) + "\n", nil)
    }
    var warning: String?
    if shape != known, !warnedShapes.contains(shape) {
      warnedShapes.append(shape)
      let place = "line \(line.line)" + (line.file.map { " of \($0)" } ?? "")
      let more = shape.filter { !known.contains($0) }
      let less = known.filter { !shape.contains($0) }
      if !more.isEmpty {
        warning = "\(place): the first record has no \(more.joined(separator: ", ")), so it is left out"
      } else if !less.isEmpty {
        warning = "\(place): this record has no \(less.joined(separator: ", "))"
      }
    }
    return (CSV.line(record, columns: known, surroundings) + "\n", warning)
  }
}
