/// FNV-1a with 64 bits: a hash for names and checksums. It protects nothing against an attacker.
package enum FNV1a {
  /// Inlinable: elsewhere the generic loop would call a witness for each byte.
  @inlinable package static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }
}
