import Testing

@testable import Recipe

/// What `check --fix` does to a text, and what it leaves to its author.
@Suite struct MendingTests {
  private static func mended(_ text: String) -> String {
    let mending = Mending(RecipeFile.parseAndCheck(Array(text.utf8), name: "x.ble"))
    return String(decoding: mending.text, as: UTF8.self)
  }

  @Test(
    arguments: [
      ("let n = 10\nn -= 3 - 1\nprint n\n", "let n = 10\nset n to n - (3 - 1)\nprint n\n"),
      (
        "let x = 9\nlet c = false\nx -= 2 if c else 1  # less\nprint x\n",
        "let x = 9\nlet c = false\nset x to x - (2 if c else 1)  # less\nprint x\n"
      ),
      ("let n = 1\nn += 1\nprint n\n", "let n = 1\nset n to n + 1\nprint n\n"),
      ("let a = 1\nprint a // the first one\n", "let a = 1\nprint a # the first one\n"),
      ("// all\nprint 1\n", "# all\nprint 1\n"),
      ("let a = 1\nlet r = a > 3 ? 1 : 2\nprint r\n", "let a = 1\nlet r = 1 if a > 3 else 2\nprint r\n"),
      ("repeat 3 times\n  print 1\n", "repeat 3 times\n  print 1\nend\n"),
      ("print 1\nend\n", "print 1\n"),
      ("let rate = 1\nprint rote, rate\n", "let rate = 1\nprint rate, rate\n"),
    ])
  func whatLeavesNoChoiceIsDone(_ text: String, _ good: String) { #expect(Self.mended(text) == good) }

  /// Several readings: a fix would choose one of them behind its author's back.
  @Test(
    arguments: [
      "let a = 7\nlet b = a // 2 + 1\nprint b\n",
      "let x = 7\nprint x // 2\n",
      "let x = 7\nlet y = 2\nprint x // y\n",
      "let a = 9\nlet r = a > 3 ? a < 5 ? 1 : 2 : 3\nprint r\n",
      "do 3 times\n  print 1\nend\nprint 2\n",
      "try\n  fail \"x\"\nelse\n  print 1\nend\n",
      "let rate = 1\nlet rite = 2\nprint rote, rate, rite\n",
      "every minute\n  print 1\nend\nwait forever\n",
      "let x = 5\nprint \"x is %d\" % x\n",
    ])
  func whatHasSeveralReadingsIsLeftToItsAuthor(_ text: String) { #expect(Self.mended(text) == text) }

  @Test(arguments: ["##", "# a", "\n", "\n\n", "\r\n", "", "  \n\t\n", "\n\nprint 1\n"])
  func emptyLinesSayNothing(_ text: String) throws {
    let formatted = try #require(RecipeFormatter.formatted(Array(text.utf8)))
    #expect(RecipeFormatter.saysTheSame(Array(text.utf8), formatted))
  }

  enum Flood: CaseIterable {
    case choices, questionMarks, divisions, quotes, names, changes, attributes, procedures, laterNames, operators, openBlocks, ends

    var text: String {
      switch self {
      case .choices: String(repeating: " ? 1 : 2", count: 100_000)
      case .questionMarks: String(repeating: " ?", count: 200_000)
      case .divisions: String(repeating: " // 1", count: 100_000)
      case .quotes: String(repeating: " \u{201C}", count: 100_000)
      case .names: lines(6_000) { "let name\($0) = 1" } + lines(6_000) { "print nmae\($0)" }
      case .changes: lines(6_000) { "let name\($0) = 1" } + lines(6_000) { "set nmae\($0) to 2" }
      case .attributes: lines(6_000) { "let uuid\($0) = 0xff\(10 + $0 % 90)" } + lines(6_000) { "read uudi\($0)" }
      case .procedures: lines(6_000) { "procedure work\($0)(): print 1" } + lines(6_000) { "wrok\($0)()" }
      case .laterNames: lines(6_000) { "print later\($0)" } + lines(6_000) { "let later\($0) = 1" }
      case .operators: lines(6_000) { _ in "print 1 if a == 5 && b" }
      case .openBlocks: lines(6_000) { _ in "repeat 5" }
      case .ends: "print 1\n" + lines(20_000) { _ in "end" }
      }
    }

    private func lines(_ count: Int, _ line: (Int) -> String) -> String { (0..<count).map { line($0) + "\n" }.joined() }
  }

  /// Each takes minutes when a mistake costs more in a long text than in a short one.
  @Test(.timeLimit(.minutes(1)), arguments: Flood.allCases)
  func manyMistakesAreReadInLinearTime(_ flood: Flood) {
    #expect(!RecipeFile.parseAndCheck(Array(flood.text.utf8), name: "x.ble").diagnostics.isEmpty)
  }
}
