import Linux
import Recipe
import Runner
import Session
import Testing
import Vocabulary

/// Inputs as typed, how they identify a run, and the inputs of a resumed run.
@Suite struct InputTests {
  private static let loaded = RecipeLoader.parse(
    name: "r.ble", Array("input note: text = \"none\"\ninput names: texts = []\ninput count: number = 3\nprint note\n".utf8))

  private func read(_ given: [(name: String, value: String)]) throws -> RunInputs {
    try InputReader(environment: { _ in nil }).read(given, of: #require(Self.loaded.recipe), Self.loaded.sources)
  }

  @Test(
    arguments: [
      [("note", "")], [("names", ""), ("names", "b"), ("names", "")], [("names", "")], [("note", "a\u{1E}b"), ("count", "0x10")],
      [("note", "\"none\"")], [("note", "none"), ("count", "3")],
    ] as [[(name: String, value: String)]])
  func aContinuedRunHasTheSameInputs(given: [(name: String, value: String)]) throws {
    let first = try read(given)
    let again = try read(InputReader.given(first.identity, of: #require(Self.loaded.recipe)))
    #expect(again.identity.map(\.name) == first.identity.map(\.name))
    #expect(again.identity.map(\.value) == first.identity.map(\.value))
    for (name, _) in first.identity {
      #expect(again.values.first { $0.name == name }?.value == first.values.first { $0.name == name }?.value)
    }
    // Left at its default in other words it is still the default, and does not name the run.
    #expect(first.identity.contains { $0.name == "note" } == given.contains { $0.name == "note" && $0.value != "none" })
    #expect(first.identity.contains { $0.name == "count" } == given.contains { $0.name == "count" && $0.value != "3" })
  }

  /// The default of a file is its bytes, as if it had been named, and a change of it is noticed.
  @Test func theDefaultOfAFileIsItsBytes() throws {
    let playground = Playground()
    let path = "\(playground.path)/x.bin"
    try saveFile(path, [1, 2, 3])
    let text = "input f: file = \"\(path)\"\ninput g: files = [\"\(path)\", \"\(path)\"]\nprint f, g\n"
    let loaded = RecipeLoader.parse(name: "r.ble", Array(text.utf8))
    #expect(!loaded.hasErrors, "\(loaded.findings)")
    let recipe = try #require(loaded.recipe)
    let inputs = try InputReader(environment: { _ in nil }).read([], of: recipe, loaded.sources)
    #expect(inputs.values.first { $0.name == "f" }?.value == .bytes([1, 2, 3]))
    #expect(inputs.values.first { $0.name == "g" }?.value == .list([.bytes([1, 2, 3]), .bytes([1, 2, 3])]))
    #expect(inputs.identity.isEmpty && inputs.pins.map(\.name) == ["f", "g"])
    try saveFile(path, [1])
    #expect(
      try InputReader(environment: { _ in nil }).read([], of: recipe, loaded.sources).pins.map(\.value) != inputs.pins.map(\.value))
    let missing = RecipeLoader.parse(name: "r.ble", Array("input f: file = \"/nowhere/x\"\nprint f\n".utf8))
    let tree = try #require(missing.recipe)
    let refusal = #expect(throws: InputRefusal.self) {
      try InputReader(environment: { _ in nil }).read([], of: tree, missing.sources)
    }
    #expect(refusal?.message.contains("/nowhere/x cannot be read") ?? false)
    for wrong in ["\"{now()}\"", "5", "[1]"] {
      let refused = RecipeLoader.parse(name: "r.ble", Array("input f: file = \(wrong)\nprint f\n".utf8))
      #expect(refused.findings.contains { $0.code == "T228" }, "\(wrong)")
    }
  }

  @Test func inputValuesMayNotHoldTheSeparator() throws {
    let refusal = #expect(throws: InputRefusal.self) { try read([("names", "a\u{1E}b")]) }
    #expect(refusal?.message == "--names has a value with the control character U+001E, which separates values")
  }
}
