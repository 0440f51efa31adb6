import CBluez
import Glibc
package import Vocabulary

/// What a service manager wants to know of its service, and what it keeps for it (sd_notify(3)).
/// Without a manager every word is lost, which is no failure.
package struct ServiceManager: Sendable {
  private let path: String

  /// Nothing when nobody listens.
  package init?(environment: (String) -> String?) {
    guard let path = environment("NOTIFY_SOCKET"), path.utf8.count >= 2, path.hasPrefix("/") || path.hasPrefix("@") else {
      return nil
    }
    self.path = path
  }

  /// The service does its work from now on.
  package func ready(_ status: String? = nil) { say("READY=1" + (status.map { "\nSTATUS=\(Self.line($0))" } ?? "")) }
  /// One line for `systemctl status`.
  package func status(_ text: String) { say("STATUS=\(Self.line(text))") }
  package func stopping() { say("STOPPING=1") }
  /// The service is alive.
  package func watchdog() { say("WATCHDOG=1") }

  /// Keeps a descriptor for whoever comes after this process. Of one that is not polled the manager
  /// does not notice when its other side ends.
  @discardableResult package func store(_ descriptor: Int32, name: String, isPolled: Bool = true) -> SystemFailure? {
    say("FDSTORE=1\nFDNAME=\(name)" + (isPolled ? "" : "\nFDPOLL=0"), descriptor)
  }

  /// What was stored under a name is closed.
  @discardableResult package func remove(_ name: String) -> SystemFailure? { say("FDSTOREREMOVE=1\nFDNAME=\(name)") }

  /// Waits until the manager has done what it was told up to now, at most this long
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

  /// How often the manager wants to hear that the service is alive: half of what it allows, in
  /// microseconds. Nothing when it does not care.
  package static func watchdogInterval(environment: (String) -> String?, process: Int32 = getpid()) -> Int64? {
    guard let allowed = environment("WATCHDOG_USEC").flatMap({ Int64($0) }), allowed > 1 else { return nil }
    if let meant = environment("WATCHDOG_PID"), Int32(meant) != process { return nil }
    return allowed / 2
  }
}

/// Descriptors that a service manager has given to this process (sd_listen_fds_with_names(3)):
/// sockets, and what was stored. Their order means nothing.
package struct InheritedDescriptors: Sendable {
  package struct Entry: Equatable, Sendable {
    package var descriptor: Int32
    package var name: String
  }

  package let entries: [Entry]

  /// Every one of them is closed in programs that this one starts.
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
