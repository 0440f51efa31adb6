import Glibc

/// Lines for the script: `name value`.
enum Report {
  static func figure(_ name: String, _ value: Int) { put(1, "\(name) \(value)\n") }

  static func text(_ name: String, _ value: String) { put(1, "\(name) \(value)\n") }

  /// Microseconds with three decimals.
  static func microseconds(_ name: String, nanoseconds: Int) {
    let thousandths = "\(1000 + nanoseconds % 1000)".dropFirst()
    put(1, "\(name) \(nanoseconds / 1000).\(thousandths)\n")
  }

  static func complain(_ text: String) { put(2, "bench: \(text)\n") }

  private static func put(_ descriptor: Int32, _ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }

  /// Processor time of this process, user and system.
  static func processTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// The best of several passes, since interference can only slow a pass down.
  static func best(of passes: Int, _ work: () throws -> Void) rethrows -> Int {
    var best = Int.max
    for _ in 0..<max(passes, 1) {
      let start = processTime()
      try work()
      best = min(best, processTime() - start)
    }
    return best
  }
}
