/// The POSIX rule at the end of a TZif file: `CET-1CEST,M3.5.0,M10.5.0/3`, with times from -167 to
/// 167 hours (RFC 9636, 3.3.1). It applies to all years.
struct PosixTimeZone: Hashable, Sendable {
  enum Day: Hashable, Sendable {
    /// 1 to 365; 29 February is never counted (`J60` is always 1 March).
    case ofYearWithoutLeapDay(Int)
    /// 0 to 365; 29 February is counted.
    case ofYear(Int)
    /// Month 1 to 12, week 1 to 5 (5 is the last), day 0 to 6 with Sunday as 0.
    case ofWeek(month: Int, week: Int, day: Int)
  }

  struct Switch: Hashable, Sendable {
    var day: Day
    /// Seconds after local midnight.
    var second = 7200
  }

  struct Summer: Hashable, Sendable {
    var offset: Int
    var start: Switch
    var end: Switch
  }

  /// Seconds east of UTC.
  var standard: Int
  var summer: Summer?

  func offset(unix: Int64) -> Int {
    guard summer != nil else { return standard }
    let year = CivilTime.date(ofDay: Int(floorDivide(unix + Int64(standard), 86_400))).year
    return transitions(years: (year - 1)...(year + 1)).last { $0.unix <= unix }?.offset ?? standard
  }

  func transitions(from: Int64, to: Int64) -> [TimeZoneRules.Transition] {
    guard summer != nil, from <= to else { return [] }
    let first = CivilTime.date(ofDay: Int(floorDivide(from, 86_400))).year
    let last = CivilTime.date(ofDay: Int(floorDivide(to, 86_400))).year
    return transitions(years: (first - 1)...(last + 1)).filter { $0.unix >= from && $0.unix <= to }
  }

  /// Transitions in ascending order. If one summer time ends exactly when the next begins, the
  /// beginning comes after the end.
  private func transitions(years: ClosedRange<Int>) -> [TimeZoneRules.Transition] {
    guard let summer else { return [] }
    var list: [TimeZoneRules.Transition] = []
    for year in years {
      let start = TimeZoneRules.Transition(unix: summer.start.unix(year: year, offset: standard), offset: summer.offset)
      let end = TimeZoneRules.Transition(unix: summer.end.unix(year: year, offset: summer.offset), offset: standard)
      list += start.unix <= end.unix ? [start, end] : [end, start]
    }
    var sorted: [TimeZoneRules.Transition] = []
    for transition in list {
      // Nearly sorted already, because only unusual rules reach into the next year.
      let place = sorted.lastIndex { $0.unix <= transition.unix }.map { $0 + 1 } ?? 0
      sorted.insert(transition, at: place)
    }
    return sorted
  }
}

extension PosixTimeZone.Switch {
  /// The time of the change in a year, on clocks that are `offset` seconds east of UTC until then.
  func unix(year: Int, offset: Int) -> Int64 {
    let newYear = CivilTime.dayNumber(year: year, month: 1, day: 1)
    let number: Int
    switch day {
    case .ofYearWithoutLeapDay(let count): number = newYear + count - 1 + (CivilTime.isLeap(year) && count >= 60 ? 1 : 0)
    case .ofYear(let count): number = newYear + count
    case .ofWeek(let month, let week, let weekday):
      let first = CivilTime.dayNumber(year: year, month: month, day: 1)
      let firstWeekday = Int(floorModulo(Int64(first) + 4, 7))  // 1970-01-01 was a Thursday, 4
      var day = (weekday - firstWeekday + 7) % 7 + 7 * (week - 1)
      if day >= CivilTime.days(inMonth: month, of: year) { day -= 7 }
      number = first + day
    }
    return Int64(number) * 86_400 + Int64(second - offset)
  }
}

// MARK: Reading

extension PosixTimeZone {
  /// `nil` unless the whole text is a rule.
  init?(_ text: String) {
    var reader = Reader(left: Array(text.utf8)[...])
    guard reader.name(), let west = reader.time(limit: 24) else { return nil }
    standard = -west
    guard !reader.left.isEmpty else { return }
    guard reader.name() else { return nil }
    var offset = standard + 3600
    if let next = reader.left.first, next != UInt8(ascii: ",") {
      guard let west = reader.time(limit: 24) else { return nil }
      offset = -west
    }
    if reader.left.isEmpty {
      // POSIX does not define this; other implementations use the rule of the United States.
      summer = Summer(
        offset: offset, start: Switch(day: .ofWeek(month: 3, week: 2, day: 0)),
        end: Switch(day: .ofWeek(month: 11, week: 1, day: 0)))
      return
    }
    guard reader.take(","), let start = reader.change(), reader.take(","), let end = reader.change(), reader.left.isEmpty else {
      return nil
    }
    summer = Summer(offset: offset, start: start, end: end)
  }

  private struct Reader {
    var left: ArraySlice<UInt8>

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard left.first == UInt8(ascii: character) else { return false }
      left.removeFirst()
      return true
    }

    /// At least three letters, or letters, digits and signs in angle brackets.
    mutating func name() -> Bool {
      let quoted = take("<")
      var count = 0
      while let byte = left.first {
        let letter = (0x41...0x5A).contains(byte & 0xDF)
        let sign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte)
        guard letter || (quoted && sign) else { break }
        left.removeFirst()
        count += 1
      }
      return count >= 3 && (!quoted || take(">"))
    }

    /// Up to three digits.
    mutating func number(_ range: ClosedRange<Int>) -> Int? {
      var value = 0
      var count = 0
      while let byte = left.first, (0x30...0x39).contains(byte) {
        guard count < 3 else { return nil }
        value = value * 10 + Int(byte - 0x30)
        count += 1
        left.removeFirst()
      }
      return count > 0 && range.contains(value) ? value : nil
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    mutating func time(limit: Int) -> Int? {
      let negative = take("-")
      if !negative { _ = take("+") }
      guard let hours = number(0...limit) else { return nil }
      var seconds = hours * 3600
      if take(":") {
        guard let minutes = number(0...59) else { return nil }
        seconds += minutes * 60
        if take(":") {
          guard let rest = number(0...59) else { return nil }
          seconds += rest
        }
      }
      return negative ? -seconds : seconds
    }

    mutating func change() -> Switch? {
      let day: Day
      if take("M") {
        guard let month = number(1...12), take("."), let week = number(1...5), take("."), let weekday = number(0...6) else {
          return nil
        }
        day = .ofWeek(month: month, week: week, day: weekday)
      } else if take("J") {
        guard let count = number(1...365) else { return nil }
        day = .ofYearWithoutLeapDay(count)
      } else {
        guard let count = number(0...365) else { return nil }
        day = .ofYear(count)
      }
      guard take("/") else { return Switch(day: day) }
      guard let second = time(limit: 167) else { return nil }
      return Switch(day: day, second: second)
    }
  }
}
