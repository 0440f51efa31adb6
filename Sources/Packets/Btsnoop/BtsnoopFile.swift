package import Vocabulary

/// A whole btsnoop file. To write a file, write `BtsnoopHeader().encoded` and then the `encoded` of
/// each record.
package struct BtsnoopFile: Hashable, Portable {
  /// Always in H4 form: records of an H1 file get their type octet.
  package var records: [BtsnoopRecord]

  package init(records: [BtsnoopRecord] = []) { self.records = records }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let header = try BtsnoopHeader(reading: &reader)
    records = []
    while !reader.isAtEnd { records.append(try Self.readRecord(&reader, header.datalink)) }
  }

  /// Reads what a killed writer left: every complete record, and the number of octets after them.
  package static func recover(_ bytes: [UInt8]) throws(DecodeError) -> (file: BtsnoopFile, rest: Int) {
    var reader = bytes.span.bytes
    let header = try BtsnoopHeader(reading: &reader)
    var file = BtsnoopFile()
    while !reader.isAtEnd {
      let left = reader.byteCount
      do {
        file.records.append(try readRecord(&reader, header.datalink))
      } catch {
        return (file, left)
      }
    }
    return (file, 0)
  }

  private static func readRecord(_ reader: inout RawSpan, _ datalink: BtsnoopHeader.Datalink) throws(DecodeError) -> BtsnoopRecord {
    guard datalink == .unframed else { return try BtsnoopRecord(reading: &reader) }
    var flags = reader
    try flags.skip(8)
    let isControl = try flags.readUInt32().byteSwapped & 2 != 0
    var record = try BtsnoopRecord(reading: &reader)
    let type: H4Type = isControl ? (record.isSent ? .command : .event) : .acl
    record.bytes.insert(type.rawValue, at: 0)
    record.originalLength = record.originalLength == .max ? .max : record.originalLength + 1
    return record
  }

  package func write(to writer: inout ByteWriter) {
    BtsnoopHeader().write(to: &writer)
    for record in records { record.write(to: &writer) }
  }
}
