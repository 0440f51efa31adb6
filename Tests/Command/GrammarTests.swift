import Linux
import Testing

/// The parser agrees with the grammar of the language, `Tests/Grammar/grammar.ebnf`.
@Suite struct GrammarTests {
  /// 10,000 programs with `FULL=1`; `GRAMMAR_SEED` selects others.
  @Test func theParserAgreesWithTheGrammar() throws {
    let count = environment("FULL") == nil ? "2000" : "10000"
    let outcome = try Program.run(
      ["\(Tooth.package)/Tests/Grammar/agree.py", Tooth.path, count, environment("GRAMMAR_SEED") ?? "4"], program: "python3",
      limit: 900)
    #expect(outcome.code == 0, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output.contains("\(count) programs, ") && outcome.output.contains(" 0 disagreements"))
  }
}
