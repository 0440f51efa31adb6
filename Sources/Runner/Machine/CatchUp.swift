package import Exchange
package import Vocabulary

/// What happened while no process ran, or during `on restore`, and is not handled yet. Timers and
/// waits that came due meanwhile come after it, as they would have in a run that was not killed.
struct CatchUp: Sendable {
  /// When `on restore` ended, or this process began.
  var end: Moment
  /// The newest report that the keeper has held; 0 if there is none.
  var newest: EventNumber
  /// Until when everything else waits. A handler that never ends must not hold up the run.
  var patience: Moment
  /// When the latest report was taken, and the number of the first fiber after that.
  var taken = Moment.zero
  var firstFiber: UInt64 = 0

  /// How long the next report waits for the handlers of the last one. Slower ones run beside those
  /// of later events, as in a run that lives.
  static let pause = TimeSpan.milliseconds(100)
}

extension Machine {
  /// Whether earlier events are on their way, queued or being handled.
  var isCatchingUp: Bool {
    guard let catchUp, now.moment < catchUp.patience else { return false }
    return header.value.covered < catchUp.newest || events.hasAny(before: catchUp.end)
      || devices.active.contains { devices[link: $0].held.first.map { $0.at.moment < catchUp.end } ?? false }
  }

  /// The moment before which reports are awaited; `nil` if none are.
  ///
  /// Mutating only to avoid a copy of the whole machine, which its owner, a class, makes otherwise.
  package var catchUpEnd: Moment? {
    mutating get { isRestoring ? nil : catchUp?.end }
  }

  /// Waits for the reports up to this one.
  package mutating func awaitReports(through newest: EventNumber) {
    if let catchUp, catchUp.newest < newest { self.catchUp?.newest = newest }
  }

  /// How many reports may be taken at once. While the run catches up, each is handled before the
  /// next one, as if it had just arrived.
  ///
  /// Mutating only to avoid a copy of the whole machine.
  package var reportLimit: Int {
    mutating get { !isCatchingUp ? 64 : reportsPausedUntil == nil ? 1 : 0 }
  }

  /// Until when the next report waits for the handlers of the last one; `nil` if it does not. A
  /// handler that waits for a report itself gets it.
  var reportsPausedUntil: Moment? {
    guard let catchUp, isCatchingUp, case let end = catchUp.taken + CatchUp.pause, now.moment < end else { return nil }
    let isHandling = fibers.contains { fiber in
      guard case .handler = fiber.role, fiber.id >= catchUp.firstFiber else { return false }
      return switch fiber.wait {
      case .none, .span, .retry, .file, .command: true
      default: false
      }
    }
    return isHandling ? end : nil
  }

  /// A report from the keeper is taken.
  mutating func noteReport() {
    guard let catchUp else { return }
    if header.value.covered < catchUp.newest { renewCatchUp() }
    self.catchUp?.taken = now.moment
    self.catchUp?.firstFiber = header.value.nextFiber
  }

  /// There was progress, so everything else waits longer.
  mutating func renewCatchUp() {
    guard catchUp != nil else { return }
    let patience = now.moment + Self.grace
    catchUp?.patience = patience
    if case .draining(let end) = life { life = .draining(max(end, patience)) }
  }

  /// Whether a fiber waits for a time that has come. It goes on after the earlier events. Handlers
  /// of events are not held up, because they are what is waited for.
  static func waitsForEvents(_ fiber: borrowing Fiber, at moment: Moment) -> Bool {
    guard case .span(let due) = fiber.wait else { return false }
    return due.moment <= moment && fiber.role.waitsForEvents
  }
}

extension Fiber.Role {
  /// Whether it goes on only after the events that happened before this process.
  var waitsForEvents: Bool {
    switch self {
    case .body, .branch, .timer, .whenever: true
    case .handler, .connect, .setUp, .restore, .stop, .failure: false
    }
  }
}
