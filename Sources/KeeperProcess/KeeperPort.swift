package import Adapters
package import Keeper
package import Vocabulary

/// A way to a keeper: messages in both directions, without their lengths.
package protocol KeeperPort: Transport {
  /// Connects, for the first time or anew, and starts a keeper where there should be one and is
  /// none. What was on the way over the old connection is gone.
  func connect(at now: Instant) throws(KeeperUnreachable)
  /// Waits until something has come, or the moment. A port inside the process has nothing to wait
  /// for.
  func wait(until moment: Moment)
  /// Nobody has named the adapter, and the one that this leads to cannot be had: from now on it
  /// leads to the keeper of another, which is named.
  func turnToAnother() -> String?
  /// The last packets of the adapter, where the keeper gives them to us.
  func lastPackets() -> [KeptPacket]
}

extension KeeperPort {
  package func turnToAnother() -> String? { nil }
  package func lastPackets() -> [KeptPacket] { [] }
}

/// Why there is no connection to a keeper now.
package struct KeeperUnreachable: Error, Equatable {
  package var text: String
  package var hint: String?
  /// One may come: it is being started.
  package var isTemporary: Bool
  /// It is the adapter that cannot be had.
  package var isAdapters: Bool
  /// Nobody is there, so one may be started.
  package var isAbsent: Bool

  package init(_ text: String, hint: String? = nil, isTemporary: Bool, isAdapters: Bool = false, isAbsent: Bool = false) {
    self.text = text
    self.hint = hint
    self.isTemporary = isTemporary
    self.isAdapters = isAdapters
    self.isAbsent = isAbsent
  }
}
