import Exchange
import Testing
import Vocabulary

@testable import Runner

@Suite struct DeviceTableTests {
  private func address(_ bits: UInt64, _ kind: Address.Kind? = .random) -> AddressValue { AddressValue(bits: bits, kind: kind) }

  private func table(_ count: UInt64) -> DeviceTable {
    var table = DeviceTable((0..<count).map { Device(bits: $0, kind: .random) })
    _ = table.takeDirty()
    return table
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

  @Test func aTypeThatIsLearnedCounts() {
    var table = DeviceTable([Device(bits: 7, kind: nil)])
    #expect(table.index(of: address(7, .public)) == 0 && table.index(of: address(7)) == 0)
    table[0].kind = .public
    #expect(table.index(of: address(7, .public)) == 0 && table.index(of: address(7)) == nil)
  }

  @Test func whatWasChangedIsListedOnceAscending() {
    var table = table(10)
    let none = table.takeDirty()
    #expect(none.isEmpty)
    for index in [7, 3, 7, 5] { table[index].isDirty = true }
    table[1].isKnowledgeDirty = true
    table[2].rssi = -50
    let first = table.takeDirty()
    #expect(first.map(\.index) == [1, 3, 5, 7])
    #expect(first.map(\.device) == [false, true, true, true] && first.map(\.knowledge) == [true, false, false, false])
    let second = table.takeDirty()
    #expect(second.isEmpty && !table[7].isDirty && !table[1].isKnowledgeDirty)
  }

  @Test func whoHasSomethingUnderWayIsListed() {
    var table = table(10)
    #expect(table.active == [])
    table[6].phase = .ready
    table[2].resumeLimit = Moment(nanoseconds: 1)
    table[9].connector = 4
    table[2].phase = .connecting(OperationID(1), nil)
    #expect(table.active == [2, 6, 9])
    table[2].resumeLimit = nil
    table[6].phase = .idle
    #expect(table.active == [2, 9])
    table[2].phase = .idle
    table[9].connector = nil
    #expect(table.active == [])
    table.removeAll()
    #expect(table.isEmpty && table.index(of: address(1)) == nil)
  }

  @Test func aNumberThatIsFreeIsGivenAgain() {
    var table = table(6)
    _ = table.insert(Device(bits: 3, kind: .public))
    let forgotten = table.forget([1, 3, 4])
    #expect(forgotten == [1, 3, 4] && table.known == 4 && table.count == 7)
    #expect(table.index(of: address(1)) == nil && table.index(of: address(4)) == nil)
    // The other device of the same 48 bits is still found.
    #expect(table.index(of: address(3)) == nil && table.index(of: address(3, .public)) == 6)
    let (first, second, third) = (
      table.insert(Device(bits: 10, kind: .random)), table.insert(Device(bits: 11, kind: .random)),
      table.insert(Device(bits: 12, kind: .random))
    )
    #expect([first, second, third] == [1, 3, 4] && table.insert(Device(bits: 13, kind: .random)) == 7)
    #expect(table.index(of: address(11)) == 3)
    let dirty = table.takeDirty().filter(\.device).map(\.index)
    #expect(dirty == [1, 3, 4, 6, 7])
  }

  @Test func whatWasHeardIsListedApart() {
    var table = table(5)
    for index in [4, 2, 4] { table[index].isHeard = true }
    table[2].isDirty = true
    let dirty = table.takeDirty().map(\.index)
    #expect(dirty == [2])
    // The row of the second was written with what was heard.
    let heard = table.takeHeard()
    #expect(heard == [4] && table.takeHeard().isEmpty)
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
