import Exchange
import Testing
import Vocabulary

@testable import Runner

/// `on line`, `wait for line`, `ask`, `progress`.
@Suite struct LineTests {
  static func feed(_ bench: inout Bench, _ lines: [String?]) -> Int {
    var taken = 0
    for line in lines {
      guard bench.machine.needsLine() else { return taken }
      taken += 1
      bench.machine.handle(.lineRead(line), at: bench.now)
      bench.run()
    }
    return taken
  }

  @Test func linesAreHandledInOrderThenTheEnd() throws {
    var bench = try Bench(
      """
      on line as typed
        wait 1s
        print "[{typed}]"
      end
      wait forever
      """)
    #expect(Self.feed(&bench, ["a", "", "ä b", nil]) == 4)
    bench.advance(.seconds(5))
    #expect(bench.printed == ["[a]", "[]", "[ä b]", "[nothing]"])
    let wantsMore = bench.machine.needsLine()
    #expect(!wantsMore)
  }

  /// A slow handler gets no backlog: lines wait in their source.
  @Test func unreadLinesStayOutside() throws {
    var bench = try Bench("on line as typed\n  wait 1s\n  print typed\nend\nwait forever")
    #expect(Self.feed(&bench, Array(repeating: "x", count: 100)) == Machine.linesAhead + 1)
    bench.advance(.milliseconds(3500))
    #expect(Self.feed(&bench, Array(repeating: "x", count: 100)) == 3)
  }

  @Test func whereLeavesLinesOut() throws {
    var bench = try Bench("on line where it is not nothing and it contains \"a\" as typed: print typed\nwait forever")
    #expect(Self.feed(&bench, ["xay", "b", "a", nil]) == 4)
    #expect(bench.printed == ["xay", "a"])
  }

  /// Nothing is read while no statement waits, so nothing is lost between two `wait for line`.
  @Test func waitForLineTakesOneAtATime() throws {
    var bench = try Bench(
      """
      let n = 0
      repeat until n is 3
        wait for line as typed
        if typed is nothing: leave
        set n to n + 1
        print typed
        wait 1s
      end
      wait for line where it is "go" within 5s
      print it
      """)
    #expect(Self.feed(&bench, ["a", "b"]) == 1)
    bench.advance(.seconds(1))
    #expect(Self.feed(&bench, ["b", "c"]) == 1)
    bench.advance(.seconds(1))
    #expect(Self.feed(&bench, ["c", "d"]) == 1)
    bench.advance(.seconds(1))
    #expect(Self.feed(&bench, ["x", "go", "more"]) == 2)
    #expect(bench.printed == ["a", "b", "c", "go"])
    #expect(bench.exit?.code == 0)
  }

  @Test func everyWaitForLineSeesTheEnd() throws {
    var bench = try Bench(
      "wait for line as a\nwait for line as b\nprint a, b\nwait for line where it is not nothing within 2s otherwise print it.kind")
    #expect(Self.feed(&bench, [nil, "x"]) == 1)
    bench.advance(.seconds(3))
    #expect(bench.printed == ["nothing nothing", "timeout"])
  }

  @Test func aLineThatIsNotHandledSurvivesAKill() throws {
    var bench = try Bench("on line as typed\n  wait 1s\n  print typed\nend\nwait forever")
    bench.isComparing = true
    #expect(Self.feed(&bench, ["a", "b"]) == 2)
    try bench.kill()
    bench.advance(.seconds(5))
    #expect(bench.printed == ["a", "b"])
    // The new process has its own stdin.
    let wantsMore = bench.machine.needsLine()
    #expect(wantsMore)
  }

  @Test func aQuestionIsAnswered() throws {
    let bench = try Bench(
      """
      ask "Name?" as name
      ask secret "PIN?" as pin
      ask "Age?"
      print name, pin, it, count(pin)
      """, replies: ["Eva", "1234", "7"])
    #expect(bench.questions == ["Name?", "PIN? (secret)", "Age?"])
    #expect(bench.printed == ["Eva ••• 7 4"])
    for row in bench.commits.flatMap(\.rows) { #expect(!(row.value ?? []).windowsContain(Array("1234".utf8))) }
  }

  @Test func aKilledRunAsksAgain() throws {
    var bench = try Bench("ask \"Name?\" as name\nprint name")
    #expect(bench.questions == ["Name?"])
    bench.replies = ["Eva"]
    try bench.kill()
    #expect(bench.questions == ["Name?", "Name?"])
    #expect(bench.printed == ["Eva"])
  }

  @Test func aTimeoutWithdrawsAQuestion() throws {
    var bench = try Bench(
      "try within 2s\n  ask \"Name?\" as name\n  print name\notherwise print it.kind\nend".replacing(
        "otherwise print it.kind\n", with: "otherwise\n  print it.kind\n"))
    bench.advance(.seconds(3))
    #expect(bench.questions == ["Name?", "withdrawn"])
    #expect(bench.printed == ["timeout"])
  }

  /// In a loop that does not wait, the newest value is enough.
  @Test func progressIsShownOnceATurn() throws {
    let bench = try Bench("for each x in [1, 2, 3]: progress x of 4\nwait 0s\nprogress 4 of 4\nprogress 1 of 0")
    #expect(bench.logged == ["3/4", "4/4"])
    #expect(bench.failures.map(\.kind) == [.value])
  }

  @Test func adapterStateIsReported() throws {
    var bench = try Bench(
      "on adapter as state: print state\nscan for \"x\" within forever\nprint \"never\"")
    bench.host(.adapterAway(Failure(.adapter, "it is silent", blame: .adapter)))
    bench.host(.adapterReady(Bench.adapter))
    #expect(bench.printed == ["off", "on"])
  }

  /// An adapter that has failed may also be unplugged.
  @Test func anUnpluggedAdapterIsReportedAsGone() throws {
    let silent = HostEvent.adapterAway(Failure(.adapter, "it is silent", blame: .adapter, layer: .hci))
    let gone = HostEvent.adapterAway(Failure(.adapter, "it was unplugged", blame: .adapter, layer: .os))
    let dropped = HostEvent.adapterAway(Failure(.adapter, "packets were dropped", blame: .ours, layer: .os))
    for (events, states) in [
      ([gone], ["gone"]), ([silent, gone], ["off", "gone"]), ([dropped], ["off"]),
    ] {
      var bench = try Bench("on adapter as state: print state\nscan for \"x\" within forever")
      for event in events { bench.host(event) }
      bench.host(.adapterReady(Bench.adapter))
      #expect(bench.printed == states + ["on"])
    }
  }
}
