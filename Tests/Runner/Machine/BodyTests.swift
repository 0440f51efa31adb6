import Exchange
import Testing
import Vocabulary

@testable import Runner

@Suite struct BodyTests {
  @Test func aBodyRunsToItsEnd() throws {
    let bench = try Bench("let a = 2\nlet b = a * 3 + 1\nprint \"b is {b}\"\n")
    #expect(bench.printed == ["b is 7"])
    #expect(bench.exit == Runner.ExitStatus(code: 0, reason: .finished))
  }

  @Test func loopsCountAndLeave() throws {
    let bench = try Bench(
      """
      let n = 0
      repeat 10 times
        set n to n + 1
        if n is 3: skip
        if n is 5: leave
      end
      for each x in [1, 2, 3]: set n to n + x
      repeat while n < 20: set n to n + 1
      print n
      """)
    #expect(bench.printed == ["20"])
  }

  @Test func onFailureSeesTheFailureThatEndsTheRun() throws {
    let bench = try Bench(
      """
      on failure as p: print "failure", p.kind, p.message
      on failure as p
        fail "again"
      end
      on stop as why: print "stop", why
      fail "no" with code 20
      """)
    #expect(bench.printed == ["failure user no", "stop failed"])
    #expect(bench.exit == Runner.ExitStatus(code: 20, reason: .failed))
  }

  /// With `use strict` each failure ends the run, also one of `on failure`.
  @Test func aFailingOnFailureDoesNotStartAgain() throws {
    for failing in ["fail \"no\"", "every 1s: fail \"no\"\nwait forever"] {
      var bench = try Bench(
        """
        use strict
        on failure as p
          print p.message
          fail "again"
        end
        on stop as why: print "stop", why
        \(failing)
        """)
      bench.advance(.seconds(20))
      #expect(bench.printed == ["no", "stop failed"], "\(failing)")
      #expect(bench.exit == Runner.ExitStatus(code: 1, reason: .failed), "\(failing)")
      #expect(bench.failures.map(\.message) == ["no", "again"], "\(failing)")
    }
  }

  /// `on failure` gets also what fails in `on stop`, and has the rest of its time.
  @Test(arguments: ["", "use strict\n"]) func aFailingOnStopIsHandledOnce(_ settings: String) throws {
    var bench = try Bench(
      settings + """
        on failure as p
          wait 1s
          print p.message
          wait 10s
          print "never"
        end
        on stop: fail "broken"
        print "over"
        """)
    bench.advance(.seconds(1))
    #expect(bench.printed == ["over", "broken"])
    bench.advance(.seconds(4))
    #expect(bench.exit == Runner.ExitStatus(code: 1, reason: .finished))
    #expect(bench.failures.map(\.message) == ["broken", "`on failure` may take 5s, but this statement took longer"])
  }

  /// `stop` in a handler of the end ends that handler. The exit code is that of the end or its own.
  @Test(arguments: [
    ("on stop\n  print \"a\"\n  stop\n  print \"b\"\nend\nwait 10ms", ["a"], 0),
    ("on stop\n  print \"a\"\n  stop with code 30\nend\nwait 10ms", ["a"], 30),
    ("on failure\n  print \"a\"\n  stop with code 30\nend\nfail \"x\" with code 31", ["a"], 30),
    ("on failure\n  print \"a\"\n  stop\nend\nfail \"x\" with code 31", ["a"], 31),
    (
      "procedure p()\n  stop\nend\non stop\n  print \"a\"\n  p()\n  print \"b\"\nend\non stop: print \"c\"\nwait 10ms", ["a", "c"],
      0
    ),
    ("use strict\non failure: stop with code 30\nafter 1ms: fail \"x\"\nwait 1min", [], 30),
  ])
  func aStopInTheEndEndsItsHandler(_ recipe: String, printed: [String], code: Int32) throws {
    var bench = try Bench(recipe)
    bench.advance(.milliseconds(10))
    #expect(bench.exit?.code == code, "\(recipe)")
    #expect(bench.printed == printed, "\(recipe)")
  }

  @Test func aStopInTheEndKeepsTheCodeOfASignal() throws {
    var bench = try Bench("on stop\n  print \"a\"\n  stop with code 30\nend\nwait 1min")
    bench.machine.requestStop(.interrupted)
    bench.run()
    #expect(bench.printed == ["a"])
    #expect(bench.exit == Runner.ExitStatus(code: 130, reason: .interrupted))
  }

  /// The run starts again instead of ending, also after a kill.
  @Test(arguments: ["on failure", "on stop"]) func aRestartInTheEndStartsAgain(_ handler: String) throws {
    var bench = try Bench(
      """
      remember k = 0
      \(handler)
        if k < 3
          wait 1s
          restart
        end
      end
      set k to k + 1
      print k
      fail "x" with code 20
      """)
    bench.advance(.milliseconds(500))
    try bench.kill(downFor: .seconds(1))
    bench.advance(.seconds(10))
    #expect(bench.printed == ["1", "2", "3"])
    #expect(bench.exit == Runner.ExitStatus(code: 20, reason: .failed))
  }

  @Test func onFailureKnowsTheAttempts() throws {
    let bench = try Bench("on failure as p: print p.attempts\ntry 3 times: fail \"x\"\n")
    #expect(bench.printed == ["3"])
  }

  @Test func onFailureOfTheEndHasFiveSeconds() throws {
    var bench = try Bench("on failure as p\n  print \"begins\"\n  wait 1h\n  print \"ends\"\nend\nfail \"no\"\n")
    #expect(bench.printed == ["begins"])
    #expect(bench.exit == nil)
    bench.advance(.seconds(5))
    #expect(bench.printed == ["begins"])
    #expect(bench.failures.last?.message == "`on failure` may take 5s, but this statement took longer")
    #expect(bench.exit == Runner.ExitStatus(code: 1, reason: .failed))
  }

  /// The run still handles signals meanwhile, and it ends.
  @Test func immediateFailuresAreThrottled() throws {
    let bench = try Bench(
      """
      try 2000000000 times
        fail "never"
      otherwise as why
        print "{why.message} {why.attempts}"
      end
      """)
    #expect(bench.printed == ["never 10001"])
    #expect(bench.exit?.code == 0)
    #expect(bench.turns > 10)
  }

  @Test func aPauseBetweenAttemptsIsAWait() throws {
    var bench = try Bench(
      """
      try 10100 times every 1ms
        fail "never"
      otherwise as why
        repeat 2 times
          print why.attempts
        end
      end
      """)
    bench.advance(.seconds(11))
    #expect(bench.printed == ["10100", "10100"])
    #expect(bench.failures.isEmpty)
  }

  @Test func proceduresReturnValues() throws {
    let bench = try Bench(
      """
      procedure double(x)
        return x * 2
      end
      let y = double(4)
      print y, double(y)
      """)
    #expect(bench.printed == ["8 16"])
  }

  @Test func triesRepeatAndRescue() throws {
    let bench = try Bench(
      """
      let n = 0
      try 3 times
        set n to n + 1
        fail "no {n}"
      otherwise as problem
        print problem.kind, problem.message, problem.attempts
      end
      try
        expect n is 4
      otherwise if timeout
        print "wrong"
      otherwise if expectation
        print "right"
      end
      let z = 0
      set z to [1][3] otherwise print "otherwise {it.kind}"
      """)
    #expect(bench.printed == ["user no 3 3", "right", "otherwise value"])
    #expect(bench.exit?.code == 0)
  }

  @Test func anUnhandledFailureEndsWithItsCode() throws {
    let bench = try Bench("fail \"broken\" with code 42\n")
    #expect(bench.exit == Runner.ExitStatus(code: 42, reason: .failed))
    #expect(bench.failures.map(\.message) == ["broken"])
  }

  @Test func waitingTakesItsTime() throws {
    var bench = try Bench("wait 5s\nprint \"five\"\n")
    #expect(bench.printed == [])
    bench.advance(.milliseconds(4999))
    #expect(bench.printed == [])
    bench.advance(.milliseconds(1))
    #expect(bench.printed == ["five"])
  }

  @Test func timersTick() throws {
    var bench = try Bench("let n = 0\nevery 10s\n  set n to n + 1\n  print n\nend\nwait 35s\n")
    bench.advance(.seconds(40))
    #expect(bench.printed == ["1", "2", "3"])
    #expect(bench.exit?.code == 0)
  }

  @Test func fibersAreFoundByNumberAfterOthersEnd() throws {
    let timers = (1...40).map { "every \($0)s: wait \(41 - $0)s\n" }.joined()
    var bench = try Bench(timers + "wait forever\n")
    var most = 0
    for _ in 0..<60 {
      bench.advance(.milliseconds(1700))
      let fibers = bench.machine.fibers
      most = max(most, fibers.count)
      for id in 0...bench.machine.header.value.nextFiber {
        #expect(fibers.index(of: id) == fibers.firstIndex { $0.id == id })
      }
    }
    #expect(most > 20 && bench.machine.header.value.nextFiber > 60)
  }

  @Test func aTimerOfTheDayTicksAtItsTime() throws {
    var bench = try Bench("every 1d at \"06:00\" as tick: print tick.due\nwait forever\n")
    bench.advance(.hours(30))
    #expect(bench.printed == ["2026-01-01T06:00:00Z", "2026-01-02T06:00:00Z"])
  }

  /// `at` moves the first tick; the period stays.
  @Test(
    arguments: [
      ("2d", ["01T06", "03T06", "05T06"]), ("7d", ["01T06", "08T06"]), ("12h", ["01T06", "01T18", "02T06", "02T18"]),
      ("36h", ["01T06", "02T18", "04T06"]),
    ] as [(String, [String])])
  func aTimerOfTheDayKeepsItsPeriod(period: String, ticks: [String]) throws {
    var bench = try Bench("every \(period) at \"06:00\" as tick: print tick.due\nwait forever\n")
    bench.advance(.hours(24 * 8))
    #expect(Array(bench.printed.prefix(ticks.count)) == ticks.map { "2026-01-\($0):00:00Z" })
    #expect(bench.printed.count == (period == "2d" ? 4 : period == "7d" ? 2 : period == "12h" ? 16 : 6), "\(bench.printed)")
  }

  /// Over a change of the local clock, the local time stays; missed ticks are skipped.
  @Test func aTimerOfSeveralDaysSkipsMissedTicks() throws {
    var bench = try Bench("every 3d at \"06:00\" as tick\n  print tick.due\n  wait 100h\nend\nwait forever\n")
    bench.advance(.hours(24 * 12))
    #expect(bench.printed == ["2026-01-01T06:00:00Z", "2026-01-04T06:00:00Z", "2026-01-07T06:00:00Z"], "\(bench.printed)")
  }

  @Test func aFailureInATimerDoesNotEndTheRun() throws {
    var bench = try Bench("every 1s: fail \"again\"\nwait 3500ms\n")
    bench.advance(.seconds(10))
    #expect(bench.failures.count == 3)
    #expect(bench.exit == Runner.ExitStatus(code: 1, reason: .finished))
  }

  /// Handlers that run or are due when the body ends are finished; no new timer fires.
  @Test func noTickFallsDueAfterTheBody() throws {
    var bench = try Bench("every 200ms\n  wait 300ms\n  print \"tick\"\nend\nwait 1s\nprint \"end\"\n")
    bench.advance(.milliseconds(1010))
    let before = bench.printed
    #expect(before.last == "end" && bench.exit == nil)
    bench.advance(.seconds(10))
    #expect(bench.printed.count - before.count <= 2, "\(bench.printed)")
    #expect(bench.exit == Runner.ExitStatus(code: 0, reason: .finished))
  }

  /// An attempt that the end of `within` prevents is not counted.
  @Test func preventedAttemptsAreNotCounted() throws {
    for (recipe, attempts) in [
      ("try every 100ms within 350ms\n  print 1\n  fail \"no\"\nend\n", 4),
      ("try every 1s within 2500ms\n  print 1\n  fail \"no\"\nend\n", 3),
      ("procedure f()\n  try every 1s within 2500ms: print 1; fail \"no\"\nend\nf()\n", 3),
    ] {
      var bench = try Bench(recipe)
      bench.advance(.seconds(10))
      #expect(bench.printed.count == attempts && bench.reports.first?.attempts == attempts, "\(bench.reports)")
    }
  }

  @Test func loopsThatNeverWaitAreStopped() throws {
    let bench = try Bench("let n = 0\nrepeat forever: set n to n + 1\n")
    #expect(bench.exit?.code == 1)
    #expect(bench.failures.first?.message.contains("never waits") == true)
  }

  @Test func aWaitUntilSeesTheChange() throws {
    var bench = try Bench("let n = 0\nevery 1s: set n to n + 1\nwait until n is 3 within 10s\nprint \"three\"\n")
    bench.advance(.seconds(4))
    #expect(bench.printed == ["three"])
  }

  @Test func tryWithinCancelsItsBody() throws {
    var bench = try Bench(
      """
      try within 5s
        try
          wait 1min
        otherwise
          print "never"
        end
      otherwise if timeout
        print "cut"
      end
      """)
    bench.advance(.seconds(6))
    #expect(bench.printed == ["cut"])
  }

  /// A failure that no `otherwise if` handles is reported at the statement that failed, not at the
  /// `try` that passes it on.
  @Test(arguments: [
    "try\n  print 1\n  fail \"x\"\notherwise if timeout\n  print 2\nend",
    "try 2 times\n  try\n    fail \"x\"\n  otherwise if timeout\n    print 2\n  end\notherwise if missing\n  print 3\nend",
    "procedure p()\n  fail \"x\"\nend\ntry\n  p()\notherwise if timeout\n  print 2\nend",
    "for each n in [1, 2] at once\n  try\n    fail \"x\"\n  otherwise if timeout\n    print 2\n  end\nend",
    "after 1s\n  try\n    wait 1ms\n    fail \"x\"\n  otherwise if timeout\n    print 2\n  end\nend\nwait 2s",
  ]) func aFailureThatIsPassedOnHasItsLine(recipe: String) throws {
    var bench = try Bench(recipe + "\n")
    bench.advance(.seconds(3))
    let range = try #require(bench.reports.first?.range)
    let text = Array(recipe.utf8)[Int(range.start)..<Int(range.end)]
    #expect(String(decoding: text, as: UTF8.self) == "fail \"x\"")
  }

  @Test func aKilledRunContinuesWhereItWas() throws {
    var bench = try Bench("let n = 1\nset n to n + 1\nprint n\nwait 10s\nprint n + 1\nwait 10s\nprint \"end\"\n")
    bench.advance(.seconds(3))
    #expect(bench.printed == ["2"])
    try bench.kill()
    bench.advance(.seconds(5))
    #expect(bench.printed == ["2", "3"])
    bench.advance(.seconds(10))
    #expect(bench.printed == ["2", "3", "end"])
  }

  /// While statements are left, the body is always at one of them.
  @Test(arguments: [
    "print 1\non notify 0xFFF1 as value: print value\nreconnect forever\n",
    "print 1\nevery 10s: print 2\nlet a = 1\nprocedure p(x)\n  print x\nend\np(a)\nwait 1s\n",
    "repeat 3 times\n  if true\n    print 1\n  else\n    print 2\n  end\nend\ntry\n  wait 1s\notherwise\n  print 3\nend\nwait 1s\n",
  ])
  func eachInstructionHasItsStatement(_ text: String) throws {
    let program = try Bench.program(text)
    let body = program.code.indices.filter { Int(program.unitOf[$0]) == Program.body }
    let last = try #require(body.last { program.statements.indices.contains(Int(program.statementOf[$0])) })
    for pc in body where pc <= last { #expect(program.statement(at: pc) != nil, "\(pc)") }
    #expect(program.statement(at: program.code.count) == nil)
  }

  @Test func appendsAndRestoreAndStop() throws {
    var bench = try Bench(
      """
      on restore as past: log "back after {past.down_for}, {past.reason}, line {past.line}"
      on stop as why: print "why {why}"
      append {a: 1, b: "x,y"} to "f.csv"
      append {a: 2, b: "z"} to "f.csv"
      wait 1h
      """)
    #expect(bench.files["f.csv"] == "a,b\n1,\"x,y\"\n2,z\n")
    try bench.kill()
    #expect(bench.logged == ["back after 2s, killed, line 5"])
    bench.machine.handle(.stopRequested(.interrupted), at: bench.now)
    bench.run()
    #expect(bench.printed == ["why interrupted"])
    #expect(bench.exit == Runner.ExitStatus(code: 130, reason: .interrupted))
  }

  /// A run that ends by itself completes `on stop` even if it is asked to end.
  @Test(arguments: [("", 0, "finished"), ("stop with code 30\n", 30, "stopped"), ("fail \"no\" with code 31\n", 31, "failed")])
  func anEndingRunCompletesItsEnd(body: String, code: Int32, why: String) throws {
    for asked in [StopReason.interrupted, .terminated] {
      var bench = try Bench("on stop as why\n  print why\n  wait 3s\n  print \"closed\"\nend\nprint \"body\"\n" + body)
      #expect(bench.printed == ["body", why])
      bench.machine.handle(.stopRequested(asked), at: bench.now)
      bench.run()
      #expect(bench.exit == nil)
      bench.advance(.seconds(4))
      #expect(bench.printed == ["body", why, "closed"])
      #expect(bench.exit?.code == code)
    }
    // A second request cuts it off.
    var own = try Bench("on stop as why\n  print why\n  wait 3s\n  print \"closed\"\nend\nprint \"body\"\n" + body)
    for _ in 1...2 { own.machine.handle(.stopRequested(.terminated), at: own.now) }
    own.run()
    own.advance(.seconds(4))
    #expect(own.printed == ["body", why] && own.exit?.code == code)
    // Of a run that was asked to end, a second request cuts `on stop` off.
    var bench = try Bench("on stop\n  wait 3s\n  print \"closed\"\nend\nwait forever\n")
    for _ in 1...2 { bench.machine.handle(.stopRequested(.terminated), at: bench.now) }
    bench.run()
    bench.advance(.seconds(4))
    #expect(bench.printed == [] && bench.exit?.code == 143)
  }

  @Test func aTimerOfTheDayFollowsTheWallClock() throws {
    var bench = try Bench("every 1d at \"06:00\": print \"six\"\nwait forever\n")
    bench.advance(.hours(1))
    // The clock is set from 01:00 to 05:00.
    bench.now.wall = bench.now.wall + .hours(4)
    bench.advance(.minutes(59))
    #expect(bench.printed == [])
    bench.advance(.minutes(2))
    #expect(bench.printed == ["six"])
    // And back to 04:00: six o'clock comes a second time, the tick does not.
    bench.now.wall = bench.now.wall - .hours(2)
    bench.advance(.hours(3))
    #expect(bench.printed == ["six"])
    bench.advance(.hours(24))
    #expect(bench.printed == ["six", "six"])
  }

  @Test func suspendedFibersDoNotKeepTheRunBusy() throws {
    // The timer is due while `on stop` waits, and `on stop` exceeds its limit.
    var bench = try Bench(
      "every 1s: print \"tick\"\non stop as why\n  print why\n  wait 10s\n  print \"never\"\nend\nwait 1500ms\nprint 1\nprint 2\n")
    bench.advance(.seconds(20))
    #expect(bench.printed == ["tick", "1", "2", "finished"])
    #expect(bench.exit == Runner.ExitStatus(code: 1, reason: .finished), "the cut is a failure")
  }

  @Test func onRestoreMayWaitWhileTheBodyIsReady() throws {
    var bench = try Bench("on restore\n  wait 5s\n  log \"told\"\nend\nwait 1s\nprint \"a\"\nprint \"b\"\nwait 1min\n")
    bench.advance(.milliseconds(500))
    try bench.kill()
    bench.advance(.seconds(3))
    #expect(bench.logged == [])
    bench.advance(.seconds(3))
    #expect(bench.logged == ["told"])
    #expect(bench.printed == ["a", "b"])
  }

  /// The message contains a number with a fraction where a whole number is needed.
  @Test(arguments: [
    "print [1, 2][x]", "print \"abc\"[x .. 2]", "print 1 & x", "print \"{x:hex}\"",
    "print (hex \"0102\").u8(x)",
  ]) func aFractionIsNamed(line: String) throws {
    let bench = try Bench("let x = 1.5\n\(line)\n")
    #expect(bench.failures.first?.message.contains("1.5") ?? false, "\(bench.failures)")
    let other = try Bench("let x = [1]\n\(line)\n")
    #expect(other.failures.first?.message.contains("a list") ?? false, "\(other.failures)")
  }

  /// A default has the type of its input, like a given value.
  @Test func theDefaultOfAUUIDIsAUUID() throws {
    let bench = try Bench(
      "input id: uuid = 0x180D\ninput ids: uuids = [0x180F, heart_rate]\nprint id, id is heart_rate\nprint ids\n")
    #expect(bench.printed == ["0x180D true", "[\"0x180F\",\"0x180D\"]"])
  }

  /// A recipe that restarts without ever waiting ends, but not before many restarts.
  @Test func aRecipeThatOnlyRestartsEnds() throws {
    let text = "remember n = 0\nset n to n + 1\nif n is 900: print n\nrestart\n"
    let bench = try Bench(text)
    #expect(bench.printed == ["900"])
    #expect(bench.exit?.code == 1 && bench.failures.last?.message.contains("never waits") == true)
    var waits = try Bench("remember n = 0\nset n to n + 1\nwait 1ms\nif n < 3000: restart\nprint n\n")
    waits.advance(.seconds(4))
    #expect(waits.printed == ["3000"] && waits.exit?.code == 0)
  }

  /// A checkpoint contains the inputs of its run from the start, and also after a `restart`.
  @Test func aCheckpointHasTheInputs() throws {
    let text = "input n: number = 3\ninput s: text\ninput pin: secret\nremember k = 0\nset k to k + 1\nif k < 3: restart\nwait 1h\n"
    for skip in ["if k < 3: restart\n", ""] {
      var bench = try Bench(text.replacing(skip, with: ""), inputs: [("s", .text("a")), ("pin", .text("123456"))])
      for _ in 0..<2 {
        let snapshot = try Snapshot(rows: bench.rows.map { Commit.Row($0.key, $0.value) })
        #expect(snapshot.value(of: "n") == .int(3) && snapshot.value(of: "s") == .text("a"))
        #expect(snapshot.value(of: "pin") == nil)
        try bench.kill()
      }
    }
  }
}
