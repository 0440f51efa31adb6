import Vocabulary

/// Govee thermometers with the company identifier 0xEC88. Six octets: H5072 and H5075, which pack
/// both values into one number. Seven octets: H5051, H5052, H5071 and H5074.
enum Govee {
  static func decode(_ given: [UInt8], _ map: inout SensorMap?) -> Value? {
    let bytes = SensorBytes(bytes: given)
    switch given.count {
    case 6:
      guard let packed = bytes.number(1, size: 3, isBig: true), given[0] == 0 else { return nil }
      // One three-octet number holds both values.
      map?.note("temperature", 1, 3)
      map?.note("humidity", 1, 3)
      map?.note("battery", 4, 1)
      let amount = packed & 0x7F_FFFF
      let tenths = amount / 1000
      return reading(.decimal(packed == amount ? tenths : -tenths, 1), .decimal(amount % 1000, 1), given[4])
    case 7:
      guard let temperature = bytes.number(1, size: 2, isSigned: true), let humidity = bytes.number(3, size: 2), given[0] == 0
      else {
        return nil
      }
      map?.note("temperature", 1, 2)
      map?.note("humidity", 3, 2)
      map?.note("battery", 5, 1)
      return reading(.decimal(temperature, 2), .decimal(humidity, 2), given[5])
    default: return nil
    }
  }

  private static func reading(_ temperature: Value, _ humidity: Value, _ battery: UInt8) -> Value {
    // The highest bit indicates a sensor error.
    let isFaulty = battery & 0x80 != 0
    return .record([
      "temperature": isFaulty ? .nothing : temperature, "humidity": isFaulty ? .nothing : humidity,
      "battery": .int(Int64(battery & 0x7F)),
    ])
  }
}
