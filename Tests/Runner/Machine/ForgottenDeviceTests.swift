import Exchange
import Glibc
import Testing
import Vocabulary

@testable import Runner

/// Rotating addresses: what a run writes for them, and what it keeps.
@Suite struct ForgottenDeviceTests {
  private func belt(_ number: Int, rssi: Int = -60, services: [UUID] = [UUID(0x180D)]) -> Advertisement {
    Advertisement(address: Address(bits: 0xC0_00_00_00_00_00 + UInt64(number), kind: .random), rssi: rssi, services: services)
  }

  private func scan(_ bench: Bench) throws -> OperationID {
    try #require(bench.last { if case .scan = $0 { true } else { false } }).id
  }

  /// Reports this many new addresses a second for this many seconds, and then waits until the last
  /// is saved.
  private func listen(_ bench: inout Bench, _ addresses: Range<Int>, each span: TimeSpan) throws {
    for number in addresses {
      bench.host(.advertisementReceived(try scan(bench), belt(number)))
      bench.advance(span)
    }
  }

  private func octets(_ commits: [Commit]) -> Int {
    commits.reduce(0) { $0 + $1.rows.reduce(0) { $0 + ($1.value?.count ?? 0) + 12 } }
  }

  @Test(arguments: [100, 500, 1000])
  func writtenBytesGrowLinearlyWithDevices(rate: Int) throws {
    var bench = try Bench("scan for all heart_rate within 1h as found\nprint count(found)\n")
    bench.commits = []
    let seconds = getenv("FULL") == nil ? 2 : 60
    try listen(&bench, 0..<rate * seconds, each: .microseconds(Int64(1_000_000 / rate)))
    bench.advance(.seconds(2))
    // One row for the device and one for its place in the list.
    #expect(octets(bench.commits) < 200 * rate * seconds)
    #expect(bench.commits.count <= seconds + 3, "one commit a second")
    #expect(bench.rows.count { $0.key.kind == .found } == rate * seconds)
    // Heard again, with another signal strength: nothing is written.
    bench.commits = []
    for number in 0..<100 { bench.host(.advertisementReceived(try scan(bench), belt(number, rssi: -40))) }
    bench.advance(.seconds(2))
    #expect(bench.commits.isEmpty)
    bench.advance(.hours(1))
    #expect(bench.printed == ["\(rate * seconds)"])
    #expect(!bench.rows.contains { $0.key.kind == .found })
  }

  @Test func aKillLosesAtMostTheLastSecondOfAScan() throws {
    var bench = try Bench("scan for all heart_rate within 1h as found\nfor each d in found: print d.address\n")
    try listen(&bench, 0..<50, each: .milliseconds(100))
    let kept = bench.rows.count { $0.key.kind == .found }
    #expect(kept >= 40)
    try bench.kill()
    try listen(&bench, 0..<60, each: .milliseconds(100))
    try bench.kill()
    try listen(&bench, 45..<60, each: .milliseconds(100))
    bench.advance(.hours(1))
    #expect(bench.printed == (0..<60).map { TextRendering.text(of: Value(belt($0).address), Surroundings()) })
    #expect(!bench.rows.contains { $0.key.kind == .found })
  }

  @Test func twoScansAtOnceHaveSeparateLists() throws {
    let text = """
      after 1s
        scan for all heart_rate within 1min as few
        print "few {count(few)}"
      end
      scan for all anything within 10min as found
      print "found {count(found)}"
      """
    for kills in [false, true] {
      var bench = try Bench(text + "\n")
      let body = try scan(bench)
      for number in 0..<20 { bench.host(.advertisementReceived(body, belt(number))) }
      bench.advance(.seconds(3))
      let both = Set(bench.requests.compactMap { request in if case .scan = request.command { request.id } else { nil } })
      #expect(both.count == 2)
      for number in 10..<30 { for id in both { bench.host(.advertisementReceived(id, belt(number))) } }
      bench.advance(.seconds(3))
      if kills { try bench.kill() }
      bench.advance(.minutes(20))
      #expect(bench.printed == ["few 20", "found 30"])
      #expect(!bench.rows.contains { $0.key.kind == .found })
    }
  }

  /// A recipe that scans forever, and names some devices in every possible way.
  private static let forever = """
    let first = nothing
    let kept = []
    let tree = {deep: [{device: nothing}]}
    let n = 0
    repeat forever
      scan for heart_rate within forever as found
      set n to n + 1
      if n is 1: set first to found
      if n is 2: set kept to [found]
      if n is 3: set tree to {deep: [{device: found}]}
      if n is 4
        set found.note to "mine"
      end
      if n is 5
        set found.friend to first
      end
    end

    """

  @Test func onlyUnreferencedDevicesAreForgotten() throws {
    var bench = try Bench(Self.forever)
    let many = getenv("FULL") == nil ? 10_000 : 200_000
    for number in 0..<many {
      bench.host(.advertisementReceived(try scan(bench), belt(number)))
      #expect(bench.machine.devices.known <= DeviceTable.least + 1)
      if number.isMultiple(of: 500) { bench.requests.removeAll { _ in false } }
      bench.requests = bench.requests.suffix(4)
      if number == many / 2 { try bench.kill() }
    }
    bench.advance(.seconds(2))
    #expect(bench.rows.count < DeviceTable.least + 50, "rows are deleted as well")
    for number in 0..<5 {
      let index = try #require(bench.machine.devices.index(of: AddressValue(belt(number).address)), "device \(number)")
      #expect(bench.rows[RowKey(.device, UInt64(index))] != nil)
    }
    // The variables still hold the same devices.
    func address(_ value: Value) -> Address? {
      if case .device(let index) = value { bench.machine.devices[index].address } else { nil }
    }
    let variables = Dictionary(
      uniqueKeysWithValues: zip(bench.machine.program.variables.map(\.name), bench.machine.variables))
    #expect(address(try #require(variables["first"])) == belt(0).address)
    guard case .list(let kept)? = variables["kept"], case .record(let tree)? = variables["tree"],
      case .list(let deep)? = tree["deep"], case .record(let leaf) = deep[0]
    else {
      Issue.record("the variables changed their form")
      return
    }
    #expect(address(kept[0]) == belt(1).address)
    #expect(address(try #require(leaf["device"])) == belt(2).address)
    try bench.kill()
    #expect(bench.machine.devices.index(of: AddressValue(belt(0).address)) != nil)
  }

  @Test func aRecipeThatNamesAllDevicesKeepsAll() throws {
    var bench = try Bench("let n = 0\nrepeat forever\n  scan for heart_rate within forever\n  set n to count(devices())\nend\n")
    for number in 0..<DeviceTable.least + 500 {
      bench.host(.advertisementReceived(try scan(bench), belt(number)))
      bench.requests = bench.requests.suffix(4)
    }
    #expect(bench.machine.devices.known == DeviceTable.least + 500)
  }

  @Test func aGapThatIsTooWideIsRefused() throws {
    var bench = try Bench("scan for heart_rate within forever\nwait forever\n")
    bench.host(.advertisementReceived(try scan(bench), belt(1)))
    bench.advance(.seconds(2))
    let device = try #require(bench.rows[RowKey(.device, 0)])
    for (number, isRead) in [(5, true), (DeviceTable.gapLimit, true), (DeviceTable.gapLimit + 1, false)] {
      var rows = bench.rows
      rows[RowKey(.device, 0)] = nil
      rows[RowKey(.device, UInt64(number))] = device
      let snapshot = try? Snapshot(rows: rows.map { Commit.Row($0.key, $0.value) })
      #expect((snapshot != nil) == isRead)
      #expect(snapshot?.deviceLines.count ?? 1 == 1)
    }
  }

  @Test(arguments: [
    [FoundRow.Place(fiber: 1, place: 1, rssi: 0)], [.init(fiber: 99, place: 0, rssi: 0)],
    [.init(fiber: 1, place: 0, rssi: 0), .init(fiber: 1, place: 0, rssi: 0)],
  ])
  func impossibleScanPlacesAreRefused(places: [FoundRow.Place]) throws {
    var bench = try Bench("scan for all heart_rate within 1h as found\n")
    bench.host(.advertisementReceived(try scan(bench), belt(1)))
    bench.advance(.seconds(2))
    bench.rows[RowKey(.found, 0)] = FoundRow(places: places).encoded
    #expect(throws: RestoreFailure.self) { try Snapshot(rows: bench.rows.map { Commit.Row($0.key, $0.value) }) }
  }
}
