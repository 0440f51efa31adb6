/// A byte reader that takes from the front of a `RawSpan`. It cannot over-read. Integers are little
/// endian.
extension RawSpan {
  package var isAtEnd: Bool { byteCount == 0 }

  @inline(__always)
  private func require(_ count: Int) throws(DecodeError) {
    guard count >= 0, byteCount >= count else { throw .truncated(needed: count, left: byteCount) }
  }

  package mutating func readUInt8() throws(DecodeError) -> UInt8 {
    try require(1)
    let value = unsafeLoad(as: UInt8.self)
    self = extracting(droppingFirst: 1)
    return value
  }

  package mutating func readInt8() throws(DecodeError) -> Int8 { Int8(bitPattern: try readUInt8()) }

  package mutating func readUInt16() throws(DecodeError) -> UInt16 {
    try require(2)
    let value = UInt16(littleEndian: unsafeLoadUnaligned(as: UInt16.self))
    self = extracting(droppingFirst: 2)
    return value
  }

  package mutating func readUInt24() throws(DecodeError) -> UInt32 {
    try require(3)
    let low = try readUInt16()
    return UInt32(low) | UInt32(try readUInt8()) << 16
  }

  package mutating func readUInt32() throws(DecodeError) -> UInt32 {
    try require(4)
    let value = UInt32(littleEndian: unsafeLoadUnaligned(as: UInt32.self))
    self = extracting(droppingFirst: 4)
    return value
  }

  package mutating func readUInt64() throws(DecodeError) -> UInt64 {
    try require(8)
    let value = UInt64(littleEndian: unsafeLoadUnaligned(as: UInt64.self))
    self = extracting(droppingFirst: 8)
    return value
  }

  /// The next `count` bytes as an array.
  package mutating func readBytes(_ count: Int) throws(DecodeError) -> [UInt8] {
    try require(count)
    let bytes = unsafe extracting(first: count).withUnsafeBytes { unsafe Array($0) }
    self = extracting(droppingFirst: count)
    return bytes
  }

  /// All remaining bytes.
  package mutating func readRest() -> [UInt8] {
    let bytes = unsafe withUnsafeBytes { unsafe Array($0) }
    self = extracting(droppingFirst: byteCount)
    return bytes
  }

  package mutating func skip(_ count: Int) throws(DecodeError) {
    try require(count)
    self = extracting(droppingFirst: count)
  }

  /// A base-128 integer, least significant group first, in its shortest form of at most ten bytes.
  package mutating func readVarint() throws(DecodeError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 70, by: 7) {
      let byte = try readUInt8()
      if shift == 63, byte > 1 { throw .invalid("varint", UInt64(byte)) }
      if shift > 0, byte == 0 { throw .invalid("varint", 0) }
      value |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { return value }
    }
    throw .invalid("varint", value)
  }

  package mutating func readZigzag() throws(DecodeError) -> Int64 {
    let raw = try readVarint()
    return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
  }

  /// A count as a varint. It must fit an `Int` and not exceed the remaining bytes, because each
  /// element has at least one byte.
  package mutating func readCount() throws(DecodeError) -> Int {
    let raw = try readVarint()
    guard raw <= UInt64(byteCount) else { throw .truncated(needed: Int(clamping: raw), left: byteCount) }
    return Int(raw)
  }

  package mutating func readBool() throws(DecodeError) -> Bool {
    switch try readUInt8() {
    case 0: return false
    case 1: return true
    case let other: throw .invalid("bool", UInt64(other))
    }
  }

  /// A count, then that many bytes.
  package mutating func readBlob() throws(DecodeError) -> [UInt8] { try readBytes(try readCount()) }

  /// A count, then that many bytes of UTF-8.
  package mutating func readText() throws(DecodeError) -> String {
    let bytes = try readBlob()
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalid("text", UInt64(bytes.count)) }
    return text
  }
}
