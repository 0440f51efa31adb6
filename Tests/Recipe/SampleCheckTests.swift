import Recipe
import Terminal
import Testing

/// The samples are correct: the only findings are features that this version lacks.
@Suite struct SampleCheckTests {
  @Test(arguments: SampleTests.names) func samplesFailOnlyForUnsupportedPhrases(_ name: String) throws {
    let parsed = RecipeFile.parseAndCheck(try TestFiles.read("Golden/samples/\(name).ble"), name: name + ".ble")
    let others = parsed.diagnostics.filter { $0.code != "T220" }
    #expect(others.isEmpty, "\(DiagnosticRenderer().text(others, in: [parsed.source]))")
  }

  @Test(arguments: ["01-heart", "03-thermo", "10-valve"]) func theSamplesOfThisVersionMayRun(_ name: String) throws {
    let parsed = RecipeFile.parseAndCheck(try TestFiles.read("Golden/samples/\(name).ble"), name: name + ".ble")
    #expect(parsed.diagnostics.isEmpty, "\(DiagnosticRenderer().text(parsed.diagnostics, in: [parsed.source]))")
    #expect(parsed.recipe != nil)
  }
}
