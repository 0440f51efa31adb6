package import Exchange
package import Vocabulary

/// An order of a `GattPeer`; the order of effects matters. `attributeCacheChanged` precedes the
/// next request of the discovery.
package enum GattEffect: Equatable, Sendable {
  /// Sends one ATT PDU. `handedOver` and `delivered` count these.
  case send([UInt8])
  /// The MTU exchange is over, whether accepted or refused.
  case ready(mtu: UInt16)
  case report(OwnerID, HostEvent)
  /// Reports the event to every owner of the link.
  case reportToLinkOwners(HostEvent)
  /// Reports an indication; `indicationReported` returns the number of the event. The indication is
  /// confirmed when that is acknowledged.
  case reportIndication(OwnerID, HostEvent, token: UInt64)
  /// Reports a kept value with the time of its arrival, to every owner of the link if `nil`.
  case reportArrived(OwnerID?, HostEvent, at: Instant)
  /// The peer refuses this request until the link is secured; nothing was delivered.
  case needsSecurity(OwnerID, OperationID, GattRequest, Failure, from: LinkSecurity)
  /// Our server is about to refuse a value because the link's key is unauthenticated.
  case authenticationMissing
  /// The bearer is dead, so the link must be closed.
  case closeLink(Failure)
}
