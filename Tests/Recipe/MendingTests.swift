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
}
