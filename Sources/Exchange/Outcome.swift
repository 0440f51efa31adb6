/// The result of a successful operation.
package enum Outcome: Equatable, Sendable {
  case done
  /// The value, and the attribute that it was read from.
  case value([UInt8], AttributeReference)
  case subscribed(AttributeReference, SubscriptionKind)
  /// In dBm, -127 to 20.
  case rssi(Int)
  case paired(LinkSecurity)
  /// The data to give away; it contains no key.
  case outOfBand(OutOfBandData)
}
