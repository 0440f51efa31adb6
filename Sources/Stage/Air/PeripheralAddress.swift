package import Vocabulary

extension Address {
  /// The static random address of a simulated peripheral: FNV-1a of its name, the two upper bits set (Vol 6, Part B, 1.3.2.1).
  package static func simulated(_ name: String) -> Address {
    var value: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return Address(bits: value & 0x3FFF_FFFF_FFFF | 0xC000_0000_0000, kind: .random)
  }
}
