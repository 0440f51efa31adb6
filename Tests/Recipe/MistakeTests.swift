import Recipe
import Terminal
import Testing

/// Recipes of new users, one mistake each (`Tests/Golden/mistakes`). Every offered fix leaves fewer
/// errors, and no new ones.
@Suite struct MistakeTests {
  static let names = TestFiles.names(in: "Golden/mistakes").filter { $0.hasSuffix(".ble") }

  /// An error without its place, which shifts.
  private struct Finding: Hashable {
    var code: String
    var message: String

    init(_ diagnostic: Diagnostic) {
      code = diagnostic.code
      message = diagnostic.message.filter { !$0.isNumber }
    }
  }

  private static func errors(_ parsed: ParsedRecipe) -> [Diagnostic] { parsed.diagnostics.filter { $0.severity == .error } }

  /// Problems with the fixes of a text, or nil.
  static func complaints(_ bytes: [UInt8], _ name: String) -> [String] {
    let parsed = RecipeFile.parseAndCheck(bytes, name: name)
    let before = errors(parsed)
    var complaints: [String] = []
    for finding in parsed.diagnostics {
      for fix in finding.fixes {
        guard let mended = parsed.source.applying(fix) else {
          complaints.append("\(name): a fix of \(finding.code) cannot be applied")
          continue
        }
        let again = RecipeFile.parseAndCheck(mended, name: name)
        let after = errors(again)
        let known = Set(before.map { Finding($0) })
        let isFewer = finding.severity == .error ? after.count < before.count : again.diagnostics.count < parsed.diagnostics.count
        if isFewer, after.allSatisfy({ known.contains(Finding($0)) }) { continue }
        complaints.append(
          "\(name): \(finding.code) \(finding.message)\n\(DiagnosticRenderer().text(after, in: [again.source]))")
      }
    }
    return complaints
  }

  @Test func everyFixOfAMistakeRemovesIt() throws {
    #expect(Self.names.count >= 160)
    var complaints: [String] = []
    for name in Self.names { complaints += Self.complaints(try TestFiles.read("Golden/mistakes/\(name)"), name) }
    #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
  }

  @Test(arguments: [
    "log-append-to-to", "hr-scan-for-10s", "two-scans", "rd-read-uuid-long", "valve-uuid-no-dashes", "handler-above-connect",
  ]) func noFixMakesItWorse(_ name: String) throws {
    let bytes = try TestFiles.read("Golden/mistakes/\(name).ble")
    #expect(Self.complaints(bytes, name).isEmpty)
    let shown = DiagnosticRenderer().text(RecipeFile.parseAndCheck(bytes, name: name).diagnostics, in: [])
    for wrong in ["append to to", "heart_rate or 10s", "of the device of line", "hex \"6e4", "hex \"a0b"] {
      #expect(!shown.contains(wrong))
    }
  }

  /// Two fixes of one finding are alternatives; each must work.
  @Test func aFixThatOnlyMovesTheErrorIsNotOffered() {
    let known = RecipeFile.parseAndCheck(Array("let x = 1\nx = 5\nprint x\n".utf8), name: "x.ble")
    #expect(known.diagnostics.map { $0.fixes.map { $0.edits[0].replacement } } == [["set x to"]])
    let new = RecipeFile.parseAndCheck(Array("x = 5\nprint x\n".utf8), name: "x.ble")
    #expect(new.diagnostics.map { $0.fixes.map { $0.edits[0].replacement } } == [["let x ="]])
  }

  @Test func fixesOfOneLineAreJoined() {
    let text = "scan for heart_rate\nconnect\nread batery_level from device as level\nprint level\n"
    let parsed = RecipeFile.parseAndCheck(Array(text.utf8), name: "x.ble")
    #expect(parsed.diagnostics.count == 1)
    let mended = parsed.diagnostics.first?.fixes.first.flatMap { parsed.source.applying($0) } ?? []
    #expect(String(decoding: mended, as: UTF8.self).contains("read battery_level of device as level"))
  }

  @Test func goodRecipesCostNoTrial() {
    let analysis = Analysis(RecipeFile.parse("print 1\nscan for heart_rate\n"))
    #expect(analysis.findings.isEmpty && analysis.trialBytes == 0)
  }

  /// However many fixes there are, trying them reads a bounded amount of text.
  @Test(arguments: [10, 100, 3000]) func trialsAreBounded(_ lines: Int) {
    let text = String(repeating: "prnt \"some words that make the line longer\"\n", count: lines)
    let analysis = Analysis(RecipeFile.parse(text))
    #expect(analysis.findings.contains { !$0.fixes.isEmpty })
    #expect(analysis.trialBytes <= max(1 << 20, 2 * (text.utf8.count + 256)))
  }
}
