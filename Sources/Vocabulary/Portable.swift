/// A value that crosses from one process to another of the same version, and is never kept on disk:
/// link state is allowed in it.
///
/// It is `Storable`'s sister and not its parent, so that durable state cannot hold link state by
/// accident: what reads and writes durable values takes no `Portable`. The laws are the same: round
/// trip, equal values are equal bytes, every truncation is refused, and no bytes whatever make a
/// reader trap. Each value knows where it ends, so values stand behind each other without lengths.
package protocol Portable: Sendable {
  init(reading reader: inout RawSpan) throws(DecodeError)
  func write(to writer: inout ByteWriter)
}

extension Portable {
  /// This value alone, as bytes.
  package var carried: [UInt8] {
    var writer = ByteWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// One whole value; bytes left over are an error.
  package init(carried bytes: [UInt8], name: StaticName = "value") throws(DecodeError) {
    var reader = bytes.span.bytes
    try self.init(reading: &reader)
    guard reader.isAtEnd else { throw .trailing(reader.byteCount, after: name) }
  }
}

extension RawSpan {
  /// The next value, of the type that is wanted there.
  package mutating func next<Value: Portable>(_ type: Value.Type = Value.self) throws(DecodeError) -> Value {
    try Value(reading: &self)
  }
}

extension ByteWriter {
  /// Values behind each other.
  package mutating func put<each Value: Portable>(all values: repeat each Value) {
    for value in repeat each values { value.write(to: &self) }
  }
}

// MARK: What everything is made of

extension UInt8: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self = try reader.readUInt8() }
  package func write(to writer: inout ByteWriter) { writer.put(self) }
}

extension UInt16: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self = try reader.readUInt16() }
  package func write(to writer: inout ByteWriter) { writer.put(self) }
}

extension UInt32: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self = try reader.readUInt32() }
  package func write(to writer: inout ByteWriter) { writer.put(self) }
}

extension UInt64: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self = try reader.readVarint() }
  package func write(to writer: inout ByteWriter) { writer.put(varint: self) }
}

extension Int: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self = Int(try reader.readZigzag()) }
  package func write(to writer: inout ByteWriter) { writer.put(zigzag: Int64(self)) }
}

extension Bool: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self = try reader.readBool() }
  package func write(to writer: inout ByteWriter) { writer.put(self) }
}

extension String: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self = try reader.readText() }
  package func write(to writer: inout ByteWriter) { writer.put(text: self) }
}

extension Optional: Portable where Wrapped: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self = try reader.readBool() ? try Wrapped(reading: &reader) : nil
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(self != nil)
    self?.write(to: &writer)
  }
}

extension Array: Portable where Element: Portable {
  /// A count and that many values. Each has an octet at least, so the count cannot exceed the
  /// octets that are left.
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let count = try reader.readCount()
    if Element.self == UInt8.self, let bytes = try reader.readBytes(count) as? [Element] {
      self = bytes
      return
    }
    self = []
    // no more is reserved than a count that lies can do harm with
    reserveCapacity(Swift.min(count, 256))
    for _ in 0..<count { append(try Element(reading: &reader)) }
  }

  package func write(to writer: inout ByteWriter) {
    if Element.self == UInt8.self, let bytes = self as? [UInt8] { return writer.put(blob: bytes) }
    writer.put(varint: UInt64(count))
    for element in self { element.write(to: &writer) }
  }
}

extension Result: Portable where Success: Portable, Failure: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self = try reader.readBool() ? .success(try Success(reading: &reader)) : .failure(try Failure(reading: &reader))
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .success(let value): writer.put(all: true, value)
    case .failure(let failure): writer.put(all: false, failure)
    }
  }
}

extension Portable where Self: RawRepresentable, RawValue: Portable & UnsignedInteger {
  /// Its number. What has no name is refused.
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let raw = try RawValue(reading: &reader)
    guard let value = Self(rawValue: raw) else { throw .invalid("a number without a name", UInt64(raw)) }
    self = value
  }

  package func write(to writer: inout ByteWriter) { rawValue.write(to: &writer) }
}

// MARK: Values of this room that end by themselves

extension Address: Portable {}
extension UUID: Portable {}
extension AttributeHandle: Portable {}
extension Moment: Portable {}
extension Instant: Portable {}
extension TimeSpan: Portable {}
extension WallTime: Portable {}
