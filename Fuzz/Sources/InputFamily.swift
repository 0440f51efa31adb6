import Adapters
import KeeperProcess
import Linux
import Recipe
import Runner
import Session
import Vocabulary

/// A command line, word by word, for any command and any recipe. It is either refused with a reason
/// or parsed, and what was parsed can be written as words again.
enum InputFuzz {
  private static let text = """
    input device: address
    input service: uuid = heart_rate
    input count: number = 3
    input pause: duration = 5s
    input quick: flag = no
    input dry_run: flag
    input note: text = "none"
    input key: secret = "k"
    input octets: bytes = hex "00"
    input others: addresses = []
    input levels: numbers = [1]
    input names: texts = []
    input kinds: uuids = []
    input pauses: durations = []
    print count

    """

  private static let own = RecipeLoader.parse(name: "fuzz.ble", Array(text.utf8))

  static func run(_ bytes: [UInt8]) {
    var input = Input(bytes)
    let how = input.byte()
    // If the first byte says so, a recipe follows the empty line.
    let lines = String(decoding: input.rest(), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(
      String.init)
    var words = lines
    var loaded = own
    if how & 1 == 1, let end = lines.firstIndex(of: "") {
      words = Array(lines[..<end])
      loaded = RecipeLoader.parse(name: "fuzz.ble", Array(lines[(end + 1)...].joined(separator: "\n").utf8))
    }
    guard let recipe = loaded.recipe else {
      return demand(!loaded.findings.isEmpty && how & 1 == 1, "a recipe is refused without a finding")
    }
    let options = inputOptions(of: recipe, loaded.sources)
    let help = HelpText.recipe(name: "fuzz.ble", help: recipe.help, inputs: options)
    for option in options {
      // A secret has no option of its own.
      let way = option.type == "secret" ? "--secret \(option.name)=" : "--\(option.option)"
      demand(help.contains(way), "the help says nothing of \(way)")
    }
    let command = OptionTable.commands[Int(how >> 1) % OptionTable.commands.count]
    // NAME=VALUE pairs at the end set the environment variables of options.
    var twins: [(name: String, value: String)] = []
    while let last = words.last, last.hasPrefix("TOOTH_"), let place = last.firstIndex(of: "=") {
      twins.append((String(last[..<place]), String(last[last.index(after: place)...])))
      words.removeLast()
    }
    let variables = { name in twins.first { $0.name == name }?.value }
    if let first = read(words, command, nil, variables) { _ = first.words }
    if let arguments = read(words, command, options, variables) {
      look(arguments, words, command, options, variables, recipe, loaded)
    }
    for word in words.prefix(12) { look(word) }
    service(words)
  }

  private static func read(
    _ words: [String], _ command: Command, _ options: [InputOption]?, _ variables: @escaping (String) -> String?
  ) -> Arguments? {
    do throws(UsageError) {
      return try Arguments(words, of: command, inputs: options, variables: variables)
    } catch {
      demand(!error.message.isEmpty, "\(words) is refused without words")
      return nil
    }
  }

  private static func look(
    _ arguments: Arguments, _ words: [String], _ command: Command, _ options: [InputOption],
    _ variables: @escaping (String) -> String?, _ recipe: RecipeFile, _ loaded: LoadedRecipe
  ) {
    let allowed = OptionTable.options(of: command)
    // The same command line written without ambiguity.
    var plain: [String] = []
    for (name, value) in arguments.values {
      guard let option = allowed.first(where: { $0.name == name }) else {
        return demand(false, "\(command.name) has no option \(name)")
      }
      demand(option.choices.isEmpty || option.choices.contains(value), "\(name) is \(value)")
      let dashed = name.count > 1 ? "--\(name)" : "-\(name)"
      plain.append(option.value == nil ? dashed : "\(dashed)=\(value)")
    }
    for (name, value) in arguments.inputs {
      guard let option = options.first(where: { $0.name == name }) else { return demand(false, "the recipe has no input \(name)") }
      plain.append("--\(option.option)=\(value)")
    }
    plain += ["--"] + arguments.words
    guard let again = read(plain, command, options, variables) else { return demand(false, "\(plain) is refused, \(words) is not") }
    demand(
      again.words == arguments.words
        && same(again.values.map { ($0.option, $0.value) }, arguments.values.map { ($0.option, $0.value) })
        && same(again.inputs, arguments.inputs), "\(words) is not \(plain)")
    // Works for any request.
    for option in allowed {
      _ = (arguments.has(option.name), arguments.all(option.name))
      guard let value = arguments.value(option.name) else { continue }
      do throws(UsageError) {
        switch option.value {
        case "DURATION":
          demand((try arguments.duration(option.name) ?? .zero) >= .zero, "\(option.name) of \(value) is below nothing")
        case "N": _ = try arguments.number(option.name)
        default: break
        }
      } catch { demand(error.message.contains(option.name), "\(error.message) does not name \(option.name)") }
    }
    _ = AdapterChoice(arguments.value("adapter"))
    inputs(arguments.inputs, recipe, loaded)
  }

  private static func same(_ left: [(name: String, value: String)], _ right: [(name: String, value: String)]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { $0.name == $1.name && $0.value == $1.value }
  }

  /// The values have the declared types, and a resumed run has the same values.
  private static func inputs(_ given: [(name: String, value: String)], _ recipe: RecipeFile, _ loaded: LoadedRecipe) {
    if loaded.hasErrors { return }
    // Files of this machine must not influence fuzzing.
    if recipe.inputs.contains(where: { $0.type.text.hasPrefix("file") }) { return }
    let reader = InputReader(secrets: [("key", "opens it")], environment: { _ in nil })
    guard let inputs = read(given, reader, recipe, loaded) else { return }
    for (name, value) in inputs.values {
      guard let declared = recipe.inputs.first(where: { $0.name.text == name }) else { return demand(false, "an input \(name)") }
      demand(fits(value, declared.type.text), "\(name) is \(value), and was to be a \(declared.type.text)")
    }
    for (name, value) in inputs.identity {
      demand(given.contains { $0.name == name }, "\(name) was not given")
      demand(!value.contains("opens it") || given.contains { $0.value.contains("opens it") }, "a secret names the run")
    }
    guard let again = read(InputReader.given(inputs.identity, of: recipe), reader, recipe, loaded) else {
      return demand(false, "the run cannot go on with \(inputs.identity)")
    }
    demand(same(again.identity, inputs.identity), "\(inputs.identity) is read as \(again.identity)")
    for (name, _) in inputs.identity {
      let (before, after) = (inputs.values.last { $0.name == name }?.value, again.values.last { $0.name == name }?.value)
      demand(before?.encoded == after?.encoded, "\(name) was \(String(describing: before)) and is \(String(describing: after))")
    }
  }

  private static func read(
    _ given: [(name: String, value: String)], _ reader: InputReader, _ recipe: RecipeFile, _ loaded: LoadedRecipe
  ) -> RunInputs? {
    do throws(InputRefusal) {
      return try reader.read(given, of: recipe, loaded.sources)
    } catch {
      demand(!error.message.isEmpty, "a refusal without words")
      return nil
    }
  }

  private static func fits(_ value: Value, _ type: String) -> Bool {
    switch (type, value) {
    case ("text", .text), ("secret", .text), ("number", .int), ("duration", .duration), ("uuid", .uuid), ("address", .address),
      ("bytes", .bytes), ("flag", .bool):
      true
    case ("number", .real(let real)): real.isFinite
    case ("addresses", .list(let list)): list.allSatisfy { fits($0, "address") }
    case (_, .list(let list)): type.hasSuffix("s") && list.allSatisfy { fits($0, String(type.dropLast())) }
    default: false
    }
  }

  /// A systemd unit passes exactly these words, whatever they contain.
  private static func service(_ words: [String]) {
    // The kernel passes no program a zero byte.
    let words = words.map { String(decoding: $0.utf8.filter { $0 != 0 }, as: UTF8.self) }
    func lines(_ words: [String]) -> [[UInt8]] {
      let unit = ServiceUnit(
        name: ServiceUnit.name(of: words.first ?? ""), program: "/tooth", recipe: "/r.ble", arguments: words, directory: "/",
        place: ServiceUnit.Place(isSystem: false))
      demand(ServiceUnit.isName(unit.name) || unit.name.isEmpty || unit.name.utf8.count > 100, "a unit called \(unit.name)")
      return unit.text.utf8.split(whereSeparator: { $0 == 10 || $0 == 13 }).map { Array($0) }
    }
    let unit = lines(words)
    demand(unit.count == lines([]).count, "\(words) are \(unit.count) lines")
    let start = Array("ExecStart=".utf8)
    guard let line = unit.first(where: { $0.starts(with: start) }) else { return demand(false, "nothing is started") }
    let said = Self.words(Array(line.dropFirst(start.count)))
    demand(said == ["/tooth", "run", "/r.ble"] + words, "\(words) are said as \(said): \(String(decoding: line, as: UTF8.self))")
  }

  /// Splits a command line as systemd does (systemd.syntax(7), systemd.service(5)).
  private static func words(_ line: [UInt8]) -> [String] {
    var words: [String] = []
    var word: [UInt8]?
    var quote: UInt8?
    var rest = line[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\\"):
        let letter = rest.popFirst() ?? 0
        switch letter {
        case UInt8(ascii: "n"): word = (word ?? []) + [10]
        case UInt8(ascii: "t"): word = (word ?? []) + [9]
        case UInt8(ascii: "x"):
          word = (word ?? []) + (Hex.bytes(String(decoding: rest.prefix(2), as: UTF8.self)) ?? [])
          rest = rest.dropFirst(2)
        default: word = (word ?? []) + [letter]
        }
      case UInt8(ascii: "%"), UInt8(ascii: "$"):
        // Alone they start specifiers and variables.
        demand(rest.popFirst() == byte, "\(String(decoding: line, as: UTF8.self)) has a specifier")
        word = (word ?? []) + [byte]
      case _ where byte == quote: quote = nil
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if quote == nil {
          quote = byte
          word = word ?? []
        } else {
          word = (word ?? []) + [byte]
        }
      case 32, 9:
        if quote == nil {
          if let word { words.append(String(decoding: word, as: UTF8.self)) }
          word = nil
        } else {
          word = (word ?? []) + [byte]
        }
      default: word = (word ?? []) + [byte]
      }
    }
    if let word { words.append(String(decoding: word, as: UTF8.self)) }
    return words
  }

  private static func look(_ word: String) {
    if let span = DurationText.parse(word) { demand(span >= .zero, "\(word) is \(span)") }
    let choice = AdapterChoice(word)
    if case .unknown = choice { demand(choice.refusal != nil, "\(word) is refused without words") }
    if let name = choice.keeperName(in: "/") {
      let place = KeeperPlace(adapter: name, folder: "/nowhere", environment: { _ in nil })
      demand(!place.name.isEmpty && place.name.utf8.count <= 64 && !place.name.contains("/"), "a socket called \(place.name)")
    }
    if let name = AdapterName(word) { demand(AdapterName("\(name)") == name, "\(word) is \(name)") }
    if let address = H4Address(word) { demand(H4Address("\(address)") == address, "\(word) is \(address)") }
    let wrapped = HelpText.wrapped(word, width: 20)
    demand(letters(wrapped) == letters(word), "\(word) is wrapped to \(wrapped)")
  }

  private static func letters(_ text: String) -> [Unicode.Scalar] { text.unicodeScalars.filter { $0 != " " && $0 != "\n" } }
}
