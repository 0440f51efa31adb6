package import Exchange

/// An order of a host.
package enum HostOutput: Equatable, Sendable {
  /// Sends one H4 packet to the controller, its type octet first.
  case send([UInt8])
  /// The same for a packet that contains a secret from this octet on, which must not be kept.
  case sendHidden([UInt8], from: Int)
  case report(HostReport)
  /// Orders a computation. The answer is `HostInput.computed`, before any other input.
  case compute(ComputationID, Computation)
  /// Closes and reopens the transport and drops its pending data. The answer is `started` or
  /// `transportLost`, at once.
  case reopen
  /// The answer to `HostInput.closing`: every link is closed, or the time is up.
  case closed
}
