import Exchange
import Testing
import Vocabulary

@testable import Runner

/// Overflowing queues: the warnings together name exactly the number of lost events.
@Suite struct DropTests {
  private static func reported(_ bench: Bench, _ what: String) -> [Int] {
    bench.logged.compactMap { line in
      guard line.contains("dropped"), line.contains(what) else { return nil }
      return line.split(separator: " ").first.flatMap { Int($0) }
    }
  }

  private static func heart(_ handler: String, wait: String = "wait forever") -> String {
    """
    scan for heart_rate within forever
    connect
    subscribe to heart_rate_measurement
    let beats = 0
    \(handler)
    \(wait)
    """
  }

  private static func subscribed(_ text: String) throws -> Bench {
    var bench = try LinkTests.connected(text)
    bench.host(.completed(try LinkTests.gatt(bench).0, .success(.subscribed(LinkTests.measurement, .notify))))
    return bench
  }

  private static func notify(_ bench: inout Bench, _ count: Int, every gap: TimeSpan = .zero) {
    for number in 0..<count {
      bench.host(
        .notificationReceived(Bench.strap, LinkTests.measurement, [0, UInt8(truncatingIfNeeded: number)], .notify))
      if gap > .zero { bench.advance(gap) }
    }
  }

  static let slow = "on notify heart_rate_measurement as beat\n  wait 1h\nend"

  @Test(arguments: [1, 2, 475, 3_000], [TimeSpan.zero, .milliseconds(7)])
  func aSlowHandlerReportsExactlyHowManyItMissed(_ lost: Int, _ gap: TimeSpan) throws {
    var bench = try Self.subscribed(Self.heart(Self.slow))
    // One event is being handled, and the queue is full.
    Self.notify(&bench, 1 + EventQueues.limit + lost, every: gap)
    bench.advance(.minutes(3))
    #expect(Self.reported(bench, "line 5").reduce(0, +) == lost, "\(bench.logged)")
    #expect(bench.logged.contains { $0.contains("Strap") })
    if gap == .zero { #expect(Self.reported(bench, "line 5").count == 1) }
    #expect(bench.machine.nextDeadline.map { $0 > bench.now.moment + .minutes(30) } ?? true, "nothing is due once all is told")
  }

  @Test func unreportedDropsAreReportedAtTheEnd() throws {
    var bench = try Self.subscribed(Self.heart(Self.slow, wait: "wait for disconnect\nstop"))
    Self.notify(&bench, 1 + EventQueues.limit + 475)
    bench.host(.disconnected(Bench.strap, DisconnectReason(code: 8, text: "gone")))
    bench.advance(.seconds(20))
    #expect(bench.exit?.code == 0)
    #expect(Self.reported(bench, "line 5").reduce(0, +) == 475, "\(bench.logged)")
  }

  /// The end of a recipe leaves its handlers five seconds. What they did not reach is reported.
  @Test(arguments: [(50, 0), (300, 300 - 100)]) func eventsThatTheEndLeavesUnhandledAreReported(_ count: Int, _ left: Int) throws {
    let handler = "on notify heart_rate_measurement as beat\n  set beats to beats + 1\n  wait 50ms\nend\non stop: print beats"
    var bench = try Self.subscribed(Self.heart(handler, wait: "wait for disconnect"))
    Self.notify(&bench, count)
    bench.host(.disconnected(Bench.strap, DisconnectReason(code: 8, text: "gone")))
    bench.advance(.seconds(30))
    #expect(bench.exit?.code == 0)
    let told = bench.logged.filter { $0.contains("not handled") }
    let handled = bench.printed.last.flatMap { Int($0) } ?? 0
    #expect(left == 0 ? told.isEmpty : told.count == 1, "\(bench.logged)")
    #expect(handled + (told.first?.split(separator: " ").first.flatMap { Int($0) } ?? 0) == count, "\(handled) \(told)")
  }

  @Test func anInterruptedRunReportsRemainingDrops() throws {
    var bench = try Self.subscribed(Self.heart(Self.slow))
    Self.notify(&bench, 1 + EventQueues.limit + 31)
    bench.machine.handle(.stopRequested(.interrupted), at: bench.now)
    bench.run()
    bench.advance(.seconds(20))
    #expect(Self.reported(bench, "line 5").reduce(0, +) == 31, "\(bench.logged)")
  }

  @Test func keepingLatestCountsNoDrops() throws {
    var bench = try Self.subscribed(Self.heart("on notify heart_rate_measurement as beat keeping latest\n  wait 1h\nend"))
    Self.notify(&bench, 3_000)
    bench.advance(.minutes(3))
    #expect(Self.reported(bench, "").isEmpty)
  }

  @Test(arguments: [1, 475, 2_100]) func dropsOfWaitForAreCounted(_ lost: Int) throws {
    let text = Self.heart("", wait: "wait 1h\nwait for notify heart_rate_measurement where it.bpm is 999\nwait forever")
    var bench = try Self.subscribed(text)
    Self.notify(&bench, EventQueues.limit + lost)
    bench.advance(.minutes(3))
    #expect(Self.reported(bench, "wait for").reduce(0, +) == lost, "\(bench.logged)")
  }

  @Test(arguments: [true, false]) func aKillLosesNoCount(_ told: Bool) throws {
    var bench = try Self.subscribed(Self.heart(Self.slow))
    Self.notify(&bench, 1 + EventQueues.limit + 200)
    if told { bench.advance(.seconds(2)) }
    // Another commit follows a warning, so that it is not repeated.
    if told { Self.notify(&bench, 1) }
    let before = Self.reported(bench, "line 5").reduce(0, +)
    #expect(before == (told ? 200 : 0))
    try bench.kill()
    bench.advance(.minutes(3))
    #expect(Self.reported(bench, "line 5").reduce(0, +) == (told ? 201 : 200), "\(bench.logged)")
  }

  @Test func dropsAreCountedPerDevice() throws {
    var machine = try Self.subscribed(Self.heart(Self.slow)).machine
    for (device, count) in [(0, 3), (1, 5), (0, 4)] {
      for _ in 0..<count { machine.events.countDropped(line: 5, device: device, at: machine.now.moment) }
    }
    #expect(machine.events.drops.entries.map(\.count) == [7, 5])
    machine.effects = []
    machine.reportDrops()
    #expect(machine.effects.count == 2)
    let row = try #require(machine.takeCommit().rows.first { $0.key.kind == .header }?.value)
    let header = try Header(encoded: row)
    #expect(header.dropped.map(\.count) == [7, 5])
  }
}
