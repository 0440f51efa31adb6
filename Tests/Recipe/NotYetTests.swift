import Foundation
import Recipe
import Testing

/// What the grammar has and this version lacks is refused before anything runs, with its line.
@Suite struct NotYetTests {
  /// One example of each; the finding is on the line of `¦`.
  static let examples: [(phrase: String, text: String)] = [
    ("channel", "peripheral p\n  ¦channel data\nend\n"),
    ("close", "let ch = 1\n¦close ch\n"),
    ("on data", "let ch = 1\n¦on data of ch: print it\nwait forever\n"),
    ("open channel", "scan for anything\nconnect\n¦open channel 5 as ch\n"),
    ("send", "let ch = 1\n¦send 1 to ch\n"),
    ("wait for data", "let ch = 1\n¦wait for data of ch\n"),
  ]

  @Test(arguments: examples.map(\.phrase)) func unsupportedPhrasesAreRefusedAtTheirLine(_ phrase: String) throws {
    let text = try #require(Self.examples.first { $0.phrase == phrase }?.text)
    let parts = text.split(separator: "¦", omittingEmptySubsequences: false)
    let parsed = RecipeFile.parseAndCheck(Array(parts.joined().utf8), name: "x.ble")
    #expect(parsed.recipe == nil)
    let found = try #require(parsed.diagnostics.first { $0.code == "T220" }, "\(parsed.diagnostics)")
    #expect(found.message == "`\(phrase)` is not supported yet")
    #expect(parsed.source.line(of: found.range.start) == parts[0].filter { $0 == "\n" }.count + 1)
    #expect(parsed.diagnostics.filter { $0.severity == .error }.count == 1, "\(parsed.diagnostics)")
  }

  @Test func everyPhraseHasAnExample() { #expect(Self.examples.map(\.phrase).sorted() == NotYet.phrases.sorted()) }

  /// The list is a golden file: a version that can do more removes its line.
  @Test func theListIsTheGoldenOne() throws {
    let list = NotYet.phrases.joined(separator: "\n") + "\n"
    if ProcessInfo.processInfo.environment["TOOTH_WRITE_GOLDEN"] != nil { try TestFiles.write(list, to: "Golden/not-yet.txt") }
    #expect(TestFiles.text("Golden/not-yet.txt") == list)
  }

  @Test func testsAreCheckedAndSetAside() {
    let text = "print 1\nperipheral p\n  advertise battery_service\nend\ntest \"x\"\n  simulate p\n  kill q\nend\n"
    let parsed = RecipeFile.parseAndCheck(Array(text.utf8), name: "x.ble")
    #expect(parsed.diagnostics.map(\.code) == ["T256"], "\(parsed.diagnostics)")
  }
}
