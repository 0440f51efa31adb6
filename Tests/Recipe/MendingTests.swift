import Glibc
import Testing
import Vocabulary

@testable import Recipe

/// What `check --fix` changes in a text, and what it leaves to its author.
@Suite struct MendingTests {
  private static func mended(_ text: String) -> String {
    let mending = Mending(RecipeFile.parseAndCheck(Array(text.utf8), name: "x.ble"))
    return String(decoding: mending.text, as: UTF8.self)
  }

  /// Fixes that would lose a comment or change what the author meant are not applied.
  @Test(
    arguments: [
      "let x = 1\nswitch x\n  case 1: print \"a\"  # one\nend\n",
      "let x = 1\nswitch x {\n  // one\n  case 1: print \"a\"\n}\n",
      "let x = 1\nswitch x\n  case 1:\n  case 2: print \"c\"\nend\n",
      "let x = 1\nswitch x {\n  case 1:\n  default: print \"c\"\n}\n",
      "print 8, 007\n", "print 1, 000\n", "print 017\n",
      "let i = 0\ndo {\n  set i to i + 1\n  if i is 3: skip\n  print i\n} while (i < 3)\n",
      "print \"a # one\n", "printf(\"a\")\nprint 1\n", "printf \"a\"\nprint 1\n",
    ])
  func anUncertainFixIsNotApplied(_ text: String) {
    let words = { (text: String) in text.split { $0 == " " || $0 == "\n" } }
    #expect(words(Self.mended(text)).filter { $0 != "#" } == words(text).filter { $0 != "//" && $0 != "#" })
  }

  /// Each line has a name of its own.
  @Test(
    arguments: [
      ("xN = 1", "let xN = 1"), ("set yN to 2", "let yN = 2"),
      ("function fooN(a) { # N\n  return a\n}", "procedure fooN(a) # N\n  return a\nend"),
    ])
  func manyMistakesWithOwnNamesAreFixed(_ wrong: String, _ right: String) {
    func lines(_ line: String) -> String {
      (0..<300).map { number in line.split(separator: "N", omittingEmptySubsequences: false).joined(separator: "\(number)") + "\n" }
        .joined()
    }
    let text = lines(wrong)
    let parsed = RecipeFile.parseAndCheck(Array(text.utf8), name: "x.ble")
    #expect(Analysis(parsed).trialBytes <= 6 * text.utf8.count + 2000)
    let mending = Mending(parsed)
    #expect(!mending.isCutShort)
    #expect(String(decoding: mending.text, as: UTF8.self) == lines(right))
  }

  /// Equal mistakes are tried together: many of them cost few passes over the text.
  @Test(
    arguments: [
      ("if n == 1: print n", "if n is 1: print n"), ("n++", "set n to n + 1"),
      ("print n && true", "print n and true"), ("echo \"a\"", "print \"a\""), ("n = 2", "set n to 2"),
    ])
  func manyEqualMistakesAreFixed(_ wrong: String, _ right: String) {
    let beginning = "let n = 1\nlet rate = 2\n"
    let text = beginning + String(repeating: wrong + "\n", count: 1000)
    let parsed = RecipeFile.parseAndCheck(Array(text.utf8), name: "x.ble")
    #expect(Analysis(parsed).trialBytes <= 6 * text.utf8.count + 2000)
    let mending = Mending(parsed)
    #expect(!mending.isCutShort)
    #expect(String(decoding: mending.text, as: UTF8.self) == beginning + String(repeating: right + "\n", count: 1000))
  }

  @Test(
    arguments: [
      ("let n = 10\nn -= 3 - 1\nprint n\n", "let n = 10\nset n to n - (3 - 1)\nprint n\n"),
      (
        "let x = 9\nlet c = false\nx -= 2 if c else 1  # less\nprint x\n",
        "let x = 9\nlet c = false\nset x to x - (2 if c else 1)  # less\nprint x\n"
      ),
      // A line that is added after a word that changes.
      (
        "let x = 0\nwhile x < 3:\n    x += 1\n    if x == 2:\n        continue\n    print x\nprint \"done\"\n",
        "let x = 0\nrepeat while x < 3\n    set x to x + 1\n    if x is 2\n        skip\n    end\n    print x\nend\nprint \"done\"\n"
      ),
      ("let n = 1\nn += 1\nprint n\n", "let n = 1\nset n to n + 1\nprint n\n"),
      ("let a = 1\nprint a // the first one\n", "let a = 1\nprint a # the first one\n"),
      ("// all\nprint 1\n", "# all\nprint 1\n"),
      ("let a = 1\nlet r = a > 3 ? 1 : 2\nprint r\n", "let a = 1\nlet r = 1 if a > 3 else 2\nprint r\n"),
      ("repeat 3 times\n  print 1\n", "repeat 3 times\n  print 1\nend\n"),
      ("print 1\nend\n", "print 1\n"),
      ("let rate = 1\nprint rote, rate\n", "let rate = 1\nprint rate, rate\n"),
      // The subscription exists under a wrong name, so none is added.
      (
        "scan for \"A\"\nconnect\nsubscribe to heart_rate_measurment\non notify heart_rate_measurement as b: print b.bpm\nwait 5s\n",
        "scan for \"A\"\nconnect\nsubscribe to heart_rate_measurement\non notify heart_rate_measurement as b: print b.bpm\nwait 5s\n"
      ),
      (
        "scan for \"A\"\nconnect\nsubscribe to heart_rate_measurment\nsubscribe to batery_level\nwait for notify battery_level\n"
          + "wait for notify heart_rate_measurement\n",
        "scan for \"A\"\nconnect\nsubscribe to heart_rate_measurement\nsubscribe to battery_level\nwait for notify battery_level\n"
          + "wait for notify heart_rate_measurement\n"
      ),
      ("every minute\n  print 1\nend\nwait forever\n", "every 1min\n  print 1\nend\nwait forever\n"),
      ("if 1 is 1 {\n  print 1\n}\nelse {\n  print 2\n}\n", "if 1 is 1\n  print 1\nelse\n  print 2\nend\n"),
      (
        "if 1 is 1\n{\n  print 1\n}\nelse if 2 is 2\n{\n  print 2\n}\nelse\n{\n  print 3\n}\n",
        "if 1 is 1\n  print 1\nelse if 2 is 2\n  print 2\nelse\n  print 3\nend\n"
      ),
      // It ends too early, which was hidden.
      ("every 1s\n{\n  print 1\n}\n", "every 1s\n  print 1\nend\n"),
      // Blocks as in Python.
      ("repeat 2 times:\n    print 1\nprint 2\n", "repeat 2 times\n    print 1\nend\nprint 2\n"),
      (
        "let x = 1\nif x > 0:\n  print 1\nelif x < 0:\n  print 2\nelse:\n  print 3\n",
        "let x = 1\nif x > 0\n  print 1\nelse if x < 0\n  print 2\nelse\n  print 3\nend\n"
      ),
      (
        "let n = 0\nwhile n < 3:\n  for each x in [1]:\n    set n to n + x\n\nprint n\n",
        "let n = 0\nrepeat while n < 3\n  for each x in [1]\n    set n to n + x\n  end\nend\n\nprint n\n"
      ),
      ("repeat 2 times:\n  print 1\nend\n", "repeat 2 times\n  print 1\nend\n"),
      ("def f(a):\n  return a\n\nprint f(1)\n", "procedure f(a)\n  return a\nend\n\nprint f(1)\n"),
      ("procedure f()\n  print 1\nend\nf\ncall f()\n", "procedure f()\n  print 1\nend\nf()\nf()\n"),
      ("let b = hex \"0x01, 0xff\"\nprint b\n", "let b = hex \"01 ff\"\nprint b\n"),
      ("let my-var = 5\nprint my_var\n", "let my_var = 5\nprint my_var\n"),
      ("let l = [\n  1\n  2\n]\nprint l\n", "let l = [\n  1,\n  2\n]\nprint l\n"),
      // The first assignment makes the name, those after it in its block change it.
      ("x = 5\nx = 6\nprint x\n", "let x = 5\nset x to 6\nprint x\n"),
      (
        "n = 0\nevery 1s\n  n = n + 1\n  print n\nend\nwait 5s\n",
        "let n = 0\nevery 1s\n  set n to n + 1\n  print n\nend\nwait 5s\n"
      ),
      (
        "let my-own-var = 5\nprint \"{my-own-var} my-own-var\", my-own-var - 1\nset my-own-var to 6\n",
        "let my_own_var = 5\nprint \"{my_own_var} my-own-var\", my_own_var - 1\nset my_own_var to 6\n"
      ),
      ("scan for heart_rate all\nprint 1\n", "scan for all heart_rate\nprint 1\n"),
      ("scan for heart_rate or \"x\" nearest\nconnect\n", "scan for strongest heart_rate or \"x\"\nconnect\n"),
      // The fix of the loop contains that of a line in it.
      (
        "let n = 0\nwhile (n < 5) {\n  print n\n  n++\n}\n",
        "let n = 0\nrepeat while (n < 5)\n  print n\n  set n to n + 1\nend\n"
      ),
      (
        "let n = 0\nwhile (n < 5) {\n  n++\n}\nuntil (n < 2) {\n  n--\n}\n",
        "let n = 0\nrepeat while (n < 5)\n  set n to n + 1\nend\nrepeat until (n < 2)\n  set n to n - 1\nend\n"
      ),
      ("while (1) {\n  print 1\n  wait 1s\n}\n", "repeat forever\n  print 1\n  wait 1s\nend\n"),
      ("while True:\n  print 1\n  wait 1s\n", "repeat forever\n  print 1\n  wait 1s\nend\n"),
      ("for i in range(3):\n  print i\nprint 9\n", "for each i in [0, 1, 2]\n  print i\nend\nprint 9\n"),
      ("for i in range(1, 3):\n  print i\n", "for each i in [1, 2]\n  print i\nend\n"),
      (
        "try:\n  expect 1 is 2\nexcept Exception as e:\n  print e\n",
        "try\n  expect 1 is 2\notherwise as e\n  print e\nend\n"
      ),
      ("try:\n  wait 1s\nexcept TimeoutError:\n  print 2\n", "try\n  wait 1s\notherwise if timeout\n  print 2\nend\n"),
      (
        "connect to C0:FF:EE:00:00:01\nread battery_level of \"C0:FF:EE:00:00:01\"\n",
        "connect to C0:FF:EE:00:00:01\nread battery_level of C0:FF:EE:00:00:01\n"
      ),
      (
        "scan for \"A\" as a\na.connect()\na.read(battery_level)\na.disconnect()\n",
        "scan for \"A\" as a\nconnect to a\nread battery_level of a\ndisconnect from a\n"
      ),
      (
        "let n = 3\nif (n > 2) { print \"a\"; }\nif n < 9 { print 1; print 2 }\n",
        "let n = 3\nif (n > 2): print \"a\"\nif n < 9: print 1; print 2\n"
      ),
      ("for i = 1 to 3\n  print i\nend\n", "for each i in [1, 2, 3]\n  print i\nend\n"),
      ("scan for heart_rate timeout 10\nprint 1\nexit 0\n", "scan for heart_rate within 10s\nprint 1\nstop\n"),
      (
        "scan for \"A\"\nconnect\nsubscribe to battery_level\non battery_level(v)\n  print v\nend\nwait 1s\n",
        "scan for \"A\"\nconnect\nsubscribe to battery_level\non notify battery_level as v\n  print v\nend\nwait 1s\n"
      ),
      (
        "peripheral p\n  advertise 0xFFF0\n  service 0xFFF0\n    characteristic 0xFFF1 read write, notify\n  end\nend\nserve p\nwait 1s\n",
        "peripheral p\n  advertise 0xFFF0\n  service 0xFFF0\n    characteristic 0xFFF1 can read, write, notify\n  end\nend\nserve p\nwait 1s\n"
      ),
      (
        "let led = 5c1d0002-7e40-4f6e-9a0b-3d2f11aa0001\nscan for \"A\" as a\nconnect to a\nwrite led hex \"01\"\n"
          + "write alert_level = hex \"01\" within 5s\nread a.battery_level\nwrite 1 to a.alert_level\n",
        "let led = 5c1d0002-7e40-4f6e-9a0b-3d2f11aa0001\nscan for \"A\" as a\nconnect to a\nwrite hex \"01\" to led\n"
          + "write hex \"01\" to alert_level within 5s\nread battery_level of a\nwrite 1 to alert_level of a\n"
      ),
      (
        "let n = 5\necho \"n is $n or ${n}, $5\"\necho \"n is $n or ${n}\"\n",
        "let n = 5\necho \"n is $n or ${n}, $5\"\nprint \"n is {n} or {n}\"\n"
      ),
      ("repeat 3 times\n  print 1\n  next\nnext\nprint 2\n", "repeat 3 times\n  print 1\n  skip\nend\nprint 2\n"),
      (
        "let n = 0\ndo\n  set n to n + 1\n  wait 1s\nwhile n < 5\n",
        "let n = 0\nrepeat forever\n  set n to n + 1\n  wait 1s\n  if not (n < 5): leave\nend\n"
      ),
      (
        "## Help\n\n## The limit\ninput a: number = 3\nscan for heart_rate\nuse timeout 5s\nconnect\nprint a\n",
        "## Help\n\nuse timeout 5s\n## The limit\ninput a: number = 3\nscan for heart_rate\nconnect\nprint a\n"
      ),
      ("connect to \"Dev\" when it appears\nprint 1\n", "scan for \"Dev\" within forever\nconnect when it appears\nprint 1\n"),
      ("let x = 5\nif x is 5 or x: print 1\n", "let x = 5\nif x is 5 or x: print 1\n"),
      ("scan for \"A\" as a\nconnect\nif a is connected: print 1\n", "scan for \"A\" as a\nconnect\nif a.connected: print 1\n"),
      ("if true {\n  print 1\n} // done\nprint 2; // more\n", "if true\n  print 1\nend # done\nprint 2 # more\n"),
      ("print 1\nuse timeout 5s # why\nprint 2\n", "use timeout 5s # why\nprint 1\nprint 2\n"),
      // A subscription belongs to the device of its handler, below the connection.
      (
        "scan for \"A\" as a\nscan for \"B\" as b\non notify battery_level of b: print it\nconnect to b\nconnect to a\nwait 5s\n",
        "scan for \"A\" as a\nscan for \"B\" as b\non notify battery_level of b: print it\nconnect to b\n"
          + "subscribe to battery_level of b\nconnect to a\nwait 5s\n"
      ),
      (
        "scan for \"A\"\nconnect\nwhenever heart_rate appears\n  on notify battery_level: print it\n  connect\n  wait 5s\nend\nwait 9s\n",
        "scan for \"A\"\nconnect\nwhenever heart_rate appears\n  on notify battery_level: print it\n  connect\n"
          + "  subscribe to battery_level\n  wait 5s\nend\nwait 9s\n"
      ),
      ("do 3 times\n  print 1\nend\nprint 2\n", "repeat 3 times\n  print 1\nend\nprint 2\n"),
      (
        "let x = 0\ndo {\n  x++;\n} while (x < 5);\nsleep 5\n",
        "let x = 0\nrepeat forever\n  set x to x + 1\n  if not (x < 5): leave\nend\nwait 5s\n"
      ),
      ("let x = 5\nprint \"x is %d\" % x\n", "let x = 5\nprint \"x is {x}\"\n"),
    ])
  func unambiguousFixesAreApplied(_ text: String, _ good: String) { #expect(Self.mended(text) == good) }

  /// Ambiguous errors: a fix would choose for the author.
  @Test(
    arguments: [
      "let a = 7\nlet b = a // 2 + 1\nprint b\n",
      "let x = 7\nprint x // 2\n",
      "let x = 7\nlet y = 2\nprint x // y\n",
      "let a = 9\nlet r = a > 3 ? a < 5 ? 1 : 2 : 3\nprint r\n",
      "try\n  fail \"x\"\nelse\n  print 1\nend\n",
      "let rate = 1\nlet rite = 2\nprint rote, rate, rite\n",
    ])
  func ambiguousFixesAreNotApplied(_ text: String) { #expect(Self.mended(text) == text) }

  @Test(arguments: ["##", "# a", "\n", "\n\n", "\r\n", "", "  \n\t\n", "\n\nprint 1\n"])
  func emptyLinesHaveNoMeaning(_ text: String) throws {
    let formatted = try #require(RecipeFormatter.formatted(Array(text.utf8)))
    #expect(RecipeFormatter.hasSameMeaning(Array(text.utf8), formatted))
  }

  /// However many equal mistakes there are, one command fixes all of them.
  @Test(arguments: [
    ("sleep 5\n", "wait 5s\n"), ("sleep 500\n", "sleep 500\n"), ("x += 1\n", "set x to x + 1\n"),
    ("print x // the tail\n", "print x # the tail\n"),
    ("if x == 1: print x\n", "if x is 1: print x\n"), ("print x;\n", "print x\n"), ("x = 1\n", "set x to 1\n"),
  ])
  func equalMistakesAreFixedTogether(wrong: String, right: String) {
    for count in [45, 101, 350] {
      let text = "let x = 0\n" + String(repeating: wrong, count: count)
      let mended = Mending(RecipeFile.parseAndCheck(Array(text.utf8), name: "x.ble"))
      #expect(String(decoding: mended.text, as: UTF8.self) == "let x = 0\n" + String(repeating: right, count: count), "\(count)")
      #expect(!mended.isCutShort)
    }
  }

  enum Flood: CaseIterable {
    case choices, questionMarks, divisions, quotes, names, changes, attributes, procedures, laterNames, operators, openBlocks, ends,
      handlers,
      handlersAbove, assignments, hyphens, swappedWrites, states, loops

    /// A text with this many mistakes of each kind, or a multiple.
    func text(_ count: Int) -> String {
      switch self {
      case .choices: String(repeating: " ? 1 : 2", count: 8 * count)
      case .questionMarks: String(repeating: " ?", count: 16 * count)
      case .divisions: String(repeating: " // 1", count: 8 * count)
      case .quotes: String(repeating: " \u{201C}", count: 8 * count)
      case .names: lines(count) { "let name\($0) = 1" } + lines(count) { "print nmae\($0)" }
      case .changes: lines(count) { "let name\($0) = 1" } + lines(count) { "set nmae\($0) to 2" }
      case .attributes: lines(count) { "let uuid\($0) = 0xff\(10 + $0 % 90)" } + lines(count) { "read uudi\($0)" }
      case .procedures: lines(count) { "procedure work\($0)(): print 1" } + lines(count) { "wrok\($0)()" }
      case .laterNames: lines(count) { "print later\($0)" } + lines(count) { "let later\($0) = 1" }
      case .operators: lines(count) { _ in "print 1 if a == 5 && b" }
      case .openBlocks: lines(count) { _ in "repeat 5" }
      case .ends: "print 1\n" + lines(2 * count) { _ in "end" }
      case .handlers: "scan for \"A\"\nconnect\n" + lines(10 * count) { "on notify battery_level: print \($0)" } + "wait forever\n"
      case .handlersAbove:
        lines(10 * count) { "on notify battery_level: print \($0)" } + "scan for \"A\"\nconnect\nwait forever\n"
      case .assignments: lines(4 * count) { "x\($0 % 7) = \($0)" }
      case .hyphens: lines(4 * count) { "let my-name\($0) = 1" }
      case .swappedWrites: "scan for \"A\"\nconnect\n" + lines(4 * count) { _ in "write alert_level hex \"01\"" }
      case .states: "scan for \"A\"\nconnect\n" + lines(4 * count) { _ in "if device is connected: print 1" }
      case .loops: lines(4 * count) { _ in "for i in range(3):\n  print i" }
      }
    }

    private func lines(_ count: Int, _ line: (Int) -> String) -> String { (0..<count).map { line($0) + "\n" }.joined() }
  }

  /// CPU time of this thread, so that a busy machine has no effect.
  private static func cost(_ text: String) -> TimeSpan {
    func spent() -> TimeSpan {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return TimeSpan(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
    let bytes = Array(text.utf8)
    let before = spent()
    #expect(!RecipeFile.parseAndCheck(bytes, name: "x.ble").diagnostics.isEmpty)
    return spent() - before
  }

  /// Four times the text takes four times the work; sixteen times if the cost of a mistake grows
  /// with the text.
  @Test(arguments: Flood.allCases) func manyMistakesAreReadInLinearTime(_ flood: Flood) {
    let small = max(Self.cost(flood.text(100)), .milliseconds(10))
    let large = Self.cost(flood.text(400))
    #expect(large.nanoseconds < 10 * small.nanoseconds, "\(small) \(large)")
  }
}
