import Exchange
package import Vocabulary

extension Value: Durable {
  /// The first octet is the case. Depth is bounded, so that a damaged checkpoint cannot overflow
  /// the stack.
  package init(reading reader: inout RawSpan) throws(DecodeError) { self = try Self.read(&reader, levels: Self.depthLimit + 1) }

  private static func read(_ reader: inout RawSpan, levels: Int) throws(DecodeError) -> Value {
    guard levels >= 0 else { throw .invalid("value depth", UInt64(depthLimit)) }
    switch try reader.readUInt8() {
    case 0: return .nothing
    case 1: return .bool(false)
    case 2: return .bool(true)
    case 3: return .int(try reader.readZigzag())
    case 4: return .real(Double(bitPattern: try reader.readUInt64()))
    case 5: return .text(try reader.readText())
    case 6: return .bytes(try reader.readBlob())
    case 7: return .duration(try TimeSpan(reading: &reader))
    case 8: return .time(try WallTime(reading: &reader))
    case 9: return .address(try AddressValue(reading: &reader))
    case 10:
      let count = try reader.readCount()
      var list: [Value] = []
      list.reserveCapacity(count)
      for _ in 0..<count { list.append(try read(&reader, levels: levels - 1)) }
      return .list(list)
    case 11: return .record(try readRecord(&reader, levels: levels - 1))
    case 12: return .device(Int(truncatingIfNeeded: try reader.readVarint()))
    case 13:
      // The encoding of `unset` in older checkpoints.
      let number = try reader.readVarint()
      guard number == .max else { throw .invalid("value kind", 13) }
      return .unset
    case 14: return .uuid(try UUID(reading: &reader))
    case 15:
      let failure = try Failure(reading: &reader)
      let line = RecipeLine(packed: UInt32(truncatingIfNeeded: try reader.readVarint()))
      let device = try reader.readBool() ? Int(truncatingIfNeeded: try reader.readVarint()) : nil
      return .problem(Problem(failure, line: line, device: device, extra: try readRecord(&reader, levels: levels - 1)))
    case 16: return .attribute(try AttributeValue(reading: &reader))
    case 17: return .secret(Secret(.unset, name: try reader.readBool() ? try reader.readText() : nil))
    case 18: return .unset
    case 40: return .subject(Int(truncatingIfNeeded: try reader.readVarint()))
    case let other: throw .invalid("value kind", UInt64(other))
    }
  }

  private static func readRecord(_ reader: inout RawSpan, levels: Int) throws(DecodeError) -> Record {
    let count = try reader.readCount()
    var fields: [Record.Field] = []
    fields.reserveCapacity(count)
    for _ in 0..<count {
      let key = try reader.readText()
      fields.append(Record.Field(key, try read(&reader, levels: levels)))
    }
    return Record(fields)
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .nothing: writer.put(UInt8(0))
    case .bool(let flag): writer.put(UInt8(flag ? 2 : 1))
    case .int(let number):
      writer.put(UInt8(3))
      writer.put(zigzag: number)
    case .real(let number):
      writer.put(UInt8(4))
      writer.put(number.bitPattern)
    case .text(let text):
      writer.put(UInt8(5))
      writer.put(text: text)
    case .bytes(let bytes):
      writer.put(UInt8(6))
      writer.put(blob: bytes)
    case .duration(let span):
      writer.put(UInt8(7))
      span.write(to: &writer)
    case .time(let time):
      writer.put(UInt8(8))
      time.write(to: &writer)
    case .address(let address):
      writer.put(UInt8(9))
      address.write(to: &writer)
    case .list(let list):
      Self.write(list[...], to: &writer)
    case .record(let record):
      writer.put(UInt8(11))
      Self.write(record, to: &writer)
    case .device(let index):
      writer.put(UInt8(12))
      writer.put(varint: UInt64(truncatingIfNeeded: index))
    case .unset: writer.put(UInt8(18))
    case .subject(let index):
      writer.put(UInt8(40))
      writer.put(varint: UInt64(truncatingIfNeeded: index))
    case .uuid(let uuid):
      writer.put(UInt8(14))
      uuid.write(to: &writer)
    case .problem(let problem):
      writer.put(UInt8(15))
      problem.failure.write(to: &writer)
      writer.put(varint: UInt64(problem.line.packed))
      writer.put(problem.device != nil)
      if let device = problem.device { writer.put(varint: UInt64(truncatingIfNeeded: device)) }
      Self.write(problem.extra, to: &writer)
    case .attribute(let attribute):
      writer.put(UInt8(16))
      attribute.write(to: &writer)
    case .secret(let secret):
      // Only the name is stored, if there is one.
      writer.put(UInt8(17))
      writer.put(secret.name != nil)
      if let name = secret.name { writer.put(text: name) }
    }
  }

  /// Writes elements as a list of their own.
  static func write(_ elements: ArraySlice<Value>, to writer: inout ByteWriter) {
    writer.put(UInt8(10))
    // Faster than `put(all:)`, which is not specialised for the element type.
    writer.put(varint: UInt64(elements.count))
    for element in elements { element.write(to: &writer) }
  }

  private static func write(_ record: Record, to writer: inout ByteWriter) {
    writer.put(varint: UInt64(record.fields.count))
    for field in record.fields {
      writer.put(text: field.key)
      field.value.write(to: &writer)
    }
  }
}
