/// Command and option names of other tools, with their counterparts here.
enum ForeignCommands {
  static func command(for word: String) -> String? { words.first { $0.words.contains(word) }?.command }

  /// What to write instead of an option that other tools, or other commands of this one, have.
  static func option(for name: String, of command: Command) -> String? {
    if devices.contains(name), command.arguments.hasPrefix("DEVICE") {
      return "the device needs no option: tooth \(command.name) \(command.arguments)"
    }
    let meant = options.first { $0.names.contains(name) && command.options.contains($0.option) }
    return meant.map { "use --\($0.text)" }
  }

  private static let devices = ["device", "from", "to", "address", "addr", "mac", "target", "b", "peer", "d"]

  private static let options: [(option: String, text: String, names: [String])] = [
    ("output", "output json", ["json"]), ("output", "output csv", ["csv"]),
    ("within", "within 5s", limits), ("time-limit", "time-limit 5s", limits + ["within"]),
    ("adapter", "adapter hci0", ["i", "hci", "interface"]),
  ]

  private static let limits = ["timeout", "duration", "t", "time", "for", "wait", "seconds"]

  /// Words for ending a run, which no command of tooth does.
  static let endings = ["stop", "kill", "cancel", "end", "abort", "quit"]

  static let words: [(command: String, words: [String])] = [
    ("scan", ["find", "search", "lescan", "devices", "list", "inquiry", "hcitool"]),
    ("info", ["services", "characteristics", "attributes", "discover", "primary", "gatt", "gatttool"]),
    ("repl", ["connect", "shell", "prompt", "console", "interactive", "bluetoothctl"]),
    ("watch", ["subscribe", "notify", "listen", "monitor", "plot", "stream"]),
    ("read", ["get", "char-read-hnd", "char-read-uuid"]),
    ("write", ["set", "send", "char-write-req", "char-write-cmd"]),
    ("alias", ["name", "rename"]),
    ("status", ["ps", "top", "jobs", "running"]),
    ("service", ["cron", "systemd", "install", "enable"]),
    ("run", ["start", "exec", "execute", "launch"]),
    ("runs", ["log", "logs", "history", "show", "last", "why"]),
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
