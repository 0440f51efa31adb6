package import Journal
package import Vocabulary

/// The history of a run, as text, JSON and HTML page.
///
/// It is a value that is created from the stored history and the current state.
package struct RunTimeline {
  package struct Row: Equatable, Sendable {
    package var at: WallTime
    package var text: String
    package var isBad: Bool
    package var device: String?
  }

  /// The connected periods of a device.
  package struct Lane: Equatable, Sendable {
    package var device: String
    package var linked: [(from: WallTime, to: WallTime)]

    package static func == (left: Lane, right: Lane) -> Bool {
      left.device == right.device && left.linked.elementsEqual(right.linked) { $0.from == $1.from && $0.to == $1.to }
    }
  }

  package private(set) var rows: [Row] = []
  package private(set) var lanes: [Lane] = []
  /// The periods without a process.
  package private(set) var gaps: [(from: WallTime, to: WallTime)] = []
  package let story: RunStory
  package let from: WallTime
  package let to: WallTime
  private let zone: TimeZoneRules

  /// The most lanes of a page.
  private static let mostLanes = 64

  /// - Parameters:
  ///   - end: The outcome of the run, and whether it is bad; `nil` while the run is active.
  ///   - now: The current time of an active run, else when it was last known to be alive.
  package init(_ story: RunStory, started: WallTime, end: (text: String, isBad: Bool)?, now: WallTime, _ zone: TimeZoneRules) {
    self.story = story
    self.zone = zone
    from = min(started, story.lines.first?.at ?? started)
    to = max(now, story.lines.last?.at ?? now)
    if story.dropped == 0 { rows.append(Row(at: started, text: "started", isBad: false, device: nil)) }
    draw()
    if let end {
      rows.append(Row(at: to, text: end.text, isBad: end.isBad, device: nil))
    }
  }

  private mutating func draw() {
    var open: [(device: String, since: WallTime)] = []
    var lost: [(device: String, row: Int, at: WallTime)] = []
    var died: WallTime?
    func ended(_ device: String, at time: WallTime) -> (device: String, since: WallTime)? {
      open.firstIndex { $0.device == device }.map { open.remove(at: $0) }
    }
    for line in story.lines {
      let device = line.device ?? "?"
      switch line.kind {
      case .linked:
        if !open.contains(where: { $0.device == device }) { open.append((device, line.at)) }
        if let place = lost.firstIndex(where: { $0.device == device }) {
          let (_, row, at) = lost.remove(at: place)
          rows[row].text += ", back after \((line.at - at).rough)"
        } else {
          rows.append(Row(at: line.at, text: "linked with \(device)", isBad: false, device: device))
        }
      case .lost, .closed:
        if let link = ended(device, at: line.at) { add(link.device, from: link.since, to: line.at) }
        lost.removeAll { $0.device == device }
        if line.kind == .lost { lost.append((device, rows.count, line.at)) }
        let text = line.kind == .lost ? "\(device) lost: \(line.text)" : "disconnected from \(device)"
        rows.append(Row(at: line.at, text: text, isBad: line.kind == .lost, device: device))
      case .died:
        died = line.at
        rows.append(Row(at: line.at, text: line.text, isBad: true, device: nil))
      case .restored:
        if let died {
          gaps.append((died, line.at))
          rows[rows.count - 1].text += " for \((line.at - died).rough)"
          // A keeper may have kept the link; otherwise its end is not known.
          for link in open { add(link.device, from: link.since, to: died) }
          open = line.device == nil ? [] : open.map { ($0.device, line.at) }
        }
        died = nil
        rows.append(Row(at: line.at, text: line.text, isBad: false, device: nil))
      case .away, .failed: rows.append(Row(at: line.at, text: line.text, isBad: true, device: line.device))
      case .earlier, .logged, .warned: break
      case .ready: rows.append(Row(at: line.at, text: line.text, isBad: false, device: line.device))
      }
    }
    for link in open { add(link.device, from: link.since, to: died ?? to) }
  }

  private mutating func add(_ device: String, from: WallTime, to: WallTime) {
    if let place = lanes.firstIndex(where: { $0.device == device }) {
      lanes[place].linked.append((from, to))
    } else if lanes.count < Self.mostLanes {
      lanes.append(Lane(device: device, linked: [(from, to)]))
    }
  }

  // MARK: Text

  /// The time of day, with the date unless the run started and ended on the same day.
  private func clock(_ time: WallTime) -> String {
    let text = zone.civil(time).description
    guard text.utf8.count >= 19 else { return text }
    let day = String(text.prefix(10)), hour = String(text.dropFirst(11).prefix(8))
    return zone.civil(from).description.prefix(10) == zone.civil(to).description.prefix(10) ? hour : "\(day) \(hour)"
  }

  /// The newest lines, and the values over time.
  package func text(ascii: Bool, columns: Int, limit: Int) -> String {
    var text = ""
    let shown = rows.suffix(limit)
    let older = story.dropped + rows.count - shown.count
    if older > 0 { text += "\(ascii ? ".." : "…") \(older) older line\(older == 1 ? "" : "s")\n" }
    for (place, row) in zip(shown.indices, shown) {
      let isLast = place == rows.count - 1
      let sign = row.isBad ? (ascii ? "x " : "✗ ") : isLast ? (ascii ? "`-" : "└ ") : (ascii ? "|-" : "├ ")
      text += "\(clock(row.at)) \(sign)\(ascii ? " " : "")\(Shown.text(row.text))\n"
    }
    if let bars = bars(ascii: ascii, columns: max(10, min(60, columns - 30))) {
      text += "values     \(bars.text)  one sign \(bars.each.rough)\n"
    }
    return text
  }

  private func bars(ascii: Bool, columns: Int) -> (text: String, each: TimeSpan)? {
    guard let first = story.values.first?.minute, let last = story.values.last?.minute else { return nil }
    let each = Int((last - first) / Int64(columns)) + 1
    var sums = [Int](repeating: 0, count: Int(last - first) / each + 1)
    for (minute, count) in story.values { sums[Int(minute - first) / each] += count }
    let most = max(1, sums.max() ?? 1)
    let signs = Array(ascii ? " .:-=+*#" : "▁▂▃▄▅▆▇█")
    let text = sums.map { $0 == 0 ? (ascii ? " " : "▁") : signs[min(7, max(1, $0 * 7 / most))] }
    return (String(text), .seconds(Int64(each) * 60))
  }

  /// The newest failures of earlier runs.
  package func earlierText(limit: Int) -> String {
    story.earlier.suffix(limit).map { line in
      "earlier    \(zone.civil(line.at).description.prefix(19)) \(Shown.text(line.text))\n"
    }.joined()
  }

  /// What the recipe logged last.
  package var logText: String {
    story.logged.map { "log        \(clock($0.at)) \($0.kind == .warned ? "warning: " : "")\(Shown.text($0.text))\n" }.joined()
  }

  package var json: String { array(rows.map { ($0.at, $0.device, $0.text) }) }
  package var earlierJSON: String { array(story.earlier.map { ($0.at, $0.device, $0.text) }) }
  package var logJSON: String { array(story.logged.map { ($0.at, nil, $0.text) }) }

  private func array(_ entries: [(at: WallTime, device: String?, text: String)]) -> String {
    let objects = entries.map { entry in
      var object = JSONObject()
      object.set("time", zone.civil(entry.at).description)
      object.set("device", entry.device)
      object.set("text", entry.text)
      return object.text
    }
    return "[\(objects.joined(separator: ","))]"
  }

  // MARK: The page

  /// A page in a single file.
  package func page(title: String, facts: [(name: String, value: String)]) -> String {
    var page = Page(title: title)
    page.facts(facts)
    var picture = Picture(from: from, to: to, rows: lanes.count + (story.values.isEmpty ? 0 : 1), zone)
    for (place, lane) in lanes.enumerated() {
      picture.label(Shown.name(lane.device, columns: 24), row: place)
      for (start, end) in lane.linked {
        let times = "\(clock(start)) to \(clock(end))"
        picture.bar(row: place, start, end, "linked with \(lane.device), \(times), \((end - start).rough)")
      }
    }
    if let most = story.values.map(\.count).max() {
      picture.label("values a minute", row: lanes.count)
      for (minute, count) in story.values {
        let start = WallTime(nanoseconds: minute * 60_000_000_000)
        picture.column(row: lanes.count, start, of: count, most, "\(count) values at \(clock(start))")
      }
    }
    for (start, end) in gaps { picture.gap(start, end, "no process from \(clock(start)) to \(clock(end))") }
    for row in rows where row.isBad {
      let lane = row.device.flatMap { device in lanes.firstIndex { $0.device == device } }
      picture.cross(row: lane, row.at, "\(clock(row.at)) \(row.text)")
    }
    page.picture(picture.text, "A dark bar: linked. A hatched field: no process. A cross: what went wrong.")
    if story.dropped > 0 { page.paragraph("\(story.dropped) older lines were dropped.") }
    page.table(
      ["time", "device", "what happened"],
      rows.map { [zone.civil($0.at).description, $0.device ?? "", ($0.isBad ? "✗ " : "") + $0.text] })
    if !story.earlier.isEmpty {
      page.table(
        ["time", "device", "failure of an earlier run"],
        story.earlier.map { [zone.civil($0.at).description, $0.device ?? "", $0.text] })
    }
    if !story.logged.isEmpty {
      page.table(["time", "logged last"], story.logged.map { [zone.civil($0.at).description, $0.text] })
    }
    return page.text
  }
}
