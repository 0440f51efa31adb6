package import Vocabulary

/// A packet between host and controller, with the H4 type octet first (Vol 4, Part A, 2).
package enum HCIPacket: Hashable, Sendable {
  case command(HCICommand)
  case acl(ACLPacket)
  /// Header and data as bytes.
  case sco([UInt8])
  /// `trailing` contains octets that the controller appended to the event.
  case event(HCIEvent, trailing: [UInt8] = [])
  /// Header and data as bytes.
  case iso([UInt8])
}

extension HCIPacket: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let type = try reader.readUInt8()
    switch H4Type(rawValue: type) {
    case .command: self = .command(try HCICommand(reading: &reader))
    case .acl: self = .acl(try ACLPacket(reading: &reader))
    case .sco: self = .sco(try Self.readKept(.sco, &reader))
    case .event:
      var trailing: [UInt8] = []
      let event = try HCIEvent(reading: &reader, trailing: &trailing)
      self = .event(event, trailing: trailing)
    case .iso: self = .iso(try Self.readKept(.iso, &reader))
    case nil: throw .invalid("H4 packet type", UInt64(type))
    }
  }

  private static func readKept(_ type: H4Type, _ reader: inout RawSpan) throws(DecodeError) -> [UInt8] {
    var header = try reader.readBytes(type.headerLength)
    let count = type.payloadLength(header: header)
    header += try reader.readBytes(count)
    return header
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .command(let command):
      writer.put(H4Type.command.rawValue)
      command.write(to: &writer)
    case .acl(let packet):
      writer.put(H4Type.acl.rawValue)
      packet.write(to: &writer)
    case .sco(let bytes):
      writer.put(H4Type.sco.rawValue)
      writer.put(bytes)
    case .event(let event, let trailing):
      writer.put(H4Type.event.rawValue)
      event.write(to: &writer, trailing: trailing)
    case .iso(let bytes):
      writer.put(H4Type.iso.rawValue)
      writer.put(bytes)
    }
  }
}
