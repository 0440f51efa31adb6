import Testing
import Vocabulary

@testable import Runner

@Suite struct TimersTests {
  private static let start = Instant.simulationStart

  private func rows(_ timers: inout Timers) -> [Commit.Row] {
    var commit = Commit()
    timers.takeDeleted(in: &commit)
    timers.store(in: &commit)
    return commit.rows
  }

  private func timers() -> Timers {
    var timers = Timers()
    timers.set(TimerState(id: 1, handler: ActiveHandler(unit: 10), due: Self.start + .seconds(1), period: .seconds(1)))
    timers.set(TimerState(id: 2, handler: ActiveHandler(unit: 20), due: Self.start + .milliseconds(1500), period: nil))
    return timers
  }

  private func units(_ timers: inout Timers, _ span: TimeSpan) -> [Int] {
    timers.popDue(Self.start + span, .utc).map(\.handler.unit)
  }

  @Test func dueTimersTickOnceInOrder() {
    var timers = timers()
    #expect(timers.nextDeadline == (Self.start + .seconds(1)).moment)
    #expect(units(&timers, .milliseconds(999)) == [])
    #expect(units(&timers, .seconds(2)) == [10, 20] && timers.count == 1)
    #expect(timers.nextDeadline == (Self.start + .seconds(3)).moment, "what was missed is not made up for")
  }

  @Test func aBusyHandlerKeepsOnePendingTick() {
    var timers = timers()
    _ = units(&timers, .seconds(1))
    #expect(units(&timers, .milliseconds(2500)) == [20] && units(&timers, .milliseconds(4500)) == [])
    let pending = timers.ended(1)
    #expect(pending == Timers.Tick(number: 1, handler: ActiveHandler(unit: 10), due: Self.start + .seconds(2)))
    #expect(timers.ended(1) == nil && units(&timers, .seconds(5)) == [10])
  }

  @Test func cancellingATimerDeletesItsRow() {
    var timers = timers()
    timers.cancel(ActiveHandler(unit: 20))
    #expect(rows(&timers).map(\.key) == [RowKey(.timer, 1)])
    #expect(rows(&timers).isEmpty && timers.nextDeadline != nil)
    timers.cancel(ActiveHandler(unit: 10))
    #expect(rows(&timers) == [Commit.Row(RowKey(.timer, 1), nil)] && timers.nextDeadline == nil)
  }

  @Test func onlyATickMarksItsRow() {
    var timers = timers()
    _ = rows(&timers)
    #expect(units(&timers, .milliseconds(10)) == [] && rows(&timers).isEmpty)
    _ = units(&timers, .milliseconds(1500))
    #expect(rows(&timers).map(\.key) == [RowKey(.timer, 2), RowKey(.timer, 1)])
  }

  @Test func aTimeOfTheDayFollowsTheWallClock() {
    var timers = Timers()
    timers.set(
      TimerState(
        id: 1, handler: ActiveHandler(unit: 1), due: Self.start + .hours(2), period: .days(1), at: TimeOfDay(hour: 6, minute: 0)))
    timers.set(TimerState(id: 2, handler: ActiveHandler(unit: 2), due: Self.start + .hours(2), period: nil))
    timers.followWallClock(Self.start)
    _ = rows(&timers)
    timers.followWallClock(Instant(moment: Self.start.moment + .seconds(1), wall: Self.start.wall + .hours(1)))
    #expect(timers.nextDeadline == Self.start.moment + .seconds(1) + .hours(1))
    #expect(rows(&timers).map(\.key) == [RowKey(.timer, 1)])
  }
}
