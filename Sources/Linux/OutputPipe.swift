import Glibc

/// stdout or stderr: written at once, never buffered behind our back. A reader that went away is told once.
package final class OutputPipe {
  private let descriptor: Int32
  /// What was written, where it is only collected.
  package private(set) var collected = ""
  /// Nobody reads any more (EPIPE), or the disk behind it is full.
  package private(set) var failure: SystemFailure?

  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Keeps what is written: for simulated worlds.
  package static func collecting() -> OutputPipe { OutputPipe(descriptor: -1) }

  /// One for the whole process, so that its end can tell whether all of its output was written. There is one thread.
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
      try writeAll(descriptor, Array(text.utf8), named: descriptor == 1 ? "stdout" : "stderr")
    } catch {
      failure = error
    }
  }
}
