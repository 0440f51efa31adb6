package import Exchange
package import Linux
package import Recipe
import Terminal
package import Vocabulary

/// How a command talks: data on stdout, everything else on stderr. It is the only way there, and
/// escapes foreign text on it (`Shown`).
package final class Console {
  package struct Style: Equatable, Sendable {
    package enum Format: String, Sendable { case text, json, csv }
    package enum Loudness: Int, Comparable, Sendable {
      case quiet, normal, verbose
      /// Packets in hex, too.
      case packets

      package static func < (left: Loudness, right: Loudness) -> Bool { left.rawValue < right.rawValue }
    }

    package var format: Format
    package var loudness: Loudness
    package var colour: Bool
    package var ascii: Bool
    /// Findings as JSON.
    package var jsonDiagnostics: Bool
    /// A line of progress that is drawn over: only on a terminal.
    package var progress: Bool
    /// `<4>` in front of every line on stderr, for systemd's journal.
    package var journalPrefixes: Bool
    /// stdout is a terminal, and its user did not ask for raw text.
    package var escapesOutput: Bool
    /// What happens goes to stdout among the values, with JSON.
    package var events: Bool

    package init(
      format: Format = .text, loudness: Loudness = .normal, colour: Bool = false, ascii: Bool = false,
      jsonDiagnostics: Bool = false,
      progress: Bool = false, journalPrefixes: Bool = false, escapesOutput: Bool = false, events: Bool = false
    ) {
      self.format = format
      self.loudness = loudness
      self.colour = colour
      self.ascii = ascii
      self.jsonDiagnostics = jsonDiagnostics
      self.progress = progress
      self.journalPrefixes = journalPrefixes
      self.escapesOutput = escapesOutput
      self.events = events
    }
  }

  package let style: Style
  private let output: OutputPipe
  private let errors: OutputPipe
  /// How many columns the line of progress has that is drawn.
  private var drawnProgress: Int?
  /// How many columns each drawn line has.
  private var drawnLines: [Int] = []
  /// How many columns the terminal had, and how many pictures ago it had others.
  private var drawnColumns = 0
  private var calmPictures = 0
  /// Takes the line that is typed off the screen.
  package var beforeOutput: (() -> Void)?

  package init(style: Style, output: OutputPipe = .standardOutput(), errors: OutputPipe = .standardError()) {
    self.style = style
    self.output = output
    self.errors = errors
  }

  /// Data. Returns false when nobody reads any more.
  @discardableResult
  package func print(_ text: String) -> Bool {
    if !text.isEmpty { beforeOutput?() }
    clearProgress()
    output.write(style.escapesOutput ? escaped(text) : text)
    return output.failure == nil
  }

  private func escaped(_ text: String) -> String {
    let isJSON = style.format == .json
    return plain(isJSON ? Shown.json(text) : Shown.lines(text), json: isJSON)
  }

  /// A terminal without UTF-8 shows ASCII characters only.
  private func plain(_ text: String, json: Bool = false) -> String { style.ascii ? Shown.ascii(text, json: json) : text }

  /// How wide stdout is; nothing when it is no terminal, where a line is never broken.
  package var columns: Int? { isTerminal(1) ? terminalSize(1).columns : nil }

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

  /// Lines on stderr that are ours.
  package func say(_ text: String) { write(Shown.lines(text), priority: 6) }

  /// `error: …` for what ends a command, with a hint below.
  package func complain(_ message: String, hint: String? = nil) { tell("error", "1;31", message, hint, priority: 3) }

  /// `warning: …` for what will go wrong, with a hint below.
  package func warn(_ message: String, hint: String? = nil) {
    if style.loudness != .quiet { tell("warning", "1;33", message, hint, priority: 4) }
  }

  private func tell(_ word: String, _ colour: String, _ message: String, _ hint: String?, priority: Int) {
    if style.jsonDiagnostics {
      var object = JSONObject()
      object.set("severity", word)
      object.set("message", message)
      object.set("notes", hint.map { [$0] } ?? [])
      return write(Shown.json(object.text) + "\n", priority: priority)
    }
    var text = "\(paint(word, colour)): \(Shown.text(message))\n"
    if let hint {
      for (index, line) in hint.split(separator: "\n").enumerated() {
        text += "\(index == 0 ? "  = fix: " : "         ")\(Shown.text(String(line)))\n"
      }
    }
    write(text, priority: priority)
  }

  /// A question, behind which the answer is typed.
  package func ask(_ question: String) {
    beforeOutput?()
    clearProgress()
    errors.write("\(plain(Shown.text(question))) ")
  }

  /// What is typed behind a question is left on its line.
  package func endQuestion() { errors.write("\n") }

  /// One line that is no error: where a run goes on, what waits.
  package func note(_ text: String) { if style.loudness != .quiet { write("\(Shown.text(text))\n", priority: 5) } }

  /// Errors and warnings; quiet, errors only, unless warnings are errors.
  package func findings(_ all: [Diagnostic], in sources: [SourceText], isStrict: Bool = false) {
    let findings = style.loudness == .quiet && !isStrict ? all.filter { $0.severity == .error } : all
    let columns = isTerminal(2) && !style.journalPrefixes ? terminalSize(2).columns : nil
    let renderer = DiagnosticRenderer(ascii: style.ascii, colour: style.colour, columns: columns)
    guard let worst = findings.first(where: { $0.severity == .error }) ?? findings.first else { return }
    let text = style.jsonDiagnostics ? renderer.json(findings, in: sources) : renderer.text(findings, in: sources)
    write(text, priority: worst.severity == .error ? 3 : worst.severity == .warning ? 4 : 5)
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
    let head = "\(two(clock.hour)):\(two(clock.minute)):\(two(clock.second)) \(shown) "
    // Each line has its own head: what came from the air cannot pretend to be a line of the log.
    var lines = Self.lines(of: text)
    if lines.count > 1, lines.last?.isEmpty ?? false { lines.removeLast() }
    write(lines.map { "\(head)\(Shown.text(String($0)))\n" }.joined(), priority: priority)
  }

  /// What is going on at this moment. Drawn over by the next one, and by everything else.
  package func progress(_ text: String) {
    guard style.progress, style.loudness != .quiet else { return }
    beforeOutput?()
    // A line that the terminal wraps could not be drawn over.
    let shown = Shown.name(text, columns: max(1, terminalSize(2).columns - 1), ascii: style.ascii)
    errors.write("\(Self.erasure(of: [drawnProgress ?? 0], below: false, onErrors: true))\(paint(shown, "2"))")
    drawnProgress = Shown.width(of: shown)
  }

  /// A line ends with LF or CR LF, which is one character.
  private static func lines(of text: String) -> [Substring] {
    text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
  }

  /// Text on stderr as it is: whoever calls this has escaped it.
  private func write(_ text: String, priority: Int) {
    beforeOutput?()
    clearProgress()
    // The journal has UTF-8, whatever the locale of its service is.
    guard style.journalPrefixes else { return errors.write(plain(text, json: style.jsonDiagnostics)) }
    errors.write(text.utf8.split(separator: UInt8(ascii: "\n")).map { "<\(priority)>\(Substring($0))\n" }.joined())
  }

  /// Lines that take the place of those that were drawn before. Whoever calls this has escaped
  /// them; none may be wider than the terminal.
  /// - Parameter onErrors: stdout is for something else.
  package func draw(_ lines: [String], onErrors: Bool = false) {
    forgetAfterStop()
    let size = terminalSize(onErrors ? 2 : 1)
    let isOther = !drawnLines.isEmpty && size.columns != drawnColumns
    // Overwrites the last picture line by line: erasing it first would flicker, and tmux keeps an
    // erased screen in its history.
    let isOver = !drawnLines.isEmpty && !isOther
    var text =
      drawnLines.isEmpty
      ? "" : isOver ? "\r\u{1B}[\(drawnLines.count)A" : Self.erasure(of: drawnLines, below: true, onErrors: onErrors)
    // Of sizes that follow each other closely some come late, and where the last picture begins
    // cannot be told: all that is seen goes up, and the next picture begins at the top.
    if isOther, calmPictures < Self.calm {
      text = "\r\u{1B}[J\(String(repeating: "\n", count: size.lines))\u{1B}[\(size.lines)A\u{1B}[J"
    }
    (drawnColumns, calmPictures) = (size.columns, isOther ? 0 : calmPictures + 1)
    for line in lines { text += line + (isOver ? "\u{1B}[K\n" : "\n") }
    if isOver, lines.count < drawnLines.count { text += "\u{1B}[J" }
    drawnLines = []
    clearProgress()
    (onErrors ? errors : output).write(text)
    drawnLines = lines.map { Shown.width(of: $0) }
  }

  /// Back to the first of these lines, and everything from there on erased. A terminal that has
  /// become narrower since has wrapped them.
  /// - Parameter below: the cursor is on the line below them, else at the end of the last one.
  private static func erasure(of widths: [Int], below: Bool, onErrors: Bool) -> String {
    let columns = terminalSize(onErrors ? 2 : 1).columns
    let rows = widths.reduce(below ? 0 : -1) { $0 + max(1, ($1 + columns - 1) / columns) }
    return rows > 0 ? "\r\u{1B}[\(rows)A\u{1B}[J" : "\r\u{1B}[K"
  }

  /// After so many pictures in a terminal of one width the next width is alone.
  private static let calm = 8

  /// What is drawn goes; the next picture begins where it stood.
  package func eraseDrawing(onErrors: Bool = false) {
    forgetAfterStop()
    guard !drawnLines.isEmpty else { return }
    (onErrors ? errors : output).write(Self.erasure(of: drawnLines, below: true, onErrors: onErrors))
    drawnLines = []
  }

  /// What was drawn before a Ctrl-Z stays where it is, above what the shell has written.
  private func forgetAfterStop() {
    guard Signals.takeContinued() else { return }
    drawnLines = []
    drawnProgress = nil
  }

  package func clearProgress() {
    forgetAfterStop()
    guard let width = drawnProgress else { return }
    errors.write(Self.erasure(of: [width], below: false, onErrors: true))
    drawnProgress = nil
  }

  private func paint(_ text: String, _ code: String) -> String { style.colour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}
