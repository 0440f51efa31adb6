import Recipe
import Terminal
import Testing
import Vocabulary

@Suite struct RendererTests {
  static let parsed = RecipeFile.parseAndCheck(
    Array(
      "scan for heart_rate\nconnect\n# ä\non notify heart_rate_measurement as beat\n  print beat.bpm\nend\nreconnect forever\n".utf8
    ),
    name: "heart.ble")

  @Test func aFindingLooksAsInTheReference() {
    #expect(
      DiagnosticRenderer().text(Self.parsed.diagnostics, in: [Self.parsed.source]) == """
        error[T231]: nothing subscribes to heart_rate_measurement
          ┌─ heart.ble:4:11
        4 │ on notify heart_rate_measurement as beat
          │           ^^^^^^^^^^^^^^^^^^^^^^ so this handler would never run
          = fix: add before it   subscribe to heart_rate_measurement

        """)
  }

  @Test func asciiSignsOnRequest() {
    #expect(
      DiagnosticRenderer(ascii: true).text(Self.parsed.diagnostics, in: [Self.parsed.source]) == """
        error[T231]: nothing subscribes to heart_rate_measurement
          --> heart.ble:4:11
        4 | on notify heart_rate_measurement as beat
          |           ^^^^^^^^^^^^^^^^^^^^^^ so this handler would never run
          = fix: add before it   subscribe to heart_rate_measurement

        """)
  }

  @Test func caretsAlignBelowEscapedCharacters() {
    let wide = RecipeFile.parseAndCheck(Array("print \"\u{6E29}\" + level\n".utf8), name: "w\u{FC}.ble")
    let lines = DiagnosticRenderer(ascii: true).text(wide.diagnostics, in: [wide.source]).split(separator: "\n")
    #expect(lines.count > 3)
    #expect(lines[2] == "1 | print \"\\u{6e29}\" + level")
    #expect(lines[3].hasPrefix("  | " + String(repeating: " ", count: 19) + "^^^^^"), "\(lines)")
  }

  /// Lines that are not commands to type are at most as wide as the terminal, and the mark is below
  /// the same text.
  @Test(arguments: 24...120) func findingsFitTheTerminal(columns: Int) {
    let texts = [
      "scan for heart_rate\nconnect\non notify heart_rate_measurement as beat\n  print beat.bpm\nend\nreconnect forever\n",
      "print \"\u{6E29}\u{5EA6}\u{8A08} and a text that is longer than many a terminal is wide\" + nothing_of_that_name\n",
      "let nothing = 5 print \"the rest of a line that is longer than many a terminal is wide, and longer\"\n",
    ]
    for (text, ascii) in texts.flatMap({ text in [false, true].map { (text, $0) } }) {
      let found = RecipeFile.parseAndCheck(Array(text.utf8), name: "w.ble")
      let wide = DiagnosticRenderer(ascii: ascii).text(found.diagnostics, in: [found.source])
      let narrow = DiagnosticRenderer(ascii: ascii, columns: columns).text(found.diagnostics, in: [found.source])
      #expect(!found.diagnostics.isEmpty)
      let lines = narrow.split(separator: "\n")
      for line in lines where !line.contains("fix:") {
        #expect(Shown.width(of: String(line)) <= columns || !line.dropFirst(6).contains(" "), "\(columns): \(line)")
      }
      let all = wide.split(separator: "\n")
      let longest = all.filter { !$0.contains("fix:") }.map { Shown.width(of: String($0)) }.max() ?? 0
      if longest < columns { #expect(narrow == wide) }
      #expect(lines.filter { $0.contains("^") }.count == all.filter { $0.contains("^") }.count)
      // The text above the mark, from its first column.
      func marked(_ lines: [Substring]) -> Character? {
        guard let place = lines.firstIndex(where: { $0.contains("^") }), place > 0 else { return nil }
        var left = lines[place].prefix { $0 != "^" }.count
        for character in lines[place - 1] {
          if left <= 0 { return character }
          left -= Shown.width(of: String(character))
        }
        return nil
      }
      #expect(marked(lines) == marked(all), "\(columns)\n\(narrow)")
    }
  }

  @Test func colourAddsNothingButColour() {
    let plain = DiagnosticRenderer().text(Self.parsed.diagnostics, in: [Self.parsed.source])
    let painted = DiagnosticRenderer(colour: true).text(Self.parsed.diagnostics, in: [Self.parsed.source])
    #expect(painted != plain)
    var bare = ""
    var isCode = false
    for scalar in painted.unicodeScalars {
      if scalar == "\u{1B}" { isCode = true }
      if !isCode { bare.unicodeScalars.append(scalar) }
      if isCode, scalar == "m" { isCode = false }
    }
    #expect(bare == plain)
  }

  @Test func aFindingIsOneLineOfJSON() {
    #expect(
      DiagnosticRenderer().json(Self.parsed.diagnostics, in: [Self.parsed.source])
        == #"{"code":"T231","severity":"error","file":"heart.ble","range":{"start":{"line":4,"column":11,"offset":43},"#
        + #""end":{"line":4,"column":33,"offset":65}},"message":"nothing subscribes to heart_rate_measurement","#
        + #""labels":[{"range":{"start":{"line":4,"column":11,"offset":43},"end":{"line":4,"column":33,"offset":65}},"#
        + #""text":"so this handler would never run"}],"fixes":[{"text":"add before it   subscribe to heart_rate_measurement","#
        + #""edits":[{"range":{"start":{"line":4,"column":1,"offset":33},"end":{"line":4,"column":1,"offset":33}},"#
        + #""replacement":"subscribe to heart_rate_measurement\n"}]}],"notes":[]}"# + "\n")
  }

  @Test func columnsCountCharactersAndTabsKeepTheCaretInPlace() {
    let parsed = RecipeFile.parse("\tprint \"ä\" 5\n")
    #expect(
      DiagnosticRenderer().text(parsed.diagnostics, in: [parsed.source]).hasPrefix(
        """
        error[T015]: values are separated by `,`
          ┌─ recipe.ble:1:12
        1 │ \tprint "ä" 5
          │ \t          ^ as in `print a, b`
        """))
  }

  @Test func controlCharactersNeverReachTheTerminal() {
    let parsed = RecipeFile.parse("print \u{1B}[2J\n")
    let shown = DiagnosticRenderer().text(parsed.diagnostics, in: [parsed.source])
    #expect(!shown.unicodeScalars.contains("\u{1B}"))
    #expect(shown.contains("0x1b"))
  }

  @Test func aLongLineIsShownInPart() {
    let parsed = RecipeFile.parse("print " + String(repeating: "1 + ", count: 100) + "@" + String(repeating: " + 1", count: 50))
    let shown = DiagnosticRenderer().text(parsed.diagnostics, in: [parsed.source])
    let lines = shown.split(separator: "\n")
    #expect(lines.allSatisfy { $0.unicodeScalars.count < 220 })
    let caret = lines.firstIndex { $0.contains("^") }
    #expect(caret != nil)
    if let caret {
      let column =
        lines[caret].unicodeScalars.firstIndex(of: "^").map {
          lines[caret].unicodeScalars.distance(from: lines[caret].unicodeScalars.startIndex, to: $0)
        } ?? 0
      #expect(Array(lines[caret - 1].unicodeScalars)[column] == "@")
    }
  }

  @Test func lineNumbersOfThreeDigitsWidenTheMargin() {
    let parsed = RecipeFile.parse(String(repeating: "\n", count: 122) + "prnt 1\n")
    #expect(
      DiagnosticRenderer().text(parsed.diagnostics, in: [parsed.source]) == """
        error[T012]: there is no statement `prnt`
           ┌─ recipe.ble:123:1
        123│ prnt 1
           │ ^^^^ did you mean `print`?
           = fix: print 1

        """)
  }
}
