import Glibc
import Recipe
import Runner
import Session
import Testing
import Vocabulary

/// The commands of a prompt that change a session or extract parts of it.
@Suite struct PromptWordTests {
  @Test func everyStatementOfAPromptHasAForm() {
    let missing = Words.actions.filter { StatementForms.form(of: $0) == nil }
    #expect(missing.sorted() == StatementForms.others.sorted())
  }

  /// The forms of a text in brackets and with `|`, all of them written out.
  private static func written(_ form: Substring) -> [String] {
    var depth = 0
    for place in form.indices {
      if form[place] == "[" { depth += 1 }
      if form[place] == "]" { depth -= 1 }
      if depth == 0, form[place...].hasPrefix(" | ") {
        return written(form[..<place]) + written(form[form.index(place, offsetBy: 3)...])
      }
    }
    guard let open = form.firstIndex(of: "[") else { return [String(form)] }
    var close = open
    repeat {
      if form[close] == "[" { depth += 1 }
      if form[close] == "]" { depth -= 1 }
      close = form.index(after: close)
    } while depth > 0
    let inside = written(form[form.index(after: open)..<form.index(before: close)]) + [""]
    let rest = written(form[close...])
    return inside.flatMap { part in rest.map { form[..<open] + part + $0 } }
  }

  private static let examples = [
    "NdBm": "-70dBm", "N": "25", "D": "5s", "TEXT": "\"x\"", "FILE": "\"f.csv\"", "NAME": "n", "VALUE": "5", "CODE": "0x80",
    "CONDITION": "n is 1", "WHAT": "heart_rate", "SERVICE": "heart_rate", "ATTRIBUTE": "battery_level", "DEVICE": "strap",
    "LIST": "[1]", "EVENT": "notify battery_level",
  ]

  @Test func everyFormCanBeWritten() {
    var count = 0
    for (form, meaning) in StatementForms.all {
      #expect(!meaning.isEmpty, "\(form)")
      for line in Self.written(form[...]) {
        var text = ""
        var word = ""
        for character in line + "\n" {
          if character.isLetter {
            word.append(character)
            continue
          }
          text += Self.examples[word] ?? word
          word = ""
          text += character == "…" ? (form.hasPrefix("format") ? "\nvalue is u8\n" : "\nprint 1\n") : String(character)
        }
        let parsed = RecipeFile.parse(Array(text.utf8), name: "form.ble")
        #expect(parsed.diagnostics.isEmpty, "\(text): \(parsed.diagnostics.map(\.message))")
        count += 1
      }
    }
    #expect(count > 250)
  }

  // MARK: undo

  @Test func undoRemovesHandlersAndTimers() throws {
    let prompt = try PromptFixture([
      "let n = 0", "every 1s: set n to n + 1", "wait 3500ms", "undo", "wait 5s", "n", "undo 2", "undo 77", "undo 3", "undo x",
    ])
    #expect(try prompt.run() == 3)
    #expect(prompt.output == ["3"], "\(prompt.fixture.errors)")
    #expect(prompt.states == [.done, .undone, .done, .done, .done, .done])
    for text in [
      "entry 2 undone", "entry 2 is already undone", "there is no entry 77", "entry 3 declared nothing", "`x` is not the number",
    ] {
      #expect(prompt.fixture.errors.contains(text), "\(text): \(prompt.fixture.errors)")
    }
  }

  @Test func undoRemovesNames() throws {
    let prompt = try PromptFixture([
      "let a = 1", "let b = a", "undo 1", "a", "b", "let a = 7", "a", "names", "let battery_level = 0x2A38", "undo",
      "scan for heart_rate", "connect", "read battery_level",
    ])
    #expect(try prompt.run() == 3)
    #expect(prompt.output == ["1", "7", "Strap 7", "97"], "\(prompt.fixture.errors)")
    #expect(prompt.fixture.errors.contains("nothing is named `a`"))
  }

  @Test func undoRestoresReplacedDeclarations() throws {
    let prompt = try PromptFixture([
      "procedure f(x): return x", "procedure f(x): return x * 2", "f(4)", "undo 2", "f(4)", "undo 1", "f(4)",
      "format battery_level", "  percent is u8", "end", "scan for heart_rate", "connect", "read battery_level", "undo 8",
      "read battery_level",
    ])
    _ = try prompt.run()
    #expect(prompt.output == ["8", "4", "Strap 7", "percent=97", "97"], "\(prompt.fixture.errors)")
    #expect(prompt.fixture.errors.contains("f(4)"), "\(prompt.fixture.errors)")
  }

  @Test func undoDoesNotRevertWrites() throws {
    let prompt = try PromptFixture(
      [
        "scan for heart_rate", "connect", "on stop: print 1\nwrite hex \"01\" to heart_rate_control_point\n", "undo",
      ].flatMap { $0.split(separator: "\n").map(String.init) }, devices: PromptTests.slow)
    _ = try prompt.run()
    let joined = try PromptFixture(
      [
        "scan for heart_rate", "connect", "if true", "  write hex \"01\" to heart_rate_control_point", "  let done = true", "end",
        "undo",
      ],
      devices: PromptTests.slow)
    #expect(try joined.run() == 0)
    #expect(
      joined.fixture.errors.contains("entry 3 undone; it had written heart_rate_control_point, which stays"),
      "\(joined.fixture.errors)")
  }

  // MARK: retry, services, events

  @Test func retryRepeatsAFailedEntry() throws {
    let prompt = try PromptFixture([
      "retry", "let n = 0", "if true", "  set n to n + 1", "  if n is 1: fail \"no\"", "end", "retry", "n",
    ])
    #expect(try prompt.run() == 3)
    #expect(prompt.output == ["2"], "\(prompt.fixture.errors)")
    #expect(prompt.states == [.done, .failed, .done, .done])
  }

  @Test func servicesAreListed() throws {
    let prompt = try PromptFixture(
      ["services", "scan for heart_rate", "connect", "discover everything", "services"], format: .json)
    _ = try prompt.run()
    #expect(prompt.output.first?.contains("\"state\":\"refused\"") == true)
    let last = try #require(prompt.output.last)
    #expect(last.hasPrefix("{\"entry\":5,\"state\":\"done\",\"value\":[{\"service\":"), "\(last)")
    #expect(last.contains("\"name\":\"battery_level\"") && last.contains("\"can\":[\"read\""), "\(last)")
  }

  @Test func reportsEventsThatNoHandlerTakes() throws {
    let prompt = try PromptFixture([
      "scan for heart_rate", "connect", "subscribe to heart_rate_measurement", "wait 3s", "events on", "wait 3s",
      "on notify heart_rate_measurement as beat: print \"mine\"", "wait 3s", "events off", "events",
    ])
    #expect(try prompt.run() == 3)
    let told = prompt.fixture.errors.ranges(of: "Strap 7: heart_rate_measurement").count
    #expect((1...4).contains(told), "\(prompt.fixture.errors)")
    #expect(prompt.output.contains("mine"))
  }

  // MARK: save recipe

  @Test func aSessionBecomesARecipe() throws {
    let prompt = try PromptFixture([
      "let n = 1", "n", "let n = n + 1", "fail \"no\"", "scan for heart_rate", "connect", "read battery_level as level",
      "level / 2",
      "procedure twice(x): return x", "procedure twice(x): return x * 2", "append \"{twice(n)} {level}\" to \"log.txt\"",
      "every 1h: print n", "undo", "save recipe \"out.ble\"", "save recipe out.ble", "save recipe",
      "save recipe  two  words.ble ",
    ])
    #expect(try prompt.run() == 1, "\(prompt.fixture.errors)")
    let text = try #require(prompt.fixture.playground.content("out.ble"), "\(prompt.fixture.errors)")
    #expect(
      text == """
        let n = 1
        set n to n + 1
        scan for heart_rate
        connect
        read battery_level as level
        procedure twice(x): return x * 2
        append "{twice(n)} {level}" to "log.txt"

        """)
    #expect(prompt.fixture.errors.contains("out.ble already exists"))
    #expect(prompt.fixture.playground.content("two  words.ble") == text)
    let log = try #require(prompt.fixture.playground.content("log.txt"))
    let again = try Fixture(recipe: text, devices: "recipes/devices/heart-rate-strap.ble")
    try again.start()
    _ = again.world.run(for: .minutes(1))
    #expect(again.world.session?.exitStatus.code == 0, "\(again.errors)")
    #expect(again.playground.content("log.txt") == log)
  }

  /// Entries that need what a failed one gave are left out with it, so that the recipe is valid.
  @Test(arguments: [
    (["let x = 1; fail \"no\"", "append \"{x}\" to \"log.txt\"", "let z = x + 1", "let k = 4", "print k"], [2, 3]),
    (
      ["scan for heart_rate as dev; fail \"no\"", "connect to dev", "read battery_level as level", "print level", "print 1"],
      [2, 3, 4]
    ),
    (["let x = 3; expect false", "set x to 4", "print x", "procedure f(): print 1", "f()"], [2, 3]),
    (["let b = 2; fail \"no\"", "on notify heart_rate_measurement as h: print h, b", "print 2"], [2]),
    (["scan for heart_rate", "connect", "read 0xFFFF as b", "let x = 1", "fail \"no\"", "print x"], []),
  ])
  func aSavedRecipeNeedsNoFailedEntry(entries: [String], left: [Int]) throws {
    let prompt = try PromptFixture(entries + ["save recipe out.ble"])
    _ = try prompt.run()
    let text = try #require(prompt.fixture.playground.content("out.ble"), "\(prompt.fixture.errors)")
    for number in 1...entries.count {
      #expect(
        prompt.fixture.errors.contains("entry \(number) is left out") == left.contains(number), "\(prompt.fixture.errors)")
    }
    let loaded = RecipeLoader.parse(name: "out.ble", Array(text.utf8))
    #expect(!loaded.hasErrors && !text.contains("fail "), "\(text) \(loaded.findings)")
  }

  /// Each name needs the same repair; the check lists only so many of them.
  @Test(arguments: [9, 101, 210]) func manyValuesAreMovedUp(_ count: Int) throws {
    let entries = (0..<count).flatMap {
      ["let v\($0) = \($0)", "procedure p\($0)(x): append x + v\($0) to \"log.txt\"", "p\($0)(1)"]
    }
    let prompt = try PromptFixture(["scan for heart_rate", "connect"] + entries + ["save recipe out.ble"])
    #expect(try prompt.run() == 0, "\(prompt.fixture.errors)")
    #expect(!prompt.fixture.errors.contains("left out"), "\(prompt.fixture.errors)")
    let text = try #require(prompt.fixture.playground.content("out.ble"), "\(prompt.fixture.errors)")
    let again = try Fixture(recipe: text, devices: "recipes/devices/heart-rate-strap.ble")
    try again.start()
    _ = again.world.run(for: .minutes(1))
    #expect(again.playground.content("log.txt") == prompt.fixture.playground.content("log.txt"), "\(again.errors)")
  }

  /// What only an entry did that is not in the recipe is said.
  @Test(arguments: [
    (["let n = 0", "for each x in [1, 2]: set n to n + x; expect x is 1", "n"], "entry 2 did not complete: nothing of it is"),
    (["let v = 2", "let v = 1 / 0", "undo 2", "undo 1", "print 1"], "entry 2 did not complete: nothing of it is"),
    (["let w = 1", "every 500ms: set w to w + 1", "wait 1200ms", "undo", "w"], "entry 2 was undone: what its handlers did is not"),
    (["let v = 1 / 0", "print [1][v] otherwise print 2"], "no entry makes sense without those that failed"),
  ])
  func whatARecipeDoesNotRepeatIsSaid(entries: [String], told: String) throws {
    let prompt = try PromptFixture(entries + ["save recipe out.ble"])
    _ = try prompt.run()
    #expect(prompt.fixture.errors.contains(told), "\(prompt.fixture.errors)")
    #expect(!(prompt.fixture.playground.content("out.ble") ?? "").contains("/ 0"))
    #expect(!prompt.fixture.errors.contains("error[T2"), "\(prompt.fixture.errors)")
  }

  /// `let` may give a name another attribute, which `set` cannot.
  @Test func anotherAttributeGetsANewName() throws {
    let prompt = try PromptFixture([
      "scan for heart_rate", "connect", "let x = 0x2a19", "read x", "append \"{it}\" to \"log.txt\"",
      "let x_2 = 5", "let x = 0x2a38", "read x as y", "append \"{y} {x_2}\" to \"log.txt\"",
      "procedure f(x): return x + 1", "append \"{f(1)} {x}\" to \"log.txt\"", "let x = 0x2a19", "read x",
      "let x = 7", "append \"{x} {{x: x}.x}\" to \"log.txt\"", "let x = 8", "append \"{x}\" to \"log.txt\"",
      "save recipe out.ble",
    ])
    _ = try prompt.run()
    #expect(!prompt.fixture.errors.contains("error["), "\(prompt.fixture.errors)")
    let text = try #require(prompt.fixture.playground.content("out.ble"), "\(prompt.fixture.errors)")
    let log = try #require(prompt.fixture.playground.content("log.txt"))
    #expect(text.contains("let x_3 = 0x2a38\nread x_3 as y\n"), "\(text)")
    let again = try Fixture(recipe: text, devices: "recipes/devices/heart-rate-strap.ble")
    try again.start()
    _ = again.world.run(for: .minutes(1))
    #expect(again.world.session?.exitStatus.code == 0, "\(text) \(again.errors)")
    #expect(again.playground.content("log.txt") == log, "\(text)")
  }

  /// What was undone is in the recipe if entries that are not undone use it, and only then.
  @Test(arguments: [
    (["let a = 1", "let b = a", "undo 1", "append \"{b}\" to \"log.txt\""], [1], 3),
    (["let a = 1", "let b = a + 1", "undo 1", "let a = 7", "append \"{a} {b}\" to \"log.txt\"", "b"], [1], 4),
    (["let c = 5", "procedure f(x): return x + 1", "append \"{f(1)}\" to \"log.txt\"", "undo 2", "undo 1"], [2], 2),
    (["let a = 1", "undo 1", "append \"x\" to \"log.txt\""], [], 1),
    (
      ["let a = 1", "procedure p(x): return x + a", "append \"{p(4)}\" to \"log.txt\"", "let a = 50", "undo 1"], [1], 4
    ),
    (
      ["let a = 1", "let a = 2", "append \"{a}\" to \"log.txt\"", "undo", "append \"{a}\" to \"log.txt\""], [2], 4
    ),
    (["let a = 1", "let a = 2", "append \"{a}\" to \"log.txt\"", "undo", "undo"], [1, 2], 3),
    (
      [
        "format battery_level", "  percent is u8", "end", "scan for heart_rate", "connect", "read battery_level as b",
        "append \"{b}\" to \"log.txt\"", "undo 1",
      ], [1], 5
    ),
    (
      [
        "procedure f(a): return a * 2", "let v = f(4)", "append \"{v}\" to \"log.txt\"", "undo 1", "procedure f(a): return a * 100",
        "append \"{f(1)}\" to \"log.txt\"",
      ], [1], 5
    ),
    (
      [
        "let a = 2", "procedure f(): return a", "append \"{f()}\" to \"log.txt\"", "let a = 3", "undo 4",
        "append \"{f()}\" to \"log.txt\"",
      ], [4], 5
    ),
    (
      [
        "procedure f(): return 1", "procedure f(): return 2", "append \"{f()}\" to \"log.txt\"", "undo 2",
        "append \"{f()}\" to \"log.txt\"",
      ], [2], 4
    ),
    (["let a = 1", "let b = a", "undo 2", "undo 1", "append \"x\" to \"log.txt\"", "7"], [], 1),
    // A word in a text is no use, nor is what an entry declares itself.
    (["let lamp = 5", "append \"lamp\" to \"log.txt\"", "undo"], [], 1),
    (["for each x in [1]: set x to x + 1", "for each x in [2]: append \"{x}\" to \"log.txt\"", "undo 1"], [], 1),
    (["let c = 1", "let c = c + 1", "append \"{c}\" to \"log.txt\"", "undo 1"], [1], 3),
    // The value of an undone `let` stays if the name has an earlier one.
    (["let v = 3", "let v = 35", "undo", "append \"{v}\" to \"log.txt\""], [2], 3),
    // A `let` after a wait that a procedure uses: it is moved up, or begins with `nothing`.
    (
      [
        "scan for heart_rate", "connect", "let n = 40", "procedure f(): append \"{n}\" to \"log.txt\"", "f()", "set n to n + 1",
        "f()",
      ], [], 7
    ),
    (
      [
        "scan for heart_rate", "connect", "read battery_level as level", "let twice = level * 2",
        "procedure g(): append \"{level} {twice}\" to \"log.txt\"", "g()",
      ], [], 6
    ),
  ])
  func aSavedRecipeHasWhatItsEntriesUse(entries: [String], undone: [Int], count: Int) throws {
    let prompt = try PromptFixture(entries + ["save recipe out.ble"])
    #expect(try prompt.run() == 0, "\(prompt.fixture.errors)")
    let text = try #require(prompt.fixture.playground.content("out.ble"), "\(prompt.fixture.errors)")
    for number in 1...entries.count {
      #expect(
        prompt.fixture.errors.contains("entry \(number) is undone, but it is in the recipe") == undone.contains(number),
        "\(prompt.fixture.errors)")
    }
    #expect(prompt.fixture.errors.contains("saved \(count) entr"), "\(text) \(prompt.fixture.errors)")
    let log = try #require(prompt.fixture.playground.content("log.txt"))
    let again = try Fixture(recipe: text, devices: "recipes/devices/heart-rate-strap.ble")
    try again.start()
    _ = again.world.run(for: .minutes(1))
    #expect(again.playground.content("log.txt") == log, "\(text) \(again.errors)")
  }

  @Test func handlersOfASavedSessionGetTime() throws {
    let prompt = try PromptFixture([
      "on notify heart_rate_measurement as beat: print beat.bpm", "scan for heart_rate", "connect",
      "subscribe to heart_rate_measurement", "save recipe out.ble",
    ])
    _ = try prompt.run()
    #expect(prompt.fixture.playground.content("out.ble")?.hasSuffix("\nreconnect forever\n") == true, "\(prompt.fixture.errors)")
  }

  /// A handler of a recipe is active from its start, not only from where it was typed.
  @Test(arguments: [
    (["scan for heart_rate", "connect", "on connect: print 1", "every 1s: print 2"], "entries 3 and 4"),
    (["let n = 1", "every 1s: print n", "wait 10ms", "print n"], nil),
    (["wait 10ms", "procedure f(): print 1", "on stop: f()"], "entry 3"),
  ])
  func lateHandlersOfASavedSessionAreNamed(entries: [String], named: String?) throws {
    let prompt = try PromptFixture(entries + ["save recipe out.ble"])
    _ = try prompt.run()
    let errors = prompt.fixture.errors
    #expect(prompt.fixture.playground.content("out.ble") != nil, "\(errors)")
    #expect(errors.contains("active from the start") == (named != nil), "\(errors)")
    if let named { #expect(errors.contains("the handlers of \(named) are active from the start of the recipe"), "\(errors)") }
  }

  // MARK: Kills

  private static let isFull = getenv("FULL") != nil

  private static let session = [
    "let n = 0", "every 1s: append \"tick\" to \"ticks.txt\"", "procedure f(x): return x", "wait 2500ms", "undo 2",
    "procedure f(x): return x + 1", "undo 6", "repeat 1 times: set n to n + 1; expect n is 2", "retry", "undo 1", "let n = 40",
    "append \"{n} {f(1)}\" to \"log.txt\"", "n + f(1)",
  ]

  @Test func aKillAnywhereChangesNothing() throws {
    let whole = try PromptFixture(Self.session)
    #expect(try whole.run() == 4, "\(whole.fixture.errors)")
    #expect(whole.output == ["41"])
    let (log, ticks) = (whole.fixture.playground.content("log.txt"), whole.fixture.playground.content("ticks.txt"))
    #expect(log == "40 1\n" && ticks == "tick\ntick\n")
    let count = whole.fixture.world.session?.effectCount ?? 0
    for number in stride(from: 1, through: count, by: Self.isFull ? 1 : 3) {
      for side in [EffectPoint.Side.before, .after] {
        let prompt = try PromptFixture(Self.session)
        try prompt.start(hook: { $0.number == number && $0.side == side ? .kill : .goOn })
        guard prompt.fixture.world.run(for: .minutes(10)) == .killed else { continue }
        try prompt.run()
        let place = "effect \(number) \(side)"
        #expect(prompt.fixture.playground.content("log.txt") == log, "\(place): \(prompt.fixture.errors)")
        #expect(prompt.fixture.playground.content("ticks.txt") == ticks, "\(place): \(prompt.fixture.errors)")
        #expect(prompt.states == whole.states, "\(place): \(prompt.states)")
        #expect(prompt.output.contains("41"), "\(place): \(prompt.output)")
      }
    }
  }
}
