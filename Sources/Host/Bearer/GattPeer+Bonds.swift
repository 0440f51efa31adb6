import Exchange
import Vocabulary

/// What a bond means for the attributes: whose they are is proved, and what the peer keeps for us.
extension GattPeer {
  /// The link is encrypted with a key of this bond, so the peer is who it was.
  mutating func proved(by bond: WallTime, at now: Instant) -> [GattEffect] {
    var effects: [GattEffect] = []
    isUnproven = false
    if overflow > 0, kept.isEmpty {
      effects.append(.reportToLinkOwners(.gap(peer, overflow)))
      overflow = 0
    }
    guard isCentral, self.bond != bond else { return effects }
    self.bond = bond
    if hasMissedIndication { knowledge.promise?.tellsChanges = false }
    if knowledge.promise?.bond != bond {
      // kept for a bond that is gone, or in the clear
      knowledge.promise = GattKnowledge.Promise(bond: bond)
      serviceChangedIsDone = false
    } else if trust == .unchecked, knowledge.promise?.tellsChanges == true {
      trust = .proven
      isPromised = true
      knowledge.trust()
      releaseKept(&effects)
    }
    advance(&effects, now)
    return effects
  }

  /// Subscriptions that were believed are written again: a peer may have lost them all the same.
  mutating func renewPromised() {
    renewsAt = nil
    for subscription in subscriptions where !subscription.isWritten {
      for owner in subscription.owners { queue.append(Operation(.renewal(subscription.path, owner))) }
    }
  }
}
