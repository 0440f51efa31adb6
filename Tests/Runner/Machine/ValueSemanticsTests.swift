import Exchange
import Testing
import Vocabulary

@testable import Runner

/// Value semantics: a change in place affects one name only, happens completely or not at all, and
/// survives a kill.
@Suite struct ValueSemanticsTests {
  /// A procedure that is called by a later operand changes a variable that an earlier one has read.
  @Test func operandsAreEvaluatedFromLeftToRight() throws {
    let bench = try Bench(
      """
      let n = 1
      let l = [1, 2]
      let r = {n: 1, l: [1]}
      procedure more()
        set n to n + 10
        set l to l + [n]
        set r.n to r.n + 1
        set r.l to r.l + [r.n]
        return 1
      end
      print n + more(), n - (more() + 0), n is n + more() - 1, n < [more()][0] + n
      print count(l), l is [more(), 2], count(l)
      print l[more()], l[more() .. 5], n + more() if n > 0 else 0
      set r.n to r.n + more()
      set r.l to r.l + [more()]
      print r.n, count(r.l)
      set n to n + more()
      set l to l + [more()]
      print n, count(l)
      """)
    #expect(bench.printed == ["2 10 true true", "6 false 7", "2 [2,11,21,31] 72", "11 11", "112 14"], "\(bench.printed)")
  }

  /// The same for the operands of a statement. The message of `expect` is evaluated last.
  @Test func statementsReadTheirOperandsFromLeftToRight() throws {
    var bench = try Bench(
      """
      let t = "a"
      let n = 2
      procedure more(result)
        set t to t + "x"
        set n to n + 1
        return result
      end
      try
        fail t with code more(20)
      otherwise as why
        print why.message, t
      end
      try
        expect more(1) is 2, t
      otherwise as why
        print why.message, t
      end
      try
        expect more(1) is 1 and t is more("b"), "no {t}"
      otherwise as why
        print why.message
      end
      print t, "{t} {more(1)} {t}", [t, more(2), t], more(t), t
      let tries = 0
      set n to 2
      try n times every more(1ms)
        set tries to tries + 1
        fail "no"
      otherwise
        print tries, n
      end
      set t to "a"
      append {a: t, b: more(1), c: t} to "{t}.csv"
      """)
    bench.advance(.seconds(1))
    #expect(bench.failures.isEmpty, "\(bench.failures)")
    #expect(
      bench.printed == [
        "a ax", "axx axx", "no axxxx",
        "axxxx axxxx 1 axxxxx [\"axxxxx\",2,\"axxxxxx\"] axxxxxx axxxxxxx", "2 3",
      ], "\(bench.printed)")
    #expect(bench.files["ax.csv"]?.contains("a,1,ax") ?? false, "\(bench.files)")
  }

  // MARK: Compared with a model

  /// A second implementation of values, in which every change copies everything.
  indirect enum Model: Equatable {
    case int(Int)
    case list([Model])
    case record([(String, Model)])

    static func == (a: Model, b: Model) -> Bool { a.text == b.text }

    /// As `print` shows it.
    var text: String {
      switch self {
      case .int(let number): "\(number)"
      case .list(let list): "[\(list.map(\.text).joined(separator: ","))]"
      case .record(let fields): "{\(fields.map { "\"\($0.0)\":\($0.1.text)" }.joined(separator: ","))}"
      }
    }

    /// As a recipe writes it.
    var source: String {
      switch self {
      case .int(let number): "\(number)"
      case .list(let list): "[\(list.map(\.source).joined(separator: ", "))]"
      case .record(let fields): "{\(fields.map { "\($0.0): \($0.1.source)" }.joined(separator: ", "))}"
      }
    }

    enum Step {
      case field(String)
      case element(Int)

      var source: String {
        switch self {
        case .field(let name): ".\(name)"
        case .element(let index): "[\(index)]"
        }
      }
    }

    /// Nil if the path leads nowhere.
    func setting(_ path: ArraySlice<Step>, to value: Model) -> Model? {
      guard let step = path.first else { return value }
      switch (self, step) {
      case (.record, .element(let index)):
        // A number can be a key, too.
        return setting([.field("\(index)")] + path.dropFirst(), to: value)
      case (.list(var list), .element(let index)):
        guard list.indices.contains(index), let new = list[index].setting(path.dropFirst(), to: value) else { return nil }
        list[index] = new
        return .list(list)
      case (.record(var fields), .field(let name)):
        if let place = fields.firstIndex(where: { $0.0 == name }) {
          guard let new = fields[place].1.setting(path.dropFirst(), to: value) else { return nil }
          fields[place].1 = new
        } else if path.count == 1 {
          fields.append((name, value))
        } else {
          return nil
        }
        return .record(fields)
      default: return nil
      }
    }
  }

  /// A random recipe, and its expected output.
  struct Script {
    static let names = ["a", "b", "c"]
    var random: SplitMix
    var values: [String: Model] = [:]
    var failures = 0
    var lines: [String] = []
    var printed: [String] = []

    init(seed: UInt64, statements: Int, waits: Bool, inProcedure: Bool) {
      random = SplitMix(seed: seed)
      var body: [String] = []
      for name in Self.names {
        let value = Model.list([.int(below(9)), .record([("l", .list([.int(below(9))])), ("n", .int(1))])])
        values[name] = value
        body.append("let \(name) = \(value.source)")
      }
      body.append("let failed = 0")
      for _ in 0..<statements {
        body.append(statement())
        if below(4) == 0 {
          body.append("print \(Self.names.joined(separator: ", ")), failed")
          printed.append(Self.names.map { values[$0]!.text }.joined(separator: " ") + " \(failures)")
        }
        if waits, below(3) == 0 { body.append("wait 1s") }
      }
      body.append("print \(Self.names.joined(separator: ", ")), failed")
      printed.append(Self.names.map { values[$0]!.text }.joined(separator: " ") + " \(failures)")
      if inProcedure {
        lines = ["procedure all()"] + body.map { "  \($0)" } + ["end", "all()"]
      } else {
        lines = body
      }
    }

    mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    private mutating func name() -> String { Self.names[below(Self.names.count)] }

    private mutating func path() -> [Model.Step] {
      (0..<1 + below(3)).map { _ in
        switch below(4) {
        case 0: .field("l")
        case 1: .field("n")
        default: .element(below(4))
        }
      }
    }

    private mutating func statement() -> String {
      let target = name()
      switch below(6) {
      case 0:
        // A second name for the same elements.
        let other = name()
        values[target] = values[other]!
        return "set \(target) to \(other)"
      case 1, 2:
        let other = name()
        let number = below(100)
        guard case .list(let list) = values[target]!, text(values[other]!).count < 2_000 else {
          return "set \(target) to \(target)"
        }
        switch below(3) {
        case 0:
          values[target] = .list(list + [.int(number)])
          return "set \(target) to \(target) + [\(number)]"
        case 1:
          let added = values[other]!
          values[target] = .list(list + [added, .int(number)])
          return "set \(target) to \(target) + [\(other), \(number)]"
        default:
          let added = values[other]!
          values[target] = .list(list + [.record([("l", .list([added])), ("n", .int(number))])])
          return "set \(target) to \(target) + [{l: [\(other)], n: \(number)}]"
        }
      case 3:
        let other = name()
        guard case .list(let list) = values[target]!, case .list(let more) = values[other]!, list.count + more.count < 40 else {
          return "set \(target) to \(target)"
        }
        values[target] = .list(list + more)
        return "set \(target) to \(target) + \(other)"
      default:
        let steps = path()
        let other = name()
        let isNumber = below(2) == 0 || text(values[other]!).count > 2_000
        let number = below(100)
        let value = isNumber ? Model.int(number) : values[other]!
        if let changed = values[target]!.setting(steps[...], to: value) {
          values[target] = changed
        } else {
          failures += 1
        }
        let place = target + steps.map(\.source).joined()
        return "set \(place) to \(isNumber ? "\(number)" : other) otherwise set failed to failed + 1"
      }
    }

    private func text(_ value: Model) -> String { value.text }
  }

  @Test(arguments: 0..<60) func assignmentChangesOneNameOnly(_ seed: Int) throws {
    for inProcedure in [false, true] {
      let script = Script(seed: UInt64(seed), statements: 40, waits: false, inProcedure: inProcedure)
      let bench = try Bench(script.lines.joined(separator: "\n") + "\n")
      #expect(bench.printed == script.printed, "\(script.lines.joined(separator: "\n"))")
    }
  }

  /// Killed at each `wait`, with every row written for its changes.
  @Test(arguments: 0..<30) func changedValuesSurviveAKill(_ seed: Int) throws {
    for inProcedure in [false, true] {
      let script = Script(seed: UInt64(1_000 + seed), statements: 40, waits: true, inProcedure: inProcedure)
      var bench = try Bench(script.lines.joined(separator: "\n") + "\n", isReady: false)
      bench.isComparing = true
      for _ in 0..<60 where bench.exit == nil {
        try bench.kill()
        bench.advance(.seconds(1))
      }
      #expect(bench.exit?.code == 0)
      #expect(bench.printed == script.printed, "\(script.lines.joined(separator: "\n"))")
    }
  }

  // MARK: Single cases

  @Test func aLoopSeesTheOriginalList() throws {
    let bench = try Bench(
      """
      let l = [1, 2]
      let seen = []
      for each x in l
        set seen to seen + [x]
        set l to l + [x + 10]
      end
      let inner = [[1]]
      let r = {l: inner, n: 0}
      let all = [r, r]
      set all[0].l[0] to all[0].l[0] + [2]
      set all[0].n to all[0].n + 1
      set inner to inner + [inner]
      set r.l to inner
      set all to all + [all, r]
      print l, seen
      print inner
      print all
      """)
    #expect(
      bench.printed == [
        "[1,2,11,12] [1,2]", "[[1],[[1]]]",
        "[{\"l\":[[1,2]],\"n\":1},{\"l\":[[1]],\"n\":0},[{\"l\":[[1,2]],\"n\":1},{\"l\":[[1]],\"n\":0}],{\"l\":[[1],[[1]]],\"n\":0}]",
      ])
  }

  /// A list literal after the name of the list itself is appended in place; nothing else is.
  @Test func appendingEqualsALiteral() throws {
    let bench = try Bench(
      """
      let l = [1]
      set l to l + [2, "b", [3], l, {a: l}]
      let m = [7]
      set l to l + m
      let n = l
      set n to n + [count(n), n[0]]
      let k = [5]
      set k to k + k
      set k to k + []
      set k to k + ([8] if count(k) is 2 else [9])
      set k to [4] + k
      let b = hex "01"
      set b to b + [2] otherwise print it.kind, it.message, b
      procedure more(list)
        let own = [9]
        set list to list + own
        set list to list + [own, list]
        return list
      end
      print l, m, k
      print n
      print more([0])
      """)
    #expect(
      bench.printed == [
        "value bytes and a list cannot be added 01", "[1,2,\"b\",[3],[1],{\"a\":[1]},7] [7] [4,5,5,8]",
        "[1,2,\"b\",[3],[1],{\"a\":[1]},7,7,1]", "[0,9,[9],[0,9]]",
      ])
  }

  @Test(
    arguments: [
      ("set l to l + [1]", true), ("set l to l + [l, 2]", true), ("set l to l + []", true), ("set l to m + [1]", false),
      ("set l to [1] + l", false), ("set l to l + m", false), ("set l to l + ([1] if true else [2])", false),
      ("set l.x to l.x + [1]", false), ("let k = l + [1]", false), ("set l to (l + [1]) + [2]", false),
    ])
  func onlyTheListItselfIsExtended(_ statement: String, _ isExtended: Bool) throws {
    let program = try Bench.program("let l = []\nlet m = []\n\(statement)\n")
    #expect(program.code.contains { $0.code == .extend } == isExtended)
  }

  // MARK: Failures part-way

  /// Each fails, and leaves everything as it was.
  @Test(
    arguments: [
      "set all[0].l[9] to 1", "set all[0].x.y to 1", "set all[0].n.x to 1", "set all[5].n to 1", "set l[\"a\"] to 1",
      "set l to l + 1", "set l to l + {a: 1}", "set all[0].n to all[0].n + [1]", "set l to l + [number(\"x\")]",
      "set r.n to r.n + \"a\"", "set r[[1]] to 2", "set d[0] to 256", "set d[7] to 1", "set d to d + [1]", "set t to t + [1]",
    ])
  func aFailureLeavesTheValueAsItWas(_ statement: String) throws {
    let bench = try Bench(
      """
      let l = [1]
      let r = {l: l, n: 0}
      let all = [r]
      let d = hex "01 02"
      let t = "text"
      print l, r, all, d, t
      \(statement) otherwise print it.kind
      print l, r, all, d, t
      """)
    #expect(bench.printed.count == 3, "\(bench.printed)")
    #expect(bench.printed.first == bench.printed.last)
    #expect(bench.printed.dropFirst().first == "value")
  }

  /// The place of a failure does not depend on how the list was made.
  @Test func aFullListFails() throws {
    let full = "let l = [0]\nrepeat 20 times: set l to l + l\nlet m = l\nlet one = [1]\n"
    let failing = { (added: String) in
      try Bench("\(full)try\n  set l to l + \(added)\notherwise\n  print it.message, count(l), count(m), l is m\nend\n").printed
    }
    let wanted = "this value would have more than 1,048,576 elements 1048576 1048576 true"
    #expect(try failing("[1]") == [wanted])
    #expect(try failing("one") == [wanted])
  }

  /// A list 64 levels deep accepts no element as deep, but shallower ones.
  @Test func aTooDeepListIsRefused() throws {
    let bench = try Bench(
      """
      let d = [0]
      repeat 62 times: set d to [d]
      let l = [1]
      set l to l + [d]
      print count(l)
      set d to [d]
      set l to l + [2, d] otherwise print it.message
      print count(l)
      set l to l + [3]
      print count(l)
      """)
    #expect(bench.printed == ["2", "lists and records can be nested at most 64 deep", "2", "3"])
  }

  @Test func anUncaughtFailureKeepsItsRange() throws {
    // Both are three characters long.
    let ranges = try ["[1]", "one"].map { added in
      try #require(Bench("let l = [0]\nlet one = [1]\nrepeat 20 times: set l to l + l\nset l to l + \(added)\n").reports.first)
        .range
    }
    #expect(ranges[0] == ranges[1])
  }

  // MARK: Secrets

  @Test func aSecretInAListStaysOne() throws {
    var bench = try Bench(
      """
      input pin: secret "the code"
      let l = [1]
      let r = {n: pin, l: []}
      set l to l + [pin, r]
      set r.n to r.n + "x"
      set r.l to [pin]
      let whole = [2]
      set whole[0] to pin
      print l, r, whole
      expect l[1] is pin and r.n is pin + "x" and r.l[0] is pin and whole[0] is pin
      wait 1h
      """, inputs: [("pin", .text("open sesame"))])
    #expect(bench.printed == ["[1,\"•••\",{\"n\":\"•••\",\"l\":[]}] n=•••x l=[\"•••\"] [\"•••\"]"])
    for row in bench.rows { #expect(!String(decoding: row.value, as: UTF8.self).contains("sesame"), "\(row.key)") }
    try bench.kill(inputs: [("pin", .text("open sesame"))])
    #expect(bench.failures.isEmpty)
  }
}
