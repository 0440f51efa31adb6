package import Exchange

/// What happens to a host: facts, in the past tense, and the requests of its clients.
package enum HostInput: Equatable, Sendable {
  /// The transport is open, for the first time or anew. The host resets and initialises the
  /// controller; the seed makes its address when it has none.
  case started(seed: UInt64)
  /// One H4 packet of the controller, its type octet first.
  case packet([UInt8])
  case request(HostRequest)
  /// A client has come: it is told whether the adapter is ready, and from now on of everything that
  /// concerns all.
  case arrived(OwnerID)
  /// A client that was away has asked anew for what it goes on with: its scans and connections up
  /// to this number are withdrawn, but for these.
  case resumed(OwnerID, upTo: OperationID, except: [OperationID])
  /// What a client was told of devices that its scans do not look for is lost, with its process or
  /// for want of room: each is told once more.
  case sightingsLost(OwnerID)
  /// The process of a client is gone, and may come back; or it is back. While it is away, what only
  /// it can answer to a central is refused in time, and its spare scans end.
  case ownerAway(OwnerID)
  case ownerBack(OwnerID)
  /// A client is gone for good: what it wished for is withdrawn, what was under way for it is
  /// cancelled, and its links are let go. It is told nothing more.
  case dismissed(OwnerID)
  /// The transport is gone, and why.
  case transportLost(String)
  /// An adapter that was gone can be had again: it is opened anew without waiting any longer.
  case transportBack
  /// Octets that begin no packet have come, as words. The transport throws away everything up to
  /// the answer to the next HCI Reset.
  case outOfStep(String)
  /// The kernel has thrown away so many packets of the controller, because what had come before was
  /// not read.
  case packetsDropped(Int)
  /// Every link is to end, whoever holds it: its holders are told that this was asked for.
  case linksUnwanted
  /// The controller is to be reset, whether anything is wrong with it or not; one that was given up
  /// is tried again. Wishes are made anew.
  case resetWanted
  /// The answer to `HostOutput.compute`. One that nobody waits for is passed over.
  case computed(ComputationID, ComputationResult)
  /// The program wants to end: links are closed and scanning and advertising stopped;
  /// `HostOutput.closed` comes when that is done, at the latest after `HostLimits.closing`.
  case closing
  /// `nextDeadline` has come.
  case deadline
}
