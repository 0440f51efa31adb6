package import Exchange
package import Linux
package import Recipe
import Terminal
package import Vocabulary

/// The output of a command: data on stdout, everything else on stderr. All output passes here, and
/// foreign text is escaped (`Shown`).
package final class Console {
  package struct Style: Equatable, Sendable {
    package enum Format: String, Sendable { case text, json, csv }
    package enum Loudness: Int, Comparable, Sendable {
      case quiet, normal, verbose
      /// Also packets in hex.
      case packets

      package static func < (left: Loudness, right: Loudness) -> Bool { left.rawValue < right.rawValue }
    }

    package var format: Format
    package var loudness: Loudness
    package var colour: Bool
    package var ascii: Bool
    /// Whether diagnostics are printed as JSON.
    package var jsonDiagnostics: Bool
    /// Whether to draw a progress line that is overwritten. Only on a terminal.
    package var progress: Bool
    /// Whether to put `<4>` before every line on stderr, for systemd's journal.
    package var journalPrefixes: Bool
    /// Whether stdout is a terminal whose user did not ask for raw text.
    package var escapesOutput: Bool
    /// Whether events go to stdout among the values, as JSON.
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
  /// Whether the last printed line has no end yet.
  private var isLineOpen = false
  /// The width of the current progress line in columns.
  private var drawnProgress: Int?
  /// The width of each drawn line in columns.
  private var drawnLines: [Int] = []
  /// The width of the terminal, and the number of pictures since it changed.
  private var drawnColumns = 0
  private var calmPictures = 0
  /// Removes the typed line from the screen.
  package var beforeOutput: (() -> Void)?

  package init(style: Style, output: OutputPipe = .standardOutput(), errors: OutputPipe = .standardError()) {
    self.style = style
    self.output = output
    self.errors = errors
  }

  /// Prints data. Returns false if the reader is gone.
  @discardableResult
  package func print(_ text: String) -> Bool {
    if !text.isEmpty { beforeOutput?() }
    clearProgress()
    if let last = text.utf8.last { isLineOpen = last != 0x0A }
    output.write(style.escapesOutput ? escaped(text) : text)
    return output.failure == nil
  }

  /// Prints lines for a user. Those that are too long for the terminal continue on the next one.
  package func printFolded(_ text: String) {
    guard let columns else {
      print(text)
      return
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    print(lines.flatMap { TextTable.folded(String($0), columns: columns) }.joined(separator: "\n"))
  }

  private func escaped(_ text: String) -> String {
    let isJSON = style.format == .json
    return plain(isJSON ? Shown.json(text) : Shown.lines(text), json: isJSON)
  }

  /// Replaces characters that a terminal without UTF-8 cannot show.
  private func plain(_ text: String, json: Bool = false) -> String { style.ascii ? Shown.ascii(text, json: json) : text }

  /// The width of stdout; `nil` if it is not a terminal, so that lines are not wrapped.
  package var columns: Int? { isTerminal(1) ? terminalSize(1).columns : nil }

  /// Keeps a reader that does not read from blocking the end of the process, from now on.
  package func watch(_ signals: Signals) {
    output.watch(signals)
    errors.watch(signals)
  }

  /// Whether output was dropped because it was not read before the process had to end.
  package var outputIsCut: Bool { output.isCut }
  package var errorsAreCut: Bool { errors.isCut }
  package var outputIsBroken: Bool { output.isBroken }
  package var outputFailure: SystemFailure? { output.failure }

  /// Prints text of our own on stderr.
  package func say(_ text: String) { write(Shown.lines(text), priority: 6) }

  /// Prints `error: …` for what ends a command, followed by a hint.
  package func complain(_ message: String, hint: String? = nil) { announce("error", "1;31", message, hint, priority: 3) }

  /// Prints `warning: …`, followed by a hint.
  package func warn(_ message: String, hint: String? = nil) {
    if style.loudness != .quiet { announce("warning", "1;33", message, hint, priority: 4) }
  }

  private func announce(_ word: String, _ colour: String, _ message: String, _ hint: String?, priority: Int) {
    if style.jsonDiagnostics {
      var object = JSONObject()
      object.set("severity", word)
      object.set("message", message)
      object.set("notes", hint.map { [$0] } ?? [])
      return write(Shown.json(object.text) + "\n", priority: priority)
    }
    let first = foldedError("\(word): \(Shown.text(message))")
    var text = paint(word, colour) + first.dropFirst(word.count) + "\n"
    if let hint {
      for (index, line) in hint.split(separator: "\n").enumerated() {
        text += "\(index == 0 ? "  = fix: " : "         ")\(Shown.text(String(line)))\n"
      }
    }
    write(text, priority: priority)
  }

  /// Prints a question, after which the answer is typed.
  package func ask(_ question: String) {
    beforeOutput?()
    clearProgress()
    errors.write("\(plain(Shown.text(question))) ")
  }

  /// Ends the line of a question and its answer.
  package func endQuestion() { errors.write("\n") }

  /// Prints a line that is not an error: where a run continues, what waits.
  package func note(_ text: String) { if style.loudness != .quiet { write(foldedError(Shown.text(text)) + "\n", priority: 5) } }

  /// Fits a line for stderr to the terminal. A fix is not fitted, because it may be a command to
  /// copy.
  private func foldedError(_ line: String) -> String {
    guard isTerminal(2), !style.journalPrefixes else { return line }
    return TextTable.folded(line, columns: terminalSize(2).columns).joined(separator: "\n")
  }

  /// Prints errors and warnings; when quiet only errors, unless warnings count as errors.
  package func findings(_ all: [Diagnostic], in sources: [SourceText], isStrict: Bool = false) {
    let findings = style.loudness == .quiet && !isStrict ? all.filter { $0.severity == .error } : all
    let columns = isTerminal(2) && !style.journalPrefixes ? terminalSize(2).columns : nil
    let renderer = DiagnosticRenderer(ascii: style.ascii, colour: style.colour, columns: columns)
    guard let worst = findings.first(where: { $0.severity == .error }) ?? findings.first else { return }
    let text = style.jsonDiagnostics ? renderer.json(findings, in: sources) : renderer.text(findings, in: sources)
    write(text, priority: worst.severity == .error ? 3 : worst.severity == .warning ? 4 : 5)
  }

  /// Prints a line of the log: `12:00:01 warning text`.
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
    // Put the time before each line, so that text from devices cannot imitate a line of the log.
    var lines = Self.lines(of: text)
    if lines.count > 1, lines.last?.isEmpty ?? false { lines.removeLast() }
    write(lines.map { "\(head)\(Shown.text(String($0)))\n" }.joined(), priority: priority)
  }

  /// Shows the current activity. The next one and any other output overwrite it.
  package func progress(_ text: String) {
    // It is drawn from the first column, which must not erase what a recipe has printed there.
    guard style.progress, style.loudness != .quiet, !(isLineOpen && isTerminal(1)) else { return }
    forgetAfterStop()
    beforeOutput?()
    // A line that the terminal wraps could not be overwritten.
    let shown = Shown.name(text, columns: max(1, terminalSize(2).columns - 1), ascii: style.ascii)
    errors.write("\(Self.erasure(of: [drawnProgress ?? 0], below: false, onErrors: true))\(paint(shown, "2"))")
    drawnProgress = Shown.width(of: shown)
  }

  /// A line ends with LF, or with CR LF, which is one character.
  private static func lines(of text: String) -> [Substring] {
    text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
  }

  /// Writes text to stderr that the caller has escaped.
  private func write(_ text: String, priority: Int) {
    beforeOutput?()
    clearProgress()
    // The journal uses UTF-8, whatever the locale of its service.
    guard style.journalPrefixes else { return errors.write(plain(text, json: style.jsonDiagnostics)) }
    errors.write(text.utf8.split(separator: UInt8(ascii: "\n")).map { "<\(priority)>\(Substring($0))\n" }.joined())
  }

  /// Replaces the lines that were drawn before. The caller has escaped the lines, and none may be
  /// wider than the terminal.
  /// - Parameter onErrors: Draws on stderr, because stdout has other output.
  package func draw(_ lines: [String], onErrors: Bool = false) {
    forgetAfterStop()
    let size = terminalSize(onErrors ? 2 : 1)
    let isOther = !drawnLines.isEmpty && size.columns != drawnColumns
    // Overwrite the last picture line by line. Erasing it first would flicker, and tmux keeps an
    // erased screen in its history.
    let isOver = !drawnLines.isEmpty && !isOther
    var text =
      drawnLines.isEmpty
      ? "" : isOver ? "\r\u{1B}[\(drawnLines.count)A" : Self.erasure(of: drawnLines, below: true, onErrors: onErrors)
    // Quick changes of the size may be reported late, so the start of the last picture is unknown.
    // Scroll everything up and start the next picture at the top.
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

  /// Moves to the first of these lines and erases everything from there. A terminal that has become
  /// narrower has wrapped them.
  /// - Parameter below: Whether the cursor is on the line below them, else at the end of the last
  ///   one.
  private static func erasure(of widths: [Int], below: Bool, onErrors: Bool) -> String {
    let columns = terminalSize(onErrors ? 2 : 1).columns
    let rows = widths.reduce(below ? 0 : -1) { $0 + max(1, ($1 + columns - 1) / columns) }
    return rows > 0 ? "\r\u{1B}[\(rows)A\u{1B}[J" : "\r\u{1B}[K"
  }

  /// After this many pictures at one width, the next change of the width is a single one.
  private static let calm = 8

  /// Erases the drawn lines. The next picture starts at the same place.
  package func eraseDrawing(onErrors: Bool = false) {
    forgetAfterStop()
    guard !drawnLines.isEmpty else { return }
    (onErrors ? errors : output).write(Self.erasure(of: drawnLines, below: true, onErrors: onErrors))
    drawnLines = []
  }

  /// After a Ctrl-Z, what was drawn before stays on the screen above the output of the shell.
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
