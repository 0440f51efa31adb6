import Testing
import Vocabulary

@testable import Runner

@Suite struct EventQueueTests {
  private func event(_ sequence: UInt64, device: Int = 0) -> MachineEvent {
    MachineEvent(sequence: sequence, device: device, kind: .connected, at: .simulationStart)
  }

  private func rows(_ queues: inout EventQueues) -> [(key: RowKey, isStored: Bool)] {
    var commit = Commit()
    queues.takeDeleted(in: &commit)
    queues.store(in: &commit)
    return commit.rows.map { ($0.key, $0.value != nil) }
  }

  @Test func aLaneTakesOneEventAtATime() {
    var queues = EventQueues()
    let start = queues.admit(event(1), 7, keepingLatest: false)
    #expect(start == .start(lane: 0))
    queues.begin(event(0), lane: 0)
    #expect(queues.admit(event(2), 7, keepingLatest: false) == .queued)
    #expect(queues.admit(event(3, device: 1), 7, keepingLatest: false) == .start(lane: 1), "another device, another lane")
    #expect(queues.count == 1 && queues.devices == [0])
    #expect(queues.index(7, 0) == 0 && queues.take(0)?.sequence == 2 && queues.take(0) == nil)
  }

  @Test func aFullLaneDropsAndTheLatestReplaces() {
    var queues = EventQueues()
    _ = queues.admit(event(0), 7, keepingLatest: false)
    queues.begin(event(0), lane: 0)
    for sequence in 1...UInt64(EventQueues.limit) { #expect(queues.admit(event(sequence), 7, keepingLatest: false) == .queued) }
    #expect(queues.admit(event(5000), 7, keepingLatest: false) == .dropped)
    #expect(queues.admit(event(6000), 7, keepingLatest: true) == .queued && queues.count == 1)
    #expect(queues.take(0)?.sequence == 6000)
  }

  /// What happened while no process ran has room of its own. A restart gives no more room for what
  /// comes later, or a slow run that restarts again and again would grow without end.
  @Test func anAbsenceHasRoomOfItsOwn() {
    let many = (1...UInt64(EventQueues.limit)).map { (unit: 7, event: event($0)) }
    var queues = EventQueues(queued: many, kept: many.map(\.event), dropped: [])
    queues.resume(7, 0)
    #expect(queues.admit(event(5000), 7, keepingLatest: false) == .dropped && !queues.keepsTooMuch)
    queues.keep(event(5000))
    #expect(queues.keepsTooMuch)
    _ = queues.takeKept()
    for sequence in 0..<UInt64(EventQueues.backlog) {
      #expect(queues.admit(event(10_000 + sequence), 7, keepingLatest: false, isOlder: true) == .queued)
      queues.keep(event(10_000 + sequence), isOlder: true)
    }
    #expect(!queues.keepsTooMuch)
    #expect(queues.admit(event(30_000), 7, keepingLatest: false, isOlder: true) == .dropped, "but not without end")
    queues.keep(event(30_000), isOlder: true)
    #expect(queues.keepsTooMuch)
    let again = EventQueues(
      queued: (1...3000).map { (unit: 7, event: event($0)) }, kept: (1...3000).map { event($0) }, dropped: [])
    #expect(!again.keepsTooMuch && again.count == 3000)
  }

  @Test func eachEventHasItsRowUntilItIsTaken() {
    var queues = EventQueues()
    _ = queues.admit(event(0), 7, keepingLatest: false)
    queues.begin(event(0), lane: 0)
    for sequence: UInt64 in 1...3 { _ = queues.admit(event(sequence), 7, keepingLatest: false) }
    _ = queues.take(0)
    queues.keep(event(4))
    var written = rows(&queues)
    #expect(written.map(\.key) == [.queued(event(2), 7), .queued(event(3), 7), RowKey(.keptEvent, 4)], "the first never had one")
    written = rows(&queues)
    #expect(written.isEmpty)
    _ = queues.take(0)
    queues.prune(through: 4)
    written = rows(&queues)
    #expect(written.map(\.key) == [.queued(event(2), 7), RowKey(.keptEvent, 4)] && written.allSatisfy { !$0.isStored })
  }

  @Test func rowsStayCorrectAfterManyEvents() {
    var events = StoredEvents()
    var (stored, added, taken) = (Set<UInt64>(), UInt64(0), UInt64(0))
    for round in 0..<3000 {
      for _ in 0..<(round % 5) {
        events.append(event(added))
        added += 1
      }
      if round % 3 == 0 { for event in events.takeNew() { #expect(stored.insert(event.sequence).inserted) } }
      if round % 7 < 5, let (event, isStored) = events.take() {
        #expect(event.sequence == taken && isStored == stored.contains(taken))
        taken += 1
      }
      #expect(events.count == Int(added - taken) && events.first?.sequence == (added > taken ? taken : nil))
    }
  }

  @Test func warningsBecomeRarerAndNameEveryEvent() {
    var drops = DropCounts()
    var now = Instant.simulationStart.moment
    var (told, warnings): (UInt64, [TimeSpan]) = (0, [])
    for _ in 0..<3000 {
      drops.count(line: 5, device: 0, at: now)
      let due = drops.takeDue(now)
      if !due.isEmpty { warnings.append(now - Instant.simulationStart.moment) }
      told += due.reduce(0) { $0 + $1.count }
      now = now + .milliseconds(100)
    }
    told += drops.take().reduce(0) { $0 + $1.count }
    #expect(told == 3000 && warnings.count < 12, "\(warnings)")
  }
}
