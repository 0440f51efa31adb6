package import Exchange
package import Vocabulary

/// What `tooth scan` has heard and when it is shown. Each device is shown once, as soon as its name
/// and services are known; one without them a moment after it was first heard, because a scan
/// response follows the advertisement and may be lost once or twice.
///
/// A report costs the same however many were heard before. Addresses rotate for ever, so the oldest
/// are forgotten: a device that is heard again after more than 65,536 others may be shown again.
package struct Sightings: Sendable {
  /// Of two generations the older goes when the newer is full.
  package static let generation = 1 << 16
  package static let patience = TimeSpan.milliseconds(400)

  private var newer: Set<UInt64> = []
  private var older: Set<UInt64> = []
  private var pending: [UInt64: Advertisement] = [:]
  /// In the order in which they were heard, and so of their times. Those that were shown early are
  /// no longer pending.
  private var queue: [(key: UInt64, due: Moment)] = []
  private var head = 0
  /// How many devices were heard.
  package private(set) var count = 0

  package init() {}

  /// How many addresses are kept, for tests of the bound.
  package var kept: Int { newer.count + older.count + pending.count + queue.count }

  package var nextDue: Moment? { head < queue.count ? queue[head].due : nil }

  /// - Returns: what is to be shown at once.
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
    guard advertisement.name != nil, !advertisement.services.isEmpty else {
      pending[key] = advertisement
      return nil
    }
    pending[key] = nil
    dropShown()
    return advertisement
  }

  /// Those whose time has come, or `all` that wait, in the order in which they were heard.
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
