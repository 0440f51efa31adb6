import Exchange
import Recipe
import Vocabulary

/// The terminal: lines, questions, progress.
extension Machine {
  /// The maximum number of lines queued for a handler. More lines stay in stdin.
  static let linesAhead = 16

  /// Whether to read a line of stdin now. A line is read only if something waits for it, so that
  /// none is lost. Mutating only to avoid a copy.
  package mutating func needsLine() -> Bool {
    guard life == .running, !isRestoring else { return false }
    var isServed = false
    if !isInputOver {
      for unit in activeHandlers.lazy.map(\.unit) {
        guard case .handler(let site) = program.units[unit].role, case .event(.line) = site.trigger else { continue }
        if events.waiting(unit, -1) >= Self.linesAhead { return false }
        isServed = true
      }
    }
    return isServed
      || fibers.contains { fiber in
        if case .event(let site, _) = fiber.wait { program.eventWaits[site].event == .line && !isInputOver } else { false }
      }
  }

  mutating func ask(_ site: AskSite, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let question = TextRendering.text(of: try read(site.question.raw, fiber, base).masked(), surroundings)
    let effect = nextEffect()
    effects.append(.ask(effect, question: question, isSecret: site.isSecret))
    return pause(&fiber, .asked(effect))
  }

  mutating func answered(_ effect: EffectID, _ result: Result<String, Failure>) {
    guard let index = fibers.firstIndex(where: { $0.wait == .asked(effect) }) else { return }
    switch result {
    case .success(let text):
      let op = program.code[fibers[index].frames.last?.pc ?? 0]
      guard op.code == .ask else { return complete(index) }
      let site = program.questions[Int(op.a)]
      withFiber(index) { machine, fiber in machine.endMark(&fiber) }
      complete(index, site.isSecret ? .hidden(.text(text)) : .text(text), into: site.destination)
    case .failure(let failure): fail(index, failure)
    }
  }

  func number(_ value: Value) throws(Failure) -> Double {
    switch try value.opened() {
    case .int(let number): return Double(number)
    case .real(let number) where number.isFinite: return number
    case .duration(let span): return Double(span.nanoseconds)
    default: throw .value("`progress` takes two numbers, not \(value.typeName)")
    }
  }

  mutating func meter(_ value: Value, of total: Value) throws(Failure) {
    let (done, all) = (try number(value), try number(total))
    guard all > 0 else { throw .value("`progress … of` takes a number above zero, not \(TextRendering.brief(total))") }
    meter = .metered(
      done: TextRendering.text(of: try value.masked(), surroundings),
      total: TextRendering.text(of: try total.masked(), surroundings),
      part: min(max(done / all, 0), 1))
  }
}
