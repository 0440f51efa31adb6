import Exchange
import Vocabulary

/// The link of a device. It is not saved, except that held events have rows.
struct DeviceLink: Sendable {
  var phase = LinkPhase.idle
  var info: LinkInfo?
  /// The latest value that was heard or read.
  var rssi: Int?
  /// The time of the latest advertisement.
  var heard: Moment?
  /// Attributes that the host has found and verified on this link.
  var located: [AttributePath] = []
  /// Events that arrived before set-up was complete.
  fileprivate(set) var held = StoredEvents()
  /// Whether this link reached the recipe's own statements, so that its end must be reported.
  var isUp = false
  /// Whether an operation or notification succeeded after set-up.
  var wasUseful = false
  /// Whether the link is up and its bond is encrypting it, before it can be used.
  var isEncrypting = false
  /// The question of its pairing that is unanswered.
  var question: PairingQuestionID?
  /// The deadline for restoring the link of a killed run, if the device is not wanted.
  var resumeLimit: Moment?
  /// When a discovery in progress no longer prolongs statements.
  var discoveryEnds: Moment?

  var isLinked: Bool {
    switch phase {
    case .kept, .settingUp, .firstSetUp, .onConnect, .ready: true
    case .idle, .locating, .connecting, .gated, .closing: false
    }
  }
}

extension DeviceTable {
  /// Holds an event until the set-up of its link is complete.
  mutating func hold(_ event: MachineEvent, _ index: Int) { self[link: index].held.append(event) }

  /// Holds an event of a checkpoint, which already has a row.
  mutating func holdStored(_ event: MachineEvent, _ index: Int) { self[link: index].held.appendStored(event) }

  /// Removes and returns the held events in order, and deletes their rows.
  mutating func takeHeld(_ index: Int) -> [MachineEvent] {
    if self[link: index].held.isEmpty { return [] }
    var events: [MachineEvent] = []
    while let (event, isStored) = self[link: index].held.take() {
      if isStored { delete(RowKey(.heldEvent, event.sequence)) }
      events.append(event)
    }
    return events
  }

  /// Marks the rows of all held events to be rewritten.
  mutating func rewriteHeld() { for index in active { self[link: index].held.rewrite() } }

  /// Stores held events, because they are acknowledged like all others.
  mutating func storeHeld(in commit: inout Commit) {
    for index in active where self[link: index].held.hasNew {
      for event in self[link: index].held.takeNew() {
        commit.rows.append(Commit.Row(RowKey(.heldEvent, event.sequence), event.encoded))
      }
    }
  }
}
