import Exchange
import Vocabulary

/// What happened while no process ran, and is not handled yet. Timers, and a `wait` of the body
/// that came due meanwhile, come after it, as they would have in a run that was not killed.
struct CatchUp: Sendable {
  /// The newest report that the keeper has held; 0 if there is none.
  var newest: EventNumber
  /// Until when nothing waits for it any more. A handler that never ends must not hold up the body.
  var patience: Moment
}

extension Machine {
  /// Whether events from before this process are on their way, queued or being handled.
  var isCatchingUp: Bool {
    guard let catchUp, let restoredAt, now.moment < catchUp.patience else { return false }
    return header.value.covered < catchUp.newest || events.hasAny(before: restoredAt)
  }

  /// There was progress, so everything else waits on.
  mutating func renewCatchUp() {
    guard catchUp != nil else { return }
    let patience = now.moment + Self.grace
    catchUp?.patience = patience
    if case .draining(let end) = life { life = .draining(max(end, patience)) }
  }

  /// Whether a fiber is in a `wait` of the body whose time is over. It ends after the events that
  /// happened before.
  static func waitsBehindEvents(_ fiber: borrowing Fiber, at moment: Moment) -> Bool {
    guard case .body = fiber.role, case .span(let due) = fiber.wait else { return false }
    return due.moment <= moment
  }
}
