import Crypto
import Exchange
import Vocabulary

/// BTHome version 2 in service data 0xFCD2: an octet of flags, then objects, whose numbers
/// determine their length.
enum BTHome {
  static let service = UUID(0xFCD2)

  private static let isEncrypted: UInt8 = 0x01
  private static let hasAddress: UInt8 = 0x02
  private static let isTriggered: UInt8 = 0x04

  /// The parts of a version 2 packet.
  private struct Packet {
    var flags: UInt8
    /// Most significant octet first.
    var address: [UInt8]?
    var body: [UInt8]

    init?(_ bytes: [UInt8]) {
      guard let flags = bytes.first, flags >> 5 == 2 else { return nil }
      self.flags = flags
      let start = flags & BTHome.hasAddress != 0 ? 7 : 1
      guard bytes.count >= start else { return nil }
      if start == 7 { address = bytes[1..<7].reversed() }
      body = Array(bytes[start...])
    }
  }

  /// Encrypted data is only marked as encrypted.
  static func decode(_ bytes: [UInt8], _ map: inout SensorMap?) -> Value? {
    guard let packet = Packet(bytes) else { return nil }
    var record = Record()
    record.set("encrypted", .bool(packet.flags & isEncrypted != 0))
    record.set("triggered", .bool(packet.flags & isTriggered != 0))
    map?.note("encrypted", 0, 1)
    map?.note("triggered", 0, 1)
    if packet.flags & isEncrypted != 0 {
      // A counter and a tag of four octets each.
      return packet.body.count < 8 ? nil : .record(record)
    }
    return objects(packet.body, from: bytes.count - packet.body.count, into: &record, &map) ? .record(record) : nil
  }

  /// The value of encrypted data.
  /// - Parameter address: address of the advertiser, most significant octet first.
  static func decrypt(_ bytes: [UInt8], address: [UInt8], key: [UInt8]) throws(Failure) -> Value {
    guard let packet = Packet(bytes) else { throw undecodable("this is not BTHome version 2 data", bytes) }
    guard packet.flags & isEncrypted != 0 else { throw undecodable("this BTHome data is not encrypted", bytes) }
    guard packet.body.count >= 8 else { throw undecodable("this encrypted BTHome data is too short", bytes) }
    let end = packet.body.count - 8
    let counter = Array(packet.body[end..<end + 4])
    // The service UUID is in the byte order of the packet.
    let nonce = (packet.address ?? address) + [0xD2, 0xFC, packet.flags] + counter
    let opened: [UInt8]?
    do throws(CryptoError) {
      opened = try openAESCCM(key: key, nonce: nonce, tag: Array(packet.body[(end + 4)...]), message: Array(packet.body[..<end]))
    } catch { throw Failure(.value, error.description, blame: .ours, layer: .os) }
    guard let opened else { throw undecodable("the key is wrong for this BTHome data, or the data was altered", bytes) }
    var record = Record()
    record.set("encrypted", .bool(true))
    record.set("triggered", .bool(packet.flags & isTriggered != 0))
    record.set("counter", .int(SensorBytes(bytes: counter).number(0, size: 4) ?? 0))
    var map: SensorMap?
    guard objects(opened, from: 0, into: &record, &map) else {
      throw undecodable("an object in this BTHome data is cut off", bytes)
    }
    return .record(record)
  }

  private static func undecodable(_ text: String, _ bytes: [UInt8]) -> Failure {
    Failure(.decode, text, blame: .bytes, layer: .recipe, got: bytes)
  }

  // MARK: Objects

  private enum Kind {
    /// Size in octets, and number of decimals.
    case unsigned(Int, Int)
    case signed(Int, Int)
    case flag
  }

  /// Returns false if an object is truncated. After an unknown object, whose length is also
  /// unknown, the remaining bytes go to `rest`.
  /// - Parameter start: offset of the objects in the packet.
  private static func objects(
    _ body: [UInt8], from start: Int, into record: inout Record, _ map: inout SensorMap?
  ) -> Bool {
    let bytes = SensorBytes(bytes: body)
    var at = 0
    func set(_ name: String, _ value: Value, in record: inout Record, _ map: inout SensorMap?, size: Int) {
      if let name = Self.set(name, value, in: &record) { map?.note(name, start + at, size) }
    }
    while at < body.count {
      let id = body[at]
      at += 1
      switch id {
      case 0x3A:
        guard let event = bytes.u8(at) else { return false }
        set("button", button(event), in: &record, &map, size: 1)
        at += 1
      case 0x3C:
        guard let event = bytes.u8(at), let steps = bytes.u8(at + 1) else { return false }
        let turn: Value = event == 1 ? .text("left") : event == 2 ? .text("right") : .nothing
        set("dimmer", .record(["turn": turn, "steps": .int(Int64(steps))]), in: &record, &map, size: 2)
        at += 2
      case 0x53, 0x54:
        guard let size = bytes.u8(at), at + 1 + size <= body.count else { return false }
        let data = Array(body[at + 1..<at + 1 + size])
        if id == 0x53 {
          guard let text = String(validating: data, as: UTF8.self) else { return false }
          set("text", .text(text), in: &record, &map, size: 1 + size)
        } else {
          set("raw", .bytes(data), in: &record, &map, size: 1 + size)
        }
        at += 1 + size
      case 0x58:
        guard let raw = bytes.number(at, size: 1, isSigned: true) else { return false }
        set("temperature", .real(Double(raw * 35) / 100), in: &record, &map, size: 1)
        at += 1
      case 0xF1, 0xF2:
        let size = id == 0xF1 ? 4 : 3
        guard at + size <= body.count else { return false }
        set(
          "firmware", .text(body[at..<at + size].reversed().map { "\($0)" }.joined(separator: ".")), in: &record, &map, size: size)
        at += size
      default:
        guard let entry = table.first(where: { $0.id == id }) else {
          record.set("rest", .bytes(Array(body[(at - 1)...])))
          map?.note("rest", start + at - 1, body.count - at + 1)
          return true
        }
        switch entry.kind {
        case .flag:
          guard let raw = bytes.u8(at) else { return false }
          set(entry.name, .bool(raw != 0), in: &record, &map, size: 1)
          at += 1
        case .unsigned(let size, let decimals):
          guard let raw = bytes.number(at, size: size) else { return false }
          set(entry.name, .decimal(raw, decimals), in: &record, &map, size: size)
          at += size
        case .signed(let size, let decimals):
          guard let raw = bytes.number(at, size: size, isSigned: true) else { return false }
          set(entry.name, .decimal(raw, decimals), in: &record, &map, size: size)
          at += size
        }
      }
    }
    return true
  }

  /// Sets a value. The second value of one kind is named `temperature_2`.
  /// - Returns: the name.
  private static func set(_ name: String, _ value: Value, in record: inout Record) -> String? {
    var (free, number) = (name, 1)
    while record[free] != nil {
      number += 1
      // No device sends more of one kind, and finding a free name takes linear time.
      if number > 8 { return nil }
      free = "\(name)_\(number)"
    }
    record.set(free, value)
    return free
  }

  private static func button(_ event: Int) -> Value {
    let names = [
      "press", "double_press", "triple_press", "long_press", "long_double_press", "long_triple_press",
    ]
    switch event {
    case 0: return .nothing
    case 0x80: return .text("hold_press")
    default: return names.indices.contains(event - 1) ? .text(names[event - 1]) : .int(Int64(event))
    }
  }

  private static let table: [(id: UInt8, name: String, kind: Kind)] = [
    (0x00, "packet_id", .unsigned(1, 0)),
    (0x01, "battery", .unsigned(1, 0)),
    (0x02, "temperature", .signed(2, 2)),
    (0x03, "humidity", .unsigned(2, 2)),
    (0x04, "pressure", .unsigned(3, 2)),
    (0x05, "illuminance", .unsigned(3, 2)),
    (0x06, "mass", .unsigned(2, 2)),
    (0x07, "mass_pounds", .unsigned(2, 2)),
    (0x08, "dew_point", .signed(2, 2)),
    (0x09, "count", .unsigned(1, 0)),
    (0x0A, "energy", .unsigned(3, 3)),
    (0x0B, "power", .unsigned(3, 2)),
    (0x0C, "voltage", .unsigned(2, 3)),
    (0x0D, "pm2_5", .unsigned(2, 0)),
    (0x0E, "pm10", .unsigned(2, 0)),
    (0x0F, "on", .flag),
    (0x10, "power_on", .flag),
    (0x11, "open", .flag),
    (0x12, "co2", .unsigned(2, 0)),
    (0x13, "tvoc", .unsigned(2, 0)),
    (0x14, "moisture", .unsigned(2, 2)),
    (0x15, "battery_low", .flag),
    (0x16, "charging", .flag),
    (0x17, "carbon_monoxide", .flag),
    (0x18, "cold", .flag),
    (0x19, "connected", .flag),
    (0x1A, "door_open", .flag),
    (0x1B, "garage_door_open", .flag),
    (0x1C, "gas_detected", .flag),
    (0x1D, "hot", .flag),
    (0x1E, "light", .flag),
    (0x1F, "unlocked", .flag),
    (0x20, "wet", .flag),
    (0x21, "motion", .flag),
    (0x22, "moving", .flag),
    (0x23, "occupied", .flag),
    (0x24, "plugged_in", .flag),
    (0x25, "present", .flag),
    (0x26, "problem", .flag),
    (0x27, "running", .flag),
    (0x28, "safe", .flag),
    (0x29, "smoke", .flag),
    (0x2A, "sound", .flag),
    (0x2B, "tampered", .flag),
    (0x2C, "vibration", .flag),
    (0x2D, "window_open", .flag),
    (0x2E, "humidity", .unsigned(1, 0)),
    (0x2F, "moisture", .unsigned(1, 0)),
    (0x3D, "count", .unsigned(2, 0)),
    (0x3E, "count", .unsigned(4, 0)),
    (0x3F, "rotation", .signed(2, 1)),
    (0x40, "distance_mm", .unsigned(2, 0)),
    (0x41, "distance", .unsigned(2, 1)),
    (0x42, "duration", .unsigned(3, 3)),
    (0x43, "current", .unsigned(2, 3)),
    (0x44, "speed", .unsigned(2, 2)),
    (0x45, "temperature", .signed(2, 1)),
    (0x46, "uv_index", .unsigned(1, 1)),
    (0x47, "volume", .unsigned(2, 1)),
    (0x48, "volume_ml", .unsigned(2, 0)),
    (0x49, "volume_flow", .unsigned(2, 3)),
    (0x4A, "voltage", .unsigned(2, 1)),
    (0x4B, "gas", .unsigned(3, 3)),
    (0x4C, "gas", .unsigned(4, 3)),
    (0x4D, "energy", .unsigned(4, 3)),
    (0x4E, "volume", .unsigned(4, 3)),
    (0x4F, "water", .unsigned(4, 3)),
    (0x50, "timestamp", .unsigned(4, 0)),
    (0x51, "acceleration", .unsigned(2, 3)),
    (0x52, "gyroscope", .unsigned(2, 3)),
    (0x55, "volume_stored", .unsigned(4, 3)),
    (0x56, "conductivity", .unsigned(2, 0)),
    (0x57, "temperature", .signed(1, 0)),
    (0x59, "count", .signed(1, 0)),
    (0x5A, "count", .signed(2, 0)),
    (0x5B, "count", .signed(4, 0)),
    (0x5C, "power", .signed(4, 2)),
    (0x5D, "current", .signed(2, 3)),
    (0x5E, "direction", .unsigned(2, 2)),
    (0x5F, "precipitation", .unsigned(2, 1)),
    (0x60, "channel", .unsigned(1, 0)),
    (0xF0, "device_type", .unsigned(2, 0)),
  ]
}
