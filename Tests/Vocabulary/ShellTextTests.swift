import Testing
import Vocabulary

@Suite struct ShellTextTests {
  @Test(arguments: [
    ("plain", "plain"), ("/opt/a-b_c.d", "/opt/a-b_c.d"), ("Küche", "Küche"), ("", "''"), ("two words", "'two words'"),
    ("$HOME", "'$HOME'"), ("~", "'~'"), ("it's", "'it'\\''s'"),
  ])
  func aWordIsQuotedIfItMustBe(word: String, text: String) { #expect(ShellText.word(word) == text) }

  /// A quotation mark with a combining accent is another Swift character, but still ends a quote.
  @Test func anAccentHidesNoQuotationMark() {
    for text in [ShellText.quoted("a'\u{301};b"), ShellText.word("a'\u{301};b")] {
      #expect(Array(text.utf8) == Array("'a'\\''\u{301};b'".utf8), "\(text)")
    }
  }
}
