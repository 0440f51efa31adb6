import Glibc

/// stdout or stderr: written at once, never buffered behind our back. A reader that went away is told once.
package final class OutputPipe {
  private let descriptor: Int32
  /// Nobody reads any more (EPIPE), or the disk behind it is full.
  package private(set) var failure: SystemFailure?

  package init(descriptor: Int32) { self.descriptor = descriptor }

  package static func standardOutput() -> OutputPipe { OutputPipe(descriptor: 1) }
  package static func standardError() -> OutputPipe { OutputPipe(descriptor: 2) }

  package var isTerminal: Bool { Linux.isTerminal(descriptor) }

  package var isBroken: Bool { failure?.code == EPIPE }

  package func write(_ text: String) {
    guard failure == nil else { return }
    do throws(SystemFailure) {
      try writeAll(descriptor, Array(text.utf8), named: descriptor == 1 ? "stdout" : "stderr")
    } catch {
      failure = error
    }
  }
}
