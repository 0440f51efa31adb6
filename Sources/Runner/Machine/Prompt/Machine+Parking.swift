import Exchange
package import Vocabulary

/// A failed body that waits at a prompt until its statement is retried.
extension Machine {
  /// Whether the body waits at its failed statement.
  package var isParked: Bool { parkedText != nil }

  /// The statement that `retry` repeats: `line 3: read battery_level`.
  package var parkedText: String? {
    guard let body = fibers.first(where: { $0.role == .body && $0.wait == .prompt }), let frame = body.frames.last,
      program.code.indices.contains(frame.pc), program.code[frame.pc].code != .prompt
    else { return nil }
    let statement = Int(program.statementOf[frame.pc])
    let text = program.statements.indices.contains(statement) ? program.lines.quote(program.statements[statement].range) : ""
    return "\(program.lines.text(of: program.lines.line(of: program.rangeOf[frame.pc]))): \(text)"
  }

  /// Lets the body wait at a prompt after a failure. In a `try` the whole `try` will be repeated.
  mutating func park(_ index: Int) {
    withFiber(index) { machine, fiber in
      if let place = fiber.frames.firstIndex(where: { !$0.tries.isEmpty }) {
        while fiber.frames.count > place + 1 { machine.popFrame(&fiber) }
        let outer = fiber.frames[place].tries[0]
        while fiber.frames[place].handlers.count > outer.handlers {
          if let handler = fiber.frames[place].handlers.popLast() { machine.leaveHandler(handler) }
        }
        while !fiber.frames[place].tries.isEmpty { machine.endTry(&fiber) }
        fiber.frames[place].pc = machine.program.tries[outer.site].start - 1
      }
      let top = fiber.frames.count - 1
      guard top >= 0 else { return }
      fiber.frames[top].pc = machine.statementStart(fiber.frames[top].pc)
      fiber.wait = .prompt
      fiber.isInDoubt = false
    }
  }

  /// Repeats the failed statement. Returns false if there is none.
  package mutating func retry(at now: Instant) -> Bool {
    guard life == .running, isParked, let index = fibers.firstIndex(where: { $0.role == .body }) else { return false }
    self.now = now
    header.forgiveFailure()
    fibers.wake(index)
    return true
  }

  /// Leaves the prompt without an entry, so that the run ends as it would without a prompt.
  package mutating func leavePrompt(at now: Instant) {
    guard life == .running, isAtPrompt, let index = fibers.firstIndex(where: { $0.role == .body }) else { return }
    self.now = now
    fiberEnded(index)
  }
}
