package import Exchange
package import Vocabulary

/// How the last process of a run ended, for `on restore as past`.
package struct PastRun: Sendable {
  package enum Reason: String, Sendable {
    case killed, rebooted, stopped
  }

  package var reason: Reason
  /// When it was last known to be alive.
  package var at: Instant
  package var isEdited: Bool
  /// What a keeper has held for it; `nil` if there was no keeper.
  package var kept: Kept?

  /// State that the last process left at a keeper: links, subscriptions, scans and operations.
  /// Events since then follow as reports.
  package struct Kept: Sendable {
    /// Links that are up now. Reports about ended links follow.
    package var links: [(peer: Address, info: LinkInfo)]
    /// Links of centrals to the served peripheral.
    package var centrals: [(peer: Address, info: LinkInfo)] = []
    /// The number of dropped values.
    package var missed: Int
    package var isAdapterUp: Bool
    /// The newest of the events that follow as reports; 0 if there are none.
    package var newest: EventNumber

    package init(
      links: [(peer: Address, info: LinkInfo)], missed: Int, isAdapterUp: Bool, newest: EventNumber = EventNumber(0)
    ) {
      self.newest = newest
      self.links = links
      self.missed = missed
      self.isAdapterUp = isAdapterUp
    }
  }

  package init(reason: Reason, at: Instant, isEdited: Bool = false, kept: Kept? = nil) {
    self.reason = reason
    self.at = at
    self.isEdited = isEdited
    self.kept = kept
  }
}
