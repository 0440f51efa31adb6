package import Vocabulary

extension Address {
  /// The static random address of a simulated peripheral: FNV-1a of its name, with the two upper
  /// bits set (Vol 6, Part B, 1.3.2.1).
  package static func simulated(_ name: String) -> Address {
    Address(bits: FNV1a.hash(name.utf8) & 0x3FFF_FFFF_FFFF | 0xC000_0000_0000, kind: .random)
  }
}
