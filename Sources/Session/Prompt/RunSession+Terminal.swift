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
    // A run that was killed while it asked has asked again already. The editor asks by itself.
    lines?.showInput()
    guard prompt?.options.isPlain == false, let editor = LineEditor() else {
      if questions.first?.isSecret == true { lines?.hideInput() }
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
      guard prompt?.options.isScript == false else { return }
      guard awaitsEntry || !questions.isEmpty || isOver || finishedWith != nil else { return noteBusy(at: now) }
      busy = nil
      if awaitsEntry, questions.isEmpty, lines?.needsInput ?? false { showPlainPrompt() }
      return
    }
    if isOver || finishedWith != nil || isKilled {
      busy = nil
      return editor.end()
    }
    if let question = questions.first {
      if asked != question.id { editor.end() }
      asked = question.id
      begin(Shown.text(question.text) + " ", isSecret: question.isSecret, editor)
    } else if awaitsEntry {
      if asked != nil { editor.end() }
      asked = nil
      if editor.isReading { editor.change(promptText) } else { begin(promptText, editor) }
    } else {
      editor.end()
      return showBusy(at: now)
    }
    busy = nil
    guard editor.isHidden else { return }
    if let drawnAt, now.moment - drawnAt < Self.redrawEvery { return }
    drawnAt = now.moment
    console.clearProgress()
    editor.show()
  }

  /// An entry that takes longer than this gets a line that says so, each second.
  private static let patience = TimeSpan.seconds(2)

  /// When the line about the running entry must be drawn.
  var busyDue: Moment? { busy?.due }

  /// Without drawing, an entry gets its first line after this time.
  private static let plainPatience = TimeSpan.seconds(5)

  /// Prints what the running entry waits for: after 5 s and each tenth of its limit, at most every
  /// 5 s; without a limit each minute.
  private func noteBusy(at now: Instant) {
    guard let (number, limit) = machine.entryProgress else { return busy = nil }
    let since = limit?.from ?? now.moment
    guard let last = busy, last.entry == number, limit == nil || last.since == since else {
      return busy = (number, since, now.moment + Self.plainPatience)
    }
    guard last.due <= now.moment else { return }
    let tenth = limit.map { TimeSpan.milliseconds($0.span.milliseconds / 10) } ?? .seconds(60)
    busy?.due = now.moment + max(tenth, Self.plainPatience)
    let passed = now.moment - last.since
    let time = passed.rough + (limit.map { " of \($0.span)" } ?? "")
    console.note("entry \(number): \(machine.restorePoint.text), \(time); Ctrl-C cancels")
  }

  /// Shows what the running entry waits for, how long already, and how to end it:
  /// `⠹ entry 15: write 1 to led · 3s of 10s · Ctrl-C cancels`.
  private func showBusy(at now: Instant) {
    guard console.style.progress, let (number, limit) = machine.entryProgress else { return busy = nil }
    guard let last = busy, last.entry == number else {
      return busy = (number, now.moment, now.moment + Self.patience)
    }
    guard last.due <= now.moment else { return }
    busy?.due = now.moment + .seconds(1)
    let since = limit?.from ?? last.since
    let passed = now.moment - since
    // A statement that has only begun, as in a loop, needs no line.
    guard passed >= Self.patience else { return }
    let ascii = console.style.ascii
    let sign = ascii ? "" : ["⠋ ", "⠙ ", "⠹ ", "⠸ ", "⠼ ", "⠴ ", "⠦ ", "⠧ "][Int(passed.milliseconds / 1000 % 8)]
    let gap = ascii ? " - " : " · "
    let time = passed.rough + (limit.map { " of \($0.span)" } ?? "")
    let end = "\(gap)\(time)\(gap)Ctrl-C cancels"
    let begin = "\(sign)entry \(number)"
    let room = terminalSize(2).columns - 3 - Shown.width(of: begin + end)
    let statement = room < 8 ? "" : ": " + Shown.name(machine.restorePoint.text, columns: room, ascii: ascii)
    console.progress(begin + statement + end)
  }

  /// The editor draws the line at once, so the line of progress goes first.
  private func begin(_ text: String, isSecret: Bool = false, _ editor: LineEditor) {
    if !editor.isReading { console.clearProgress() }
    editor.begin(text, isSecret: isSecret)
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
    guard let (number, isUnsure, stayWanted) = machine.cancelEntry(at: now) else { return false }
    let wanted = stayWanted.map { Shown.name($0) }.list(by: " and ")
    let end =
      isUnsure
      ? ": a write was in progress; it may have been done and is not repeated (unsure)"
      : wanted.isEmpty ? "" : "; \(wanted) \(stayWanted.count == 1 ? "is" : "are") reconnected whenever the link is lost"
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
}

extension String {
  var trimmedEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
