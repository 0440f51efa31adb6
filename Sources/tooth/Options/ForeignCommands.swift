/// Command names of other tools, with their counterparts here.
enum ForeignCommands {
  static func command(for word: String) -> String? { words.first { $0.words.contains(word) }?.command }

  static let words: [(command: String, words: [String])] = [
    ("scan", ["find", "search", "lescan", "devices", "list", "inquiry", "hcitool"]),
    ("info", ["services", "characteristics", "attributes", "discover", "primary", "gatt", "gatttool"]),
    ("repl", ["connect", "shell", "prompt", "console", "interactive", "bluetoothctl"]),
    ("watch", ["subscribe", "notify", "listen", "monitor", "plot", "stream"]),
    ("read", ["get"]),
    ("write", ["set", "send"]),
    ("alias", ["name", "rename"]),
    ("runs", ["log", "logs", "history", "show", "last"]),
    ("forget", ["unpair", "unbond"]),
    ("pair", ["bond"]),
    ("clone", ["copy", "dump", "export"]),
    ("adapter", ["reset"]),
    ("serve", ["advertise", "peripheral"]),
    ("air", ["simulate"]),
    ("check", ["lint", "validate"]),
    ("fmt", ["format"]),
    ("resume", ["continue"]),
  ]
}
