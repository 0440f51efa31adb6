import Recipe
import Terminal
import Testing

/// Every sample of the language reference parses without a finding.
@Suite struct SampleTests {
  static let names = [
    "01-heart", "02-lock", "03-thermo", "04-firmware", "05-gateway", "06-uart", "07-beacons", "08-glucose", "09-sim", "10-valve",
    "11-ota",
    "12-night", "13-fridge",
  ]

  @Test(arguments: names) func aSampleParses(_ name: String) throws {
    let parsed = RecipeFile.parse(try TestFiles.read("Golden/samples/\(name).ble"), name: name + ".ble")
    let shown = DiagnosticRenderer().text(parsed.diagnostics, in: [parsed.source])
    #expect(parsed.diagnostics.isEmpty, "\(shown)")
    #expect(parsed.recipe != nil)
  }
}
