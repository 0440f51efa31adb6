import Exchange
import Testing
import Vocabulary

@testable import Runner

/// The pairs of the language reference: how a killed run continues with an edited recipe.
@Suite struct AlignmentTests {
  static func edited(_ before: String, _ after: String, advance: TimeSpan = .zero) throws -> (
    Bench, Result<Alignment, AlignmentConflict>
  ) {
    var bench = try Bench(before)
    bench.advance(advance)
    let snapshot = try Snapshot(rows: bench.rows.map { Commit.Row($0.key, $0.value) })
    return (bench, try snapshot.aligned(from: bench.machine.program, to: try Bench.program(after)))
  }

  static func resumed(_ before: String, _ after: String, advance: TimeSpan = .zero) throws -> Bench {
    let (old, result) = try edited(before, after, advance: advance)
    var bench = old
    let alignment = try result.get()
    bench.now = bench.now + .seconds(2)
    bench.machine = try Machine(
      program: try Bench.program(after), restoring: alignment.snapshot, remembered: old.remembered, inputs: [],
      environment: MachineEnvironment(seed: 2, bootID: "boot"), past: PastRun(reason: .killed, at: old.now, isEdited: true),
      at: bench.now)
    bench.host(.adapterReady(Bench.adapter))
    return bench
  }

  static func conflict(_ before: String, _ after: String, advance: TimeSpan = .zero) throws -> AlignmentConflict? {
    if case .failure(let conflict) = try edited(before, after, advance: advance).1 { conflict } else { nil }
  }

  @Test func commentsAndNeighboursDoNotMatter() throws {
    var bench = try Self.resumed(
      "log \"a\"\nwait 1h  # tea\nprint \"done\"\n", "log \"a\"\nlog \"linked\"\nwait 1h\nprint \"done\"\n")
    bench.advance(.hours(1))
    #expect(bench.printed == ["done"])
    #expect(bench.logged == ["a"])
  }

  @Test func aConstantIsText() throws {
    var bench = try Self.resumed("let limit = 30\nwait 1h\nprint limit\n", "let limit = 40\nwait 1h\nprint limit\n")
    bench.advance(.hours(1))
    #expect(bench.printed == ["40"])
  }

  /// A name that an edit adds has its value, or fails as one without a value; it is never a value
  /// that prints as nothing.
  @Test(arguments: [
    (
      "computed from a kept one", "let t = [8][random(0, 0)]\nWAIT", "let t = [7][random(0, 0)]\nlet y = t + 1\nWAITprint y\n",
      ["9"]
    ),
    ("computed from a new one", "WAIT", "let t = [3][random(0, 0)]\nlet y = t + 1\nWAITprint y\n", ["4"]),
    ("from a procedure", "WAIT", "procedure f(x)\n  return x\nend\nlet y = f(4)\nWAITprint y\n", ["`y` has no value yet"]),
    ("from a failed one", "WAIT", "let y = [1][random(4, 5)]\nWAITprint y\n", ["`y` has no value yet"]),
    ("in a text", "WAIT", "let y = [1][random(4, 5)]\nWAITprint \"<{y}>\"\n", ["`y` has no value yet"]),
    ("appended to", "WAIT", "let y = [[1]][random(4, 5)]\nWAITset y to y + [1]\nprint y\n", ["`y` has no value yet"]),
    ("changed in part", "WAIT", "let y = [{a: 1}][random(4, 5)]\nWAITset y.a to 2\nprint y\n", ["`y` has no value yet"]),
    (
      "in a procedure", "procedure f(x)\n  WAIT  print x\nend\nf(4)\n",
      "procedure f(x)\n  let y = 30\n  WAIT  print \"{x} {y}\"\nend\nf(4)\n", ["`y` has no value yet"]
    ),
    (
      "in a procedure, changed in part", "procedure f(x)\n  WAIT  print x\nend\nf(4)\n",
      "procedure f(x)\n  let y = {a: 1}\n  WAIT  set y.a to x\n  print y\nend\nf(4)\n", ["`y` has no value yet"]
    ),
    (
      "renamed in a procedure", "procedure f()\n  let a = 1\n  WAIT  print a\nend\nf()\n",
      "procedure f()\n  let c = 1\n  WAIT  print c is nothing\nend\nf()\n", ["`c` has no value yet"]
    ),
    (
      "in a timer", "after 1s\n  WAIT  print 1\nend\nwait 2h\n", "after 1s\n  let y = 3\n  WAIT  print y\nend\nwait 2h\n",
      ["`y` has no value yet"]
    ),
    (
      "in a branch", "for each x in [1] at once\n  WAIT  print x\nend\n",
      "for each x in [1] at once\n  let y = 2\n  WAIT  append \"{y}\" to \"f\"\nend\n", ["`y` has no value yet"]
    ),
    (
      "the name of a loop", "procedure f()\n  WAIT  print 0\nend\nf()\n",
      "procedure f()\n  for each y in [1, 2]: log \"{y}\"\n  WAIT  print y\nend\nf()\n", ["`y` has no value yet"]
    ),
    ("late, changed in part", "wait 1s\nWAIT", "wait 1s\nlet y = {a: 1}\nWAITset y.a to 2\nprint y\n", ["`y` has no value yet"]),
    ("a constant that fails", "WAIT", "let y = [1][4]\nWAITprint y\n", ["`y` has no value yet"]),
    ("a remembered one that fails", "WAIT", "remember y = [1][random(4, 5)]\nWAITprint y\n", ["`y` has no value yet"]),
    ("remembered", "WAIT", "remember q = 3\nWAITset q to q + 1\nprint q\n", ["4"]),
    ("a constant that is set now", "let n = 5\nWAITprint n\n", "let n = 5\nWAITset n to n + 1\nprint n\n", ["6"]),
    ("moved above the place", "WAITlet n = 5\nprint n\n", "let n = [6][random(0, 0)]\nWAITprint n\n", ["6"]),
    ("remembered now", "let n = 0\nset n to 8\nWAITprint n\n", "remember n = 0\nWAITset n to n + 1\nprint n\n", ["9"]),
    ("a constant, remembered now", "let n = 1\nWAITprint n\n", "remember n = 2\nWAITset n to n + 1\nprint n\n", ["3"]),
    ("not remembered any more", "remember n = 0\nset n to 8\nWAITprint n\n", "let n = 0\nWAITset n to n + 1\nprint n\n", ["9"]),
    ("not remembered any more, a constant", "remember n = 0\nset n to 8\nWAITprint n\n", "let n = 4\nWAITprint n\n", ["4"]),
    ("an input now", "let n = 0\nset n to 8\nWAITprint n\n", "input n: number = 4 \"N\"\nWAITprint n\n", ["4"]),
    ("not an input any more", "input n: number = 8 \"N\"\nWAITprint n\n", "let n = [3][random(0, 0)]\nWAITprint n\n", ["8"]),
  ])
  func aNameThatAnEditAddsIsNoPhantom(_ what: String, before: String, after: String, expected: [String]) throws {
    // The second kill finds what the first resumed run has stored.
    func recipe(_ text: String) -> String { text.replacing("WAIT", with: "wait 1h\n") }
    var bench = try Self.resumed(recipe(before), recipe(after), advance: .minutes(10))
    try bench.kill()
    bench.advance(.hours(2))
    #expect(bench.printed + bench.failures.map(\.message) == expected, "\(what)")
  }

  /// Attributes of a served peripheral keep their values wherever an edit moves them, and new ones
  /// have their first values.
  @Test func aServedAttributeKeepsItsValue() throws {
    func recipe(_ numbers: [Int]) -> String {
      let all = numbers.map { "    characteristic 0xFFF\($0) can read, notify starts as hex \"0\($0)\"\n" }.joined()
      return "peripheral p\n  advertise 0xFFF0\n  service 0xFFF0\n\(all)  end\nend\nserve p\nwait 1h\n"
    }
    var bench = try Bench(recipe([1, 2]))
    bench.advance(.seconds(1))
    #expect(bench.machine.server.values == [[1], [2]])
    bench.machine.server.set(ServerAttributeID(0), [9])
    var snapshot = try Snapshot(rows: bench.rows.map { Commit.Row($0.key, $0.value) })
    snapshot.served[0] = [9]
    snapshot.server.orders = [ServerState.Order(operation: OperationID(5), kind: .update(ServerAttributeID(1)))]
    for (numbers, values, updated) in [
      ([3, 1, 2], [[3], [9], [2]], 2), ([2, 1], [[2], [9]], 0), ([2], [[2]], 0), ([1, 2, 4], [[9], [2], [4]], 1),
    ] as [([Int], [[UInt8]], Int)] {
      let new = try Bench.program(recipe(numbers))
      let aligned = try snapshot.aligned(from: bench.machine.program, to: new).get().snapshot
      #expect(aligned.server.orders.map(\.kind) == [.update(ServerAttributeID(updated))], "\(numbers)")
      let machine = try Machine(
        program: new, restoring: aligned, remembered: [], inputs: [], environment: MachineEnvironment(seed: 2, bootID: "boot"),
        past: PastRun(reason: .killed, at: bench.now, isEdited: true), at: bench.now)
      #expect(machine.server.values == values, "\(numbers)")
    }
  }

  /// The new text decides what a failure inside a running `try` does.
  @Test(arguments: [
    ("try\n  BODYotherwise\n  print \"old\"\nend\n", "try\n  BODYend\n", ["f"]),
    ("try\n  BODYend\n", "try\n  BODYotherwise\n  print \"new\"\nend\n", ["new", "done"]),
    ("try\n  BODYotherwise\n  print \"old\"\nend\n", "try\n  BODYotherwise\n  print \"new\"\nend\n", ["new", "done"]),
    ("try 2 times\n  BODYotherwise\n  print \"old\"\nend\n", "try 2 times\n  BODYend\n", ["f"]),
  ])
  func aRunningTryHasItsNewOtherwise(before: String, after: String, expected: [String]) throws {
    func recipe(_ text: String) -> String { text.replacing("BODY", with: "wait 1h\n  fail \"f\"\n") + "print \"done\"\n" }
    var bench = try Self.resumed(recipe(before), recipe(after), advance: .minutes(10))
    try bench.kill()
    bench.advance(.hours(6))
    #expect(Array((bench.failures.map(\.message) + bench.printed).prefix(expected.count)) == expected, "\(before) → \(after)")
    #expect((bench.printed + bench.failures.map(\.message)).count == expected.count)
  }

  @Test func aNewEarlyVariableAndItsTimerBegin() throws {
    var bench = try Self.resumed(
      "let n = 0\nwait forever\n",
      "let n = 0\nlet beats = 0\nevery 1h\n  set beats to beats + 1\n  print beats\nend\nwait forever\n")
    bench.advance(.hours(2))
    #expect(bench.printed == ["1", "2"])
  }

  @Test func aLiveStatementThatChangedIsRefused() throws {
    let conflict = try Self.conflict(
      "connect to C4:7C:8D:6A:12:0F when it appears\n", "connect to C4:7C:8D:6A:12:0F within 10s\n")
    #expect(conflict?.oldPlace == "line 1")
    #expect(conflict?.oldText == "connect to C4:7C:8D:6A:12:0F when it appears")
  }

  @Test func aHeaderAroundItThatChangedIsRefused() throws {
    #expect(try Self.conflict("repeat 3 times\n  wait 1s\nend\n", "repeat 5 times\n  wait 1s\nend\n") != nil)
  }

  /// A run at one of several equal statements skips nothing and does nothing twice.
  @Test(arguments: [
    ("without what is done", ["close", "report", "end"], false),
    ("with a step before it", ["open", "new", "close", "report", "end"], false),
    ("with a step after it", ["open", "close", "report", "new", "end"], true),
    ("without the next step", ["open", "close", "end"], true),
    ("with the next step before the last one", ["open", "report", "close", "end"], false),
    ("with the last step at the end", ["open", "report", "end", "close"], false),
    ("with the next steps in another order", ["open", "close", "end", "report"], true),
    ("unchanged", ["open", "close", "report", "end"], true),
  ])
  func ofEqualStatementsTheLiveOneContinues(_ what: String, steps: [String], isClear: Bool) throws {
    for form in ["print \"STEP\"\nwait 3s\n", "print \"STEP\"\npause()\n", "print \"STEP\"\nrepeat 1 times\n  wait 3s\nend\n"] {
      let head = "procedure pause()\n  wait 3s\nend\n"
      func recipe(_ steps: [String]) -> String { head + steps.map { form.replacing("STEP", with: $0) }.joined() }
      // It waits after "close".
      let before = recipe(["open", "close", "report", "end"])
      let conflict = try Self.conflict(before, recipe(steps), advance: .milliseconds(4500))
      #expect((conflict == nil) == isClear, "\(what): \(form)")
      if conflict != nil { continue }
      var bench = try Self.resumed(before, recipe(steps), advance: .milliseconds(4500))
      bench.advance(.minutes(1))
      let rest = steps[(steps.firstIndex(of: "close") ?? 0)...].dropFirst()
      #expect(bench.printed == ["open", "close"] + rest, "\(what): \(form)")
    }
  }

  /// Loops have hidden variables, which an edit of another loop renumbers.
  @Test(arguments: 0...3, 0...3) func aLoopKeepsItsPlaceWhateverLoopsAreAround(before: Int, after: Int) throws {
    let others = [
      "repeat 2 times\n  log \"x\"\nend\n", "for each y in [8, 9]\n  log \"y\"\nend\n", "repeat while false: log \"z\"\n",
    ]
    let loops = [
      "for each x in [1, 2, 3]\n  wait 10s\n  print x\nend\n", "repeat 3 times\n  wait 10s\n  print \"r\"\nend\n",
      "for each x in [1, 2, 3]\n  repeat 1 times\n    wait 10s\n    print x\n  end\nend\n",
      "try\n  for each x in [1, 2, 3]\n    wait 10s\n    print x\n  end\notherwise\n  print \"lost\"\nend\n",
    ]
    for loop in loops {
      for (place, form) in ["LINES", "procedure f()\n  log \"f\"\n  LINES\nend\nf()\n"].enumerated() {
        func recipe(_ count: Int) -> String {
          form.replacing("LINES", with: others.prefix(count).joined() + loop + others.prefix(count).joined())
        }
        var bench = try Self.resumed(recipe(before), recipe(after), advance: .seconds(15))
        bench.advance(.minutes(2))
        let all = loop.contains("print x") ? ["1", "2", "3"] : ["r", "r", "r"]
        #expect(bench.printed == all, "\(before) → \(after), \(place): \(loop)")
      }
    }
  }

  @Test func removingOneOfTwoEqualStatementsIsRefused() throws {
    let before = "wait 1s\nlog \"x\"\nwait 1s\n"
    #expect(try Self.conflict(before, "log \"x\"\nwait 1s\n", advance: .milliseconds(1500)) != nil)
    #expect(try Self.conflict(before, "wait 1s\nlog \"x\"\n", advance: .milliseconds(1500)) != nil)
  }

  @Test func loopsKeepTheirPlace() throws {
    var bench = try Self.resumed(
      "for each x in [1, 2, 3]\n  repeat 2 times\n    wait 10s\n    print x\n  end\nend\n",
      "let other = [9]\nfor each x in [1, 2, 3]\n  repeat 2 times\n    wait 10s\n    print x\n  end\nend\n", advance: .seconds(25))
    bench.advance(.minutes(2))
    #expect(bench.printed == ["1", "1", "2", "2", "3", "3"])
  }

  /// A removed set-up statement stays in the set-up, and does not get the `otherwise` of another
  /// one.
  @Test func aRemovedStatementHasNoOtherwise() throws {
    let tail = "scan for heart_rate\nconnect\nsubscribe to heart_rate_measurement\nwait forever\n"
    var bench = try LinkTests.connected("let n = 0\nset n to [1][0] otherwise print \"not mine\"\n" + tail)
    bench.host(.completed(try LinkTests.gatt(bench).0, .success(.subscribed(LinkTests.measurement, .notify))))
    let snapshot = try Snapshot(rows: bench.rows.map { Commit.Row($0.key, $0.value) })
    let new = try Bench.program(
      "let n = [1][0] otherwise print \"not mine\"\nscan for heart_rate\nconnect\nwait forever\n")
    let aligned = try snapshot.aligned(from: bench.machine.program, to: new).get()
    let item = try #require(aligned.snapshot.devices.first { !$0.setUp.isEmpty }?.setUp.first)
    #expect(!new.statements.indices.contains(item.statement))
    #expect(new.tries.count == 1 && new.statements.indices.contains(0))
  }

  /// Statements whose first parts are equal: the lines of both texts, and for each old line its
  /// number in the new text (0 if it is gone).
  static let equals: [(name: String, before: [String], after: [String], lines: [Int])] = [
    ("above", ["A otherwise B"], ["A", "A otherwise B"], [2]),
    ("below", ["A otherwise B"], ["A otherwise B", "A"], [1]),
    ("plain above", ["A"], ["A otherwise B", "A"], [2]),
    ("plain below", ["A"], ["A", "A otherwise B"], [1]),
    ("swapped", ["A", "A otherwise B"], ["A otherwise B", "A"], [2, 1]),
    ("first removed", ["A", "A otherwise B"], ["A otherwise B"], [0, 1]),
    ("second removed", ["A", "A otherwise B"], ["A"], [1, 0]),
    ("others differ", ["A otherwise B", "A otherwise C"], ["A otherwise C", "A otherwise B"], [2, 1]),
    ("otherwise edited", ["A otherwise B"], ["A otherwise C"], [1]),
    ("otherwise added", ["A"], ["A otherwise B"], [1]),
    ("one of two edited", ["A", "A otherwise B"], ["A", "A otherwise C"], [1, 2]),
    ("edited below a new one", ["A otherwise B", "A"], ["A", "A otherwise C", "A"], [2, 3]),
    ("all equal, above", ["A", "A"], ["A", "A", "A"], [1, 2]),
    ("all equal, removed", ["A", "A"], ["A"], [1, 0]),
    (
      "blocks", ["try", "  A", "otherwise", "  B", "end"],
      ["try", "  C", "otherwise", "  C", "end", "try", "  A", "otherwise", "  B", "end"], [6, 7, 8, 9, 10]
    ),
    ("one-line try", ["try: A otherwise B"], ["try: A otherwise C", "try: A otherwise B"], [2]),
    ("loops", ["repeat 2 times", "  A", "end"], ["repeat 2 times", "  B", "end", "repeat 2 times", "  A", "end"], [4, 5, 6]),
    ("a loop with an edit inside", ["repeat 2 times", "  A", "end"], ["repeat 2 times", "  B", "  A", "end"], [1, 3, 4]),
    ("handlers", ["every 1h", "  A", "end"], ["every 1h", "  B", "end", "every 1h", "  A", "end"], [4, 5, 6]),
    ("a branch removed", ["if true", "  A", "else", "  A", "end"], ["if true", "  A", "end"], [1, 2, 0, 0, 3]),
    (
      "else edited", ["if true", "  A", "else if 1 is 2", "  A", "end"], ["if true", "  A", "else if 1 is 3", "  A", "end"],
      [1, 2, 0, 0, 5]
    ),
    (
      "an else above", ["if true", "  B", "else", "  A", "end"], ["if true", "  B", "else if 1 is 2", "  A", "else", "  A", "end"],
      [1, 2, 0, 6, 7]
    ),
  ]

  /// Statements are matched by their whole text, then by their first part, then by their order.
  @Test(arguments: equals.indices, ["wait 10s", "print \"a\"", "set n to 1", "try: wait 10s otherwise print \"t\""])
  func equalStatementsKeepTheirOtherwise(row: Int, action: String) throws {
    let (name, before, after, lines) = Self.equals[row]
    func program(_ lines: [String]) throws -> Program {
      let text = lines.map { line in
        line.replacing("A", with: action).replacing("B", with: "print \"b\"").replacing("C", with: "print \"c\"")
      }
      return try Bench.program("let n = 0\nset n to 2\n" + text.joined(separator: "\n") + "\n")
    }
    // A one-line `try` cannot contain another one or have a second `otherwise`.
    if action.hasPrefix("try"), (before + after).contains(where: { $0.contains("A otherwise") || $0.contains("try: A") }) { return }
    let (old, new) = (try program(before), try program(after))
    let map = StatementMap(from: old, to: new)
    var seen = 0
    for (id, statement) in old.statements.enumerated() where statement.unit >= 0 {
      let line = old.line(of: id).number - 2
      guard line > seen else { continue }
      seen = line
      let found = map.new[id].map { new.line(of: $0).number - 2 } ?? 0
      #expect(found == lines[line - 1], "\(name), line \(line): \(statement.normalized)")
    }
  }

  /// A set-up statement keeps its `otherwise` for later links if an equal statement is added.
  @Test func aSetUpStatementKeepsItsOtherwise() throws {
    let head = "let n = 0\nset n to 2\nscan for heart_rate\nconnect\n"
    let old = "subscribe to heart_rate_measurement otherwise print \"mine\"\n"
    for new in ["subscribe to heart_rate_measurement\n" + old, old + "subscribe to heart_rate_measurement\n"] {
      var bench = try LinkTests.connected(head + old + "wait forever\n")
      bench.host(.completed(try LinkTests.gatt(bench).0, .success(.subscribed(LinkTests.measurement, .notify))))
      let snapshot = try Snapshot(rows: bench.rows.map { Commit.Row($0.key, $0.value) })
      let program = try Bench.program(head + new + "wait forever\n")
      let aligned = try snapshot.aligned(from: bench.machine.program, to: program).get()
      let item = try #require(aligned.snapshot.devices.first { !$0.setUp.isEmpty }?.setUp.first)
      let line = program.line(of: item.statement).number
      #expect(new.split(separator: "\n")[line - 5].contains("otherwise"))
    }
  }

  /// An edit cannot add or remove the `otherwise` of the running statement. It can change it, and
  /// the `try` around it still catches failures.
  @Test func theOtherwiseOfTheLiveStatementIsPartOfIt() throws {
    let plain = "try\n  wait 1h\n  fail \"x\"\notherwise\n  print \"caught\"\nend\n"
    let more = plain.replacing("wait 1h", with: "wait 1h otherwise print \"w\"")
    #expect(try Self.conflict(plain, more)?.oldText == "wait 1h")
    #expect(try Self.conflict(more, plain)?.oldText == "wait 1h")
    var bench = try Self.resumed(more, more.replacing("\"w\"", with: "\"v\""))
    bench.advance(.hours(1))
    #expect(bench.printed == ["caught"])
  }
}
