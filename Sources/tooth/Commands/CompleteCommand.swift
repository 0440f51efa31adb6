import Exchange
import Journal
import Linux
import Recipe
import Runner
import Session
import Terminal
import Vocabulary

/// `tooth __complete bash|plain LINE`: prints candidates for shell completion, one per line.
/// `:files` and `:recipes` make the shell list files. Never uses an adapter.
struct CompleteCommand {
  private let words: CommandWords
  private let command: Command
  private let arguments: Arguments
  /// The words before the current one, without options.
  private let given: [String]

  static func run(_ line: [String]) -> Int32 {
    guard line.count == 2, ["bash", "plain"].contains(line[0]) else { return 2 }
    let words = CommandWords(line[1])
    var text = ""
    for candidate in candidates(words) {
      if candidate.hasPrefix(":") {
        text += candidate + "\n"
      } else if candidate.hasPrefix(words.current) {
        text += (line[0] == "bash" ? words.bash(candidate) : candidate) + "\n"
      }
    }
    Console(style: Console.Style()).print(text)
    return 0
  }

  private static func candidates(_ words: CommandWords) -> [String] {
    guard words.before.count > 1 else {
      return words.current.hasPrefix("-") ? ["--help", "--version"] : OptionTable.commands.map(\.name)
    }
    guard let command = OptionTable.command(words.before[1]) else { return [] }
    var line = Array(words.before.dropFirst(2))
    // The current word is the value of an option.
    let awaited = line.last.flatMap { last in
      OptionTable.options(of: command).first { "--\($0.name)" == last && $0.value != nil }
    }
    if awaited != nil { line.removeLast() }
    guard let arguments = try? Arguments(line, of: command, inputs: nil) else { return [] }
    let completer = CompleteCommand(words: words, command: command, arguments: arguments, given: arguments.words)
    if let awaited { return completer.values(of: awaited) }
    return words.current.hasPrefix("-") ? completer.options : completer.following
  }

  private func values(of option: Option) -> [String] {
    if option.isFile { return [":files"] }
    if option.name == "adapter" { return ["sim:demo", "hci0", "unix:", "tcp:", "serial:", "sim:"] }
    return option.choices
  }

  private var options: [String] {
    var list = OptionTable.options(of: command).map { $0.name.count > 1 ? "--\($0.name)" : "-\($0.name)" }
    guard ["run", "resume"].contains(command.name), let path = given.first(where: { $0.hasSuffix(".ble") }),
      let loaded = try? RecipeLoader.load(path: path), let recipe = loaded.recipe
    else { return list }
    let inputs = inputOptions(of: recipe, loaded.sources).filter { $0.type != "secret" }
    list = inputs.map { "--\($0.option)" } + list
    return list
  }

  private var following: [String] {
    switch (command.name, given.count) {
    case ("read", 0), ("write", 0), ("watch", 0), ("info", 0), ("clone", 0), ("pair", 0), ("forget", 0), ("alias", 1):
      return devices
    case ("read", _), ("watch", _), ("write", 1): return attributes(of: given[0], for: command.name)
    case ("alias", 0): return command.verbs
    case ("do", _): return spoken
    case ("decode", 0): return FormatCatalog.names
    case ("names", _): return AssignedNumbers.allNames(.service) + AssignedNumbers.allNames(.characteristic)
    case ("help", 0): return OptionTable.commands.map(\.name) + [":recipes"]
    case ("explain", 0): return Explanations.all().map(\.code)
    case ("runs", 0): return command.verbs
    case ("runs", _): return runs
    case ("resume", 0): return runs + [":recipes"]
    case (_, 0) where !command.verbs.isEmpty: return command.verbs
    default: return command.takesRecipes ? [":recipes"] : []
    }
  }

  private var runs: [String] {
    guard let state = try? StateDirectory.choose(option: arguments.value("state"), environment: environment) else { return [] }
    return state.runs().map(\.text)
  }

  /// Aliases, then devices from scans, then those whose attributes are known. If a name cannot be
  /// typed, its address is used.
  private var devices: [String] {
    guard let store = AliasBook.store(arguments) else { return [] }
    let aliases = (try? store.aliases()) ?? []
    if given.first == "drop" { return aliases.map(\.name) }
    let heard = (try? store.heardDevices()) ?? []
    let known = ((try? store.allAttributeCaches()) ?? []).map(\.address).filter { address in
      !heard.contains { AddressValue($0.address)?.isSame(as: AddressValue(address)) ?? false }
    }
    let all =
      aliases.map(\.name) + heard.map { Shown.text($0.name) == $0.name && !$0.name.isEmpty ? $0.name : $0.address }
      + heard.map(\.address) + known.map { AddressValue($0).description }
    return Self.unique(all)
  }

  /// Each candidate once, also an address that is written with and without its type.
  private static func unique(_ candidates: [String]) -> [String] {
    var kept: [String] = []
    var addresses: [AddressValue] = []
    for candidate in candidates where !kept.contains(candidate) {
      if let address = AddressValue(candidate) {
        guard !addresses.contains(where: { $0.isSame(as: address) }) else { continue }
        addresses.append(address)
      }
      kept.append(candidate)
    }
    return kept
  }

  /// The device's cached attributes that allow this use; otherwise all names of the Bluetooth SIG.
  private func attributes(of device: String, for use: String) -> [String] {
    let all = AssignedNumbers.allNames(.characteristic)
    guard let store = AliasBook.store(arguments) else { return all }
    let target = ((try? store.aliases()) ?? []).first { $0.name == device }?.device ?? device
    let heard = ((try? store.heardDevices()) ?? []).first { $0.name == target }?.address ?? target
    guard let address = AddressValue(heard),
      let known = ((try? store.allAttributeCaches()) ?? []).first(where: { AddressValue($0.address).isSame(as: address) })
    else { return all }
    let mask: UInt8 = use == "write" ? 0x0C : use == "watch" ? 0x30 : 0x02
    let fitting = known.attributeCache.services.flatMap(\.characteristics).filter { $0.properties & mask != 0 }
    let names = fitting.map { AssignedNumbers.name(ofCharacteristic: $0.uuid) ?? "\($0.uuid)" }
    return names.isEmpty ? all : names
  }

  /// A statement, an attribute or a device, depending on the previous word.
  private var spoken: [String] {
    switch given.last {
    case nil, "then": return Words.actions
    case "scan": return ["for"]
    case "for":
      return ["all", "strongest", "anything"] + devices.filter { AliasBook.isName($0) } + AssignedNumbers.allNames(.service)
    case "connect": return ["to", "when", "within", "then"]
    case "subscribe", "unsubscribe": return [given.last == "subscribe" ? "to" : "from"]
    case "read", "notify": return AssignedNumbers.allNames(.characteristic)
    case "to", "from":
      let verb = given.dropLast().last
      return verb == "connect" || verb == "disconnect" ? devices : AssignedNumbers.allNames(.characteristic)
    case "of", "with": return devices
    default: return ["then", "as", "within", "to", "of", "for"]
    }
  }
}
