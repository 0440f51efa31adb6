package import Host

/// An input of a keeper.
package enum KeeperInput: Equatable, Sendable {
  // MARK: The adapter, as for a host
  case started(seed: UInt64)
  case packet([UInt8])
  case transportLost(String)
  /// An adapter that was gone can be reopened.
  case transportBack
  case outOfStep(String)
  case packetsDropped(Int)
  case computed(ComputationID, ComputationResult)

  // MARK: Clients
  case arrived(ConnectionID, Credentials)
  /// A message without its length. Invalid bytes harm only their sender.
  case messageReceived(ConnectionID, [UInt8])
  /// Invalid data arrived, so the connection is closed for this reason.
  case malformed(ConnectionID, String)
  /// The connection has ended. Without a goodbye, its client is away.
  case gone(ConnectionID)

  /// The keeper must end: closes links, then orders `KeeperOutput.leave`.
  case closing
  /// `nextDeadline` is due.
  case deadline
}
