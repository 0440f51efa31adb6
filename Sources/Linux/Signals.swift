import CBluez
import Glibc

/// SIGINT, SIGTERM and SIGHUP as something to read: no handler, no global state. They stay blocked until `leave`.
package final class Signals {
  package enum Kind: Int32, Sendable {
    case hangUp = 1
    case interrupt = 2
    case terminate = 15
  }

  package let descriptor: Int32

  package init() throws(SystemFailure) {
    var mask = Self.mask()
    sigprocmask(SIG_BLOCK, &mask, nil)
    // A reader of our output that went away is an EPIPE, not a death.
    signal(SIGPIPE, SIG_IGN)
    descriptor = signalfd(-1, &mask, Int32(SFD_CLOEXEC.rawValue) | Int32(SFD_NONBLOCK.rawValue))
    guard descriptor >= 0 else { throw SystemFailure("waiting for signals") }
  }

  deinit { close(descriptor) }

  private static func mask() -> sigset_t {
    var mask = sigset_t()
    sigemptyset(&mask)
    for kind in [Kind.hangUp, .interrupt, .terminate] { sigaddset(&mask, kind.rawValue) }
    return mask
  }

  /// The next signal that came, if one did.
  package func next() -> Kind? {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard read(descriptor, &info, size) == size else { return nil }
    return Kind(rawValue: Int32(bitPattern: info.ssi_signo))
  }

  /// Dies of the signal, as a shell or systemd expects of a program that was asked to stop. Only returns when that fails.
  package static func die(of kind: Kind) {
    signal(kind.rawValue, SIG_DFL)
    raise(kind.rawValue)
    var mask = mask()
    sigprocmask(SIG_UNBLOCK, &mask, nil)
  }
}
