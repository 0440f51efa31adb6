package import Linux
package import Vocabulary

/// Reports the state of a run to its service manager (sd_notify(3)): that it is ready when it first
/// waits, what it is doing, that its loop is alive, and that it stops. Without a manager there is
/// no reporter.
package final class ServiceReporter {
  private let manager: ServiceManager
  /// The interval of watchdog messages.
  private let watchdog: TimeSpan?
  private var watchedAt: Moment?
  private var isReady = false
  private var isStopping = false
  private var status = ""
  private var statusAt: Moment?
  /// The status to send once the interval is over.
  private var pending: String?

  /// The shortest time between two status messages, so that a quick run does not flood the manager.
  private static let statusEvery = TimeSpan.seconds(1)

  package init(manager: ServiceManager, watchdog: TimeSpan?) {
    self.manager = manager
    self.watchdog = watchdog
  }

  /// From `$NOTIFY_SOCKET` and `$WATCHDOG_USEC`.
  package convenience init?(environment: (String) -> String?) {
    guard let manager = ServiceManager(environment: environment) else { return nil }
    self.init(
      manager: manager, watchdog: ServiceManager.watchdogInterval(environment: environment).map { TimeSpan.microseconds($0) })
  }

  /// When it must be called next, even if nothing has happened.
  package var nextMoment: Moment? {
    let word = pending == nil ? nil : statusAt.map { $0 + Self.statusEvery }
    guard let watchdog, let watchedAt else { return word }
    return word.map { min($0, watchedAt + watchdog) } ?? watchedAt + watchdog
  }

  /// A round of the loop is over, and the run computes on.
  package func turns(at now: Moment) {
    guard let watchdog else { return }
    if let watchedAt, now < watchedAt + watchdog { return }
    watchedAt = now
    manager.watchdog()
  }

  /// A round of the loop is over, and the run waits.
  package func waits(doing text: String, at now: Moment) {
    if !isReady {
      isReady = true
      (status, statusAt) = (text, now)
      manager.ready(text)
    } else if text != status {
      pending = text
    } else {
      pending = nil
    }
    if let text = pending, statusAt.map({ $0 + Self.statusEvery <= now }) ?? true {
      (status, statusAt, pending) = (text, now, nil)
      manager.status(text)
    }
    turns(at: now)
  }

  /// The run is about to end. `succeeds` if it never had to wait and thus was never ready.
  package func stops(succeeds: Bool) {
    guard !isStopping else { return }
    isStopping = true
    if !isReady, succeeds {
      isReady = true
      manager.ready()
    }
    manager.stopping()
  }
}
