/// 64-bit FNV-1a, a hash for names and checksums. Not secure against attackers.
package enum FNV1a {
  // Not generic, because an unspecialised call from another module looks up the sequence type,
  // which costs more than all hashing when the program starts.
  package static func hash(_ bytes: [UInt8]) -> UInt64 { hash(each: bytes) }
  package static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 { hash(each: bytes) }
  package static func hash(_ text: String.UTF8View) -> UInt64 { hash(each: text) }

  /// Adds a word of 64 bits to a hash in one step.
  package static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 { (hash ^ word) &* prime }

  package static let start: UInt64 = 0xCBF2_9CE4_8422_2325
  private static let prime: UInt64 = 0x100_0000_01B3

  @inline(__always) private static func hash(each bytes: some Sequence<UInt8>) -> UInt64 {
    var hash = start
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* prime }
    return hash
  }
}
