/// `tooth(1)` and a page per command, such as `tooth-run(1)`, generated from the option table.
enum ManPage {
  /// The path used by `make install` without a PREFIX. It and the package replace `/usr/local/`.
  private static let examples = "/usr/local/share/doc/tooth/recipes"

  static func text() -> String {
    var page = """
      .\\" Made by "tooth help --man" out of the option table; do not edit.
      .TH TOOTH 1 "" "tooth \(HelpText.version)" "User Commands"
      .SH NAME
      tooth \\- Bluetooth Low Energy recipes that survive being killed
      .SH SYNOPSIS

      """
    for command in OptionTable.commands { page += ".B tooth \(escaped(command.name))\n\(escaped(command.arguments))\n.br\n" }
    page += """
      .SH DESCRIPTION
      tooth runs recipes: text files with plain English statements for Bluetooth Low Energy devices.
      If a run is killed and started again, it continues where it was.
      .SH COMMANDS

      """
    for command in OptionTable.commands {
      page += ".SS tooth \(escaped(command.name)) \(escaped(command.arguments))\n\(escaped(sentence(command.summary)))\n"
      for paragraph in command.details { page += ".PP\n\(escaped(paragraph))\n" }
      if !command.options.isEmpty {
        page +=
          ".PP\nOptions: \(command.options.map { $0.count > 1 ? "\\fB\\-\\-\(escaped($0))\\fR" : "\\fB\\-\($0)\\fR" }.joined(separator: ", ")).\n"
      }
    }
    page += ".SH OPTIONS\n"
    for option in OptionTable.options {
      page += ".TP\n\\fB\(escaped(option.usage))\\fR\n\(escaped(sentence(option.helpInAll)))\n"
    }
    page += """
      .SH ENVIRONMENT
      Each of these variables does the same as the option with its name; options that are not listed have no variable. The option takes precedence, also over the variable of an option that excludes it, such as \\-\\-quiet and \\-\\-verbose:

      """
    page += OptionTable.options.filter(\.hasVariable).map { "\\fB\($0.variable)\\fR" }.joined(separator: ",\n") + ".\n"
    page += """
      .PP
      \\fBTOOTH_SECRET_\\fINAME\\fR is the value of a secret input. \\fINAME\\fR is as in the recipe or in capitals; the former takes precedence. \\fBNO_COLOR\\fR turns colour off. \\fBTZ\\fR sets the local time zone.
      .SH EXIT STATUS

      """
    for (code, meaning) in OptionTable.exitCodes { page += ".TP\n.B \(escaped(code))\n\(escaped(sentence(meaning)))\n" }
    page += """
      .SH FILES
      .TP
      .I ~/.local/state/tooth
      Checkpoints: a database for each run, and one that all runs share. The folder bonds/ has, for each adapter, the keys of the \
      devices that are paired with it. Runs with --direct keep it below --state DIR, a keeper always here (as a service, below \
      /var/lib/tooth-keeper). Only its owner can read it.
      .TP
      .I \(escaped(examples))
      Example recipes, with simulated devices for them in devices/.
      .SH EXAMPLES
      .nf
      tooth scan \\-\\-adapter sim:demo
      tooth run \(escaped(examples))/heart\\-rate.ble \\-\\-adapter sim:demo
      tooth runs
      .fi
      .SH SEE ALSO
      Each command has a page of its own: \\fBman tooth\\-run\\fR.
      .PP
      .BR tooth\\-recipe (5)

      """
    return page
  }

  static func text(of command: Command) -> String {
    var page = """
      .\\" Made by "tooth help --man \(command.name)" out of the option table; do not edit.
      .TH TOOTH-\(command.name.uppercased()) 1 "" "tooth \(HelpText.version)" "User Commands"
      .SH NAME
      tooth\\-\(escaped(command.name)) \\- \(escaped(command.summary))
      .SH SYNOPSIS
      .B tooth \(escaped(command.name))
      \(escaped(command.arguments))\(command.options.isEmpty ? "" : " [\\fIOPTIONS\\fR]")
      .SH DESCRIPTION

      """
    page +=
      command.details.isEmpty
      ? "\(escaped(sentence(command.summary)))\n" : command.details.map { escaped($0) + "\n" }.joined(separator: ".PP\n")
    let options = OptionTable.options(of: command)
    if !options.isEmpty {
      page += ".SH OPTIONS\n"
      for option in options {
        page += ".TP\n\\fB\(escaped(option.usage))\\fR\n\(escaped(sentence(option.help(in: command.name))))\n"
      }
    }
    let variableOptions = options.filter(\.hasVariable)
    if !variableOptions.isEmpty {
      page += ".SH ENVIRONMENT\nEach of these does the same as the option with its name, which takes precedence:\n"
      page += variableOptions.map { "\\fB\($0.variable)\\fR" }.joined(separator: ",\n") + ".\n"
    }
    page += """
      .SH EXIT STATUS
      0 if nothing failed, 2 for a wrong command line. tooth(1) lists the others.
      .SH SEE ALSO
      .BR tooth (1),
      .BR tooth\\-recipe (5)

      """
    return page
  }

  private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\\\"
      case "-": result += "\\-"
      case "…": result += "..."
      default: result.append(character)
      }
    }
    return result
  }
}
