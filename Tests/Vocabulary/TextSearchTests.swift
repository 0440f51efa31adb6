import Testing
import Vocabulary

@Suite struct TextSearchTests {
  @Test(arguments: [
    ("battery", "battery", true), ("a battery", "battery", true), ("battery low", "battery", true), ("bat", "battery", false),
    ("battbattery", "battery", true), ("aaab", "aab", true), ("", "a", false), ("", "", true), ("a", "", true), ("Ä", "ä", false),
    ("über", "ber", true),
  ])
  func aTextHoldsAnother(text: String, part: String, expected: Bool) {
    #expect(text.holds(part) == expected)
    #expect(Array(text.utf8).holds(Array(part.utf8)) == expected)
  }

  @Test func aCombiningMarkHidesNothing() {
    // Compared as characters these differ.
    #expect("hunter2\u{301}".holds("hunter2"))
    #expect("hunter2\u{301}!".replacing(every: "hunter2", with: "•") == "•\u{301}!")
  }

  @Test(arguments: [
    ("a b a", "a", "x", "x b x"), ("aaa", "aa", "b", "ba"), ("aaaa", "aa", "a", "aa"), ("none", "a", "b", "none"),
    ("same", "", "b", "same"),
    ("ab", "ab", "", ""), ("•a•", "•", "…", "…a…"),
  ])
  func everyPlaceIsReplaced(text: String, part: String, other: String, expected: String) {
    #expect(text.replacing(every: part, with: other) == expected)
  }
}
