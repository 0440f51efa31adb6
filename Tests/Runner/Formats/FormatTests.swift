import Exchange
import Recipe
import Testing
import Vocabulary

@testable import Runner

private let zone = TimeZoneRules(fixed: 3600)

/// 2026-01-01T12:30:05 in the zone of these tests.
private let noon = Value.time(
  WallTime(nanoseconds: WallTime.simulationStart.nanoseconds + (11 * 3600 + 30 * 60 + 5) * 1_000_000_000))
private let noonBytes = "ea 07 01 01 0c 1e 05"

private func hex(_ text: String) -> [UInt8] { Hex.bytes(text) ?? [] }

private func builtIn(_ name: String) throws -> FormatPlan { try #require(FormatCatalog.plan(named: name), "\(name)") }

private func declared(_ text: String) throws -> FormatDeclaration {
  let parsed = RecipeFile.parse(Array(text.utf8), name: "test.ble")
  #expect(parsed.diagnostics.isEmpty, "\(parsed.diagnostics)")
  return try #require(parsed.recipe?.formats.last)
}

private func own(_ text: String) throws -> FormatPlan {
  let others = try #require(RecipeFile.parse(Array(text.utf8), name: "test.ble").recipe?.formats)
  return try #require(FormatCatalog.plan(of: try declared(text)) { name in others.first { $0.name.text == name } })
}

private func problems(_ text: String) throws -> [String] {
  FormatCatalog.problems(of: try declared(text)) { _ in nil }.map(\.message)
}

/// Removes fields that are `nothing`, as a user who writes a value would.
private func brief(_ value: Value) -> Value {
  guard case .record(let record) = value else { return value }
  return .record(Record(record.fields.filter { !$0.value.isNothing }.map { Record.Field($0.key, brief($0.value)) }))
}

struct BuiltInFormatTests {
  @Test(arguments: FormatCatalog.names) func everyBuiltInFormatMakesSense(name: String) throws {
    let text = try #require(FormatCatalog.text(of: name))
    let parsed = RecipeFile.parse(Array((text + "\n").utf8), name: name)
    #expect(parsed.diagnostics.isEmpty, "\(parsed.diagnostics)")
    let declaration = try #require(parsed.recipe?.formats.first)
    #expect(declaration.name.text == name)
    #expect(FormatCatalog.problems(of: declaration) { _ in nil } == [])
  }

  @Test(arguments: FormatCatalog.names) func noBytesTrapAndTruncationsAreRefusedOrShorter(name: String) throws {
    let plan = try builtIn(name)
    var seed: UInt64 = 0x9E37_79B9_7F4A_7C15
    for length in 0...40 {
      for _ in 0..<20 {
        let bytes = (0..<length).map { _ in
          seed = seed &* 6_364_136_223_846_793_005 &+ 1
          return UInt8(truncatingIfNeeded: seed >> 56)
        }
        guard let value = try? plan.decode(bytes, zone: zone) else { continue }
        // What was read can be written, except a date and text that only looks like one.
        if let again = try? plan.encode(value, zone: zone), let second = try? plan.decode(again, zone: zone) {
          #expect(second.encoded == value.encoded, "\(name) \(Hex.text(bytes))")
        }
      }
    }
  }

  @Test(
    arguments: [
      ("heart_rate_measurement", "06 48", ["bpm": .int(72), "contact": .text("good")]),
      ("heart_rate_measurement", "00 48", ["bpm": .int(72), "contact": .text("unsupported")]),
      (
        "heart_rate_measurement", "1d 2c 01 05 00 00 04 80 03",
        [
          "bpm": .int(300), "energy": .int(5), "rr": .list([.real(1000), .real(875)]), "contact": .text("none"),
        ]
      ),
      ("heart_rate_measurement", "02 48", ["bpm": .int(72), "contact": .int(1)]),
      ("temperature_measurement", "04 6c 01 00 ff 02", ["celsius": .real(36.4), "place": .text("body")]),
      ("temperature_measurement", "03 d6 03 00 ff " + noonBytes, ["fahrenheit": .real(98.2), "time": noon]),
      (
        "blood_pressure_measurement", "1e 78 00 50 00 5d 00 " + noonBytes + " 48 00 02 04 00",
        [
          "systolic": .real(120), "diastolic": .real(80), "mean": .real(93), "time": noon, "pulse": .real(72), "user": .int(2),
          "status": .record([
            "body_movement": .bool(false), "cuff_loose": .bool(false), "irregular_pulse": .bool(true),
            "pulse_range": .text("within"),
            "improper_position": .bool(false),
          ]), "unit": .text("mmHg"),
        ]
      ),
      (
        "blood_pressure_measurement", "01 10 00 6b f0 ff 07",
        ["systolic": .real(16), "diastolic": .real(10.7), "unit": .text("kPa")]
      ),
      (
        "weight_measurement", "0e b0 36 " + noonBytes + " 01 e1 00 08 07",
        [
          "kilograms": .real(70), "time": noon, "user": .int(1), "bmi": .real(22.5), "metres": .real(1.8),
        ]
      ),
      ("weight_measurement", "01 10 27", ["pounds": .real(100)]),
      (
        "csc_measurement", "03 0a 00 00 00 00 04 05 00 00 08",
        [
          "wheel_revolutions": .int(10), "wheel_time": .real(1), "crank_revolutions": .int(5), "crank_time": .real(2),
        ]
      ),
      ("csc_measurement", "00", [:]),
      (
        "rsc_measurement", "07 00 03 50 78 00 e8 03 00 00",
        [
          "speed": .real(3), "cadence": .int(80), "stride": .real(1.2), "distance": .real(100), "gait": .text("running"),
        ]
      ),
      (
        "cycling_power_measurement", "20 00 fa 00 05 00 00 08",
        [
          "power": .int(250), "crank_revolutions": .int(5), "crank_time": .real(2), "balance_of": .text("unknown"),
          "torque_of": .text("wheel"),
          "compensated": .bool(false),
        ]
      ),
      (
        "cycling_power_measurement", "17 01 fb ff 64 40 00 01 00 00 00 00 08 2c 41 06",
        [
          "power": .int(-5), "balance": .real(50), "torque": .real(2), "wheel_revolutions": .int(1), "wheel_time": .real(1),
          "angles": .record(["maximum": .int(0x12C), "minimum": .int(0x064)]), "balance_of": .text("left"),
          "torque_of": .text("wheel"),
          "compensated": .bool(false),
        ]
      ),
      (
        "glucose_measurement", "03 07 00 " + noonBytes + " f1 ff 62 b0 11",
        [
          "sequence": .int(7), "time": noon, "offset": .int(-15), "mg_per_dl": .real(98),
          "sample": .record(["type": .text("capillary_whole_blood"), "location": .text("finger")]), "context_follows": .bool(false),
        ]
      ),
      (
        "glucose_measurement", "06 07 00 " + noonBytes + " 37 c0 f1",
        [
          "sequence": .int(7), "time": noon, "mmol_per_l": .real(5.5),
          "sample": .record(["type": .text("capillary_whole_blood"), "location": .text("unknown")]),
          "context_follows": .bool(false),
        ]
      ),
      (
        "current_time", noonBytes + " 04 80 03",
        [
          "time": noon, "weekday": .text("thursday"), "fraction": .real(0.5), "manual": .bool(true), "external": .bool(true),
          "zone_changed": .bool(false), "daylight_changed": .bool(false),
        ]
      ),
      ("local_time_information", "04 04", ["zone": .real(60), "daylight": .text("daylight")]),
      ("system_id", "01 02 03 04 05 06 07 08", ["manufacturer": .int(0x05_0403_0201), "organization": .int(0x080706)]),
      (
        "pnp_id", "01 4c 00 01 02 10 01",
        ["source": .text("bluetooth"), "vendor": .int(0x4C), "product": .int(0x201), "version": .int(0x110)]
      ),
      (
        "ibeacon", "02 15 e2 c5 6d b5 df fb 48 d2 b0 60 d0 f5 a7 10 96 e0 00 01 00 02 c5",
        [
          "uuid": .uuid(UUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0)), "major": .int(1), "minor": .int(2),
          "power": .int(-59),
        ]
      ),
      ("eddystone_url", "10 eb 03 67 6f 6f 2e 67 6c 00", ["power": .int(-21), "url": .text("https://goo.gl.com/")]),
      (
        "eddystone_tlm", "20 00 0b b8 15 80 00 00 00 05 00 00 00 64",
        [
          "battery": .int(3000), "temperature": .real(21.5), "advertisements": .int(5), "uptime": .real(10),
        ]
      ),
      ("plx_continuous_measurement", "00 61 00 3c 00", ["spo2": .real(97), "pulse": .real(60)]),
    ] as [(String, String, Record)])
  func recordsBothWays(name: String, bytes: String, value: Record) throws {
    let plan = try builtIn(name)
    #expect(brief(try plan.decode(hex(bytes), zone: zone)) == .record(value))
    var whole = value
    // Shown as missing, but still a value.
    if name == "blood_pressure_measurement", whole["mean"] == nil { whole.set("mean", .nothing) }
    #expect(Hex.text(try plan.encode(.record(whole), zone: zone)) == bytes)
    #expect(Hex.text(try plan.encode(try plan.decode(hex(bytes), zone: zone), zone: zone)) == bytes)
  }

  @Test(
    arguments: [
      ("battery_level", "64", Value.int(100)), ("temperature", "0a 0a", .real(25.7)), ("temperature", "cf 07", .real(19.99)),
      ("temperature", "00 80", .nothing), ("temperature", "ff ff", .real(-0.01)), ("humidity", "88 13", .real(50)),
      ("humidity", "ff ff", .nothing),
      ("pressure", "cd 75 0f 00", .real(101_319.7)), ("body_sensor_location", "01", .text("chest")),
      ("body_sensor_location", "63", .int(99)),
      ("temperature_type", "09", .text("tympanum")), ("device_name", "50 6f 6c 61 72", .text("Polar")),
      ("appearance", "41 03", .int(833)),
      ("manufacturer_name_string", "", .text("")), ("tx_power_level", "fc", .int(-4)), ("alert_level", "02", .text("high")),
      ("date_time", noonBytes, noon), ("date_time", "00 00 00 00 00 00 00", .nothing), ("day_of_week", "07", .text("sunday")),
      ("sensor_location", "0d", .text("rear_hub")), ("central_address_resolution", "01", .bool(true)), ("uv_index", "05", .int(5)),
      ("elevation", "ff ff ff", .real(-0.01)), ("illuminance", "10 27 00", .real(100)),
    ] as [(String, String, Value)])
  func singleValuesBothWays(name: String, bytes: String, value: Value) throws {
    let plan = try builtIn(name)
    #expect(try plan.decode(hex(bytes), zone: zone) == value)
    #expect(Hex.text(try plan.encode(value, zone: zone)) == bytes)
  }

  @Test func everyHundredthReadsBackExact() throws {
    let plan = try builtIn("temperature")
    for raw in Int16.min + 1...Int16.max {
      let bytes = [UInt8(truncatingIfNeeded: raw), UInt8(truncatingIfNeeded: raw >> 8)]
      let value = try plan.decode(bytes, zone: zone)
      #expect(value == .real(Double(raw) / 100))
      #expect(try plan.encode(value, zone: zone) == bytes)
    }
  }

  @Test(arguments: ["ff 07", "00 08", "01 08", "fe 07", "02 08"]) func notANumberDecodesAsNothing(raw: String) throws {
    let value = try builtIn("plx_continuous_measurement").decode(hex("00 \(raw) 3c 00"), zone: zone)
    #expect(try value.member("spo2", Surroundings()).isNothing)
  }

  @Test func aGlucoseSampleIsWrittenWhole() throws {
    let sample = Record(["type": .text("capillary_plasma"), "location": .text("finger")].map { Record.Field($0.key, $0.value) })
    let fields: Record = [
      "sequence": .int(3), "time": noon, "mg_per_dl": .int(98), "context_follows": .bool(false), "sample": .record(sample),
    ]
    #expect(Hex.text(try builtIn("glucose_measurement").encode(.record(fields), zone: zone)) == "02 03 00 \(noonBytes) 62 b0 12")
  }

  /// A meter with one record needs no number for it, and nobody asks where the blood was taken.
  @Test func aGlucoseMeasurementNeedsNeitherSequenceNorSample() throws {
    let plan = try builtIn("glucose_measurement")
    let fields: Record = ["time": noon, "mg_per_dl": .int(98)]
    #expect(Hex.text(try plan.encode(.record(fields), zone: zone)) == "02 00 00 \(noonBytes) 62 b0 00")
    let part = Record(["type": Value.text("capillary_plasma")].map { Record.Field($0.key, $0.value) })
    let half: Record = ["time": noon, "mg_per_dl": .int(98), "sample": .record(part)]
    #expect(throws: Failure.self) { try plan.encode(.record(half), zone: zone) }
    // Without a value there is no sample either.
    #expect(Hex.text(try plan.encode(.record(["time": noon]), zone: zone)) == "00 00 00 \(noonBytes)")
  }

  @Test func leftoverBytesAreTheRest() throws {
    let plan = try builtIn("pnp_id")
    let value = try plan.decode(hex("01 4c 00 01 02 10 01 ff ee"), zone: zone)
    #expect(try value.member("rest", Surroundings()) == .bytes([0xFF, 0xEE]))
    #expect(try plan.encode(value, zone: zone) == hex("01 4c 00 01 02 10 01 ff ee"))
    #expect(try plan.decode(hex("01 4c 00 01 02 10 01"), zone: zone).member("rest", Surroundings()) == .bytes([]))
    #expect(try builtIn("battery_level").decode([5, 6], zone: zone) == .int(5))
    #expect(
      try builtIn("heart_rate_measurement").decode(hex("16 48 00 04 07"), zone: zone).member("rest", Surroundings())
        == .bytes([7]))
  }

  @Test(arguments: [
    (
      "heart_rate_measurement", "",
      "the value is too short for `heart_rate_measurement`: `flags` needs 1 byte at offset 0, but the value ends there"
    ),
    (
      "heart_rate_measurement", "01 48",
      "the value is too short for `heart_rate_measurement`: `bpm` needs 2 bytes at offset 1, but only 1 is left"
    ),
    ("device_name", "ff", "the value does not fit `device_name`: `value` is not UTF-8 at offset 0"),
    ("date_time", "ea 07 0d 01 00 00 00", "the value does not fit `date_time`: `value` is not a date: 2026-13-1 0:0:0"),
    ("ibeacon", "02 16", "the value does not fit `ibeacon`: `_kind` must be 0x215, but is 0x216 at offset 0"),
  ]) func decodeErrorsShowThePosition(name: String, bytes: String, text: String) throws {
    do {
      _ = try builtIn(name).decode(hex(bytes), zone: zone)
      Issue.record("no failure")
    } catch let error as Failure {
      #expect(error.message == text)
      #expect(error.kind == .decode)
      #expect(error.got == hex(bytes))
    }
  }

  @Test(
    arguments: [
      ("heart_rate_measurement", ["bmp": .int(1)], "`heart_rate_measurement` has no field `bmp`; it has bpm, energy, rr, contact"),
      (
        "heart_rate_measurement", ["bpm": .int(70_000), "contact": .text("good")],
        "`bpm` of `heart_rate_measurement`: 70000 does not fit in u16 (0 to 65535)"
      ),
      (
        "heart_rate_measurement", ["bpm": .int(1), "contact": .text("bad")],
        "`contact` of `heart_rate_measurement`: `bad` is not one of its meanings: unsupported, none, good"
      ),
      ("temperature_measurement", [:], "`temperature_measurement` needs `celsius` or `fahrenheit`"),
      (
        "temperature_measurement", ["celsius": .int(1), "fahrenheit": .int(1)],
        "`fahrenheit` cannot be given here: the other fields of `temperature_measurement` rule it out"
      ),
      ("glucose_measurement", ["mg_per_dl": .int(98), "sequence": .int(1)], "`glucose_measurement` needs `time`"),
      (
        "rsc_measurement", ["speed": .int(300), "cadence": .int(1), "gait": .text("running")],
        "`speed` of `rsc_measurement`: 300.0 is out of range (0.0 to 255.99609375)"
      ),
      (
        "rsc_measurement", ["speed": .text("fast"), "cadence": .int(1), "gait": .text("running")],
        "`speed` of `rsc_measurement`: takes a number, not a text"
      ),
    ] as [(String, Record, String)])
  func encodeErrorsHaveAReason(name: String, value: Record, text: String) throws {
    do {
      _ = try builtIn(name).encode(.record(value), zone: zone)
      Issue.record("no failure")
    } catch let error as Failure {
      #expect(error.message == text)
      #expect(error.kind == .value)
    }
  }

  @Test func bytesAreWrittenUnchanged() throws {
    #expect(try builtIn("heart_rate_measurement").encode(.bytes([1, 2, 3]), zone: zone) == [1, 2, 3])
    #expect(throws: Failure.self) { try builtIn("heart_rate_measurement").encode(.int(72), zone: zone) }
  }

  @Test func theCatalogKnowsNamesFieldsAndHomes() {
    #expect(FormatCatalog.fields(of: "heart_rate_measurement") == ["bpm", "energy", "rr", "contact"])
    #expect(FormatCatalog.fields(of: "temperature") == [])
    #expect(FormatCatalog.name(forCharacteristic: UUID(0x2A37)) == "heart_rate_measurement")
    #expect(FormatCatalog.name(forCharacteristic: UUID(0x2A52)) == nil)
    #expect(HomeService.of(characteristic: UUID(0x2A37)) == UUID(0x180D))
    #expect(HomeService.of(characteristic: UUID(0x2A6E)) == UUID(0x181A))
    #expect(HomeService.of(characteristic: UUID(0x2A06)) == nil)
    #expect(FormatCatalog.isAdvertising("ibeacon"))
  }

  @Test func theTraceNamesEveryByte() throws {
    let (trace, value, fault) = try builtIn("heart_rate_measurement").explain(hex("16 48 00 04"), zone: zone)
    #expect(trace.entries.map { "\($0.offset)+\($0.count) \($0.name)" } == ["0+1 flags", "1+1 bpm", "2+2 rr[0]"])
    #expect(value != nil)
    #expect(fault == nil)
    #expect(try builtIn("heart_rate_measurement").explain(hex("06"), zone: zone).fault?.offset == 1)
  }
}

struct UserFormatTests {
  @Test func sizesAreDerivedAndHidden() throws {
    let packet = try own(
      """
      format point
        x is i8
        y is i8
      end
      format packet
        length is u8
        name is text(length - 1)
        count is u16be
        points is list(count) of point
        checksum is u16 always crc16(before)
      end
      """)
    let value = Value.record(["name": .text("é"), "points": .list([.record(["x": .int(-1), "y": .int(2)])])])
    let bytes = try packet.encode(value, zone: zone)
    #expect(Hex.text(bytes.prefix(7)) == "03 c3 a9 00 01 ff 02")
    let again = try packet.decode(bytes, zone: zone)
    #expect(again.encoded.count > 0)
    #expect(try again.member("points", Surroundings()) == .list([.record(["x": .int(-1), "y": .int(2)])]))
    #expect(try packet.encode(again, zone: zone) == bytes)
    var wrong = bytes
    wrong[1] ^= 1
    #expect(throws: Failure.self) { try packet.decode(wrong, zone: zone) }
    for count in bytes.indices { #expect(throws: Failure.self) { try packet.decode(Array(bytes[..<count]), zone: zone) } }
  }

  /// A field that is always one value refuses others; a computed one is computed again.
  @Test func aConstantFieldRefusesOtherValues() throws {
    let plan = try own(
      """
      format f
        magic is u8 always 0x02
        mark is bytes(2) always hex "aa55"
        name is text(3) always "ok"
        half is u8 times 0.5 always 7
        value is u8
        sum is u8 always value + 1
      end
      """)
    let bytes = try plan.encode(.record(["value": .int(5)]), zone: zone)
    #expect(Hex.text(bytes) == "02 aa 55 6f 6b 00 0e 05 06")
    let decoded = try plan.decode(bytes, zone: zone)
    #expect(try plan.encode(decoded, zone: zone) == bytes)
    #expect(try plan.encode(.record(["value": .int(5), "magic": .int(2), "sum": .int(99)]), zone: zone) == bytes)
    for (key, wrong) in [
      ("magic", .int(3)), ("mark", .bytes([0xAA, 0x56])), ("name", .text("no")), ("half", .real(3.5)), ("magic", .int(-1)),
    ] as [(String, Value)] {
      #expect(throws: Failure.self, "\(key)") { try plan.encode(.record([key: wrong, "value": .int(5)]), zone: zone) }
    }
  }

  /// A size that depends on a condition is shown when decoded, and may be omitted.
  @Test func conditionalSizesAreDerivedAndShown() throws {
    let plan = try own(
      """
      format f
        flags is bits(u8)
          has is bit 0
          named is bit 1
        end
        n is u8 if has
        l is list(n) of u8 if has
        size is u8 if named
        name is text(size - 1) if named
      end
      """)
    func coded(_ text: String, _ value: Value) throws { #expect(Hex.text(try plan.encode(value, zone: zone)) == text) }
    let list = Value.list([.int(1), .int(2)])
    try coded("01 02 01 02", .record(["l": list]))
    try coded("01 02 01 02", .record(["l": list, "n": .int(2)]))
    try coded("01 00", .record(["l": .list([])]))
    try coded("00", .record([:]))
    try coded("00", .record(["l": .nothing, "n": .nothing]))
    try coded("03 02 01 02 03 61 62", .record(["l": list, "name": .text("ab")]))
    #expect(throws: Failure.self) { try plan.encode(.record(["n": .int(2)]), zone: zone) }
    #expect(throws: Failure.self) { try plan.encode(.record(["l": list, "n": .int(3)]), zone: zone) }
    let decoded = try plan.decode([1, 2, 1, 2], zone: zone)
    #expect(try decoded.member("n", Surroundings()) == .int(2))
    #expect(try plan.encode(decoded, zone: zone) == [1, 2, 1, 2])
  }

  private static let conditions = [
    "a", "not b", "a or c", "a and b", "b and not a", "not (a or b)", "a and b or c", "(a or b) and not c",
  ]

  /// What was decoded can be encoded, and is the same then, whatever the conditions are.
  @Test(arguments: conditions) func whatIsDecodedCanBeEncoded(first: String) throws {
    for second in Self.conditions {
      for third in Self.conditions {
        let plan = try own(
          "format f\n  flags is bits(u8)\n    a is bit 0\n    b is bit 1\n    c is bit 2\n  end\n"
            + "  x is u8 if \(first)\n  y is u8 if \(second)\n  z is u8 if \(third)\nend\n")
        for flags in UInt8(0)..<8 {
          for count in 0...3 {
            guard let value = try? plan.decode([flags] + [7, 8, 9].prefix(count), zone: zone) else { continue }
            let again = try plan.encode(value, zone: zone)
            let decoded = try plan.decode(again, zone: zone)
            #expect(decoded == value, "\(first), \(second), \(third): \(flags) \(count)")
          }
        }
      }
    }
  }

  @Test(
    arguments: [
      ([:], nil), (["z": .int(9)], nil), (["x": .int(1)], "`f` needs `z`"), (["x": .int(1), "z": .int(2)], nil),
      (["y": .int(1)], nil),
      (["x": .int(1), "y": .int(1), "z": .int(1)], "`y` cannot be given here: the other fields of `f` rule it out"),
    ] as [(Record, String?)])
  func missingFieldsAreNamedExactly(value: Record, problem: String?) throws {
    let plan = try own(
      "format f\n  flags is bits(u8)\n    a is bit 0\n    b is bit 1\n    c is bit 2\n  end\n"
        + "  x is u8 if a\n  y is u8 if b and not a\n  z is u8 if a or c\nend\n")
    do {
      _ = try plan.encode(.record(value), zone: zone)
      #expect(problem == nil)
    } catch {
      #expect(error.message == problem)
    }
  }

  /// What leaves no choice is decided first, so that the search ends soon.
  @Test func manyConditionsAreSolved() throws {
    let bits = (0..<32).map { "    b\($0) is bit \($0)\n" }.joined()
    let fields = (0..<16).map { "  x\($0) is u8 if b\($0) or b\($0 + 16)\n" }.joined()
    let plan = try own("format f\n  flags is bits(u32)\n\(bits)  end\n\(fields)  w is u8 if b1\nend\n")
    let bytes: [UInt8] = [0, 0, 0xFF, 0xFF] + (0..<16).map { UInt8($0) }
    #expect(try plan.encode(plan.decode(bytes, zone: zone), zone: zone) == [0xFD, 0xFF, 2, 0] + bytes[4...])
  }

  /// A decoded value can be encoded again, whichever of two types its size has.
  @Test(arguments: ["u8 if not wide else u16", "u16 if wide else u8"]) func aDecodedSizeOfTwoTypesIsEncoded(_ type: String) throws {
    let plan = try own(
      """
      format f
        flags is bits(u8)
          wide is bit 0
        end
        n is \(type)
        d is bytes(n)
      end
      """)
    for count in [0, 3, 255, 256, 300] {
      let bytes = try plan.encode(.record(["d": .bytes(Array(repeating: 7, count: count))]), zone: zone)
      #expect(bytes.prefix(1) == [count > 255 ? 1 : 0] && bytes.count == (count > 255 ? 3 : 2) + count)
      #expect(try plan.encode(plan.decode(bytes, zone: zone), zone: zone) == bytes)
    }
  }

  /// The decoder refuses elements without bytes, so they are not encoded either.
  @Test func elementsWithoutBytesAreNotEncoded() throws {
    let plan = try own("format f\n  n is u8\n  l is list(2) of bytes(n)\nend")
    #expect(throws: Failure.self) { try plan.encode(.record(["l": .list([.bytes([]), .bytes([])])]), zone: zone) }
    #expect(throws: Failure.self) { try plan.decode([0], zone: zone) }
  }

  @Test func aSizeFollowsTheGivenValue() throws {
    let wide = try own(
      """
      format f
        flags is bits(u8)
          wide is bit 0
          raw is bit 1
        end
        n is u8 if not wide else u16
        l is list(n) of u8 if not raw
        b is bytes(n) if raw
      end
      """)
    #expect(try wide.encode(.record(["l": .list([.int(7)])]), zone: zone) == [0, 1, 7])
    #expect(try wide.encode(.record(["b": .bytes([7, 8])]), zone: zone) == [2, 2, 7, 8])
    let long = try wide.encode(.record(["b": .bytes(Array(repeating: 1, count: 300))]), zone: zone)
    #expect(long.prefix(4) == [3, 44, 1, 1] && long.count == 303)
    let optional = try own(
      "format f\n flags is bits(u8)\n more is bit 0\n end\n n is u8 if more\n b is bytes(n) if more\nend\n")
    #expect(try optional.encode(.record(["n": .nothing, "b": .bytes([7, 8])]), zone: zone) == [1, 2, 7, 8])
    #expect(try optional.encode(.record(["n": .nothing, "b": .nothing]), zone: zone) == [0])
    let nested = try own("format f\n count is u8\n size is u8\n list is list(count) of bytes(size)\nend\n")
    let list = Value.list([.bytes([1, 2, 3]), .bytes([4, 5, 6])])
    #expect(try nested.encode(.record(["list": list]), zone: zone) == [2, 3, 1, 2, 3, 4, 5, 6])
  }

  @Test func aReceivedSizeCannotExhaustTheMemory() throws {
    let plan = try own("format f\n count is u64\n list is list(count) of u8\nend\n")
    #expect(throws: Failure.self) { try plan.decode(Array(repeating: 0xFF, count: 9), zone: zone) }
    #expect(throws: Failure.self) { try plan.decode([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 1], zone: zone) }
    let empty = try own("format f\n count is u32\n size is u8\n list is list(count) of bytes(size)\nend\n")
    #expect(throws: Failure.self) { try empty.decode([0xFF, 0xFF, 0xFF, 0xFF, 0, 1], zone: zone) }
  }

  @Test func meaningsBothWays() throws {
    let plan = try own("format led\n value is u8 meaning off = 0, on = 1\nend\n")
    #expect(try plan.encode(.text("on"), zone: zone) == [1])
    #expect(try plan.encode(.int(7), zone: zone) == [7])
    #expect(try plan.decode([0], zone: zone) == .text("off"))
    #expect(try plan.decode([7], zone: zone) == .int(7))
    let state = try own("format lock_report\n state is u8 meaning unlocked = 0, locked = 1\n battery is u8 unit \"%\"\nend\n")
    #expect(try state.decode([1, 90], zone: zone) == .record(["state": .text("locked"), "battery": .int(90)]))
    #expect(throws: Failure.self) { try state.encode(.record(["state": .text("open")]), zone: zone) }
  }

  @Test func theTiltFormatDecodesTheSample() throws {
    let plan = try own(
      """
      format tilt for manufacturer 0x004c
        kind    is u16be always 0x0215
        colour  is bytes(16)
        degrees is u16be unit "°F"
        gravity is u16be times 0.001
        power   is i8
      end
      """)
    let bytes = hex("02 15") + Array(repeating: 7, count: 16) + hex("00 44 04 1a c5")
    let value = try plan.decode(bytes, zone: zone)
    #expect(try value.member("gravity", Surroundings()) == .real(1.05))
    #expect(try plan.encode(value, zone: zone) == bytes)
  }

  @Test func conditionsOfEveryKind() throws {
    let plan = try own(
      """
      format f
        kind is u8 meaning short = 1, long = 2, none = 3
        a is u8 if kind is "short" or kind is 7
        b is u16 if kind in [2, 7] and not kind is 3
        c is u8 if kind >= 4
      end
      """)
    #expect(brief(try plan.decode([1, 5], zone: zone)) == .record(["kind": .text("short"), "a": .int(5)]))
    #expect(
      brief(try plan.decode([7, 5, 1, 0, 9], zone: zone)) == .record(["kind": .int(7), "a": .int(5), "b": .int(1), "c": .int(9)]))
    #expect(try plan.encode(.record(["kind": .int(7), "a": .int(5), "b": .int(1), "c": .int(9)]), zone: zone) == [7, 5, 1, 0, 9])
    #expect(try plan.encode(.record(["kind": .text("none")]), zone: zone) == [3])
    #expect(throws: Failure.self) { try plan.encode(.record(["kind": .text("none"), "a": .int(1)]), zone: zone) }
  }

  @Test func scalesWithOffsetAreExact() throws {
    let plan = try own("format f\n value is u16 times 0.02 plus -273.15\nend\n")
    #expect(try plan.decode([0x4E, 0x39], zone: zone) == .real(20.25))
    #expect(try plan.encode(.real(20.25), zone: zone) == [0x4E, 0x39])
    let tenth = try own("format f\n value is list of i16be times 1 / 10\nend\n")
    #expect(try tenth.decode([0, 3, 0xFF, 0xFF], zone: zone) == .list([.real(0.3), .real(-0.1)]))
  }

  @Test(arguments: [
    ("format f\n a is u9\nend\n", "there is no type or format `u9`"),
    ("format f\n a is bytes\n b is u8\nend\n", "`a` runs to the end"),
    ("format f\n a is u8 if b\n b is u8\nend\n", "only use earlier fields"),
    ("format f\n x is bits(u8)\n  a is bit x\n end\nend\n", "only use earlier fields"),
    ("format f\n x is bits(u8)\n  a is bit 0\n  b is bit a\n end\nend\n", "only use earlier fields"),
    ("format f\n x is bits(u8)\n  a is bits 0 to x.a\n end\nend\n", "only use earlier fields"),
    ("format f\n x is bytes(x)\nend\n", "only use earlier fields"),
    ("format f\n x is u8 if x\nend\n", "only use earlier fields"),
    ("format f\n a is u8\n a is u8\nend\n", "two fields named `a`"),
    ("format f\n a is f\nend\n", "there is no type or format `f`"),
    ("format f\n x is bits(u8)\n a is bit 8\n end\nend\n", "bits 0 to 7"),
    ("format f\n x is bits(i8)\n a is bit 0\n end\nend\n", "unsigned number"),
    ("format f\n a is u8 times 0\nend\n", "other than 0"),
    ("format f\n a is bytes(70000)\nend\n", "0 to 65535"), ("format f\n a is list of bytes\nend\n", "need a fixed size"),
    ("format f\n a is text times 2\nend\n", "are for numbers"), ("format f\n a is u8 meaning x = 1, y = 1\nend\n", "twice"),
    ("format f\n skip 4 bits\n a is u8\nend\n", "whole bytes"), ("format f\n a is u8 always \"x\"\nend\n", "of the field's type"),
    ("format f\n a is u8(2)\nend\n", "already has a size"),
    ("format f\n a is u8 meaning x = 256\nend\n", "does not fit here"),
    ("format f\n x is bits(u8)\n a is bits 0 to 1 meaning x = 4\n end\nend\n", "does not fit here"),
    ("format f\n a is u8\n b is bytes(a + -9223372036854775808)\n c is u9\nend\n", "`u9`"),
  ]) func invalidFormatsAreExplained(text: String, part: String) throws {
    let found = try problems(text)
    #expect(found.contains { $0.contains(part) }, "\(found)")
  }

  @Test func formatsThatHoldEachOtherAreRefused() throws {
    let a = try declared("format a\n x is b\nend\n")
    let b = try declared("format b\n x is a\nend\n")
    #expect(FormatCatalog.plan(of: a) { $0 == "a" ? a : $0 == "b" ? b : nil } == nil)
  }
}
