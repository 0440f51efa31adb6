import Linux
import Recipe
import Stage
import Vocabulary

/// What a command line said: options with their values in order, and the words that are none.
struct Arguments {
  private(set) var values: [(option: String, value: String)] = []
  private(set) var words: [String] = []
  /// Set for options of the recipe.
  private(set) var inputs: [(name: String, value: String)] = []
  private let variables: (String) -> String?

  /// `inputs` are the options that the recipe declares; nothing accepts (and sets aside) any: that is the first look, to find the recipe.
  init(
    _ line: [String], of command: Command, inputs known: [InputOption]?, variables: @escaping (String) -> String? = environment
  ) throws(UsageError) {
    self.variables = variables
    let options = OptionTable.options(of: command)
    var rest = line[...]
    var onlyWords = false
    while let word = rest.popFirst() {
      if onlyWords || word == "-" || !word.hasPrefix("-") {
        words.append(word)
        continue
      }
      if word == "--" {
        onlyWords = true
        continue
      }
      let (dashed, behind) = Self.halves(word)
      let name = String(dashed.drop { $0 == "-" })
      var given = behind
      let option = options.first { word.hasPrefix("--") ? $0.name == name && name.count > 1 : $0.short.map(String.init) == name }
      if let option {
        guard option.value != nil else {
          guard given == nil else { throw UsageError("--\(name) takes no value") }
          values.append((option.name, ""))
          continue
        }
        if given == nil { given = rest.popFirst() }
        guard let given else { throw UsageError("\(dashed) needs a value: \(option.usage)") }
        guard option.repeats || value(option.name) == nil || !isGiven(option.name) else {
          throw UsageError("\(dashed) is given twice")
        }
        try Self.check(given, for: option, as: dashed)
        values.append((option.name, given))
      } else if let known {
        guard word.hasPrefix("--"), let input = known.first(where: { $0.option == name }) else {
          throw Self.unknown(dashed, command, options, known)
        }
        guard input.type != "secret" else { throw UsageError(InputReader.noOption(input.name), hint: InputReader.way(input.name)) }
        guard input.repeats || !inputs.contains(where: { $0.name == input.name }) else {
          throw UsageError("--\(name) is given twice")
        }
        if input.isFlag {
          if let given, !["true", "false"].contains(given) { throw UsageError("--\(name) is true or false, not \(given)") }
          inputs.append((input.name, given ?? "true"))
          continue
        }
        if given == nil { given = rest.popFirst() }
        guard let given else { throw UsageError("--\(name) needs a value: a \(input.type)") }
        inputs.append((input.name, given))
      }
    }
    for option in options where option.hasTwin {
      if let text = twin(option), option.value != nil { try Self.check(text, for: option, as: option.twin) }
    }
  }

  /// Before and behind the first `=`, by octets: with an accent behind it, it is another character.
  static func halves(_ text: String) -> (name: String, value: String?) {
    guard let place = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return (text, nil) }
    return (String(text[..<place]), String(text[text.utf8.index(after: place)...]))
  }

  private static func check(_ value: String, for option: Option, as name: String) throws(UsageError) {
    guard option.choices.isEmpty || option.choices.contains(value) else {
      throw UsageError("\(name) is \(option.choices.joined(separator: ", ")), not \(value)")
    }
  }

  private static func unknown(_ word: String, _ command: Command, _ options: [Option], _ inputs: [InputOption]) -> UsageError {
    let name = String(word.drop { $0 == "-" })
    let candidates = inputs.map(\.option) + options.map(\.name).filter { $0.count > 1 }
    if let near = Spelling.nearest(to: name, among: candidates) {
      return UsageError("tooth \(command.name) has no option \(word) — did you mean --\(near)?")
    }
    if OptionTable.options.contains(where: { $0.name == name }) {
      return UsageError("\(word) is no option of tooth \(command.name)", hint: "tooth help \(command.name)")
    }
    return UsageError("tooth \(command.name) has no option \(word)", hint: "tooth help \(command.name)")
  }

  private func twin(_ option: Option) -> String? {
    guard option.hasTwin, let text = variables(option.twin), !text.isEmpty else { return nil }
    return text
  }

  private func isGiven(_ name: String) -> Bool { values.contains { $0.option == name } }

  /// The value of an option: the command line's, else the environment's.
  func value(_ name: String) -> String? {
    values.last { $0.option == name }?.value ?? OptionTable.option(name).flatMap { twin($0) }
  }

  func all(_ name: String) -> [String] {
    let given = values.filter { $0.option == name }.map(\.value)
    return given.isEmpty ? value(name).map { [$0] } ?? [] : given
  }

  func has(_ name: String) -> Bool {
    if isGiven(name) { return true }
    guard let option = OptionTable.option(name), let text = twin(option) else { return false }
    return option.value != nil || !["0", "no", "false"].contains(text)
  }

  func duration(_ name: String) throws(UsageError) -> TimeSpan? {
    guard let text = value(name) else { return nil }
    guard let span = DurationText.parse(text) else {
      throw UsageError("--\(name) is a duration like 500ms, 30s or 1h30min, not \(text)")
    }
    return span
  }

  func number(_ name: String) throws(UsageError) -> UInt64? {
    guard let text = value(name) else { return nil }
    let digits = text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
    guard let digits else { throw UsageError("--\(name) is a whole number, not \(text)") }
    return digits
  }
}
