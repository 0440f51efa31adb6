import Session

enum VersionCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    try arguments.noWords(command)
    Console(style: arguments.style()).print("tooth \(HelpText.version)\n")
    return 0
  }
}
