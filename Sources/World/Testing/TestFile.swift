package import Exchange
import Linux
package import Recipe
package import Runner
package import Session
import Vocabulary

/// A file with `test` blocks.
package struct TestFile: Sendable {
  package var loaded: LoadedRecipe
  package var path: String
  package var tests: [TestCase] = []

  /// Throws if the file or one of its tests has errors.
  package init(path: String) throws(TestRefusal) {
    do throws(RecipeUnreadable) { loaded = try RecipeLoader.load(path: path) } catch { throw .unreadable(error) }
    self.path = path
    guard let recipe = loaded.recipe, !loaded.hasErrors else {
      throw .recipe(RecipeRefusal(findings: loaded.findings, sources: loaded.sources))
    }
    // The tests of an included file run with that file.
    for test in recipe.tests where test.range.file == 0 {
      switch Compiler.compile(recipe, sources: loaded.sources, test: test) {
      case .success(let program):
        let line = loaded.sources.line(of: test.header)
        tests.append(TestCase(name: test.name.plain ?? "", line: line, range: test.header, program: program))
      case .failure(let error): throw .recipe(RecipeRefusal(error, loaded.sources))
      }
    }
  }

  /// Whether a file in a folder has a `test` block, as far as its name or text shows. Only ordinary
  /// files count.
  package static func mayHaveTests(_ path: String) -> Bool {
    guard let bytes = try? OrdinaryFile(reading: path, limit: RecipeFile.maximumSize).bytes else { return false }
    return path.hasSuffix("_test.ble")
      || bytes.split(separator: 0x0A).contains { line in
        line.drop { $0 == 0x20 || $0 == 0x09 }.starts(with: "test ".utf8)
      }
  }

  /// Returns the files below a folder that may have tests, by name.
  package static func below(_ folder: String) -> [String] {
    var found: [String] = []
    for name in Files.names(in: folder).sorted() where !name.hasPrefix(".") {
      let path = folder == "." ? name : "\(folder)/\(name)"
      if name.hasSuffix(".ble") {
        found.append(path)
      } else if Files.isFolder(path) {
        found += below(path)
      }
    }
    return found
  }
}

package struct TestCase: Sendable {
  package var name: String
  package var line: Int
  package var range: SourceRange
  package var program: Program
}

/// Why a file cannot be tested.
package enum TestRefusal: Error {
  case unreadable(RecipeUnreadable)
  case recipe(RecipeRefusal)
}
