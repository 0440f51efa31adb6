import Testing
import Vocabulary

@testable import Runner

@Suite struct SchedulerTests {
  private func scheduler(_ count: UInt64) -> Scheduler {
    var scheduler = Scheduler()
    for id in 1...count { scheduler.add(Fiber(id: id, role: id == 2 ? .stop(unit: 0) : .body)) }
    return scheduler
  }

  private func rows(_ scheduler: inout Scheduler) -> [RowKey] {
    var commit = Commit()
    scheduler.takeDeleted(in: &commit)
    let deleted = commit.rows.count
    scheduler.store(in: &commit)
    return commit.rows.enumerated().map { $0 < deleted ? RowKey(.output, $1.key.number) : $1.key }
  }

  private func order(_ scheduler: inout Scheduler, _ admission: Scheduler.Admission = .all) -> [UInt64] {
    var (position, ids) = (0, [UInt64]())
    while let id = scheduler.takeNext(from: &position, admission) {
      ids.append(id)
      if let index = scheduler.index(of: id) { _ = scheduler.begin(index) }
    }
    return ids
  }

  @Test func readyFibersRunOnceInOrder() {
    var scheduler = scheduler(4)
    #expect(order(&scheduler) == [1, 2, 3, 4] && !scheduler.hasReady)
    for index in [3, 0, 3, 0] { scheduler.enqueue(index) }
    #expect(order(&scheduler) == [4, 1])
  }

  @Test func duringTheEndOnlyItsFibersRun() {
    var scheduler = scheduler(4)
    #expect(scheduler.canGoOn(.stop) && !scheduler.canGoOn(.restore) && !scheduler.canGoOn(.none))
    #expect(order(&scheduler, .stop) == [2])
    #expect(order(&scheduler) == [1, 3, 4])
  }

  @Test func anExclusiveFiberBlocksTheOthers() {
    var scheduler = scheduler(3)
    _ = order(&scheduler)
    scheduler.enqueue(0)
    scheduler.enqueueFirst(2)
    #expect(order(&scheduler) == [3], "the first waits until the third has released it")
    #expect(!scheduler.canGoOn(.all))
    scheduler.release(1)
    #expect(!scheduler.canGoOn(.all))
    _ = scheduler.remove(at: 2)
    #expect(scheduler.exclusive == nil && order(&scheduler) == [1])
  }

  @Test func onlyWritesMarkARow() {
    var scheduler = scheduler(4)
    #expect(rows(&scheduler) == [1, 2, 3, 4].map { RowKey(.fiber, $0) }, "those of `on stop` too")
    #expect(scheduler[0].mark == 0 && scheduler.contains { $0.id == 3 } && scheduler.index(of: 4) == 3)
    for index in scheduler.indices { scheduler.enqueue(index) }
    _ = order(&scheduler)
    let asked = scheduler.takeOutToAsk(2)
    scheduler.putBack(asked)
    #expect(rows(&scheduler) == [])
    scheduler[0].mark = 5
    let fiber = scheduler.takeOut(3)
    #expect(scheduler[3].id == 4, "its place is kept")
    scheduler.putBack(fiber)
    #expect(rows(&scheduler) == [RowKey(.fiber, 1), RowKey(.fiber, 4)])
    scheduler.wake(2)
    #expect(rows(&scheduler) == [RowKey(.fiber, 3)])
  }

  @Test func removingAFiberDeletesItsRow() {
    var scheduler = scheduler(3)
    _ = scheduler.remove(at: 0)
    #expect(rows(&scheduler) == [RowKey(.fiber, 2), RowKey(.fiber, 3)], "it never had a row")
    _ = scheduler.remove(at: 1)
    #expect(rows(&scheduler) == [RowKey(.output, 3)])
    let gone = scheduler.takeOut(0)
    scheduler.removeAll()
    scheduler.putBack(gone)
    #expect(scheduler.isEmpty && rows(&scheduler) == [])
  }
}
