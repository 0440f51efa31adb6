import Glibc

/// Lines of a descriptor that may be a terminal, a pipe or a file. It reads only when it is asked
/// to: what is not read waits where it is.
package final class LineReader {
  package let descriptor: Int32
  private var buffer: [UInt8] = []
  /// Where the next line begins in the buffer.
  private var start = 0
  /// Nothing up to here ends a line.
  private var searched = 0
  /// The end, or an error, was read.
  package private(set) var isOver = false
  /// The newest line was no UTF-8; what was not is replaced in it.
  package private(set) var isMalformed = false
  private var echo: termios?

  /// A longer line comes in parts of this length.
  package static let longest = 1 << 16

  package init(descriptor: Int32 = 0) { self.descriptor = descriptor }

  /// The lines of a text.
  package init(text: String) {
    descriptor = -1
    buffer = Array(text.utf8)
    isOver = true
  }

  deinit { showInput() }

  package var isTerminal: Bool { Linux.isTerminal(descriptor) }

  /// A line without its end; nothing while there is no whole one. What stands behind the last end
  /// of a line is a line, too.
  package func next() -> String? {
    while searched < buffer.count {
      if buffer[searched] == UInt8(ascii: "\n") { return take(searched, and: 1) }
      searched += 1
      if searched - start >= Self.longest { return take(searched, and: 0) }
    }
    if isOver, start < buffer.count { return take(buffer.count, and: 0) }
    return nil
  }

  /// Whether it must read before there is a line.
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

  /// Reads once: what is there, or waits for it.
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

  /// What is typed from here on is not shown.
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
