import Glibc
import Linux
import Recipe
import Session

/// An invocation of `tooth`: finds the command, runs it and returns the exit code.
struct CommandLineProgram {
  var arguments: [String]

  func run() -> Int32 {
    Signals.ignoreFailedWrites()
    Self.unblockEnds()
    let code = command()
    // Output that cannot be written is a failure, unless the reader has closed its pipe.
    let output = Console(style: Self.plain)
    guard let failure = output.outputFailure, !output.outputIsBroken else { return code }
    output.complain("\(failure)")
    return code == 0 ? 1 : code
  }

  /// Unblocks the signals that end a process, because the parent may have blocked them and would
  /// then wait in vain.
  private static func unblockEnds() {
    var ends = sigset_t()
    sigemptyset(&ends)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGALRM] { sigaddset(&ends, number) }
    sigprocmask(SIG_UNBLOCK, &ends, nil)
  }

  /// The style before options are parsed.
  private static var plain: Console.Style {
    Console.Style(journalPrefixes: environment("JOURNAL_STREAM") != nil && !isTerminal(2), escapesOutput: isTerminal(1))
  }

  /// Whether a command follows the options. If there is a file of its name, the file is meant.
  private func namesCommand(_ arguments: [String]) -> Bool {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("-"), word != "--" else { return OptionTable.command(word) != nil && access(word, F_OK) != 0 }
      let name = String(word.drop { $0 == "-" })
      let option =
        word.hasPrefix("--") ? OptionTable.option(name) : OptionTable.options.first { $0.short.map { "\($0)" } == name }
      if option?.value != nil { _ = rest.popFirst() }
    }
    return false
  }

  private func command() -> Int32 {
    let plain = Console(style: Self.plain)
    let first = arguments.first ?? ""
    switch first {
    case "--help", "-h":
      plain.print(HelpText.overview())
      return 0
    case "--version", "-V":
      plain.print("tooth \(HelpText.version)\n")
      return 0
    case "__complete": return CompleteCommand.run(Array(arguments.dropFirst()))
    case _ where arguments.isEmpty || first.hasPrefix("-"):
      // On a terminal, no command means the prompt, with or without options.
      if isTerminal(0), isTerminal(1), !namesCommand(arguments), let prompt = OptionTable.command("repl") {
        do throws(UsageError) { return try ReplCommand.run(arguments, prompt) } catch {
          plain.complain(error.message, hint: error.hint)
          return 2
        }
      }
      guard arguments.isEmpty else { break }
      plain.say(HelpText.overview())
      return 2
    default: break
    }
    guard let command = OptionTable.command(first) else {
      if first.hasPrefix("-") {
        let option = String(first.prefix { $0 != "=" })
        if option.hasPrefix("--"), OptionTable.option(String(option.dropFirst(2))) == nil {
          plain.complain("there is no option \(option)", hint: "the command comes first: tooth COMMAND [OPTIONS]")
        } else {
          plain.complain("the command comes first: tooth COMMAND [OPTIONS]", hint: "tooth help lists the commands")
        }
      } else if first.hasSuffix(".ble") {
        plain.complain("\(first) is not a command", hint: "tooth run \(first)")
      } else if ForeignCommands.endings.contains(first) {
        plain.complain(
          "there is no command \(first)",
          hint: "Ctrl-C at its terminal or `kill PID` ends a run; tooth status lists the runs with their processes")
      } else if let meant = ForeignCommands.command(for: first).flatMap({ OptionTable.command($0) }) {
        plain.complain("there is no command \(first)", hint: "tooth \(meant.name): \(meant.summary)")
      } else if let near = Spelling.nearest(to: first, among: OptionTable.commands.map(\.name)) {
        plain.complain("there is no command \(first) — did you mean \(near)?")
      } else {
        plain.complain(first.isEmpty ? "the command is empty" : "there is no command \(first)", hint: "tooth help lists them")
      }
      return 2
    }
    let rest = Array(arguments.dropFirst())
    if rest.prefix(while: { $0 != "--" }).contains(where: { ["--help", "-h"].contains($0) }) {
      plain.print(HelpText.command(command))
      return 0
    }
    do throws(UsageError) {
      switch command.name {
      case "version": return try VersionCommand.run(rest, command)
      case "help": return try HelpCommand.run(rest, command)
      case "completions": return try CompletionsCommand.run(rest, command)
      case "check": return try CheckCommand.run(rest, command)
      case "fmt": return try FmtCommand.run(rest, command)
      case "test": return try TestCommand.run(rest, command)
      case "explain": return try ExplainCommand.run(rest, command)
      case "run": return try RunCommand.run(rest, command, isResume: false)
      case "serve": return try RunCommand.run(rest, command, isResume: false, isServe: true)
      case "resume": return try RunCommand.run(rest, command, isResume: true)
      case "do", "read", "write", "watch", "info", "clone", "pair", "forget": return try OneShotCommand.run(rest, command)
      case "bonds": return try BondsCommand.run(rest, command)
      case "repl": return try ReplCommand.run(rest, command)
      case "alias": return try AliasCommand.run(rest, command)
      case "status": return try StatusCommand.run(rest, command)
      case "decode": return try DecodeCommand.run(rest, command)
      case "names": return try NamesCommand.run(rest, command)
      case "runs": return try RunsCommand.run(rest, command)
      case "keeper": return try KeeperCommand.run(rest, command)
      case "service": return try ServiceCommand.run(rest, command)
      case "doctor": return try DoctorCommand.run(rest, command)
      case "scan": return try ScanCommand.run(rest, command)
      case "adapters": return try AdaptersCommand.run(rest, command)
      case "adapter": return try AdapterCommand.run(rest, command)
      case "disconnect": return try DisconnectCommand.run(rest, command)
      case "air": return try AirCommand.run(rest, command)
      default:
        plain.complain("tooth \(command.name) is not implemented; that is a bug in tooth")
        return 12
      }
    } catch {
      plain.complain(error.message, hint: error.hint)
      return error.exitCode
    }
  }
}

extension Arguments {
  /// The output style according to the common options.
  func style() -> Console.Style {
    let terminal = isTerminal(2)
    let colour =
      switch value("color") {
      case "always": true
      case "never": false
      default: terminal && (environment("NO_COLOR") ?? "").isEmpty && !isPlain
      }
    return Console.Style(
      format: value("output").flatMap { Console.Style.Format(rawValue: $0) } ?? .text,
      loudness: isQuiet ? .quiet : count("verbose") > 1 ? .packets : has("verbose") ? .verbose : .normal, colour: colour,
      ascii: has("ascii") || !Self.isUTF8,
      jsonDiagnostics: value("diagnostics") == "json", progress: terminal && !isPlain,
      journalPrefixes: environment("JOURNAL_STREAM") != nil && !terminal, escapesOutput: isTerminal(1) && !has("raw"),
      events: has("events"))
  }

  /// Whether LC_CTYPE is UTF-8, for the frames. If no locale is set, UTF-8 is likelier.
  private static var isUTF8: Bool {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      guard let text = environment(name), !text.isEmpty else { continue }
      let locale = text.lowercased()
      return locale.holds("utf-8") || locale.holds("utf8") || !(locale == "c" || locale == "posix" || locale.holds("iso"))
    }
    return true
  }

  func noWords(_ command: Command) throws(UsageError) {
    if let word = words.first { throw UsageError("tooth \(command.name) takes no \(word)", hint: HelpText.usage(command)) }
  }
}
