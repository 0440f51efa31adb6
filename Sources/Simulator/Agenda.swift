import Vocabulary

/// A binary heap of entries by time, then by order of insertion.
///
/// Entries are never removed from the middle. A change increments the generation of its owner, and
/// entries of an older generation are skipped.
struct Agenda: Sendable {
  enum Owner: Hashable, Sendable {
    /// The advertising set with this index in this controller.
    case advertising(controller: Int, set: Int)
    case link(Int)
    /// The end of a scan with a duration.
    case scan(controller: Int)
    /// The events of encryption that a fault has delayed.
    case heldEvents(controller: Int)
  }

  struct Entry: Sendable {
    var time: Moment
    var order: UInt64
    var owner: Owner
    var generation: UInt64

    static func < (left: Entry, right: Entry) -> Bool { (left.time, left.order) < (right.time, right.order) }
  }

  private var heap: [Entry] = []
  private var count: UInt64 = 0

  var first: Entry? { heap.first }

  mutating func add(_ owner: Owner, at time: Moment, generation: UInt64) {
    count += 1
    heap.append(Entry(time: time, order: count, owner: owner, generation: generation))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child] < heap[parent] else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  mutating func removeFirst() {
    guard let last = heap.popLast(), !heap.isEmpty else { return }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      let left = 2 * parent + 1
      if left < heap.count, heap[left] < heap[least] { least = left }
      if left + 1 < heap.count, heap[left + 1] < heap[least] { least = left + 1 }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
