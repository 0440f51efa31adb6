package import Vocabulary

/// How to make a link.
package struct ConnectRequest: Equatable, Sendable {
  package var peer: Address
  /// Whether the connection stays pending through the filter accept list, at low duty and without a
  /// time limit. Otherwise it is one attempt at full duty, which the client limits with `cancel`.
  package var pending: Bool
  /// The attribute cache of an earlier link. The host validates it (hash or probe) before use.
  package var attributeCache: AttributeCache?
  /// The ATT_MTU to request, 23 to 517; `nil` requests the largest.
  package var mtu: UInt16?
  /// How to pair if the device requests it or has lost its bond.
  package var pairing: PairRequest
  /// Whether to look for the device on LE Coded as well as on LE 1M. On a controller without LE
  /// Coded the request fails with `adapter`.
  package var coded: Bool
  /// Out-of-band data of the device; never in a checkpoint.
  package var outOfBand: OutOfBandData?

  /// Whether the client has paired with this device before. If the bond belongs to another adapter,
  /// such a device is not silently paired again.
  package var expectsBond: Bool

  package init(
    peer: Address, pending: Bool, attributeCache: AttributeCache? = nil, mtu: UInt16? = nil, pairing: PairRequest = PairRequest(),
    coded: Bool = false, outOfBand: OutOfBandData? = nil, expectsBond: Bool = false
  ) {
    self.peer = peer
    self.pending = pending
    self.attributeCache = attributeCache
    self.mtu = mtu
    self.pairing = pairing
    self.coded = coded
    self.outOfBand = outOfBand
    self.expectsBond = expectsBond
  }
}
