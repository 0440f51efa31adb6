import CBluez
import Glibc
package import Vocabulary

/// SIGINT, SIGTERM and SIGHUP as something to read.
package final class Signals {
  package enum Kind: Int32, Sendable {
    case hangUp = 1
    case interrupt = 2
    case terminate = 15
    /// Ctrl-Z.
    case suspend = 20
    case resize = 28
  }

  package let descriptor: Int32

  /// From now on they are handled: whatever a process waits for, it ends when it is told to. One
  /// that does not read a signal within 4 s dies of it, one that does after `patience`.
  package init(patience: TimeSpan = .seconds(16)) throws(SystemFailure) {
    Self.ignoreFailedWrites()
    descriptor = cbluez_signals(Int32(clamping: patience.milliseconds / 1000))
    guard descriptor >= 0 else { throw SystemFailure("waiting for signals") }
  }

  deinit { close(descriptor) }

  /// A write that fails is told by its error, and ends no process.
  package static func ignoreFailedWrites() { _ = areFailedWritesIgnored }

  private static let areFailedWritesIgnored: Bool = {
    // A reader of our output that went away is an EPIPE, not a death.
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow is an EFBIG, like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    return true
  }()

  /// Those of a terminal come too, from now on.
  package static func watchTerminal() { _ = cbluez_terminal_signals() }

  /// An interrupt has cancelled something, and does not end the process.
  package static func pardon() { cbluez_pardon() }

  /// A file of the checkpoint that SQLite has mapped may be cut off by somebody: then the process
  /// ends with exit code 11 and says why.
  package static func explainCutFiles() { cbluez_explain_cut_files() }

  /// The next signal that came, if one did.
  package func next() -> Kind? {
    while true {
      let number = cbluez_next_signal(descriptor)
      if number == 0 { return nil }
      // The time limit comes the same way, and is looked at elsewhere.
      if let kind = Kind(rawValue: number) { return kind }
    }
  }

  /// A signal has come, or the time limit, and nobody has looked at it: whoever works for long
  /// comes back to the loop.
  package static var isPending: Bool { cbluez_is_interrupted() != 0 }

  /// Somebody wants the process to end, whether that was looked at or not.
  package static var hasCome: Bool { cbluez_is_over() != 0 }

  /// Ends the process with exit code 8 after this time: at once while nothing reads signals, else 4
  /// s later.
  package static func limit(to span: TimeSpan) { cbluez_limit(span.nanoseconds / 1000) }

  /// The process was stopped and goes on (`fg`): others have written to its terminal meanwhile.
  /// Told once.
  package static func takeContinued() -> Bool { cbluez_was_continued() != 0 }

  /// Stops the process, as Ctrl-Z does, until it is continued.
  package static func stopProcess() { raise(SIGSTOP) }

  /// Dies of the signal, as a shell or systemd expects of a program that was asked to stop. Only
  /// returns when that fails.
  package static func die(of kind: Kind) {
    signal(kind.rawValue, SIG_DFL)
    raise(kind.rawValue)
    cbluez_unblock_signals()
  }
}
