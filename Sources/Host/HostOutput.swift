package import Exchange

/// What a host orders.
package enum HostOutput: Equatable, Sendable {
  /// One H4 packet for the controller, its type octet first.
  case send([UInt8])
  /// The same for a packet that holds a secret from this octet on, which nobody may keep.
  case sendHidden([UInt8], from: Int)
  case report(HostReport)
  /// Comes back as `HostInput.computed`, before anything else is told.
  case compute(ComputationID, Computation)
  /// The transport is to be closed and opened anew, with everything that waits in it thrown away.
  /// Answered at once, with `started` or `transportLost`.
  case reopen
  /// The answer to `HostInput.closing`: every link is closed, or its time was up.
  case closed
}
