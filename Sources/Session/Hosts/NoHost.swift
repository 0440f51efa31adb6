package import Adapters
package import Exchange
package import Host
package import Linux
package import Packets
package import Vocabulary

/// A host for a run that makes no requests, so that no adapter is opened.
package final class NoHost: HostPort {
  package private(set) var isEnded = false

  package init() {}

  package func meet(_ introduction: () -> HostIntroduction, at now: Instant) throws(AdapterRefusal) -> HostMeeting? { nil }
  package func begin(seed: UInt64, through gate: EffectGate, at now: Instant) {}
  package func send(_ request: HostRequest, at now: Instant) {}
  package func resumed(upTo: OperationID, except: [OperationID], at now: Instant) {}
  package func release(at now: Instant) {}
  package var holdsPackets: Bool { false }
  package func receive(at now: Instant) -> HostArrival { .nothing }
  package func newest(before moment: Moment) -> EventNumber { EventNumber(0) }

  package func next(atRest: Bool) -> HostReport? { nil }
  package func takeMeeting() -> HostMeeting? { nil }
  package var nextDeadline: Moment? { nil }
  package var nextMoment: Moment? { nil }
  package var interest: Poll.Interest? { nil }
  package func wake(at now: Instant) {}
  package func flush() {}
  package func tidy() {}
  package var keepsLinks: Bool { false }
  package func end(leavingLinks: Bool, at now: Instant) { isEnded = true }
  package func abandon(at now: Instant) { isEnded = true }
  package func close() {}
  package var lastPackets: [BtsnoopRecord] { [] }
  package var census: HostCensus { HostCensus() }
  package var firstPacketAt: TimeSpan? { nil }
}
