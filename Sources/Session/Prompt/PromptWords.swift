import Exchange
import Linux
import Recipe
import Runner
import Vocabulary

/// A word that is a line at a prompt but not a statement.
struct PromptWord {
  var name: String
  var summary: String
  /// Its syntax, if it has arguments.
  var form: String?

  static let all = [
    PromptWord(name: "help", summary: "this list; help WORD shows the form of a statement"),
    PromptWord(name: "devices", summary: "devices of this session, and whether they are connected"),
    PromptWord(name: "services", summary: "attributes of the current device, as far as they have been discovered"),
    PromptWord(name: "handlers", summary: "handlers and timers that are active"),
    PromptWord(name: "names", summary: "names with their values"),
    PromptWord(name: "history", summary: "the entries of this session and their outcomes"),
    PromptWord(name: "status", summary: "the adapter, the current device, entries and handlers"),
    PromptWord(name: "events", summary: "show values and lost links that have no handler", form: "events on|off"),
    PromptWord(name: "retry", summary: "repeat what failed: the statement of a recipe, or the newest entry"),
    PromptWord(name: "undo", summary: "remove what an entry declared; without a number, the newest", form: "undo [N]"),
    PromptWord(name: "save", summary: "write the completed entries as a recipe", form: "save recipe FILE"),
    PromptWord(name: "quit", summary: "close the links and exit; Ctrl-D does the same"),
  ]

  /// Words of other prompts as a whole line, and their equivalents here.
  static func foreign(_ line: String) -> (word: String, hint: String)? {
    let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
    guard let first = words.first else { return nil }
    let lower = first.lowercased()
    if lower != first, all.contains(where: { $0.name == lower }) || Words.all.contains(lower) {
      return (first, "words are written in lowercase: `\(([lower] + words.dropFirst()).joined(separator: " "))`")
    }
    switch (first, words.count) {
    case ("quit", 2...): return (words.joined(separator: " "), "`quit` alone exits, and so does Ctrl-D")
    case ("exit", _), ("logout", 1), ("bye", 1), ("q", 1), (":q", 1): return (first, "`quit` exits, and so does Ctrl-D")
    case ("?", _), ("man", _), ("commands", 1), ("menu", _):
      return (first, "`help` lists the words of the prompt, `help read` shows a form")
    case ("clear", 1), ("cls", 1): return (first, "Ctrl-L clears the screen")
    case ("ls", _), ("list", 1), ("dir", 1), ("show", 1):
      return (first, "`devices` lists devices, `services` what one has, `names` values")
    case ("scan", 1),
      ("scan", 2) where words.count == 1 || ["on", "off"].contains(words[1]):
      return (words.joined(separator: " "), "`scan for \"NAME\"` finds a device; `tooth scan`, in a shell, lists them")
    default: return nil
    }
  }

  /// The words of a line that is a word of the prompt.
  /// - Parameter names: The names of the session, which have priority.
  static func read(_ line: String, besides names: [String]) -> [String]? {
    let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
    guard let first = words.first else { return nil }
    switch first {
    case "help": return words
    // The statement `save recipe to "file"` saves a variable.
    case "save":
      guard words.count > 1, words[1] == "recipe", words.count == 2 || words[2] != "to" else { return nil }
      // A name of a file may have blanks.
      let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
      var name = line.split(maxSplits: 2, whereSeparator: isBlank).dropFirst(2).joined().drop(while: isBlank)
      while let last = name.last, isBlank(last) { name.removeLast() }
      return words.prefix(2) + (name.isEmpty ? [] : [String(name)])
    case "undo", "events": return words.count > 1 || !names.contains(first) ? words : nil
    default: return words.count == 1 && all.contains { $0.name == first } && !names.contains(first) ? words : nil
    }
  }
}

/// A link of a keeper.
package struct HeldLink {
  package var name: String?
  package var address: String
  /// The runs and prompts that use it.
  package var holders: [String]

  package init(name: String?, address: String, holders: [String]) {
    self.name = name
    self.address = address
    self.holders = holders
  }
}

extension RunSession {
  /// Prints the links of the keeper, which `connect` can share.
  package func showHeldLinks() { announce(lookAtHeldLinks()) }

  /// The links of the keeper; completion offers those that were seen last.
  private func lookAtHeldLinks() -> [HeldLink] {
    seenLinks = heldLinks?() ?? []
    return seenLinks
  }

  private func announce(_ links: [HeldLink]) {
    for link in links {
      let name = Shown.padded(link.name.map { Shown.name($0, columns: 24, ascii: console.style.ascii) } ?? "-", 14)
      let holders = link.holders.isEmpty ? "" : " for \(link.holders.map { Shown.text($0) }.joined(separator: ", "))"
      announce("  \(mark(.linked)) \(name)  \(link.address)  held by the keeper\(holders)")
    }
  }

  /// The outcome of a word: its value for programs, or why it was refused.
  enum WordEnd {
    case done(String?)
    case refused(String, hint: String)
    /// The word is an entry, which reports its own end.
    case entered
  }

  /// Performs a word of the prompt.
  func performWord(_ words: [String], at now: Instant) {
    switch answer(to: words, at: now) {
    case .entered: return
    case .done(let value): reportWord(state: "done", value: value, failure: nil)
    case .refused(let message, let hint):
      console.complain(message, hint: hint)
      var failure = JSONObject()
      failure.set("kind", "recipe")
      failure.set("message", message)
      reportWord(state: "refused", value: nil, failure: failure)
      failed(3, at: now)
    }
    if words == ["quit"] { endPrompt(isWhole: false, at: now) }
  }

  private func answer(to words: [String], at now: Instant) -> WordEnd {
    switch (words[0], words.count) {
    case ("quit", 1): return .done(nil)
    case ("help", 1):
      // Narrow terminals have no room for two columns.
      let isNarrow = isTypedAt && terminalSize(2).columns < 60
      for word in PromptWord.all {
        guard isNarrow else {
          announce("  \(pad(word.form ?? word.name, 22))\(word.summary)")
          continue
        }
        announce("  \(word.form ?? word.name)")
        announce("    \(word.summary)")
      }
      announce("  a value alone is shown; the statements are:")
      for line in StatementForms.lines(columns: max(20, terminalSize(2).columns - 5)) { announce("    \(line)") }
      return .done(nil)
    case ("help", _): return help(words[1])
    case ("devices", 1):
      let devices = machine.knownDevices
      let held = lookAtHeldLinks().filter { link in !devices.contains { link.address.hasPrefix($0.address) } }
      if devices.isEmpty, held.isEmpty { announce("  none yet: scan for WHAT, or connect to an address") }
      for device in devices { announce("  \(mark(device.sign)) \(pad(Shown.name(device.name, columns: 24), 25))\(device.address)") }
      announce(held)
      let own = devices.map { (name: Optional($0.name), address: $0.address, isLinked: $0.sign == .linked, holders: [String]()) }
      return .done(
        list(own + held.map { ($0.name, $0.address, false, $0.holders) }) { object, device in
          object.set("name", device.name)
          object.set("address", device.address)
          object.set("connected", device.isLinked)
          if !device.holders.isEmpty { object.set("holders", device.holders) }
        })
    case ("handlers", 1):
      let handlers = machine.promptHandlers
      if handlers.isEmpty { announce("  none") }
      for handler in handlers { announce("  \(pad(handler.place, 22))\(handler.text)") }
      return .done(
        list(handlers) { object, handler in
          object.set("place", handler.place)
          object.set("text", handler.text)
        })
    case ("names", 1):
      let names = machine.promptNames.filter { prompt?.book.isTakenBack($0.name) == false }
      if names.isEmpty { announce("  none yet: let NAME = VALUE") }
      for name in names { announce("  \(pad(name.name, 22))\(pad(Shown.text(name.text), 41)) \(name.type)") }
      return .done(
        list(names) { object, name in
          object.set("name", name.name)
          object.set("value", name.text)
          object.set("type", name.type)
        })
    case ("history", 1):
      for entry in entries {
        for (index, line) in entry.text.split(separator: "\n").enumerated() {
          let head = index == 0 ? "\(entry.number)" : ""
          let state = index == 0 && entry.state != .done ? "  (\(entry.state.word))" : ""
          announce("  \(pad(head, 5))\(line)\(state)")
        }
      }
      return .done(
        list(entries) { object, entry in
          object.set("entry", entry.number)
          object.set("state", entry.state.word)
          object.set("text", entry.text)
        })
    case ("status", 1):
      let device = machine.promptDevice.map { " · \(Shown.text($0.name)) \(mark($0.sign))" } ?? ""
      let handlers = machine.promptHandlers.count
      announce(
        "  \(prompt?.options.title ?? "")\(device) · \(Self.count(entries.count, "entry", "entries")) · \(Self.count(handlers, "handler", "handlers"))"
      )
      let held = heldLinks == nil ? nil : lookAtHeldLinks()
      announce(held ?? [])
      var object = JSONObject()
      object.set("device", machine.promptDevice?.name)
      object.set("connected", machine.promptDevice.map { $0.sign == .linked } ?? false)
      object.set("entries", entries.count)
      object.set("handlers", handlers)
      if let held {
        object.set(
          "held",
          json: list(held) { object, link in
            object.set("name", link.name)
            object.set("address", link.address)
            object.set("holders", link.holders)
          })
      }
      return .done(object.text)
    case ("services", 1): return services()
    case ("events", 2) where ["on", "off"].contains(words[1]):
      machine.observes = words[1] == "on"
      return .done(nil)
    case ("retry", 1) where machine.isParked:
      if let place = machine.parkedText { announce("  \(Shown.text(place))") }
      return machine.retry(at: now) ? .done(nil) : .refused("nothing has failed", hint: "history lists the entries")
    case ("retry", 1):
      guard let last = entries.last(where: { [.failed, .cancelled].contains($0.state) }) else {
        return .refused("no entry has failed", hint: "history lists the entries")
      }
      guard !entries.contains(where: { $0.number > last.number && $0.text == last.text && $0.state == .done }) else {
        return .refused("entry \(last.number) was already run again", hint: "type it again to run it once more")
      }
      announce("  \(Shown.text(last.text.split(separator: "\n").joined(separator: "; ")))")
      enter(last.text, at: now)
      return .entered
    case ("undo", 1...2): return undo(words.count > 1 ? words[1] : nil, at: now)
    case ("save", 3): return saveRecipe(words[2])
    default:
      let form = PromptWord.all.first { $0.name == words[0] }?.form ?? words[0]
      return .refused("this is not how `\(words[0])` is used", hint: "the form is `\(form)`")
    }
  }

  private func services() -> WordEnd {
    guard let device = machine.promptDevice else { return .refused("there is no device", hint: "connect to one first") }
    let services = machine.promptServices
    if services.isEmpty { announce("  nothing has been discovered yet: discover everything") }
    announce("  \(Shown.name(device.name, columns: 24)) \(mark(device.sign))")
    for service in services {
      announce("  \(pad(service.name, 36))\(pad("0x" + Hex.text(service.handle), 8))\(service.uuid)")
      for one in service.attributes {
        announce(
          "    \(pad(one.name, 34))\(pad("0x" + Hex.text(one.handle), 8))\(pad("\(one.uuid)", 8))\(one.can.joined(separator: ", "))"
        )
      }
    }
    return .done(
      list(services) { object, service in
        object.set("service", service.name)
        object.set("handle", Int(service.handle))
        object.set("uuid", "\(service.uuid)")
        object.set(
          "attributes",
          json: list(service.attributes) { object, one in
            object.set("name", one.name)
            object.set("handle", Int(one.handle))
            object.set("uuid", "\(one.uuid)")
            object.set("can", one.can)
          })
      })
  }

  /// Undoes an entry, by another entry.
  private func undo(_ word: String?, at now: Instant) -> WordEnd {
    guard let book = prompt?.book else { return .done(nil) }
    if let word, Int(word) == nil { return .refused("`\(word)` is not the number of an entry", hint: "history lists the entries") }
    guard let number = word.flatMap({ Int($0) }) ?? book.newest else {
      return .refused("no entry has declared anything to undo", hint: "history lists the entries")
    }
    guard let entry = entries.first(where: { $0.number == number }) else {
      return .refused("there is no entry \(number)", hint: "history lists the entries")
    }
    if let target = PromptBook.undone(by: entry.text) {
      return .refused("entry \(number) undid entry \(target)", hint: "type entry \(target) again")
    }
    guard entry.state != .undone else { return .refused("entry \(number) is already undone", hint: "history lists the entries") }
    guard let declared = book.declarations(of: number), !declared.isEmpty else {
      return .refused("entry \(number) declared nothing", hint: "what was sent to a device cannot be undone")
    }
    enter(PromptBook.undo(number), at: now)
    return .entered
  }

  /// Reports a completed `undo`.
  func reportUndone(_ number: Int) {
    let written = prompt?.book.written(by: number) ?? []
    announce(
      "  entry \(number) undone" + (written.isEmpty ? "" : "; it had written \(written.joined(separator: ", ")), which stays"))
  }

  private func list<Item>(_ items: [Item], _ work: (inout JSONObject, Item) -> Void) -> String {
    let objects = items.map { item in
      var object = JSONObject()
      work(&object, item)
      return object.text
    }
    return "[\(objects.joined(separator: ","))]"
  }

  static func count(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }

  private func help(_ word: String) -> WordEnd {
    if let known = PromptWord.all.first(where: { $0.name == word }) {
      announce("  \(known.form.map { $0 + "  " } ?? "")\(known.summary)")
      return .done(nil)
    }
    if word == "formats" {
      announce("  built-in formats, by the names of their characteristics; others are bytes:")
      announce("    \(FormatCatalog.names.sorted().joined(separator: " "))")
      announce("  `format NAME for characteristic UUID` declares your own; man tooth-recipe describes it")
      return .done(nil)
    }
    guard Words.all.contains(word) else {
      return .refused("there is no statement `\(word)`", hint: "help lists the words of the prompt")
    }
    if let statement = StatementForms.form(of: word) {
      announce("  \(statement.form)")
      announce("    \(statement.meaning)")
    } else {
      announce("  \(word)")
      announce("  man tooth-recipe describes the whole language")
    }
    return .done(nil)
  }

  private func mark(_ sign: Machine.DeviceSign) -> String {
    switch sign {
    case .linked: console.style.ascii ? "*" : "●"
    case .onItsWay: console.style.ascii ? "~" : "◐"
    case .away: console.style.ascii ? "-" : "○"
    }
  }

  private func pad(_ text: String, _ columns: Int) -> String {
    text + String(repeating: " ", count: max(1, columns - Shown.width(of: text)))
  }

  /// Prints a line for the user, not for a program that reads stdout.
  func announce(_ line: String) {
    for piece in Self.folded(line, columns: isTypedAt ? terminalSize(2).columns - 1 : .max) { console.say(piece + "\n") }
  }

  /// Wraps a line at words; lines after the first are indented.
  static func folded(_ line: String, columns: Int) -> [String] {
    let indent = String(line.prefix { $0 == " " }) + "    "
    var pieces: [String] = []
    var rest = Substring(line)
    while Shown.width(of: String(rest)) > columns {
      var width = 0
      var end: String.Index?
      for place in rest.indices.drop(while: { rest[$0] == " " }) {
        width = Shown.width(of: String(rest[..<place]))
        if width > columns { break }
        if rest[place] == " " { end = place }
      }
      guard let end else { break }
      pieces.append(String(rest[..<end]).trimmedEnd)
      rest = Substring(indent + rest[end...].drop { $0 == " " })
    }
    let last = String(rest)
    return last.allSatisfy { $0 == " " } && !pieces.isEmpty ? pieces : pieces + [last]
  }
}
