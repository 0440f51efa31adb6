import Exchange
import Foundation
import Recipe
import Terminal
import Testing

/// In-memory files of a recipe, by their path from the folder of `main.ble`.
struct RecipeFiles {
  var texts: [(path: String, text: [UInt8])]

  init(_ texts: [(String, String)]) { self.texts = texts.map { ($0, Array($1.utf8)) } }

  /// Sections that begin with `--- PATH`.
  init(sections: String) {
    texts = []
    for line in sections.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      if line.hasPrefix("--- ") {
        texts.append((String(line.dropFirst(4)), []))
      } else if !texts.isEmpty {
        texts[texts.count - 1].text += Array(line.utf8) + [0x0A]
      }
    }
  }

  /// `lib/./b/../a.ble` is `lib/a.ble`.
  private static func plain(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == "..", !parts.isEmpty { parts.removeLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }

  /// Adds each requested path to `asked`.
  func assembled(asked: inout [String]) -> ParsedRecipe {
    var assembly = RecipeAssembly(name: "main.ble", texts[0].text, identity: "main.ble")
    while let wanted = assembly.wanted {
      asked.append(wanted)
      let path = Self.plain(wanted)
      let text = texts.first { $0.path == path }?.text
      assembly.take(text.map { .file(identity: path, $0) } ?? .refused("there is no file \(wanted)"))
    }
    return assembly.finish()
  }

  func checked() -> ParsedRecipe {
    var asked: [String] = []
    return assembled(asked: &asked).checked()
  }
}

/// `include`: which files make up a recipe, and errors in them.
@Suite struct IncludeTests {
  static let names = TestFiles.names(in: "Golden/include").filter { $0.hasSuffix(".files") }.map { String($0.dropLast(6)) }

  /// The first line of the expected file says in words what it must show; `TOOTH_WRITE_GOLDEN=1`
  /// rewrites the rest.
  @Test(arguments: names) func theFindingsAreThoseExpected(_ name: String) throws {
    let files = RecipeFiles(sections: try #require(TestFiles.text("Golden/include/\(name).files")))
    let parsed = files.checked()
    let shown = DiagnosticRenderer().text(parsed.diagnostics, in: parsed.sources)
    let path = "Golden/include/\(name).txt"
    let expected = TestFiles.text(path) ?? ""
    let words = expected.prefix { $0 != "\n" }
    try #require(!words.isEmpty, "\(path) needs a first line that says what it must show")
    if ProcessInfo.processInfo.environment["TOOTH_WRITE_GOLDEN"] != nil {
      try TestFiles.write("\(words)\n\(shown)", to: path)
      return
    }
    #expect(expected == "\(words)\n\(shown)")
    // A checkpoint's copy reads the same.
    if parsed.recipe != nil {
      let again = StoredRecipe(parsed.stored).assembled(name: "main.ble").checked()
      #expect(again.recipe == parsed.recipe && again.sources == parsed.sources && again.diagnostics == parsed.diagnostics)
      #expect(again.stored == parsed.stored)
    }
    _ = DiagnosticRenderer().json(parsed.diagnostics, in: parsed.sources)
  }

  @Test func thereAreEnoughGoldenFiles() { #expect(Self.names.count > 10) }

  @Test func includedDeclarationsComeFirst() throws {
    let files = RecipeFiles([
      ("main.ble", "include \"a.ble\"\ninclude \"b.ble\"\nlet m = 1\nprint m\n"),
      ("a.ble", "include \"c/c.ble\"\nlet a = 1\n"), ("b.ble", "include \"c/c.ble\"\nlet b = 1\n"), ("c/c.ble", "let c = 1\n"),
    ])
    var asked: [String] = []
    let parsed = files.assembled(asked: &asked)
    let recipe = try #require(parsed.recipe)
    let names = recipe.body.compactMap { member -> String? in
      guard case .statement(let statement) = member, case .let(let name, _) = statement.kind else { return nil }
      return name.text
    }
    #expect(names == ["c", "a", "b", "m"])
    #expect(asked == ["a.ble", "c/c.ble", "b.ble"])
    #expect(parsed.sources.map(\.name) == ["main.ble", "a.ble", "c/c.ble", "b.ble"])
    let ids = Set(recipe.body.map(\.id))
    #expect(ids.count == recipe.body.count && ids.allSatisfy { $0 < recipe.idCount })
  }

  @Test func aRecipeWithoutIncludesIsStoredUnchanged() {
    let text = Array("print 1\n".utf8)
    let assembly = RecipeAssembly(name: "x.ble", text)
    #expect(assembly.wanted == nil)
    #expect(assembly.finish().stored == text)
  }

  @Test func badIncludedFilesAreReportedAtTheInclude() throws {
    for (bytes, code) in [([0xFF], "T001"), (Array(repeating: 0x20, count: RecipeFile.maximumSize + 1), "T002")]
      as [([UInt8], String)]
    {
      var files = RecipeFiles([("main.ble", "# one\ninclude \"bad.ble\"\nprint 1\n")])
      files.texts.append(("bad.ble", bytes))
      let parsed = files.checked()
      #expect(parsed.recipe == nil)
      let finding = try #require(parsed.diagnostics.first)
      #expect(finding.code == code && finding.range.file == 1)
      #expect(finding.labels.map { parsed.sources.place(of: $0.range) } == ["line 2"])
      let shown = DiagnosticRenderer().text([finding], in: parsed.sources)
      #expect(shown.contains("┌─ bad.ble:1:1\n") && shown.contains("┌─ main.ble:2:1\n"))
    }
  }

  @Test func includesAreLimitedInFilesLinesAndBytes() throws {
    let many = (0..<300).map { ("f\($0).ble", "let n\($0) = 1\n") }
    let lines = many.map { "include \"\($0.0)\"\n" }.joined()
    #expect(RecipeFiles([("main.ble", lines)] + many).checked().diagnostics.map(\.code) == ["T039"])
    let again = RecipeFiles([("main.ble", String(repeating: "include \"a.ble\"\n", count: 1001)), ("a.ble", "")])
    #expect(again.checked().diagnostics.map(\.code) == ["T039"])
    let half = String(repeating: " ", count: RecipeFile.maximumSize / 2) + "\n"
    let large = RecipeFiles([("main.ble", "include \"a.ble\"\ninclude \"b.ble\"\n"), ("a.ble", half), ("b.ble", half)])
    #expect(large.checked().diagnostics.map(\.code) == ["T039"])
    // Hundreds of missing files end in bounded time, too.
    var asked: [String] = []
    let missing = (0..<900).map { "include \"m\($0).ble\"\n" }.joined()
    #expect(RecipeFiles([("main.ble", missing)]).assembled(asked: &asked).diagnostics.count == 100)
    #expect(asked.count < 300)
  }

  @Test func aStoredRecipeThatIsDamagedIsRefusedAndNeverATrap() throws {
    let files = RecipeFiles(sections: try #require(TestFiles.text("Golden/include/whole.files")))
    let stored = files.checked().stored
    let main = files.texts[0].text
    #expect(Array(stored.prefix(main.count + 1)) == main + [0])
    for end in main.count..<stored.count where end == main.count || end % 7 == 0 {
      let parsed = StoredRecipe(Array(stored[..<end])).assembled(name: "main.ble")
      #expect(parsed.recipe == nil, "cut off at \(end)")
    }
    for place in stride(from: main.count, to: stored.count, by: 5) {
      var damaged = stored
      damaged[place] ^= 0x81
      _ = StoredRecipe(damaged).assembled(name: "main.ble").checked()
    }
    #expect(StoredRecipe(stored + [1]).assembled(name: "main.ble").recipe == nil)
  }

  @Test func jsonFindingsNameTheIncludedFile() throws {
    let parsed = RecipeFiles([("main.ble", "include \"a.ble\"\nlet x = 1\nprint x\n"), ("a.ble", "let x = 2\n")]).checked()
    let json = DiagnosticRenderer().json(parsed.diagnostics, in: parsed.sources)
    #expect(json.contains(#""file":"main.ble","range""#))
    #expect(json.contains(#"{"file":"a.ble","range":{"start":{"line":1"#))
  }
}
