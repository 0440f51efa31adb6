package import Vocabulary

/// A wall-clock time taken apart in a local zone, in the proleptic Gregorian calendar.
package struct Civil: Equatable, Sendable {
  package var year: Int
  /// 1 to 12.
  package var month: Int
  /// 1 to 31.
  package var day: Int
  package var hour: Int
  package var minute: Int
  package var second: Int
  /// 0 ..< 1,000,000,000.
  package var nanosecond: Int

  package init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, nanosecond: Int = 0) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
    self.nanosecond = nanosecond
  }

  package init(_ time: WallTime, secondsEast: Int) {
    let (seconds, nanoseconds) = Self.floorDivide(Int(time.nanoseconds), 1_000_000_000)
    let (days, rest) = Self.floorDivide(seconds + secondsEast, 86_400)
    let (year, month, day) = Self.date(ofDay: days)
    self.init(
      year: year, month: month, day: day, hour: rest / 3600, minute: rest / 60 % 60, second: rest % 60, nanosecond: nanoseconds)
  }

  /// Nothing when it lies outside what 64 bits of nanoseconds can say (1677 to 2262).
  package func wallTime(secondsEast: Int) -> WallTime? {
    let days = Self.day(ofYear: year, month, day)
    guard abs(days) < 200_000 else { return nil }
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - secondsEast
    let (product, isOver) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isOverToo) = product.addingReportingOverflow(Int64(nanosecond))
    return isOver || isOverToo ? nil : WallTime(nanoseconds: sum)
  }

  /// 0 is Monday.
  package var weekday: Int { Self.floorDivide(Self.day(ofYear: year, month, day) + 3, 7).1 }

  package static let weekdayNames = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  static func floorDivide(_ value: Int, _ divisor: Int) -> (Int, Int) {
    let rest = value % divisor
    return rest < 0 ? (value / divisor - 1, rest + divisor) : (value / divisor, rest)
  }

  /// Days since 1970-01-01; eras of 400 years that begin in March, so that the leap day comes last.
  static func day(ofYear year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = floorDivide(shifted, 400)
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  static func date(ofDay days: Int) -> (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}
