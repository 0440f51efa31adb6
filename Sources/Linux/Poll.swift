import CBluez
import Glibc
package import Vocabulary

/// Waits for descriptors and the clock, on one thread.
package enum Poll {
  package struct Interest: Equatable, Sendable {
    package var descriptor: Int32
    package var reads: Bool
    package var writes: Bool

    package init(_ descriptor: Int32, reads: Bool = true, writes: Bool = false) {
      self.descriptor = descriptor
      self.reads = reads
      self.writes = writes
    }
  }

  package struct Readiness: Equatable, Sendable {
    /// Whether there is input or the input has ended.
    package var reads: Bool
    package var writes: Bool
  }

  /// Waits until a descriptor is ready or the deadline is reached, without limit if that is `nil`.
  /// The results are in the order of the interests.
  package static func wait(for interests: [Interest], until deadline: Moment?) -> [Readiness] {
    var entries = interests.map { interest in
      pollfd(
        fd: interest.descriptor, events: (interest.reads ? Int16(POLLIN) : 0) | (interest.writes ? Int16(POLLOUT) : 0), revents: 0)
    }
    while true {
      let left = deadline.map { max(0, ($0 - SystemClock.now().moment).nanoseconds) } ?? -1
      let count = cbluez_poll(&entries, entries.count, left)
      if count < 0, errno == EINTR { continue }
      return entries.map { entry in
        let events = Int32(entry.revents)
        return Readiness(
          reads: events & (POLLIN | POLLHUP | POLLERR | POLLNVAL) != 0, writes: events & (POLLOUT | POLLERR) != 0)
      }
    }
  }
}
