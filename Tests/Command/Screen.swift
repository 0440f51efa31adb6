import Glibc
import Linux
import Testing
import Vocabulary

/// `tooth` in tmux, an independent terminal that reports what a person would see.
final class Screen {
  /// These tests are skipped without tmux; with `CI=true` that is a failure.
  static let isThere = access(tmux, X_OK) == 0
  static let isCI = getenv("CI").map { String(cString: $0) } == "true"
  private static let tmux = "/usr/bin/tmux"

  /// Features of a terminal.
  struct Kind: CustomStringConvertible, Sendable {
    var columns: Int
    var lines: Int
    var isUTF8 = true
    var colour = true
    var isDumb = false

    var description: String {
      "\(columns)x\(lines) \(isUTF8 ? "UTF-8" : "LANG=C") \(isDumb ? "TERM=dumb" : colour ? "colour" : "NO_COLOR=1")"
    }

    /// Three sizes, each in four kinds.
    static let all = [(80, 24), (120, 40), (40, 12)].flatMap { columns, lines in
      [
        Kind(columns: columns, lines: lines), Kind(columns: columns, lines: lines, colour: false),
        Kind(columns: columns, lines: lines, isUTF8: false, colour: false),
        Kind(columns: columns, lines: lines, isUTF8: false, isDumb: true),
      ]
    }
  }

  let kind: Kind
  private let socket: String
  private let environment: [String: String]

  /// - Parameter command: looked up in the folder of `tooth`, then in PATH.
  init(_ command: [String], _ kind: Kind, environment more: [String: String] = [:], directory: String) throws {
    self.kind = kind
    var template = Array("/tmp/tooth-screen-XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    socket = "\(folder)/s"
    environment = ["PATH": "/usr/bin:/bin", "HOME": folder, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "TZ": "UTC"]
    // Server options are set before the first window. `window-size manual` is not: tmux 3.3a reads
    // the size of a window before one exists, and crashes.
    let file = "\(folder)/conf"
    let settings = """
      set -g default-terminal screen
      set -g history-limit 5000
      set -g remain-on-exit on
      set -g remain-on-exit-format ""
      set -g status off
      set -sg escape-time 0

      """
    try saveFile(file, Array(settings.utf8))
    var variables = [
      "LANG=\(kind.isUTF8 ? "C.UTF-8" : "C")", "HOME=\(directory)/home", "PATH=\(parent(of: Tooth.path)):/usr/bin:/bin", "TZ=UTC",
      "TERM=\(kind.isDumb ? "dumb" : "screen")",
    ]
    if !kind.colour { variables.append("NO_COLOR=1") }
    for (name, value) in more { variables.append("\(name)=\(value)") }
    let start = ["/usr/bin/env", "-i", "-C", directory] + variables + command
    try runTmux(["-f", file, "new-session", "-d", "-s", "t", "-x", "\(kind.columns)", "-y", "\(kind.lines)", "--"] + start)
  }

  deinit {
    _ = Tooth.start(["-S", socket, "kill-server"], program: Self.tmux, environment: environment).wait()
    let folder = parent(of: socket)
    for name in ["s", "conf"] { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  @discardableResult
  private func runTmux(_ words: [String], input: String = "") throws -> String {
    let result = Tooth.start(["-u", "-S", socket] + words, program: Self.tmux, input: input, environment: environment).wait()
    try #require(result.code == 0, "tmux \(words): \(result.errors)")
    return result.output
  }

  // MARK: Reading

  /// The visible lines and those that have scrolled off, without empty lines at the end.
  /// - Parameter joined: joins lines that the terminal has wrapped.
  func text(history: Bool = true, colours: Bool = false, joined: Bool = false) throws -> String {
    let flags = (history ? ["-S", "-"] : []) + (colours ? ["-e"] : []) + (joined ? ["-J"] : [])
    let all = try runTmux(["capture-pane", "-p", "-t", "t"] + flags)
    var lines = all.split(separator: "\n", omittingEmptySubsequences: false)
    while lines.last?.isEmpty ?? false { lines.removeLast() }
    return lines.joined(separator: "\n")
  }

  /// Waits until a condition holds for the screen.
  @discardableResult
  func wait(within limit: TimeSpan = .seconds(60), history: Bool = true, until isEnough: (String) -> Bool) throws -> Bool {
    let end = SystemClock.now().moment + limit
    while true {
      if isEnough(try text(history: history, joined: true)) { return true }
      if SystemClock.now().moment > end { return false }
      _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(20))
    }
  }

  /// Waits until a text appears this many times, and fails without it.
  /// - Parameter last: what the last line ends with.
  func see(_ wanted: String, count: Int = 1, last: String = "") throws {
    let isThere = try wait {
      let end = $0.reversed().drop { $0 == " " }.prefix(last.count)
      return $0.ranges(of: wanted).count >= count && String(end.reversed()) == last
    }
    guard isThere else { throw ScreenTimeout(description: "\(kind): \(wanted.debugDescription) is not in\n\(try text())") }
  }

  struct ScreenTimeout: Error, CustomStringConvertible { var description: String }

  var isOver: Bool { get throws { try runTmux(["display-message", "-p", "-t", "t", "#{pane_dead}"]).hasPrefix("1") } }

  func waitForEnd() throws {
    let end = SystemClock.now().moment + .seconds(60)
    while try !isOver, SystemClock.now().moment < end {
      _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(20))
    }
  }

  // MARK: Typing

  func type(_ text: String) throws { try runTmux(["send-keys", "-t", "t", "-l", "--", text]) }
  /// `Enter`, `Tab`, `C-c`, `Up`.
  func press(_ keys: String...) throws { try runTmux(["send-keys", "-t", "t", "--"] + keys) }

  /// Pastes in brackets if the program has asked for them.
  func paste(_ text: String) throws {
    try runTmux(["load-buffer", "-"], input: text)
    try runTmux(["paste-buffer", "-p", "-r", "-t", "t"])
  }

  func resize(columns: Int, lines: Int) throws { try runTmux(["resize-window", "-t", "t", "-x", "\(columns)", "-y", "\(lines)"]) }
}

/// Screens in `Tests/Golden/screens/NAME.txt`, one for each kind of terminal, with their colours.
///
/// The first line of the file says what it must show. `TOOTH_WRITE_GOLDEN=1` writes the rest; read
/// every difference before committing it.
struct GoldenScreen {
  private let path: String
  private let words: String
  private var expected: [String: String] = [:]
  private var shown: [(head: String, text: String)] = []
  private var failures: [String] = []
  private let place: SourceLocation

  private static let isWritten = getenv("TOOTH_WRITE_GOLDEN") != nil

  init(_ name: String, at place: SourceLocation = #_sourceLocation) throws {
    path = "\(Tooth.package)/Tests/Golden/screens/\(name).txt"
    self.place = place
    let file = (try? readFile(path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    words = String(file.prefix { $0 != "\n" })
    try #require(!words.isEmpty, "\(path) needs a first line that says what it must show", sourceLocation: place)
    for part in file.split(separator: "\n=== ", omittingEmptySubsequences: false).dropFirst() {
      expected[String(part.prefix { $0 != "\n" })] = String(part.drop { $0 != "\n" }.dropFirst())
    }
  }

  /// Waits until the screen equals the file's section for this kind of terminal.
  mutating func take(_ screen: Screen, masking mask: ScreenMask) throws {
    let wanted = expected[screen.kind.description]
    // After a difference the other kinds write their screens, too.
    let end = SystemClock.now().moment + (failures.isEmpty ? .seconds(20) : .seconds(1))
    var (last, same) = ("", 0)
    while true {
      let text =
        mask(try screen.text(colours: true)).split(separator: "\u{1B}", omittingEmptySubsequences: false)
        .joined(separator: "\\e") + "\n"
      (last, same) = (text, text == last ? same + 1 : 0)
      let isEnough = Self.isWritten ? same > 20 : text == wanted
      if isEnough || SystemClock.now().moment > end { break }
      _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(20))
    }
    shown.append((screen.kind.description, last))
    if !Self.isWritten, last != wanted { failures.append(difference(screen.kind, last, wanted ?? "")) }
  }

  private func difference(_ kind: Screen.Kind, _ shown: String, _ wanted: String) -> String {
    let new = shown.split(separator: "\n", omittingEmptySubsequences: false)
    let old = wanted.split(separator: "\n", omittingEmptySubsequences: false)
    let place = zip(new, old).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(new.count, old.count)
    func line(_ lines: [Substring]) -> String { place < lines.count ? String(lines[place]) : "nothing" }
    return "\(path), \(kind), line \(place + 1)\n  shown  \(line(new))\n  wanted \(line(old))"
  }

  func end() throws {
    if Self.isWritten {
      return try saveFile(path, Array("\(words)\n\(shown.map { "\n=== \($0.head)\n\($0.text)" }.joined())".utf8))
    }
    guard !failures.isEmpty else { return }
    Issue.record("\(failures.joined(separator: "\n"))", sourceLocation: place)
  }
}

/// Replaces what varies between runs by a constant of the same width.
struct ScreenMask {
  private struct Change {
    var pattern: Regex<AnyRegexOutput>
    var makes: (String) -> String
  }

  private var changes: [Change] = []

  /// Times and dates are always replaced.
  init() throws {
    for pattern in ["[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{3})?", "20[0-9]{2}-[0-9]{2}-[0-9]{2}"] {
      try change(pattern, Self.zeros)
    }
  }

  mutating func change(_ pattern: String, _ makes: @escaping (String) -> String) throws {
    changes.append(Change(pattern: try Regex(pattern), makes: makes))
  }

  static func zeros(_ text: String) -> String { String(text.map { $0.isNumber ? "0" : $0 }) }

  /// Padded to the old width, if it is shorter.
  static func filled(_ text: String) -> (String) -> String {
    { old in text + String(repeating: " ", count: max(0, old.count - text.count)) }
  }

  func callAsFunction(_ text: String) -> String {
    var text = text
    for change in changes { text = text.replacing(change.pattern) { change.makes(String(text[$0.range])) } }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      String(line.prefix(line.lastIndex { $0 != " " }.map { line.distance(from: line.startIndex, to: $0) + 1 } ?? 0))
    }.joined(separator: "\n")
  }
}
