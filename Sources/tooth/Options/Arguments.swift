import Linux
import Recipe
import Session
import Vocabulary

/// A parsed command line: options with values in order, and the other words.
struct Arguments {
  private(set) var values: [(option: String, value: String)] = []
  private(set) var words: [String] = []
  /// Values of the recipe's options.
  private(set) var inputs: [(name: String, value: String)] = []
  /// Whether there were unknown options, which the recipe may declare.
  private(set) var leavesOptions = false
  /// Whether the first word may be the value of an unknown option before it.
  private var firstWordIsDoubtful = false
  /// Looks up the value of an option that is not given; `nil` if there are no `TOOTH_` variables.
  private let variables: ((String) -> String?)?

  /// Whether to avoid drawing, for a screen reader or a simple terminal.
  var isPlain: Bool { has("plain") || environment("TERM") == "dumb" || environment("ACCESSIBLE") == "1" }

  /// `inputs` are the options that the recipe declares. `nil` accepts unknown options, for a first
  /// pass that finds the recipe.
  init(
    _ line: [String], of command: Command, inputs known: [InputOption]?, variables: ((String) -> String?)? = nil
  ) throws(UsageError) {
    if variables == nil, hasVariable(beginningWith: Option.variablePrefix) {
      self.variables = { environment($0) }
    } else {
      self.variables = variables
    }
    let options = OptionNames(of: command)
    var rest = line[...]
    var onlyWords = false
    var followsUnknown = false
    while let word = rest.popFirst() {
      if onlyWords || word == "-" || !word.hasPrefix("-") || Self.isNegative(word) {
        if words.isEmpty { firstWordIsDoubtful = followsUnknown }
        words.append(word)
        continue
      }
      followsUnknown = false
      if word == "--" {
        onlyWords = true
        continue
      }
      if Self.isCluster(word, of: options) {
        values += word.dropFirst().compactMap { options.option(short: $0) }.map { ($0.name, "") }
        continue
      }
      let (dashed, behind) = Self.halves(word)
      let name = String(dashed.drop { $0 == "-" })
      var given = behind
      let option = word.hasPrefix("--") ? options.option(long: name) : options.option(short: name)
      if let option {
        guard option.value != nil else {
          guard given == nil else { throw UsageError("--\(name) takes no value") }
          values.append((option.name, ""))
          continue
        }
        if given == nil, option.bare != nil { given = option.bare }
        if given == nil, !Self.isOption(rest.first, options) { given = rest.popFirst() }
        guard let given else {
          throw UsageError("\(dashed) needs a value: \(option.usage)", hint: Self.hint(dashed, rest.first))
        }
        guard option.repeats || value(option.name) == nil || !isGiven(option.name) else {
          throw UsageError("\(dashed) is given twice")
        }
        try Self.check(given, for: option, as: dashed)
        values.append((option.name, given))
      } else if let known {
        guard word.hasPrefix("--"), let input = known.first(where: { $0.option == name }) else {
          throw Self.unknown(dashed, command, options, known)
        }
        guard input.type != "secret" else {
          throw UsageError(InputReader.noOption(input.name), hint: InputReader.waysToGive(input.name))
        }
        guard input.repeats || !inputs.contains(where: { $0.name == input.name }) else {
          throw UsageError("--\(name) is given twice")
        }
        if input.isFlag {
          if let given, !["true", "false"].contains(given) { throw UsageError("--\(name) takes true or false, not \(given)") }
          inputs.append((input.name, given ?? "true"))
          continue
        }
        if given == nil, !Self.isOption(rest.first, options) { given = rest.popFirst() }
        guard let given else { throw UsageError("--\(name) needs a value: a \(input.type)", hint: Self.hint(dashed, rest.first)) }
        inputs.append((input.name, given))
      } else {
        leavesOptions = true
        followsUnknown = given == nil
      }
    }
    if !values.isEmpty { try checkTogether(command) }
    guard self.variables != nil else { return }
    for option in OptionTable.options(of: command) where option.hasVariable {
      if let text = variable(option), option.value != nil { try Self.check(text, for: option, as: option.variable) }
    }
  }

  /// Refuses an unknown option if there is no recipe that could declare it. Call it when no recipe
  /// was loaded: the word that was taken for its name may be the value of the option.
  func refuseUnknownOptions(_ line: [String], of command: Command) throws(UsageError) {
    guard leavesOptions, words.isEmpty || firstWordIsDoubtful else { return }
    _ = try Arguments(line, of: command, inputs: [])
  }

  /// Whether it is a number such as `-70dBm`, because no option begins with a digit.
  private static func isNegative(_ word: String) -> Bool {
    word.utf8.dropFirst().first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
  }

  /// Whether it is `-vv`: several options in one word, none of which takes a value.
  private static func isCluster(_ word: String, of options: OptionNames) -> Bool {
    guard word.utf8.count > 2, !word.hasPrefix("--") else { return false }
    return word.dropFirst().allSatisfy { options.option(short: $0).map { $0.value == nil } ?? false }
  }

  /// Whether a word is an option and so cannot be the value of the previous one.
  private static func isOption(_ word: String?, _ options: OptionNames) -> Bool {
    guard let word, word.hasPrefix("-") else { return false }
    return word.utf8.count > 2 && word.hasPrefix("--") || options.option(short: String(word.dropFirst())) != nil
  }

  private static func hint(_ option: String, _ next: String?) -> String? {
    next.map { "a value that begins with a dash is joined to its option: \(option)=\($0)" }
  }

  /// The parts before and after the first `=`. Compares octets, because `=` with a combining mark
  /// is another character.
  static func halves(_ text: String) -> (name: String, value: String?) {
    guard let place = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return (text, nil) }
    return (String(text[..<place]), String(text[text.utf8.index(after: place)...]))
  }

  private static func check(_ value: String, for option: Option, as name: String) throws(UsageError) {
    guard option.choices.isEmpty || option.choices.contains(value) else {
      throw UsageError("\(name) takes \(option.choices.choice), not \(value)")
    }
    switch option.value {
    case "DURATION" where DurationText.isTooLong(value): throw UsageError("\(name) takes at most 290 years, not \(value)")
    case "DURATION" where DurationText.parse(value) == nil:
      throw UsageError("\(name) takes a duration like 500ms, 30s or 1h30min, not \(value)")
    case "DURATION":
      guard let range = option.range, let span = DurationText.parse(value), !range.spans.contains(span) else { return }
      throw UsageError("\(name) takes \(range.words), not \(value)")
    case "N" where Self.number(value) == nil: throw UsageError("\(name) takes a whole number, not \(value)")
    default: break
    }
  }

  /// Checks the typed options together. They override those from the environment.
  private func checkTogether(_ command: Command) throws(UsageError) {
    for (first, second, hint) in OptionTable.exclusive where isGiven(first) && isGiven(second) {
      throw UsageError("--\(first) and --\(second) cannot be used together", hint: hint)
    }
    if isGiven("output"), let format = value("output"), format != "text" {
      if isGiven("tap") {
        throw UsageError("--tap and --output \(format) cannot be used together", hint: "leave one out")
      }
      if format == "csv", command.name == "runs", words.first == "show" {
        throw UsageError(
          "tooth runs show has no CSV", hint: "--output json gives one object; tooth runs --output csv gives a row a run")
      }
      if format == "csv", OptionTable.withoutCSV.contains(command.name) {
        throw UsageError("tooth \(command.name) has no CSV", hint: "--output json gives one object a line")
      }
    }
    for (option, other, wanted) in OptionTable.needing where isGiven(option) && value(other) != wanted {
      throw UsageError("--\(option) needs --\(other) \(wanted)")
    }
    for (name, option, verbs) in OptionTable.ofVerbs where name == command.name && isGiven(option) {
      guard !verbs.contains(words.first ?? "") else { continue }
      throw UsageError("--\(option) is for \(verbs.map { "tooth \(name) \($0)" }.list(by: " and "))")
    }
  }

  private static func unknown(_ word: String, _ command: Command, _ options: OptionNames, _ inputs: [InputOption]) -> UsageError {
    let name = String(word.drop { $0 == "-" })
    let candidates = inputs.map(\.option) + options.names.filter { $0.count > 1 }
    if let near = Spelling.nearest(to: name, among: candidates) {
      return UsageError("tooth \(command.name) has no option \(word) — did you mean --\(near)?")
    }
    if name != "csv" || !OptionTable.withoutCSV.contains(command.name),
      let instead = ForeignCommands.option(for: name, of: command)
    {
      return UsageError("tooth \(command.name) has no option \(word)", hint: instead)
    }
    if OptionTable.options.contains(where: { $0.name == name }) {
      return UsageError("\(word) is no option of tooth \(command.name)", hint: "tooth help \(command.name)")
    }
    return UsageError("tooth \(command.name) has no option \(word)", hint: "tooth help \(command.name)")
  }

  private func variable(_ option: Option) -> String? {
    guard let variables, option.hasVariable, let text = variables(option.variable), !text.isEmpty else { return nil }
    return text
  }

  /// The value of an option in the environment.
  private func variable(_ name: String) -> String? { variables == nil ? nil : OptionTable.option(name).flatMap { variable($0) } }

  /// A typed `--verbose` overrides `TOOTH_QUIET`.
  var isQuiet: Bool { has("quiet") && (isGiven("quiet") || !isGiven("verbose")) }

  private func isGiven(_ name: String) -> Bool { values.contains { $0.option == name } }

  /// The value of an option, from the command line or otherwise the environment.
  func value(_ name: String) -> String? {
    values.last { $0.option == name }?.value ?? variable(name)
  }

  func all(_ name: String) -> [String] {
    let given = values.filter { $0.option == name }.map(\.value)
    return given.isEmpty ? value(name).map { [$0] } ?? [] : given
  }

  func has(_ name: String) -> Bool {
    if isGiven(name) { return true }
    guard variables != nil, let option = OptionTable.option(name), let text = variable(option) else { return false }
    return option.value != nil || !["0", "no", "false"].contains(text)
  }

  /// Where the value of an option comes from: `--allow`, or `TOOTH_ALLOW`.
  func label(_ name: String) -> String {
    guard !isGiven(name), let option = OptionTable.option(name), variable(option) != nil else { return "--\(name)" }
    return option.variable
  }

  /// The number of times a flag is given; in the environment it may be a number.
  func count(_ name: String) -> Int {
    let given = values.count { $0.option == name }
    if given > 0 { return given }
    guard has(name) else { return 0 }
    return variable(name).flatMap { Int($0) } ?? 1
  }

  /// The duration; `nil` if it is not given. Its syntax is already checked.
  func duration(_ name: String) throws(UsageError) -> TimeSpan? { value(name).flatMap { DurationText.parse($0) } }

  func number(_ name: String) throws(UsageError) -> UInt64? { value(name).flatMap { Self.number($0) } }

  private static func number(_ text: String) -> UInt64? {
    text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
  }
}
