package import Adapters
package import Exchange
package import Host
package import Linux
package import Packets
package import Runner
package import Vocabulary

/// One way to a host, wherever that lives: requests go in, reports come out. Whoever uses it does
/// not ask which one it has.
package protocol HostPort: AnyObject {
  /// Before the first request. A host that outlives its runs wants to know who asks, and says what
  /// it has kept; any other says nothing.
  func meet(_ introduction: () -> HostIntroduction, at now: Instant) throws(AdapterRefusal) -> HostMeeting?
  /// The host sets to work. What it does to the world passes through `gate`.
  func begin(seed: UInt64, through gate: EffectGate, at now: Instant)

  func send(_ request: HostRequest, at now: Instant)
  /// The run has gone on with its operations up to this one, but for some.
  func resumed(upTo: OperationID, except: [OperationID], at now: Instant)
  /// What the run was told is committed: what the host says because of it may leave.
  func release(at now: Instant)

  /// Takes in what has arrived, and what follows from it.
  func receive(at now: Instant) -> HostArrival
  /// The next report, in order. A host that keeps what is not taken gives it only while the run is
  /// `atRest`, and a caller then takes few at a time; one that keeps nothing gives it at once.
  func next(atRest: Bool) -> HostReport?
  /// Another host has taken the place of the one that was met: the run notes it with its next
  /// commit. Told once.
  func takeMeeting() -> HostMeeting?

  /// When the host has to be woken.
  var nextDeadline: Moment? { get }
  /// When something arrives by itself, without a descriptor that tells.
  var nextMoment: Moment? { get }
  /// What the loop has to watch.
  var interest: Poll.Interest? { get }
  /// Looks at the clock, and whether the way to the host still stands.
  func wake(at now: Instant)
  /// Gives the sockets what waits.
  func flush()
  /// What may be done while nobody waits.
  func tidy()

  /// Links can be left to the process that goes on with the run.
  var keepsLinks: Bool { get }
  /// The run ends: its links are closed, or left to whoever follows.
  func end(leavingLinks: Bool, at now: Instant)
  /// The end is done.
  var isEnded: Bool { get }
  /// Goes at once, and waits for nothing.
  func abandon(at now: Instant)
  /// What was taken is given back as it was found.
  func close()

  /// The last packets to and from the controller, where it is driven from here.
  var lastPackets: [BtsnoopRecord] { get }
  /// How much the host holds in this process.
  var census: HostCensus { get }
  /// When the first packet left, in time of the process.
  var firstPacketAt: TimeSpan? { get }
}

/// What `receive` found.
package enum HostArrival: Equatable, Sendable {
  case nothing, some
  /// There is more, and the run should have its turns before.
  case more
}

/// Who asks a host that outlives its runs.
package struct HostIntroduction: Sendable {
  package var identity: [UInt8]
  package var name: String
  /// What the host called the acquaintance when they met last; 0 when they never did.
  package var session: UInt64
  /// The newest event whose effects are committed.
  package var covered: EventNumber
  /// Nobody comes back under this identity.
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

/// What a host that outlives its runs said when they met.
package struct HostMeeting: Sendable {
  package var identity: [UInt8]
  package var session: UInt64
  /// What it has kept; nothing when it does not know the run.
  package var kept: PastRun.Kept?
}
