import Exchange
import Packets
import Testing
import Vocabulary

@testable import Host

/// The arbiter of the radio by itself.
@Suite struct RadioArbiterTests {
  private static let owner = OwnerID(1)
  private static let strap = LinkBench.strap
  private static let made = ConnectionComplete(
    status: .success, handle: ConnectionHandle(1), role: .central, peer: strap, interval: 24, latency: 0, supervisionTimeout: 400,
    clockAccuracy: 0)

  private static let surroundings = RadioSurroundings(
    facts: ControllerFacts(), configuration: HostConfiguration(), isClosing: false, now: .zero)

  /// Scans, waits for a peer, and has nothing left to do.
  private static func settled() -> RadioArbiter {
    var arbiter = RadioArbiter()
    arbiter.scan(owner, OperationID(1), ScanRequest(duty: .gentle))
    arbiter.wish(ConnectWish(owner: owner, id: OperationID(2), request: ConnectRequest(peer: strap, pending: true)))
    for _ in 0..<20 where arbiter.isDirty || !arbiter.radio.steps.isEmpty {
      _ = arbiter.arbitrate(surroundings)
      while !arbiter.radio.steps.isEmpty { _ = arbiter.answered(.success, surroundings) }
    }
    return arbiter
  }

  /// Whatever is written marks the arbiter: none of these has to remember it.
  private static var changes: [(name: String, make: (inout RadioArbiter) -> Void)] {
    [
      ("a scan begins", { $0.scan(owner, OperationID(3), ScanRequest(duty: .full)) }),
      ("a scan ends", { _ = $0.endScan(owner, OperationID(1)) }),
      ("a scan restarts", { $0.restartScan() }),
      ("sightings are lost", { $0.forgetSightings(of: owner) }),
      (
        "a link is wished for",
        { $0.wish(ConnectWish(owner: owner, id: OperationID(4), request: ConnectRequest(peer: strap, pending: false))) }
      ),
      ("a wish is taken back", { _ = $0.takeWishes { $0.peer == strap } }),
      ("a wish fails", { _ = $0.failWishes(of: strap, Failure(.unreachable, "not there")) }),
      ("an attempt fails", { _ = $0.attemptFailed(strap, .establishmentFailed) }),
      ("an attempt ends", { _ = $0.attemptEnded(at: .zero) }),
      ("an attempt is renewed", { $0.renewAttempt(isMissed: true) }),
      ("a link is made", { $0.linkMade(made) }),
      ("a link ends", { $0.linkEnded(ConnectionHandle(1)) }),
      ("a wish is met", { _ = $0.meetWishes(for: strap) }),
      (
        "it is to advertise",
        { _ = $0.advertise(owner, OperationID(5), AdvertisingPlan(services: []), AdvertisingPlan(services: []).payload) }
      ),
      ("advertising stops", { _ = $0.stopAdvertising(owner, OperationID(6)) }),
      ("advertising ends", { $0.advertisingEnded() }),
      ("a client leaves", { $0.dismiss(owner) }),
      ("nothing is wished", { _ = $0.dropWishes(Failure(.cancelled, "over")) }),
      ("the controller is reset", { $0.controllerReset() }),
      ("the controller is lost", { $0.controllerLost() }),
    ]
  }

  @Test func everyChangeIsLookedAt() {
    let settled = Self.settled()
    #expect(!settled.isDirty)
    #expect(settled.radio.scan != nil && settled.radio.initiator != .idle)
    for change in Self.changes {
      var arbiter = settled
      change.make(&arbiter)
      #expect(arbiter.isDirty, "\(change.name)")
    }
  }

  @Test func anArbitrationThatFindsNothingNewOrdersNothing() {
    var arbiter = Self.settled()
    let before = arbiter
    #expect(arbiter.arbitrate(Self.surroundings) == [])
    #expect(arbiter == before)
  }

  @Test func nothingBeginsWhileAProcedureIsUnderWay() {
    var arbiter = RadioArbiter()
    arbiter.scan(Self.owner, OperationID(1), ScanRequest(duty: .full))
    #expect(arbiter.arbitrate(Self.surroundings).count == 1)
    _ = arbiter.endScan(Self.owner, OperationID(1))
    #expect(arbiter.arbitrate(Self.surroundings) == [])
    // what has changed meanwhile is not forgotten
    #expect(arbiter.isDirty)
  }
}
