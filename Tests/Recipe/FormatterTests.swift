import Recipe
import Testing

/// `tooth fmt`: only white space changes, and formatting twice changes nothing.
@Suite struct FormatterTests {
  private func formatted(_ text: String) -> String? {
    RecipeFormatter.formatted(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Every text of the tests that can be parsed.
  static let files: [String] = ["Golden/diagnostics", "Golden/samples", "Golden/mistakes", "Golden/edited", "../recipes"].flatMap {
    folder in
    TestFiles.names(in: folder).filter { $0.hasSuffix(".ble") }.map { "\(folder)/\($0)" }
  }

  /// Findings by code and message, without places, which move.
  private static func findings(_ bytes: [UInt8]) -> [String] {
    RecipeFile.parseAndCheck(bytes, name: "x.ble").diagnostics.map { "\($0.code) \($0.message.filter { !$0.isNumber })" }
  }

  private static func comments(_ bytes: [UInt8]) -> Int { bytes.count { $0 == UInt8(ascii: "#") } }

  @Test func formattingKeepsTheMeaningAndIsStable() throws {
    var count = 0
    for file in Self.files {
      let bytes = try TestFiles.read(file)
      guard let once = RecipeFormatter.formatted(bytes) else { continue }
      count += 1
      #expect(RecipeFormatter.formatted(once) == once, "\(file) is formatted twice")
      #expect(RecipeFormatter.hasSameMeaning(bytes, once), "\(file) says something else")
      #expect(Self.comments(bytes) == Self.comments(once), "\(file) loses a comment")
      #expect(Self.findings(bytes) == Self.findings(once), "\(file)")
    }
    #expect(count > 40)
  }

  /// Insignificant white space has no effect: however it is scrambled, the result is the same.
  @Test func formattingIgnoresOldIndentation() throws {
    for file in Self.files {
      let bytes = try TestFiles.read(file)
      let text = String(decoding: bytes, as: UTF8.self)
      guard let once = RecipeFormatter.formatted(bytes), !text.contains("\"\"\"") else { continue }
      let flat = text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } + "  " }
        .joined(separator: "\n")
      // Words that close blocks count at the beginning of a line.
      guard !text.contains("\n  test ") else { continue }
      guard let again = RecipeFormatter.formatted(Array(flat.utf8)) else { continue }
      #expect(String(decoding: again, as: UTF8.self) == String(decoding: once, as: UTF8.self), "\(file)")
    }
  }

  @Test func blocksAreIndented() {
    #expect(
      formatted(
        """
        try  3 times
        if a is 1 : print 1
        if a is 2
        print 2
          else if a is 3
        print 3
        else
            print 4
           end
        otherwise  if timeout as p
        # why
        print p
        end
        """)
          == """
          try 3 times
            if a is 1: print 1
            if a is 2
              print 2
            else if a is 3
              print 3
            else
              print 4
            end
          otherwise if timeout as p
            # why
            print p
          end

          """)
  }

  @Test func continuationLinesAreIndented() {
    #expect(
      formatted("print [\n1,\n  2\n]\nprint 1 +\n2\nlet r = {a: 1,\nb: [\n1\n]}\n")
        == "print [\n  1,\n  2\n]\nprint 1 +\n  2\nlet r = {a: 1,\n  b: [\n    1\n]}\n")
  }

  @Test func spacesBetweenWords() {
    #expect(formatted("let  x=-1-( -2 )*3\n") == "let x = -1 - (-2) * 3\n")
    #expect(formatted("print f( 1,2 ) [ 0 ] , {a:1 , b : 2 }\n") == "print f(1, 2)[0], {a: 1, b: 2}\n")
    #expect(
      formatted("read heart_rate/body_sensor_location of ( d )within 5s as x;print x\n")
        == "read heart_rate/body_sensor_location of (d) within 5s as x; print x\n")
    #expect(formatted("for each x in[1,2]:print data[0 ..2],x\n") == "for each x in [1, 2]: print data[0 .. 2], x\n")
    #expect(formatted("scan for anything stronger than -70dBm\n") == "scan for anything stronger than -70dBm\n")
  }

  @Test func emptyLinesAndComments() {
    #expect(formatted("\n\n# a\n\n\n\nprint 1 # b\nprint 234    # c\n\n\n") == "# a\n\nprint 1    # b\nprint 234  # c\n")
    #expect(formatted("") == "")
    #expect(formatted("#!/usr/bin/env -S tooth run\r\nprint 1\r\n") == "#!/usr/bin/env -S tooth run\nprint 1\n")
    #expect(formatted("print \"\"\"a\n   b\n\"\"\" , 1\n# last") == "print \"\"\"a\n   b\n\"\"\", 1\n# last\n")
  }

  @Test func longBlocksAreNamed() {
    func block(_ lines: Int) -> String { "repeat 2 times\n" + String(repeating: "  print 1\n", count: lines) }
    #expect(formatted(block(25) + "end\n") == block(25) + "end\n")
    #expect(formatted(block(26) + "end\n") == block(26) + "end repeat\n")
    #expect(formatted(block(2) + "end  repeat\n") == block(2) + "end repeat\n")
  }

  @Test func unreadableTextIsNotFormatted() {
    #expect(formatted("if true\n") == nil)
    #expect(RecipeFormatter.formatted([0xFF]) == nil)
  }
}
