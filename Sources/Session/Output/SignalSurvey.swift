package import Exchange
package import Vocabulary

/// The signals of devices over time: the page of `tooth scan --survey`.
///
/// It is a value with bounded size. If there are more devices than rows, it keeps the first ones;
/// if the columns are full, it merges pairs of them.
package struct SignalSurvey {
  private struct Row {
    var key: UInt64
    var address: String
    var name: String?
    /// The strongest signal in each column in dBm; `nil` if nothing was received.
    var levels: [Int8?] = []
    var count = 0
    var sum = 0
    var strongest = -128
    var first: Moment
    var last: Moment
  }

  private var rows: [Row] = []
  private var places: [UInt64: Int] = [:]
  private var began: Moment?
  /// The seconds in a column.
  package private(set) var each: Int64 = 1
  /// The number of devices without a row.
  package private(set) var left = 0
  private var leftKeys: Set<UInt64> = []

  private static let mostRows = 200
  private static let mostColumns = 300
  private static let mostLeft = 65_536

  package init() {}

  package var count: Int { rows.count }

  package mutating func begin(at now: Instant) {
    began = now.moment
  }

  package mutating func hear(_ one: Advertisement, at now: Instant) {
    if began == nil { begin(at: now) }
    guard let began, let rssi = one.rssi else { return }
    let key = one.address.bits | UInt64(one.address.kind.rawValue) << 48
    let place: Int
    if let known = places[key] {
      place = known
    } else {
      guard rows.count < Self.mostRows else {
        if leftKeys.count < Self.mostLeft, leftKeys.insert(key).inserted { left += 1 }
        return
      }
      place = rows.count
      places[key] = place
      rows.append(Row(key: key, address: "\(one.address)", first: now.moment, last: now.moment))
    }
    var column = Int(max(0, (now.moment - began).milliseconds) / 1000 / each)
    while column >= Self.mostColumns {
      halve()
      column /= 2
    }
    if let name = one.name { rows[place].name = name }
    while rows[place].levels.count <= column { rows[place].levels.append(nil) }
    let level = Int8(clamping: Int(rssi))
    rows[place].levels[column] = max(rows[place].levels[column] ?? level, level)
    rows[place].count += 1
    rows[place].sum += Int(level)
    rows[place].strongest = max(rows[place].strongest, Int(level))
    rows[place].last = now.moment
  }

  /// Merges each pair of columns.
  private mutating func halve() {
    each *= 2
    for place in rows.indices {
      let old = rows[place].levels
      rows[place].levels = stride(from: 0, to: old.count, by: 2).map { column in
        let next = column + 1 < old.count ? old[column + 1] : nil
        return old[column].map { level in max(level, next ?? level) } ?? next
      }
    }
  }

  // MARK: The page

  private static let left = 190
  private static let cell = 8
  private static let high = 22

  package func page(adapter: String, until now: Instant, _ zone: TimeZoneRules) -> String {
    let began = began ?? now.moment
    let start = now.wall - (now.moment - began)
    let columns = max(1, min(Self.mostColumns, Int((now.moment - began).milliseconds / 1000 / each) + 1))
    // The strongest is on top.
    let order = rows.sorted { (Self.mean($0), $1.address) > (Self.mean($1), $0.address) }
    var page = Page(title: "Signal of \(rows.count) device\(rows.count == 1 ? "" : "s")")
    page.facts([
      ("adapter", adapter), ("begun", "\(zone.civil(start))"), ("time", (now.moment - began).rough),
      ("column", "\(each) second\(each == 1 ? "" : "s")"),
    ])
    page.picture(
      picture(order, columns),
      "Darker is nearer: -40 dBm is black, -100 dBm is almost white. Hold the pointer over a field to see its number.")
    if left > 0 { page.paragraph("\(left) more device\(left == 1 ? "" : "s") did not fit.") }
    page.table(
      ["name", "address", "mean", "strongest", "heard", "first after", "last after"],
      order.map { row in
        [
          row.name ?? "", row.address, "\(Self.mean(row)) dBm", "\(row.strongest) dBm", "\(row.count) times",
          (row.first - began).rough, (row.last - began).rough,
        ]
      })
    return page.text
  }

  private static func mean(_ row: Row) -> Int { row.count == 0 ? -128 : row.sum / row.count }

  private func picture(_ rows: [Row], _ columns: Int) -> String {
    let width = Self.left + columns * Self.cell + 60
    let height = rows.count * Self.high + 34
    var body = ""
    for (line, row) in rows.enumerated() {
      let top = line * Self.high + 4
      let label = Shown.name(row.name ?? row.address, columns: 24)
      body += "<text x=\"\(Self.left - 8)\" y=\"\(top + 15)\" text-anchor=\"end\">\(Page.escaped(label))</text>\n"
      for (column, level) in row.levels.enumerated() {
        guard let level else { continue }
        // 5 % at -100 dBm, 100 % at -40 dBm.
        let shade = 5 + max(0, min(60, Int(level) + 100)) * 95 / 60
        body += "<rect x=\"\(Self.left + column * Self.cell)\" y=\"\(top)\" width=\"\(Self.cell)\" height=\"\(Self.high - 2)\" "
        body +=
          "fill-opacity=\"0.\(shade < 10 ? "0" : "")\(min(99, shade))\"><title>\(level) dBm after \(Int64(column) * each) s</title></rect>\n"
      }
    }
    let bottom = rows.count * Self.high + 6
    for column in stride(from: 0, to: columns, by: 30) {
      let at = Self.left + column * Self.cell
      body +=
        "<path d=\"M\(at) \(bottom)v5\" stroke=\"#111\"/><text x=\"\(at)\" y=\"\(bottom + 20)\">\(Int64(column) * each) s</text>\n"
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
      font-family="sans-serif" font-size="13" role="img">
      \(body)</svg>

      """
  }
}
