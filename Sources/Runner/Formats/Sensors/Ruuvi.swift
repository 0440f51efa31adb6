import Vocabulary

/// Data format 5 (RAWv2) of Ruuvi's sensors: big endian; one value of each field means that it is
/// missing.
enum Ruuvi {
  static func decode(_ given: [UInt8], _ map: inout SensorMap?) -> Value? {
    guard given.count >= 24, given[0] == 5 else { return nil }
    let bytes = SensorBytes(bytes: given)
    func number(_ at: Int, size: Int, isSigned: Bool = false, missing: Int64) -> Int64? {
      bytes.number(at, size: size, isSigned: isSigned, isBig: true).flatMap { $0 == missing ? nil : $0 }
    }
    func acceleration(_ at: Int) -> Value {
      number(at, size: 2, isSigned: true, missing: -0x8000).map { .decimal($0, 3) } ?? .nothing
    }
    var record = Record()
    // in 0.005 °C and 0.0025 %
    record.set(
      "temperature",
      number(1, size: 2, isSigned: true, missing: -0x8000).map { .real(Double($0 * 5) / 1000) } ?? .nothing)
    record.set("humidity", number(3, size: 2, missing: 0xFFFF).map { .real(Double($0 * 25) / 10_000) } ?? .nothing)
    // in Pa above 50 kPa, shown in hPa
    record.set("pressure", number(5, size: 2, missing: 0xFFFF).map { .decimal($0 + 50_000, 2) } ?? .nothing)
    record.set("acceleration_x", acceleration(7))
    record.set("acceleration_y", acceleration(9))
    record.set("acceleration_z", acceleration(11))
    // 11 bits of mV above 1.6 V, 5 bits of 2 dBm above -40 dBm
    let power = bytes.number(13, size: 2, isBig: true) ?? 0
    record.set("voltage", power >> 5 == 2047 ? .nothing : .decimal(power >> 5 + 1600, 3))
    record.set("tx_power", power & 31 == 31 ? .nothing : .int((power & 31) * 2 - 40))
    record.set("movements", number(15, size: 1, missing: 0xFF).map { .int($0) } ?? .nothing)
    record.set("sequence", number(16, size: 2, missing: 0xFFFF).map { .int($0) } ?? .nothing)
    let address = given[18..<24].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    record.set("address", address == 0xFFFF_FFFF_FFFF ? .nothing : .address(AddressValue(bits: address, kind: nil)))
    if map != nil { for (name, offset, count) in layout { map?.note(name, offset, count) } }
    return .record(record)
  }

  private static let layout = [
    ("temperature", 1, 2), ("humidity", 3, 2), ("pressure", 5, 2), ("acceleration_x", 7, 2), ("acceleration_y", 9, 2),
    ("acceleration_z", 11, 2), ("voltage", 13, 2), ("tx_power", 14, 1), ("movements", 15, 1), ("sequence", 16, 2),
    ("address", 18, 6),
  ]
}
