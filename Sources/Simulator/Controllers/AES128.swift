/// AES with a 128-bit key, one block at a time (FIPS 197). It is not protected against timing
/// attacks, because the keys of virtual controllers protect nothing.
enum AES128 {
  /// Encrypts a block. Key and block have 16 octets, most significant first; other lengths give
  /// zeros.
  static func encrypt(_ block: [UInt8], key: [UInt8]) -> [UInt8] {
    guard block.count == 16, key.count == 16 else { return [UInt8](repeating: 0, count: 16) }
    var roundKey = key
    var constant: UInt8 = 1
    var state = zip(block, roundKey).map { $0 ^ $1 }
    for round in 1...10 {
      advance(&roundKey, constant)
      constant = double(constant)
      // SubBytes and ShiftRows in one step: column by column, each row rotated by its index.
      var next = [UInt8](repeating: 0, count: 16)
      for place in 0..<16 { next[place] = substitutes[Int(state[(place + 4 * (place % 4)) % 16])] }
      if round < 10 { mixColumns(&next) }
      state = zip(next, roundKey).map { $0 ^ $1 }
    }
    return state
  }

  private static func advance(_ key: inout [UInt8], _ constant: UInt8) {
    for place in 0..<4 { key[place] ^= substitutes[Int(key[12 + (place + 1) % 4])] }
    key[0] ^= constant
    for place in 4..<16 { key[place] ^= key[place - 4] }
  }

  private static func mixColumns(_ state: inout [UInt8]) {
    for column in stride(from: 0, to: 16, by: 4) {
      let old = Array(state[column..<column + 4])
      for row in 0..<4 {
        let (a, b) = (old[row], old[(row + 1) % 4])
        state[column + row] = double(a) ^ double(b) ^ b ^ old[(row + 2) % 4] ^ old[(row + 3) % 4]
      }
    }
  }

  /// Multiplies by x in GF(2^8).
  private static func double(_ value: UInt8) -> UInt8 { value << 1 ^ (value & 0x80 == 0 ? 0 : 0x1B) }

  /// The S-box: the inverse in GF(2^8), then an affine map (FIPS 197, 5.1.1).
  private static let substitutes: [UInt8] = {
    var table = [UInt8](repeating: 0x63, count: 256)
    // 3 generates the field: `power` runs through it, `inverse` in the opposite direction.
    var (power, inverse): (UInt8, UInt8) = (1, 1)
    repeat {
      power ^= double(power)
      inverse ^= inverse << 1
      inverse ^= inverse << 2
      inverse ^= inverse << 4
      if inverse & 0x80 != 0 { inverse ^= 0x09 }
      var mapped = inverse
      for turn in 1...4 as ClosedRange<UInt8> { mapped ^= inverse << turn | inverse >> (8 - turn) }
      table[Int(power)] = mapped ^ 0x63
    } while power != 1
    return table
  }()
}
