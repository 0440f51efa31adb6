package import Vocabulary

/// The negotiated parameters of a link. This is link state and never saved.
package struct LinkInfo: Equatable, Sendable {
  /// The ATT_MTU, 23 to 517.
  package var mtu: UInt16
  package var interval: TimeSpan
  /// The number of connection events that the peripheral may skip.
  package var latency: UInt16
  package var supervisionTimeout: TimeSpan
  /// `1M`, `2M` or `coded`.
  package var phy: String
  package var encrypted: Bool
  /// Whether there is a bond for its next link.
  package var bonded: Bool
  /// Whether an authenticated key of LE Secure Connections encrypts it.
  package var isProven: Bool

  package init(
    mtu: UInt16, interval: TimeSpan, latency: UInt16, supervisionTimeout: TimeSpan, phy: String = "1M", encrypted: Bool = false,
    bonded: Bool = false, isProven: Bool = false
  ) {
    self.mtu = mtu
    self.interval = interval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
    self.phy = phy
    self.encrypted = encrypted
    self.bonded = bonded
    self.isProven = isProven
  }
}
