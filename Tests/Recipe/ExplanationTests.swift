import Foundation
import Recipe
import Terminal
import Testing

/// Every code has a page of `tooth explain`: its wrong example causes that code, its right one
/// causes nothing.
@Suite struct ExplanationTests {
  /// Codes of findings in a text; the others are failures of a run.
  static let pages = Explanations.all()
  static func isStatic(_ code: String) -> Bool { code < "T299" }

  static func findings(_ example: Explanation.Example, _ files: [Explanation.Example]) -> [Diagnostic] {
    var assembly = RecipeAssembly(name: "example.ble", example.recipe)
    while let wanted = assembly.wanted {
      if let file = files.first(where: { $0.name == wanted }) {
        assembly.take(.file(identity: wanted, file.recipe))
      } else {
        assembly.take(.refused("there is no file \(wanted)"))
      }
    }
    return Analysis(assembly.finish()).findings
  }

  @Test func everyCodeOfTheSourcesHasAPage() throws {
    let sources = TestFiles.root.deletingLastPathComponent().appendingPathComponent("Sources")
    var codes: Set<String> = []
    for case let file as URL in FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)! {
      guard file.pathExtension == "swift" else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /"(T[0-9]{3})"/) { codes.insert(String(match.1)) }
    }
    #expect(codes.count > 90)
    #expect(codes.symmetricDifference(Self.pages.map(\.code)) == [])
  }

  @Test func everyPageIsComplete() {
    for page in Self.pages {
      #expect(!page.title.isEmpty && !page.text.isEmpty, "\(page.code)")
      #expect(!page.wrong.bytes.isEmpty && !page.right.bytes.isEmpty, "\(page.code)")
      for line in Explanations.text(of: page).split(separator: "\n") { #expect(line.count <= 120, "\(page.code): \(line)") }
    }
  }

  @Test func theWrongExampleGivesItsCodeAndNoOther() {
    for page in Self.pages where Self.isStatic(page.code) {
      let codes = Set(Self.findings(page.wrong, page.files).map(\.code))
      #expect(codes == [page.code], "\(page.code): \(codes)")
    }
  }

  @Test func theRightExampleHasNoFindings() {
    for page in Self.pages where page.code != "T220" {
      let found = Self.findings(page.right, page.files).filter { Self.isStatic(page.code) || $0.severity == .error }
      #expect(found.isEmpty, "\(page.code): \(found.map { "\($0.code) \($0.message)" })")
    }
  }

  @Test func codesAreFoundHoweverTheyAreWritten() {
    #expect(Explanations.page("T231")?.title == "nothing subscribes to this characteristic")
    #expect(Explanations.code(of: "t231") == "T231" && Explanations.code(of: "231") == "T231")
    #expect(Explanations.nearest(to: "T239") == "T230" && Explanations.nearest(to: "nonsense") == nil)
  }
}
