package import Adapters
package import Exchange
package import Host
package import Linux
package import Packets
package import Runner
package import Vocabulary

/// A connection to a host, wherever it is: requests go in, reports come out. Callers do not
/// distinguish the kinds.
package protocol HostPort: AnyObject {
  /// Called before the first request. A host that outlives its runs needs to know the run, and
  /// returns what it has kept; others return `nil`.
  func meet(_ introduction: () -> HostIntroduction, at now: Instant) throws(AdapterRefusal) -> HostMeeting?
  /// Starts the host. Its effects pass through `gate`.
  func begin(seed: UInt64, through gate: EffectGate, at now: Instant)

  func send(_ request: HostRequest, at now: Instant)
  /// The run has continued its operations up to this one, except for some.
  func resumed(upTo: OperationID, except: [OperationID], at now: Instant)
  /// The run has committed what it received, so the host's outputs that depend on it may leave.
  func release(at now: Instant)
  /// Whether packets wait for a commit.
  var holdsPackets: Bool { get }

  /// Handles what has arrived.
  func receive(at now: Instant) -> HostArrival
  /// Returns the next report, in order. A host that stores reports returns them only while the run
  /// is `atRest`, a few at a time; one that does not returns them at once.
  func next(atRest: Bool) -> HostReport?
  /// The newest report about what happened before a moment that waits here; 0 if there is none.
  func newest(before moment: Moment) -> EventNumber
  /// Returns a meeting with a host that replaced the last one, once. The run stores it with its
  /// next commit.
  func takeMeeting() -> HostMeeting?

  /// When the host must be woken.
  var nextDeadline: Moment? { get }
  /// When something arrives that no descriptor signals.
  var nextMoment: Moment? { get }
  /// The descriptor for the loop to watch.
  var interest: Poll.Interest? { get }
  /// Performs what is due, and checks the connection to the host.
  func wake(at now: Instant)
  /// Writes pending data to the sockets.
  func flush()
  /// Performs maintenance while there is nothing else to do.
  func tidy()

  /// Whether links can be left to the process that continues the run.
  var keepsLinks: Bool { get }
  /// Ends the run: closes its links, or leaves them to the next process.
  func end(leavingLinks: Bool, at now: Instant)
  /// Whether the end is complete.
  var isEnded: Bool { get }
  /// Ends at once without waiting.
  func abandon(at now: Instant)
  /// Gives the adapter back in its original state.
  func close()

  /// The last packets to and from the controller, if this process drives it.
  var lastPackets: [BtsnoopRecord] { get }
  /// The amount of state that the host has in this process.
  var census: HostCensus { get }
  /// When the first packet left, as the time since the start of the process.
  var firstPacketAt: TimeSpan? { get }
}

/// The result of `receive`.
package enum HostArrival: Equatable, Sendable {
  case nothing, some
  /// There is more, but the run should have its turns first.
  case more
}

/// The identity of a run for a host that outlives its runs.
package struct HostIntroduction: Sendable {
  package var identity: [UInt8]
  package var name: String
  /// The host's session number; 0 before the first meeting.
  package var session: UInt64
  /// The newest event whose effects are committed.
  package var covered: EventNumber
  /// Whether this identity will never come back.
  package var isEphemeral: Bool

  package init(
    identity: [UInt8], name: String, session: UInt64 = 0, covered: EventNumber = EventNumber(0), isEphemeral: Bool = false
  ) {
    self.identity = identity
    self.name = name
    self.session = session
    self.covered = covered
    self.isEphemeral = isEphemeral
  }
}

/// The answer of a host that outlives its runs.
package struct HostMeeting: Sendable {
  package var identity: [UInt8]
  package var session: UInt64
  /// What it has kept; `nil` if it does not know the run.
  package var kept: PastRun.Kept?
}
