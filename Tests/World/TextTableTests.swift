import Testing

@testable import Session

@Suite struct TextTableTests {
  private let rows = [
    ["RUN", "STATE", "RECIPE"], ["heart-1da8c18c", "finished (0)", "heart.ble limit=7 name=Strap"],
    ["x", "failed", "a-file-whose-name-is-longer-than-a-line.ble"],
  ]

  @Test func withoutATerminalNoLineIsBroken() {
    #expect(
      TextTable.lines(rows, columns: nil) == [
        "RUN             STATE         RECIPE", "heart-1da8c18c  finished (0)  heart.ble limit=7 name=Strap",
        "x               failed        a-file-whose-name-is-longer-than-a-line.ble",
      ])
    #expect(TextTable.lines(rows, columns: 200) == TextTable.lines(rows, columns: nil))
  }

  @Test func theLastCellWrapsInItsColumn() {
    #expect(
      TextTable.lines(Array(rows.dropLast()), columns: 50) == [
        "RUN             STATE         RECIPE", "heart-1da8c18c  finished (0)  heart.ble limit=7",
        "                              name=Strap",
      ])
  }

  @Test func aNarrowTerminalHasNoColumns() {
    #expect(
      TextTable.lines(rows, columns: 30) == [
        "RUN  STATE  RECIPE", "heart-1da8c18c  finished (0)", "  heart.ble limit=7 name=Strap", "x  failed",
        "  a-file-whose-name-is-longer-than-a-line.ble",
      ])
  }

  /// A long cell does not take columns from the others.
  @Test func onlyALongCellIsWrappedBelow() {
    let short = [["RUN", "STATE", "RECIPE"], ["heart-1da8c18c", "finished (0)", "a b.ble"]]
    #expect(
      TextTable.lines(short + rows.suffix(1), columns: 39) == [
        "RUN             STATE         RECIPE", "heart-1da8c18c  finished (0)  a b.ble", "x               failed",
        "  a-file-whose-name-is-longer-than-a-line.ble",
      ])
  }

  /// At any width every word is there, in order, and only a single word may be wider than the line.
  @Test(arguments: 1...120) func everyWordIsPrinted(columns: Int) {
    let wide = rows + [["\u{6E29}\u{5EA6}\u{8A08}", "", "e\u{301} \u{6E29}\u{5EA6}\u{8A08} end"], ["alone"]]
    let lines = TextTable.lines(wide, columns: columns)
    func words(_ texts: [String]) -> [Substring] { texts.flatMap { $0.split(separator: " ") } }
    #expect(words(lines) == words(wide.flatMap { $0 }))
    for line in lines where line.unicodeScalars.count > columns { #expect(words([line]).count == 1, "\(columns): \(line)") }
    #expect(lines.allSatisfy { !$0.hasSuffix(" ") })
  }
}
