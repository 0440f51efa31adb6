import Vocabulary

/// An option of the command line. Parser, help, man page and completions use it.
struct Option: Sendable {
  /// Without its dashes: `time-limit`.
  var name: String
  /// `e` for `-e`.
  var short: Character?
  /// The name of its value, such as `DURATION`; `nil` for a switch.
  var value: String?
  /// The help text, unless a command has its own.
  var help: String
  /// Help texts of particular commands, by command name.
  var ofCommands: [String: String] = [:]
  var repeats = false
  /// Whether the variable `TOOTH_NAME` sets it, too. False for options that concern one call only.
  var hasVariable = true
  /// The allowed values.
  var choices: [String] = []
  /// Whether its value is a file, for completion.
  var isFile = false
  /// The allowed range of a duration, in words and as a range.
  var range: (words: String, spans: ClosedRange<TimeSpan>)?
  /// The value if none is given; an explicit value then needs `=`.
  var bare: String?

  init(
    _ name: String, short: Character? = nil, value: String? = nil, _ help: String, repeats: Bool = false, variable: Bool = true,
    choices: [String] = [], isFile: Bool = false, bare: String? = nil,
    range: (words: String, spans: ClosedRange<TimeSpan>)? = nil, in ofCommands: [String: String] = [:]
  ) {
    self.name = name
    self.short = short
    self.value = value
    self.help = help
    self.ofCommands = ofCommands
    self.repeats = repeats
    hasVariable = variable
    self.choices = choices
    self.isFile = isFile
    self.bare = bare
    self.range = range
  }

  /// The help text for a command.
  func help(in command: String) -> String { ofCommands[command] ?? help }

  /// The help text for a page about all commands.
  var helpInAll: String {
    let special = ofCommands.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return ((help.isEmpty ? [] : [help]) + special).joined(separator: "; ")
  }

  /// `TOOTH_TIME_LIMIT`.
  var variable: String { Self.variablePrefix + Self.upper(name) }
  static let variablePrefix = "TOOTH_"

  static func upper(_ name: String) -> String {
    // Names are ASCII, and each start converts all of them, so avoid `uppercased()`.
    let octets = name.utf8.map { octet -> UInt8 in
      switch octet {
      case UInt8(ascii: "-"): UInt8(ascii: "_")
      case UInt8(ascii: "a")...UInt8(ascii: "z"): octet & ~0x20
      default: octet
      }
    }
    return String(decoding: octets, as: UTF8.self)
  }

  /// `-e`, `--time-limit DURATION`.
  var usage: String {
    var text = ""
    if let short { text += "-\(short)" }
    if name.count > 1 { text += (text.isEmpty ? "" : ", ") + "--\(name)" }
    if let value { text += bare == nil ? " \(value)" : "[=\(value)]" }
    return text
  }
}
