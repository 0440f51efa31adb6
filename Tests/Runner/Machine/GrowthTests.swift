import Exchange
import Glibc
import Recipe
import Testing
import Vocabulary

@testable import Runner

/// Growing values and long recipes: linear time, and limits.
@Suite struct GrowthTests {
  /// Two bytes less than a power of two, because a limit met exactly would hide an error.
  static let big = "let big = \"0123456789abcdef\"\nrepeat 19 times: set big to big + big\nlet l = []\nlet r = {}\n"

  /// A shared text of 8 MiB: each of these repeats it more often than fits.
  @Test(
    arguments: [
      "repeat 200 times: set l to l + [big]",
      "repeat 200 times\n  let m = l + [big]\n  set l to m\nend",
      "repeat 200 times: set l to [l, big]",
      "set l to [big, big, big, big, big, big, big, big, big, big]",
      "let i = 0\nrepeat 200 times\n  set r[i] to big\n  set i to i + 1\nend",
      "let i = 0\nset l to [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\nrepeat 12 times\n  set l[i] to big\n  set i to i + 1\nend",
      "let i = 0\nrepeat 200 times\n  set r[\"{i}{big}\"] to 1\n  set i to i + 1\nend",
      "set r to {a: []}\nrepeat 200 times: set r.a to r.a + [big]",
      "let i = 0\nrepeat 200 times\n  set l to l + [{a: [big], b: i}]\n  set i to i + 1\nend",
    ])
  func everyUseOfASharedTextCounts(_ growing: String) throws {
    let bench = try Bench(
      "\(Self.big)try\n  \(growing.split(separator: "\n").joined(separator: "\n  "))\notherwise\n  print it.kind, it.message\nend\n"
    )
    #expect(bench.printed.count == 1)
    #expect(bench.printed.first?.hasPrefix("value") == true, "\(bench.printed)")
    #expect(bench.exit?.code == 0)
    let stored = bench.commits.map { $0.rows.reduce(0) { $0 + ($1.value?.count ?? 0) } }.max() ?? 0
    #expect(stored < 200 << 20, "\(stored >> 20) MiB in one commit")
  }

  @Test func valuesBelowTheLimitKeepGrowing() throws {
    let bench = try Bench(
      """
      let big = "0123456789abcdef"
      repeat 16 times: set big to big + big
      let l = [0]
      let i = 0
      repeat 1000 times
        set l[0] to big + "{i}"
        set i to i + 1
      end
      print count(l), count(l[0])
      """)
    #expect(bench.printed == ["1 1048579"])
  }

  @Test func growingInPlaceChangesNoOtherName() throws {
    let bench = try Bench(
      """
      let a = [1]
      let b = a
      set a to a + [2]
      set b to b + b
      let t = "x"
      let u = t
      set t to t + "y"
      procedure more(list)
        set list to list + [3]
        return list
      end
      let c = more(a)
      print a, b, c, t, u
      set a to a + 1 otherwise print it.kind, a
      """)
    #expect(bench.printed == ["[1,2] [1,1] [1,2,3] xy x", "value [1,2]"])
  }

  @Test func growingAPartChangesNoOtherName() throws {
    let bench = try Bench(
      """
      let r = {l: [1], t: "a", n: 1, s: {l: []}}
      let g = [[0], [0]]
      let k = 1
      let was = r
      let list = r.l
      set r.l to r.l + [2]
      set r.l to r.l + r.l
      set r.t to r.t + "b"
      set r.t to r.t + 1 otherwise print it.kind
      set r.n to r.n + 2
      set r.s.l to r.s.l + [r.l]
      set g[k] to g[k] + [k]
      set g[k] to g[0] + [5]
      set g[2] to g[2] + [k] otherwise print it.kind
      set r.x to r.x + [k] otherwise print it.kind
      set r.l to r.l + 1 otherwise print it.kind
      procedure change()
        set r.n to r.n + 10
        return 5
      end
      set r.n to r.n + change()
      print json(r), g, json(was), list
      """)
    #expect(
      bench.printed == [
        "value", "value", "value", "value",
        #"{"l":[1,2,1,2],"t":"ab","n":8,"s":{"l":[[1,2,1,2]]}} [[0],[0,5]] {"l":[1],"t":"a","n":1,"s":{"l":[]}} [1]"#,
      ], "\(bench.printed)")
  }

  // MARK: Time

  /// CPU time of this thread for eight times the size, divided by that for the size. Three passes,
  /// the best of each.
  private static func growth(_ count: Int, _ work: (Int) throws -> Void) rethrows -> Double {
    func best(_ count: Int) throws -> Double {
      var best = Double.infinity
      for _ in 0..<3 {
        let start = cpu()
        try work(count)
        best = min(best, cpu() - start)
      }
      return best
    }
    return try best(count * 8) / best(count)
  }

  private static func cpu() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Linear time gives 8, quadratic time 64.
  private static let most = 20.0

  static let lines: [(name: String, line: @Sendable (Int) -> String)] = [
    ("lets", { "let a\($0) = \($0)\n" }),
    ("lets of lets", { $0 == 0 ? "let a0 = 1\n" : "let a\($0) = a\($0 - 1) + 1\n" }),
    ("sets", { $0 == 0 ? "let a = 1\n" : "set a to a + \($0)\n" }),
    (
      "handlers",
      {
        $0 == 0
          ? "scan for heart_rate\nconnect\nsubscribe to heart_rate_measurement\nwait 1h\n"
          : "on notify heart_rate_measurement as b: print b.bpm + \($0)\n"
      }
    ),
    ("timers", { $0 == 0 ? "wait 1h\n" : "every \($0)s: print \($0)\n" }),
    ("files in a field", { $0 == 0 ? "let r = {file: \"a.csv\"}\n" : "set r.file to \"\($0).csv\"\nappend 5 to r.file\n" }),
    ("files in parameters", { "procedure p\($0)(f)\n  append 5 to f\nend\np\($0)(\"a.csv\")\n" }),
    ("files in changed names", { "let f\($0) = {a: \"a.csv\"}\nset f\($0) to {a: \"b.csv\"}\nappend 5 to f\($0).a\n" }),
    ("procedures", { "procedure p\($0)()\n  print \($0)\nend\np\($0)()\n" }),
    ("branches", { $0 == 0 ? "let x = 1\n" : "if x is \($0)\n  let b\($0) = 1\nend\n" }),
    (
      "names of attributes",
      { $0 == 0 ? "scan for heart_rate\nconnect\n" : "let c\($0) = 6e400001-b5a3-f393-e0a9-\(hex($0))\nread c\($0) as v\($0)\n" }
    ),
  ]

  private static func hex(_ number: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 12 - text.count) + text
  }

  @Test(arguments: lines.indices) func checkingAndCompilingIsLinear(_ index: Int) throws {
    let line = Self.lines[index].line
    let growth = try Self.growth(400) { count in
      let text = Array((0..<count).map(line).joined().utf8)
      let parsed = RecipeFile.parse(text, name: "long.ble")
      let recipe = try #require(parsed.recipe, "\(parsed.diagnostics.prefix(3).map(\.message))")
      let errors = recipe.check(parsed.sources).filter { $0.severity == .error }
      try #require(errors.isEmpty, "\(errors.prefix(3).map(\.message))")
      guard case .success = Compiler.compile(recipe, sources: parsed.sources) else {
        Issue.record("it does not compile")
        return
      }
    }
    #expect(growth < Self.most, "\(Self.lines[index].name): \(growth)")
  }

  @Test func aLoopThatAddsToAListIsLinear() throws {
    for step in ["l + [i]", "l + [{at: i, text: \"x\"}]", "l + [i, i]"] {
      let growth = try Self.growth(1_000) { count in
        let bench = try Bench(
          "let l = []\nlet i = 0\nrepeat \(count) times\n  set l to \(step)\n  set i to i + 1\nend\nprint count(l)\n")
        #expect(bench.exit?.code == 0)
      }
      #expect(growth < Self.most, "\(step): \(growth)")
    }
  }

  /// A look at a list, text or record between two changes must not make the next change copy it.
  @Test(
    arguments: [
      "set l to l + [i]\n  if count(l) > 90000: set l to []", "set l to l + [i]\n  set n to size(l)",
      "set l to l + [i]\n  set n to r.get(\"a\", 0)\n  set r.a to i", "set t to t + \"x\"\n  set n to count(t)",
      "set r[\"k\"] to i\n  set n to count(r)", "set l to l + [i]\n  for each x in l\n    set n to x\n    leave\n  end",
      "set r.l to r.l + [i]\n  set n to count(r.l)", "set r.l to r.l + [i]\n  if r.l.last is i: set n to i",
      "set r.t to r.t + \"x\"\n  set n to count(r.t)", "set g[n] to g[n] + [i]", "set d[\"k\"].l to d[\"k\"].l + [i, i]",
      "set r.l to r.l + [i]\n  for each x in r.l\n    leave\n  end", "set kept to kept + [i]\n  set n to count(kept)",
    ])
  func lookingAtAGrowingValueIsLinear(_ step: String) throws {
    let growth = try Self.growth(1_000) { count in
      let bench = try Bench(
        """
        remember kept = []
        procedure size(x)
          return count(x)
        end
        let l = []
        let t = ""
        let r = {a: 0, l: [], t: ""}
        let g = [[], []]
        let d = {k: {l: []}}
        let n = 0
        let i = 0
        repeat \(count) times
          \(step.split(separator: "\n").joined(separator: "\n  "))
          set i to i + 1
        end
        print n
        """)
      #expect(bench.exit?.code == 0, "\(bench.printed)")
    }
    #expect(growth < Self.most, "\(step): \(growth)")
  }

  @Test func lookingForATextIsLinear() throws {
    let here = Surroundings()
    let growth = try Self.growth(4_000) { count in
      let whole = String(repeating: "a", count: 2 * count)
      let part = String(repeating: "a", count: count) + "b"
      #expect(try Value.contains(.text(whole), .text(part)) == false)
      #expect(try Value.contains(.text(whole + "b"), .text(part)))
      #expect(try Value.matches(.text(whole), .text("*\(part)*")) == false)
      let split = try #require(Method.named("split"))
      #expect(try split.apply(to: .text(whole), [.text(part)], here) == .list([.text(whole)]))
      #expect(!whole.holds(part))
    }
    #expect(growth < Self.most, "\(growth)")
  }

  @Test func aPatternWithWildcardsIsLinear() {
    for hasTwo in [false, true] {
      let growth = Self.growth(2_000) { count in
        let whole = String(repeating: "a", count: 4 * count)
        let part = String(repeating: "a?", count: count / 2)
        #expect(Glob.matches("*\(part)*\(hasTwo ? part : "")*", whole))
        #expect(!Glob.matches("*\(part)b*", whole))
        #expect(!Glob.matches("*\(part)*b?*", whole))
      }
      #expect(growth < Self.most, "\(growth)")
    }
  }

  /// Compared with a naive search of three lines.
  @Test func longWildcardPatternsMatchCorrectly() {
    func fits(_ pattern: ArraySlice<Character>, _ text: ArraySlice<Character>) -> Bool {
      guard let first = pattern.first else { return text.isEmpty }
      if first == "*" { return fits(pattern.dropFirst(), text) || !text.isEmpty && fits(pattern, text.dropFirst()) }
      return !text.isEmpty && (first == "?" || first == text.first) && fits(pattern.dropFirst(), text.dropFirst())
    }
    var random = SplitMix(seed: 5)
    var hits = 0
    for round in 0..<400 {
      let letters: [Character] = round % 2 == 0 ? ["a", "b"] : ["a", "é", "😀", "b"]
      let text = (0..<Int(random.next() % 300)).map { _ in letters[Int(random.next() % UInt64(letters.count))] }
      // Substrings of the text, with small changes.
      var pattern: [Character] = ["*"]
      var at = 0
      while at + 50 < text.count {
        at += Int(random.next() % 40)
        let count = Int(random.next() % 60)
        guard at + count <= text.count else { break }
        pattern += text[at..<at + count].map { random.next() % 4 == 0 ? "?" : $0 } + ["*"]
        at += random.next() % 8 == 0 ? count - 1 : count
        if at < 0 { at = 0 }
      }
      let expected = fits(pattern[...], text[...])
      if expected { hits += 1 }
      #expect(Glob.matches(String(pattern), String(text)) == expected, "\(String(pattern)) \(String(text))")
    }
    #expect(hits > 50 && hits < 400)
  }

  /// Two texts of a recipe are compared statement by statement, in linear time.
  @Test(
    arguments: [
      { "set a to a + \($0)\n" }, { (_: Int) in "set a to a + 1\n" }, { "if a is \($0)\n  set a to 1\nend\n" },
      { "every \($0 + 1)s: print a\n" }, { "procedure p\($0)()\n  print 1\nend\np\($0)()\n" },
    ] as [@Sendable (Int) -> String]) func anEditedRecipeIsAlignedInLinearTime(_ line: @Sendable (Int) -> String) throws
  {
    func text(_ numbers: Range<Int>) -> String { "let a = 1\n" + numbers.map(line).joined() + "wait 1h\n" }
    var programs: [Int: (Program, Program)] = [:]
    for count in [300, 2_400] { programs[count] = (try Bench.program(text(0..<count)), try Bench.program(text(1..<count + 1))) }
    let growth = try Self.growth(300) { count in
      let (old, new) = try #require(programs[count])
      let map = StatementMap(from: old, to: new)
      #expect(map.new.count == old.statements.count)
      _ = EditedStatement(old: old, new: new, map: map).conflict(at: 1)
    }
    #expect(growth < Self.most, "\(growth)")
  }

  @Test func theSearchAgreesWithANaiveOne() {
    var random = SplitMix(seed: 3)
    for _ in 0..<2_000 {
      // A small alphabet gives many near matches.
      let whole = (0..<Int(random.next() % 4_000)).map { _ in UInt8(random.next() >> 60 == 0 ? 98 : 97) }
      let part = (0..<Int(random.next() % 200)).map { _ in UInt8(random.next() >> 60 == 0 ? 98 : 97) }
      let start = Int(random.next() % 100)
      var expected: Int?
      if start <= whole.count, part.count <= whole.count - start {
        expected = (start...(whole.count - part.count)).first { whole[$0..<$0 + part.count].elementsEqual(part) }
      }
      #expect(whole.place(of: part, from: start) == expected)
    }
  }

  @Test(
    arguments: [
      ("*", "", true), ("", "", true), ("", "a", false), ("a*c", "abc", true), ("a*c", "ac", true), ("a*c", "acd", false),
      ("?", "é", true), ("??", "é", false), ("*?", "", false), ("a?c*é", "abcdé", true), ("a*b*a", "aba", true),
      ("a*b*a", "ab", false), ("*ab*ab", "ab", false), ("*ab*ab", "abab", true), ("ab*ab", "ab", false), ("*é?", "aéb", true),
      ("*a?b*", "aaaxb", true), ("*a?b*", "aab", true), ("*a?b*", "ab", false), ("**", "x", true),
    ])
  func aPatternIsForTheWholeText(pattern: String, text: String, fits: Bool) {
    #expect(Glob.matches(pattern, text) == fits)
  }

  @Test func textsOfAllScriptsAreIndexedByScalars() throws {
    for text in ["abc", "aé€😀z", "", "😀", "e\u{301}x"] {
      let scalars = Array(text.unicodeScalars)
      #expect(text.scalarCount == scalars.count)
      for index in scalars.indices {
        #expect(try Value.text(text).element(at: .int(Int64(index))) == .text(String(Character(scalars[index]))))
        for end in index...scalars.count {
          var expected = String.UnicodeScalarView()
          expected.append(contentsOf: scalars[index..<end])
          #expect(try Value.text(text).slice(from: .int(Int64(index)), to: .int(Int64(end))) == .text(String(expected)))
        }
      }
    }
  }
}

extension GrowthTests {
  /// 20,000 numbers and texts, 2,000 different ones.
  @Test func repeatedConstantsAreStoredOnce() throws {
    let texts = (0..<1_000).map { "\"t\($0)\"" }.joined(separator: ", ")
    let numbers = (0..<1_000).map { "\($0)" }.joined(separator: ", ")
    let program = try Bench.program((0..<10).map { "let a\($0) = [\(numbers)]\nlet b\($0) = [\(texts)]\n" }.joined())
    #expect(program.constants.count < 2_200)
  }
}
