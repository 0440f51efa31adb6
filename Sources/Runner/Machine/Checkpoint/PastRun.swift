package import Exchange
package import Vocabulary

/// How the last run of a recipe ended, for `on restore as past`.
package struct PastRun: Sendable {
  package enum Reason: String, Sendable {
    case killed, rebooted, stopped
  }

  package var reason: Reason
  /// When it was last seen alive.
  package var at: Instant
  package var isEdited: Bool
  /// What a keeper has held for it; nothing when nobody did.
  package var kept: Kept?

  /// What the last process left to a keeper is there: links, subscriptions, scans, what was under
  /// way, and what happened since, which follows.
  package struct Kept: Sendable {
    /// Links that are up now. Of others the end is among what follows.
    package var links: [(peer: Address, info: LinkInfo)]
    /// Links that centrals have to what is served.
    package var centrals: [(peer: Address, info: LinkInfo)] = []
    /// Values that were too many.
    package var missed: Int
    package var isAdapterUp: Bool

    package init(links: [(peer: Address, info: LinkInfo)], missed: Int, isAdapterUp: Bool) {
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
