import Testing

@testable import Vocabulary

@Suite struct TimeZoneRulesTests {
  struct Place: Sendable, CustomTestStringConvertible {
    var name: String
    var hex: String
    /// Seconds since 1970 and the offset at that time, from another implementation.
    var samples: [(Int64, Int)]

    var testDescription: String { name }
  }

  static let places = [
    Place(
      name: "Europe/Berlin", hex: ZoneFiles.berlin,
      samples: [
        (3167024629, 7200), (-2719612988, 3208), (-4904486852, 3208), (225516707, 3600), (1093537819, 7200), (-2612458986, 3208),
        (-1301908852, 3600), (7006653352, 3600), (1884551090, 7200), (4448654982, 3600), (2598980006, 7200), (207890733, 3600),
        (2274747711, 3600), (2360954509, 7200), (1745631564, 7200), (2134746160, 7200), (1609765575, 3600), (2467900366, 3600),
      ]),
    Place(
      name: "America/New_York", hex: ZoneFiles.newYork,
      samples: [
        (-4636650093, -17762), (-5904127261, -17762), (5379714013, -14400), (6924436799, -14400), (2079837913, -18000),
        (-3051574279, -17762), (2456965186, -18000), (-2882486816, -17762), (-3733848900, -17762), (1575038095, -18000),
        (2328658927, -14400), (-3625486198, -17762), (1871192992, -14400), (1747891063, -14400), (2226760591, -14400),
        (1734914346, -18000), (2317061414, -14400), (1993495461, -18000),
      ]),
    Place(
      name: "Pacific/Apia", hex: ZoneFiles.apia,
      samples: [
        (2384826103, 46800), (-2020684327, -41216), (8672381114, 46800), (6525283568, 46800), (6550704308, 46800),
        (-5570502081, 45184), (-4727012944, 45184), (1486757898, 50400), (6436401620, 46800), (6770021198, 46800),
        (2449103790, 46800), (6499149660, 46800), (1703849597, 46800), (1825739463, 46800), (1805113796, 46800),
        (2130909864, 46800), (2447554609, 46800), (2036185925, 46800),
      ]),
    Place(
      name: "Europe/Dublin", hex: ZoneFiles.dublin,
      samples: [
        (465144773, 3600), (-1556745385, 3600), (3632494819, 0), (1719792472, 3600), (4369399669, 3600), (-961971560, 3600),
        (5486829163, 0), (-4390662769, -1521), (4475260438, 0), (-3816324843, -1521), (-2656614429, -1521), (-16014919, 3600),
        (2025804415, 0), (2286801296, 3600), (1531755873, 3600), (2003928666, 3600), (1546694123, 0), (1831280949, 0),
      ]),
    Place(
      name: "Australia/Lord_Howe", hex: ZoneFiles.lordHowe,
      samples: [
        (6812693691, 39600), (5137639309, 39600), (4280432355, 37800), (-5268355762, 38180), (-3842901804, 38180),
        (-1782012933, 36000), (-2690628291, 38180), (6284851044, 39600), (-707843833, 36000), (501599785, 39600),
        (776577102, 37800), (8856857643, 37800), (1789136634, 37800), (2207826512, 39600), (2088406554, 39600), (2153849522, 39600),
        (2283187487, 37800), (1506130128, 37800),
      ]),
  ]

  static func rules(_ hex: String) throws -> TimeZoneRules {
    let bytes = try #require(Hex.bytes(hex))
    return try #require(TimeZoneRules(tzif: bytes))
  }

  static func wall(_ text: String) throws -> WallTime {
    let time = CivilTime(rfc3339: text)
    return try #require(time?.wallTime)
  }

  @Test(arguments: places)
  func offsetsAreThoseOfAnotherImplementation(place: Place) throws {
    let rules = try Self.rules(place.hex)
    for (unix, offset) in place.samples { #expect(rules.offset(at: WallTime(unix: unix)) == offset, "\(unix)") }
  }

  @Test(arguments: [
    ("2026-03-29T00:59:59Z", "2026-03-29T01:59:59+01:00"), ("2026-03-29T01:00:00Z", "2026-03-29T03:00:00+02:00"),
    ("2026-10-25T00:59:59Z", "2026-10-25T02:59:59+02:00"), ("2026-10-25T01:00:00Z", "2026-10-25T02:00:00+01:00"),
    ("1945-05-24T00:00:00Z", "1945-05-24T03:00:00+03:00"), ("2199-07-01T00:00:00Z", "2199-07-01T02:00:00+02:00"),
  ])
  func berlinChangesItsClocks(utc: String, local: String) throws {
    let rules = try Self.rules(ZoneFiles.berlin)
    #expect(rules.civil(try Self.wall(utc)).description == local)
  }

  @Test func theRuleAgreesWithTheFile() throws {
    let file = try Self.rules(ZoneFiles.newYork)
    let rule = try #require(TimeZoneRules(posix: "EST5EDT,M3.2.0,M11.1.0"))
    let from = try Self.wall("2010-01-01T00:00:00Z").unix
    let to = try Self.wall("2060-01-01T00:00:00Z").unix
    #expect(file.changes(from: from, to: to) == rule.changes(from: from, to: to))
    #expect(file.changes(from: from, to: to).count == 100)
    #expect(TimeZoneRules(posix: "EST5EDT") == rule)
  }

  @Test(
    arguments: [
      // An ordinary day, exactly at the time, and just before it.
      ("berlin", "06:00", "2026-01-01T00:00:00Z", "2026-01-01T05:00:00Z"),
      ("berlin", "06:00", "2026-01-01T05:00:00Z", "2026-01-02T05:00:00Z"),
      ("berlin", "06:00:30", "2026-01-01T05:00:00Z", "2026-01-01T05:00:30Z"),
      ("berlin", "00:00", "2026-06-30T21:59:59.999Z", "2026-06-30T22:00:00Z"),
      // Skipped: the moment of the change; then the next day as usual.
      ("berlin", "02:30", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"),
      ("berlin", "02:30", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"),
      ("berlin", "02:00", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"),
      ("berlin", "03:00", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"),
      ("newYork", "02:30", "2026-03-08T05:00:00Z", "2026-03-08T07:00:00Z"),
      ("newYork", "01:59:59", "2026-03-08T05:00:00Z", "2026-03-08T06:59:59Z"),
      // Repeated: the first time, once.
      ("berlin", "02:30", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"),
      ("berlin", "02:30", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"),
      ("berlin", "02:00", "2026-10-25T00:00:00Z", "2026-10-26T01:00:00Z"),
      ("newYork", "01:30", "2026-11-01T04:00:00Z", "2026-11-01T05:30:00Z"),
      ("newYork", "01:30", "2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"),
      // Half an hour of summer time.
      ("lordHowe", "02:10", "2026-10-03T12:00:00Z", "2026-10-03T15:30:00Z"),
      ("lordHowe", "01:45", "2026-04-04T13:00:00Z", "2026-04-04T14:45:00Z"),
      // 30 December 2011 did not exist.
      ("apia", "06:00", "2011-12-29T16:00:00Z", "2011-12-30T10:00:00Z"),
      ("apia", "06:00", "2011-12-30T10:00:00Z", "2011-12-30T16:00:00Z"),
      // Negative daylight saving time.
      ("dublin", "01:30", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"),
      ("dublin", "01:30", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"),
    ] as [(String, String, String, String)])
  func theNextLocalTimeSurvivesChanges(zone: String, local: String, after: String, expected: String) throws {
    let files = [
      "berlin": ZoneFiles.berlin, "newYork": ZoneFiles.newYork, "apia": ZoneFiles.apia, "dublin": ZoneFiles.dublin,
      "lordHowe": ZoneFiles.lordHowe,
    ]
    let file = try #require(files[zone])
    let time = try #require(TimeOfDay(local))
    let next = try Self.rules(file).next(time, after: Self.wall(after))
    #expect(CivilTime(next).description == expected)
  }

  @Test(arguments: places)
  func aYearOfDailyTicksHasOneADay(place: Place) throws {
    let rules = try Self.rules(place.hex)
    for local in ["00:00", "01:59:59", "02:00", "02:15", "02:30", "03:00", "23:59:59"] {
      let time = try #require(TimeOfDay(local))
      var tick = WallTime.simulationStart
      let end = tick + .days(365)
      var count = 0
      while true {
        let next = rules.next(time, after: tick)
        #expect(next > tick)
        guard next <= end else { break }
        count += 1
        tick = next
      }
      #expect(count == 365, "\(local)")
    }
  }

  @Test func theEndsOfTimeDoNotTrap() throws {
    let noon = try #require(TimeOfDay("12:00"))
    for hex in [ZoneFiles.berlin, ZoneFiles.newYork] {
      let rules = try Self.rules(hex)
      for time in [WallTime(nanoseconds: .min), WallTime(nanoseconds: .max), WallTime(nanoseconds: 0)] {
        _ = rules.offset(at: time)
        _ = rules.civil(time).description
        #expect(rules.next(noon, after: time) >= time)
      }
    }
  }

  @Test func utcNeverChanges() throws {
    #expect(TimeZoneRules.utc.offset(at: .simulationStart) == 0)
    #expect(TimeZoneRules.utc.changes(from: -9_000_000_000, to: 9_000_000_000).isEmpty)
    let midnight = try #require(TimeOfDay("00:00"))
    #expect(TimeZoneRules.utc.next(midnight, after: .simulationStart) == .simulationStart + .days(1))
  }

  // MARK: Refusals

  @Test(arguments: places)
  func everyTruncationIsRefused(place: Place) throws {
    let bytes = try #require(Hex.bytes(place.hex))
    // The footer is the last line. Truncated inside it, the file never ends in a line end.
    for count in 0..<bytes.count { #expect(TimeZoneRules(tzif: Array(bytes.prefix(count))) == nil, "\(count)") }
  }

  @Test func noChangedByteTraps() throws {
    let bytes = try #require(Hex.bytes(ZoneFiles.berlin))
    let noon = try #require(TimeOfDay("12:00"))
    for index in bytes.indices {
      for value in [0x00, 0x01, 0x7F, 0x80, 0xFF, bytes[index] ^ 0x10] as [UInt8] {
        var changed = bytes
        changed[index] = value
        guard let rules = TimeZoneRules(tzif: changed) else { continue }
        _ = rules.next(noon, after: .simulationStart)
        _ = rules.offset(at: WallTime(nanoseconds: .max))
      }
    }
  }

  @Test func otherFilesAreRefused() {
    #expect(TimeZoneRules(tzif: []) == nil)
    #expect(TimeZoneRules(tzif: Array("TZif".utf8)) == nil)
    #expect(TimeZoneRules(tzif: [UInt8](repeating: 0xFF, count: 500)) == nil)
    // Version 1 has no 64-bit block.
    #expect(TimeZoneRules(tzif: Array("TZif".utf8) + [UInt8](repeating: 0, count: 40)) == nil)
  }

  @Test(arguments: [
    "", "CE", "CET", "CET-25", "CET-1CEST,", "CET-1CEST,M3.5.0", "CET-1CEST,M3.5.0,", "CET-1CEST,M13.5.0,M10.5.0",
    "CET-1CEST,M3.6.0,M10.5.0",
    "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0/168", "CET-1CEST,J0,J366", "CET-1CEST,366,1", "<+03-3", "<>3",
    "CET-1CEST,M3.5.0,M10.5.0x",
    "CET-1:60", "CET-99999999999999999999", "CET--1",
  ])
  func invalidRulesAreRefused(text: String) { #expect(TimeZoneRules(posix: text) == nil) }

  @Test(
    arguments: [
      ("<+0330>-3:30", "2026-07-01T00:00:00Z", 12_600), ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-01-01T00:00:00Z", 0),
      ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-07-01T00:00:00Z", 3600), ("XXX3EDT4,0/0,J365/23", "2026-12-31T23:59:59Z", -14_400),
      ("XXX3EDT4,0/0,J365/23", "2027-01-01T04:00:00Z", -14_400), ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-07-01T00:00:00Z", -3600),
      ("NZST-12NZDT,M9.5.0,M4.1.0/3", "2026-01-01T00:00:00Z", 46_800),
      ("NZST-12NZDT,M9.5.0,M4.1.0/3", "2026-06-01T00:00:00Z", 43_200),
      ("AAA0BBB,J60/0,J300/0", "2028-02-29T23:59:59Z", 0), ("AAA0BBB,J60/0,J300/0", "2028-03-01T00:00:00Z", 3600),
      ("AAA0BBB,59/0,300/0", "2028-02-29T00:00:00Z", 3600),
    ] as [(String, String, Int)])
  func everyFormOfRuleIsRead(text: String, at time: String, offset: Int) throws {
    let rules = try #require(TimeZoneRules(posix: text))
    let wall = try Self.wall(time)
    #expect(rules.offset(at: wall) == offset)
  }
}
