/// Calendar date and time of day in the proleptic Gregorian calendar, at a fixed offset from UTC,
/// without leap seconds.
package struct CivilTime: Hashable, Sendable {
  /// Astronomical numbering: the year before 1 is 0.
  package private(set) var year: Int
  /// 1 to 12.
  package private(set) var month: Int
  /// 1 to 31.
  package private(set) var day: Int
  /// 0 to 23.
  package private(set) var hour: Int
  /// 0 to 59.
  package private(set) var minute: Int
  /// 0 to 59.
  package private(set) var second: Int
  /// 0 to 999,999,999.
  package private(set) var nanosecond: Int
  /// Seconds east of UTC.
  package private(set) var offset: Int

  /// The days of the week, numbered as in ISO 8601 and in the Day of Week characteristic.
  package enum Weekday: Int, CaseIterable, Sendable {
    case monday = 1
    case tuesday, wednesday, thursday, friday, saturday, sunday

    /// `monday`.
    package var name: String { "\(self)" }
  }

  /// The local time at an offset in seconds, which is clamped to 26 hours.
  package init(_ time: WallTime, offset: Int = 0) {
    let offset = min(max(offset, -93_600), 93_600)
    self.init(localSeconds: time.unix + Int64(offset), nanosecond: Int(time.subsecond), offset: offset)
  }

  private init(localSeconds: Int64, nanosecond: Int, offset: Int) {
    let day = floorDivide(localSeconds, 86_400)
    let rest = Int(localSeconds - day * 86_400)
    (year, month, self.day) = Self.date(ofDay: Int(day))
    hour = rest / 3600
    minute = rest / 60 % 60
    second = rest % 60
    self.nanosecond = nanosecond
    self.offset = offset
  }

  /// `nil` if a field is out of range or the month has no such day. Years are -9999 to 9999,
  /// offsets less than 26 hours.
  package init?(
    year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, nanosecond: Int = 0, offset: Int = 0
  ) {
    guard (-9999...9999).contains(year), (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, of: year),
      (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second), (0...999_999_999).contains(nanosecond),
      (-93_600...93_600).contains(offset)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
    self.nanosecond = nanosecond
    self.offset = offset
  }

  /// Seconds since 1970-01-01T00:00:00Z.
  package var unix: Int64 {
    Int64(Self.dayNumber(year: year, month: month, day: day)) * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset)
  }

  /// The wall time; `nil` outside the years 1677 to 2262, which `WallTime` can represent.
  package var wallTime: WallTime? {
    let (whole, first) = unix.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, second) = whole.addingReportingOverflow(Int64(nanosecond))
    return first || second ? nil : WallTime(nanoseconds: sum)
  }

  package var weekday: Weekday {
    let number = Self.dayNumber(year: year, month: month, day: day)  // day 0, 1970-01-01, was a Thursday
    return Weekday(rawValue: Int(floorModulo(Int64(number) + 3, 7)) + 1) ?? .monday
  }

  /// 1 to 366.
  package var dayOfYear: Int {
    Self.dayNumber(year: year, month: month, day: day) - Self.dayNumber(year: year, month: 1, day: 1) + 1
  }

  // MARK: The calendar

  package static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  /// 28 to 31; 0 if there is no such month.
  package static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 1, 3, 5, 7, 8, 10, 12: 31
    case 4, 6, 9, 11: 30
    case 2: isLeap(year) ? 29 : 28
    default: 0
    }
  }

  /// Days since 1970-01-01. Years start in March, so that the leap day is the last day of a year;
  /// 400 years have 146,097 days.
  package static func dayNumber(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = Int(floorDivide(Int64(year), 400))
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The inverse of `dayNumber`.
  package static func date(ofDay number: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = number + 719_468
    let era = Int(floorDivide(Int64(shifted), 146_097))
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }
}

// MARK: RFC 3339

extension CivilTime: CustomStringConvertible {
  /// `2026-01-01`.
  package var date: String { "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))" }

  /// `2026-01-01T00:00:00Z`, `2026-07-01T12:00:00.250+02:00`; milliseconds only if nonzero. Seconds
  /// of the offset, which RFC 3339 does not allow, are dropped, and the local time is adjusted.
  package var description: String {
    guard offset % 60 == 0 else {
      let whole = offset - offset % 60
      return CivilTime(localSeconds: unix + Int64(whole), nanosecond: nanosecond, offset: whole).description
    }
    var text = "\(date)T\(Self.padded(hour, 2)):\(Self.padded(minute, 2)):\(Self.padded(second, 2))"
    let milliseconds = nanosecond / 1_000_000
    if milliseconds != 0 { text += ".\(Self.padded(milliseconds, 3))" }
    if offset == 0 { return text + "Z" }
    let size = abs(offset) / 60
    return text + (offset < 0 ? "-" : "+") + "\(Self.padded(size / 60, 2)):\(Self.padded(size % 60, 2))"
  }

  private static func padded(_ number: Int, _ width: Int) -> String { DecimalText.padded(String(number), width: width) }

  /// RFC 3339, 5.6: date, `T` or a space, time with an optional fraction of up to nine digits, then
  /// `Z` or an offset. The leap second `:60` counts as the next second.
  package init?(rfc3339 text: String) {
    var left = Array(text.utf8)[...]
    guard let year = Self.digits(4, &left), Self.take("-", &left), let month = Self.digits(2, &left), Self.take("-", &left),
      let day = Self.digits(2, &left), Self.take("T", &left) || Self.take("t", &left) || Self.take(" ", &left),
      let hour = Self.digits(2, &left), Self.take(":", &left), let minute = Self.digits(2, &left), Self.take(":", &left),
      let second = Self.digits(2, &left)
    else { return nil }
    var nanosecond = 0
    if Self.take(".", &left) {
      var scale = 100_000_000
      var count = 0
      while let digit = Self.digits(1, &left) {
        count += 1
        guard count <= 9 else { return nil }
        nanosecond += digit * scale
        scale /= 10
      }
      guard count > 0 else { return nil }
    }
    var offset = 0
    if !Self.take("Z", &left), !Self.take("z", &left) {
      let negative = Self.take("-", &left)
      guard negative || Self.take("+", &left), let hours = Self.digits(2, &left), Self.take(":", &left),
        let minutes = Self.digits(2, &left), hours <= 23, minutes <= 59
      else { return nil }
      offset = (hours * 60 + minutes) * 60 * (negative ? -1 : 1)
    }
    guard left.isEmpty else { return nil }
    guard
      let time = CivilTime(
        year: year, month: month, day: day, hour: hour, minute: minute, second: second == 60 ? 59 : second, nanosecond: nanosecond,
        offset: offset)
    else { return nil }
    guard second == 60 else {
      self = time
      return
    }
    self.init(localSeconds: time.unix + Int64(offset) + 1, nanosecond: nanosecond, offset: offset)
  }

  private static func take(_ character: Unicode.Scalar, _ left: inout ArraySlice<UInt8>) -> Bool {
    guard left.first == UInt8(ascii: character) else { return false }
    left.removeFirst()
    return true
  }

  private static func digits(_ count: Int, _ left: inout ArraySlice<UInt8>) -> Int? {
    guard left.count >= count else { return nil }
    var value = 0
    for byte in left.prefix(count) {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    left.removeFirst(count)
    return value
  }
}

/// Rounded towards negative infinity.
func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
  let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
  return rest < 0 ? quotient - 1 : quotient
}

func floorModulo(_ value: Int64, _ divisor: Int64) -> Int64 { value - floorDivide(value, divisor) * divisor }
