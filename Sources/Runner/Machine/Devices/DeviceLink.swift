import Exchange
import Vocabulary

/// The link of a device: never saved, except that events which came too early have rows.
struct DeviceLink: Sendable {
  var phase = LinkPhase.idle
  var info: LinkInfo?
  /// As it was last heard or read.
  var rssi: Int?
  /// When its newest advertisement came.
  var heard: Moment?
  /// Attributes that the host has found and proved on this link.
  var located: [AttributePath] = []
  /// Events that came before set-up was over.
  fileprivate(set) var held = StoredEvents()
  /// This link got as far as the recipe's own statements: only then is its end worth telling.
  var isUp = false
  /// An operation or notification succeeded after set-up.
  var wasUseful = false
  /// A killed run's link must be back by then, where it is not wanted.
  var resumeLimit: Moment?

  var isLinked: Bool {
    switch phase {
    case .kept, .settingUp, .firstSetUp, .onConnect, .ready: true
    case .idle, .locating, .connecting, .gated, .closing: false
    }
  }
}

extension DeviceTable {
  /// Keeps an event until the set-up of its link is over.
  mutating func hold(_ event: MachineEvent, _ index: Int) { self[link: index].held.append(event) }

  /// An event of a checkpoint, which has its row.
  mutating func holdStored(_ event: MachineEvent, _ index: Int) { self[link: index].held.appendStored(event) }

  /// The events that were held, in their order; their rows go.
  mutating func takeHeld(_ index: Int) -> [MachineEvent] {
    if self[link: index].held.isEmpty { return [] }
    var events: [MachineEvent] = []
    while let (event, isStored) = self[link: index].held.take() {
      if isStored { delete(RowKey(.heldEvent, event.sequence)) }
      events.append(event)
    }
    return events
  }

  /// Has the rows of all held events written anew.
  mutating func rewriteHeld() { for index in active { self[link: index].held.rewrite() } }

  /// What came before set-up was over is acknowledged like everything else, so it is kept like
  /// everything else.
  mutating func storeHeld(in commit: inout Commit) {
    for index in active where self[link: index].held.hasNew {
      for event in self[link: index].held.takeNew() {
        commit.rows.append(Commit.Row(RowKey(.heldEvent, event.sequence), event.encoded))
      }
    }
  }
}
