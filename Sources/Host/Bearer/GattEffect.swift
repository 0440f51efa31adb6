package import Exchange
package import Vocabulary

/// What a `GattPeer` orders, in order. A `knowledgeChanged` stands before the request that its
/// answer led to.
package enum GattEffect: Equatable, Sendable {
  /// One ATT PDU for the link. `handedOver` and `delivered` count these.
  case send([UInt8])
  /// The MTU exchange is over, refused or not.
  case ready(mtu: UInt16)
  case report(OwnerID, HostEvent)
  /// To every owner of the link.
  case reportToLinkOwners(HostEvent)
  /// To be told by `indicationReported` which number it got; it is confirmed when that is
  /// acknowledged.
  case reportIndication(OwnerID, HostEvent, token: UInt64)
  /// A value that was kept: it arrived then. To every owner of the link when none is named.
  case reportArrived(OwnerID?, HostEvent, at: Instant)
  /// The peer refuses this before the link is secured; nothing was delivered.
  case wantsSecurity(OwnerID, OperationID, GattRequest, Failure, from: LinkSecurity)
  /// Our server refused a value because the link's key proves nothing; before the refusal.
  case proofMissing
  /// The bearer is dead: disconnect.
  case closeLink(Failure)
}
