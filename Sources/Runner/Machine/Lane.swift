import Exchange
import Vocabulary

/// The events that one handler has still to take from one device, in order.
struct Lane: Equatable, Sendable {
  var unit: Int
  var device: Int
  var isBusy = false
  var events: [MachineEvent] = []
  var head = 0

  static let limit = 1024

  var count: Int { events.count - head }

  mutating func take() -> MachineEvent? {
    guard head < events.count else { return nil }
    let event = events[head]
    head += 1
    if head == events.count {
      events.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 512, head * 2 > events.count {
      events.removeFirst(head)
      head = 0
    }
    return event
  }
}
