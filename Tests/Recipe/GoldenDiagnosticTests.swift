import Foundation
import Recipe
import Terminal
import Testing

/// Every recipe of `Tests/Golden/diagnostics` has exactly the findings in the file beside it.
///
/// The first line of the expected file says in words what it must show. With `TOOTH_WRITE_GOLDEN=1`
/// the rest is written again: read every difference before committing it.
@Suite struct GoldenDiagnosticTests {
  static let names = TestFiles.names(in: "Golden/diagnostics").filter { $0.hasSuffix(".ble") }.map { String($0.dropLast(4)) }

  static func shown(_ name: String) throws -> String {
    let parsed = RecipeFile.parseAndCheck(try TestFiles.read("Golden/diagnostics/\(name).ble"), name: "\(name).ble")
    return DiagnosticRenderer().text(parsed.diagnostics, in: [parsed.source])
  }

  @Test(arguments: names) func theFindingsAreThoseExpected(_ name: String) throws {
    let shown = try Self.shown(name)
    let path = "Golden/diagnostics/\(name).txt"
    let expected = TestFiles.text(path) ?? ""
    let words = expected.prefix { $0 != "\n" }
    try #require(!words.isEmpty, "\(path) needs a first line that says what it must show")
    if ProcessInfo.processInfo.environment["TOOTH_WRITE_GOLDEN"] != nil {
      try TestFiles.write("\(words)\n\(shown)", to: path)
      return
    }
    #expect(expected == "\(words)\n\(shown)")
  }

  @Test func thereAreEnoughGoldenFiles() { #expect(Self.names.count > 40) }

  @Test func everyExpectedFileHasItsRecipe() {
    let expected = TestFiles.names(in: "Golden/diagnostics").filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }
    #expect(expected == Self.names)
  }
}
