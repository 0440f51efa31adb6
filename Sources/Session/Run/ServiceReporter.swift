package import Linux
package import Vocabulary

/// What a run tells the service manager that has started it (sd_notify(3)): that it is ready when
/// it first waits, what it is doing, that its loop turns, and that it stops. Without a manager
/// there is no reporter.
package final class ServiceReporter {
  private let manager: ServiceManager
  /// How often the manager wants a sign of life.
  private let watchdog: TimeSpan?
  private var watchedAt: Moment?
  private var isReady = false
  private var isStopping = false
  private var status = ""
  private var statusAt: Moment?
  /// What is to be told as soon as the manager has rested.
  private var owed: String?

  /// A run that goes from statement to statement need not wake the manager for each.
  private static let statusEvery = TimeSpan.seconds(1)

  package init(manager: ServiceManager, watchdog: TimeSpan?) {
    self.manager = manager
    self.watchdog = watchdog
  }

  /// Out of `$NOTIFY_SOCKET` and `$WATCHDOG_USEC`.
  package convenience init?(environment: (String) -> String?) {
    guard let manager = ServiceManager(environment: environment) else { return nil }
    self.init(
      manager: manager, watchdog: ServiceManager.watchdogInterval(environment: environment).map { TimeSpan.microseconds($0) })
  }

  /// When it wants to be asked next, though nothing has happened.
  package var nextMoment: Moment? {
    let word = owed == nil ? nil : statusAt.map { $0 + Self.statusEvery }
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
      owed = text
    } else {
      owed = nil
    }
    if let text = owed, statusAt.map({ $0 + Self.statusEvery <= now }) ?? true {
      (status, statusAt, owed) = (text, now, nil)
      manager.status(text)
    }
    turns(at: now)
  }

  /// The run is about to end; `succeeds` when it was never ready because it never had to wait.
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
