import Recipe
import Terminal
import Testing

/// A fix removes the finding that it was offered for.
@Suite struct FixTests {
  @Test(arguments: GoldenDiagnosticTests.names) func everyFixOfAGoldenFileRemovesItsFinding(_ name: String) throws {
    let parsed = RecipeFile.parseAndCheck(try TestFiles.read("Golden/diagnostics/\(name).ble"), name: "\(name).ble")
    for finding in parsed.diagnostics {
      for fix in finding.fixes {
        let mended = try #require(parsed.source.applying(fix), "\(finding.message)")
        let again = RecipeFile.parseAndCheck(mended, name: "\(name).ble")
        let place = finding.range.start
        let same = again.diagnostics.filter { $0.code == finding.code && $0.message == finding.message && $0.range.start == place }
        let text = again.source.lineText(again.source.line(of: place))
        #expect(same.isEmpty, "\(finding.message) stays after the fix: \(text)")
      }
    }
  }

  /// After every single-choice fix was applied, at most this many times, a file has fewer findings
  /// than before.
  @Test(arguments: [
    "row01-unknown-statement", "row05-scan-without-for", "row08-read-from", "row09-connect-without-to", "row15-does-not-fit",
    "row17-subscribe-without-to", "row18-nothing-subscribes", "row21-missing-end", "row25-foreign-operators", "row26-unknown-field",
    "row27-use-in-the-middle", "row34-where-behind-as", "row37-waiting-call", "blocks-closed-by-a-top-level-word",
    "blocks-colon-at-the-end",
    "blocks-elif",
  ]) func aFileCanBeFixedStepByStep(_ name: String) throws {
    var bytes = try TestFiles.read("Golden/diagnostics/\(name).ble")
    let before = RecipeFile.parseAndCheck(bytes, name: name).diagnostics.count
    for _ in 0..<20 {
      let parsed = RecipeFile.parseAndCheck(bytes, name: name)
      guard let fix = parsed.diagnostics.first(where: { $0.fixes.count == 1 })?.fixes.first else { break }
      bytes = try #require(parsed.source.applying(fix))
    }
    let after = RecipeFile.parseAndCheck(bytes, name: name)
    #expect(
      !after.diagnostics.contains { $0.fixes.count == 1 }, "\(DiagnosticRenderer().text(after.diagnostics, in: [after.source]))")
    #expect(after.diagnostics.count <= before)
  }

  @Test func editsThatOverlapAreRefused() {
    let source = SourceText(name: "x", bytes: Array("print 1".utf8))
    let fix = Fix(edits: [
      Fix.Edit(range: .init(start: 0, end: 5), replacement: "log"), Fix.Edit(range: .init(start: 3, end: 6), replacement: ""),
    ])
    #expect(source.applying(fix) == nil)
    #expect(source.applying(Fix(edits: [Fix.Edit(range: .init(start: 3, end: 99), replacement: "")])) == nil)
  }
}
