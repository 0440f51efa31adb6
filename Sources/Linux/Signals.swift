import CBluez
import Glibc
package import Vocabulary

/// SIGINT, SIGTERM and SIGHUP as input of the loop.
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

  /// Handles the signals from now on, so that the process ends when it is asked to. If it does not
  /// read a signal within 4 s, it is ended by it; if it does, after `patience`.
  package init(patience: TimeSpan = .seconds(16)) throws(SystemFailure) {
    Self.ignoreFailedWrites()
    descriptor = cbluez_signals(Int32(clamping: patience.milliseconds / 1000))
    guard descriptor >= 0 else { throw SystemFailure("waiting for signals") }
  }

  deinit { close(descriptor) }

  /// A failed write returns an error and does not end the process.
  package static func ignoreFailedWrites() { _ = areFailedWritesIgnored }

  private static let areFailedWritesIgnored: Bool = {
    // A closed reader of our output is an EPIPE and does not kill the process.
    signal(SIGPIPE, SIG_IGN)
    // A file at its size limit is an EFBIG, like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    return true
  }()

  /// Handles the signals of a terminal too from now on.
  package static func watchTerminal() { _ = cbluez_terminal_signals() }

  /// Keeps two quick interrupts from ending the process, because each may cancel an entry of a
  /// prompt.
  package static func outlastInterrupts() { cbluez_outlast_interrupts() }

  /// Keeps an interrupt that has cancelled something from ending the process.
  package static func dismissInterrupt() { cbluez_dismiss_interrupt() }

  /// Ends the process with exit code 11 and a message if a checkpoint file that SQLite has mapped
  /// is truncated.
  package static func explainCutFiles() { cbluez_explain_cut_files() }

  /// Returns the next signal, if there is one.
  package func next() -> Kind? {
    while true {
      let number = cbluez_next_signal(descriptor)
      if number == 0 { return nil }
      // The time limit arrives in the same way but is checked elsewhere.
      if let kind = Kind(rawValue: number) { return kind }
    }
  }

  /// Whether a signal or the time limit is pending. Long work returns to the loop if so.
  package static var isPending: Bool { cbluez_is_interrupted() != 0 }

  /// Whether the process was asked to end, even if the signal was already read.
  package static var isEndRequested: Bool { cbluez_is_over() != 0 }

  /// Ends the process with exit code 8 after this time: at once if nothing reads signals, else 4 s
  /// later.
  package static func limit(to span: TimeSpan) { cbluez_limit(span.nanoseconds / 1000) }

  /// Whether the process was stopped and continued (`fg`), so that others may have written to its
  /// terminal. True once for each time.
  package static func takeContinued() -> Bool { cbluez_was_continued() != 0 }

  /// Stops the process, as Ctrl-Z does, until it is continued. Does nothing if there is no shell
  /// that could continue it.
  package static func stopProcess() { cbluez_stop_process() }

  /// Ends the process by the signal, as a shell or systemd expects. Returns only on failure.
  package static func die(of kind: Kind) {
    signal(kind.rawValue, SIG_DFL)
    raise(kind.rawValue)
    cbluez_unblock_signals()
  }
}
