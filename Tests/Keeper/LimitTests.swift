import Exchange
import Testing
import Vocabulary

@testable import Keeper

/// Limits on the memory that a misbehaving client can make a keeper use.
@Suite struct LimitTests {
  private static let peer = KeeperBench.address

  /// One character may have any number of accents, and so any number of bytes.
  @Test func clientNamesAreTruncated() {
    var bench = KeeperBench()
    let long = "e" + String(repeating: "\u{301}", count: 100_000)
    let connection = bench.connection()
    bench.say(.hello(.init(version: "1", identity: [UInt8](repeating: 1, count: 16), name: long)), on: connection)
    let client = bench.keeper.status.clients.first
    #expect(client.map { !$0.name.isEmpty && $0.name.utf8.count <= KeeperLimits.name } ?? false)
    let other = bench.connection()
    bench.say(KeeperBench.hello(2, version: long), on: other)
    guard case .refused(let refusal)? = bench.take(other).first else {
      Issue.record("another version is let in")
      return
    }
    #expect(refusal.kind == .version && refusal.text.utf8.count < 300)
    let third = bench.connection()
    bench.say(.hello(.init(version: "1", identity: [UInt8](repeating: 3, count: 16), name: "a\u{1B}[2Jb\nc")), on: third)
    #expect(bench.keeper.status.clients.last?.name == "a [2Jb c")
  }

  @Test func aRefusedRequestThatComesAgainIsRefusedOnce() {
    var bench = KeeperBench()
    let connection = bench.connection()
    bench.say(KeeperBench.hello(1), on: connection)
    for _ in 0..<3 { bench.ask(7, .gatt(Self.peer, .readRSSI), on: connection) }
    let reports = bench.reports(connection)
    #expect(reports.count { if case .completed(OperationID(7), .failure) = $0.event { true } else { false } } == 1)
    // Once its outcome is acknowledged, nothing of it remains.
    bench.ask(0, .acknowledge(reports.last?.number ?? EventNumber(0)), on: connection)
    #expect(bench.keeper.status.clients.first?.waiting == 0)
    #expect(bench.isOpen(connection))
  }

  /// Each refusal is a report that must not be dropped.
  @Test func disconnectsAClientThatAcknowledgesNothing() {
    var bench = KeeperBench()
    let (good, _, _) = bench.subscriber(1)
    let connection = bench.connection()
    bench.say(KeeperBench.hello(2), on: connection)
    for number in 1...5000 as ClosedRange<UInt64> {
      bench.ask(number, .publish(ServerTable(name: "", services: [])), on: connection)
    }
    #expect(!bench.isOpen(connection))
    let status = bench.keeper.status.clients.first { $0.name == "client 2" }
    #expect(status.map { $0.waiting <= 2 * KeeperLimits.requests + 1 } ?? false)
    for case .refused(let refusal) in bench.take(connection) {
      #expect(refusal.kind == .busy && refusal.text == "512 requests have an unacknowledged outcome")
    }
    bench.push([5])
    bench.run(for: .milliseconds(300))
    #expect(bench.reports(good).compactMap(\.notified) == [[5]])
  }

  /// An unstable adapter causes more reports than the client reads.
  @Test func dropsAnUnresponsiveClient() {
    var bench = KeeperBench()
    let connection = bench.connection()
    bench.say(KeeperBench.hello(1), on: connection)
    var rounds = 0
    while bench.isOpen(connection), rounds < 6000 {
      rounds += 1
      bench.unplug()
      bench.isUnplugged = false
      bench.feed(.transportBack)
      bench.run(for: .milliseconds(600))
      #expect(bench.keeper.status.clients.first.map { $0.waiting <= KeeperLimits.reports + KeeperLimits.notes + 2 } ?? true)
    }
    #expect(!bench.isOpen(connection))
    #expect(bench.keeper.status.clients.isEmpty)
    guard case .refused(let refusal)? = bench.take(connection).last else {
      Issue.record("it is not told why")
      return
    }
    #expect(refusal.kind == .busy && refusal.text.hasSuffix(" reports are waiting for its acknowledgement"))
    // Another keeper could not do better: the client starts over.
    let again = bench.connection()
    bench.say(KeeperBench.hello(1), on: again)
    #expect(bench.welcome(again).0?.isReturning == false)
  }

  // MARK: The queue

  private func attributeCache(_ count: Int) -> AttributeCache {
    var attributeCache = AttributeCache()
    for number in 0..<count {
      let start = UInt16(number * 2 + 1)
      _ = attributeCache.add(.init(uuid: UUID(0x180D), start: AttributeHandle(start), end: AttributeHandle(start + 1)))
    }
    return attributeCache
  }

  private func reports(_ messages: [[UInt8]]) -> [HostReport] {
    messages.compactMap { message in
      guard case .report(let report)? = try? KeeperMessage(encoded: message) else { return nil }
      return report
    }
  }

  /// A discovery reports everything known with each answer. Of unsent reports only the last is
  /// kept.
  @Test func anUnreportedDiscoveryIsQueuedOnce() {
    var queue = ReportQueue(owner: OwnerID(2))
    let now = Instant.simulationStart
    func add(_ event: HostEvent) { _ = queue.add(event, number: EventNumber(1), at: now, isAway: true) }
    add(.attributeCacheChanged(Self.peer, attributeCache(1)))
    #expect(reports(queue.deliver()).map(\.number.raw) == [1])
    // Reports that were sent stay unchanged.
    for count in 2...200 { add(.attributeCacheChanged(Self.peer, attributeCache(count))) }
    #expect(queue.count == 2)
    let other = Address(bits: 1, kind: .public)
    add(.attributeCacheChanged(other, attributeCache(1)))
    add(.completed(OperationID(1), .success(.done)))
    add(.attributeCacheChanged(other, attributeCache(2)))
    let told = reports(queue.deliver())
    #expect(told.map(\.number.raw) == [200, 201, 202, 203])
    #expect(told.first?.event == .attributeCacheChanged(Self.peer, attributeCache(200)))
    let carried = queue.encoded
    #expect((try? ReportQueue(encoded: carried)) == queue)
    _ = queue.acknowledge(EventNumber(203))
    #expect(queue.count == 0 && queue.plain == 0 && queue.plainOctets == 0 && queue.octets == 0)
    #expect(queue.nextNumber == 204)
  }
}
