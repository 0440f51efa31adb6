/// A value that writes itself as bytes and reads itself back: every PDU and every durable type.
///
/// Three laws hold for each, tested generically: round trip; every truncation is refused; trailing
/// bytes are refused by type name.
package protocol Storable: Equatable, Sendable {
  init(reading reader: inout RawSpan) throws(DecodeError)
  func write(to writer: inout ByteWriter)
}

extension Storable {
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    write(to: &writer)
    return writer.bytes
  }
}

/// Reads one whole value; bytes left over are an error.
package func decode<Value: Storable>(_ type: Value.Type, from bytes: [UInt8], name: StaticName = "value") throws(DecodeError)
  -> Value
{
  var reader = bytes.span.bytes
  let value = try Value(reading: &reader)
  guard reader.isAtEnd else { throw .trailing(reader.byteCount, after: name) }
  return value
}
