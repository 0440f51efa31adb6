import Glibc
import Vocabulary

/// stdout or stderr: written at once, never buffered behind our back. A reader that went away is
/// told once; one that does not read holds us up until somebody wants the process to end.
package final class OutputPipe {
  private let descriptor: Int32
  /// What was written, where it is only collected.
  package private(set) var collected = ""
  /// Nobody reads any more (EPIPE), or the disk behind it is full.
  package private(set) var failure: SystemFailure?

  /// What ends a wait for the reader; nothing when nothing does.
  private var signals: Signals?
  /// When waiting is over, since somebody wants the process to end.
  private var end: Moment?
  /// Text was given up because nobody read it in time. What comes behind it is given up too.
  package private(set) var isCut = false

  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// From now on no reader is waited for any longer than `grace` after a signal or the time limit.
  package func watch(_ signals: Signals) { self.signals = signals }

  /// How long a reader has once the process is to end.
  private static let grace = TimeSpan.milliseconds(1500)
  /// What a pipe or a terminal with room takes without blocking.
  private static let piece = 256

  /// Keeps what is written: for simulated worlds.
  package static func collecting() -> OutputPipe { OutputPipe(descriptor: -1) }

  /// One for the whole process, so that its end can tell whether all of its output was written.
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

  /// A signal interrupts a write that waits. Behind it only as much is written as is taken without
  /// blocking: the descriptor is shared with others, so it stays as they want it.
  private func write(_ bytes: [UInt8], _ signals: Signals, named name: String) throws(SystemFailure) {
    guard !isCut else { return }
    var sent = 0
    while sent < bytes.count {
      var count = bytes.count - sent
      if Signals.hasCome {
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

  /// Waits until the reader takes more. False when it does not, and somebody wants the process to
  /// end.
  private func isReady(_ signals: Signals) -> Bool {
    var entries = [
      pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0), pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      // An interrupt may have cancelled something else.
      if !Signals.hasCome { end = nil }
      if Signals.hasCome, end == nil { end = SystemClock.now().moment + Self.grace }
      let left = end.map { Int32(clamping: max(0, ($0 - SystemClock.now().moment).milliseconds)) }
      // Once it is known that the process is to end, only the reader and the clock count.
      let count = poll(&entries, left == nil ? 2 : 1, left ?? -1)
      if count < 0, errno == EINTR { continue }
      if entries[0].revents != 0 { return true }
      if count <= 0, left != nil { return false }
    }
  }
}
