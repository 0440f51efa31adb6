import Packets
import Simulator
import Testing
import Vocabulary

@Suite struct ScanningTests {
  private static func scanning(
    active: Bool, interval: UInt16 = 96, window: UInt16 = 96, filter: Bool = false, policy: ScanFilterPolicy = .all,
    advertisingInterval: UInt16 = 160, type: AdvertisingType = .connectableUndirected
  ) -> World {
    var world = World.ready()
    world.advertise(interval: advertisingInterval, type: type)
    world.send(
      world.central, .leSetScanParameters(ScanParameters(active: active, interval: interval, window: window, filterPolicy: policy)))
    world.send(world.central, .leSetScanEnable(true, filterDuplicates: filter))
    return world
  }

  private static func reports(_ world: World) -> [(time: Moment, report: AdvertisingReport)] {
    world.arrivals[world.central.index].flatMap { arrival -> [(time: Moment, report: AdvertisingReport)] in
      guard case .event(.leAdvertisingReport(let list), _) = arrival.packet else { return [] }
      return list.map { (arrival.time, $0) }
    }
  }

  @Test func eventsComeAtTheIntervalPlusUpToTenMilliseconds() {
    var world = Self.scanning(active: false)
    world.advance(by: .seconds(60))
    let times = Self.reports(world).map(\.time)
    #expect((540...600).contains(times.count))
    for (earlier, later) in zip(times, times.dropFirst()) {
      let gap = later - earlier
      #expect(gap >= .milliseconds(100) && gap < .milliseconds(110))
    }
  }

  @Test func aPassiveScanAsksForNoResponse() {
    var world = Self.scanning(active: false)
    world.advance(by: .seconds(1))
    let reports = Self.reports(world).map(\.report)
    #expect(!reports.isEmpty)
    #expect(reports.allSatisfy { $0.kind == .connectableUndirected && $0.data == World.advertising && $0.address == World.strap })
    #expect(!world.air.takeLog().contains { $0.kind == .scanRequest })
  }

  @Test func anActiveScanGetsAResponseAfterEachEvent() {
    var world = Self.scanning(active: true)
    world.advance(by: .seconds(1))
    let reports = Self.reports(world).map(\.report)
    #expect(reports.prefix(2).map(\.kind) == [.connectableUndirected, .scanResponse])
    #expect(reports.prefix(2).map(\.data) == [World.advertising, World.response])
    #expect(reports.count { $0.kind == .scanResponse } * 2 == reports.count)
  }

  @Test(arguments: [
    (AdvertisingType.connectableUndirected, AdvertisingReport.Kind.connectableUndirected, true),
    (.scannableUndirected, .scannableUndirected, true), (.nonConnectable, .nonConnectable, false),
    (.directedLowDuty, .connectableDirected, false),
  ])
  func eachAdvertisingKindIsReportedCorrectly(
    _ type: AdvertisingType, _ kind: AdvertisingReport.Kind, isScannable: Bool
  ) {
    var world = Self.scanning(active: true, type: type)
    world.advance(by: .milliseconds(300))
    let kinds = Self.reports(world).map(\.report.kind)
    #expect(kinds.contains(kind))
    #expect(kinds.contains(.scanResponse) == isScannable)
  }

  @Test func duplicatesAreFilteredUntilTheScanRestarts() {
    var world = Self.scanning(active: true, filter: true)
    world.advance(by: .seconds(10))
    #expect(Self.reports(world).count == 2)
    world.send(world.central, .leSetScanEnable(true, filterDuplicates: true))
    world.advance(by: .seconds(10))
    #expect(Self.reports(world).count == 4)
  }

  @Test func onlyTheScanWindowReceives() {
    // 30 ms out of every 100 ms.
    var world = Self.scanning(active: false, interval: 160, window: 48, advertisingInterval: 32)
    let start = world.air.now
    world.advance(by: .seconds(20))
    let times = Self.reports(world).map(\.time)
    // An event every 25 ms on average, three tenths of them heard.
    #expect((180...300).contains(times.count))
    #expect(times.allSatisfy { ($0 - start).nanoseconds % 100_000_000 < 30_000_000 })
  }

  @Test func theAcceptListFiltersReports() {
    var world = Self.scanning(active: false, policy: .listOnly)
    world.advance(by: .seconds(2))
    #expect(Self.reports(world).isEmpty)
    world.send(world.central, .leAddToFilterAcceptList(World.strap))
    #expect(world.lastStatus(world.central) == .commandDisallowed)
    world.send(world.central, .leSetScanEnable(false, filterDuplicates: false))
    world.send(world.central, .leAddToFilterAcceptList(World.strap))
    world.send(world.central, .leSetScanEnable(true, filterDuplicates: false))
    world.advance(by: .seconds(2))
    #expect(!Self.reports(world).isEmpty)
  }

  @Test func aVanishedDeviceIsNotHeardUntilItAppears() {
    var world = Self.scanning(active: false)
    world.air.vanish(world.peripheral, at: world.air.now)
    world.advance(by: .seconds(5))
    #expect(Self.reports(world).isEmpty)
    world.air.appear(world.peripheral, at: world.air.now)
    world.advance(by: .seconds(5))
    #expect(!Self.reports(world).isEmpty)
  }

  @Test func lossThinsOutWhatIsHeard() {
    var world = Self.scanning(active: false)
    world.air.setLoss(world.peripheral, 0.5, at: world.air.now)
    world.advance(by: .seconds(100))
    #expect((380...560).contains(Self.reports(world).count))
  }

  @Test func signalStrengthsFollowTheModel() {
    var world = Self.scanning(active: false)
    world.advance(by: .seconds(10))
    #expect(Self.reports(world).allSatisfy { (-61 ... -55).contains($0.report.rssi) })
  }
}
