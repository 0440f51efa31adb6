import Exchange
package import Linux
import Runner
package import Vocabulary

/// Programs that the recipe has started.
extension RunSession {
  struct Command {
    var id: EffectID
    var process: CommandProcess
    /// When it is killed after it was asked to end.
    var endsBy: Moment?
  }

  /// The time that a program has to end after it was asked to.
  static let commandPatience = TimeSpan.seconds(2)

  /// What is left of it when a run that was asked to end has used its time.
  private static let leastPatience = TimeSpan.milliseconds(100)

  private func commandEnd(after now: Moment) -> Moment {
    let end = now + Self.commandPatience
    return endsBy.map { min(end, max($0, now + Self.leastPatience)) } ?? end
  }

  package var commandInterests: [Poll.Interest] { commands.flatMap(\.process.interests) }

  package var hasCommands: Bool { !commands.isEmpty }

  func commandDeadline(after now: Moment) -> Moment? {
    var next: Moment?
    for command in commands {
      next = earliest(next, command.endsBy, command.process.needsGlances ? now + CommandProcess.glance : nil)
    }
    return next
  }

  func run(_ id: EffectID, _ order: CommandOrder, at now: Instant) {
    var failure: Failure?
    if options.commands == .imagined {
      var result = CommandResult(code: 0)
      perform(.command(order.shown)) {
        script?.note(order.shown)
        result = script?.result(of: order) ?? result
      }
      if isKilled { return }
      return machine.handle(.commandEnded(id, .success(result)), at: now)
    }
    if options.commands == .refused {
      failure = Failure(
        .command, "\(isolated) may not run programs", blame: .recipe, hint: "\(toAllow) --allow run")
    } else if commands.count >= 64 {
      failure = Failure(.command, "64 programs are already running", blame: .recipe, hint: "wait for some of them")
    } else {
      perform(.command(order.shown)) {
        script?.note(order.shown)
        do throws(SystemFailure) {
          let process = try CommandProcess(
            order.arguments, variables: order.variables.map { ($0.name, $0.value) }, in: options.directory,
            isRelayed: order.isRelayed)
          commands.append(Command(id: id, process: process))
        } catch {
          failure = Failure(
            .command, "\(order.shownProgram) cannot be started: \(error.reason)", blame: .recipe, layer: .os)
        }
      }
      if isKilled { return }
      log(.debug, "run \(order.shown)", at: now)
    }
    if let failure { machine.handle(.commandEnded(id, .failure(failure)), at: now) }
  }

  /// Checks all programs. Returns false if there is no news for the run.
  package func serveCommands(at now: Instant) -> Bool {
    guard !commands.isEmpty, !isKilled else { return false }
    var ended: [Command] = []
    for index in commands.indices.reversed() {
      let command = commands[index]
      command.process.serve()
      let output = command.process.takeMessages()
      if !output.isEmpty { console.say(output.utf8.last == 0x0A ? output : output + "\n") }
      if let due = command.endsBy, due <= now.moment { command.process.destroy() }
      if command.process.isGone { ended.append(commands.remove(at: index)) }
    }
    for command in ended.reversed() {
      guard let code = command.process.code else { continue }
      if command.process.isCut, command.endsBy == nil {
        log(.warning, "\(command.process.name) printed more than 1 MiB; the rest is dropped", at: now)
      }
      guard command.endsBy == nil else { continue }
      machine.handle(
        .commandEnded(command.id, .success(CommandResult(code: code, out: command.process.out, err: command.process.err))), at: now)
    }
    if ended.isEmpty { return false }
    work(at: now)
    return true
  }

  func withdrawCommand(_ id: EffectID, at now: Instant) {
    guard let place = commands.firstIndex(where: { $0.id == id }) else { return }
    commands[place].process.terminate()
    commands[place].endsBy = commandEnd(after: now.moment)
  }

  /// Ends all programs with the run and waits for them.
  func endCommands() {
    guard !commands.isEmpty else { return }
    for command in commands { command.process.terminate() }
    let end = commandEnd(after: SystemClock.now().moment)
    while commands.contains(where: { !$0.process.isGone }), SystemClock.now().moment < end {
      _ = Poll.wait(for: commandInterests, until: min(end, SystemClock.now().moment + CommandProcess.glance))
      for command in commands { command.process.serve() }
    }
    // Releasing the last reference kills a program.
    commands.removeAll()
  }
}
