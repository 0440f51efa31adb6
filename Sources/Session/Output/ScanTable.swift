package import Exchange
package import Vocabulary

/// The devices of a scan on a terminal, each with its latest signal.
///
/// It is a value that takes advertisements and returns the lines of a picture. To keep it readable,
/// a row moves at most every two seconds and only for a change of 6 dB. Devices that are silent for
/// 30 s leave.
package struct ScanTable {
  package enum Order: String, Sendable { case signal, name, new }

  private struct Row {
    var key: UInt64
    var address: String
    var name: String?
    var what: String
    /// The smoothed signal in dBm.
    var level: Double?
    var first: Moment
    var heard: Moment
    var moved: Moment
  }

  private let order: Order
  private let ascii: Bool
  private var rows: [Row] = []
  private var places: [UInt64: Int] = [:]
  private var began: Moment?

  private static let most = 4096
  private static let rest = TimeSpan.seconds(2)
  private static let step = 6.0
  private static let gone = TimeSpan.seconds(30)
  private static let nameColumns = 20

  package init(order: Order = .signal, ascii: Bool = false) {
    self.order = order
    self.ascii = ascii
  }

  package var count: Int { rows.count }

  package mutating func hear(_ one: Advertisement, at now: Moment) {
    if began == nil { began = now }
    let key = one.address.bits | UInt64(one.address.kind.rawValue) << 48
    let services = one.services.map { AssignedNumbers.name(ofService: $0) ?? "\($0)" }
    let maker = one.manufacturer.first.map { AssignedNumbers.companyName($0.company) ?? "\(UUID($0.company))" }
    let what = (services + (maker.map { [$0] } ?? [])).joined(separator: ", ")
    if let place = places[key] {
      rows[place].heard = now
      if let name = one.name { rows[place].name = name }
      if !what.isEmpty { rows[place].what = what }
      guard let rssi = one.rssi else { return }
      rows[place].level = rows[place].level.map { $0 * 0.7 + Double(rssi) * 0.3 } ?? Double(rssi)
      return
    }
    if rows.count == Self.most { drop { $0.heard } }
    let row = Row(
      key: key, address: "\(one.address)", name: one.name, what: what, level: one.rssi.map { Double($0) }, first: now, heard: now,
      moved: now)
    let place = rows.firstIndex { goesBefore(row, $0) } ?? rows.count
    rows.insert(row, at: place)
    renumber(from: place)
  }

  private mutating func drop(_ age: (Row) -> Moment) {
    guard let oldest = rows.indices.min(by: { age(rows[$0]) < age(rows[$1]) }) else { return }
    places[rows[oldest].key] = nil
    rows.remove(at: oldest)
    renumber(from: oldest)
  }

  private mutating func renumber(from first: Int) {
    for place in rows.indices.dropFirst(first) { places[rows[place].key] = place }
  }

  private func goesBefore(_ left: Row, _ right: Row) -> Bool {
    switch order {
    case .signal: return (left.level ?? -200) > (right.level ?? -200)
    case .name: return (left.name ?? "\u{10FFFF}", left.address) < (right.name ?? "\u{10FFFF}", right.address)
    case .new: return left.first > right.first
    }
  }

  /// Sorts the rows, as far as they may move, and removes those that have left.
  private mutating func settle(at now: Moment) {
    rows.removeAll { now - $0.heard > Self.gone }
    for place in rows.indices.dropFirst() where mayPass(place, at: now) {
      rows.swapAt(place - 1, place)
      rows[place - 1].moved = now
      rows[place].moved = now
    }
    places = [:]
    renumber(from: 0)
  }

  private func mayPass(_ place: Int, at now: Moment) -> Bool {
    let (above, below) = (rows[place - 1], rows[place])
    switch order {
    case .signal:
      return (below.level ?? -200) - (above.level ?? -200) >= Self.step && now - below.moved >= Self.rest
        && now - above.moved >= Self.rest
    case .name, .new: return goesBefore(below, above)
    }
  }

  /// The picture, with lines of at most this width.
  /// - Parameters:
  ///   - lines: The most lines; `nil` for no limit.
  ///   - left: The remaining time of the scan; `nil` when it is over.
  package mutating func picture(columns: Int, lines: Int?, left: TimeSpan?, adapter: String, at now: Moment) -> [String] {
    settle(at: now)
    let width = max(20, columns - 1)
    let isWide = width >= 70
    var head = "\(rows.count) device\(rows.count == 1 ? "" : "s")"
    if !adapter.isEmpty { head = "\(adapter) \(ascii ? "-" : "·") \(head)" }
    if let left { head += " \(ascii ? "-" : "·") \((max(0, left.milliseconds) + 999) / 1000) s left" }
    var picture = [fit(head, width)]
    let room = max(1, (lines ?? Int.max - 8) - 2)
    let hidden = max(0, rows.count - room)
    if isWide, room > 1 { picture.append(fit(line("NAME", "ADDRESS", "dBm", "WHAT", "AGE", width), width)) }
    let shown = hidden > 0 ? max(0, room - 2) : min(rows.count, room)
    for row in rows.prefix(shown) {
      let name = row.name.map { Shown.name($0, columns: Self.nameColumns, ascii: ascii) } ?? "-"
      let signal = "\(row.level.map { "\(Int($0.rounded()))" } ?? "?") \(bar(row.level))"
      let what = row.what.isEmpty ? "-" : row.what
      picture.append(
        fit(
          isWide
            ? line(name, row.address, signal, what, age(row, at: now), width)
            : "\(Shown.padded(name, 20)) \(Shown.padded(signal, 11)) \(Shown.text(what))", width))
    }
    if hidden > 0 { picture.append(fit("\(ascii ? ".." : "…") and \(rows.count - shown) more", width)) }
    return picture
  }

  private func line(_ name: String, _ address: String, _ signal: String, _ what: String, _ age: String, _ width: Int) -> String {
    let room = max(4, width - 20 - 1 - 18 - 13 - 8)
    return "\(Shown.padded(name, Self.nameColumns)) \(Shown.padded(address, 18))\(Shown.padded(signal, 12)) "
      + Shown.padded(Shown.name(what, columns: room, ascii: ascii), room)
      + String(repeating: " ", count: max(1, 8 - age.utf8.count)) + age
  }

  private func age(_ row: Row, at now: Moment) -> String {
    let age = "\((now - row.heard).milliseconds / 1000)s"
    // A device that was there from the start is not new.
    guard let began, row.first - began > .seconds(3), now - row.first < .seconds(10) else { return age }
    return "new \(age)"
  }

  /// The bar of a signal: -100 dBm is empty, -40 dBm is full.
  private func bar(_ level: Double?) -> String {
    guard let level else { return "" }
    let eighths = Int((max(0, min(60, level + 100)) / 60 * 56).rounded())
    if ascii { return String(repeating: "#", count: eighths / 8) }
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
  }

  private func fit(_ text: String, _ width: Int) -> String {
    var line = Shown.name(text, columns: width, ascii: ascii)
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }
}
