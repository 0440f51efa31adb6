import Exchange
import Recipe
import Testing

/// What is known of the names of a recipe: where they are declared and used, and in which scope.
@Suite struct AnalysisTests {
  static func analysis(_ text: String) -> Analysis { Analysis(RecipeFile.parse(text, name: "x.ble")) }

  static let text = """
    input limit: number = 3
    remember runs = 0
    let led = 0xFF01
    procedure twice(n): return n * 2
    set runs to runs + 1
    connect to C4:7C:8D:6A:12:0F
    read led as value
    on notify led as value
      let part = value
      print "{part} of {limit}"
    end
    subscribe to led
    print twice(runs), value, late
    let late = 1
    wait forever

    """

  private func place(_ analysis: Analysis, _ range: SourceRange) -> String {
    "\(analysis.sources.line(of: range)):\(analysis.sources.text(range))"
  }

  @Test func everyNameHasItsUses() throws {
    let analysis = Self.analysis(Self.text)
    func uses(_ name: String, _ kind: DeclaredName.Kind, at place: Int = 0) throws -> [Int] {
      let found = analysis.table.symbols.indices.filter {
        analysis.table.symbols[$0].name == name && analysis.table.symbols[$0].kind == kind
      }
      let index = try #require(found.count > place ? found[place] : nil)
      return analysis.table.uses(of: index).map { analysis.sources.line(of: $0) }.sorted()
    }
    #expect(try uses("limit", .input) == [10])
    #expect(try uses("runs", .remembered) == [5, 5, 13])
    #expect(try uses("led", .variable) == [7, 8, 12])
    #expect(try uses("twice", .procedure) == [13])
    #expect(try uses("n", .parameter) == [4])
    // The body's and the handler's are two.
    #expect(try uses("value", .result) == [13])
    #expect(try uses("value", .parameter) == [9])
    #expect(try uses("part", .variable) == [10])
    #expect(analysis.findings.map(\.code).contains("T201"))
    #expect(analysis.recipe == nil)
  }

  @Test func aPositionLeadsToItsNameAndScope() throws {
    let analysis = Self.analysis(Self.text)
    let table = analysis.table
    let place = try #require(Self.text.firstRange(of: "part} of")).lowerBound
    let offset = UInt32(Self.text.utf8.distance(from: Self.text.startIndex, to: place))
    let symbol = try #require(table.symbol(at: offset))
    #expect(table.symbols[symbol].name == "part")
    let scope = table.scope(at: offset)
    #expect(table.scopes[scope].kind == .handler && table.scopes[scope].parent == 0)
    let names = table.visible(in: scope).map { table.symbols[$0].name }
    #expect(names.prefix(2) == ["value", "part"] && names.contains("limit") && names.contains("twice") && !names.contains("n"))
    #expect(table.scope(at: 0) == 0 && table.symbol(at: 0) == nil)
  }

  @Test func analysisSurvivesErrors() {
    let analysis = Self.analysis(
      """
      let a = 1
      conect to x
      procedure p(n)
        pritn n
        print a
      end
      let b = a
      print undeclared
      """)
    #expect(analysis.recipe == nil)
    // The meaning of a name is not checked while a line is unreadable that may declare it.
    #expect(analysis.findings.allSatisfy { $0.code < "T200" } && analysis.findings.count == 2)
    #expect(analysis.table.symbols.map(\.name).sorted() == ["a", "b", "n", "p"])
    #expect(analysis.tree.body.count == 3 && analysis.tree.procedures.count == 1)
    let uses = analysis.table.uses.map { place(analysis, $0.range) }.sorted()
    #expect(uses == ["5:a", "7:a"])
  }

  @Test func namesOfSeveralFilesAreOneScope() throws {
    let files = RecipeFiles([
      ("main.ble", "include \"a.ble\"\nprint greet(word)\n"),
      ("a.ble", "let word = \"hello\"\nprocedure greet(text): return text + word\n"),
    ])
    var asked: [String] = []
    let analysis = Analysis(files.assembled(asked: &asked))
    #expect(analysis.findings.isEmpty)
    let word = try #require(analysis.table.symbols.firstIndex { $0.name == "word" })
    let places = analysis.table.uses(of: word).map { analysis.sources.place(of: $0) }
    #expect(places.sorted() == ["line 2", "line 2 of a.ble"])
  }

  @Test(arguments: ["print (word)\n", "print ((word)) + 1\n", "print ( # the word\n  word\n)\n", "print (word).upper()\n"])
  func aNameInParenthesesIsTheName(line: String) throws {
    let analysis = Analysis(RecipeFile.parse("let word = \"hello\"\n" + line, name: "main.ble"))
    let use = try #require(analysis.table.uses.first)
    #expect(analysis.sources.text(use.range) == "word")
    #expect(analysis.table.uses.count == 1)
  }

  /// Every range reported as a place of a name contains that name, in every recipe here, with and
  /// without errors.
  @Test func everyUseOfANameReadsAsThatName() throws {
    var count = 0
    for folder in ["Golden/samples", "Golden/diagnostics"] {
      for name in TestFiles.names(in: folder) where name.hasSuffix(".ble") {
        let analysis = Analysis(RecipeFile.parse(try TestFiles.read("\(folder)/\(name)"), name: name))
        for symbol in analysis.table.symbols {
          #expect(analysis.sources.text(symbol.declaration) == symbol.name, "\(name)")
          #expect(analysis.table.scopes.indices.contains(symbol.scope))
        }
        for use in analysis.table.uses {
          count += 1
          let text = analysis.sources.text(use.range)
          #expect(text == analysis.table.symbols[use.symbol].name, "\(name): \(place(analysis, use.range))")
        }
      }
    }
    #expect(count > 200)
  }
}
