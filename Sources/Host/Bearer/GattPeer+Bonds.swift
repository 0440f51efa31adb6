import Exchange
import Vocabulary

/// The effects of a bond on the bearer: the peer is authenticated and remembers our subscriptions.
extension GattPeer {
  /// A key of this bond encrypts the link, so the peer is the one that was paired.
  mutating func bondConfirmed(by bond: WallTime, at now: Instant) -> [GattEffect] {
    var effects: [GattEffect] = []
    isUnproven = false
    if overflow > 0, kept.isEmpty {
      effects.append(.reportToLinkOwners(.gap(peer, overflow)))
      overflow = 0
    }
    guard isCentral, self.bond != bond else { return effects }
    self.bond = bond
    if hasMissedIndication { attributeCache.bondedState?.reportsChanges = false }
    if attributeCache.bondedState?.bond != bond {
      // The old promise is of a deleted bond, or was made on an unencrypted link.
      attributeCache.bondedState = AttributeCache.BondedState(bond: bond)
      serviceChangedIsDone = false
    } else if trust == .unchecked, attributeCache.bondedState?.reportsChanges == true {
      trust = .proven
      usesBondedState = true
      attributeCache.trust()
      releaseKept(&effects)
    }
    advance(&effects, now)
    return effects
  }

  /// Writes trusted subscriptions again, because the peer may have lost them.
  mutating func renewBondedSubscriptions() {
    renewsAt = nil
    for subscription in subscriptions where !subscription.isWritten {
      for owner in subscription.owners { queue.append(Operation(.renewal(subscription.path, owner))) }
    }
  }
}
