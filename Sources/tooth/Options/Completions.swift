/// Completions for the shells, out of the option table.
enum Completions {
  static func text(for shell: String) -> String? {
    switch shell {
    case "bash": bash()
    case "zsh": zsh()
    case "fish": fish()
    default: nil
    }
  }

  private static func words(_ command: Command) -> [String] {
    command.verbs
      + OptionTable.options(of: command).flatMap { option in option.name.count > 1 ? ["--\(option.name)"] : ["-\(option.name)"] }
  }

  private static func bash() -> String {
    var text = """
      # bash completion for tooth, made by "tooth completions bash"; do not edit.
      _tooth() {
        local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=""
        COMPREPLY=()
        if [ "$COMP_CWORD" -eq 1 ]; then
          COMPREPLY=($(compgen -W "\(OptionTable.commands.map(\.name).joined(separator: " "))" -- "$current"))
          return
        fi
        case $before in

      """
    for option in OptionTable.options where !option.choices.isEmpty {
      text +=
        "    --\(option.name)) COMPREPLY=($(compgen -W \"\(option.choices.joined(separator: " "))\" -- \"$current\")); return ;;\n"
    }
    let files = OptionTable.options.filter(\.isFile).map { "--\($0.name)" }.joined(separator: " | ")
    text += "    \(files)) COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n"
    text += "  esac\n  case ${COMP_WORDS[1]} in\n"
    for command in OptionTable.commands { text += "    \(command.name)) words=\"\(words(command).joined(separator: " "))\" ;;\n" }
    let recipes = OptionTable.commands.filter(\.takesRecipes).map(\.name).joined(separator: " | ")
    text += """
        esac
        case $current in
          -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
          *)
            case ${COMP_WORDS[1]} in
              \(recipes)) COMPREPLY=($(compgen -d -S / -- "$current") $(compgen -f -X '!*.ble' -- "$current")) ;;
              *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
            esac
            ;;
        esac
      }
      complete -o nospace -o filenames -F _tooth tooth

      """
    return text
  }

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
      commands=(

      """
    for command in OptionTable.commands { text += "  '\(command.name):\(quoted(command.summary))'\n" }
    text += """
      )
      if ((CURRENT == 2)); then
        _describe command commands
        return
      fi
      case $words[2] in

      """
    for command in OptionTable.commands {
      text += "  \(command.name))\n    _arguments"
      for option in OptionTable.options(of: command) {
        let name = option.name.count > 1 ? "--\(option.name)" : "-\(option.name)"
        text += " \\\n      '\(option.repeats ? "*" : "")\(name)[\(quoted(option.help))]"
        if let value = option.value {
          let action = option.choices.isEmpty ? (option.isFile ? "_files" : "") : "(\(option.choices.joined(separator: " ")))"
          text += ":\(value):\(action)"
        }
        text += "'"
      }
      if !command.verbs.isEmpty { text += " \\\n      '2:word:(\(command.verbs.joined(separator: " ")))'" }
      if command.takesRecipes { text += " \\\n      '*:recipe:_files -g \"*.ble\"'" }
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
      for option in OptionTable.options(of: command) {
        text += when
        if option.name.count > 1 { text += " -l \(option.name)" }
        if let short = option.short { text += " -s \(short)" }
        if option.value != nil { text += option.isFile ? " -r -F" : " -x" }
        if !option.choices.isEmpty { text += " -a '\(option.choices.joined(separator: " "))'" }
        text += " -d '\(quoted(option.help))'\n"
      }
      if command.takesRecipes { text += "\(when) -k -a '(__fish_complete_suffix .ble)'\n" }
    }
    return text
  }
}
