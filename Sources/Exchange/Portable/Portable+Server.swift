package import Vocabulary

extension ServerTable.Properties: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self.init(rawValue: try reader.readUInt8()) }
  package func write(to writer: inout ByteWriter) { writer.put(rawValue) }
}

extension ServerTable.Descriptor: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      id: try reader.next(), uuid: try reader.next(), properties: try reader.next(), protection: try reader.next(),
      writeProtection: try reader.next() as ServerTable.Protection, value: try reader.next(), asksBeforeRead: try reader.next(),
      asksBeforeWrite: try reader.next())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(all: id, uuid, properties, protection, writeProtection, value, asksBeforeRead, asksBeforeWrite)
  }
}

extension ServerTable.Characteristic: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      id: try reader.next(), uuid: try reader.next(), properties: try reader.next(), protection: try reader.next(),
      writeProtection: try reader.next() as ServerTable.Protection, value: try reader.next(), asksBeforeRead: try reader.next(),
      asksBeforeWrite: try reader.next(),
      descriptors: try reader.next())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(all: id, uuid, properties, protection, writeProtection, value, asksBeforeRead, asksBeforeWrite, descriptors)
  }
}

extension ServerTable.Service: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      uuid: try reader.next(), characteristics: try reader.next(), includes: try reader.next(), isPrimary: try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: uuid, characteristics, includes, isPrimary) }
}

extension ServerTable: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      name: try reader.next(), services: try reader.next(), confirmsWrites: try reader.next(), pairing: try reader.next(),
      outOfBand: try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: name, services, confirmsWrites, pairing, outOfBand) }
}
