import Runner
import Session
import Testing
import Vocabulary

/// The picture of `tooth watch --plot`.
@Suite struct ValuePlotTests {
  private func line(_ value: Value, device: String? = "Strap 7") -> PrintedLine {
    PrintedLine(values: [value], device: device, line: 1)
  }

  private func time(_ seconds: Int64) -> WallTime { WallTime(nanoseconds: seconds * 1_000_000_000) }

  private func check(_ plot: inout ValuePlot, _ line: PrintedLine, at now: WallTime, _ isDrawn: Bool) {
    let taken = plot.take(line, at: now)
    #expect(taken == isDrawn)
  }

  @Test func valuesAreBars() {
    var plot = ValuePlot(field: nil, ascii: false)
    #expect(plot.picture(columns: 80, zone: .utc) == [])
    for (second, value) in [58, 66, 74, 66, 58, 62].enumerated() { plot.take(line(.int(Int64(value))), at: time(Int64(second))) }
    #expect(
      plot.picture(columns: 80, zone: .utc) == [
        "value of Strap 7 · now 62 · 58 to 74 · 6 values", " 74 ┤  █", "    │  █", " 66 ┤ ▅█▅", "    │ ███ ▃", " 58 ┤▁███▁█",
        "    └ 00:00:00",
      ])
  }

  /// A device may send any number.
  @Test func theLargestNumbersAreDrawn() {
    for (low, high) in [
      (-Double.greatestFiniteMagnitude, Double.greatestFiniteMagnitude), (0, .leastNonzeroMagnitude),
      (-.leastNormalMagnitude, 1e300),
    ] {
      var plot = ValuePlot(field: nil, ascii: true)
      for (second, value) in [low, high, low / 2, 0, high / 3].enumerated() {
        plot.take(line(.real(value)), at: time(Int64(second)))
      }
      #expect(plot.picture(columns: 80, zone: .utc).count == 7)
    }
  }

  @Test func aFieldIsChosen() {
    let record = Value.record(Record([.init("name", .text("x")), .init("bpm", .int(61)), .init("energy", .real(1.5))]))
    var first = ValuePlot(field: nil, ascii: true)
    check(&first, line(record), at: time(0), true)
    #expect(first.picture(columns: 80, zone: .utc)[0] == "bpm of Strap 7 - now 61 - 61 to 61 - 1 value")
    var other = ValuePlot(field: "energy", ascii: true)
    check(&other, line(record), at: time(0), true)
    #expect(other.picture(columns: 80, zone: .utc)[0].hasPrefix("energy of Strap 7 - now 1.50"))
    // With several attributes each value is a record with the name of its attribute.
    check(&other, line(.record(Record([.init("beat", record)]))), at: time(1), true)
    for value in [Value.text("x"), .nothing, .real(.nan), .real(.infinity), .record(Record([.init("energy", .text("x"))]))] {
      check(&other, line(value), at: time(2), false)
    }
    #expect(other.count == 2)
  }

  @Test(arguments: [80, 40, 20, 3]) func thePlotFitsAndIsBounded(columns: Int) {
    for ascii in [false, true] {
      var plot = ValuePlot(field: nil, ascii: ascii)
      for number in 0..<5000 {
        plot.take(line(.real(Double(number % 97) * 1.7e9 - 3), device: "n\u{1B}[31m\u{202E} 漢字漢字漢字漢字漢字漢字"), at: time(Int64(number)))
      }
      let picture = plot.picture(columns: columns, zone: .utc)
      #expect(picture.count == 7 && plot.count == 5000)
      #expect(
        picture.allSatisfy { Shown.width(of: $0) <= max(20, columns - 1) && !$0.contains("\u{1B}") && !$0.contains("\u{202E}") })
    }
  }

  /// Values without a number are not left out in silence: the first one says why, once.
  @Test func aPlotWithoutNumbersSaysWhy() {
    var plain = ValuePlot(field: nil, ascii: false)
    #expect(plain.reason(line(.bytes([1])))?.contains("not a number") == true && plain.reason(line(.bytes([2]))) == nil)
    let record = Value.record(Record([Record.Field("bpm", .int(60)), Record.Field("contact", .text("good"))]))
    var field = ValuePlot(field: "contact", ascii: false)
    #expect(field.reason(line(record)) == "nothing to plot as contact; fields that are numbers: bpm")
    var drawn = ValuePlot(field: nil, ascii: false)
    drawn.take(line(.int(1)), at: time(0))
    #expect(drawn.reason(line(.text("x"))) == nil)
  }
}
