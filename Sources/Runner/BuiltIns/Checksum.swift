/// The checksums of the language.
package enum Checksum {
  /// CRC-16/CCITT-FALSE: polynomial 0x1021, initial value 0xFFFF. "123456789" gives 0x29B1.
  package static func crc16(_ bytes: some Sequence<UInt8>) -> UInt16 {
    var crc: UInt16 = 0xFFFF
    for byte in bytes {
      crc ^= UInt16(byte) << 8
      for _ in 0..<8 { crc = crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021 }
    }
    return crc
  }

  /// CRC-32 as in Ethernet, zip and PNG: reflected 0x04C11DB7. "123456789" gives 0xCBF43926.
  package static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    let table = table
    var crc: UInt32 = .max
    for byte in bytes { crc = table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8 }
    return ~crc
  }

  private static let table: [UInt32] = (0..<256).map { index in
    var value = UInt32(index)
    for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
    return value
  }
}
