import Exchange
import Recipe
import Runner
import Testing

/// A statement in a message is shown as it was written.
@Suite struct QuoteTests {
  private func quote(_ text: String) -> String {
    let bytes = Array(text.utf8)
    let table = LineTable([SourceText(name: "r.ble", bytes: bytes)])
    return table.quote(SourceRange(file: 0, start: 0, end: UInt32(bytes.count)))
  }

  @Test(arguments: [
    ("write pin.bytes() to c1", "write pin.bytes() to c1"), ("expect r.printed is []", "expect r.printed is []"),
    ("print  1,\n    2  # two\n", "print 1, 2"), ("print \"a # b\", 'c # d' # e", "print \"a # b\", 'c # d'"),
    ("print [1, # one\n  2]", "print [1, 2]"), ("print \"a\\\"  # b\"", "print \"a\\\"  # b\""), ("", ""),
  ])
  func aQuoteIsOneLineWithoutComments(text: String, shown: String) { #expect(quote(text) == shown) }

  @Test func aLongQuoteIsTruncated() {
    let shown = quote("print \"" + String(repeating: "é", count: 500) + "\"")
    #expect(shown.unicodeScalars.count == 72 && shown.hasSuffix("é…"))
  }
}
