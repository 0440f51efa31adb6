import Exchange
import Session
import Testing
import Vocabulary

/// The table of a scan on a terminal.
@Suite struct ScanTableTests {
  private func advertisement(_ number: UInt64, _ rssi: Int?, name: String? = nil, services: [UUID] = []) -> Advertisement {
    Advertisement(
      address: Address(bits: 0x1122_3344_5500 + number, kind: .public), rssi: rssi, name: name, services: services)
  }

  private func at(_ milliseconds: Int64) -> Moment { .zero + .milliseconds(milliseconds) }

  private func rows(_ table: inout ScanTable, at moment: Moment, columns: Int = 80, lines: Int? = 24) -> [String] {
    Array(
      table.picture(columns: columns, lines: lines, left: .seconds(6), adapter: "hci0", at: moment).dropFirst(columns >= 71 ? 2 : 1)
    )
  }

  @Test func theStrongestIsOnTop() {
    var table = ScanTable()
    table.hear(advertisement(1, -71, name: "Flower care"), at: at(0))
    table.hear(advertisement(2, -55, name: "Strap 7", services: [UUID(0x180D)]), at: at(10))
    table.hear(advertisement(3, nil), at: at(20))
    let picture = table.picture(columns: 80, lines: 24, left: .milliseconds(5100), adapter: "hci0", at: at(1500))
    #expect(picture[0] == "hci0 · 3 devices · 6 s left")
    #expect(picture[1] == "NAME                 ADDRESS           dBm          WHAT                    AGE")
    #expect(picture[2] == "Strap 7              11:22:33:44:55:02 -55 █████▎   heart_rate               1s")
    #expect(picture[3].hasPrefix("Flower care          11:22:33:44:55:01 -71 ███▍"))
    #expect(picture[4].hasPrefix("-                    11:22:33:44:55:03 ?"))
    #expect(picture.allSatisfy { Shown.width(of: $0) <= 79 })
  }

  @Test func aRowMovesByAClearSignalOnly() {
    var table = ScanTable()
    table.hear(advertisement(1, -60, name: "a"), at: at(0))
    table.hear(advertisement(2, -64, name: "b"), at: at(0))
    // A change of 4 dB causes no redraw, and neither does a second.
    for _ in 0..<20 { table.hear(advertisement(2, -56), at: at(2500)) }
    #expect(rows(&table, at: at(3000))[0].hasPrefix("a"))
    for _ in 0..<20 { table.hear(advertisement(2, -50), at: at(3100)) }
    #expect(rows(&table, at: at(3200))[0].hasPrefix("b"))
    for _ in 0..<20 { table.hear(advertisement(1, -30), at: at(3300)) }
    #expect(rows(&table, at: at(4000))[0].hasPrefix("b"))
    #expect(rows(&table, at: at(5300))[0].hasPrefix("a"))
  }

  @Test func unheardDevicesLeaveTheTable() {
    var table = ScanTable()
    table.hear(advertisement(1, -60, name: "a"), at: at(0))
    table.hear(advertisement(2, -64, name: "b"), at: at(5000))
    #expect(rows(&table, at: at(6000)).last?.hasSuffix("new 1s") == true)
    #expect(rows(&table, at: at(30_000)).count == 2)
    #expect(rows(&table, at: at(31_000)).count == 1)
    #expect(rows(&table, at: at(40_000)).count == 0)
  }

  @Test(arguments: [(80, 24), (60, 15), (40, 20), (10, 3)]) func theTableFitsTheTerminal(columns: Int, lines: Int) {
    for ascii in [false, true] {
      var table = ScanTable(ascii: ascii)
      for number in 0..<60 {
        table.hear(
          advertisement(
            UInt64(number), -40 - number, name: "n\u{1B}[31m\u{202E} wide 漢字漢字漢字漢字 \(number)",
            services: [UUID(0x180D), UUID(0x180F)]),
          at: at(0))
      }
      let picture = table.picture(columns: columns, lines: lines, left: .seconds(1), adapter: "hci0", at: at(10))
      #expect(picture.count < max(lines, 4))
      #expect(
        picture.allSatisfy { Shown.width(of: $0) <= max(20, columns - 1) && !$0.contains("\u{1B}") && !$0.contains("\u{202E}") })
      #expect(picture.last?.contains("more") == true)
      if ascii { #expect(picture.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }) }
      #expect(table.picture(columns: columns, lines: nil, left: nil, adapter: "", at: at(10)).count >= 61)
    }
  }

  @Test func theSizeIsBounded() {
    var table = ScanTable(order: .new)
    for number in 0..<6000 { table.hear(advertisement(UInt64(number), -60), at: at(Int64(number))) }
    #expect(table.count == 4096)
  }
}
