package import Host

/// What happens to a keeper: facts, in the past tense.
package enum KeeperInput: Equatable, Sendable {
  // MARK: The adapter, as for a host
  case started(seed: UInt64)
  case packet([UInt8])
  case transportLost(String)
  /// What was lost can be opened again.
  case transportBack
  case outOfStep(String)
  case packetsDropped(Int)
  case computed(ComputationID, ComputationResult)

  // MARK: Clients
  case arrived(ConnectionID, Credentials)
  /// One message, without its length. Whatever the bytes are, only their sender is harmed by them.
  case said(ConnectionID, [UInt8])
  /// What came is no message: the connection is given up, with the reason.
  case garbled(ConnectionID, String)
  /// The connection has ended; without a goodbye its client is away.
  case gone(ConnectionID)

  /// The keeper is to end: links are closed; `KeeperOutput.leave` follows.
  case closing
  /// `nextDeadline` has come.
  case deadline
}
