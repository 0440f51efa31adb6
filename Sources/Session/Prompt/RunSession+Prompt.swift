import Exchange
import Glibc
import Linux
import Recipe
package import Runner
import Vocabulary

/// Entries of a prompt: how they come in, and what is shown of them.
extension RunSession {
  /// Whether the next line belongs to the prompt.
  var wantsEntry: Bool {
    guard let prompt, !prompt.isOver, finishedWith == nil else { return false }
    return machine.isAtPrompt
  }

  /// The entries so far, those of earlier processes among them.
  package var entries: [Entry] { machine.entries.list }

  /// Lines for the prompt of a session without stdin; nothing ends it.
  package func type(_ lines: [String]?) {
    if let lines { prompt?.pending += lines } else { prompt?.isInputOver = true }
  }

  /// Whether the prompt has a line that was given to it, or its end.
  var hasPendingLine: Bool { prompt.map { !$0.pending.isEmpty || $0.isInputOver } ?? false }

  /// Whether lines are typed at a terminal.
  package var isTypedAt: Bool { prompt?.options.isScript == false }

  private var isTerminalLost: Bool { isTypedAt && (editor != nil || lines != nil) && !isTerminal(0) }

  /// Takes a line, or (nothing) the end of the input.
  func typed(_ line: String?, at now: Instant) {
    guard var prompt else { return }
    let draft = prompt.draft
    guard let line else {
      if isTerminalLost {
        // The same as SIGHUP, which may come later than the end of what is typed, or not at all.
        self.prompt?.isInputOver = false
        raise(SIGHUP)
        return
      }
      prompt.draft = ""
      if !prompt.options.isScript { prompt.isInputOver = false }
      prompt.isOver = draft.isEmpty
      self.prompt = prompt
      if draft.isEmpty { endPrompt(at: now) } else { enter(draft, at: now) }
      return
    }
    if draft.isEmpty, obeys(line, at: now) {
      shownPrompt = -1
      return
    }
    prompt.draft = draft + line + "\n"
    self.prompt = prompt
    if prompt.draft.utf8.count > PromptBook.longestEntry {
      self.prompt?.draft = ""
      console.complain(
        "this entry has more than \(PromptBook.longestEntry) bytes", hint: "type it as several, or run it as a recipe")
      return refused(code: 3, nil, at: now)
    }
    if RecipeFile.isOpen(entry: prompt.draft) { return }
    let text = prompt.draft
    self.prompt?.draft = ""
    remember(text)
    enter(text, at: now)
  }

  private func enter(_ text: String, at now: Instant) {
    guard var prompt else { return }
    self.prompt?.book = prompt.book
    let reading = prompt.book.read(text, device: machine.deviceAtPrompt)
    switch reading {
    case .empty: return
    case .refused(let findings, let sources):
      console.findings(findings, in: sources)
      refused(code: 3, findings.first { $0.severity == .error }, at: now)
    case .taken(let unit, let findings):
      sources = prompt.book.sources
      self.prompt = prompt
      console.findings(findings, in: sources)
      machine.enter(text, prompt.book.program, unit: unit, at: now)
    }
  }

  /// An entry that never ran.
  private func refused(code: Int32, _ finding: Diagnostic?, at now: Instant) {
    if console.style.format == .json {
      var failure = JSONObject()
      failure.set("kind", "recipe")
      if let finding {
        failure.set("code", finding.code)
        failure.set("message", finding.message)
      }
      var object = JSONObject()
      object.set("entry", machine.entries.list.count + 1)
      object.set("state", "refused")
      object.set("failure", json: failure.text)
      console.print(object.text + "\n")
    }
    failed(code, at: now)
  }

  /// An entry has ended, and that is committed.
  func entryEnded(_ end: EntryEnd, at now: Instant) {
    guard end.state == .failed, machine.entries.list.indices.contains(end.number - 1) else { return }
    failed(machine.entries.list[end.number - 1].code, at: now)
  }

  private func failed(_ code: Int32, at now: Instant) {
    guard let prompt else { return }
    if prompt.failureCode == nil { self.prompt?.failureCode = code }
    if prompt.options.isScript, !prompt.options.keepsGoing { endPrompt(at: now) }
  }

  /// Nothing more is typed: the run ends.
  func endPrompt(at now: Instant) {
    guard let prompt else { return }
    self.prompt?.isOver = true
    machine.endPrompt(code: prompt.options.isScript ? prompt.failureCode ?? 0 : 0, at: now)
  }
}
