/// How an operation ended well.
package enum Outcome: Equatable, Sendable {
  case done
  /// The value, and the attribute that had it.
  case value([UInt8], AttributeReference)
  case subscribed(AttributeReference, SubscriptionKind)
  /// In dBm, -127 to 20.
  case rssi(Int)
  case paired(LinkSecurity)
  /// What is to be given away: no key is in it.
  case outOfBand(OutOfBandData)
}
