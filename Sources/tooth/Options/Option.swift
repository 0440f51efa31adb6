import Vocabulary

/// One option of the command line. Parser, help, man page and completions are made of it.
struct Option: Sendable {
  /// Without its dashes: `time-limit`.
  var name: String
  /// `e` for `-e`.
  var short: Character?
  /// What its value is called, `DURATION`; nothing for a switch.
  var value: String?
  /// What it does, unless a command says it in other words.
  var help: String
  /// The words of particular commands, by their names.
  var ofCommands: [String: String] = [:]
  var repeats = false
  /// Whether `TOOTH_NAME` says the same; not for what belongs to one command line only.
  var hasTwin = true
  /// Words that its value may be.
  var choices: [String] = []
  /// Its value is a file, for completions.
  var isFile = false
  /// What a duration may be, in words and as such.
  var range: (words: String, spans: ClosedRange<TimeSpan>)?
  /// What it means without a value; its value then stands behind `=`.
  var bare: String?

  init(
    _ name: String, short: Character? = nil, value: String? = nil, _ help: String, repeats: Bool = false, twin: Bool = true,
    choices: [String] = [], isFile: Bool = false, bare: String? = nil,
    range: (words: String, spans: ClosedRange<TimeSpan>)? = nil, in ofCommands: [String: String] = [:]
  ) {
    self.name = name
    self.short = short
    self.value = value
    self.help = help
    self.ofCommands = ofCommands
    self.repeats = repeats
    hasTwin = twin
    self.choices = choices
    self.isFile = isFile
    self.bare = bare
    self.range = range
  }

  /// What it does in that command.
  func help(in command: String) -> String { ofCommands[command] ?? help }

  /// What it does, for a page about all commands.
  var helpInAll: String {
    let special = ofCommands.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return ((help.isEmpty ? [] : [help]) + special).joined(separator: "; ")
  }

  /// `TOOTH_TIME_LIMIT`.
  var twin: String { Self.twinPrefix + Self.upper(name) }
  static let twinPrefix = "TOOTH_"

  static func upper(_ name: String) -> String {
    // Names are ASCII, and every start asks for each of them.
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
