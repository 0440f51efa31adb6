package import Exchange

/// What happens to a host: facts, in the past tense, and the requests of its clients.
package enum HostInput: Equatable, Sendable {
  /// The transport is open, for the first time or anew. The host resets and initialises the controller; the seed makes its address when it has none.
  case started(seed: UInt64)
  /// One H4 packet of the controller, its type octet first.
  case packet([UInt8])
  case request(HostRequest)
  /// The transport is gone, and why.
  case transportLost(String)
  /// An adapter that was gone can be had again: it is opened anew without waiting any longer.
  case transportBack
  /// Octets that begin no packet have come, as words. The transport throws away everything up to the answer to the next HCI Reset.
  case outOfStep(String)
  /// The answer to `computeDatabaseHash`.
  case databaseHash([UInt8])
  /// The program wants to end: links are closed and scanning and advertising stopped; `HostOutput.closed` comes when that is done,
  /// at the latest after `HostLimits.closing`.
  case closing
  /// `nextDeadline` has come.
  case deadline
}
