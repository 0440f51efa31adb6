/// SwitchBot thermometers in service data 0xFD3D: the Meter (`T`) and the Meter Plus (`i`).
enum SwitchBot {
  static func decode(_ bytes: [UInt8], _ map: inout SensorMap?) -> Value? {
    guard bytes.count == 6, [0x54, 0x69].contains(bytes[0] & 0x7F) else { return nil }
    let tenths = Int64(bytes[4] & 0x7F) * 10 + Int64(bytes[3] & 0x0F)
    guard bytes[3] & 0x0F < 10 else { return nil }
    map?.note("temperature", 3, 2)
    map?.note("humidity", 5, 1)
    map?.note("battery", 2, 1)
    return .record([
      // The highest bit means above zero.
      "temperature": .decimal(bytes[4] & 0x80 != 0 ? tenths : -tenths, 1), "humidity": .int(Int64(bytes[5] & 0x7F)),
      "battery": .int(Int64(bytes[2] & 0x7F)),
    ])
  }
}
