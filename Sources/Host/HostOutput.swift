package import Exchange

/// What a host orders.
package enum HostOutput: Equatable, Sendable {
  /// One H4 packet for the controller, its type octet first.
  case send([UInt8])
  /// The same for a packet that holds a secret from this octet on, which nobody may keep.
  case sendHidden([UInt8], from: Int)
  case report(HostReport)
  /// AES-CMAC with a key of zeros over these bytes is wanted (Vol 3, Part G, 7.3.1); it comes back
  /// as `HostInput.databaseHash`.
  case computeDatabaseHash([UInt8])
  /// The transport is to be closed and opened anew, with everything that waits in it thrown away.
  /// Answered at once, with `started` or `transportLost`.
  case reopen
  /// The answer to `HostInput.closing`: every link is closed, or its time was up.
  case closed
}
