import Exchange
import Testing
import Vocabulary

@testable import Runner

/// `run`.
@Suite struct CommandTests {
  @Test(
    arguments: [
      ("run \"ls -l\"", ["ls", "-l"]), ("run \"say {x} 'a  b' c'd e'f ''\"", ["say", "x y; rm", "a  b", "cd ef", ""]),
      ("run \"a={x}b\"", ["a=x yb".replacing("x y", with: "x y; rm")]), ("run [\"ls\", 7, x]", ["ls", "7", "x y; rm"]),
      ("let c = \"ls 'a b'\"\nrun c", ["ls", "a b"]), ("run \"  ls\t-a \"", ["ls", "-a"]),
    ])
  func wordsAreSplitBeforeAnythingIsPutIn(statement: String, arguments: [String]) throws {
    let bench = try Bench("let x = \"x y; rm\"\nprint x\n\(statement)", results: [CommandResult(code: 0)])
    #expect(bench.orders.map(\.arguments) == [arguments])
    #expect(bench.exit?.code == 0)
  }

  @Test func aShellHasTheNamesOfTheRecipe() throws {
    let bench = try Bench(
      "let name = \"a b\"\nlet other = 1\nprint other\nrun shell 'echo $name ${other} $HOME | cat'",
      results: [CommandResult(code: 0)])
    #expect(bench.orders.map(\.arguments) == [["/bin/sh", "-c", "echo $name ${other} $HOME | cat"]])
    #expect(bench.orders[0].variables == [.init(name: "name", value: "a b"), .init(name: "other", value: "1")])
  }

  @Test func theResultOfAProgramIsARecord() throws {
    let bench = try Bench(
      "run \"date\" as r\nprint r.out, r.err, r.code\nrun \"date\"\nprint it.out",
      results: [CommandResult(code: 0, out: Array("now".utf8), err: [0x65, 0xFF]), CommandResult(code: 0, out: Array("x".utf8))])
    #expect(bench.printed == ["now e\u{FFFD} 0", "x"])
    #expect(bench.orders.map(\.isRelayed) == [false, true])
  }

  @Test func aNonzeroExitIsAFailureWithTheOutput() throws {
    let bench = try Bench(
      "run \"grep x\" as r otherwise print it.kind, it.code, it.err\nrun \"sleep\"",
      results: [CommandResult(code: 2, err: Array("bad".utf8)), CommandResult(code: 143)])
    #expect(bench.printed == ["command 2 bad"])
    #expect(bench.failures.map(\.message) == ["the program was ended by signal 15"])
    #expect(bench.exit?.code == 1)
  }

  @Test func secretsAreNotShown() throws {
    let bench = try Bench("input pin: secret\nrun \"curl {pin}\"", inputs: [("pin", .text("1234"))])
    #expect(bench.orders.map(\.arguments) == [["curl", "1234"]])
    #expect(bench.orders.map(\.shown) == ["curl •••"])
    for row in bench.commits.flatMap(\.rows) { #expect(!(row.value ?? []).windowsContain(Array("1234".utf8))) }
  }

  @Test func theIntentIsCommittedFirst() throws {
    #expect(try Bench("run \"ls\"").commits.contains { $0.mustSync })
    #expect(try !Bench("run \"ls\" when unsure repeat").commits.contains { $0.mustSync })
  }

  @Test(arguments: [("fail", ["unsure"], 1), ("repeat", ["done"], 2), ("skip", ["done"], 1)])
  func aKillLeavesItToThePolicy(policy: String, printed: [String], runs: Int) throws {
    var bench = try Bench(
      """
      try
        run "ls" when unsure \(policy)
        print "done"
      otherwise as p
        print p.kind
      end
      """)
    #expect(bench.orders.count == 1)
    bench.results = [CommandResult(code: 0)]
    try bench.kill()
    #expect(bench.printed == printed)
    #expect(bench.orders.count == runs)
  }

  @Test(arguments: [("fail", "unsure"), ("repeat", "timeout"), ("skip", "done")])
  func aTimeoutTerminatesTheProgram(policy: String, printed: String) throws {
    var bench = try Bench(
      "try\n  run \"sleep 99\" within 2s when unsure \(policy)\n  print \"done\"\notherwise as p\n  print p.kind\nend")
    bench.advance(.seconds(3))
    #expect(bench.printed == [printed])
    #expect(bench.questions == ["withdrawn"])
  }

  @Test func aTimedOutTryIsUnsure() throws {
    var bench = try Bench("try within 1s\n  run \"sleep 99\"\notherwise as p\n  print p.kind\nend")
    bench.advance(.seconds(3))
    #expect(bench.printed == ["unsure"])
    #expect(bench.questions == ["withdrawn"])
  }

  @Test func handlersRunMeanwhile() throws {
    var bench = try Bench("every 1s: print \"tick\"\nrun \"sleep 99\" within 3500ms when unsure skip")
    bench.advance(.seconds(10))
    #expect(bench.printed == ["tick", "tick", "tick"])
  }

  @Test func invalidCommandsFail() throws {
    for statement in ["run 7", "run []", "run [\"\"]", "let c = \"ls 'a\"\nrun c"] {
      #expect(try Bench(statement).failures.map(\.kind) == [.value], "\(statement)")
    }
  }
}
