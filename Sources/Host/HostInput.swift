package import Exchange

/// An event or a client's request for a host.
package enum HostInput: Equatable, Sendable {
  /// The transport was opened. The host resets and initialises the controller; if it has no
  /// address, the seed gives one.
  case started(seed: UInt64)
  /// One H4 packet from the controller, its type octet first.
  case packet([UInt8])
  case request(HostRequest)
  /// A client arrived. It receives the state of the adapter, and from now on the events that
  /// concern all clients.
  case arrived(OwnerID)
  /// A client that was away has repeated the requests that it still needs. Its other scans and
  /// connections up to this number are withdrawn.
  case resumed(OwnerID, upTo: OperationID, except: [OperationID])
  /// Reports to a client about devices that its scans do not match were lost. Each device is
  /// reported once more.
  case sightingsLost(OwnerID)
  /// A client's process is gone and may come back, or is back. While it is away, requests of
  /// centrals that only it can answer are refused in time, and its spare scans end.
  case ownerAway(OwnerID)
  case ownerBack(OwnerID)
  /// A client will not come back. Its requests are withdrawn, its operations cancelled and its
  /// links released. It receives no more reports.
  case dismissed(OwnerID)
  /// The transport is gone, for this reason.
  case transportLost(String)
  /// An adapter that was gone is available again and is reopened without further delay.
  case transportBack
  /// The transport received octets that do not start with a packet. It drops everything up to the
  /// answer to the next HCI Reset.
  case outOfStep(String)
  /// The kernel dropped this many packets of the controller, because earlier ones were not read.
  case packetsDropped(Int)
  /// All links must end, whichever client holds them. Their holders see that it was requested.
  case linksUnwanted
  /// Resets the controller even if it works, and tries again one that was given up. Requests are
  /// repeated.
  case resetWanted
  /// The answer to `HostOutput.compute`. Ignored if it is no longer awaited.
  case computed(ComputationID, ComputationResult)
  /// The program is about to exit: closes links and stops scanning and advertising.
  /// `HostOutput.closed` follows within `HostLimits.closing`.
  case closing
  /// `nextDeadline` is due.
  case deadline
}
