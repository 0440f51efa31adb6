import Session

enum CompletionsCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    guard arguments.words.count == 1, let text = Completions.text(for: arguments.words[0]) else {
      throw UsageError(
        "completions are for bash, zsh or fish", hint: "tooth completions bash > ~/.local/share/bash-completion/completions/tooth")
    }
    Console(style: arguments.style()).print(text)
    return 0
  }
}
