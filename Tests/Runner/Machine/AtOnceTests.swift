import Exchange
import Testing
import Vocabulary

@testable import Runner

/// `for each … at once`.
@Suite struct AtOnceTests {
  @Test func theBranchesRunSideBySide() throws {
    var bench = try Bench(
      """
      for each x in [3, 1, 2] at once
        wait x * 1s
        print x
      end
      print "done"
      """)
    bench.isComparing = true
    bench.advance(.seconds(4))
    #expect(bench.printed == ["1", "2", "3", "done"])
    #expect(bench.exit?.code == 0)
  }

  @Test func upToLimitsThem() throws {
    var bench = try Bench(
      """
      let running = 0
      let most = 0
      for each x in [1, 2, 3, 4, 5] at once up to 2
        set running to running + 1
        set most to max(most, running)
        wait 1s
        set running to running - 1
      end
      print most, now().second
      """)
    bench.advance(.seconds(10))
    #expect(bench.printed == ["2 3"])
  }

  @Test func anEmptyListEndsImmediately() throws {
    let bench = try Bench("for each x in [] at once: print x\nprint \"done\"")
    #expect(bench.printed == ["done"])
  }

  /// Each branch has its own names; those of the recipe are shared.
  @Test func eachBranchHasItsOwnNames() throws {
    var bench = try Bench(
      """
      let sum = 0
      procedure twice(a)
        let factor = 2
        for each x in a at once
          let own = x * factor
          wait 1s
          set sum to sum + own
        end
        return factor
      end
      twice([1, 2, 3])
      print sum
      """)
    bench.advance(.seconds(2))
    #expect(bench.printed == ["12"])
  }

  @Test func skipEndsABranchAndLeaveEndsAll() throws {
    var bench = try Bench(
      """
      for each x in [1, 2, 3, 4] at once
        if x is 2: skip
        wait x * 1s
        print x
        if x is 3: leave
        repeat 3 times
          leave
        end
      end
      print "done"
      """)
    bench.advance(.seconds(10))
    #expect(bench.printed == ["1", "3", "done"])
    #expect(bench.exit?.code == 0)
  }

  @Test func theFirstFailureInTheOrderOfTheListIsRaised() throws {
    var bench = try Bench(
      """
      try
        for each x in [3, 1, 2] at once
          wait x * 1s
          if x < 3: fail "no {x}"
          print x
        end
      otherwise as p
        print p.message, count(p.others), p.others[0].message
      end
      """)
    bench.advance(.seconds(4))
    #expect(bench.printed == ["3", "no 1 1 no 2"])
    #expect(bench.exit?.code == 0)
  }

  @Test func anUnhandledBranchFailureEndsTheRun() throws {
    var bench = try Bench("for each x in [1, 2] at once\n  wait x * 1s\n  expect x is 2, \"two\"\nend")
    bench.advance(.seconds(4))
    #expect(bench.exit?.code == 4)
    #expect(bench.failures.map(\.message) == ["two"])
  }

  @Test func withinCancelsAllBranches() throws {
    var bench = try Bench(
      """
      try within 2500ms
        for each x in [1, 2, 3, 4] at once up to 3
          wait x * 1s
          print x
        end
      otherwise if timeout
        print "over"
      end
      wait 10s
      """)
    bench.advance(.seconds(20))
    #expect(bench.printed == ["1", "2", "over"])
    #expect(bench.machine.fibers.isEmpty || bench.machine.fibers.count == 1)
  }

  @Test func atOnceCanBeNested() throws {
    var bench = try Bench(
      """
      for each x in [1, 2] at once
        for each y in [10, 20] at once
          wait (x + y) * 100ms
          print x + y
          if x is 2 and y is 10: leave
        end
        print "end {x}"
      end
      """)
    bench.isComparing = true
    bench.advance(.seconds(5))
    #expect(bench.printed == ["11", "12", "end 2", "21", "end 1"])
  }

  @Test func onStopMayUseIt() throws {
    var bench = try Bench("on stop\n  for each x in [1, 2] at once\n    wait 1s\n    print x\n  end\nend\nwait 1s")
    bench.advance(.seconds(4))
    #expect(bench.printed == ["1", "2"])
  }

  @Test func aKilledRunContinuesAllBranches() throws {
    for moment in stride(from: 500, through: 5500, by: 500) {
      var bench = try Bench(
        """
        for each x in [1, 2, 3, 4, 5] at once up to 2
          wait 1s
          print x
          if x is 4: fail "four"
          wait 1s
        end otherwise print "x"
        print "done"
        """.replacing("end otherwise print \"x\"", with: "end"))
      bench.advance(.milliseconds(Int64(moment)))
      try bench.kill()
      bench.advance(.seconds(20))
      #expect(bench.printed == ["1", "2", "3", "4", "5"], "\(moment)")
      #expect(bench.failures.map(\.message) == ["four"], "\(moment)")
    }
  }

  /// A link belongs to the branch that made it.
  @Test func theLinkOfABranchEndsWithIt() throws {
    var bench = try Bench(
      """
      for each x in [1] at once
        connect to C4:7C:8D:6A:12:0F/random when it appears
        wait 1s
      end
      print "done"
      wait forever
      """)
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
    bench.advance(.milliseconds(500))
    #expect(bench.last { if case .disconnect = $0 { true } else { false } } == nil)
    bench.advance(.seconds(1))
    #expect(bench.printed == ["done"])
    #expect(bench.last { if case .disconnect = $0 { true } else { false } } != nil)
    #expect(bench.machine.devices[0].isWanted == false)
  }

  @Test func anAttemptOfACancelledBranchIsWithdrawn() throws {
    var bench = try Bench(
      """
      for each x in [1, 2] at once
        if x is 2
          wait 1s
          leave
        end
        connect to C4:7C:8D:6A:12:0F/random when it appears
        print "never"
      end
      print "done"
      wait forever
      """)
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.advance(.seconds(2))
    #expect(bench.printed == ["done"])
    #expect(bench.last { $0 == .cancel(connect.id) } != nil)
    #expect(bench.machine.devices[0].isWanted == false)
  }

  /// A pending write is unsure if its branch is cancelled.
  @Test func aCancelledWriteIsUnsure() throws {
    var bench = try Bench(
      """
      on failure as p: print p.kind
      connect to C4:7C:8D:6A:12:0F/random
      for each x in [1, 2] at once
        if x is 2
          wait 1s
          leave
        end
        write u8(1) to 0xFFF1
      end
      print "done"
      wait 1s
      """)
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
    try LinkTests.locate(&bench)
    bench.advance(.seconds(5))
    #expect(bench.printed.sorted() == ["done", "unsure"])
    #expect(bench.failures.map(\.kind) == [.unsure])
  }

  @Test func aSecretListHasSecretElements() throws {
    let bench = try Bench(
      "input pins: secrets\nfor each pin in pins at once: print pin", inputs: [("pins", .list([.text("1234"), .text("5678")]))])
    #expect(bench.printed == ["•••", "•••"])
  }
}
