import Glibc

/// A failed system call: the operation and its `errno`.
package struct SystemFailure: Error, Equatable, Sendable, CustomStringConvertible {
  package var doing: String
  package var code: Int32
  /// The reason, if `errno` has no suitable text.
  private var words: String?

  package init(_ doing: String, code: Int32 = errno, words: String? = nil) {
    self.doing = doing
    self.code = code
    self.words = words
  }

  /// The reason, such as `Permission denied`.
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
  /// A signal interrupted the call.
  package var isInterrupted: Bool { code == EINTR }
  /// The backlog of a listening socket is full.
  package var isCrowded: Bool { code == EAGAIN }
  /// No process listens there.
  package var isRefused: Bool { code == ECONNREFUSED }
  package var isDirectory: Bool { code == EISDIR }
}
