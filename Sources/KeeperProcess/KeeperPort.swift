package import Adapters
package import Keeper
package import Vocabulary

/// A way to a keeper: messages in both directions, without their lengths.
package protocol KeeperPort: Transport {
  /// Connects, for the first time or again, and starts a keeper if there should be one. Messages in
  /// transit on the old connection are lost.
  func connect(at now: Instant) throws(KeeperUnreachable)
  /// Waits until something has arrived or until the moment. A port inside the process never waits.
  func wait(until moment: Moment)
  /// Switches to the keeper of another adapter and returns its name, if the user named no adapter
  /// and this one cannot be used.
  func turnToAnother() -> String?
  /// The last packets of the adapter, if the keeper permits that.
  func lastPackets() -> [KeptPacket]
}

extension KeeperPort {
  package func turnToAnother() -> String? { nil }
  package func lastPackets() -> [KeptPacket] { [] }
}

/// Why there is no connection to a keeper.
package struct KeeperUnreachable: Error, Equatable {
  package var text: String
  package var hint: String?
  /// Whether a keeper is being started, so that there may be one soon.
  package var isTemporary: Bool
  /// Whether the adapter is the reason.
  package var isAdapters: Bool
  /// Whether no keeper is running, so that one may be started.
  package var isAbsent: Bool

  package init(_ text: String, hint: String? = nil, isTemporary: Bool, isAdapters: Bool = false, isAbsent: Bool = false) {
    self.text = text
    self.hint = hint
    self.isTemporary = isTemporary
    self.isAdapters = isAdapters
    self.isAbsent = isAbsent
  }
}
