package import Linux
import Runner
package import Vocabulary

/// Drives one session, by the real clock or by a virtual one that jumps to the next event.
package final class RunLoop {
  package enum Clock: Sendable {
    case real
    /// A virtual clock that starts at this instant.
    case virtual(Instant)
  }

  package enum Outcome: Equatable, Sendable {
    case ended
    /// The hook killed the process.
    case killed
    /// The virtual time is over.
    case timeUp
  }

  private let session: RunSession
  private let host: any HostPort
  private let signals: Signals?
  private let isVirtual: Bool
  private var interests: [Poll.Interest] = []
  /// Called between two rounds, to write the log of a simulated air.
  package var afterRound: (Instant) -> Void = { _ in }
  /// Reports the state of the run to a service manager.
  package var service: ServiceReporter?
  /// Whether another process will replace one that is asked to end.
  package var isReplaced: () -> Bool = { false }
  package private(set) var now: Instant
  /// Where the run was when a signal or the limit ended it: `at line 26: reconnect forever`.
  package private(set) var placeAtEnd: String?
  /// The signal that ended the run.
  package private(set) var signal: Signals.Kind?

  package init(session: RunSession, clock: Clock, signals: Signals? = nil) {
    self.session = session
    host = session.host
    self.signals = signals
    switch clock {
    case .real:
      isVirtual = false
      now = SystemClock.now()
    case .virtual(let start):
      isVirtual = true
      now = start
    }
  }

  /// Runs until the run is over. `limit` ends it as stopped; `until` leaves it unchanged, to be
  /// continued.
  package func run(limit: Moment? = nil, until end: Moment? = nil) -> Outcome {
    defer { service?.stops(succeeds: session.exitStatus.code == 0) }
    var rounds = 0
    while true {
      round()
      afterRound(now)
      if session.isKilled { return .killed }
      if session.isOver { return .ended }
      if let limit, now.moment >= limit {
        recordPlace()
        session.timeUp(at: now)
      }
      if session.isOver { return .ended }
      if let end, now.moment >= end { return .timeUp }
      var next = earliest(session.nextDeadline, host.nextMoment, end)
      if let limit, !session.isTimeUp { next = earliest(next, limit) }
      if session.hasMore || session.hasLine { next = now.moment }
      session.settlePrompt(at: now)
      if isVirtual {
        // The virtual time stands still while a line is read.
        if let input = session.wantedInput {
          let interests = [Poll.Interest(input)] + (signals.map { [Poll.Interest($0.descriptor)] } ?? [])
          let ready = Poll.wait(for: interests, until: nil)
          if ready.count > 1, ready[1].reads { pollSignals() }
          if ready[0].reads, session.wantedInput == input { session.readInput(at: now) }
          continue
        }
        // And while a program runs, which does not know it.
        if session.hasCommands {
          _ = Poll.wait(for: session.commandInterests, until: SystemClock.now().moment + .milliseconds(20))
          if Signals.isPending { pollSignals() }
          continue
        }
        // Nothing will happen before the end of the time.
        guard let next else {
          recordPlace()
          return .timeUp
        }
        if next > now.moment { now = now + (next - now.moment) }
        rounds += 1
        if rounds % 1024 == 0 || Signals.isPending {
          pollSignals()
          session.tidy()
        }
        continue
      }
      if next.map({ $0 - now.moment > .milliseconds(20) }) ?? true { session.tidy() }
      if let service {
        if session.hasMore {
          service.turns(at: now.moment)
        } else if session.isEnding || signal != nil {
          service.stops(succeeds: session.exitStatus.code == 0)
          service.turns(at: now.moment)
        } else {
          service.waits(doing: session.activity, at: now.moment)
        }
        next = earliest(next, service.nextMoment)
      }
      waitForReal(until: next)
      // A computing run may have long rounds.
      if session.hasMore, let limit, now.moment >= limit {
        recordPlace()
        session.timeUp(at: now)
      }
    }
  }

  /// Performs everything that is ready at this instant.
  private func round() { Self.round(session, at: now) }

  package static func round(_ session: RunSession, at now: Instant) {
    // Bounded, because a quick peer or a computation could continue for long. Signals and the limit
    // are checked in between.
    for _ in 0..<64 {
      if !session.receive(at: now) {
        session.wake(at: now)
        if session.takeLine(at: now) || session.serveCommands(at: now) { continue }
        if !session.hasMore, session.host.nextMoment.map({ $0 > now.moment }) ?? true { return }
        if !session.hasMore { continue }
        return
      }
      if session.isKilled || session.isOver || Signals.isPending { return }
    }
  }

  private func waitForReal(until next: Moment?) {
    host.flush()
    interests.removeAll(keepingCapacity: true)
    if let signals { interests.append(Poll.Interest(signals.descriptor)) }
    if let interest = host.interest { interests.append(interest) }
    let input = session.wantedInput
    if let input { interests.append(Poll.Interest(input)) }
    let place = interests.count - 1
    interests += session.commandInterests
    let ready = Poll.wait(for: interests, until: next)
    host.flush()
    now = SystemClock.now()
    // Ctrl-C discards unread input before it, so what is available now was typed afterwards.
    if signals != nil, ready.first?.reads == true { pollSignals() }
    if input != nil, ready[place].reads, session.wantedInput == input { session.readInput(at: now) }
  }

  /// Stores the place of the run before its end changes it.
  private func recordPlace() {
    if placeAtEnd == nil, !session.isEnding { placeAtEnd = session.isInHandlers ? "in its handlers" : "at \(session.activity)" }
  }

  private func pollSignals() {
    while let kind = signals?.next() {
      switch kind {
      case .resize:
        session.resizeTerminal()
        continue
      case .suspend:
        session.suspendTerminal()
        continue
      case .interrupt where session.interruptPrompt(at: now):
        Signals.dismissInterrupt()
        continue
      case .hangUp where session.isTypedAt:
        // The next prompt continues this session, with its links if a keeper holds them.
        if signal == nil { signal = kind }
        session.isHungUp = true
        session.makeWay(at: now)
        continue
      default: break
      }
      recordPlace()
      if kind == .interrupt, signal != nil {
        session.abandon(signal == .interrupt ? .interrupted : .terminated, at: now)
        return
      }
      let isFirst = signal == nil
      if isFirst { signal = kind }
      if signal == .hangUp { session.isHungUp = true }
      if kind == .terminate, isFirst, session.canMakeWay, isReplaced() {
        session.makeWay(at: now)
      } else {
        session.stop(kind == .interrupt ? .interrupted : .terminated, at: now)
      }
    }
  }
}
