import Glibc
import Vocabulary

/// stdout or stderr, unbuffered. A closed reader is reported once. A reader that does not read
/// blocks the process until it is asked to end.
package final class OutputPipe {
  private let descriptor: Int32
  /// The output, if it is only collected.
  package private(set) var collected = ""
  /// Why writing failed: the reader is gone (EPIPE), or the disk is full.
  package private(set) var failure: SystemFailure?

  /// The signals that end the wait for the reader; `nil` waits without limit.
  private var signals: Signals?
  /// When to stop waiting, once the process was asked to end.
  private var end: Moment?
  /// Whether output was dropped because it was not read in time. Later output is dropped as well.
  package private(set) var isCut = false

  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Limits the wait for the reader to `grace` after a signal or the time limit from now on.
  package func watch(_ signals: Signals) { self.signals = signals }

  /// The time that a reader has once the process must end.
  private static let grace = TimeSpan.milliseconds(1500)
  /// The octets that a pipe or terminal with room accepts without blocking.
  private static let piece = 256

  /// Collects the output, for simulated worlds.
  package static func collecting() -> OutputPipe { OutputPipe(descriptor: -1) }

  /// One object for the whole process, so that it can check at exit whether all output was written.
  /// There is one thread.
  nonisolated(unsafe) private static let shared = OutputPipe(descriptor: 1)

  package static func standardOutput() -> OutputPipe { shared }
  package static func standardError() -> OutputPipe { OutputPipe(descriptor: 2) }

  package var isTerminal: Bool { Linux.isTerminal(descriptor) }

  package var isBroken: Bool { failure?.code == EPIPE }

  package func write(_ text: String) {
    guard failure == nil else { return }
    guard descriptor >= 0 else {
      collected += text
      return
    }
    do throws(SystemFailure) {
      let name = descriptor == 1 ? "stdout" : "stderr"
      if let signals {
        try write(Array(text.utf8), signals, named: name)
      } else {
        try writeAll(descriptor, Array(text.utf8), named: name)
      }
    } catch {
      failure = error
    }
  }

  /// Writes all bytes, unless a signal interrupts it. After a signal it writes only as much as fits
  /// without blocking. It does not change the mode of the descriptor, which other processes share.
  private func write(_ bytes: [UInt8], _ signals: Signals, named name: String) throws(SystemFailure) {
    guard !isCut else { return }
    var sent = 0
    while sent < bytes.count {
      var count = bytes.count - sent
      if Signals.isEndRequested {
        guard isReady(signals) else {
          isCut = true
          return
        }
        count = min(count, Self.piece)
      }
      count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress.map { $0 + sent }, count) }
      if count >= 0 {
        sent += count
      } else if errno == EAGAIN {
        _ = isReady(signals)
      } else if errno != EINTR {
        throw SystemFailure("writing \(name)")
      }
    }
  }

  /// Waits until the reader accepts more. Returns false if it does not and the process must end.
  private func isReady(_ signals: Signals) -> Bool {
    var entries = [
      pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0), pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      // The interrupt may have cancelled something else.
      if !Signals.isEndRequested { end = nil }
      if Signals.isEndRequested, end == nil { end = SystemClock.now().moment + Self.grace }
      let left = end.map { Int32(clamping: max(0, ($0 - SystemClock.now().moment).milliseconds)) }
      // Once the process must end, only the reader and the clock matter.
      let count = poll(&entries, left == nil ? 2 : 1, left ?? -1)
      if count < 0, errno == EINTR { continue }
      if entries[0].revents != 0 { return true }
      if count <= 0, left != nil { return false }
    }
  }
}
