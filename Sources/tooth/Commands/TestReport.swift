import Glibc
import Linux
import Recipe
import Session
import Terminal
import Vocabulary
import World

/// Reports test results: as text, TAP or JSON, and additionally as JUnit XML.
struct TestReport {
  private enum Form { case human, tap, json }

  private let console: Console
  private let junit: String?
  private let form: Form
  private let count: Int
  private var done = 0
  private(set) var failed = 0
  private var runs = 0
  private var milliseconds = 0
  private var cases: [TestResult] = []
  private var captures = 0
  /// The folder for the packets of failed tests.
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

  /// The result of a verdict; writes the packets of a failed test.
  mutating func result(of verdict: TestVerdict) -> TestResult {
    TestResult(verdict, text: verdict.failure.map { describe($0, verdict) } ?? "")
  }

  mutating func take(_ result: TestResult) {
    done += 1
    runs += result.runs
    milliseconds += result.milliseconds
    if !result.passed { failed += 1 }
    if junit != nil { cases.append(result) }
    let name = Shown.text(result.name)
    let place = "\(Shown.text(result.file)):\(result.line)"
    switch form {
    case .human:
      let runs = result.runs > 1 ? ", \(result.runs) runs" : ""
      if result.passed {
        if console.style.loudness != .quiet { console.printFolded("ok    \(place)  \(name)  (\(span(result.span))\(runs))\n") }
      } else {
        console.printFolded("FAIL  \(place)  \(name)\n")
        console.print(indented(result.text, "      "))
      }
    case .tap:
      let escaped = name.reduce(into: "") { $0 += $1 == "#" || $1 == "\\" ? "\\\($1)" : String($1) }
      console.print("\(result.passed ? "ok" : "not ok") \(done) - \(escaped)\n")
      if !result.passed { console.print(indented(result.text, "# ")) }
    case .json:
      var line = JSONObject()
      line.set("file", result.file)
      line.set("name", result.name)
      line.set("line", result.line)
      line.set("outcome", result.passed ? "passed" : "failed")
      line.set("virtual_ms", Int(result.span.milliseconds))
      line.set("ms", result.milliseconds)
      line.set("runs", result.runs)
      line.set("seed", json: "\(result.seed)")
      if result.passed {
        line.setNull("failure")
      } else {
        var failure = JSONObject()
        failure.set("message", result.message)
        failure.set("circumstance", result.circumstance.isEmpty ? nil : result.circumstance)
        failure.set("repeat", result.repeating)
        failure.set("report", result.text)
        line.set("failure", failure)
      }
      console.print(line.text + "\n")
    }
  }

  mutating func end() throws(SystemFailure) {
    if form == .human {
      let total = "\(done - failed) passed\(failed > 0 ? ", \(failed) failed" : "")"
      console.print(
        "\(total)\(runs > done ? ", in \(runs) runs" : "") (\(DecimalText.text(Double(milliseconds) / 1000, digits: 1)) s)\n")
    }
    if let junit { try saveFile(junit, Array(xml.utf8)) }
  }

  private func span(_ span: TimeSpan) -> String { "\(TimeSpan.milliseconds(span.milliseconds)) virtual" }

  /// Describes a failure: a picture, the last link events, the packets, and how to reproduce it.
  private mutating func describe(_ outcome: TestOutcome, _ verdict: TestVerdict) -> String {
    var text = ""
    if let circumstance = verdict.circumstance { text += "\(Shown.text(circumstance))\n" }
    if let failure = outcome.failure {
      text += DiagnosticRenderer(ascii: console.style.ascii, colour: false).text([failure], in: outcome.sources)
    }
    for (name, log) in outcome.logs where !log.isEmpty {
      let lines = log.split(separator: "\n").suffix(8)
      text += "\(Shown.text(name)) said:\n"
      for line in lines { text += "  \(Shown.text(String(line)))\n" }
    }
    if !outcome.linkEvents.isEmpty {
      text += "the last link events:\n"
      for line in outcome.linkEvents {
        text += "  \(Shown.text(console.style.ascii ? line.replacing(every: "→", with: "->") : line))\n"
      }
    }
    if let path = keep(outcome.capture) { text += "packets: \(path)\n" }
    let words = ["tooth", "test", file(verdict.file), "--name", quoted(verdict.name)] + verdict.repeating
    text += "again: \(words.list(by: " "))\n"
    return text
  }

  private mutating func keep(_ capture: [UInt8]) -> String? {
    guard !capture.isEmpty else { return nil }
    do throws(SystemFailure) {
      if folder == nil { folder = try makeTemporaryFolder(in: environment("TMPDIR") ?? "/tmp") }
      guard let folder else { return nil }
      captures += 1
      let path = "\(folder)/\(captures).btsnoop"
      try saveFile(path, capture)
      return path
    } catch {
      return nil
    }
  }

  /// A shell-quoted text; unprintable text has the form `$'…'`.
  private func quoted(_ text: String) -> String {
    guard Shown.text(text) != text else { return ShellText.quoted(text) }
    var result = "$'"
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\\"): result += "\\" + String(UnicodeScalar(byte))
      case 0x20..<0x7F: result += String(UnicodeScalar(byte))
      default: result += "\\x" + Hex.text(byte)
      }
    }
    return result + "'"
  }

  private func file(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: ":"):
        true
      default: false
      }
    }
    return isPlain && !path.hasPrefix("-") ? path : quoted(path.hasPrefix("-") ? "./" + path : path)
  }

  private func indented(_ text: String, _ lead: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { "\(lead)\($0)\n" }.joined()
  }

  // MARK: JUnit

  private var xml: String {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"\(done)\" failures=\"\(failed)\">\n"
    var files: [String] = []
    for entry in cases where !files.contains(entry.file) { files.append(entry.file) }
    for file in files {
      let own = cases.filter { $0.file == file }
      let bad = own.count { !$0.passed }
      text += "  <testsuite name=\"\(escaped(file))\" tests=\"\(own.count)\" failures=\"\(bad)\">\n"
      for result in own {
        let time = DecimalText.text(Double(result.milliseconds) / 1000, digits: 3)
        text += "    <testcase classname=\"\(escaped(file))\" name=\"\(escaped(result.name))\" time=\"\(time)\""
        if result.passed {
          text += "/>\n"
          continue
        }
        text += ">\n      <failure message=\"\(escaped(result.message))\">\(escaped(result.text))</failure>\n    </testcase>\n"
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
      // Characters that XML 1.0 cannot contain (2.2).
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: result += "�"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
