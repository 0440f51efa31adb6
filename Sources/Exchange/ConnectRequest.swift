package import Vocabulary

/// How to make a link.
package struct ConnectRequest: Equatable, Sendable {
  package var peer: Address
  /// A pending connection through the filter accept list: no time limit, low duty. Otherwise one
  /// full-duty attempt; the client limits it by `cancel`.
  package var pending: Bool
  /// What an earlier link found out. The host proves it (hash or probe) before it is used.
  package var knowledge: GattKnowledge?
  /// The ATT_MTU asked for in the one exchange, 23 to 517; nothing asks for the largest.
  package var mtu: UInt16?
  /// How the device may be paired with when it asks for it, or has forgotten its bond.
  package var pairing: PairRequest
  /// Looks for the device on the LE Coded PHY as well as on LE 1M. A controller without that PHY
  /// fails it with `adapter`.
  package var coded: Bool
  /// What the device gave away out of band: in no checkpoint.
  package var outOfBand: OutOfBandData?

  package init(
    peer: Address, pending: Bool, knowledge: GattKnowledge? = nil, mtu: UInt16? = nil, pairing: PairRequest = PairRequest(),
    coded: Bool = false, outOfBand: OutOfBandData? = nil
  ) {
    self.peer = peer
    self.pending = pending
    self.knowledge = knowledge
    self.mtu = mtu
    self.pairing = pairing
    self.coded = coded
    self.outOfBand = outOfBand
  }
}
