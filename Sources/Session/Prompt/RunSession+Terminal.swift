package import Linux
import Recipe
import Runner
package import Vocabulary

/// The terminal of a prompt: output around the typed line, and signals.
extension RunSession {
  /// The shortest time between redraws of the typed line because of other output.
  private static let redrawEvery = TimeSpan.milliseconds(33)

  /// The width below which the prompt is shorter.
  private static let narrow = 60

  /// Starts to read the terminal. Without readline, lines are read without editing.
  /// - Parameter history: The file for entries.
  package func openTerminal(history: LineHistory?) {
    guard prompt != nil, prompt?.options.isScript == false else { return }
    formatter.isAtTerminal = true
    formatter.ascii = console.style.ascii
    self.history = history
    guard prompt?.options.isPlain == false, let editor = LineEditor() else {
      // The terminal shows the typed line, so other output starts on a line of its own.
      console.beforeOutput = { [unowned self] in
        guard self.isPlainPromptShown else { return }
        self.isPlainPromptShown = false
        self.console.endQuestion()
      }
      return
    }
    self.editor = editor
    // A user who opens a prompt is about to type.
    if prompt?.options.listens == true { machine.keyPressed(at: SystemClock.now()) }
    for entry in history?.load() ?? [] { editor.remember(entry) }
    editor.complete { [unowned self] line, word in self.completions(of: line, word: word) }
    editor.list { [unowned self] words in self.described(words) }
    console.beforeOutput = { [unowned editor] in editor.hide() }
  }

  package func closeTerminal() {
    console.clearProgress()
    editor?.close()
    console.beforeOutput = nil
    editor = nil
  }

  /// When the typed line must be drawn again.
  var redrawDue: Moment? { editor?.isHidden == true ? drawnAt.map { $0 + Self.redrawEvery } : nil }

  /// Shows the line for input if one is needed. Called before the loop waits.
  package func settlePrompt(at now: Instant) {
    guard let editor else {
      if prompt?.options.isScript == false, awaitsEntry, questions.isEmpty, lines?.needsInput ?? false { showPlainPrompt() }
      return
    }
    if isOver || finishedWith != nil || isKilled { return editor.end() }
    if let question = questions.first {
      if asked != question.id { editor.end() }
      asked = question.id
      editor.begin(Shown.text(question.text) + " ", isSecret: question.isSecret)
    } else if awaitsEntry {
      if asked != nil { editor.end() }
      asked = nil
      if editor.isReading { editor.change(promptText) } else { editor.begin(promptText) }
    } else {
      return editor.end()
    }
    guard editor.isHidden else { return }
    if let drawnAt, now.moment - drawnAt < Self.redrawEvery { return }
    drawnAt = now.moment
    console.clearProgress()
    editor.show()
  }

  private func showPlainPrompt() {
    guard !isPlainPromptShown else { return }
    console.clearProgress()
    console.ask(promptText.trimmedEnd)
    isPlainPromptShown = true
  }

  private var promptText: String {
    guard let prompt else { return "" }
    let ascii = console.style.ascii
    // A narrow terminal has no room for the constant part.
    var text = isEdited && terminalSize().columns < Self.narrow && !prompt.options.title.isEmpty ? "" : "tooth "
    text += prompt.options.title
    while text.last == " " { text.removeLast() }
    if let (name, sign) = machine.promptDevice {
      let mark =
        switch sign {
        case .linked: ascii ? "*" : "●"
        case .onItsWay: ascii ? "~" : "◐"
        case .away: ascii ? "-" : "○"
        }
      text += " \(Shown.name(name, columns: 24, ascii: ascii))\(mark)"
    }
    guard !prompt.draft.isEmpty else { return text + " > " }
    return String(repeating: " ", count: max(0, Shown.width(of: text) - 2)) + "... > "
  }

  /// The user has typed.
  package func keyPressed(at now: Instant) {
    guard prompt?.options.listens == true, !isOver, finishedWith == nil else { return }
    machine.keyPressed(at: now)
    if machine.hasIdleWork { work(at: now) }
  }

  /// Reads typed input.
  func readTerminal(at now: Instant) {
    guard let editor else { return }
    keyPressed(at: now)
    let outcome = editor.keys()
    if editor.takeDropped() {
      console.complain("the pasted text has more than 65536 bytes and is ignored", hint: "save it as a recipe, and run that")
    }
    switch outcome {
    case .nothing: return
    case .line(let text):
      if asked != nil { answer = .some(text) } else { prompt?.pending.append(text) }
      if asked == nil, editor.isMalformed { prompt?.isMalformed = true }
    case .end:
      if asked != nil { answer = .some(nil) } else { prompt?.isInputOver = true }
    }
  }

  /// Handles Ctrl-C: cancels what is running, or clears the typed line. Returns false if it ends
  /// the run.
  package func interruptPrompt(at now: Instant) -> Bool {
    guard let prompt, !prompt.options.isScript, finishedWith == nil, !isOver, !prompt.isOver else { return false }
    if awaitsEntry {
      if prompt.draft.isEmpty, editor?.isEmpty ?? true { console.note("Ctrl-D leaves") }
      self.prompt?.draft = ""
      self.prompt?.isMalformed = false
      editor?.clear()
      isPlainPromptShown = false
      return true
    }
    guard let (number, isUnsure) = machine.cancelEntry(at: now) else { return false }
    let end = isUnsure ? ": a write was in progress; it may have been done and is not repeated (unsure)" : ""
    console.note("entry \(number) cancelled\(end)")
    work(at: now)
    return true
  }

  /// Whether lines are edited at a terminal.
  package var isEdited: Bool { editor != nil }

  package func resizeTerminal() {
    editor?.resize()
  }

  package func suspendTerminal() {
    console.clearProgress()
    if let editor { editor.suspend() } else { Signals.stopProcess() }
    isPlainPromptShown = false
  }

  /// Adds an entry to the history.
  func remember(_ text: String) {
    guard prompt?.options.isScript == false else { return }
    var entry = text
    while entry.last == "\n" { entry.removeLast() }
    guard LineHistory.keeps(entry) else { return }
    editor?.remember(entry)
    history?.append(entry)
  }

  // MARK: Completion

  package func completions(of line: String, word: Int) -> [String] {
    prompt?.notes = [:]
    let before = (prompt?.draft ?? "") + String(decoding: line.utf8.dropLast(word), as: UTF8.self)
    let words = line.utf8.dropLast(word).split { $0 == 0x20 }.map { String(decoding: $0, as: UTF8.self) }
    let begun = String(decoding: line.utf8.suffix(word), as: UTF8.self)
    if words.isEmpty, begun.isEmpty, prompt?.draft.isEmpty ?? false, let offer = prompt?.offer { return [offer] }
    if let folder = PromptFiles.folder(of: begun, after: before) {
      editor?.glue()
      return PromptFiles.names(begun, in: absolute(folder, in: options.directory), folder)
    }
    if let point = begun.lastIndex(of: ".") {
      let path = String(begun[..<point])
      return machine.promptFields(of: path).map { "\(path).\($0)" }
    }
    var found: [String] = []
    switch words.last {
    case nil: found = StatementForms.words + PromptWord.all.map(\.name)
    case "read", "raw": found += attributes(begun) { $0 == "read" }
    case "notify", "subscribe", "unsubscribe": found += attributes(begun) { $0 == "notify" || $0 == "indicate" }
    case "to", "from":
      switch words.first {
      case "connect", "reconnect", "disconnect": found += devices
      case "write": found += attributes(begun) { $0.hasPrefix("write") }
      default: found += attributes(begun) { $0 == "notify" || $0 == "indicate" }
      }
    case "for" where words.first == "scan": found = deviceNames(opening: "\"")
    case "\"" where words.first == "scan": found = deviceNames(opening: "")
    default: break
    }
    found += RecipeFile.expected(after: before)
    if !words.isEmpty { found += machine.program.variables.map(\.name) }
    var known: Set<String> = []
    return found.filter { known.insert($0).inserted }
  }

  /// Those that are discovered and can do this; if none of them begins so, all that are, else all
  /// that have a name.
  private func attributes(_ begun: String, that can: (String) -> Bool) -> [String] {
    let all = machine.promptServices.flatMap { service in service.attributes.map { (service.name, $0) } }.filter {
      $0.1.name != "-"
    }
    for (service, one) in all {
      let what = one.can.joined(separator: ", ")
      prompt?.notes[one.name] = service == "-" ? what : Shown.padded(what, 20) + "  " + service
    }
    let fitting = all.filter { $0.1.can.contains(where: can) }.map(\.1.name)
    let known = fitting.contains { $0.hasPrefix(begun) } ? fitting : all.map(\.1.name)
    if begun.utf8.count < 2 || known.contains(where: { $0.hasPrefix(begun) }) { return known }
    return AssignedNumbers.allNames(.characteristic)
  }

  /// Of this session, then those that are heard now, then those that a scan on this machine has
  /// heard.
  private var offeredDevices: [OfferedDevice] {
    let heard = machine.heardBetweenEntries
    var all: [OfferedDevice] = machine.knownDevices.map { known in
      let signal = heard.first { $0.address == known.address }?.signal
      return OfferedDevice(address: known.address, name: known.name, signal: signal, isLinked: known.sign == .linked)
    }
    for one in heard { all.append(OfferedDevice(address: one.address, name: one.name ?? "", signal: one.signal)) }
    for one in heardDevices { all.append(OfferedDevice(address: one.address, name: one.name)) }
    return all
  }

  private var devices: [String] {
    let all = offeredDevices
    // The first of them knows most.
    for device in all where prompt?.notes[device.address] == nil {
      prompt?.notes[device.address] = note(of: device, shown: device.name == device.address ? "" : device.name)
    }
    return all.map(\.address)
  }

  private func note(of device: OfferedDevice, shown: String) -> String {
    let ascii = console.style.ascii
    let end = device.isLinked ? ascii ? "* connected" : "● connected" : device.signal.map { "\($0) dBm" } ?? ""
    return (Shown.padded(Shown.name(shown, columns: 24, ascii: ascii), 24) + "  " + end).trimmedEnd
  }

  /// Those that stand in a text as they are, with its end.
  private func deviceNames(opening: String) -> [String] {
    offeredDevices.filter { RecipeLiteral.text($0.name) == "\"\($0.name)\"" }.map { device in
      let word = "\(opening)\(device.name)\""
      if prompt?.notes[word] == nil { prompt?.notes[word] = note(of: device, shown: device.address) }
      return word
    }
  }

  /// Words of which one may follow, with what they are; nothing if that is known of none.
  private func described(_ words: [String]) -> String? {
    guard let notes = prompt?.notes, words.contains(where: { notes[$0]?.isEmpty == false }) else { return nil }
    let width = words.map { Shown.width(of: $0) }.max() ?? 0
    let columns = max(8, terminalSize().columns - 1)
    return "\n"
      + words.map { word in
        let line = ("  " + Shown.padded(word, width) + "  " + (notes[word] ?? "")).trimmedEnd
        return Shown.name(line, columns: columns, ascii: console.style.ascii) + "\n"
      }.joined()
  }

  private var heardDevices: [(address: String, name: String)] { (try? shared?.existing()?.heardDevices()) ?? [] }
}

/// A device that Tab knows.
private struct OfferedDevice {
  var address: String
  var name: String
  var signal: Int?
  var isLinked = false
}

extension String {
  var trimmedEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
