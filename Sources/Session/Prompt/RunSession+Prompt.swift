import Exchange
import Glibc
import Linux
import Recipe
package import Runner
import Vocabulary

/// Entries of a prompt: their input and output.
extension RunSession {
  /// Says in one line what a session that continues has: its devices, handlers and newest names.
  package func describe(_ past: PastRun) {
    guard let prompt else { return }
    var parts = linkParts(past)
    let handlers = machine.promptHandlers.count
    if handlers > 0 { parts.append(Self.count(handlers, "handler", "handlers")) }
    let names = machine.promptNames.filter { !prompt.book.isTakenBack($0.name) }
    for name in names.suffix(Self.shownNames) {
      parts.append("\(name.name) = \(Shown.name(name.text, columns: 24, ascii: console.style.ascii))")
    }
    if names.count > Self.shownNames { parts.append("\(names.count) names in all") }
    if !parts.isEmpty { console.note("  " + parts.joined(separator: console.style.ascii ? " - " : " · ")) }
  }

  /// The names that a session that continues shows with their values; `names` shows all.
  private static let shownNames = 3

  /// The current device, and every other one whose link is up or is being made again.
  private func linkParts(_ past: PastRun) -> [String] {
    let kept = past.kept?.links.compactMap { machine.deviceName($0.peer) } ?? []
    let current = machine.promptDevice
    var devices: [(name: String, state: String)] = []
    if let (name, sign) = current {
      let isKept = past.kept?.links.contains { machine.isPromptDevice($0.peer) } ?? false
      devices.append((name, isKept ? "link kept" : sign == .away ? "not connected" : "connecting again"))
    }
    for name in kept where name != current?.name { devices.append((name, "link kept")) }
    for device in machine.knownDevices where device.sign != .away && !devices.contains(where: { $0.name == device.name }) {
      devices.append((device.name, "connecting again"))
    }
    var parts = devices.map { "\(Shown.name($0.name, columns: 24, ascii: console.style.ascii)) \($0.state)" }
    if let missed = past.kept?.missed, missed > 0 {
      let text = "\(Self.count(missed, "value", "values")) missed"
      if parts.count == 1 { parts[0] += ", \(text)" } else { parts.append(text) }
    }
    return parts
  }

  /// Whether the next line belongs to the prompt.
  var awaitsEntry: Bool {
    guard let prompt, !prompt.isOver, finishedWith == nil, !isPromptOver else { return false }
    return machine.isAtPrompt
  }

  /// All entries so far, including those of earlier processes.
  package var entries: [Entry] { machine.entries.list }

  /// Adds lines to the prompt of a session without stdin; `nil` ends the input.
  package func type(_ lines: [String]?) {
    if let lines { prompt?.pending += lines } else { prompt?.isInputOver = true }
  }

  /// Names the adapter in the prompt.
  package func show(adapter: String) { prompt?.options.title = adapter }

  /// Whether lines or the end of the input are waiting.
  var hasPendingLine: Bool { prompt.map { !$0.pending.isEmpty || $0.isInputOver } ?? false }

  /// Whether lines are typed at a terminal.
  package var isTypedAt: Bool { prompt?.options.isScript == false }

  private var isTerminalLost: Bool { isTypedAt && (editor != nil || lines != nil) && !isTerminal(0) }

  /// Whether the body is over and the prompt was only for its failure.
  private var isPromptOver: Bool {
    guard let prompt, !prompt.options.atEnd, !prompt.isOver, finishedWith == nil else { return false }
    return machine.isAtPrompt && !machine.isParked && machine.entryUnderWay == nil
  }

  /// Ends a run whose prompt was only for its failure. Returns false if it is not over.
  func leavePrompt(at now: Instant) -> Bool {
    guard isPromptOver else { return false }
    prompt?.isOver = true
    machine.leavePrompt(at: now)
    work(at: now)
    return true
  }

  /// Takes a line, or the end of the input (`nil`).
  func typed(_ line: String?, at now: Instant) {
    guard var prompt else { return }
    let draft = prompt.draft
    guard let line else {
      if isTerminalLost {
        // Same as SIGHUP, which may arrive after the end of the input or not at all.
        self.prompt?.isInputOver = false
        raise(SIGHUP)
        return
      }
      prompt.draft = ""
      if !prompt.options.isScript { prompt.isInputOver = false }
      prompt.isOver = draft.isEmpty
      self.prompt = prompt
      // At a terminal this is Ctrl-D, with which the user leaves.
      if draft.isEmpty { endPrompt(isWhole: prompt.options.isScript, at: now) } else { enter(draft, at: now) }
      return
    }
    if draft.isEmpty, !prompt.isMalformed, let word = PromptWord.read(line, besides: machine.program.variables.map(\.name)) {
      return performWord(word, at: now)
    }
    if draft.isEmpty, !prompt.isMalformed, let foreign = PromptWord.foreign(line),
      !machine.program.variables.contains(where: { $0.name == foreign.word })
    {
      let place = isTypedAt ? "" : "entry \(prompt.number): "
      console.complain("\(place)there is no `\(foreign.word)` here", hint: foreign.hint)
      return refused("T012", "there is no `\(foreign.word)`", at: now)
    }
    if isTypedAt, !draft.isEmpty, isWord(line), Self.breaks(draft + line + "\n") {
      console.note("  `\(line.trimmedEnd)` cannot be in the entry above: \(Self.wayOut(of: draft))")
      return
    }
    prompt.draft = draft + line + "\n"
    self.prompt = prompt
    if prompt.draft.utf8.count > PromptBook.longestEntry {
      self.prompt?.draft = ""
      console.complain(
        "this entry has more than \(PromptBook.longestEntry) bytes", hint: "type it as several, or run it as a recipe")
      return refused(nil, "the entry is too long", at: now)
    }
    if RecipeFile.isOpen(entry: prompt.draft) { return remindOfBlock(line, after: draft) }
    let text = prompt.draft
    self.prompt?.draft = ""
    remember(text)
    enter(text, at: now)
  }

  /// Says how to leave an unfinished entry, after a line that was hardly meant for it: a word of
  /// the prompt, or `test`, which a prompt refuses.
  private func remindOfBlock(_ line: String, after draft: String) {
    guard isTypedAt, let prompt else { return }
    let word = line.trimmedEnd
    if draft.isEmpty {
      guard word == "test" || word.hasPrefix("test ") else { return }
      return console.note("  a test belongs in a recipe, for `tooth test`: \(Self.wayOut(of: prompt.draft))")
    }
    guard isWord(line) else { return }
    console.note("  `\(word)` is part of the entry above: \(Self.wayOut(of: prompt.draft))")
  }

  /// Whether a line is meant for the prompt, and not for an entry.
  private func isWord(_ line: String) -> Bool {
    PromptWord.read(line, besides: machine.program.variables.map(\.name)) != nil || PromptWord.foreign(line) != nil
  }

  /// Whether an entry ends with an error.
  private static func breaks(_ entry: String) -> Bool {
    !RecipeFile.isOpen(entry: entry) && !ParsedFile(Array(entry.utf8), name: "", isEntry: true).diagnostics.isEmpty
  }

  /// How to leave an unfinished entry.
  private static func wayOut(of draft: String) -> String {
    let ends = (1...8).contains { count in
      let whole = draft + String(repeating: "end\n", count: count)
      // An error also ends an entry.
      return !RecipeFile.isOpen(entry: whole) && ParsedFile(Array(whole.utf8), name: "", isEntry: true).diagnostics.isEmpty
    }
    return ends ? "`end` ends it, Ctrl-C drops it" : "Ctrl-C drops it"
  }

  func enter(_ text: String, at now: Instant) {
    self.prompt?.offer = nil
    guard var prompt else { return }
    if prompt.isMalformed {
      self.prompt?.isMalformed = false
      let message = "this entry is not UTF-8 text"
      let places = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      let line = places.first { $0.element.contains("\u{FFFD}") }?.offset ?? 0
      console.complain(
        "\(message): see its line \(line + 1)",
        hint: "set the terminal, or the program that writes it, to UTF-8; tooth explain T001 says more")
      return refused("T001", message, at: now)
    }
    let number = prompt.number
    let undoing = PromptBook.undone(by: text)
    let reading =
      undoing.map { prompt.book.undo($0, number: number) }
      ?? prompt.book.read(text, number: number, device: machine.deviceAtPrompt)
    switch reading {
    case .empty: return
    case .refused(let findings, let sources):
      console.findings(findings, in: sources)
      offer(findings, sources.last)
      let finding = findings.first { $0.severity == .error }
      refused(finding?.code, finding?.message ?? "", at: now)
    case .taken(let unit, let findings):
      sources = prompt.book.sources
      prompt.number += 1
      self.prompt = prompt
      console.findings(findings, in: sources)
      machine.enter(text, prompt.book.program, unit: unit, number: number, undoing: undoing, at: now)
    }
  }

  /// Offers the result of the first fix of an entry, if it is one line.
  private func offer(_ findings: [Diagnostic], _ source: SourceText?) {
    guard let fix = findings.first(where: { !$0.fixes.isEmpty })?.fixes.first, let bytes = source?.applying(fix) else { return }
    var text = String(decoding: bytes, as: UTF8.self)
    while text.last == "\n" { text.removeLast() }
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return }
    prompt?.offer = text
    if isEdited { console.say("  Tab applies the fix\n") }
  }

  /// Reports an entry that never ran.
  private func refused(_ code: String?, _ message: String, at now: Instant) {
    var failure = JSONObject()
    failure.set("kind", "recipe")
    failure.set("code", code)
    failure.set("message", message)
    reportWord(state: "refused", value: nil, failure: failure)
    failed(3, at: now)
  }

  /// Prints an object for a line that is not an entry. It takes a number.
  func reportWord(state: String, value: String?, failure: JSONObject?) {
    guard let prompt else { return }
    let number = prompt.number
    // Successful words of a user take no number.
    guard prompt.options.isScript || state != "done" else { return }
    self.prompt?.number += 1
    guard console.style.format == .json else { return }
    var object = JSONObject()
    object.set("entry", number)
    object.set("state", state)
    if let value { object.set("value", json: value) }
    if let failure { object.set("failure", json: failure.text) }
    console.print(object.text + "\n")
  }

  /// Reports an entry whose end is committed.
  func entryEnded(_ end: EntryEnd, at now: Instant) {
    guard let entry = machine.entries.list.last(where: { $0.number == end.number }) else { return }
    if end.state == .done, let undone = PromptBook.undone(by: entry.text) { reportUndone(undone) }
    guard end.state == .failed else { return }
    failed(entry.code, at: now)
  }

  func failed(_ code: Int32, at now: Instant) {
    guard let prompt else { return }
    if prompt.failureCode == nil { self.prompt?.failureCode = code }
    if prompt.options.isScript, !prompt.options.keepsGoing { endPrompt(isWhole: false, at: now) }
  }

  /// Ends the run, because there are no more entries.
  /// - Parameter isWhole: Whether the input has ended, so that the user did not leave earlier.
  func endPrompt(isWhole: Bool, at now: Instant) {
    guard let prompt else { return }
    self.prompt?.isOver = true
    machine.endPrompt(code: prompt.options.isScript ? prompt.failureCode ?? 0 : 0, isWhole: isWhole, at: now)
  }
}
