/// The local time of a place: the transitions of a TZif file (RFC 9636) and, after the last of
/// them, its rule for all years.
package struct TimeZoneRules: Hashable, Sendable {
  /// From this time on, clocks are this many seconds east of UTC.
  struct Transition: Hashable, Sendable {
    var unix: Int64
    var offset: Int
  }

  /// A change of the clocks.
  package struct Change: Hashable, Sendable {
    /// Seconds since 1970.
    package var unix: Int64
    package var before: Int
    package var after: Int
  }

  /// The offset before the first transition.
  var first: Int
  /// In ascending order.
  var transitions: [Transition] = []
  /// The rule after the last transition.
  var rule: PosixTimeZone?

  package static let utc = TimeZoneRules(fixed: 0)

  /// A constant offset in seconds, which is clamped to 26 hours.
  package init(fixed offset: Int) { first = min(max(offset, -93_600), 93_600) }

  /// A POSIX rule, as in the environment variable TZ (`CET-1CEST,M3.5.0,M10.5.0/3`); `nil` if it is
  /// not valid.
  package init?(posix text: String) {
    guard let rule = PosixTimeZone(text) else { return nil }
    first = rule.standard
    self.rule = rule
  }

  /// Seconds east of UTC.
  package func offset(at time: WallTime) -> Int { offset(unix: time.unix) }

  /// The local time of this place.
  package func civil(_ time: WallTime) -> CivilTime { CivilTime(time, offset: offset(at: time)) }

  func offset(unix: Int64) -> Int {
    let index = transitions.partition { $0.unix > unix }
    if index == transitions.count, let rule { return rule.offset(unix: unix) }
    return index == 0 ? first : transitions[index - 1].offset
  }

  /// The changes of the clocks in `from...to`, in order.
  package func changes(from: Int64, to: Int64) -> [Change] {
    var found: [Change] = []
    var index = transitions.partition { $0.unix >= from }
    while index < transitions.count, transitions[index].unix <= to {
      let before = offset(unix: transitions[index].unix - 1)
      // At the last transition this may use the rule, which agrees with it in a valid file.
      let after = offset(unix: transitions[index].unix)
      if before != after { found.append(Change(unix: transitions[index].unix, before: before, after: after)) }
      index += 1
    }
    if let rule {
      let last = transitions.last?.unix ?? .min
      for transition in rule.transitions(from: from, to: to) where transition.unix > last {
        let before = offset(unix: transition.unix - 1)
        if before != transition.offset {
          found.append(Change(unix: transition.unix, before: before, after: transition.offset))
        }
      }
    }
    return found
  }

  /// The first time after `time` at which the local clock shows `local`. A time that a change skips
  /// counts as the moment of the change; a repeated time counts only the first time.
  package func next(_ local: TimeOfDay, after time: WallTime) -> WallTime {
    let today = floorDivide(time.unix + Int64(offset(at: time)), 86_400)
    // A change can skip a whole day (Samoa, 30 December 2011), so look beyond tomorrow.
    for day in (today - 1)...(today + 4) {
      let found = WallTime(unix: self.unix(ofLocal: day * 86_400 + Int64(local.secondOfDay)))
      if found > time { return found }
    }
    return time + .days(1)
  }

  /// The first moment at which the local clock shows this civil time, ignoring its own offset;
  /// `nil` outside the years 1677 to 2262.
  package func wallTime(local: CivilTime) -> WallTime? {
    let unix = self.unix(ofLocal: local.unix + Int64(local.offset))
    let (whole, first) = unix.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, second) = whole.addingReportingOverflow(Int64(local.nanosecond))
    return first || second ? nil : WallTime(nanoseconds: sum)
  }

  /// The first moment at which the clock shows this local time, given in seconds as if it were UTC.
  private func unix(ofLocal local: Int64) -> Int64 {
    let reach: Int64 = 100_000  // more than the largest offset
    let changes = changes(from: local - reach, to: local + reach)
    var start = Int64.min
    var offset = self.offset(unix: local - reach)
    for change in changes {
      let candidate = local - Int64(offset)
      if candidate >= start, candidate < change.unix { return candidate }
      if local < change.unix + Int64(change.after), candidate >= change.unix { return change.unix }
      start = change.unix
      offset = change.after
    }
    return max(local - Int64(offset), start)
  }
}

extension [TimeZoneRules.Transition] {
  /// The index of the first element for which it holds; `count` if there is none.
  func partition(_ holds: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
