import Exchange
import Linux
import Recipe
import Runner
import Vocabulary

/// A whole line at a prompt that is no statement.
struct PromptWord {
  var name: String
  var summary: String

  static let all = [
    PromptWord(name: "help", summary: "this list; help WORD shows the form of a statement"),
    PromptWord(name: "devices", summary: "devices of this session, and whether they are connected"),
    PromptWord(name: "handlers", summary: "handlers and timers that are active"),
    PromptWord(name: "names", summary: "names with their values"),
    PromptWord(name: "history", summary: "the entries of this session, and what became of them"),
    PromptWord(name: "status", summary: "the adapter, the device meant, entries and handlers"),
    PromptWord(name: "quit", summary: "close the links and leave; Ctrl-D does the same"),
  ]

  /// Of the language, and missing in this version.
  static let missing = ["services", "events", "undo", "save", "retry"]
}

extension RunSession {
  /// Obeys a line that is no statement. False when it is none of the words, or a name of the
  /// session.
  func obeys(_ line: String, at now: Instant) -> Bool {
    let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
    guard let first = words.first else { return false }
    switch (first, words.count) {
    case ("quit", 1): endPrompt(at: now)
    case ("help", 1):
      for word in PromptWord.all { tell("  \(pad(word.name, 12))\(word.summary)") }
      tell("  a value alone is shown; statements are:")
      for line in StatementForms.lines(columns: 74) { tell("    \(line)") }
    case ("help", _): help(words[1])
    case ("devices", 1):
      let devices = machine.knownDevices
      if devices.isEmpty { tell("  none yet: scan for WHAT, or connect to an address") }
      for device in devices { tell("  \(mark(device.sign)) \(pad(Shown.name(device.name, columns: 24), 25))\(device.address)") }
    case ("handlers", 1):
      let handlers = machine.promptHandlers
      if handlers.isEmpty { tell("  none") }
      for handler in handlers { tell("  \(pad(handler.place, 22))\(handler.text)") }
    case ("names", 1):
      let names = machine.promptNames
      if names.isEmpty { tell("  none yet: let NAME = VALUE") }
      for name in names { tell("  \(pad(name.name, 22))\(pad(name.text, 41)) \(name.type)") }
    case ("history", 1):
      for (number, entry) in entries.enumerated() {
        let lines = entry.text.split(separator: "\n")
        for (index, line) in lines.enumerated() {
          let head = index == 0 ? "\(number + 1)" : ""
          let state = index == 0 && entry.state != .done ? "  (\(entry.state.word))" : ""
          tell("  \(pad(head, 5))\(line)\(state)")
        }
      }
    case ("status", 1):
      let device = machine.promptDevice.map { " · \($0.name) \(mark($0.sign))" } ?? ""
      tell("  \(prompt?.options.title ?? "")\(device) · \(entries.count) entries · \(machine.promptHandlers.count) handlers")
    default:
      guard PromptWord.missing.contains(first), words.count == 1 || first == "undo" || line.hasPrefix("save recipe") else {
        return false
      }
      console.complain("`\(first)` is not in this version yet", hint: "help lists the words of the prompt")
    }
    return true
  }

  private func help(_ word: String) {
    if let known = PromptWord.all.first(where: { $0.name == word }) { return tell("  \(known.summary)") }
    guard Words.all.contains(word) else {
      return console.complain("there is no statement `\(word)`", hint: "help lists the words of the prompt")
    }
    tell("  \(StatementForms.form(of: word) ?? word)")
    tell("  man tooth-recipe has the whole language")
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

  /// A line for the person, not for the programs behind stdout.
  private func tell(_ line: String) { console.say(line + "\n") }
}

/// How statements are written.
enum StatementForms {
  static func form(of word: String) -> String? { forms.first { $0.hasPrefix(word + " ") || $0 == word } }

  /// The first words of all of them.
  static var words: [String] {
    var words: [String] = []
    for form in forms {
      let word = String(form.prefix { $0 != " " })
      if !words.contains(word) { words.append(word) }
    }
    return words
  }

  /// The same as lines of at most so many columns.
  static func lines(columns: Int) -> [String] {
    var lines = [""]
    for word in words {
      if lines[lines.count - 1].utf8.count + word.utf8.count >= columns { lines.append("") }
      lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
    }
    return lines
  }

  private static let forms = [
    "scan for WHAT [where CONDITION] [within D] [as NAME]", "connect [to DEVICE] [when it appears] [within D]",
    "reconnect forever | N times [to DEVICE] [waiting D]", "disconnect [from DEVICE]", "discover everything | SERVICE [of DEVICE]",
    "read [raw] ATTRIBUTE [of DEVICE] [within D] [as NAME]",
    "write VALUE to ATTRIBUTE [of DEVICE] [without response] [in pieces] [within D] [when unsure fail|repeat|verify|skip]",
    "subscribe to ATTRIBUTE [, ATTRIBUTE]", "unsubscribe from ATTRIBUTE",
    "wait D | wait until CONDITION | wait for EVENT [where CONDITION] [within D] [as NAME]", "print VALUE …", "log VALUE …",
    "warn VALUE …", "debug VALUE …", "append VALUE to FILE", "save VALUE to FILE", "progress VALUE of VALUE",
    "run \"PROGRAM …\" [within D] [as NAME]", "ask [secret] \"QUESTION\" [as NAME]", "let NAME = VALUE", "set NAME to VALUE",
    "expect CONDITION [otherwise MESSAGE]", "stop [with code N]", "fail \"TEXT\" [with code N]", "return [VALUE]", "leave", "skip",
    "checkpoint", "if CONDITION … [else …] end", "repeat [N times | while CONDITION | until CONDITION] … end",
    "for each NAME in LIST [at once] … end", "try [N times] [every D] [within D] … [otherwise …] end", "with DEVICE … end",
    "on EVENT [as NAME] [where CONDITION] … end", "every D … end", "after D … end", "whenever WHAT appears [as NAME] … end",
    "procedure NAME(A, B) … end", "format NAME … end",
  ]
}
