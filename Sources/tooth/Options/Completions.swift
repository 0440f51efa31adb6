/// Shell completions, generated from the option table.
enum Completions {
  static func text(for shell: String) -> String? {
    switch shell {
    case "bash": bash()
    case "zsh": zsh()
    case "fish": fish()
    default: nil
    }
  }

  /// The script asks the program for everything, because devices, attributes, runs and inputs
  /// change.
  private static func bash() -> String {
    """
    # bash completion for tooth, made by "tooth completions bash"; do not edit.
    _tooth() {
      local line
      COMPREPLY=()
      while IFS= read -r line; do
        case $line in
          :files)
            compopt -o filenames
            while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$2")
            ;;
          :recipes)
            compopt -o filenames
            while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$2"; compgen -f -X '!*.ble' -- "$2")
            ;;
          *) COMPREPLY+=("$line") ;;
        esac
      done < <("$1" __complete bash "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
    }
    complete -F _tooth tooth

    """
  }

  /// Commands whose arguments the program completes: devices, attributes, runs.
  private static let live = [
    "do", "read", "write", "watch", "info", "clone", "pair", "forget", "alias", "runs", "resume", "decode", "explain",
  ]

  private static func zsh() -> String {
    func quoted(_ text: String) -> String {
      var result = ""
      for character in text {
        switch character {
        case "'": result += "'\\''"
        case "[", "]", ":": result += "\\\(character)"
        default: result.append(character)
        }
      }
      return result
    }
    var text = """
      #compdef tooth
      # zsh completion for tooth, made by "tooth completions zsh"; do not edit.
      local -a commands
      local program=$words[1]
      _tooth_words() {
        local -a found
        found=(${(f)"$($program __complete plain "tooth ${(j: :)words[1,CURRENT-1]} $PREFIX" 2>/dev/null)"})
        found=(${found:#:*})
        (( $#found )) && compadd -a found
      }
      commands=(

      """
    for command in OptionTable.commands { text += "  '\(command.name):\(quoted(command.summary))'\n" }
    text += """
      )
      if ((CURRENT == 2)); then
        _describe command commands
        return
      fi
      # _arguments takes the first word for the command.
      shift words
      (( CURRENT-- ))
      case $words[1] in

      """
    for command in OptionTable.commands {
      text += "  \(command.name))\n    _arguments"
      for option in OptionTable.options(of: command) {
        let name = option.name.count > 1 ? "--\(option.name)" : "-\(option.name)"
        let sign = option.bare == nil ? "" : "=-"
        text += " \\\n      '\(option.repeats ? "*" : "")\(name)\(sign)[\(quoted(option.help(in: command.name)))]"
        if let value = option.value {
          let action = option.choices.isEmpty ? (option.isFile ? "_files" : "") : "(\(option.choices.joined(separator: " ")))"
          text += "\(option.bare == nil ? "" : ":"):\(value):\(action)"
        }
        text += "'"
      }
      if live.contains(command.name) { text += " \\\n      '*:word:_tooth_words'" }
      if !command.verbs.isEmpty, !live.contains(command.name) {
        text += " \\\n      '1:word:(\(command.verbs.joined(separator: " ")))'"
      }
      if command.takesRecipes, !live.contains(command.name) { text += " \\\n      '*:recipe:_files -g \"*.ble\"'" }
      text += "\n    ;;\n"
    }
    return text + "esac\n"
  }

  private static func fish() -> String {
    func quoted(_ text: String) -> String { text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'") }
    var text = "# fish completion for tooth, made by \"tooth completions fish\"; do not edit.\ncomplete -c tooth -f\n"
    for command in OptionTable.commands {
      text += "complete -c tooth -n __fish_use_subcommand -a \(command.name) -d '\(quoted(command.summary))'\n"
    }
    for command in OptionTable.commands {
      let when = "complete -c tooth -n '__fish_seen_subcommand_from \(command.name)'"
      for verb in command.verbs { text += "\(when) -a \(verb)\n" }
      if live.contains(command.name) {
        text += "\(when) -a '(tooth __complete plain (commandline -cp) 2>/dev/null | string match -v \":*\")'\n"
      }
      for option in OptionTable.options(of: command) {
        text += when
        if option.name.count > 1 { text += " -l \(option.name)" }
        if let short = option.short { text += " -s \(short)" }
        if option.value != nil, option.bare == nil { text += option.isFile ? " -r -F" : " -x" }
        if !option.choices.isEmpty { text += " -a '\(option.choices.joined(separator: " "))'" }
        text += " -d '\(quoted(option.help(in: command.name)))'\n"
      }
      if command.takesRecipes { text += "\(when) -k -a '(__fish_complete_suffix .ble)'\n" }
    }
    return text
  }
}
