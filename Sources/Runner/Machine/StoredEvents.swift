import Exchange

/// Events in their order, each with a row of its own. Whatever is added is saved with the next
/// commit; whoever takes one out deletes its row.
struct StoredEvents: Equatable, Sendable {
  private var all: [MachineEvent] = []
  /// Events before this place were taken out.
  private var head = 0
  /// Events before this place have their rows: they are added at the end and taken from the front.
  private var stored = 0

  init() {}

  /// The events of a checkpoint.
  init(stored events: [MachineEvent]) {
    all = events
    stored = events.count
  }

  mutating func append(_ event: MachineEvent) { all.append(event) }

  /// Adds an event that has its row; those before it have theirs.
  mutating func appendStored(_ event: MachineEvent) {
    all.append(event)
    stored = all.count
  }

  /// The oldest, and whether it has a row.
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

  /// Events without a row yet, which have one from now on.
  mutating func takeNew() -> ArraySlice<MachineEvent> {
    let new = all[Swift.max(stored, head)...]
    stored = all.count
    return new
  }

  var hasNew: Bool { Swift.max(stored, head) < all.count }

  /// Marks a question of a pairing as gone. Its row stays: after a kill the question is too old, or
  /// its host says again that it is gone.
  mutating func withdraw(_ question: PairingQuestionID) {
    for place in head..<all.count {
      guard case .pairingAsked(var activation, let isOfServer) = all[place].kind, activation.id == question else { continue }
      activation.id = PairingActivation.gone
      all[place].kind = .pairingAsked(activation, isOfServer: isOfServer)
    }
  }

  /// Has all rows written anew.
  mutating func rewrite() { stored = 0 }
}

extension StoredEvents: RandomAccessCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { all.count - head }

  subscript(index: Int) -> MachineEvent { all[head + index] }
}
