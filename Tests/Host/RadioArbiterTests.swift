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

  /// An arbiter that scans, waits for a peer, and has nothing left to do.
  private static func settled() -> RadioArbiter {
    var arbiter = RadioArbiter()
    arbiter.scan(owner, OperationID(1), ScanRequest(duty: .gentle))
    arbiter.add(RequestedConnection(owner: owner, id: OperationID(2), request: ConnectRequest(peer: strap, pending: true)))
    for _ in 0..<20 where arbiter.isDirty || !arbiter.radio.steps.isEmpty {
      _ = arbiter.arbitrate(surroundings)
      while !arbiter.radio.steps.isEmpty { _ = arbiter.answered(.success, surroundings) }
    }
    return arbiter
  }

  /// Every write marks the arbiter, so callers need not do it.
  private static var changes: [(name: String, make: (inout RadioArbiter) -> Void)] {
    [
      ("a scan begins", { $0.scan(owner, OperationID(3), ScanRequest(duty: .full)) }),
      ("a scan ends", { _ = $0.endScan(owner, OperationID(1)) }),
      ("a scan restarts", { $0.restartScan() }),
      (
        "spare scans end",
        {
          $0.scan(owner, OperationID(7), ScanRequest(duty: .spare))
          $0.endSpareScans(of: owner)
        }
      ),
      (
        "a link is wished for",
        { $0.add(RequestedConnection(owner: owner, id: OperationID(4), request: ConnectRequest(peer: strap, pending: false))) }
      ),
      ("a wish is taken back", { _ = $0.takeConnections { $0.peer == strap } }),
      ("a wish fails", { _ = $0.failRequestedConnections(of: strap, Failure(.unreachable, "not there")) }),
      ("an attempt fails", { _ = $0.attemptFailed(strap, .establishmentFailed) }),
      ("an attempt ends", { _ = $0.attemptEnded(at: .zero) }),
      ("an attempt is renewed", { $0.renewAttempt(isMissed: true) }),
      ("a link is made", { $0.linkMade(made) }),
      ("a link ends", { $0.linkEnded(ConnectionHandle(1)) }),
      ("a wish is met", { _ = $0.completeConnections(for: strap) }),
      (
        "it is to advertise",
        { _ = $0.advertise(owner, OperationID(5), AdvertisingPlan(services: []), AdvertisingPlan(services: []).payload) }
      ),
      ("advertising stops", { _ = $0.stopAdvertising(owner, OperationID(6)) }),
      ("advertising ends", { $0.advertisingEnded() }),
      ("a client leaves", { $0.dismiss(owner) }),
      ("nothing is wished", { _ = $0.dropRequests(Failure(.cancelled, "over")) }),
      ("the controller is reset", { $0.controllerReset() }),
      ("the controller is lost", { $0.controllerLost() }),
    ]
  }

  @Test func everyChangeMarksTheArbiter() {
    let settled = Self.settled()
    #expect(!settled.isDirty)
    #expect(settled.radio.scan != nil && settled.radio.initiator != .idle)
    for change in Self.changes {
      var arbiter = settled
      change.make(&arbiter)
      #expect(arbiter.isDirty, "\(change.name)")
    }
  }

  /// Otherwise each packet that finds no room would cause all scans to be checked.
  @Test func lostSightingsDoNotMarkTheArbiter() {
    var arbiter = Self.settled()
    let before = arbiter.serial(ofScanAt: 0)
    arbiter.forgetSightings(of: Self.owner)
    #expect(!arbiter.isDirty)
    #expect(arbiter.serial(ofScanAt: 0) > before)
    arbiter.forgetSightings(of: OwnerID(9))
    #expect(arbiter.lostSightings.map(\.owner) == [Self.owner])
    arbiter.dismiss(Self.owner)
    #expect(arbiter.lostSightings.isEmpty)
  }

  /// It waits for every attempt to connect, and changes no requested scan.
  @Test func aSpareScanDisturbsNothing() {
    func arbiter(_ requests: [ScanRequest], connects: Bool = false) -> RadioArbiter {
      var arbiter = RadioArbiter()
      for (place, request) in requests.enumerated() { arbiter.scan(Self.owner, OperationID(UInt64(place + 1)), request) }
      if connects {
        arbiter.add(
          RequestedConnection(owner: Self.owner, id: OperationID(9), request: ConnectRequest(peer: Self.strap, pending: true)))
      }
      return arbiter
    }
    let (spare, listed) = (ScanRequest(duty: .spare), ScanRequest(duty: .gentle, addresses: [Self.strap.bits]))
    #expect(arbiter([spare]).desiredScan() == ScanMode(duty: .gentle, listed: nil))
    #expect(arbiter([spare], connects: true).desiredScan() == nil)
    for request in [listed, ScanRequest(duty: .full), ScanRequest(duty: .gentle)] {
      for connects in [false, true] {
        let alone = arbiter([request], connects: connects).desiredScan()
        #expect(arbiter([request, spare], connects: connects).desiredScan() == alone)
        #expect(arbiter([spare, request], connects: connects).desiredScan() == alone)
      }
    }
    var gone = arbiter([spare, listed])
    gone.endSpareScans(of: Self.owner)
    #expect(gone.scans.map(\.id) == [OperationID(2)])
  }

  @Test func unchangedArbitrationOrdersNothing() {
    var arbiter = Self.settled()
    let before = arbiter
    #expect(arbiter.arbitrate(Self.surroundings) == [])
    #expect(arbiter == before)
  }

  @Test func startsNothingDuringAProcedure() {
    var arbiter = RadioArbiter()
    arbiter.scan(Self.owner, OperationID(1), ScanRequest(duty: .full))
    #expect(arbiter.arbitrate(Self.surroundings).count == 1)
    _ = arbiter.endScan(Self.owner, OperationID(1))
    #expect(arbiter.arbitrate(Self.surroundings) == [])
    // changes made meanwhile are not lost
    #expect(arbiter.isDirty)
  }
}

extension RadioArbiter {
  fileprivate func desiredScan() -> ScanMode? {
    desiredScan(
      scanDemand,
      RadioSurroundings(facts: ControllerFacts(), configuration: HostConfiguration(), isClosing: false, now: .zero))
  }
}
