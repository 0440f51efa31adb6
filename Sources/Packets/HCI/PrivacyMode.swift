/// Whether a peer of the resolving list is also accepted under its identity address (Vol 4, Part E,
/// 7.8.77).
package enum PrivacyMode: UInt8, Sendable {
  /// Only under private addresses.
  case network = 0
  case device = 1
}
