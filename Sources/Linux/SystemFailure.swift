import Glibc

/// A system call that failed: while doing what, with which `errno`.
package struct SystemFailure: Error, Equatable, Sendable, CustomStringConvertible {
  package var doing: String
  package var code: Int32
  /// The reason, where `errno` has no word for it.
  private var words: String?

  package init(_ doing: String, code: Int32 = errno, words: String? = nil) {
    self.doing = doing
    self.code = code
    self.words = words
  }

  /// `Permission denied`.
  package var reason: String { words ?? Self.text(code) }

  package static func text(_ code: Int32) -> String { String(cString: strerror(code)) }

  package var isDiskFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

  package var description: String { "\(doing): \(reason)" }
}

extension SystemFailure {
  package static let tooLarge = EFBIG
  package static let noDevice = ENODEV
  package static let noChild = ECHILD
  package var isDenied: Bool { code == EACCES || code == EPERM }
  package var isMissing: Bool { code == ENOENT }
  /// A signal came while a call waited.
  package var isInterrupted: Bool { code == EINTR }
  /// The queue of those who want to be let in is full.
  package var isCrowded: Bool { code == EAGAIN }
  /// Nobody listens there.
  package var isRefused: Bool { code == ECONNREFUSED }
  package var isDirectory: Bool { code == EISDIR }
}
