import Exchange
import Testing
import Vocabulary

@testable import Runner

/// `on advertisement` and `wait for advertisement`: every packet, by their filters and formats.
@Suite struct ListeningTests {
  static let beacon: [UInt8] =
    [0x02, 0x15] + Array(0xE0...0xEF) + [0x00, 0x01, 0x00, 0x02, 0xC5]

  static func heard(
    _ number: Int = 1, rssi: Int = -60, name: String? = nil, services: [UUID] = [], solicited: [UUID] = [],
    manufacturer: [Advertisement.Manufacturer] = [], data: [Advertisement.ServiceData] = []
  ) -> Advertisement {
    Advertisement(
      address: Address(bits: 0xC0_00_00_00_00_00 + UInt64(number), kind: .random), rssi: rssi, name: name, services: services,
      solicited: solicited, manufacturer: manufacturer, serviceData: data)
  }

  /// For handlers, for `whenever` and for the body, before and after a kill.
  @Test(arguments: [("full", ScanRequest.Duty.full), ("gentle", .gentle)])
  func useScanDecidesForAll(word: String, duty: ScanRequest.Duty) throws {
    var bench = try Bench(
      """
      use scan \(word)
      whenever anything appears as d: debug d
      on advertisement of anything as a: debug a
      scan for "nothing" within 1h
      """)
    #expect(Self.scans(bench).count == 3 && Self.scans(bench).allSatisfy { $0.request.duty == duty })
    try bench.kill()
    #expect(Self.scans(bench).count >= 3 && Self.scans(bench).allSatisfy { $0.request.duty == duty })
  }

  static func scans(_ bench: Bench) -> [(id: OperationID, request: ScanRequest)] {
    var open: [(id: OperationID, request: ScanRequest)] = []
    for request in bench.requests {
      switch request.command {
      case .scan(let scan):
        open.removeAll { $0.id == request.id }
        open.append((request.id, scan))
      case .cancel(let id): open.removeAll { $0.id == id }
      default: break
      }
    }
    return open
  }

  private func deliver(_ bench: inout Bench, _ advertisement: Advertisement) throws {
    for scan in Self.scans(bench) { bench.host(.advertisementReceived(scan.id, advertisement)) }
  }

  /// A controller that refuses a command ends the scan, and may refuse the next one, too.
  @Test(arguments: [
    "on advertisement of anything as a: print 1\nwait forever\n", "whenever anything appears: print 1\nwait forever\n",
  ])
  func aScanThatTheHostEndsBeginsAgainAfterAWhile(_ text: String) throws {
    var bench = try Bench(text)
    for _ in 0..<3 {
      let scan = try #require(Self.scans(bench).last)
      let count = bench.requests.count
      bench.host(.completed(scan.id, .failure(Failure(.adapter, "refused", blame: .adapter, layer: .hci))))
      #expect(bench.requests.count == count)
      bench.advance(.seconds(4))
      #expect(bench.requests.count == count)
      bench.advance(.seconds(1))
      #expect(Self.scans(bench).last?.id != scan.id)
      #expect(bench.requests.count == count + 1)
    }
  }

  @Test func everyPacketComesWithItsFields() throws {
    var bench = try Bench(
      """
      on advertisement of environmental_sensing stronger than -70dBm as a
        print a.rssi, a.name, a.service_data.data, a.manufacturer, a.services, device.address is a.address
      end
      wait forever
      """)
    let scan = try #require(Self.scans(bench).first)
    #expect(Self.scans(bench).count == 1)
    #expect(scan.request.duty == .full)
    #expect(!scan.request.reportsOthers)
    #expect(scan.request.filter == ScanFilter(targets: [.service(UUID(0x181A))], strongerThan: -70))
    let one = Self.heard(name: "T", services: [UUID(0x181A)], data: [.init(service: UUID(0x181A), data: [1, 2])])
    for _ in 0..<3 { try deliver(&bench, one) }
    try deliver(&bench, Self.heard(2, rssi: -71, services: [UUID(0x181A)]))
    try deliver(&bench, Self.heard(2, rssi: -69, services: [UUID(0x180D)]))
    let line = "-60 T 01 02 nothing [environmental_sensing] true"
    #expect(bench.printed.count == 3)
    #expect(bench.printed.first?.hasPrefix("-60 T ") ?? false, "\(bench.printed) \(line)")
    #expect(bench.failures.isEmpty)
  }

  @Test func aFormatFiltersAndDecodesAdvertisements() throws {
    var bench = try Bench(
      """
      format tilt for manufacturer 0x004c
        kind is u16be always 0x0215
        colour is bytes(16)
        degrees is u16be
        gravity is u16be times 0.001
        power is i8
      end
      format room for service_data environmental_sensing
        celsius is i16 times 0.01
      end
      on advertisement of tilt where it.value.gravity < 0.5 as seen: print "tilt", seen.value.degrees
      on advertisement of room or ibeacon as seen: print "other", seen.value
      wait forever
      """)
    #expect(
      Self.scans(bench).map(\.request.filter.targets) == [
        [.manufacturer(0x4C)], [.serviceData(UUID(0x181A)), .manufacturer(0x4C)],
      ])
    try deliver(&bench, Self.heard(manufacturer: [.init(company: 0x4C, data: Self.beacon)]))
    #expect(bench.printed.count == 2)
    #expect(bench.printed.contains("tilt 1"))
    bench.printed = []
    // It matches neither by its `always`, its length, nor its company.
    for data in [[0x02, 0x16] + Self.beacon.dropFirst(2), Array(Self.beacon.dropLast()), []] {
      try deliver(&bench, Self.heard(manufacturer: [.init(company: 0x4C, data: data)]))
    }
    try deliver(&bench, Self.heard(manufacturer: [.init(company: 0x4D, data: Self.beacon)]))
    try deliver(&bench, Self.heard(data: [.init(service: UUID(0x181A), data: [1])]))
    #expect(bench.printed == [])
    try deliver(&bench, Self.heard(data: [.init(service: UUID(0x181A), data: [0x2A, 0x08])]))
    #expect(bench.printed == ["other celsius=20.9"])
    #expect(bench.failures.isEmpty)
  }

  @Test func aScanFindsAFormatToo() throws {
    var bench = try Bench("scan for ibeacon where it.value.major is 1 as b\nprint b.address\n")
    let scan = try #require(bench.last { if case .scan = $0 { true } else { false } })
    bench.host(.advertisementReceived(scan.id, Self.heard(manufacturer: [.init(company: 0x4C, data: [2, 0x15])])))
    bench.host(.advertisementReceived(scan.id, Self.heard(7, manufacturer: [.init(company: 0x4C, data: Self.beacon)])))
    #expect(bench.printed == ["C0:00:00:00:00:07"])
  }

  @Test func onlySolicitingDevicesAreTaken() throws {
    var bench = try Bench("on advertisement of anything soliciting current_time as a: print a.rssi\nwait forever\n")
    #expect(Self.scans(bench).first?.request.filter.solicited == [UUID(0x1805)])
    try deliver(&bench, Self.heard(rssi: -50, solicited: [UUID(0x1805)]))
    try deliver(&bench, Self.heard(rssi: -51, services: [UUID(0x1805)]))
    #expect(bench.printed == ["-50"])
  }

  @Test func aHandlerListensWhileItsBlockIsActive() throws {
    var bench = try Bench(
      """
      scan for 0x181A as d
      with d
        on advertisement of 0x180F as a: print a.rssi
        wait 10s
      end
      wait forever
      """)
    try deliver(&bench, Self.heard(services: [UUID(0x181A)]))
    #expect(Self.scans(bench).map(\.request.filter.targets) == [[.service(UUID(0x180F))]])
    bench.advance(.seconds(11))
    #expect(Self.scans(bench).isEmpty)
    #expect(!bench.rows.contains { $0.key.kind == .listen })
  }

  @Test func waitForTakesTheNextThatFits() throws {
    var bench = try Bench(
      """
      wait for advertisement of ibeacon where it.rssi > -50 as a
      print a.value.minor
      wait for advertisement of anything within 5s as b otherwise print "none"
      print "done"
      """)
    bench.isComparing = true
    try deliver(&bench, Self.heard(manufacturer: [.init(company: 0x4C, data: Self.beacon)]))
    #expect(bench.printed == [])
    try bench.kill()
    #expect(Self.scans(bench).count == 1)
    try deliver(&bench, Self.heard(rssi: -40, manufacturer: [.init(company: 0x4C, data: Self.beacon)]))
    #expect(bench.printed == ["2"])
    #expect(Self.scans(bench).count == 1)
    bench.advance(.seconds(6))
    #expect(bench.printed == ["2", "none", "done"])
    #expect(Self.scans(bench).isEmpty)
  }

  @Test func queuedAdvertisementsAreSaved() throws {
    var bench = try Bench(
      """
      on advertisement of 0x181A as a
        wait 1s
        print a.rssi, a.service_data.data.hex()
      end
      wait forever
      """)
    bench.isComparing = true
    for number in 7...9 as ClosedRange<UInt8> {
      try deliver(&bench, Self.heard(services: [UUID(0x181A)], data: [.init(service: UUID(0x181A), data: [number])]))
    }
    try bench.kill()
    bench.advance(.seconds(5))
    #expect(bench.printed == ["-60 07", "-60 08", "-60 09"])
    // It listens again.
    try deliver(&bench, Self.heard(2, services: [UUID(0x181A)]))
    bench.advance(.seconds(2))
    #expect(bench.printed.count == 3)
    #expect(bench.failures.count == 1, "`nothing` has no data")
  }

  @Test func keepingLatestKeepsTheNewestOfEachDevice() throws {
    var bench = try Bench(
      """
      on advertisement of 0x181A as a keeping latest
        print a.rssi
        wait 10s
      end
      wait forever
      """)
    for rssi in -70 ..< -60 {
      for number in 1...2 { try deliver(&bench, Self.heard(number, rssi: rssi, services: [UUID(0x181A)])) }
    }
    bench.advance(.seconds(30))
    #expect(bench.printed == ["-70", "-70", "-61", "-61"])
  }

  @Test func aSlowHandlerIsBoundedAndReportsDrops() throws {
    var bench = try Bench("on advertisement of 0x181A\n  wait 1h\nend\nwait forever\n")
    for number in 0..<EventQueues.limit + 200 { try deliver(&bench, Self.heard(number, services: [UUID(0x181A)])) }
    bench.advance(.seconds(2))
    #expect(bench.machine.census.fibers <= EventQueues.limit + 1)
    #expect(bench.logged == ["200 events for the handler of line 1 were dropped: it does not keep up"])
  }

  @Test func missedAdvertisementsOfAKeeperAreCounted() throws {
    var bench = try Bench("on advertisement of 0x181A: print 1\nwait forever\n")
    let scan = try #require(Self.scans(bench).first)
    bench.host(.advertisementsMissed(scan.id, 40))
    #expect(bench.machine.events.drops.entries.map(\.count) == [40])
  }

  @Test func aComputedLimitIsEvaluatedEachTime() throws {
    var bench = try Bench(
      """
      let margin = 10
      every 1min: set margin to 40
      on advertisement of 0x181A stronger than -100 + margin as a: print a.rssi
      wait forever
      """)
    try deliver(&bench, Self.heard(rssi: -80, services: [UUID(0x181A)]))
    try deliver(&bench, Self.heard(rssi: -95, services: [UUID(0x181A)]))
    bench.advance(.seconds(61))
    try deliver(&bench, Self.heard(rssi: -80, services: [UUID(0x181A)]))
    try deliver(&bench, Self.heard(rssi: -50, services: [UUID(0x181A)]))
    #expect(bench.printed == ["-80", "-50"])
  }
}
