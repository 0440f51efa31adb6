import Recipe
import Testing

@Suite struct SpellingTests {
  @Test(arguments: [
    ("conect", "connect"), ("subscirbe", "subscribe"), ("wiat", "wait"), ("wrtie", "write"), ("pirnt", "print"), ("scann", "scan"),
    ("red", "read"),
  ]) func theNearestWordIsFound(_ word: String, _ expected: String) {
    #expect(Spelling.nearest(to: word, among: Words.all) == expected)
  }

  @Test(arguments: ["xyz", "zz", "completely", "co", ""]) func distantWordsAreNotSuggested(_ word: String) {
    #expect(Spelling.nearest(to: word, among: ["connect", "scan", "wait"]) == nil)
  }

  @Test func shortWordsAllowOneSlip() {
    #expect(Spelling.nearest(to: "teh", among: ["the"]) == "the")
    #expect(Spelling.nearest(to: "het", among: ["then"]) == nil)
  }

  @Test(arguments: [("ab", "ba", 1), ("abc", "abc", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("ca", "abc", 3)])
  func distances(_ left: String, _ right: String, _ expected: Int) {
    #expect(Spelling.distance(Array(left.utf8), Array(right.utf8)) == expected)
  }
}
