import Exchange
import Packets
import Testing
import Vocabulary

@testable import Host

/// Every request gets one outcome, whatever the adapter does in the meantime.
@Suite struct OutcomeTests {
  enum Start: CaseIterable, Sendable { case off, initialising, reopening, ready }
  enum End: CaseIterable, Sendable { case closed, lost, cancelled, resetAndClosed }

  private static let commands: [HostCommand] = [
    .scan(ScanRequest(duty: .full)), .connect(ConnectRequest(peer: LinkBench.strap, pending: false)),
    .connect(ConnectRequest(peer: LinkBench.strap, pending: true)), .disconnect(LinkBench.strap),
    .gatt(LinkBench.strap, .readRSSI), .gatt(LinkBench.strap, .pair(PairRequest(), renews: false)),
    .publish(ServerTable(name: "lock", services: [])), .advertise(AdvertisingPlan(services: [UUID(0x180D)], name: "lock")),
    .stopAdvertising, .forgetBond(LinkBench.strap), .offerOutOfBand,
  ]

  @Test(arguments: Start.allCases, End.allCases) func everyRequestHasOneOutcome(start: Start, end: End) {
    for command in Self.commands {
      var controller = ScriptedController()
      if start == .initialising { controller.silent = [.readLocalVersion] }
      var bench = LinkBench(controller, HostConfiguration(), start: start != .off)
      if start == .reopening {
        bench.refusesToOpen = "gone"
        bench.input(.transportLost("gone"))
      }
      let id = bench.request(command)
      switch end {
      case .closed: break
      case .lost:
        bench.refusesToOpen = "gone"
        bench.input(.transportLost("gone"))
        bench.pass(.minutes(1))
      case .cancelled: bench.request(.cancel(id))
      case .resetAndClosed:
        if start == .off { bench.input(.started(seed: 7)) } else { bench.input(.resetWanted) }
        bench.pass(.seconds(1))
      }
      bench.input(.closing)
      bench.pass(.minutes(1))
      #expect(bench.isClosed, "\(start), \(end), \(command)")
      let outcomes = bench.events.filter {
        switch $0 {
        case .completed(id, _), .connected(id, _, _): true
        default: false
        }
      }
      #expect(outcomes.count == 1, "\(start), \(end), \(command): \(outcomes)")
    }
  }
}
