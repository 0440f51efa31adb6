import Exchange
import Packets
import Testing
import Vocabulary

@testable import Host

@Suite struct ScanTests {
  private func report(
    _ kind: AdvertisingReport.Kind = .connectableUndirected, _ address: Address = LinkBench.strap, _ data: [UInt8] = [],
    rssi: Int8 = -60
  )
    -> HCIEvent
  {
    .leAdvertisingReport([AdvertisingReport(kind: kind, address: address, data: data, rssi: rssi)])
  }

  private let heartRate: [UInt8] = [0x02, 0x01, 0x06, 0x03, 0x03, 0x0D, 0x18]
  private let name: [UInt8] = [0x06, 0x09] + Array("Polar".utf8)

  @Test func advertisementAndScanResponseAreMerged() {
    var bench = LinkBench()
    let scan = bench.request(.scan(ScanRequest(duty: .full)))
    bench.forget()
    bench.event(report(.connectableUndirected, LinkBench.strap, heartRate))
    bench.event(report(.scanResponse, LinkBench.strap, name, rssi: -61))
    #expect(
      bench.facts == [
        .advertisementReceived(scan, Advertisement(address: LinkBench.strap, rssi: -60, services: [UUID(0x180D)])),
        .advertisementReceived(scan, Advertisement(address: LinkBench.strap, rssi: -61, name: "Polar", services: [UUID(0x180D)])),
      ])
    bench.event(report(.connectableUndirected, LinkBench.strap, heartRate, rssi: 127))
    #expect(
      bench.facts.last
        == .advertisementReceived(scan, Advertisement(address: LinkBench.strap, name: "Polar", services: [UUID(0x180D)])))
  }

  @Test func fullDutyReportsEachPacketAndGentleCoalesces() {
    var bench = LinkBench()
    let full = bench.request(.scan(ScanRequest(duty: .full)))
    let gentle = bench.request(.scan(ScanRequest(duty: .gentle)))
    bench.forget()
    func count(_ id: OperationID) -> Int {
      bench.events.count { if case .advertisementReceived(id, _) = $0 { true } else { false } }
    }
    for _ in 0..<5 { bench.event(report(data: heartRate)) }
    #expect(count(full) == 5)
    #expect(count(gentle) == 1)
    // new data is reported at once
    bench.event(report(.scanResponse, LinkBench.strap, name))
    #expect(count(gentle) == 2)
    bench.pass(.milliseconds(999))
    bench.event(report(data: heartRate))
    #expect(count(gentle) == 2)
    bench.pass(.milliseconds(1))
    bench.event(report(data: heartRate))
    #expect(count(gentle) == 3)
    #expect(count(full) == 8)
  }

  /// As in a process that had no CPU time for a while.
  @Test func aBurstOfReportsLosesNone() {
    var bench = LinkBench()
    let scan = bench.request(.scan(ScanRequest(duty: .full)))
    bench.forget()
    func peer(_ number: Int) -> Address { Address(bits: 0xC05E_0000_0000 | UInt64(number % 200), kind: .random) }
    func signal(_ number: Int) -> Int { -40 - (number + number / 200) % 50 }
    for number in 0..<20_000 {
      bench.event(report(.connectableUndirected, peer(number), heartRate, rssi: Int8(signal(number))))
    }
    let told = bench.events.compactMap { if case .advertisementReceived(scan, let one) = $0 { one } else { nil } }
    #expect(told.map(\.address) == (0..<20_000).map(peer))
    #expect(told.map(\.rssi) == (0..<20_000).map(signal))
  }

  /// A client hears once of a device that it does not look for, and again when its name is known.
  @Test func aFilteredScanReportsOthersOnce() {
    var bench = LinkBench()
    let scan = bench.request(.scan(ScanRequest(duty: .full, filter: ScanFilter(targets: [.service(UUID(0x180F))]))))
    let all = bench.request(.scan(ScanRequest(duty: .full)))
    bench.forget()
    func reported(_ id: OperationID) -> [Advertisement] {
      bench.events.compactMap { if case .advertisementReceived(id, let one) = $0 { one } else { nil } }
    }
    for _ in 0..<5 { bench.event(report(data: heartRate)) }
    for _ in 0..<5 { bench.event(report(.connectableUndirected, LinkBench.meter, [])) }
    #expect(reported(scan).map(\.address) == [LinkBench.strap, LinkBench.meter])
    for _ in 0..<5 { bench.event(report(.scanResponse, LinkBench.strap, name)) }
    #expect(reported(scan).map(\.name) == [nil, nil, "Polar"])
    // a device that it looks for is reported each time
    for _ in 0..<5 { bench.event(report(.connectableUndirected, LinkBench.meter, [0x03, 0x03, 0x0F, 0x18])) }
    for _ in 0..<5 { bench.event(report(.connectableUndirected, LinkBench.meter, [])) }
    #expect(reported(scan).count == 8)
    #expect(reported(all).count == 25)
    // a scan that begins later knows no devices
    let later = bench.request(.scan(ScanRequest(duty: .full, filter: ScanFilter(targets: [.service(UUID(0x180F))]))))
    for _ in 0..<3 { bench.event(report(data: heartRate)) }
    #expect(reported(later).map(\.name) == ["Polar"])
    // nor does one of another process
    bench.forget()
    bench.input(.sightingsLost(.run))
    for _ in 0..<3 { bench.event(report(data: heartRate)) }
    #expect(reported(scan).count == 1)
    #expect(reported(later).count == 1)
  }

  @Test func aRepeatedScanUsesItsNewFilter() {
    var bench = LinkBench()
    let scan = bench.request(.scan(ScanRequest(duty: .full, filter: ScanFilter(strongerThan: -50))))
    for _ in 0..<3 { bench.event(report(data: heartRate)) }
    bench.forget()
    let request = HostRequest(id: scan, command: .scan(ScanRequest(duty: .full, filter: ScanFilter(strongerThan: -70))))
    bench.input(.request(request))
    for _ in 0..<3 { bench.event(report(data: heartRate)) }
    #expect(bench.facts.count == 3)
    #expect(bench.host.arbiter.scans.count == 1)
    // A withdrawn scan is not restarted under its number.
    bench.request(.cancel(scan))
    bench.forget()
    bench.input(.request(request))
    bench.event(report(data: heartRate))
    #expect(bench.facts.isEmpty)
  }

  @Test func aDeviceEvictedFromTheCacheIsReportedAgain() {
    var cache = DeviceCache(limit: 16)
    for round in 0..<2 {
      for bits in 0..<24 as Range<UInt64> {
        let address = Address(bits: bits, kind: .random)
        let heard = cache.heard(address, data: name, isResponse: false, connectable: true, rssi: -40, newest: 5)
        #expect(heard.sighted == 0 && heard.named == 0, "round \(round)")
        let again = cache.heard(address, data: name, isResponse: false, connectable: true, rssi: -40, newest: 6)
        #expect(again.sighted == 5 && again.named == 5, "round \(round)")
      }
    }
  }

  @Test func gentleScansOfTwoClientsBothReport() {
    var bench = LinkBench()
    for owner in [OwnerID(2), OwnerID(3)] {
      bench.input(.arrived(owner))
      bench.input(.request(HostRequest(owner: owner, id: OperationID(1), command: .scan(ScanRequest(duty: .gentle)))))
    }
    for _ in 0..<4 {
      bench.forget()
      bench.pass(HostLimits.coalescing)
      bench.event(report(data: heartRate))
      #expect(bench.reports.map(\.owner) == [OwnerID(2), OwnerID(3)])
    }
  }

  private func report(data: [UInt8]) -> HCIEvent { report(.connectableUndirected, LinkBench.strap, data) }

  @Test func scanRequestsAreMerged() {
    var bench = LinkBench()
    bench.forget()
    let gentle = bench.request(.scan(ScanRequest(duty: .gentle)))
    #expect(bench.commands.first == .leSetScanParameters(ScanParameters(active: true, interval: 0x1E0, window: 0x60)))
    bench.forget()
    let full = bench.request(.scan(ScanRequest(duty: .full)))
    #expect(bench.opcodes == [.leSetScanEnable, .leSetScanParameters, .leSetScanEnable])
    bench.forget()
    bench.request(.scan(ScanRequest(duty: .full)), owner: OwnerID(2))
    #expect(bench.commands.isEmpty)
    bench.request(.cancel(full))
    #expect(bench.failure(full)?.kind == .cancelled)
    #expect(bench.commands.isEmpty)
    bench.input(.request(HostRequest(owner: OwnerID(2), id: OperationID(99), command: .cancel(OperationID(3)))))
    #expect(bench.opcodes == [.leSetScanEnable, .leSetScanParameters, .leSetScanEnable])
    bench.forget()
    bench.request(.cancel(gentle))
    #expect(bench.commands == [.leSetScanEnable(false, filterDuplicates: false)])
  }

  /// A direct connection to an absent device does not keep scans from hearing others.
  @Test func aScanBesideADirectAttemptHasItsTurns() {
    var bench = LinkBench()
    let scan = bench.request(.scan(ScanRequest(duty: .full)))
    bench.forget()
    let attempt = bench.request(.connect(ConnectRequest(peer: LinkBench.valve, pending: false)))
    #expect(bench.opcodes.first == .leSetScanEnable && bench.opcodes.last == .leCreateConnection)
    bench.pass(HostLimits.turn)
    #expect(bench.opcodes.last == .leCreateConnectionCancel)
    bench.connectionComplete(LinkBench.valve, status: .unknownConnection)
    #expect(bench.opcodes.last == .leSetScanEnable)
    bench.event(report())
    #expect(bench.facts.count == 1)
    bench.forget()
    bench.pass(HostLimits.turn)
    #expect(bench.opcodes == [.leSetScanEnable, .leCreateConnection])
    // neither was ended by it, and the peer is reached when it appears
    #expect(bench.outcome(scan) == nil && bench.outcome(attempt) == nil)
    bench.connectionComplete(LinkBench.valve)
    bench.completed(0x40, 1)
    bench.mtuResponse()
    #expect(bench.facts.contains { if case .connected(attempt, LinkBench.valve, _) = $0 { true } else { false } })
    #expect(bench.opcodes.last == .leSetScanEnable)
  }

  /// A link whose device was never heard is tried again without a scan in between (rule 2), for a
  /// whole turn.
  @Test func aRetryBeginsATurn() {
    var bench = LinkBench()
    bench.request(.scan(ScanRequest(duty: .full)))
    bench.request(.connect(ConnectRequest(peer: LinkBench.valve, pending: false)))
    bench.pass(HostLimits.turn - .milliseconds(10))
    bench.connectionComplete(LinkBench.valve)
    bench.forget()
    bench.disconnectionComplete(0x40, .establishmentFailed)
    #expect(bench.opcodes == [.leCreateConnection])
    bench.pass(HostLimits.turn - .milliseconds(10))
    #expect(bench.opcodes == [.leCreateConnection])
    bench.pass(.milliseconds(10))
    #expect(bench.opcodes == [.leCreateConnection, .leCreateConnectionCancel])
  }

  @Test func scansForAddressesUseTheAcceptList() {
    var bench = LinkBench()
    bench.forget()
    let scan = bench.request(.scan(ScanRequest(duty: .full, addresses: [LinkBench.strap.bits])))
    #expect(
      bench.opcodes == [.leAddToFilterAcceptList, .leAddToFilterAcceptList, .leSetScanParameters, .leSetScanEnable])
    #expect(
      bench.commands.contains(
        .leSetScanParameters(ScanParameters(active: true, interval: 0x60, window: 0x60, filterPolicy: .listOnly))))
    bench.forget()
    bench.event(report(.connectableUndirected, LinkBench.meter))
    #expect(bench.facts.isEmpty)
    bench.event(report())
    #expect(bench.facts.count == 1)
    // a client that wants every device: the filter is removed
    bench.forget()
    bench.request(.scan(ScanRequest(duty: .gentle)))
    #expect(bench.opcodes == [.leSetScanEnable, .leSetScanParameters, .leSetScanEnable])
    #expect(bench.commands.contains(.leSetScanParameters(ScanParameters(active: true, interval: 0x60, window: 0x60))))
    bench.request(.cancel(scan))
  }

  @Test func moreAddressesThanTheListHoldsAreFilteredHere() {
    var bench = LinkBench()
    bench.forget()
    bench.request(.scan(ScanRequest(duty: .full, addresses: [1, 2, 3])))
    #expect(bench.opcodes == [.leSetScanParameters, .leSetScanEnable])
  }

  @Test func aRefusedScanFailsWithItsReason() {
    var bench = LinkBench(ScriptedController(refusals: [(.leSetScanEnable, .commandDisallowed, 1)]))
    let scan = bench.request(.scan(ScanRequest(duty: .full)))
    #expect(bench.failure(scan)?.kind == .adapter)
    #expect(bench.failure(scan)?.layer == .hci)
    #expect(bench.failure(scan)?.code == 0x0C)
    let again = bench.request(.scan(ScanRequest(duty: .full)))
    #expect(bench.outcome(again) == nil)
    #expect(bench.host.arbiter.radio.scan != nil)
  }

  @Test func extendedReportsAreGatheredFromTheirFragments() {
    var bench = LinkBench(ScriptedController(isExtended: true))
    let scan = bench.request(.scan(ScanRequest(duty: .full)))
    bench.forget()
    let whole = heartRate + name
    bench.event(
      .leExtendedAdvertisingReport([
        ExtendedAdvertisingReport(
          properties: 0x21, address: LinkBench.strap, setIdentifier: 1, rssi: -50, data: Array(whole.prefix(9)))
      ]))
    #expect(bench.facts.isEmpty)
    bench.event(
      .leExtendedAdvertisingReport([
        ExtendedAdvertisingReport(
          properties: 0x01, address: LinkBench.strap, setIdentifier: 1, rssi: -50, data: Array(whole.dropFirst(9)))
      ]))
    #expect(
      bench.facts == [
        .advertisementReceived(scan, Advertisement(address: LinkBench.strap, rssi: -50, name: "Polar", services: [UUID(0x180D)]))
      ])
  }

  @Test func rule24TheCacheOfDevicesIsBounded() {
    var cache = DeviceCache(limit: 16)
    for bits in 0..<1000 as Range<UInt64> {
      _ = cache.heard(Address(bits: bits, kind: .random), data: [], isResponse: false, connectable: true, rssi: -40)
    }
    #expect(cache.count == 16)
    #expect(cache.lastRSSI(Address(bits: 999, kind: .random)) == -40)
    #expect(cache.lastRSSI(Address(bits: 983, kind: .random)) == nil)
  }

  @Test func rule24FragmentsThatNeverEndAreBounded() {
    var cache = DeviceCache()
    for round in 0..<100 as Range<UInt64> {
      for _ in 0..<20 {
        let report = ExtendedAdvertisingReport(
          properties: 0x20, address: Address(bits: round % 40, kind: .random), rssi: 0, data: [UInt8](repeating: 0, count: 229))
        #expect(cache.gather(report) == nil)
      }
    }
  }
}
