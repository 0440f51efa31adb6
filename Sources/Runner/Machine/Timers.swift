import Vocabulary

/// The timers of a run, ordered by number. Writing to one marks its row; removing one deletes the
/// row.
struct Timers: Sendable {
  private var all: [TimerState] = []
  /// One per timer, in the same order.
  private var states: [State] = []
  private var deleted: [RowKey] = []
  /// The difference between wall clock and boot clock, which changes when the wall clock is set.
  private var clockOffset: TimeSpan?

  private struct State: Sendable {
    var isChanged = true
    var isStored = false
    /// Whether the handler of its last tick is still running.
    var isRunning = false
  }

  /// A due tick of a handler.
  struct Tick: Equatable, Sendable {
    var number: UInt64
    var handler: ActiveHandler
    var due: Instant
  }

  init() {}

  /// The timers of a checkpoint; all are marked to be rewritten.
  init(stored timers: [TimerState]) {
    all = timers
    states = Array(repeating: State(isStored: true), count: timers.count)
  }

  var count: Int { all.count }
  var nextDeadline: Moment? { all.lazy.map(\.due.moment).min() }

  /// - Parameter timer: must have the greatest number so far.
  mutating func set(_ timer: TimerState) {
    all.append(timer)
    states.append(State())
  }

  /// Removes the timers of a handler.
  mutating func cancel(_ handler: ActiveHandler) { remove { $0.handler == handler } }

  /// Does not delete rows; the caller deletes all of them.
  mutating func removeAll() {
    all.removeAll()
    states.removeAll()
    deleted.removeAll()
  }

  private mutating func remove(where isGone: (TimerState) -> Bool) {
    for index in all.indices.reversed() where isGone(all[index]) {
      let timer = all.remove(at: index)
      if states.remove(at: index).isStored { deleted.append(RowKey(.timer, timer.id)) }
    }
  }

  private mutating func change(_ index: Int, _ work: (inout TimerState) -> Void) {
    states[index].isChanged = true
    work(&all[index])
  }

  // MARK: Time

  /// The due ticks. An `after` timer is removed; an `every` timer gets its next due time. Ticks of
  /// a handler that is still running are combined into one, which is owed.
  mutating func popDue(_ now: Instant, _ zone: TimeZoneRules) -> [Tick] {
    var ticks: [Tick] = []
    var hasEnded = false
    for index in all.indices where all[index].due.moment <= now.moment {
      let tick = Tick(number: all[index].id, handler: all[index].handler, due: all[index].due)
      guard let period = all[index].period else {
        hasEnded = true
        ticks.append(tick)
        continue
      }
      let isRunning = states[index].isRunning
      change(index) { timer in
        timer.due = Self.next(timer, period, now, zone)
        if isRunning, !timer.isTickPending {
          timer.isTickPending = true
          timer.pendingDue = tick.due
        }
      }
      if !isRunning {
        states[index].isRunning = true
        ticks.append(tick)
      }
    }
    if hasEnded { remove { $0.period == nil && $0.due.moment <= now.moment } }
    return ticks
  }

  /// The next tick after now; missed ticks are skipped.
  private static func next(_ timer: TimerState, _ period: TimeSpan, _ now: Instant, _ zone: TimeZoneRules) -> Instant {
    if let clock = timer.at {
      let wall = nextWall(clock, timer.due.wall, period, after: now.wall, zone)
      // At the end of representable time there is no next tick, so avoid ticking without pause.
      return Instant(moment: now.moment + (wall > now.wall ? wall - now.wall : .days(1)), wall: wall)
    }
    let late = (now.moment - timer.due.moment).nanoseconds
    let steps = min(late / period.nanoseconds, .max - 1) + 1
    return timer.due + period * steps
  }

  /// The next tick of `every D at T`: of whole days at the same local time, else after D.
  private static func nextWall(
    _ clock: TimeOfDay, _ due: WallTime, _ period: TimeSpan, after now: WallTime, _ zone: TimeZoneRules
  ) -> WallTime {
    let day = TimeSpan.days(1)
    if period == day { return zone.next(clock, after: max(now, due)) }
    let steps = min(max(.zero, now - due).nanoseconds / period.nanoseconds, .max - 1) + 1
    let (span, overflow) = period.nanoseconds.multipliedReportingOverflow(by: steps)
    let next = due + TimeSpan(nanoseconds: overflow ? .max : span)
    guard period.nanoseconds % day.nanoseconds == 0 else { return next }
    // A change of the local clock moves it by less than half a day.
    let found = zone.next(clock, after: next - .hours(12))
    return found > now ? found : zone.next(clock, after: next + period - .hours(12))
  }

  /// Handles the end of an `every` handler. Returns its owed tick, which is due at once.
  mutating func ended(_ number: UInt64) -> Tick? {
    guard let index = all.firstIndex(where: { $0.id == number && $0.period != nil }) else { return nil }
    states[index].isRunning = false
    guard all[index].isTickPending else { return nil }
    let due = all[index].pendingDue ?? all[index].due
    change(index) { timer in
      timer.isTickPending = false
      timer.pendingDue = nil
    }
    states[index].isRunning = true
    return Tick(number: number, handler: all[index].handler, due: due)
  }

  /// Marks the handler of this timer as running in a restored run.
  mutating func resume(_ number: UInt64) {
    for index in all.indices where all[index].id == number { states[index].isRunning = true }
  }

  /// After the clock was set, timers with a time of day keep their wall time. A skipped time ticks
  /// now; a repeated one does not tick again.
  mutating func followWallClock(_ now: Instant) {
    let offset = TimeSpan(nanoseconds: now.wall.nanoseconds) - TimeSpan(nanoseconds: now.moment.nanoseconds)
    defer { clockOffset = offset }
    guard let last = clockOffset, offset - last > .seconds(1) || last - offset > .seconds(1) else { return }
    for index in all.indices where all[index].at != nil { change(index) { $0.due.moment = now.moment + ($0.due.wall - now.wall) } }
  }

  /// Adjusts the due times of a restored run to the clocks of its new process.
  mutating func moveClocks(_ now: Instant, _ moved: (Instant) -> Instant) {
    for index in all.indices {
      // `at` refers to the wall clock. Until that is set, the timer is far in the future;
      // `followWallClock` then adjusts it.
      change(index) { timer in
        if timer.at != nil { timer.due.moment = now.moment + (timer.due.wall - now.wall) } else { timer.due = moved(timer.due) }
      }
    }
  }

  // MARK: Rows

  /// Marks the rows of all timers to be rewritten.
  mutating func rewrite() {
    deleted.removeAll()
    for index in states.indices { states[index].isChanged = true }
  }

  mutating func takeDeleted(in commit: inout Commit) { commit.takeDeleted(&deleted) }

  mutating func store(in commit: inout Commit) {
    for index in states.indices where states[index].isChanged {
      states[index].isChanged = false
      states[index].isStored = true
      commit.rows.append(Commit.Row(RowKey(.timer, all[index].id), all[index].encoded))
    }
  }
}
