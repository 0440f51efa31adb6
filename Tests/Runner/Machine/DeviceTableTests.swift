import Exchange
import Testing
import Vocabulary

@testable import Runner

@Suite struct DeviceTableTests {
  private func address(_ bits: UInt64, _ kind: Address.Kind? = .random) -> AddressValue { AddressValue(bits: bits, kind: kind) }

  private func table(_ count: UInt64) -> DeviceTable {
    var table = DeviceTable((0..<count).map { Device(bits: $0, kind: .random) })
    _ = rows(&table)
    return table
  }

  /// The rows of the next commit.
  private func rows(_ table: inout DeviceTable) -> [RowKey] {
    var commit = Commit()
    table.store(in: &commit)
    return commit.rows.map(\.key)
  }

  private func heardRows(_ table: inout DeviceTable) -> [RowKey] {
    var commit = Commit()
    table.storeHeard(in: &commit)
    return commit.rows.map(\.key)
  }

  @Test func devicesAreFoundByTheirAddress() {
    let table = table(1000)
    for bits in 0..<UInt64(1000) { #expect(table.index(of: address(bits)) == Int(bits)) }
    #expect(table.index(of: address(1000)) == nil && table.index(of: address(3, .public)) == nil)
    #expect(table.index(of: address(3, nil)) == 3)
  }

  @Test func aPublicAndARandomAddressOfTheSameBitsAreTwo() {
    var table = table(4)
    let second = table.insert(Device(bits: 2, kind: .public))
    #expect(second == 4)
    #expect(table.index(of: address(2)) == 2 && table.index(of: address(2, .public)) == 4 && table.index(of: address(2, nil)) == 2)
  }

  @Test func aLearnedAddressTypeIsDistinguished() {
    var table = DeviceTable([Device(bits: 7, kind: nil)])
    #expect(table.index(of: address(7, .public)) == 0 && table.index(of: address(7)) == 0)
    table[0].kind = .public
    #expect(table.index(of: address(7, .public)) == 0 && table.index(of: address(7)) == nil)
  }

  @Test func changedRowsAreListedOnceInOrder() {
    var table = table(10)
    #expect(rows(&table) == [])
    for index in [7, 3, 7, 5] { table[index].step += 1 }
    table[cache: 1] = AttributeCache()
    #expect(rows(&table) == [RowKey(.attributeCache, 1), RowKey(.device, 3), RowKey(.device, 5), RowKey(.device, 7)])
    #expect(rows(&table) == [])
  }

  @Test func readsAndLinkWritesMarkNoRow() {
    var table = table(10)
    #expect(table[3].bits == 3 && table[cache: 3] == nil && table[link: 3].rssi == nil && table.allSatisfy { !$0.isWanted })
    table[link: 2].rssi = -50
    table[link: 2].phase = .ready
    table[link: 2].located = [AttributePath(form: .handle(AttributeHandle(1)), text: "handle")]
    #expect(rows(&table) == [] && heardRows(&table) == [])
  }

  @Test func theRowHasTheSignalStrengthOfItsMoment() throws {
    var table = table(2)
    table[link: 1].rssi = -50
    table[1].name = "Strap"
    table[link: 1].rssi = -40
    var commit = Commit()
    table.store(in: &commit)
    #expect(try Device(encoded: #require(commit.rows.first?.value)).rssi == -40)
  }

  @Test func activeDevicesAreListed() {
    var table = table(10)
    #expect(table.active == [])
    table[link: 6].phase = .ready
    table[link: 2].resumeLimit = Moment(nanoseconds: 1)
    table[9].connector = 4
    table[link: 2].phase = .connecting(OperationID(1), nil)
    #expect(table.active == [2, 6, 9])
    table[link: 2].resumeLimit = nil
    table[link: 6].phase = .idle
    #expect(table.active == [2, 9])
    table[link: 2].phase = .idle
    table[9].connector = nil
    #expect(table.active == [])
    table.removeAll()
    #expect(table.isEmpty && table.index(of: address(1)) == nil)
  }

  @Test func freeNumbersAreReused() {
    var table = table(6)
    _ = table.insert(Device(bits: 3, kind: .public))
    let forgotten = table.forget([1, 3, 4])
    #expect(forgotten == [1, 3, 4] && table.known == 4 && table.count == 7)
    #expect(table.index(of: address(1)) == nil && table.index(of: address(4)) == nil)
    // The other device with the same 48 bits is still found.
    #expect(table.index(of: address(3)) == nil && table.index(of: address(3, .public)) == 6)
    let (first, second, third) = (
      table.insert(Device(bits: 10, kind: .random)), table.insert(Device(bits: 11, kind: .random)),
      table.insert(Device(bits: 12, kind: .random))
    )
    #expect([first, second, third] == [1, 3, 4] && table.insert(Device(bits: 13, kind: .random)) == 7)
    #expect(table.index(of: address(11)) == 3)
    #expect(rows(&table) == [1, 3, 4, 6, 7].map { RowKey(.device, $0) })
    var commit = Commit()
    table.takeDeleted(in: &commit)
    #expect(commit.rows == [1, 3, 4].map { Commit.Row(RowKey(.device, $0), nil) })
  }

  @Test func heardDevicesAreListedSeparately() {
    var table = table(5)
    for index in [4, 2, 4] { table[heard: index].name = "Belt" }
    table[2].isWanted = true
    #expect(rows(&table) == [RowKey(.device, 2)])
    // The row of the second was written with its advertising data.
    #expect(heardRows(&table) == [RowKey(.device, 4)] && heardRows(&table) == [])
  }

  @Test func aScanForAllKeepsTheLastOfEach() throws {
    var bench = try Bench("scan for all heart_rate within 10s as found\nfor each d in found: print \"{d.name} {d.rssi}\"\n")
    let scan = try #require(bench.last { if case .scan = $0 { true } else { false } })
    for pass in 0..<3 {
      for number in 0..<40 {
        let heard = Advertisement(
          address: Address(bits: UInt64(0xC0_00_00_00_00_00 + number), kind: .random), rssi: -90 + number - pass,
          name: "Belt \(number)", services: [UUID(0x180D)])
        bench.host(.advertisementReceived(scan.id, heard))
      }
    }
    bench.advance(.seconds(11))
    #expect(bench.printed.map { $0.filter { $0 != "\n" } } == (0..<40).map { "Belt \($0) \(-92 + $0)" })
  }

  @Test func theStrongestIsTheOneThatWasStrongestOnce() throws {
    var bench = try Bench("scan for strongest heart_rate within 10s as best\nprint best.name\n")
    let scan = try #require(bench.last { if case .scan = $0 { true } else { false } })
    for (number, rssi) in [(1, -60), (2, -70), (1, -80), (2, -50), (2, -90), (3, -55)] {
      let heard = Advertisement(
        address: Address(bits: UInt64(number), kind: .random), rssi: rssi, name: "Belt \(number)", services: [UUID(0x180D)])
      bench.host(.advertisementReceived(scan.id, heard))
    }
    bench.advance(.seconds(11))
    #expect(bench.printed.count == 1 && bench.printed[0].hasPrefix("Belt 2"))
  }
}
