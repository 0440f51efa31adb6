import Testing

@testable import Vocabulary

@Suite struct CivilTimeTests {
  @Test(
    arguments: [
      (8534991247, "2240-06-18T14:54:07Z", 4, 170),
      (4567454352, "2114-09-27T01:19:12Z", 4, 270),
      (-5120986793, "1807-09-22T07:40:07Z", 2, 265),
      (-2523897706, "1890-01-08T05:18:14Z", 3, 8),
      (5460441565, "2143-01-13T13:19:25Z", 7, 13),
      (2883252735, "2061-05-13T23:32:15Z", 5, 133),
      (1169874351, "2007-01-27T05:05:51Z", 6, 27),
      (7986675624, "2223-02-02T09:00:24Z", 7, 33),
      (5107126426, "2131-11-03T06:13:46Z", 6, 307),
      (-6623641596, "1760-02-08T11:33:24Z", 5, 39),
      (-1449433084, "1924-01-27T03:41:56Z", 7, 27),
      (-2176134625, "1901-01-16T06:09:35Z", 3, 16),
      (3388334518, "2077-05-15T20:01:58Z", 6, 135),
      (-8897404634, "1688-01-19T18:42:46Z", 1, 19),
      (-5471632971, "1796-08-10T21:57:09Z", 3, 223),
      (-7254385010, "1740-02-13T05:03:10Z", 6, 44),
      (-3697302166, "1852-11-02T03:37:14Z", 2, 307),
      (-8046192522, "1715-01-10T18:31:18Z", 4, 10),
      (182829285, "1975-10-18T01:54:45Z", 6, 291),
      (-7953238308, "1717-12-21T15:08:12Z", 2, 355),
      (-4185753190, "1837-05-11T18:46:50Z", 4, 131),
      (9076014063, "2257-08-10T11:01:03Z", 1, 222),
      (-816405710, "1944-02-17T20:38:10Z", 4, 48),
      (2210252810, "2040-01-15T15:06:50Z", 7, 15),
      (4949738735, "2126-11-07T15:25:35Z", 4, 311),
      (951_782_400, "2000-02-29T00:00:00Z", 2, 60), (-2_203_891_200, "1900-03-01T00:00:00Z", 4, 60),
      (0, "1970-01-01T00:00:00Z", 4, 1),
    ] as [(Int64, String, Int, Int)])
  func datesAreThoseOfTheCalendar(unix: Int64, text: String, weekday: Int, dayOfYear: Int) throws {
    let time = CivilTime(WallTime(unix: unix))
    #expect(time.description == text)
    #expect(time.weekday.rawValue == weekday)
    #expect(time.dayOfYear == dayOfYear)
    #expect(time.unix == unix)
    #expect(CivilTime(rfc3339: text) == time)
  }

  @Test func everyDayOfEightCenturiesComesBack() {
    var expected = (year: 1600, month: 1, day: 1)
    for number in CivilTime.dayNumber(year: 1600, month: 1, day: 1)..<CivilTime.dayNumber(year: 2400, month: 1, day: 1) {
      let date = CivilTime.date(ofDay: number)
      guard date == expected, CivilTime.dayNumber(year: date.year, month: date.month, day: date.day) == number else {
        Issue.record("day \(number) is \(date), not \(expected)")
        return
      }
      expected.day += 1
      if expected.day > CivilTime.days(inMonth: expected.month, of: expected.year) {
        expected = (expected.year, expected.month + 1, 1)
      }
      if expected.month == 13 { expected = (expected.year + 1, 1, 1) }
    }
  }

  @Test(
    arguments: [
      (0, 0, "2026-01-01T00:00:00Z"), (0, 3600, "2026-01-01T01:00:00+01:00"), (0, -12_600, "2025-12-31T20:30:00-03:30"),
      (250_000_000, 0, "2026-01-01T00:00:00.250Z"), (7_000_000, 0, "2026-01-01T00:00:00.007Z"),
      (999_999, 0, "2026-01-01T00:00:00Z"),
      (-1, 0, "2025-12-31T23:59:59.999Z"), (0, 3208, "2026-01-01T00:53:00+00:53"), (0, -3208, "2025-12-31T23:07:00-00:53"),
      (0, 30, "2026-01-01T00:00:00Z"),
    ] as [(Int64, Int, String)])
  func textHasOffsetAndMilliseconds(nanoseconds: Int64, offset: Int, text: String) {
    #expect(CivilTime(WallTime.simulationStart + TimeSpan(nanoseconds: nanoseconds), offset: offset).description == text)
  }

  @Test(
    arguments: [
      ("2026-01-01T00:00:00Z", 1_767_225_600_000_000_000), ("2026-01-01t00:00:00z", 1_767_225_600_000_000_000),
      ("2026-01-01 01:00:00.5+01:00", 1_767_225_600_500_000_000), ("2025-12-31T23:59:60Z", 1_767_225_600_000_000_000),
      ("2026-01-01T00:00:00.000000001-00:00", 1_767_225_600_000_000_001),
    ] as [(String, Int64)])
  func rfc3339IsRead(text: String, nanoseconds: Int64) { #expect(CivilTime(rfc3339: text)?.wallTime?.nanoseconds == nanoseconds) }

  @Test(arguments: [
    "", "2026-01-01", "2026-01-01T00:00:00", "2026-1-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z", "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00.1234567890Z",
    "2026-01-01T00:00:00+1:00", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+01:60", "2026-01-01T00:00:00Zx",
    "+026-01-01T00:00:00Z", "２026-01-01T00:00:00Z",
  ])
  func otherTextIsRefused(text: String) { #expect(CivilTime(rfc3339: text) == nil) }

  @Test func yearsBeyondTheWallClockAreRefused() {
    #expect(CivilTime(rfc3339: "9999-12-31T23:59:59Z")?.wallTime == nil)
    #expect(CivilTime(rfc3339: "0000-01-01T00:00:00Z")?.wallTime == nil)
    #expect(CivilTime(rfc3339: "9999-12-31T23:59:60Z")?.year == 10_000)
  }

  @Test func theEndsOfTheWallClockAreDates() {
    #expect(CivilTime(WallTime(nanoseconds: .max)).description == "2262-04-11T23:47:16.854Z")
    #expect(CivilTime(WallTime(nanoseconds: .min)).description == "1677-09-21T00:12:43.145Z")
    #expect(CivilTime(WallTime(nanoseconds: .min), offset: .min).offset == -93_600)
    #expect(WallTime(nanoseconds: .min).unix == -9_223_372_037)
    #expect(WallTime(unix: .max) == WallTime(nanoseconds: .max))
  }

  @Test func datesThatDoNotExistAreRefused() {
    #expect(CivilTime(year: 2026, month: 2, day: 29) == nil)
    #expect(CivilTime(year: 2024, month: 2, day: 29)?.weekday == .thursday)
    #expect(CivilTime(year: 2026, month: .max, day: .min) == nil)
    #expect(CivilTime(year: .max, month: 1, day: 1) == nil)
  }

  @Test(
    arguments: [("06:00", 6, 0, 0), ("6:00", 6, 0, 0), ("23:59:59", 23, 59, 59), ("00:00", 0, 0, 0)] as [(String, Int, Int, Int)])
  func timesOfDayAreRead(text: String, hour: Int, minute: Int, second: Int) throws {
    let time = try #require(TimeOfDay(text))
    #expect((time.hour, time.minute, time.second) == (hour, minute, second))
    #expect(TimeOfDay(time.description) == time)
    #expect(try TimeOfDay(encoded: time.encoded) == time)
  }

  @Test(arguments: [
    "", "6", "24:00", "12:60", "12:00:60", "-1:00", "+6:00", "06:0", "06:00:", "06:00:00:00", "006:00", "٠٦:٠٠", "06 :00",
  ])
  func invalidTimesOfDayAreRefused(text: String) { #expect(TimeOfDay(text) == nil) }

  @Test func aStoredTimeOfDayOutsideTheDayIsRefused() {
    #expect(throws: DecodeError.invalid("time of day", 86_400)) { try TimeOfDay(encoded: [0x80, 0x51, 0x01]) }
    #expect(throws: DecodeError.self) { try TimeOfDay(encoded: [0x80, 0x51]) }
  }
}

@Suite struct TimeSpanTests {
  @Test func spansStopAtTheEnd() {
    #expect(TimeSpan.days(.max).nanoseconds == .max)
    #expect(TimeSpan.hours(.min).nanoseconds == .min)
    #expect(TimeSpan.seconds(.max) + .seconds(1) == TimeSpan(nanoseconds: .max))
    #expect((-TimeSpan(nanoseconds: .min)).nanoseconds == .max)
    #expect(TimeSpan(nanoseconds: .min).description.hasPrefix("-106751d"))
  }

  @Test(
    arguments: [(0, "0s"), (250, "250ms"), (5_400_000, "1h30min"), (90_061_001, "1d1h1min1s1ms"), (-1500, "-1s500ms")]
      as [(Int64, String)])
  func spansPrintAsRecipesWriteThem(milliseconds: Int64, text: String) {
    #expect(TimeSpan.milliseconds(milliseconds).description == text)
  }

  /// A duration prints as it is written, down to the microsecond; a measured one in milliseconds.
  @Test(
    arguments: [
      (7_500_000, "7.5ms"), (11_250_000, "11.25ms"), (625_000, "625us"), (1_001_500_000, "1s1.5ms"), (1_000_500_000, "1s0.5ms"),
      (7_000_001, "7ms"), (3_333_333_333, "3s333ms"), (-7_500_000, "-7.5ms"), (60_000_000_000, "1min"), (0, "0s"),
    ] as [(Int64, String)])
  func aDurationPrintsAsItIsWritten(nanoseconds: Int64, text: String) {
    #expect(TimeSpan(nanoseconds: nanoseconds).exact == text)
  }
}
