import Recipe
import Testing

/// No file makes the parser or the checker crash, hang or overflow the stack.
@Suite struct RobustnessTests {
  static func parse(_ text: String) -> ParsedRecipe { RecipeFile.parseAndCheck(Array(text.utf8), name: "x.ble") }

  static let deep: [(what: String, text: String)] = [
    ("parentheses", "print " + String(repeating: "(", count: 10_000) + "1" + String(repeating: ")", count: 10_000)),
    ("open parentheses", "print " + String(repeating: "(", count: 10_000)),
    ("lists", "print " + String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)),
    ("records", "print " + String(repeating: "{a: ", count: 10_000) + "1" + String(repeating: "}", count: 10_000)),
    ("calls", "print " + String(repeating: "text(", count: 10_000) + "1" + String(repeating: ")", count: 10_000)),
    ("indices", "print a" + String(repeating: "[a", count: 10_000)),
    ("signs", "print " + String(repeating: "-", count: 10_000) + "x"),
    ("not", "print " + String(repeating: "not ", count: 10_000) + "x"),
    ("sums", "print 1" + String(repeating: " + 1", count: 20_000)),
    ("products", "print 1" + String(repeating: " * 1", count: 20_000)),
    ("or", "print 1" + String(repeating: " or 1", count: 20_000)),
    ("and", "print 1" + String(repeating: " and 1", count: 20_000)),
    ("fields", "print a" + String(repeating: ".b", count: 20_000)),
    ("methods", "print a" + String(repeating: ".b()", count: 20_000)),
    ("places", "set a" + String(repeating: ".b", count: 20_000) + " to 1"),
    ("conditions", "print " + String(repeating: "1 if 1 else ", count: 10_000) + "1"),
    ("if", String(repeating: "if 1 is 1\n", count: 10_000) + "print 1\n" + String(repeating: "end\n", count: 10_000)),
    ("if without end", String(repeating: "if 1 is 1\n", count: 10_000)),
    ("repeat", String(repeating: "repeat forever\n", count: 10_000)),
    ("handlers", String(repeating: "on stop\n", count: 10_000)),
    ("try", String(repeating: "try\n", count: 10_000)),
    ("for", String(repeating: "for each x in [1]\n", count: 10_000)),
    ("with", String(repeating: "with strap\n", count: 10_000)),
    ("headers with errors", String(repeating: "on nothing_known\n", count: 10_000)),
    ("foreign blocks", String(repeating: "while 1\n", count: 10_000)),
    ("else", "if 1 is 1\n" + String(repeating: "else if 1 is 1\nprint 1\n", count: 10_000) + "end\n"),
    ("stray else", String(repeating: "else\n", count: 10_000)),
    ("declarations in blocks", String(repeating: "if 1 is 1\n format x\n", count: 5_000)),
    ("services", "peripheral p\n" + String(repeating: "service heart_rate\n", count: 10_000)),
    ("lists of lists", "format f\n x is " + String(repeating: "list of ", count: 10_000) + "u8\nend\n"),
    ("a long line", "print " + String(repeating: "\"x\", ", count: 20_000) + "1"),
    ("semicolons", String(repeating: ";", count: 20_000)),
    ("statements with semicolons", String(repeating: "print 1; ", count: 50_000)),
    ("errors", String(repeating: "prnt 1\n", count: 50_000)),
    ("names that are none", (0..<10_000).map { "print y\($0)\n" }.joined()),
    ("reads without a connection", String(repeating: "read battery_level as got\n", count: 10_000)),
    (
      "timers that read",
      "connect to C4:7C:8D:6A:12:0F\n" + String(repeating: "every 10s\nread battery_level as b\nend\n", count: 5_000)
        + "wait forever\n"
    ),
    (
      "procedures that call the next one",
      (0..<2_000).map { "procedure p\($0)()\np\($0 + 1)()\nend\n" }.joined() + "procedure p2000()\nwait 1s\nend\np0()\n"
    ),
  ]

  @Test(arguments: deep.map(\.what)) func deepNestingIsRefusedOrRead(_ what: String) throws {
    let text = try #require(Self.deep.first { $0.what == what }?.text)
    _ = Self.parse(text)
  }

  @Test func checkingStopsAfterAHundredErrors() {
    let errors = (0..<99).map { "print y\($0)\n" }.joined()
    func codes(_ text: String) -> [String] { Self.parse(text).diagnostics.map(\.code) }
    let rest = "wait forever\nprint seen\n"
    #expect(codes("let seen = 1\n" + errors + rest) == Array(repeating: "T201", count: 99) + ["T240"])
    #expect(codes("let seen = 1\n" + errors + "print z\n" + rest) == Array(repeating: "T201", count: 100))
  }

  @Test func aProcedureWaitsIfOneThatItCallsDoes() {
    let chain = (0..<3).map { "procedure p\($0)()\n  let got = p\($0 + 1)()\n  return got\nend\n" }.joined()
    func codes(_ last: String) -> [String] {
      Self.parse(chain + "procedure p3()\n\(last)  return 1\nend\nprint p0()\n").diagnostics.map(\.code)
    }
    #expect(codes("").isEmpty)
    #expect(codes("  wait 1s\n") == ["T233"])
  }

  @Test func nestingBeyondTheLimitIsT003() {
    for (what, text) in Self.deep where ["parentheses", "lists", "records", "if", "sums", "fields", "not"].contains(what) {
      #expect(Self.parse(text).diagnostics.contains { $0.code == "T003" }, "\(what)")
    }
  }

  @Test func nestingAtTheLimitIsRead() {
    let blocks = String(repeating: "if 1 is 1\n", count: 200) + "print 1\n" + String(repeating: "end\n", count: 200)
    #expect(Self.parse(blocks).diagnostics.isEmpty)
    let brackets = "print " + String(repeating: "(", count: 63) + "1" + String(repeating: ")", count: 63)
    #expect(Self.parse(brackets).diagnostics.isEmpty)
    let sum = "print 1" + String(repeating: " + 1", count: 190)
    #expect(Self.parse(sum).diagnostics.isEmpty)
  }

  @Test(arguments: SampleTests.names) func everyBeginningOfASampleIsReadOrRefused(_ name: String) throws {
    let bytes = try TestFiles.read("Golden/samples/\(name).ble")
    for end in stride(from: 0, to: bytes.count, by: 7) { _ = RecipeFile.parseAndCheck(Array(bytes[..<end]), name: name) }
  }

  /// Bytes and words of the samples in random order, from a fixed seed.
  @Test(arguments: SampleTests.names) func mutationsOfASampleAreReadOrRefused(_ name: String) throws {
    let bytes = try TestFiles.read("Golden/samples/\(name).ble")
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % max(1, bound)
    }
    let words = [
      "end", "\n", "(", ")", "[", "]", "{", "}", "\"", "'", "if", "else", "otherwise", ":", ";", "on", "#", "\"\"\"", "\\", "..",
      "=", "to", "5m", "\u{201C}",
    ]
    for _ in 0..<100 {
      var mutated = bytes
      for _ in 0..<1 + next(4) {
        let place = next(mutated.count)
        switch next(4) {
        case 0: mutated.removeSubrange(place..<min(mutated.count, place + 1 + next(30)))
        case 1: mutated.insert(contentsOf: Array(words[next(words.count)].utf8), at: place)
        case 2: mutated[place] = UInt8(32 + next(95))
        default:
          let from = next(mutated.count)
          mutated.insert(contentsOf: Array(mutated[from..<min(mutated.count, from + next(60))]), at: place)
        }
        if mutated.isEmpty { mutated = [10] }
      }
      _ = RecipeFile.parseAndCheck(mutated, name: name)
    }
  }

  @Test func randomBytesAreReadOrRefused() {
    var state: UInt64 = 42
    for _ in 0..<500 {
      var bytes: [UInt8] = []
      for _ in 0..<64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes.append(UInt8(truncatingIfNeeded: state >> 40))
      }
      _ = RecipeFile.parseAndCheck(bytes, name: "x")
      _ = RecipeFile.parseAndCheck(bytes.map { 32 + $0 % 95 }, name: "x")
    }
  }

  @Test func aFileThatIsNotTextIsRefused() {
    let parsed = RecipeFile.parse([0x70, 0x72, 0xFF, 0xFE], name: "x")
    #expect(parsed.recipe == nil)
    #expect(parsed.diagnostics.map(\.code) == ["T001"])
    #expect(parsed.diagnostics.first?.range.start == 2)
  }

  @Test(arguments: [[0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82], [0x80], [0x00]] as [[UInt8]])
  func malformedUTF8IsRefused(_ bytes: [UInt8]) { #expect(RecipeFile.parse(bytes, name: "x").diagnostics.map(\.code) == ["T001"]) }

  @Test func aFileOfMoreThanOneMebibyteIsRefused() {
    let parsed = RecipeFile.parse([UInt8](repeating: 0x0A, count: (1 << 20) + 1), name: "x")
    #expect(parsed.diagnostics.map(\.code) == ["T002"])
    #expect(RecipeFile.parse([UInt8](repeating: 0x0A, count: 1 << 20), name: "x").diagnostics.isEmpty)
  }

  @Test func foreignLineEndsAndByteOrderMarksAreRead() {
    let parsed = RecipeFile.parse([0xEF, 0xBB, 0xBF] + Array("print 1\r\nif 1 is 1\r\n  print 2\r\nend\r\n".utf8), name: "x")
    #expect(parsed.diagnostics.isEmpty)
    #expect(parsed.recipe?.body.count == 2)
  }

  @Test func atMostAHundredErrorsAreShown() {
    #expect(Self.parse(String(repeating: "prnt 1\n", count: 500)).diagnostics.count == 100)
  }
}
