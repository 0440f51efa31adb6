import Exchange
import Recipe
import Testing
import Vocabulary

@testable import Runner

private let utc = TimeZoneRules.utc

/// Layouts of advertising sensors, with published values.
@Suite struct SensorFormatTests {
  private func decode(_ format: String, _ hex: String) throws -> Value? {
    try #require(FormatCatalog.plan(named: format)).match(try #require(Hex.bytes(hex)), zone: utc)
  }

  private static let address = Value.address(AddressValue(bits: 0xCBB8_334C_884F, kind: nil))

  /// The examples of Ruuvi's description of data format 5: valid, maximum, minimum and invalid.
  @Test func ruuvi() throws {
    #expect(
      try decode("ruuvi", "0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F")
        == .record([
          "temperature": .real(24.3), "humidity": .real(53.49), "pressure": .real(1000.44), "acceleration_x": .real(0.004),
          "acceleration_y": .real(-0.004), "acceleration_z": .real(1.036), "voltage": .real(2.977), "tx_power": .int(4),
          "movements": .int(66), "sequence": .int(205), "address": Self.address,
        ]))
    #expect(
      try decode("ruuvi", "057FFFFFFEFFFE7FFF7FFF7FFFFFDEFEFFFECBB8334C884F")
        == .record([
          "temperature": .real(163.835), "humidity": .real(163.835), "pressure": .real(1155.34), "acceleration_x": .real(32.767),
          "acceleration_y": .real(32.767), "acceleration_z": .real(32.767), "voltage": .real(3.646), "tx_power": .int(20),
          "movements": .int(254), "sequence": .int(65534), "address": Self.address,
        ]))
    #expect(
      try decode("ruuvi", "058001000000008001800180010000000000CBB8334C884F")
        == .record([
          "temperature": .real(-163.835), "humidity": .real(0), "pressure": .real(500), "acceleration_x": .real(-32.767),
          "acceleration_y": .real(-32.767), "acceleration_z": .real(-32.767), "voltage": .real(1.6), "tx_power": .int(-40),
          "movements": .int(0), "sequence": .int(0), "address": Self.address,
        ]))
    guard case .record(let none)? = try decode("ruuvi", "058000FFFFFFFF800080008000FFFFFFFFFFFFFFFFFFFFFF") else {
      Issue.record("not decoded")
      return
    }
    #expect(none.fields.map(\.key) == SensorReading.ruuvi.fields)
    let isNothing = none.fields.allSatisfy { $0.value.isNothing }
    #expect(isNothing)
  }

  private func measured(_ fields: (String, Value)...) -> Value {
    var record = Record([.init("encrypted", .bool(false)), .init("triggered", .bool(false))])
    for (name, value) in fields { record.set(name, value) }
    return .record(record)
  }

  /// The examples of bthome.io, each a column of its table.
  @Test func bthome() throws {
    #expect(try decode("bthome", "4002C40903BF13") == measured(("temperature", .real(25)), ("humidity", .real(50.55))))
    #expect(
      try decode("bthome", "4002CA094511015 7EA58EA".filter { $0 != " " })
        == measured(
          ("temperature", .real(25.06)), ("temperature_2", .real(27.3)), ("temperature_3", .int(-22)),
          ("temperature_4", .real(-7.7))))
    let examples: [(String, String, Value)] = [
      ("0161", "battery", .int(97)), ("12E204", "co2", .int(1250)), ("0960", "count", .int(96)), ("3D0960", "count", .int(24585)),
      ("3E2A2C0960", "count", .int(1_611_213_866)), ("59EA", "count", .int(-22)), ("434E34", "current", .real(13.39)),
      ("08CA06", "dew_point", .real(17.38)), ("400C00", "distance_mm", .int(12)), ("414E00", "distance", .real(7.8)),
      ("424E3400", "duration", .real(13.39)), ("4D12138A14", "energy", .real(344593.17)), ("0A138A14", "energy", .real(1346.067)),
      ("4B138A14", "gas", .real(1346.067)), ("4C41018A01", "gas", .real(25821.505)), ("03BF13", "humidity", .real(50.55)),
      ("2E23", "humidity", .int(35)), ("05138A14", "illuminance", .real(13460.67)), ("065E1F", "mass", .real(80.3)),
      ("073E1D", "mass_pounds", .real(74.86)), ("14020C", "moisture", .real(30.74)), ("2F23", "moisture", .int(35)),
      ("0D120C", "pm2_5", .int(3090)), ("5BEA0234EA", "count", .int(-365_690_134)), ("5D02EA", "current", .real(-5.63)),
      ("518756", "acceleration", .real(22.151)), ("56E803", "conductivity", .int(1000)), ("3A01", "button", .text("press")),
      ("3A04", "button", .text("long_press")), ("3C0103", "dimmer", .record(["turn": .text("left"), "steps": .int(3)])),
      ("2101", "motion", .bool(true)), ("2D00", "window_open", .bool(false)),
      ("530C48656C6C6F20576F726C6421", "text", .text("Hello World!")),
      ("F100010204", "firmware", .text("4.2.1.0")), ("F2000106", "firmware", .text("6.1.0")),
    ]
    for (hex, name, value) in examples { #expect(try decode("bthome", "40" + hex) == measured((name, value)), "\(name)") }
    // After an unknown object nothing is decoded.
    #expect(
      try decode("bthome", "400161EE0102") == measured(("battery", .int(97)), ("rest", .bytes([0xEE, 1, 2]))))
    // Version 1, a truncated object, an encrypted packet without its tag.
    for hex in ["2002C409", "4002C4", "41", "4111223344"] { #expect(try decode("bthome", hex) == nil, "\(hex)") }
    #expect(
      try decode("bthome", "41E445F3C9962B332211006C7C4519") == .record(["encrypted": .bool(true), "triggered": .bool(false)]))
  }

  private static let key = "231d39c1d7cc1ab1aee224cd096db932"

  private func advertisement(_ hex: String, from address: UInt64 = 0x5448_E68F_80A5) throws -> Value {
    .record([
      "address": .address(AddressValue(bits: address, kind: .public)),
      "service_data": .record(["service": .uuid(UUID(0xFCD2)), "data": .bytes(try #require(Hex.bytes(hex)))]),
    ])
  }

  private func decrypt(_ value: Value, _ key: Value) throws -> Value {
    try Method.function(.decrypt).apply(to: value, [key], Surroundings(zone: utc))
  }

  @Test(arguments: [("41E445F3C9962B332211006C7C4519", 1_122_867 as Int64), ("41A47266C95F730011223378237214", 857_870_592)])
  func encryptedBTHome(hex: String, counter: Int64) throws {
    let wanted = Value.record([
      "encrypted": .bool(true), "triggered": .bool(false), "counter": .int(counter), "temperature": .real(25.06),
      "humidity": .real(50.55),
    ])
    #expect(try decrypt(advertisement(hex), .text(Self.key)) == wanted)
    #expect(try decrypt(advertisement(hex), .bytes(try #require(Hex.bytes(Self.key)))) == wanted)
    // A secret key does not make the decrypted values secret.
    #expect(try decrypt(advertisement(hex), .hidden(.text(Self.key))) == wanted)
  }

  @Test func aWrongKeyFailsToDecode() throws {
    let good = "41E445F3C9962B332211006C7C4519"
    func kind(_ value: Value, _ key: Value) -> Failure.Kind? {
      do {
        _ = try decrypt(value, key)
        return nil
      } catch { return (error as? Failure)?.kind }
    }
    #expect(kind(try advertisement(good, from: 1), .text(Self.key)) == .decode)
    #expect(kind(try advertisement(good), .text(String(Self.key.reversed()))) == .decode)
    #expect(kind(try advertisement(good), .text("12")) == .value)
    #expect(kind(try advertisement("4002C409"), .text(Self.key)) == .decode)
    #expect(kind(.record(["address": .nothing]), .text(Self.key)) == .value)
    let bytes = try #require(Hex.bytes(good))
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 0x10
      #expect(kind(try advertisement(changed.map { Hex.text($0) }.joined()), .text(Self.key)) == .decode, "octet \(place)")
    }
    for count in bytes.indices {
      #expect(kind(try advertisement(bytes.prefix(count).map { Hex.text($0) }.joined()), .text(Self.key)) == .decode)
    }
  }

  /// Packets recorded by users of other tools.
  @Test func mibeacon() throws {
    func reading(_ hex: String) throws -> Record {
      guard case .record(let record)? = try decode("mibeacon", hex) else { return Record() }
      return record
    }
    let plant = try reading("71209800A764AED0A8654C0D0710030E0000")
    #expect(plant["illuminance"] == .int(14))
    #expect(plant["device"] == .int(0x98))
    #expect(plant["counter"] == .int(0xA7))
    #expect(plant["address"] == .address(AddressValue(bits: 0x4C65_A8D0_AE64, kind: nil)))
    #expect(try reading("71209800A864AED0A8654C0D08100112")["moisture"] == .int(18))
    #expect(try reading("71209800A564AED0A8654C0D091002B800")["conductivity"] == .int(184))
    #expect(try reading("7120980012F34F6B8D7CC40D041002C400")["temperature"] == .real(19.6))
    let room = try reading("5020AA01B064AED0A8654C0D1004D9006001")
    #expect(room["temperature"] == .real(21.7) && room["humidity"] == .real(35.2))
    #expect(try reading("5020AA01A164AED0A8654C0610025D01")["humidity"] == .real(34.9))
    #expect(try reading("5020AA014E64AED0A8654C0A10015D")["battery"] == .int(93))
    let hidden = try reading("58585B05DB184BF838C1A472C3FA42CD050000CE7B8A28")
    #expect(hidden["encrypted"] == .bool(true) && hidden["humidity"] == nil)
  }

  @Test func govee() throws {
    func reading(_ t: Double, _ h: Double, _ b: Int64) -> Value {
      .record(["temperature": .real(t), "humidity": .real(h), "battery": .int(b)])
    }
    #expect(try decode("govee", "0003215D6400") == reading(20.5, 14.9, 100))
    #expect(try decode("govee", "008003E86400") == reading(-0.1, 0, 100))
    #expect(try decode("govee", "00BA0AF90F6302") == reading(27.46, 40.89, 99))
    #expect(
      try decode("govee", "00BA0AF90FE302") == .record(["temperature": .nothing, "humidity": .nothing, "battery": .int(99)]))
    #expect(try decode("govee", "0103215D6400") == nil)
  }

  @Test func switchBot() throws {
    #expect(
      try decode("switchbot", "5400640096AC")
        == .record(["temperature": .real(22), "humidity": .int(44), "battery": .int(100)]))
    #expect(
      try decode("switchbot", "690064050A2C")
        == .record(["temperature": .real(-10.5), "humidity": .int(44), "battery": .int(100)]))
    #expect(try decode("switchbot", "4800640096AC") == nil)
  }

  /// Any packet, at every length, decodes to a value or to none.
  @Test(arguments: FormatCatalog.advertising) func nothingTraps(_ name: String) throws {
    let plan = try #require(FormatCatalog.plan(named: name))
    let heads: [[UInt8]] = [
      [], [0x40], [0x41], [0x43], [0x44], [0x05], [0x50, 0x20], [0x71, 0x20], [0xFF, 0x5F], [0x54], [0x00], [0x10], [0x20],
      [2, 0x15],
      [0x40, 0x53], [0x40, 0x54],
    ]
    var state: UInt64 = 7
    for head in heads {
      for length in 0...64 {
        for round in 0..<8 {
          let fill = (0..<length).map { _ in round == 0 ? 0 : round == 1 ? 0xFF : UInt8(truncatingIfNeeded: SplitMix.next(&state)) }
          let bytes = Array((head + fill).prefix(max(head.count, length)))
          let value = plan.match(bytes, zone: utc)
          if case .record(let record)? = value { #expect(record.fields.count < 200) }
          _ = plan.explain(bytes, zone: utc)
          if name == "bthome" {
            let text = bytes.map { Hex.text($0) }.joined()
            _ = try? decrypt(advertisement(text), .text(Self.key))
          }
        }
      }
    }
    // As long as an advertisement can be, with one object repeated.
    for id in UInt8.min...UInt8.max {
      _ = plan.match([0x40] + Array(repeating: id, count: 1650), zone: utc)
      _ = plan.match([0x50, 0x20, 0, 0, 0] + Array(repeating: id, count: 1650), zone: utc)
    }
  }

  @Test func theNamesOfAdvertisingFormatsAreThoseWithASource() {
    let sources = FormatCatalog.names.filter {
      switch FormatCatalog.declaration(named: $0)?.purpose {
      case .serviceData, .manufacturer: true
      case .characteristic, nil: false
      }
    }
    #expect(sources.sorted() == FormatCatalog.advertising.sorted())
  }
}
