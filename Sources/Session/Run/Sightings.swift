package import Exchange
package import Vocabulary

/// The devices of `tooth scan`, each of which is shown once: when its name and services are known,
/// if these are what is shown, or else a moment after it was first received. A scan response
/// follows the advertisement and may be lost once or twice.
///
/// The cost of a report does not depend on the number of devices. Addresses rotate, so the oldest
/// are dropped; a device that returns after more than 65,536 others may be shown again.
package struct Sightings: Sendable {
  /// The size of a generation. The older one is dropped when the newer is full.
  package static let generation = 1 << 16
  package static let patience = TimeSpan.milliseconds(400)

  private var newer: Set<UInt64> = []
  private var older: Set<UInt64> = []
  private var pending: [UInt64: Advertisement] = [:]
  /// In the order in which they were received, and so of their times. Those that were shown early
  /// are no longer pending.
  private var queue: [(key: UInt64, due: Moment)] = []
  private var head = 0
  /// The number of devices received.
  package private(set) var count = 0

  private let showsEarly: Bool

  /// - Parameter showsEarly: Whether a device is complete when its name and services are known.
  package init(showsEarly: Bool = true) { self.showsEarly = showsEarly }

  /// The number of stored addresses, for tests of the bound.
  package var kept: Int { newer.count + older.count + pending.count + queue.count }

  package var nextDue: Moment? { head < queue.count ? queue[head].due : nil }

  /// - Returns: The advertisement to show at once.
  package mutating func hear(_ advertisement: Advertisement, at now: Moment) -> Advertisement? {
    let key = advertisement.address.bits | UInt64(advertisement.address.kind.rawValue) << 48
    if pending[key] == nil {
      guard !newer.contains(key), !older.contains(key) else { return nil }
      if newer.count >= Self.generation {
        older = newer
        newer = []
      }
      newer.insert(key)
      count += 1
      queue.append((key, now + Self.patience))
    }
    guard showsEarly, advertisement.name != nil, !advertisement.services.isEmpty else {
      pending[key] = advertisement
      return nil
    }
    pending[key] = nil
    dropShown()
    return advertisement
  }

  /// Returns those that are due, or with `all` all pending ones, in the order in which they were
  /// received.
  package mutating func due(at now: Moment, all: Bool = false) -> [Advertisement] {
    var list: [Advertisement] = []
    while head < queue.count, all || queue[head].due <= now {
      if let advertisement = pending.removeValue(forKey: queue[head].key) { list.append(advertisement) }
      head += 1
    }
    dropShown()
    return list
  }

  private mutating func dropShown() {
    while head < queue.count, pending[queue[head].key] == nil { head += 1 }
    if head == queue.count {
      queue.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 1024, head * 2 > queue.count {
      queue.removeFirst(head)
      head = 0
    }
  }
}
