package import Runner
package import Vocabulary

/// The values of `tooth watch --plot` as a bar chart.
///
/// It is a value that takes numbers and returns lines.
package struct ValuePlot: Sendable {
  /// The field to draw; `nil` for the value itself or its first numeric field.
  private let field: String?
  private let ascii: Bool
  private var title = ""
  private var device = ""
  private var values: [(at: WallTime, value: Double)] = []
  private var low = 0.0
  private var high = 0.0
  /// The number of values so far.
  package private(set) var count = 0
  private var isExplained = false

  private static let most = 512
  private static let rows = 5

  package init(field: String?, ascii: Bool) {
    self.field = field
    self.ascii = ascii
  }

  /// - Returns: Whether the line contains a number.
  @discardableResult
  package mutating func take(_ line: PrintedLine, at now: WallTime) -> Bool {
    // `--times` puts the time first.
    guard let value = line.values.last, let (name, number) = number(in: value), number.isFinite else { return false }
    title = name
    device = line.device ?? ""
    (low, high) = count == 0 ? (number, number) : (min(low, number), max(high, number))
    count += 1
    if values.count == Self.most { values.removeFirst() }
    values.append((now, number))
    return true
  }

  /// Why the line was not taken; said once, and not after a number.
  package mutating func reason(_ line: PrintedLine) -> String? {
    guard count == 0, !isExplained, let value = line.values.last else { return nil }
    isExplained = true
    guard case .record(let record) = value else {
      return field.map { "nothing to plot: the value has no field \(Shown.text($0))" }
        ?? "nothing to plot: the value is \(value.typeName), not a number"
    }
    let fields = record.fields.filter { $0.value.plotted != nil }.map { Shown.text($0.key) }
    let others = fields.isEmpty ? "the value has no field that is a number" : "fields that are numbers: \(fields.list(by: " and "))"
    return "nothing to plot" + (field.map { " as \(Shown.text($0))" } ?? "") + "; \(others)"
  }

  private func number(in value: Value) -> (String, Double)? {
    if let number = value.plotted { return field == nil || field == "value" ? ("value", number) : nil }
    guard case .record(let record) = value else { return nil }
    for entry in record.fields {
      if let field, entry.key != field {
        // With several attributes, each value is a record with the name of its attribute.
        if record.fields.count == 1, case .record(let inner) = entry.value,
          let found = inner.fields.first(where: { $0.key == field }), let number = found.value.plotted
        {
          return (field, number)
        }
        continue
      }
      if let number = entry.value.plotted { return (entry.key, number) }
    }
    return nil
  }

  /// What it shows, in words.
  package var head: String {
    let dot = ascii ? "-" : "·"
    return "\(Shown.text(title))\(device.isEmpty ? "" : " of \(Shown.name(device, ascii: ascii))") \(dot) "
      + "now \(Self.text(values.last?.value ?? 0)) \(dot) \(Self.text(low)) to \(Self.text(high)) \(dot) "
      + "\(count) value\(count == 1 ? "" : "s")"
  }

  /// The lines, with at most this width; none before the first value.
  package func picture(columns: Int, zone: TimeZoneRules) -> [String] {
    guard let last = values.last else { return [] }
    let width = max(20, columns - 1)
    let shownLow = values.map(\.value).min() ?? low
    let shownHigh = values.map(\.value).max() ?? high
    let labels = (0..<Self.rows).map { row in
      Self.text(shownHigh - (shownHigh - shownLow) * Double(row) / Double(Self.rows - 1))
    }
    // Only the top, middle and bottom rows have labels.
    func isNamed(_ row: Int) -> Bool { row % 2 == 0 && (shownHigh > shownLow || row == Self.rows - 1) }
    let margin = labels.indices.filter(isNamed).map { labels[$0].utf8.count }.max() ?? 1
    let room = max(4, width - margin - 4)
    let drawn = values.suffix(room)
    var lines = [Shown.name(head, columns: width, ascii: ascii)]
    for row in 0..<Self.rows {
      let isNamed = isNamed(row)
      let label = isNamed ? labels[row] : ""
      let bars = drawn.map { bar($0.value, row, shownLow, shownHigh) }.joined()
      var line =
        " " + String(repeating: " ", count: margin - label.utf8.count) + label + (ascii ? " |" : isNamed ? " ┤" : " │") + bars
      while line.hasSuffix(" ") { line.removeLast() }
      lines.append(line)
    }
    let first = Self.clock(drawn.first?.at ?? last.at, zone)
    let end = Self.clock(last.at, zone)
    let gap = drawn.count - first.utf8.count - end.utf8.count - 1
    lines.append(
      " " + String(repeating: " ", count: margin) + (ascii ? " + " : " └ ") + first
        + (gap > 0 ? String(repeating: " ", count: gap) + end : ""))
    return lines.map { Shown.name($0, columns: width, ascii: ascii) }
  }

  /// The part of a value's bar in a row, counted from the top.
  private func bar(_ value: Double, _ row: Int, _ low: Double, _ high: Double) -> String {
    // Halves, because the difference of the largest numbers would overflow.
    let range = high / 2 - low / 2
    let height = range > 0 ? (value / 2 - low / 2) / range * Double(Self.rows * 8 - 1) + 1 : 1
    let eighths = Int(height.rounded()) - (Self.rows - 1 - row) * 8
    if eighths <= 0 { return " " }
    if ascii { return eighths >= 4 || row == Self.rows - 1 ? "#" : " " }
    return ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"][min(eighths, 8) - 1]
  }

  private static func text(_ value: Double) -> String {
    if value == value.rounded(), abs(value) < 1e12 { return "\(Int(value))" }
    let rounded = (abs(value) * 100).rounded()
    guard rounded < 1e15 else { return "\(value)" }
    let whole = Int(rounded)
    let digits = whole % 100
    return "\(value < 0 ? "-" : "")\(whole / 100).\(digits < 10 ? "0" : "")\(digits)"
  }

  private static func clock(_ time: WallTime, _ zone: TimeZoneRules) -> String {
    let clock = zone.civil(time)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(clock.hour)):\(two(clock.minute)):\(two(clock.second))"
  }
}

extension Value {
  /// The number to draw: booleans are 0 and 1, durations are in seconds.
  fileprivate var plotted: Double? {
    switch self {
    case .int(let number): Double(number)
    case .real(let number): number
    case .bool(let flag): flag ? 1 : 0
    case .duration(let span): Double(span.nanoseconds) / 1e9
    default: nil
    }
  }
}
