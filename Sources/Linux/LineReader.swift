import Glibc

/// Reads lines from a terminal, a pipe or a file. It reads only on request, so other input stays
/// where it is.
package final class LineReader {
  package let descriptor: Int32
  private var buffer: [UInt8] = []
  /// The start of the next line in the buffer.
  private var start = 0
  /// The position up to which there is no line end.
  private var searched = 0
  /// Whether the end or an error was read.
  package private(set) var isOver = false
  /// Whether the last line was not UTF-8. Invalid bytes are replaced.
  package private(set) var isMalformed = false
  private var echo: termios?

  /// The most bytes of a line; longer ones are split.
  package static let longest = 1 << 16

  package init(descriptor: Int32 = 0) { self.descriptor = descriptor }

  /// Reads the lines of a text.
  package init(text: String) {
    descriptor = -1
    buffer = Array(text.utf8)
    isOver = true
  }

  deinit { showInput() }

  package var isTerminal: Bool { Linux.isTerminal(descriptor) }

  /// Returns a line without its end; `nil` if there is no complete one. Text after the last line
  /// end counts as a line.
  package func next() -> String? {
    while searched < buffer.count {
      if buffer[searched] == UInt8(ascii: "\n") { return take(searched, and: 1) }
      searched += 1
      if searched - start >= Self.longest { return take(searched, and: 0) }
    }
    if isOver, start < buffer.count { return take(buffer.count, and: 0) }
    return nil
  }

  /// Whether input is needed for the next line.
  package var needsInput: Bool { !isOver && !buffer[searched...].contains(UInt8(ascii: "\n")) }

  private func take(_ end: Int, and more: Int) -> String {
    var last = end
    if more == 1, last > start, buffer[last - 1] == UInt8(ascii: "\r") { last -= 1 }
    let whole = String(validating: buffer[start..<last], as: UTF8.self)
    isMalformed = whole == nil
    let line = whole ?? String(decoding: buffer[start..<last], as: UTF8.self)
    start = end + more
    searched = start
    if start == buffer.count || start >= Self.longest {
      buffer.removeFirst(start)
      (start, searched) = (0, 0)
    }
    return line
  }

  /// Reads once and waits if necessary.
  package func fill() {
    guard !isOver else { return }
    var block = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &block, block.count)
    if count > 0 {
      buffer.append(contentsOf: block[..<count])
    } else if count == 0 || errno != EINTR && errno != EAGAIN {
      isOver = true
    }
  }

  /// Stops the echo of typed text.
  package func hideInput() {
    var settings = termios()
    guard echo == nil, tcgetattr(descriptor, &settings) == 0 else { return }
    echo = settings
    settings.c_lflag &= ~tcflag_t(ECHO)
    settings.c_lflag |= tcflag_t(ECHONL)
    _ = tcsetattr(descriptor, TCSAFLUSH, &settings)
  }

  package func showInput() {
    guard var settings = echo else { return }
    echo = nil
    _ = tcsetattr(descriptor, TCSADRAIN, &settings)
  }
}
