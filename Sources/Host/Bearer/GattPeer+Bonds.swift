import Exchange
import Vocabulary

/// The effects of a bond on the bearer: the peer is authenticated and remembers our subscriptions.
extension GattPeer {
  /// A key of this bond encrypts the link, so the peer is the one that was paired.
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
      // The old promise is of a deleted bond, or was made on an unencrypted link.
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

  /// Writes trusted subscriptions again, because the peer may have lost them.
  mutating func renewPromised() {
    renewsAt = nil
    for subscription in subscriptions where !subscription.isWritten {
      for owner in subscription.owners { queue.append(Operation(.renewal(subscription.path, owner))) }
    }
  }
}
