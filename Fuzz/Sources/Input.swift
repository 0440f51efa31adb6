/// The bytes of an input as a source of decisions. It returns zeros once they are used up.
struct Input {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { place >= bytes.count }

  mutating func byte() -> UInt8 {
    guard place < bytes.count else { return 0 }
    defer { place += 1 }
    return bytes[place]
  }

  mutating func word() -> UInt16 { UInt16(byte()) | UInt16(byte()) << 8 }

  /// A number from 0 up to, not including, `bound`, which is at most 256.
  mutating func below(_ bound: Int) -> Int { bound < 1 ? 0 : Int(byte()) % bound }

  mutating func flag() -> Bool { byte() & 1 == 1 }

  mutating func take(_ count: Int) -> [UInt8] {
    let end = min(bytes.count, place + max(0, count))
    defer { place = end }
    return Array(bytes[min(place, end)..<end])
  }

  /// Bytes whose count is the next byte.
  mutating func blob() -> [UInt8] { take(Int(byte())) }

  mutating func rest() -> [UInt8] { take(bytes.count - place) }

  /// A valid packet, corrupted as the input says: truncated, extended, or with some bytes changed.
  mutating func corrupt(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    let how = byte()
    switch how & 7 {
    case 1: bytes = Array(bytes.prefix(below(bytes.count + 1)))
    case 2: bytes += blob()
    case 3, 4:
      for _ in 0...(how >> 6) where !bytes.isEmpty {
        let place = Int(byte()) % bytes.count
        bytes[place] = byte()
      }
    case 5:
      for _ in 0...(how >> 6) where !bytes.isEmpty {
        let place = Int(byte()) % bytes.count
        bytes[place] ^= 1 << (byte() & 7)
      }
    default: break
    }
    return bytes
  }
}
