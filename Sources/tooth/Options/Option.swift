/// One option of the command line. Parser, help, man page and completions are made of it.
struct Option: Sendable {
  /// Without its dashes: `time-limit`.
  var name: String
  /// `e` for `-e`.
  var short: Character?
  /// What its value is called, `DURATION`; nothing for a switch.
  var value: String?
  var help: String
  var repeats = false
  /// Whether `TOOTH_NAME` says the same; not for what belongs to one command line only.
  var hasTwin = true
  /// Words that its value may be.
  var choices: [String] = []
  /// Its value is a file, for completions.
  var isFile = false
  /// What it means without a value; its value then stands behind `=`.
  var bare: String?

  init(
    _ name: String, short: Character? = nil, value: String? = nil, _ help: String, repeats: Bool = false, twin: Bool = true,
    choices: [String] = [], isFile: Bool = false, bare: String? = nil
  ) {
    self.name = name
    self.short = short
    self.value = value
    self.help = help
    self.repeats = repeats
    hasTwin = twin
    self.choices = choices
    self.isFile = isFile
    self.bare = bare
  }

  /// `TOOTH_TIME_LIMIT`.
  var twin: String { "TOOTH_" + Self.upper(name) }

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
