import Packets
import Vocabulary

extension RawSpan {
  /// Reads a number that counts or indexes something. Outside its range it could trap later.
  mutating func next(_ range: ClosedRange<Int>, _ name: StaticName) throws(DecodeError) -> Int {
    let value = try next(Int.self)
    guard range.contains(value) else { throw .invalid(name, UInt64(bitPattern: Int64(value))) }
    return value
  }

  /// Reads a counter that counts up as long as the process lives.
  mutating func nextCounter(_ name: StaticName) throws(DecodeError) -> UInt64 {
    let value = try readVarint()
    guard value <= 1 << 62 else { throw .invalid(name, value) }
    return value
  }

  mutating func nextCounter(_ name: StaticName) throws(DecodeError) -> Int { try next(0...1 << 62, name) }

  /// Reads an ATT_MTU. Below 23 there is no room for the headers.
  mutating func nextMTU() throws(DecodeError) -> UInt16 {
    let value = try readUInt16()
    guard AttributeLimits.smallestMTU...AttributeLimits.largestMTU ~= value else { throw .invalid("ATT_MTU", UInt64(value)) }
    return value
  }

  /// Reads an ATT PDU, which extends to the end of its bytes and therefore follows its length.
  mutating func nextPDU() throws(DecodeError) -> ATTPDU { try ATTPDU(encoded: try readBlob(), name: "ATT PDU") }
}

extension ByteWriter {
  mutating func put(pdu: ATTPDU) { put(blob: pdu.encoded) }
}
