/// Command and option names of other tools, with their counterparts here.
enum ForeignCommands {
  static func command(for word: String) -> String? { words.first { $0.words.contains(word) }?.command }

  /// The option for a name that other tools have for it, and how it is written.
  static func option(for name: String) -> (option: String, text: String)? {
    options.first { $0.names.contains(name) }.map { ($0.option, $0.text) }
  }

  private static let options: [(option: String, text: String, names: [String])] = [
    ("output", "output json", ["json"]), ("output", "output csv", ["csv"]),
    ("time-limit", "time-limit 5s", ["timeout", "duration", "t"]), ("adapter", "adapter hci0", ["i", "hci", "interface"]),
  ]

  static let words: [(command: String, words: [String])] = [
    ("scan", ["find", "search", "lescan", "devices", "list", "inquiry", "hcitool"]),
    ("info", ["services", "characteristics", "attributes", "discover", "primary", "gatt", "gatttool"]),
    ("repl", ["connect", "shell", "prompt", "console", "interactive", "bluetoothctl"]),
    ("watch", ["subscribe", "notify", "listen", "monitor", "plot", "stream"]),
    ("read", ["get", "char-read-hnd", "char-read-uuid"]),
    ("write", ["set", "send", "char-write-req", "char-write-cmd"]),
    ("alias", ["name", "rename"]),
    ("runs", ["log", "logs", "history", "show", "last"]),
    ("forget", ["unpair", "unbond", "remove"]),
    ("pair", ["bond"]),
    ("clone", ["copy", "dump", "export"]),
    ("adapter", ["reset", "power"]),
    ("serve", ["advertise", "peripheral"]),
    ("air", ["simulate"]),
    ("check", ["lint", "validate"]),
    ("fmt", ["format"]),
    ("resume", ["continue"]),
  ]
}
