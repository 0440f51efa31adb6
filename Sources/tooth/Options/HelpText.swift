import Linux
import Session
import Vocabulary

/// Help texts, generated from the option table.
enum HelpText {
  static let version = "0.1.0"

  /// The columns to fill: those of the terminal, but a line of more than 100 is hard to read.
  static var columns: Int { isTerminal(1) ? max(30, min(terminalSize().columns, 100)) : 100 }

  static func overview() -> String {
    let title = wrapped("tooth \(version): Bluetooth Low Energy recipes that survive being killed", width: columns)
    let more =
      "tooth help COMMAND explains a command, tooth help FILE.ble the inputs of a recipe. Most options can also be given by an "
      + "environment variable: --time-limit by TOOTH_TIME_LIMIT; tooth(1) lists them."
    return "\(title)\n\nUsage: tooth COMMAND …\n\n" + table(OptionTable.commands.map { ($0.name, $0.summary) })
      + "\n\(wrapped(more, width: columns))\n"
  }

  static func usage(_ command: Command) -> String {
    "Usage: tooth \(command.name)\(command.arguments.isEmpty ? "" : " \(command.arguments)")\(command.options.isEmpty ? "" : " [OPTIONS]")"
  }

  static func command(_ command: Command) -> String {
    let title = wrapped("tooth \(command.name): \(command.summary)", width: columns)
    var text = "\(title)\n\n\(wrapped(usage(command), width: columns))\n"
    for paragraph in command.details { text += "\n" + wrapped(paragraph, width: columns) + "\n" }
    text += "\nOptions:\n" + table(OptionTable.options(of: command).map { ($0.usage, $0.help(in: command.name)) })
    return text
  }

  static func recipe(name: String, help: String?, inputs: [InputOption]) -> String {
    var text = "tooth run \(name)"
    for input in inputs {
      if input.type == "secret" {
        text += input.initial == nil ? " --secret \(input.name)=…" : " [--secret \(input.name)=…]"
        continue
      }
      let shown = input.isFlag ? "--\(input.option)" : "--\(input.option) \(input.type.uppercased())\(input.repeats ? " …" : "")"
      text += input.initial == nil && !input.isFlag ? " \(shown)" : " [\(shown)]"
    }
    text += "\n"
    if let help, !help.isEmpty { text += "\n\(help)\n" }
    guard !inputs.isEmpty else { return text + "\nIt has no inputs.\n" }
    let rows = inputs.map { input in
      var help = input.help ?? ""
      if input.type == "secret" {
        help += (help.isEmpty ? "" : " ") + "(better: \(InputReader.variable(input.name)) in the environment, or a credential)"
      }
      if let initial = input.initial { help += (help.isEmpty ? "" : " ") + "(default \(initial))" }
      if input.type == "secret" { return ("--secret \(input.name)=…", help) }
      return ("--\(input.option)\(input.isFlag ? "" : " \(input.type.uppercased())")", help)
    }
    return text + "\nInputs:\n" + table(rows)
  }

  private static func table(_ rows: [(String, String)]) -> String {
    let columns = columns
    // On a narrow terminal, the text of each row is below its name.
    let widest = min(28, rows.map(\.0.count).max() ?? 0)
    let width = columns - widest < 34 ? 4 : widest
    var text = ""
    for (left, right) in rows {
      let lines = wrapped(right, width: columns - width - 4).split(separator: "\n", omittingEmptySubsequences: false)
      if left.count > width {
        text += "  \(left)\n"
        for line in lines { text += "  \(padded("", width))  \(line)\n" }
        continue
      }
      for (index, line) in lines.enumerated() { text += "  \(padded(index == 0 ? left : "", width))  \(line)\n" }
    }
    return text
  }

  static func padded(_ text: String, _ width: Int) -> String { Shown.padded(text, width) }

  static func wrapped(_ text: String, width: Int) -> String {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    lines.append(line)
    return lines.joined(separator: "\n")
  }
}
