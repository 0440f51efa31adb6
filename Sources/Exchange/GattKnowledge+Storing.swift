package import Vocabulary

extension GattKnowledge.Descriptor: Storable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try AttributeHandle(reading: &reader)
    uuid = try UUID(compact: &reader)
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
    uuid.writeCompact(to: &writer)
  }
}

extension GattKnowledge.Include: Storable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try AttributeHandle(reading: &reader)
    start = try AttributeHandle(reading: &reader)
    end = try AttributeHandle(reading: &reader)
    uuid = try reader.readOptional(UUID.self)
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
    start.write(to: &writer)
    end.write(to: &writer)
    writer.put(optional: uuid)
  }
}

extension GattKnowledge.Characteristic: Storable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let uuid = try UUID(compact: &reader)
    let declaration = try AttributeHandle(reading: &reader)
    let value = try AttributeHandle(reading: &reader)
    self.init(uuid: uuid, declaration: declaration, value: value, properties: try reader.readUInt8())
    end = try reader.readOptional(AttributeHandle.self)
    descriptors = try reader.readList(of: GattKnowledge.Descriptor.self)
    descriptorsNext = try reader.readOptional(AttributeHandle.self)
    isProven = try reader.readBool()
  }

  package func write(to writer: inout ByteWriter) {
    uuid.writeCompact(to: &writer)
    declaration.write(to: &writer)
    value.write(to: &writer)
    writer.put(properties)
    writer.put(optional: end)
    writer.put(list: descriptors)
    writer.put(optional: descriptorsNext)
    writer.put(isProven)
  }
}

extension GattKnowledge.Service: Storable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let uuid = try UUID(compact: &reader)
    let start = try AttributeHandle(reading: &reader)
    let end = try AttributeHandle(reading: &reader)
    self.init(uuid: uuid, start: start, end: end, isPrimary: try reader.readBool())
    includes = try reader.readList(of: GattKnowledge.Include.self)
    includesNext = try reader.readOptional(AttributeHandle.self)
    characteristics = try reader.readList(of: GattKnowledge.Characteristic.self)
    characteristicsNext = try reader.readOptional(AttributeHandle.self)
  }

  package func write(to writer: inout ByteWriter) {
    uuid.writeCompact(to: &writer)
    start.write(to: &writer)
    end.write(to: &writer)
    writer.put(isPrimary)
    writer.put(list: includes)
    writer.put(optional: includesNext)
    writer.put(list: characteristics)
    writer.put(optional: characteristicsNext)
  }
}

extension GattKnowledge.Search: Storable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    uuid = try UUID(compact: &reader)
    next = try reader.readOptional(AttributeHandle.self)
  }

  package func write(to writer: inout ByteWriter) {
    uuid.writeCompact(to: &writer)
    writer.put(optional: next)
  }
}

extension GattKnowledge.Probe: Storable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    request = try reader.readBlob()
    expected = try reader.readBlob()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(blob: request)
    writer.put(blob: expected)
  }
}

extension GattKnowledge.Promise.Configuration: Storable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try AttributeHandle(reading: &reader)
    let raw = try reader.readUInt8()
    guard let kind = SubscriptionKind(rawValue: raw) else { throw .invalid("kind of a subscription", UInt64(raw)) }
    self.kind = kind
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
    writer.put(kind.rawValue)
  }
}

extension GattKnowledge.Promise: Storable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    bond = try WallTime(reading: &reader)
    tellsChanges = try reader.readBool()
    configurations = try reader.readList(of: Configuration.self)
  }

  package func write(to writer: inout ByteWriter) {
    bond.write(to: &writer)
    writer.put(tellsChanges)
    writer.put(list: configurations)
  }
}

extension GattKnowledge: Storable {
  package static let format: UInt8 = 3
  /// Without promises.
  private static let older: UInt8 = 2

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let format = try reader.readUInt8()
    guard format == Self.format || format == Self.older else { throw .invalid("format of GATT knowledge", UInt64(format)) }
    self.init()
    databaseHash = try reader.readBool() ? try reader.readBlob() : nil
    lacksHash = try reader.readBool()
    findsByType = try reader.readBool()
    services = try reader.readList(of: Service.self)
    servicesNext = try reader.readOptional(AttributeHandle.self)
    searches = try reader.readList(of: Search.self)
    probe = try reader.readOptional(Probe.self)
    if format == Self.format { promise = try reader.readOptional(Promise.self) }
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(Self.format)
    writer.put(databaseHash != nil)
    if let databaseHash { writer.put(blob: databaseHash) }
    writer.put(lacksHash)
    writer.put(findsByType)
    writer.put(list: services)
    writer.put(optional: servicesNext)
    writer.put(list: searches)
    writer.put(optional: probe)
    writer.put(optional: promise)
  }
}

extension UUID {
  /// Two octets behind a 0 when there is a 16-bit form, else sixteen behind a 1.
  fileprivate init(compact reader: inout RawSpan) throws(DecodeError) {
    self = try reader.readBool() ? try UUID(littleEndian: &reader) : UUID(try reader.readUInt16())
  }

  fileprivate func writeCompact(to writer: inout ByteWriter) {
    writer.put(short == nil)
    writeLittleEndian(to: &writer)
  }
}
