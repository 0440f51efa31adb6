import Vocabulary

/// Fields of many commands and events.
extension RawSpan {
  /// Six octets, least significant first.
  mutating func readAddressBits() throws(DecodeError) -> UInt64 {
    var bits: UInt64 = 0
    for place in 0..<6 { bits |= UInt64(try readUInt8()) << UInt64(8 * place) }
    return bits
  }

  /// One octet of type, 0 or 1, then the address.
  mutating func readTypedAddress() throws(DecodeError) -> Address {
    let raw = try readUInt8()
    guard let kind = Address.Kind(rawValue: raw) else { throw .invalid("address type", UInt64(raw)) }
    return Address(bits: try readAddressBits(), kind: kind)
  }

  /// One octet of type as in events, then the address. 2 and 3 mean that the controller resolved it
  /// to an identity address.
  mutating func readPeerAddress() throws(DecodeError) -> (address: Address, isIdentity: Bool) {
    let raw = try readUInt8()
    let address = Address(bits: try readAddressBits(), kind: raw & 1 == 0 ? .public : .random)
    return (address, raw == 2 || raw == 3)
  }

  mutating func readRaw<Value: RawRepresentable<UInt8>>(_ type: Value.Type, _ name: StaticName) throws(DecodeError) -> Value {
    let raw = try readUInt8()
    guard let value = Value(rawValue: raw) else { throw .invalid(name, UInt64(raw)) }
    return value
  }
}

extension ByteWriter {
  mutating func put(addressBits bits: UInt64) {
    for place in 0..<6 { put(UInt8(truncatingIfNeeded: bits >> UInt64(8 * place))) }
  }

  mutating func put(typed address: Address) {
    put(address.kind.rawValue)
    put(addressBits: address.bits)
  }

  mutating func put(peer address: Address, isIdentity: Bool) {
    put(address.kind.rawValue | (isIdentity ? 2 : 0))
    put(addressBits: address.bits)
  }

  /// Exactly `count` octets, cut or padded with zeros.
  mutating func put(_ bytes: [UInt8], padded count: Int) {
    put(bytes.prefix(count))
    for _ in 0..<max(0, count - bytes.count) { put(0 as UInt8) }
  }
}
