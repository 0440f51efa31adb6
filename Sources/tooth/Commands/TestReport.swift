import Glibc
import Linux
import Recipe
import Session
import Terminal
import Vocabulary
import World

/// How the results of tests are told: for people, as TAP, as JSON, and as JUnit XML beside them.
struct TestReport {
  private enum Form { case human, tap, json }

  private let console: Console
  private let junit: String?
  private let form: Form
  private let count: Int
  private var done = 0
  private(set) var failed = 0
  private var runs = 0
  private var seconds = 0.0
  private var cases: [(verdict: TestVerdict, text: String)] = []
  /// Where the packets of failed tests are.
  private var folder: String?

  init(console: Console, arguments: Arguments, count: Int) {
    self.console = console
    self.count = count
    junit = arguments.value("junit")
    form = arguments.has("tap") ? .tap : console.style.format == .json ? .json : .human
  }

  func begin() {
    if form == .tap { console.print("TAP version 13\n1..\(count)\n") }
  }

  mutating func take(_ verdict: TestVerdict) {
    done += 1
    runs += verdict.runs
    seconds += verdict.seconds
    if !verdict.passed { failed += 1 }
    let text = verdict.failure.map { describe($0, verdict) } ?? ""
    if junit != nil { cases.append((verdict, text)) }
    let name = Shown.text(verdict.name)
    let place = "\(Shown.text(verdict.file)):\(verdict.line)"
    switch form {
    case .human:
      let runs = verdict.runs > 1 ? ", \(verdict.runs) runs" : ""
      if verdict.passed {
        if console.style.loudness != .quiet { console.print("ok    \(place)  \(name)  (\(span(verdict.span))\(runs))\n") }
      } else {
        console.print("FAIL  \(place)  \(name)\n\(indented(text, "      "))")
      }
    case .tap:
      console.print(
        "\(verdict.passed ? "ok" : "not ok") \(done) - \(name.flatMap { $0 == "#" ? ["\\", "#"] : [$0] }.reduce(into: "") { $0.append($1) })\n"
      )
      if !verdict.passed { console.print(indented(text, "# ")) }
    case .json:
      var line = JSONObject()
      line.set("file", verdict.file)
      line.set("test", verdict.name)
      line.set("line", verdict.line)
      line.set("passed", verdict.passed)
      line.set("runs", verdict.runs)
      line.set("milliseconds", Int(verdict.seconds * 1000))
      if let failure = verdict.failure {
        line.set("message", failure.failure?.message ?? "")
        line.set("circumstance", verdict.circumstance)
        line.set("repeat", verdict.repeating.list(by: " "))
        line.set("report", text)
      }
      console.print(line.text + "\n")
    }
  }

  mutating func end() throws(SystemFailure) {
    if form == .human {
      let total = "\(done - failed) passed\(failed > 0 ? ", \(failed) failed" : "")"
      console.print("\(total)\(runs > done ? ", in \(runs) runs" : "") (\(DecimalText.text(seconds, digits: 1)) s)\n")
    }
    if let junit { try saveFile(junit, Array(xml.utf8)) }
  }

  private func span(_ span: TimeSpan) -> String { "\(TimeSpan.milliseconds(span.milliseconds)) virtual" }

  /// The failure as a picture, the last link events, the packets, and how to see it again.
  private mutating func describe(_ outcome: TestOutcome, _ verdict: TestVerdict) -> String {
    var text = ""
    if let circumstance = verdict.circumstance { text += "\(Shown.text(circumstance))\n" }
    if let failure = outcome.failure {
      text += DiagnosticRenderer(ascii: console.style.ascii, colour: false).text([failure], in: outcome.sources)
    }
    for (name, said) in outcome.logs where !said.isEmpty {
      let lines = said.split(separator: "\n").suffix(8)
      text += "\(Shown.text(name)) said:\n"
      for line in lines { text += "  \(Shown.text(String(line)))\n" }
    }
    if !outcome.linkEvents.isEmpty {
      text += "the last link events:\n"
      for line in outcome.linkEvents { text += "  \(Shown.text(line))\n" }
    }
    if let path = keep(outcome.capture) { text += "packets: \(path)\n" }
    let words = ["tooth", "test", verdict.file, "--name", quoted(verdict.name)] + verdict.repeating
    text += "again: \(Shown.text(words.list(by: " ")))\n"
    return text
  }

  private mutating func keep(_ capture: [UInt8]) -> String? {
    guard !capture.isEmpty else { return nil }
    if folder == nil {
      var template = Array("\(environment("TMPDIR") ?? "/tmp")/tooth-test-XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else { return nil }
      folder = template.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    guard let folder else { return nil }
    let path = "\(folder)/\(failed).btsnoop"
    do throws(SystemFailure) { try saveFile(path, capture) } catch { return nil }
    return path
  }

  /// For a shell.
  private func quoted(_ text: String) -> String {
    "'" + String(text.flatMap { $0 == "'" ? Array("'\\''") : [$0] }) + "'"
  }

  private func indented(_ text: String, _ lead: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { "\(lead)\($0)\n" }.joined()
  }

  // MARK: JUnit

  private var xml: String {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"\(done)\" failures=\"\(failed)\">\n"
    var files: [String] = []
    for entry in cases where !files.contains(entry.verdict.file) { files.append(entry.verdict.file) }
    for file in files {
      let own = cases.filter { $0.verdict.file == file }
      let bad = own.count { !$0.verdict.passed }
      text += "  <testsuite name=\"\(escaped(file))\" tests=\"\(own.count)\" failures=\"\(bad)\">\n"
      for (verdict, report) in own {
        text +=
          "    <testcase classname=\"\(escaped(file))\" name=\"\(escaped(verdict.name))\" time=\"\(DecimalText.text(verdict.seconds, digits: 3))\""
        if verdict.passed {
          text += "/>\n"
          continue
        }
        let message = verdict.failure?.failure?.message ?? ""
        text += ">\n      <failure message=\"\(escaped(message))\">\(escaped(report))</failure>\n    </testcase>\n"
      }
      text += "  </testsuite>\n"
    }
    return text + "</testsuites>\n"
  }

  private func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      // What XML cannot hold (1.0, 2.2).
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: result += "�"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
