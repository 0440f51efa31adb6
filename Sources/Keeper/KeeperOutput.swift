package import Host

/// What a keeper orders.
package enum KeeperOutput: Equatable, Sendable {
  /// One H4 packet for the controller, its type octet first.
  case send([UInt8])
  /// As `HostOutput.compute`.
  case compute(ComputationID, Computation)
  /// As `HostOutput.reopen`: answered at once, with `started` or `transportLost`.
  case reopen
  /// One message for a client, without its length.
  case tell(ConnectionID, [UInt8])
  /// Closes a connection when what was told is written. `gone` does not follow.
  case drop(ConnectionID)
  /// A line for the keeper's own log.
  case log(String)
  /// Nothing is left to do: the adapter is given back.
  case leave
}
