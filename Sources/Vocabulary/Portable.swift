/// A value that encodes itself as bytes: a PDU, a message between processes, the state of a link,
/// or stored data.
///
/// Generic tests require round trips, equal bytes for equal values, and refusal of truncated and
/// surplus bytes. Values mark their own end; only a PDU takes all remaining bytes.
package protocol Portable: Sendable {
  init(reading reader: inout RawSpan) throws(DecodeError)
  func write(to writer: inout ByteWriter)
}

/// A value that may be stored on disk and outlive its process. Storing code requires this marker,
/// which each type declares, so that link state cannot be stored by accident.
package protocol Durable: Portable, Equatable {}

extension Portable {
  /// The bytes of this value alone.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// Reads one whole value; fails with its name if bytes are left over.
  package init(encoded bytes: [UInt8], name: StaticName = "value") throws(DecodeError) {
    var reader = bytes.span.bytes
    try self.init(reading: &reader)
    guard reader.isAtEnd else { throw .trailing(reader.byteCount, after: name) }
  }
}

extension RawSpan {
  /// Reads the next value.
  package mutating func next<Value: Portable>(_ type: Value.Type = Value.self) throws(DecodeError) -> Value {
    try Value(reading: &self)
  }
}

extension ByteWriter {
  /// Writes values one after another.
  package mutating func put<each Value: Portable>(all values: repeat each Value) {
    for value in repeat each values { value.write(to: &self) }
  }
}

// MARK: Basic types

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
  /// A count, then that many values. Each has at least one octet, so the count cannot exceed the
  /// remaining octets.
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let count = try reader.readCount()
    if Element.self == UInt8.self, let bytes = try reader.readBytes(count) as? [Element] {
      self = bytes
      return
    }
    self = []
    // Limited, so that a wrong count cannot reserve much memory.
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
  /// The raw value of the case. Unknown numbers are refused.
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let raw = try RawValue(reading: &reader)
    guard let value = Self(rawValue: raw) else { throw .invalid("a number without a name", UInt64(raw)) }
    self = value
  }

  package func write(to writer: inout ByteWriter) { rawValue.write(to: &writer) }
}
