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
      program: try Bench.program(after), restoring: alignment.snapshot, remembered: [], inputs: [],
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

  @Test func theSecondOfTwoEqualsThatIsGoneIsRefused() throws {
    let before = "wait 1s\nlog \"x\"\nwait 1s\n"
    #expect(try Self.conflict(before, "log \"x\"\nwait 1s\n", advance: .milliseconds(1500)) != nil)
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
  @Test func whatIsGoneHasNoOtherwise() throws {
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
}
