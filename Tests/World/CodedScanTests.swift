import Linux
import Testing
import Vocabulary
import World

/// `use scan coded` in a recipe.
@Suite struct CodedScanTests {
  private static let lamp = """
    peripheral lamp named "Lamp"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read starts as "light"
      end
    end

    """

  private static let recipe = """
    use scan coded
    scan for "Lamp"
    connect
    request phy "coded" otherwise print it.kind
    read 0xFFF1 as value
    print "{value.text()} {device.phy}"

    """

  /// Advertisements of a lamp on this PHY, and the PHY on which it is connected.
  @Test(arguments: [
    ("coded", "coded", "light coded\n"), ("coded", "full", ""), ("2M", "full", "light 2M\n"), ("2M", "gentle", "light 2M\n"),
    ("1M", "coded", "light 1M\n"),
  ])
  func deviceFieldsShowThePHYs(_ phy: String, _ scan: String, _ output: String) throws {
    let devices = Self.lamp.replacing("every 100ms", with: "every 100ms with {phy: \"\(phy)\", tx_power: 4}")
    let recipe = Self.recipe.replacing("use scan coded", with: "use scan \(scan)").replacing(
      "request phy \"coded\" otherwise print it.kind\n", with: "")
    let fixture = try Fixture(recipe: recipe, devices: devices)
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(2)) == .ended)
    #expect(fixture.output == output, "\(fixture.output)\(fixture.errors)")
    if output.isEmpty { #expect(fixture.errors.contains("no device was heard"), "\(fixture.errors)") }
  }

  /// `tooth test` gives both the adapters that they need.
  @Test func toothTestSupportsCodedPHY() throws {
    let text = """
      use scan coded
      scan for "Lamp"
      connect
      read 0xFFF1 as value
      print "{value.text()} {device.phy}"

      \(Self.lamp.replacing("every 100ms", with: "every 100ms with {phy: \"coded\"}"))
      test "far"
        simulate lamp
        start recipe as run
        wait until run.finished within 1min
        expect run.printed is ["light coded"]
      end

      """
    let playground = Playground()
    let path = "\(playground.path)/far.ble"
    try saveFile(path, Array(text.utf8))
    let file = try TestFile(path: path)
    let test = try #require(file.tests.first)
    let verdict = try TestSweep(test, of: file, TestOptions(seed: 1)).run()
    #expect(verdict.passed, "\(String(describing: verdict.failure?.failure)) \(verdict.failure?.logs ?? [])")
  }

  /// The device file says which adapter hears it.
  @Test(arguments: [("use scan coded\n", "light 1M\n"), ("", "")])
  func aCodedScanNeedsACapableAdapter(_ use: String, _ output: String) throws {
    let fixture = try Fixture(recipe: Self.recipe, devices: use + Self.lamp)
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(2)) == .ended)
    if output.isEmpty {
      #expect(fixture.errors.contains("this adapter has no LE Coded PHY"), "\(fixture.errors)")
      #expect(fixture.output.isEmpty)
    } else {
      #expect(fixture.output == output, "\(fixture.output)\(fixture.errors)")
    }
  }
}
