import Exchange
import Journal
import Session
import Testing
import Vocabulary

/// The history of a run, as text and as a page, and the page of a survey.
@Suite struct RunTimelineTests {
  private func at(_ seconds: Int64) -> WallTime { WallTime(nanoseconds: (1_700_000_000 + seconds) * 1_000_000_000) }

  private func timeline(
    _ lines: [StoryLine], values: [(minute: Int64, count: Int)] = [], end: (text: String, isBad: Bool)? = nil, until last: Int64
  ) -> RunTimeline {
    RunTimeline(RunStory(lines: lines, values: values), started: at(0), end: end, now: at(last), .utc)
  }

  private var lines: [StoryLine] {
    [
      StoryLine(.linked, device: "Strap 7", at: at(5)),
      StoryLine(.lost, device: "Strap 7", "no packet for 4 s (0x08)", at: at(60)),
      StoryLine(.linked, device: "Strap 7", at: at(72)),
      StoryLine(.died, "killed", at: at(120)),
      StoryLine(.restored, device: "1", "continues at line 26, 1 link kept, 0 values missed", at: at(540)),
      StoryLine(.failed, device: "Strap 7", "line 27: timed out", at: at(600)),
    ]
  }

  @Test func theTimelineShowsARun() {
    let told = timeline(lines, values: (0..<10).map { (28_333_333 + $0, $0 == 4 ? 0 : 60) }, end: ("failed (8)", true), until: 601)
    let text = told.text(ascii: false, columns: 80, limit: 20)
    #expect(
      text == """
        22:13:20 ├ started
        22:13:25 ├ linked with Strap 7
        22:14:20 ✗ Strap 7 lost: no packet for 4 s (0x08), back after 12s
        22:15:20 ✗ killed for 7min
        22:22:20 ├ continues at line 26, 1 link kept, 0 values missed
        22:23:20 ✗ line 27: timed out
        22:23:21 ✗ failed (8)
        values     ████▁█████  one sign 1min

        """, "\(text)")
    #expect(told.lanes.count == 1 && told.gaps.count == 1)
    // The keeper held the link, so it continues after the gap.
    #expect(told.lanes[0].linked.map(\.from) == [at(5), at(72), at(540)])
    #expect(told.lanes[0].linked.map(\.to) == [at(60), at(120), at(601)])
    let ascii = told.text(ascii: true, columns: 80, limit: 3)
    #expect(ascii.hasPrefix(".. 4 older lines\n22:22:20 |- continues") && ascii.utf8.allSatisfy { $0 < 0x80 }, "\(ascii)")
  }

  @Test func withoutAKeeperALinkEndsWithItsProcess() {
    let told = timeline(
      [
        StoryLine(.linked, device: "a", at: at(5)), StoryLine(.died, "killed", at: at(10)),
        StoryLine(.restored, "continues at line 2", at: at(20)), StoryLine(.linked, device: "a", at: at(25)),
      ], until: 30)
    #expect(told.lanes[0].linked.map(\.from) == [at(5), at(25)] && told.lanes[0].linked.map(\.to) == [at(10), at(30)])
    #expect(told.text(ascii: false, columns: 80, limit: 20).contains("✗ killed for 10s\n"))
    // The last line is the newest one of a running run.
    #expect(told.text(ascii: false, columns: 80, limit: 20).hasSuffix("└ linked with a\n"))
  }

  @Test func thePageIsWhole() throws {
    let page = timeline(lines, values: [(28_333_333, 12)], end: ("failed (8)", true), until: 601)
      .page(title: "heart-rate.ble", facts: [("recipe", "/r/heart-rate.ble"), ("failure", "a\n\n  b")])
    let marks = try Markup(page)
    #expect(marks.loads.isEmpty, "\(marks.loads)")
    #expect(marks.count(of: "rect") == 3 + 1 + 1 && marks.count(of: "svg") == 1 && marks.count(of: "tr") == 8)
    #expect(page.contains("<title>linked with Strap 7, 22:13:25 to 22:14:20, 55s</title>"))
    #expect(page.contains("default-src 'none'"))
    // A run that has just started, and one without a history.
    _ = try Markup(timeline([], until: 0).page(title: "", facts: []))
    _ = try Markup(
      timeline([StoryLine(.closed, device: "x", at: at(-5)), StoryLine(.restored, "?", at: at(9))], until: 1).page(
        title: "x", facts: []))
  }

  private static let hostile = [
    "</title><script>alert(1)</script>", "\" onload=\"x", "' onmouseover='x", "&lt;b&gt;", "a\u{1B}[2J\u{202E}b\u{0}", "]]><!--",
    "\u{FFFE}\u{FFFF}",
    String(repeating: "<", count: 600),
  ]

  @Test(arguments: hostile) func namesOfDevicesStayText(_ name: String) throws {
    let told = timeline(
      [
        StoryLine(.linked, device: name, at: at(5)), StoryLine(.lost, device: name, name, at: at(9)),
        StoryLine(.failed, name, at: at(9)),
      ],
      end: (name, true), until: 10)
    let page = told.page(title: name, facts: [(name, name)])
    let plain = timeline(
      [
        StoryLine(.linked, device: "n", at: at(5)), StoryLine(.lost, device: "n", "n", at: at(9)),
        StoryLine(.failed, "n", at: at(9)),
      ],
      end: ("n", true), until: 10
    ).page(title: "n", facts: [("n", "n")])
    // The same elements with the same attributes, whatever the name.
    let marks = try Markup(page)
    let others = try Markup(plain)
    #expect(marks.names == others.names && marks.attributes == others.attributes && marks.loads.isEmpty)
    #expect(!page.unicodeScalars.contains { $0 != "\n" && Shown.isHostile($0) })
    #expect(!told.text(ascii: false, columns: 80, limit: 20).unicodeScalars.contains { $0 != "\n" && Shown.isHostile($0) })

    var survey = SignalSurvey()
    let now = Instant(moment: .zero, wall: at(0))
    survey.begin(at: now)
    survey.hear(Advertisement(address: Address(bits: 1, kind: .random), rssi: -60, name: name), at: now)
    let picture = survey.page(adapter: name, until: now + .seconds(3), .utc)
    let drawn = try Markup(picture)
    #expect(drawn.count(of: "rect") == 1 && drawn.count(of: "script") == 0 && drawn.loads.isEmpty)
    #expect(!picture.unicodeScalars.contains { $0 != "\n" && Shown.isHostile($0) })
  }

  @Test func aSurveyHasOneColumnPerSecond() throws {
    var survey = SignalSurvey()
    let start = Instant(moment: .zero, wall: at(0))
    survey.begin(at: start)
    func hear(_ number: UInt64, _ rssi: Int, at milliseconds: Int64, name: String? = nil) {
      survey.hear(
        Advertisement(address: Address(bits: number, kind: .public), rssi: rssi, name: name),
        at: start + .milliseconds(milliseconds))
    }
    hear(1, -90, at: 0, name: "far")
    hear(2, -50, at: 100, name: "near")
    hear(2, -70, at: 900)
    hear(2, -40, at: 5000)
    survey.hear(Advertisement(address: Address(bits: 3, kind: .public)), at: start)
    let page = survey.page(adapter: "hci0", until: start + .seconds(10), .utc)
    _ = try Markup(page)
    #expect(survey.count == 2, "what has no signal has no row")
    #expect(page.contains("<title>-50 dBm after 0 s</title>") && page.contains("<title>-40 dBm after 5 s</title>"))
    #expect(!page.contains("-70 dBm after"))
    #expect(page.contains("<td>near</td><td>00:00:00:00:00:02</td><td>-53 dBm</td><td>-40 dBm</td><td>3 times</td>"), "\(page)")
    #expect(try #require(page.range(of: "<td>near")).lowerBound < #require(page.range(of: "<td>far")).lowerBound)
  }

  /// A week with 10,000 devices: time, memory and page size are bounded.
  @Test func aSurveyIsBounded() throws {
    var survey = SignalSurvey()
    let start = Instant(moment: .zero, wall: at(0))
    survey.begin(at: start)
    for number in 0..<10_000 {
      survey.hear(
        Advertisement(address: Address(bits: UInt64(number), kind: .public), rssi: -(number % 100) - 20),
        at: start + .seconds(Int64(number)))
    }
    for minute in 0..<(7 * 24 * 60) {
      survey.hear(
        Advertisement(address: Address(bits: UInt64(minute % 200), kind: .public), rssi: -60), at: start + .minutes(Int64(minute)))
    }
    #expect(survey.count == 200 && survey.left == 9800 && survey.each == 2048)
    let page = survey.page(adapter: "hci0", until: start + .days(7), .utc)
    _ = try Markup(page)
    #expect(page.utf8.count < 8 << 20)
  }
}

/// Parses a page like an XML reader: every element is closed, every attribute quoted, every
/// reference known.
private struct Markup {
  struct Broken: Error { var text: String }

  private(set) var names: [String] = []
  private(set) var attributes: [String] = []
  /// What the page would load or run.
  private(set) var loads: [String] = []

  func count(of name: String) -> Int { names.count { $0 == name } }

  init(_ page: String) throws {
    var rest = page[...]
    guard rest.hasPrefix("<!DOCTYPE html>\n") else { throw Broken(text: "no DOCTYPE") }
    rest = rest.dropFirst(16)
    var open: [Substring] = []
    while let start = rest.firstIndex(where: { $0 == "<" || $0 == "&" }) {
      let from = rest[start...]
      if from.first == "&" {
        guard ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"].contains(where: { from.hasPrefix($0) }) else {
          throw Broken(text: "a reference: \(from.prefix(20))")
        }
        rest = from.dropFirst()
        continue
      }
      guard let end = from.firstIndex(of: ">") else { throw Broken(text: "never ends: \(from.prefix(40))") }
      var tag = from[from.index(after: start)..<end]
      rest = from[from.index(after: end)...]
      if tag.first == "/" {
        guard open.popLast() == tag.dropFirst() else { throw Broken(text: "closes what is not open: \(tag)") }
        continue
      }
      let isEmpty = tag.last == "/"
      if isEmpty { tag = tag.dropLast() }
      let name = tag.prefix { $0.isLetter || $0.isNumber }
      guard !name.isEmpty else { throw Broken(text: "no element: \(tag)") }
      names.append(String(name))
      try take(tag.dropFirst(name.count), of: name)
      if ["script", "iframe", "img", "link", "object", "embed", "a", "form", "base"].contains(name) { loads.append(String(name)) }
      if !isEmpty { open.append(name) }
    }
    guard open.isEmpty else { throw Broken(text: "left open: \(open)") }
  }

  private mutating func take(_ given: Substring, of element: Substring) throws {
    var rest = given
    while let first = rest.first(where: { $0 != " " }) {
      rest = rest.drop { $0 == " " }
      let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "-" }
      rest = rest.dropFirst(name.count)
      guard !name.isEmpty, rest.hasPrefix("=\"") else { throw Broken(text: "an attribute of \(element): \(first) \(given)") }
      let value = rest.dropFirst(2).prefix { $0 != "\"" && $0 != "<" }
      rest = rest.dropFirst(2 + value.count)
      guard rest.first == "\"" else { throw Broken(text: "a value of \(element): \(given)") }
      rest = rest.dropFirst()
      attributes.append("\(element).\(name)")
      let isOutside = value.contains("//") && name != "xmlns" || name.hasPrefix("on") || name == "src" || name == "href"
      if isOutside { loads.append("\(name)=\(value)") }
    }
  }
}
