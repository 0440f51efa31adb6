import Exchange
import Recipe
import Vocabulary

/// `run`: starts programs, with an intent like that of a write.
extension Machine {
  mutating func run(_ site: RunSite, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    var order = CommandOrder(arguments: [], variables: [], isRelayed: site.destination == nil, shown: "")
    let values = (0..<site.count).map { fiber.slots[base + site.first.index + $0] }
    var shown: [String] = []
    func text(_ value: Value) throws(Failure) -> String {
      let text = TextRendering.text(of: try value.revealed(), surroundings)
      guard !text.utf8.contains(0) else { throw .value("an argument of a program cannot contain the character \\u{0}") }
      return text
    }
    switch site.form {
    case .words:
      for value in values {
        order.arguments.append(try text(value))
        shown.append(TextRendering.text(of: try value.masked(), surroundings))
      }
    case .value:
      switch try values[0].opened() {
      case .list(let list):
        for value in list {
          order.arguments.append(try text(value))
          shown.append(TextRendering.text(of: try value.masked(), surroundings))
        }
      case .text(let command):
        guard let words = CommandWords.split(command) else { throw .value("this command has a quote that is never closed") }
        order.arguments = words
        shown = values[0].isSecret ? [Secret.mark] : words
      default: throw .value("`run` takes a text or a list of arguments, not \(values[0].typeName)")
      }
    case .shell(let names):
      let command = try text(values[0])
      order.arguments = ["/bin/sh", "-c", command]
      shown = [command]
      for (name, value) in zip(names, values.dropFirst()) {
        order.variables.append(CommandOrder.Variable(name: name, value: try text(value)))
      }
    }
    guard let program = order.arguments.first, !program.isEmpty else { throw .value("`run` needs the name of a program") }
    order.shown = shown.joined(separator: " ")
    let limit = try limit(site.within, standard: nil, fiber, base)
    let effect = nextEffect()
    let policy: OperationWait.Policy =
      switch site.policy {
      case .fail, .verify: .fail
      case .repeat: .repeat
      case .skip: .skip
      }
    if policy == .fail { mustSync = true }
    effects.append(.run(effect, order))
    return pause(&fiber, .command(CommandWait(effect: effect, limit: limit, policy: policy)))
  }

  mutating func commandEnded(_ effect: EffectID, _ result: Result<CommandResult, Failure>) {
    guard
      let index = fibers.firstIndex(where: { fiber in
        if case .command(let command) = fiber.wait { command.effect == effect } else { false }
      })
    else { return }
    withFiber(index) { machine, fiber in machine.endMark(&fiber) }
    switch result {
    case .success(let ended):
      var record = Record()
      record.set("out", .text(String(decoding: ended.out, as: UTF8.self)))
      record.set("err", .text(String(decoding: ended.err, as: UTF8.self)))
      record.set("code", .int(Int64(ended.code)))
      let op = program.code[fibers[index].frames.last?.pc ?? 0]
      if ended.code == 0 {
        return complete(index, .record(record), into: op.code == .run ? program.runs[Int(op.a)].destination : nil)
      }
      let how = ended.code > 128 ? "was ended by signal \(ended.code - 128)" : "ended with code \(ended.code)"
      fail(index, Failure(.command, "the program \(how)", blame: .recipe, layer: .os), extra: record)
    case .failure(let failure): fail(index, failure)
    }
  }

  func unsure(_ command: CommandWait, _ why: String) -> Failure {
    Failure(
      .unsure, "it is not known what the program has done: \(why)", blame: .recipe, layer: .os,
      hint: "choose what happens then with `when unsure repeat` or `skip`, or check in `otherwise if unsure`", delivered: .maybe)
  }

  /// Ends the program when the `within` of `run` expires.
  mutating func commandTimedOut(_ index: Int, _ command: CommandWait, _ limit: Limit) {
    effects.append(.withdrawn(command.effect))
    switch command.policy {
    case .skip: complete(index, .nothing)
    case .fail: fail(index, unsure(command, "it did not end within \(limit.span) and was sent SIGTERM"))
    default: fail(index, Failure(.timeout, "the program did not end within \(limit.span)", blame: .recipe, layer: .os))
    }
  }

  /// Handles a program that was running when the run was killed.
  mutating func restoreCommand(_ index: Int, _ command: CommandWait) {
    switch command.policy {
    case .skip: complete(index, .nothing)
    case .fail: fail(index, unsure(command, "the run was \(past?.reason.rawValue ?? "killed") while it ran"))
    default:
      let top = fibers[index].frames.count - 1
      fibers[index].frames[top].pc = statementStart(fibers[index].frames[top].pc)
      fibers.wake(index)
    }
  }
}
