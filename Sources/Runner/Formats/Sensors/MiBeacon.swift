import Vocabulary

/// Xiaomi's MiBeacon in service data 0xFE95: a header with flags, then objects, each with its
/// length. Encrypted data is not decrypted.
enum MiBeacon {
  static func decode(_ given: [UInt8], _ map: inout SensorMap?) -> Value? {
    let bytes = SensorBytes(bytes: given)
    guard let control = bytes.number(0, size: 2), let device = bytes.number(2, size: 2), let counter = bytes.u8(4) else {
      return nil
    }
    let version = control >> 12
    guard (2...5).contains(version) else { return nil }
    var at = 5
    var record = Record()
    record.set("device", .int(device))
    record.set("counter", .int(Int64(counter)))
    map?.note("device", 2, 2)
    map?.note("counter", 4, 1)
    if control & 0x10 != 0 {
      guard at + 6 <= given.count else { return nil }
      let address = given[at..<at + 6].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      record.set("address", .address(AddressValue(bits: address, kind: nil)))
      map?.note("address", at, 6)
      at += 6
    }
    if control & 0x20 != 0 {
      guard let capability = bytes.u8(at) else { return nil }
      // With I/O capabilities there are two more octets.
      at += capability & 0x20 != 0 ? 3 : 1
      guard at <= given.count else { return nil }
    }
    let isEncrypted = control & 0x08 != 0
    record.set("encrypted", .bool(isEncrypted))
    map?.note("encrypted", 0, 2)
    guard control & 0x40 != 0, !isEncrypted else { return .record(record) }
    while at < given.count {
      guard let kind = bytes.number(at, size: 2), let size = bytes.u8(at + 2), at + 3 + size <= given.count else { return nil }
      take(kind, SensorBytes(bytes: Array(given[at + 3..<at + 3 + size])), at + 3, into: &record, &map)
      at += 3 + size
    }
    return .record(record)
  }

  /// Reads an object; ignores it if it is unknown or has another length.
  /// - Parameter start: offset of its data in the packet.
  private static func take(
    _ kind: Int64, _ data: SensorBytes, _ start: Int, into record: inout Record, _ map: inout SensorMap?
  ) {
    func set(_ name: String, _ value: Value, at: Int = 0, size: Int = 1) {
      record.set(name, value)
      map?.note(name, start + at, size)
    }
    func number(_ name: String, size: Int, isSigned: Bool = false, decimals: Int = 0, at: Int = 0) {
      if let raw = data.number(at, size: size, isSigned: isSigned) { set(name, .decimal(raw, decimals), at: at, size: size) }
    }
    func flag(_ name: String) { if let raw = data.u8(0) { set(name, .bool(raw != 0)) } }
    switch kind {
    case 0x1001:
      guard let action = data.u8(2) else { return }
      let names = ["press", "double_press", "long_press"]
      set("button", names.indices.contains(action) ? .text(names[action]) : .int(Int64(action)), at: 2)
    case 0x1004: number("temperature", size: 2, isSigned: true, decimals: 1)
    case 0x1006: number("humidity", size: 2, decimals: 1)
    case 0x1007: number("illuminance", size: 3)
    case 0x1008: number("moisture", size: 1)
    case 0x1009: number("conductivity", size: 2)
    case 0x100A: number("battery", size: 1)
    case 0x100D:
      number("temperature", size: 2, isSigned: true, decimals: 1)
      number("humidity", size: 2, decimals: 1, at: 2)
    case 0x1010: number("formaldehyde", size: 2, decimals: 2)
    case 0x1012: flag("switched_on")
    case 0x1013: number("consumable", size: 1)
    case 0x1014: flag("wet")
    case 0x1015: flag("smoke")
    case 0x1017: number("idle", size: 4)
    case 0x1018: flag("light")
    // 0: open, 1: closed, 2: open for too long
    case 0x1019: if let state = data.u8(0) { set("door_open", .bool(state != 1)) }
    default: return
    }
  }
}
