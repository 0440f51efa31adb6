package import Host

/// An order of a keeper.
package enum KeeperOutput: Equatable, Sendable {
  /// Sends one H4 packet to the controller, its type octet first.
  case send([UInt8])
  /// See `HostOutput.compute`.
  case compute(ComputationID, Computation)
  /// See `HostOutput.reopen`. Answered at once with `started` or `transportLost`.
  case reopen
  /// Sends one message to a client, without its length.
  case deliver(ConnectionID, [UInt8])
  /// Closes a connection once its messages are written. `gone` does not follow.
  case drop(ConnectionID)
  /// Writes a line to the keeper's own log.
  case log(String)
  /// Nothing is left to do; the adapter is given back.
  case leave
}
