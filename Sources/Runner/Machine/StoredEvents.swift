import Exchange

/// Events in order, each with a row. Added events are saved with the next commit; the caller that
/// removes one deletes its row.
struct StoredEvents: Equatable, Sendable {
  private var all: [MachineEvent] = []
  /// Events before this index were removed.
  private var head = 0
  /// Events before this index have rows. Events are added at the end and removed at the front.
  private var stored = 0

  init() {}

  /// The events of a checkpoint.
  init(stored events: [MachineEvent]) {
    all = events
    stored = events.count
  }

  mutating func append(_ event: MachineEvent) { all.append(event) }

  /// Adds an event that has a row; all events before it must have one.
  mutating func appendStored(_ event: MachineEvent) {
    all.append(event)
    stored = all.count
  }

  /// Removes and returns the oldest event, and whether it has a row.
  mutating func take() -> (event: MachineEvent, isStored: Bool)? {
    guard head < all.count else { return nil }
    let taken = (all[head], head < stored)
    head += 1
    if head == all.count {
      all.removeAll(keepingCapacity: true)
      stored = 0
      head = 0
    } else if head > 512, head * 2 > all.count {
      all.removeFirst(head)
      stored = Swift.max(stored - head, 0)
      head = 0
    }
    return taken
  }

  /// Events without a row, which are then marked as stored.
  mutating func takeNew() -> ArraySlice<MachineEvent> {
    let new = all[Swift.max(stored, head)...]
    stored = all.count
    return new
  }

  var hasNew: Bool { Swift.max(stored, head) < all.count }

  /// Marks a pairing question as gone. Its row stays, because after a kill the question is too old
  /// or the host withdraws it again.
  mutating func withdraw(_ question: PairingQuestionID) {
    for place in head..<all.count {
      guard case .pairingAsked(var activation, let isOfServer) = all[place].kind, activation.id == question else { continue }
      activation.id = PairingActivation.gone
      all[place].kind = .pairingAsked(activation, isOfServer: isOfServer)
    }
  }

  /// Marks all rows to be rewritten.
  mutating func rewrite() { stored = 0 }
}

extension StoredEvents: RandomAccessCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { all.count - head }

  subscript(index: Int) -> MachineEvent { all[head + index] }
}
