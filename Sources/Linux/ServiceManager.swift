import CBluez
import Glibc
package import Vocabulary

/// Messages to a service manager and the descriptors that it stores (sd_notify(3)). Without a
/// manager, messages are dropped, which is not an error.
package struct ServiceManager: Sendable {
  private let path: String

  /// `nil` without a manager.
  package init?(environment: (String) -> String?) {
    guard let path = environment("NOTIFY_SOCKET"), path.utf8.count >= 2, path.hasPrefix("/") || path.hasPrefix("@") else {
      return nil
    }
    self.path = path
  }

  /// Reports that the service is ready.
  package func ready(_ status: String? = nil) { say("READY=1" + (status.map { "\nSTATUS=\(Self.line($0))" } ?? "")) }
  /// Sets the line in `systemctl status`.
  package func status(_ text: String) { say("STATUS=\(Self.line(text))") }
  package func stopping() { say("STOPPING=1") }
  /// Reports that the service is alive.
  package func watchdog() { say("WATCHDOG=1") }

  /// Stores a descriptor for the next process. If it is not polled, the manager does not notice
  /// when its other side ends.
  @discardableResult package func store(_ descriptor: Int32, name: String, isPolled: Bool = true) -> SystemFailure? {
    say("FDSTORE=1\nFDNAME=\(name)" + (isPolled ? "" : "\nFDPOLL=0"), descriptor)
  }

  /// Closes what was stored under a name.
  @discardableResult package func remove(_ name: String) -> SystemFailure? { say("FDSTOREREMOVE=1\nFDNAME=\(name)") }

  /// Waits until the manager has processed all earlier messages, up to a limit
  /// (sd_notify_barrier(3)).
  package func barrier(within patience: TimeSpan = .seconds(2)) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let failure = say("BARRIER=1", ends[1])
    close(ends[1])
    if failure == nil { _ = Poll.wait(for: [Poll.Interest(ends[0])], until: SystemClock.now().moment + patience) }
    close(ends[0])
  }

  @discardableResult private func say(_ text: String, _ descriptor: Int32 = -1) -> SystemFailure? {
    let bytes = Array(text.utf8)
    let code = cbluez_notify(path, bytes, bytes.count, descriptor)
    return code == 0 ? nil : SystemFailure("notifying the service manager", code: code)
  }

  private static func line(_ text: String) -> String { String(text.map { $0.isNewline ? " " : $0 }) }

  /// The interval of watchdog messages, half of the manager's limit, in microseconds; `nil` without
  /// a watchdog.
  package static func watchdogInterval(environment: (String) -> String?, process: Int32 = getpid()) -> Int64? {
    guard let allowed = environment("WATCHDOG_USEC").flatMap({ Int64($0) }), allowed > 1 else { return nil }
    if let meant = environment("WATCHDOG_PID"), Int32(meant) != process { return nil }
    return allowed / 2
  }
}

/// The descriptors that a service manager has passed to this process (sd_listen_fds_with_names(3)):
/// sockets and stored ones, in no order.
package struct InheritedDescriptors: Sendable {
  package struct Entry: Equatable, Sendable {
    package var descriptor: Int32
    package var name: String
  }

  package let entries: [Entry]

  /// All of them are close-on-exec.
  package init(environment: (String) -> String?, process: Int32 = getpid(), first: Int32 = 3) {
    guard environment("LISTEN_PID").flatMap({ Int32($0) }) == process,
      let count = environment("LISTEN_FDS").flatMap({ Int32($0) }), (1...1024).contains(count)
    else {
      entries = []
      return
    }
    let names = (environment("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    entries = (0..<count).map { place in
      _ = fcntl(first + place, F_SETFD, FD_CLOEXEC)
      return Entry(descriptor: first + place, name: Int(place) < names.count ? names[Int(place)] : "")
    }
  }

  package subscript(_ name: String) -> Int32? { entries.first { $0.name == name }?.descriptor }
}
