package import Vocabulary

/// LE Set Extended Advertising Data and LE Set Extended Scan Response Data (Vol 4, Part E, 7.8.54
/// and 7.8.55).
package struct ExtendedAdvertisingData: Hashable, Portable {
  package var set: UInt8
  /// 0: intermediate fragment, 1: first, 2: last, 3: complete data, 4: unchanged data.
  package var operation: UInt8
  /// 1: the controller should not fragment the data.
  package var fragmentPreference: UInt8
  /// At most 251 octets.
  package var data: [UInt8]

  package init(set: UInt8, operation: UInt8 = 3, fragmentPreference: UInt8 = 1, data: [UInt8]) {
    self.set = set
    self.operation = operation
    self.fragmentPreference = fragmentPreference
    self.data = data
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    set = try reader.readUInt8()
    operation = try reader.readUInt8()
    fragmentPreference = try reader.readUInt8()
    data = try reader.readBytes(Int(try reader.readUInt8()))
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(set)
    writer.put(operation)
    writer.put(fragmentPreference)
    writer.put(UInt8(min(data.count, 251)))
    writer.put(data.prefix(251))
  }
}
