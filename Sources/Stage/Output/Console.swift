package import Exchange
package import Linux
package import Recipe
import Terminal
package import Vocabulary

/// How a command talks: data on stdout, everything else on stderr.
package final class Console {
  package struct Style: Equatable, Sendable {
    package enum Format: String, Sendable { case text, json, csv }
    package enum Loudness: Sendable { case quiet, normal, verbose }

    package var format: Format
    package var loudness: Loudness
    package var colour: Bool
    package var ascii: Bool
    /// Findings as JSON.
    package var jsonDiagnostics: Bool
    /// A line of progress that is drawn over: only on a terminal.
    package var progress: Bool
    /// `<4>` in front of log lines, for systemd's journal.
    package var journalPrefixes: Bool

    package init(
      format: Format = .text, loudness: Loudness = .normal, colour: Bool = false, ascii: Bool = false,
      jsonDiagnostics: Bool = false,
      progress: Bool = false, journalPrefixes: Bool = false
    ) {
      self.format = format
      self.loudness = loudness
      self.colour = colour
      self.ascii = ascii
      self.jsonDiagnostics = jsonDiagnostics
      self.progress = progress
      self.journalPrefixes = journalPrefixes
    }
  }

  package let style: Style
  private let output: OutputPipe
  private let errors: OutputPipe
  private var drawnProgress = false

  package init(style: Style, output: OutputPipe = .standardOutput(), errors: OutputPipe = .standardError()) {
    self.style = style
    self.output = output
    self.errors = errors
  }

  /// Data. Returns false when nobody reads any more.
  @discardableResult
  package func print(_ text: String) -> Bool {
    clearProgress()
    output.write(text)
    return output.failure == nil
  }

  /// From now on nobody who does not read keeps the process from ending.
  package func watch(_ signals: Signals) {
    output.watch(signals)
    errors.watch(signals)
  }

  /// Something of what was printed was given up, because nobody read it and the process is to end.
  package var outputIsCut: Bool { output.isCut }
  package var errorsAreCut: Bool { errors.isCut }
  package var outputIsBroken: Bool { output.isBroken }
  package var outputFailure: SystemFailure? { output.failure }

  /// Text on stderr as it is.
  package func say(_ text: String) {
    clearProgress()
    errors.write(text)
  }

  /// `tooth: …` for what ends a command, with a hint below.
  package func complain(_ message: String, hint: String? = nil) {
    var text = "\(paint("error", "1;31")): \(message)\n"
    if let hint {
      for (index, line) in hint.split(separator: "\n").enumerated() {
        text += index == 0 ? "  = fix: \(line)\n" : "         \(line)\n"
      }
    }
    say(text)
  }

  /// One line that is no error: where a run goes on, what waits.
  package func note(_ text: String) { if style.loudness != .quiet { say("\(text)\n") } }

  package func findings(_ findings: [Diagnostic], in sources: [SourceText]) {
    let renderer = DiagnosticRenderer(ascii: style.ascii, colour: style.colour)
    if findings.isEmpty { return }
    say(style.jsonDiagnostics ? renderer.json(findings, in: sources) : renderer.text(findings, in: sources))
  }

  /// A line of the log: `12:00:01 warning text`.
  package func log(_ level: LogLevel, _ text: String, at time: WallTime, in zone: TimeZoneRules) {
    switch style.loudness {
    case .quiet where level < .error, .normal where level < .log: return
    default: break
    }
    let clock = zone.civil(time)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let word: String
    let priority: Int
    let colour: String
    switch level {
    case .debug: (word, priority, colour) = ("debug", 7, "2")
    case .log: (word, priority, colour) = ("log", 6, "")
    case .warning: (word, priority, colour) = ("warning", 4, "33")
    case .error: (word, priority, colour) = ("error", 3, "31")
    }
    let shown = colour.isEmpty ? word : paint(word, colour)
    var line = "\(two(clock.hour)):\(two(clock.minute)):\(two(clock.second)) \(shown) \(text)\n"
    if style.journalPrefixes { line = "<\(priority)>\(line)" }
    say(line)
  }

  /// What is going on at this moment. Drawn over by the next one, and by everything else.
  package func progress(_ text: String) {
    guard style.progress, style.loudness != .quiet else { return }
    errors.write("\r\u{1B}[K\(paint(text, "2"))")
    drawnProgress = true
  }

  package func clearProgress() {
    guard drawnProgress else { return }
    errors.write("\r\u{1B}[K")
    drawnProgress = false
  }

  private func paint(_ text: String, _ code: String) -> String { style.colour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}
