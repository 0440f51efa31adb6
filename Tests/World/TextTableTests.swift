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

  /// A finished line continues below its last column; nothing of it is lost.
  @Test func aFinishedLineIsFolded() {
    let doctor = "BAD   privileges   this process cannot take an adapter: it does not have CAP_NET_ADMIN"
    #expect(TextTable.folded(doctor, columns: nil) == [doctor])
    #expect(TextTable.folded(doctor, columns: 100) == [doctor])
    #expect(
      TextTable.folded(doctor, columns: 60) == [
        "BAD   privileges   this process cannot take an adapter: it", "                   does not have CAP_NET_ADMIN",
      ])
    #expect(
      TextTable.folded(doctor, columns: 30) == [
        "BAD   privileges   this", "      process cannot take an", "      adapter: it does not", "      have CAP_NET_ADMIN",
      ])
    #expect(
      TextTable.folded("  = fix: sudo setcap cap_net_admin+ep /usr/bin/tooth", columns: 24) == [
        "  = fix: sudo setcap", "  cap_net_admin+ep", "  /usr/bin/tooth",
      ])
    #expect(
      TextTable.folded(String(repeating: " ", count: 26) + "in a container, share the network", columns: 30) == [
        String(repeating: " ", count: 15) + "in a container,", String(repeating: " ", count: 15) + "share the",
        String(repeating: " ", count: 15) + "network",
      ])
    #expect(TextTable.folded(" one two three four", columns: 12) == [" one two", " three four"])
    // What is not at the end of a line keeps its spaces.
    #expect(TextTable.folded("--where 'aaaa bb  cc   dd'  x", columns: 20) == ["--where 'aaaa bb", "  cc   dd'  x"])
    #expect(TextTable.folded("recipe     /tmp/work/home/good.ble", columns: 27) == ["recipe", "  /tmp/work/home/good.ble"])
    #expect(
      TextTable.folded("good  checkpoints  /tmp/work/home/state has 2 runs", columns: 30) == [
        "good  checkpoints", "      /tmp/work/home/state has", "      2 runs",
      ])
    // A word that is longer than a line stays whole, and beside its title.
    #expect(
      TextTable.folded("recipe     /a/very/long/path/that/does/not/fit b", columns: 24) == [
        "recipe     /a/very/long/path/that/does/not/fit", "           b",
      ])
    for columns in 4...100 {
      let words = TextTable.folded(doctor, columns: columns).joined(separator: " ").split(separator: " ")
      #expect(words == doctor.split(separator: " "))
    }
  }
}
