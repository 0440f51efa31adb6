import Exchange
import Linux
import Runner
package import Vocabulary

/// Input from stdin: lines, and answers to questions.
extension RunSession {
  /// The descriptor to watch; `nil` if no line is needed or one is available.
  package var wantedInput: Int32? {
    if let editor { return editor.isReading && !hasPendingLine && answer == nil ? LineEditor.descriptor : nil }
    guard let lines, awaitsInput, lines.needsInput, !hasPendingLine else { return nil }
    return lines.descriptor
  }

  /// Whether a needed line is available.
  package var hasLine: Bool {
    (hasPendingLine || answer != nil || editor == nil && lines.map { !$0.needsInput } ?? false) && awaitsInput
  }

  private var awaitsInput: Bool {
    guard lines != nil || hasPendingLine, !isOver, !isKilled, finishedWith == nil else { return false }
    return !questions.isEmpty || (prompt == nil ? machine.needsLine() : awaitsEntry)
  }

  /// Reads input, and waits for it if there is none.
  package func readInput(at now: Instant) { if editor != nil { readTerminal(at: now) } else { lines?.fill() } }

  /// Passes on a line if one is needed and available. Returns false otherwise.
  package func takeLine(at now: Instant) -> Bool {
    if leavePrompt(at: now) { return true }
    guard awaitsInput else { return false }
    if hasPendingLine, questions.isEmpty {
      typed(prompt?.pending.isEmpty ?? true ? nil : prompt?.pending.removeFirst(), at: now)
      work(at: now)
      return true
    }
    let line: String?
    if editor != nil {
      guard let answer else { return false }
      line = answer
      self.answer = nil
      asked = nil
    } else {
      guard let lines else { return false }
      line = lines.next()
      guard line != nil || lines.isOver else { return false }
      script?.lineTaken()
      isPlainPromptShown = false
      if lines.isMalformed, questions.isEmpty { prompt?.isMalformed = true }
    }
    if let question = questions.first {
      questions.removeFirst()
      lines?.showInput()
      let result: Result<String, Failure> =
        line.map { .success($0) }
        ?? .failure(Failure(.user, "there was no answer: the input ended", blame: .ours, layer: .os))
      machine.handle(.answered(question.id, result), at: now)
      showQuestion()
    } else if prompt != nil {
      typed(line, at: now)
    } else {
      machine.handle(.lineRead(line), at: now)
    }
    work(at: now)
    return true
  }

  func ask(_ id: EffectID, _ question: String, isSecret: Bool, at now: Instant) {
    if let script {
      let failure = Failure(
        .user, "the test has no answer left for this question: \(question)", blame: .recipe,
        hint: "give them: `start recipe with {answers: [\"…\"]}`")
      let answer = script.answer(isSecret: isSecret)
      return machine.handle(.answered(id, answer.map { .success($0) } ?? .failure(failure)), at: now)
    }
    guard let lines, lines.isTerminal else {
      let failure = Failure(
        .user, "there is no one to ask: stdin is not a terminal", blame: .ours, layer: .os,
        hint: prompt == nil
          ? "give the answer as an `input`, or start the run at a terminal"
          : "start the prompt at a terminal; a value that is not secret can be given with `let`")
      return machine.handle(.answered(id, .failure(failure)), at: now)
    }
    questions.append((id, question, isSecret))
    if questions.count == 1 { showQuestion() }
  }

  func withdraw(_ id: EffectID) {
    guard let place = questions.firstIndex(where: { $0.id == id }) else { return }
    questions.remove(at: place)
    if place == 0 {
      lines?.showInput()
      console.say("\n")
      showQuestion()
    }
  }

  private func showQuestion() {
    guard editor == nil, let question = questions.first else { return }
    if question.isSecret { lines?.hideInput() }
    console.ask(question.text)
  }
}
