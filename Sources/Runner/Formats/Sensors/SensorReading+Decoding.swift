import Exchange
import Recipe
import Vocabulary

extension SensorReading {
  /// The value of these untrusted bytes; `nil` if they have another layout.
  func decode(_ bytes: [UInt8]) -> Value? {
    var map: SensorMap?
    return decode(bytes, &map)
  }

  /// As above, also filling the map from bytes to fields if one is passed.
  func decode(_ bytes: [UInt8], _ map: inout SensorMap?) -> Value? {
    switch self {
    case .bthome: BTHome.decode(bytes, &map)
    case .govee: Govee.decode(bytes, &map)
    case .mibeacon: MiBeacon.decode(bytes, &map)
    case .ruuvi: Ruuvi.decode(bytes, &map)
    case .switchbot: SwitchBot.decode(bytes, &map)
    }
  }

  /// The name in messages.
  var title: String {
    switch self {
    case .bthome: "BTHome version 2 data"
    case .govee: "data of a supported Govee thermometer"
    case .mibeacon: "a MiBeacon frame"
    case .ruuvi: "Ruuvi data format 5"
    case .switchbot: "data of a supported SwitchBot thermometer"
    }
  }
}

/// The map from bytes to fields of a reading.
struct SensorMap {
  struct Part {
    var name: String
    var offset: Int
    var count: Int
  }

  private(set) var parts: [Part] = []

  mutating func note(_ name: String, _ offset: Int, _ count: Int) {
    parts.append(Part(name: name, offset: offset, count: count))
  }
}

/// The bytes of a reading, with bounds-checked access.
struct SensorBytes {
  let bytes: [UInt8]

  func u8(_ at: Int) -> Int? { bytes.indices.contains(at) ? Int(bytes[at]) : nil }

  /// A number of 1 to 4 octets.
  func number(_ at: Int, size: Int, isSigned: Bool = false, isBig: Bool = false) -> Int64? {
    guard (1...4).contains(size), at >= 0, at + size <= bytes.count else { return nil }
    var value: Int64 = 0
    for offset in 0..<size { value = value << 8 | Int64(bytes[isBig ? at + offset : at + size - 1 - offset]) }
    let bits = Int64(8 * size)
    return isSigned && value >> (bits - 1) & 1 == 1 ? value - (1 << bits) : value
  }
}

extension Value {
  /// A number with the given decimals; without decimals it stays an integer.
  static func decimal(_ raw: Int64, _ decimals: Int) -> Value {
    switch decimals {
    case 0: .int(raw)
    case 1: .real(Double(raw) / 10)
    case 2: .real(Double(raw) / 100)
    case 3: .real(Double(raw) / 1000)
    default: .real(Double(raw) / 10_000)
    }
  }
}
