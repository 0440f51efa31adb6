import CBluez
import Glibc

/// SIGINT, SIGTERM and SIGHUP as something to read: no handler, no global state. They stay blocked until `die`.
package final class Signals {
  package enum Kind: Int32, Sendable {
    case hangUp = 1
    case interrupt = 2
    case terminate = 15
  }

  package let descriptor: Int32

  package init() throws(SystemFailure) {
    // A reader of our output that went away is an EPIPE, not a death.
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow is an EFBIG, like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    descriptor = cbluez_signals()
    guard descriptor >= 0 else { throw SystemFailure("waiting for signals") }
  }

  deinit { close(descriptor) }

  /// A file of the checkpoint that SQLite has mapped may be cut off by somebody: then the process ends with exit code 11 and says why.
  package static func explainCutFiles() { cbluez_explain_cut_files() }

  /// The next signal that came, if one did.
  package func next() -> Kind? {
    Kind(rawValue: cbluez_next_signal(descriptor))
  }

  /// Dies of the signal, as a shell or systemd expects of a program that was asked to stop. Only returns when that fails.
  package static func die(of kind: Kind) {
    signal(kind.rawValue, SIG_DFL)
    raise(kind.rawValue)
    cbluez_unblock_signals()
  }
}
