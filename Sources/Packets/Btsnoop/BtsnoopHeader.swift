package import Vocabulary

/// The sixteen octets at the start of a btsnoop file.
package struct BtsnoopHeader: Hashable, Portable {
  package enum Datalink: UInt32, Sendable {
    /// H1: packets without type octet; a record's flags contain the type.
    case unframed = 1001
    /// H4: packets with type octet.
    case uart = 1002
  }

  package var datalink: Datalink

  package init(datalink: Datalink = .uart) { self.datalink = datalink }

  private static let magic: [UInt8] = [0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0x00]

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let magic = try reader.readUInt64()
    var expected = ByteWriter()
    expected.put(Self.magic)
    var view = expected.bytes.span.bytes
    guard magic == (try view.readUInt64()) else { throw .invalid("btsnoop magic", magic) }
    let version = try reader.readUInt32().byteSwapped
    guard version == 1 else { throw .invalid("btsnoop version", UInt64(version)) }
    let raw = try reader.readUInt32().byteSwapped
    guard let datalink = Datalink(rawValue: raw) else { throw .invalid("btsnoop datalink", UInt64(raw)) }
    self.datalink = datalink
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(Self.magic)
    writer.put((1 as UInt32).byteSwapped)
    writer.put(datalink.rawValue.byteSwapped)
  }
}
