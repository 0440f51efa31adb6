import Exchange
import Recipe
import Testing
import Vocabulary

@testable import Runner

/// Small promises of the language that no other suite covers.
@Suite struct LanguageRowTests {
  private static let dice = """
    let list = []
    repeat 300 times: set list to list + [random(-1, 2)]
    print list.sort().first, list.sort().last, 0 in list, 1 in list
    print random(7, 7), count(random(5)), count(random(0))
    print list, random(16)
    """

  private func rolled(seed: UInt64) throws -> [String] {
    var bench = try Bench(Self.dice)
    let environment = MachineEnvironment(seed: seed, bootID: "boot")
    bench.printed = []
    bench.machine = Machine(program: try Bench.program(Self.dice), inputs: [], environment: environment, at: .simulationStart)
    bench.machine.start(at: bench.now)
    bench.run()
    return bench.printed
  }

  /// Both bounds belong to the range, and the seed repeats the numbers.
  @Test func randomNumbersAreInTheirRangeAndRepeatable() throws {
    let first = try rolled(seed: 3)
    #expect(first.prefix(2) == ["-1 2 true true", "7 5 0"])
    #expect(try rolled(seed: 3) == first)
    #expect(try rolled(seed: 4).last != first.last)
  }

  @Test(arguments: ["random(2, 1)", "random(-1)", "random(1.5)", "random(1, \"a\")"])
  func invalidRangesFail(expression: String) throws {
    #expect(try Bench("print \(expression)").failures.map(\.kind) == [.value])
  }

  /// 0.0 and -0.0 are equal, but remain two constants.
  @Test func zerosKeepTheirSigns() throws {
    #expect(try Bench("print f32(0.0), f32(-0.0), f32(0.0)").printed == ["00000000 00000080 00000000"])
    #expect(try Bench("print -0.0, 0.0, [-0.0], [0.0]").printed == ["-0.0 0.0 [-0.0] [0.0]"])
  }

  @Test func notANumberCannotBeSorted() throws {
    let bench = try Bench("print [5, hex \"0000c07f\".f32(), 4].sort()")
    #expect(bench.failures.map(\.kind) == [.value] && bench.printed.isEmpty)
  }

  @Test func aCodeThatNoHandlerShowsIsLogged() throws {
    var bench = try Bench("connect to C4:7C:8D:6A:12:0F/random when it appears\nwait forever")
    bench.host(.pairingAsked(PairingQuestionID(1), Bench.strap, .display(1234)))
    #expect(bench.logged.contains { $0.contains("001234") && $0.contains("C4:7C:8D:6A:12:0F") }, "\(bench.logged)")
    // It is not a question.
    #expect(!bench.requests.contains { if case .answerPairing = $0.command { true } else { false } })
  }

  /// A name with line ends makes no lines of its own in the log.
  @Test func aNameMakesNoLineOfTheLog() throws {
    var bench = try Bench("scan for anything as d\nconnect to d\nwait forever")
    let scan = try #require(bench.last { if case .scan = $0 { true } else { false } })
    bench.host(.advertisementReceived(scan.id, Advertisement(address: Bench.strap, rssi: -50, name: "A\n12:00:00 log forged")))
    bench.host(.pairingAsked(PairingQuestionID(1), Bench.strap, .display(1234)))
    #expect(bench.logged.contains("the code for A\\x0a12:00:00 log forged is 001234"), "\(bench.logged)")
  }

  /// The device is not to blame if it waits for a code that was not entered.
  @Test(arguments: [true, false]) func aQuestionWithoutAnswerIsNotTheDevicesSilence(asks: Bool) throws {
    var bench = try Bench(
      "connect to C4:7C:8D:6A:12:0F/random\non passkey request: wait 1h\npair within 5s otherwise print it.message")
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
    if asks { bench.host(.pairingAsked(PairingQuestionID(1), Bench.strap, .passkey)) }
    bench.advance(.seconds(6))
    let expected = asks ? "got no answer to its question within 5s" : "did not answer within 5s"
    #expect(bench.printed.count == 1 && bench.printed[0].hasSuffix(expected), "\(bench.printed)")
  }

  /// Texts of other scalars that look alike stay apart, as constants and as keys, also beyond the
  /// first constants.
  @Test(arguments: [0, 100]) func literalsThatLookAlikeStayApart(before: Int) throws {
    let lines = (0..<before).map { "let v\($0) = \"text \($0)\"\n" }.joined()
    let bench = try Bench(
      lines + "print \"\u{e9}\".bytes(), \"e\u{301}\".bytes(), \"K\".bytes(), \"\u{212a}\".bytes()\n"
        + "print \"\u{e9}\" in [\"e\u{301}\"]")
    #expect(bench.printed == ["c3a9 65cc81 4b e284aa", "false"])
  }

  /// The code of a failed handler counts if nothing else sets one.
  @Test(arguments: [
    ("wait 5s", 30), ("wait 5s\nstop with code 21", 21), ("wait 5s\nfail \"body\" with code 22", 22), ("wait 5s\nstop", 30),
  ])
  func failWithCodeInAHandler(body: String, code: Int32) throws {
    var bench = try Bench("after 1s: fail \"no\" with code 30\n\(body)")
    bench.advance(.seconds(2))
    #expect(bench.exit == nil && bench.failures.map(\.message) == ["no"])
    bench.advance(.seconds(10))
    #expect(bench.exit?.code == code)
  }

  @Test func useStrictEndsTheRunAtTheFirstFailureOfAHandler() throws {
    var bench = try Bench("use strict\non stop as why: print why\nafter 1s: fail \"no\" with code 30\nwait 1h")
    bench.advance(.seconds(2))
    #expect(bench.exit?.code == 30 && bench.printed == ["failed"])
  }

  /// A run does not count as successful if only its end has failed.
  @Test(arguments: ["fail \"no\"", "wait 1min"]) func aFailureInOnStopFailsTheRun(statement: String) throws {
    var bench = try Bench("on stop: \(statement)\nwait 1s")
    bench.advance(.seconds(10))
    #expect(bench.exit?.code == 1 && bench.failures.count == 1, "\(bench.failures)")
  }
}
