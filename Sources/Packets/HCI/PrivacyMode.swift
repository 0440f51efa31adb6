/// The privacy mode of a peer on the resolving list (Vol 4, Part E, 7.8.77).
package enum PrivacyMode: UInt8, Sendable {
  /// Packets with the peer's identity address are ignored if the list has its IRK.
  case network = 0
  /// Packets with the peer's identity address are accepted too.
  case device = 1
}
