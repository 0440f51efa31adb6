import Exchange
import Testing
import Vocabulary

@testable import Keeper

/// Devices that a client's scan does not look for do not wake it: each is reported once, and again
/// when its name is known.
@Suite struct ScanFilterTests {
  private static let others = ScanFilter(targets: [.service(UUID(0x180F))])

  private func enter(_ bench: inout KeeperBench, _ name: UInt8, session: UInt64 = 0) -> (
    ConnectionID, session: UInt64, [HostReport]
  ) {
    let connection = bench.connection()
    bench.say(KeeperBench.hello(name, session: session), on: connection)
    let (welcome, reports) = bench.welcome(connection)
    return (connection, welcome?.session ?? 0, reports)
  }

  private func heard(_ reports: [HostReport]) -> [Advertisement] {
    reports.compactMap { if case .advertisementReceived(_, let one) = $0.event { one } else { nil } }
  }

  /// Bytes sent for each report, beside this many clients.
  @Test(arguments: [1, 8, 60]) func reportsThatMatchNoFilterAreNotSent(clients: Int) {
    var bench = KeeperBench()
    var connections: [ConnectionID] = []
    for number in 0..<clients {
      let (connection, _, _) = enter(&bench, UInt8(number + 1))
      bench.ask(1, .scan(ScanRequest(duty: .full, filter: Self.others)), on: connection)
      connections.append(connection)
    }
    let (all, _, _) = enter(&bench, 200)
    bench.ask(1, .scan(ScanRequest(duty: .full)), on: all)
    bench.run(for: .seconds(5))
    let reports = heard(bench.reports(all)).count
    #expect(reports > 30)
    for connection in connections {
      let told = heard(bench.reports(connection))
      #expect((1...2).contains(told.count), "\(told)")
      #expect(told.last?.name == "strap")
    }
  }

  @Test func aReturningClientReceivesAdvertisersAgain() {
    var bench = KeeperBench()
    let (first, session, _) = enter(&bench, 1)
    let request = HostCommand.scan(ScanRequest(duty: .full, filter: Self.others))
    bench.ask(1, request, on: first)
    bench.run(for: .seconds(2))
    let newest = bench.reports(first).last?.number ?? EventNumber(0)
    bench.ask(0, .acknowledge(newest), on: first)
    bench.feed(.gone(first))
    bench.run(for: .seconds(2))
    // After an absence each device is reported once.
    let (second, _, missed) = enter(&bench, 1, session: session)
    #expect(heard(missed).map(\.name) == ["strap"])
    bench.ask(1, request, on: second)
    bench.run(for: .seconds(2))
    #expect(heard(bench.reports(second)).map(\.name) == ["strap"])
    // An edited recipe looks for something else under the same number.
    bench.ask(1, .scan(ScanRequest(duty: .full, filter: ScanFilter(names: [Glob("str*")]))), on: second)
    bench.run(for: .seconds(2))
    #expect(heard(bench.reports(second)).count > 10)
    #expect(bench.keeper.host.openLinks.isEmpty)
  }

  /// Reports for which a client's queue had no room.
  @Test func reportsFollowOnceTheQueueHasRoom() {
    var bench = KeeperBench()
    let (deaf, _, _) = enter(&bench, 1)
    bench.ask(1, .scan(ScanRequest(duty: .full)), on: deaf)
    bench.run(for: .minutes(2))
    let told = bench.reports(deaf)
    #expect(heard(told).count == KeeperLimits.advertisements)
    bench.ask(2, .scan(ScanRequest(duty: .full, filter: Self.others)), on: deaf)
    bench.run(for: .seconds(2))
    #expect(heard(bench.reports(deaf)).isEmpty)
    bench.ask(3, .cancel(OperationID(1)), on: deaf)
    bench.ask(0, .acknowledge(told.last?.number ?? EventNumber(0)), on: deaf)
    bench.run(for: .seconds(2))
    #expect(heard(bench.reports(deaf)).map(\.name) == ["strap"])
  }

  @Test func advertisementsWithoutRoomAreCounted() {
    var bench = KeeperBench()
    let scan = HostCommand.scan(
      ScanRequest(duty: .full, filter: ScanFilter(targets: [.service(KeeperBench.service)]), reportsOthers: false))
    let (slow, _, _) = enter(&bench, 1)
    let (quick, _, _) = enter(&bench, 2)
    bench.ask(1, scan, on: slow)
    bench.ask(1, scan, on: quick)
    var (all, told, missed) = (0, 0, 0)
    func count(_ reports: [HostReport]) {
      told += heard(reports).count
      for case .advertisementsMissed(OperationID(1), let count) in reports.map(\.event) { missed += count }
    }
    for _ in 0..<40 {
      bench.run(for: .seconds(1))
      let reports = bench.reports(quick)
      all += heard(reports).count
      #expect(!reports.contains { if case .advertisementsMissed = $0.event { true } else { false } })
      if let newest = reports.last { bench.ask(0, .acknowledge(newest.number), on: quick) }
    }
    let first = bench.reports(slow)
    count(first)
    #expect(told == KeeperLimits.advertisements && missed == 0)
    #expect(all > told)
    if let newest = first.last { bench.ask(0, .acknowledge(newest.number), on: slow) }
    bench.feed(.deadline)
    count(bench.reports(slow))
    all += heard(bench.reports(quick)).count
    #expect(missed > 0 && told + missed == all, "\(told) and \(missed) of \(all)")
  }
}
