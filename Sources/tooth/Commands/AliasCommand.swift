import Journal
import Linux
import Recipe
import Runner
import Session
import Vocabulary

/// `tooth alias`, `tooth alias NAME DEVICE`, `tooth alias drop NAME`.
enum AliasCommand {
  /// Names that the recipes of one-shot commands use themselves.
  private static let taken = ["device", "drop", "value", "left", "found", "problem", "service", "s", "c"]

  /// Words of other tools for operations on a list, which are unlikely as names.
  private static let verbs = ["list", "rm", "remove", "delete", "del", "unset"]

  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    let console = Console(style: arguments.style())
    let words = arguments.words
    guard words.count == 0 || words.count == 2 else {
      if words == ["list"] { throw UsageError("tooth alias has no \(words[0])", hint: "tooth alias lists them") }
      throw UsageError(
        words.count == 1 ? "tooth alias \(words[0]) needs a device: an address or a name" : "tooth alias takes a name and a device",
        hint: words.count == 1 ? HelpText.usage(command) : "put a name with spaces in quotes")
    }
    do throws(JournalFailure) {
      let state = try StateDirectory.choose(option: arguments.value("state"), environment: environment)
      if words.isEmpty {
        list(try LazySharedStore(in: state).existing()?.aliases() ?? [], console)
        return 0
      }
      if words[0] == "drop" {
        let store = try LazySharedStore(in: state).existing()
        let known = try store?.aliases().map(\.name) ?? []
        guard known.contains(words[1]) else {
          let near = Spelling.nearest(to: words[1], among: known)
          throw JournalFailure(
            .unknown, "there is no alias \(words[1])" + (near.map { " — did you mean \($0)?" } ?? ""),
            hint: "tooth alias lists them")
        }
        try store?.dropAlias(words[1])
        return 0
      }
    } catch {
      console.complain(error.message, hint: error.hint)
      return error.exitCode
    }
    let (name, device) = (words[0], words[1])
    if !AliasBook.isName(name), AliasBook.isName(device) {
      throw UsageError("\(name) cannot be an alias", hint: "the alias comes first: tooth alias \(device) \(ShellText.word(name))")
    }
    guard AliasBook.isName(name) else {
      throw UsageError(
        "\(name) cannot be an alias",
        hint: "an alias begins with a lower-case letter and has only letters, digits and _, like a name in a recipe")
    }
    guard !verbs.contains(name) else {
      throw UsageError(
        "\(name) cannot be an alias",
        hint: name == "list" ? "tooth alias lists them" : "tooth alias drop \(ShellText.word(device)) removes an alias")
    }
    let isNumbered = name.hasPrefix("value_")
    guard !SIGNames.isAny(name), !taken.contains(name), !isNumbered else {
      throw UsageError("\(name) already has a meaning in recipes", hint: "choose another name, for example my_\(name)")
    }
    guard !device.isEmpty else { throw UsageError("the device of \(name) is empty", hint: HelpText.usage(command)) }
    do throws(JournalFailure) {
      let state = try StateDirectory.choose(option: arguments.value("state"), environment: environment)
      if let warning = try state.make() { console.note("warning: \(warning)") }
      let store = try LazySharedStore(in: state).open()
      // An alias of an alias refers to its device.
      let target = try store.aliases().first { $0.name == device }?.device ?? device
      try store.setAlias(name, of: AddressValue(target)?.withKind ?? target)
      return 0
    } catch {
      console.complain(error.message, hint: error.hint)
      return error.exitCode
    }
  }

  private static func list(_ aliases: [(name: String, device: String)], _ console: Console) {
    let width = aliases.map(\.name.utf8.count).max() ?? 0
    if console.style.format == .csv, !aliases.isEmpty { console.print("name,device\n") }
    for alias in aliases {
      switch console.style.format {
      case .text: console.print("\(HelpText.padded(alias.name, width))  \(Shown.text(alias.device))\n")
      case .csv: console.print("\(CSV.quoted(alias.name)),\(CSV.quoted(alias.device))\n")
      case .json:
        var object = JSONObject()
        object.set("name", alias.name)
        object.set("device", alias.device)
        console.print(object.text + "\n")
      }
    }
  }
}
