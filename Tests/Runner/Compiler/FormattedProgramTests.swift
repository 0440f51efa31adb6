import Foundation
import Recipe
import Runner
import Testing

/// A formatted recipe compiles to the same program.
@Suite struct FormattedProgramTests {
  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func recipes() throws -> [(name: String, bytes: [UInt8])] {
    var recipes: [(name: String, bytes: [UInt8])] = []
    for folder in ["Golden/samples", "Golden/mistakes", "Golden/diagnostics", "Golden/edited", "../recipes"] {
      let path = tests.appendingPathComponent(folder)
      for name in ((try? FileManager.default.contentsOfDirectory(atPath: path.path)) ?? []).sorted() where name.hasSuffix(".ble") {
        recipes.append((name, Array(try Data(contentsOf: path.appendingPathComponent(name)))))
      }
    }
    return recipes
  }

  /// The program without places, or nil if there are errors.
  private static func program(_ bytes: [UInt8], _ peripheral: String?) -> [String]? {
    let parsed = RecipeFile.parseAndCheck(bytes, name: "x.ble")
    guard let recipe = parsed.recipe,
      case .success(let program) = Compiler.compile(recipe, sources: parsed.sources, peripheral: peripheral)
    else { return nil }
    return [
      "\(program.code)", "\(program.statementOf)", "\(program.unitOf)", "\(program.constants)", "\(program.names)",
      "\(program.shapes)", "\(program.settings)", "\(program.rescues)", "\(program.handlerLists)",
    ]
  }

  @Test func formattingChangesNoInstruction() throws {
    var count = 0
    for recipe in try Self.recipes() {
      guard let formatted = RecipeFormatter.formatted(recipe.bytes) else { continue }
      let peripherals = RecipeFile.parse(recipe.bytes, name: "x.ble").recipe?.peripherals.map { Optional($0.name.text) } ?? []
      for peripheral in [nil] + peripherals {
        guard let before = Self.program(recipe.bytes, peripheral) else { continue }
        count += 1
        #expect(Self.program(formatted, peripheral) == before, "\(recipe.name)")
      }
    }
    #expect(count > 10)
  }

  @Test func ourRecipesAreFormatted() throws {
    for folder in ["../recipes", "../recipes/devices"] {
      let path = Self.tests.appendingPathComponent(folder)
      for name in try FileManager.default.contentsOfDirectory(atPath: path.path).sorted() where name.hasSuffix(".ble") {
        let bytes = Array(try Data(contentsOf: path.appendingPathComponent(name)))
        #expect(RecipeFormatter.formatted(bytes) == bytes, "tooth fmt \(name)")
      }
    }
  }
}
