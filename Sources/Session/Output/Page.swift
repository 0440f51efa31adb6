import Vocabulary

/// An HTML page that loads nothing and runs no scripts. All texts are escaped here, because most
/// come from devices.
package struct Page {
  private var body = ""
  private let title: String

  package init(title: String) {
    self.title = title
    body += "<h1>\(Self.escaped(title))</h1>\n"
  }

  /// Escapes characters that a terminal may not get as on a terminal, and HTML's as entities.
  package static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in Shown.text(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      // HTML permits these nowhere.
      case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  package mutating func facts(_ facts: [(name: String, value: String)]) {
    guard !facts.isEmpty else { return }
    body += "<dl>\n"
    for (name, value) in facts {
      let lines = value.split(separator: "\n", omittingEmptySubsequences: false).map { Self.escaped(String($0)) }
      let text = lines.count == 1 ? lines[0] : "<pre>\(lines.joined(separator: "\n"))</pre>"
      body += "<dt>\(Self.escaped(name))</dt><dd>\(text)</dd>\n"
    }
    body += "</dl>\n"
  }

  package mutating func paragraph(_ text: String) { body += "<p>\(Self.escaped(text))</p>\n" }

  /// - Parameter svg: The picture, with its texts already escaped.
  package mutating func picture(_ svg: String, _ caption: String) {
    body += "<figure>\n\(svg)<figcaption>\(Self.escaped(caption))</figcaption>\n</figure>\n"
  }

  package mutating func table(_ heads: [String], _ rows: [[String]]) {
    body += "<table>\n<thead><tr>" + heads.map { "<th>\(Self.escaped($0))</th>" }.joined() + "</tr></thead>\n<tbody>\n"
    for row in rows { body += "<tr>" + row.map { "<td>\(Self.escaped($0))</td>" }.joined() + "</tr>\n" }
    body += "</tbody>\n</table>\n"
  }

  package var text: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8"/>
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
    <meta name="viewport" content="width=device-width"/>
    <title>\(Self.escaped(title))</title>
    <style>
    body{font:15px sans-serif;color:#111;background:#fff;margin:1.5em;max-width:70em}
    dl{display:grid;grid-template-columns:max-content auto;gap:.2em 1em}dd,pre{margin:0}
    figure{margin:1em 0;overflow-x:auto}svg{max-width:none}
    table{border-collapse:collapse}th,td{text-align:left;padding:.15em .8em .15em 0;vertical-align:top}
    thead{border-bottom:1px solid #111}
    </style>
    </head>
    <body>
    \(body)</body>
    </html>

    """
  }
}

/// An SVG picture with rows over time.
struct Picture {
  private var body = ""
  private let from: WallTime
  private let to: WallTime
  private let zone: TimeZoneRules
  private let rows: Int

  private static let left = 190.0
  private static let width = 760.0
  private static let height = 26.0
  private static let top = 8.0

  init(from: WallTime, to: WallTime, rows: Int, _ zone: TimeZoneRules) {
    self.from = from
    self.to = to
    self.zone = zone
    self.rows = max(1, rows)
  }

  private func x(_ time: WallTime) -> Double {
    let all = Double(max(1, (to - from).milliseconds))
    return Self.left + Self.width * min(1, max(0, Double((time - from).milliseconds) / all))
  }

  private func y(_ row: Int) -> Double { Self.top + Double(row) * Self.height }

  /// A number with one decimal, which is finer than a screen.
  private static func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

  private mutating func shape(_ shape: String, _ title: String) {
    body += "\(shape)><title>\(Page.escaped(title))</title></"
    body += "\(shape.dropFirst().prefix { $0 != " " })>\n"
  }

  mutating func label(_ text: String, row: Int) {
    let place = "x=\"\(Self.number(Self.left - 8))\" y=\"\(Self.number(y(row) + 17))\""
    body += "<text \(place) text-anchor=\"end\">\(Page.escaped(text))</text>\n"
    let line = Self.number(y(row) + Self.height - 1)
    body += "<path d=\"M\(Self.number(Self.left)) \(line)h\(Self.number(Self.width))\" stroke=\"#ccc\"/>\n"
  }

  private func box(_ start: WallTime, _ end: WallTime, _ top: Double, _ height: Double) -> String {
    let left = x(start)
    return "<rect x=\"\(Self.number(left))\" y=\"\(Self.number(top))\" width=\"\(Self.number(max(1, x(end) - left)))\" "
      + "height=\"\(Self.number(height))\""
  }

  mutating func bar(row: Int, _ start: WallTime, _ end: WallTime, _ title: String) {
    shape(box(start, end, y(row) + 5, Self.height - 11) + " fill=\"#246\"", title)
  }

  mutating func column(row: Int, _ start: WallTime, of count: Int, _ most: Int, _ title: String) {
    let height = (Self.height - 4) * Double(count) / Double(max(1, most))
    shape(box(start, start + .seconds(60), y(row) + Self.height - 2 - height, height) + " fill=\"#579\"", title)
  }

  mutating func gap(_ start: WallTime, _ end: WallTime, _ title: String) {
    shape(box(start, end, Self.top, Double(rows) * Self.height) + " fill=\"url(#gone)\" stroke=\"#111\"", title)
  }

  /// - Parameter row: `nil` marks all rows.
  mutating func cross(row: Int?, _ time: WallTime, _ title: String) {
    let place = Self.number(x(time))
    let middle = Self.number(row.map { y($0) + Self.height / 2 } ?? Self.top + Double(rows) * Self.height / 2)
    shape("<path d=\"M\(place) \(middle)m-5 -5l10 10m0 -10l-10 10\" stroke=\"#b00\" stroke-width=\"3\" fill=\"none\"", title)
  }

  var text: String {
    let bottom = Self.top + Double(rows) * Self.height
    var axis = ""
    for place in 0...4 {
      let time = from + .milliseconds((to - from).milliseconds * Int64(place) / 4)
      let clock = String(zone.civil(time).description.dropFirst(11).prefix(8))
      let at = Self.number(x(time))
      axis += "<path d=\"M\(at) \(Self.number(bottom))v5\" stroke=\"#111\"/>"
      let anchor = place == 0 ? "start" : place == 4 ? "end" : "middle"
      axis += "<text x=\"\(at)\" y=\"\(Self.number(bottom + 20))\" text-anchor=\"\(anchor)\">\(clock)</text>\n"
    }
    let width = Int(Self.left + Self.width + 20), height = Int(bottom + 30)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
      font-family="sans-serif" font-size="13" role="img">
      <defs><pattern id="gone" width="6" height="6" patternUnits="userSpaceOnUse"><path d="M0 6L6 0" stroke="#111"/></pattern></defs>
      \(body)\(axis)</svg>

      """
  }
}
