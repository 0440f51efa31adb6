import Testing

@testable import Vocabulary

@Suite struct ShownTests {
  @Test(arguments: [
    ("plain", "plain"), ("", ""), ("\u{1B}]0;x\u{7}", "\\x1b]0;x\\x07"), ("a\nb\tc\r\n", "a\\x0ab\\x09c\\x0d\\x0a"),
    ("\u{7F}\u{9B}31m", "\\x7f\\x9b31m"), ("\u{202E}abc\u{2066}", "\\u{202e}abc\\u{2066}"), ("a\u{200B}b", "a\\u{200b}b"),
    ("x\u{E0041}", "x\\u{e0041}"), ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"), ("Grüße 漢字 🎉 é", "Grüße 漢字 🎉 é"),
    ("👨‍👩‍👧", "👨‍👩‍👧"),
  ])
  func aLineHoldsNoTerminalControls(text: String, shown: String) { #expect(Shown.text(text) == shown) }

  @Test func everyControlIsEscapedWithinALine() {
    let hostile: [Int] =
      Array(0...0x1F) + Array(0x7F...0x9F) + [0x61C, 0x200B, 0x200E, 0x200F, 0x2028, 0x2029, 0xFEFF]
      + Array(0x202A...0x202E) + Array(0x2066...0x2069) + Array(0xE0000...0xE007F)
    for value in hostile {
      guard let scalar = UnicodeScalar(UInt32(value)) else { continue }
      for text in [Shown.text("a\(scalar)b"), Shown.name("a\(scalar)b")] {
        #expect(text.unicodeScalars.allSatisfy { !Shown.isHostile($0) } && text.hasPrefix("a\\"), "\(value)")
      }
      #expect(Shown.lines("\(scalar)").unicodeScalars.allSatisfy { !Shown.isHostile($0) || $0 == "\n" || $0 == "\t" })
    }
  }

  @Test func linesStay() {
    #expect(Shown.lines("a\tb\nc\r\nd\re\u{1B}") == "a\tb\nc\nd\\x0de\\x1b")
  }

  @Test func jsonStaysJSON() {
    #expect(Shown.json("{\"a\":\"\u{202E}\u{7F}\u{E0041}\"}\n") == "{\"a\":\"\\u202e\\u007f\\udb40\\udc41\"}\n")
  }

  @Test(arguments: [
    ("Strap 7", "Strap 7"), ("123456789012345678901234", "123456789012345678901234"),
    ("1234567890123456789012345", "12345678901234567890123…"), ("漢字漢字漢字漢字漢字漢字", "漢字漢字漢字漢字漢字漢字"),
    ("漢字漢字漢字漢字漢字漢字漢", "漢字漢字漢字漢字漢字漢…"), ("12345678901234567890\u{1B}[31m", "12345678901234567890…"),
    ("e\u{301}", "e\u{301}"),
  ])
  func namesEndAt24Columns(name: String, shown: String) {
    #expect(Shown.name(name) == shown)
    #expect(Shown.width(of: Shown.name(name)) <= 24)
  }

  @Test func namesEndInASCII() { #expect(Shown.name("abcdefgh", columns: 5, ascii: true) == "abc..") }

  @Test(arguments: [
    ("Strap 7", "Strap 7"), ("K\u{FC}che", "K\\xfcche"), ("\u{6E29}\u{5EA6}", "\\u{6e29}\\u{5ea6}"),
    ("\u{6E29}\u{5EA6}\u{8A08}\u{6E29}", "\\u{6e29}\\u{5ea6}.."), ("a\u{202E}b", "a\\u{202e}b"),
    ("e\u{301}\u{1F600}", "e\\u{301}\\u{1f600}"),
  ])
  func foreignSignsOfNamesAreEscapedInASCII(name: String, shown: String) {
    #expect(Shown.name(name, ascii: true) == shown && Shown.width(of: Shown.name(name, ascii: true)) <= 24)
  }

  @Test func textForATerminalWithoutUTF8() {
    #expect(Shown.ascii("ATTR\u{2026} \u{2014} 21 \u{B0}C\n\u{6E29}") == "ATTR... - 21 \\xb0C\n\\u{6e29}")
    #expect(Shown.ascii("{\"a\":\"\u{6E29}\u{1F600}\"}\n", json: true) == "{\"a\":\"\\u6e29\\ud83d\\ude00\"}\n")
    #expect(Shown.ascii("plain\u{1B}[0m") == "plain\u{1B}[0m")
  }
}
