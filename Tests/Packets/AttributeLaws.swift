import Packets
import Testing
import Vocabulary

/// The three laws of every PDU. Truncation after the `fixed` bytes of a PDU that ends in a value of
/// variable length cannot be detected: then the shorter bytes must read back as themselves.
func keepsTheLaws<Value: Portable & Equatable>(
  _ value: Value, fixed: Int? = nil, name: StaticName = "PDU", at place: SourceLocation = #_sourceLocation
) {
  let bytes = value.encoded
  #expect((try? Value(encoded: bytes, name: name)) == value, sourceLocation: place)
  for length in 0..<bytes.count {
    let cut = Array(bytes.prefix(length))
    if length < fixed ?? bytes.count {
      #expect(throws: DecodeError.self, "cut to \(length)", sourceLocation: place) { try Value(encoded: cut, name: name) }
    } else {
      let shorter = try? Value(encoded: cut, name: name)
      #expect(shorter == nil || shorter?.encoded == cut, sourceLocation: place)
    }
  }
  if fixed == nil {
    #expect(throws: DecodeError.trailing(1, after: name), sourceLocation: place) {
      try Value(encoded: bytes + [0x00], name: name)
    }
  }
}
