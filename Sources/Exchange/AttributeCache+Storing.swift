package import Vocabulary

extension AttributeCache.Descriptor: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try AttributeHandle(reading: &reader)
    uuid = try UUID(compact: &reader)
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
    uuid.writeCompact(to: &writer)
  }
}

extension AttributeCache.Include: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try AttributeHandle(reading: &reader)
    start = try AttributeHandle(reading: &reader)
    end = try AttributeHandle(reading: &reader)
    uuid = try reader.next(UUID?.self)
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
    start.write(to: &writer)
    end.write(to: &writer)
    writer.put(all: uuid)
  }
}

extension AttributeCache.Characteristic: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let uuid = try UUID(compact: &reader)
    let declaration = try AttributeHandle(reading: &reader)
    let value = try AttributeHandle(reading: &reader)
    self.init(uuid: uuid, declaration: declaration, value: value, properties: try reader.readUInt8())
    end = try reader.next(AttributeHandle?.self)
    descriptors = try reader.next([AttributeCache.Descriptor].self)
    descriptorsNext = try reader.next(AttributeHandle?.self)
    isProven = try reader.readBool()
  }

  package func write(to writer: inout ByteWriter) {
    uuid.writeCompact(to: &writer)
    declaration.write(to: &writer)
    value.write(to: &writer)
    writer.put(properties)
    writer.put(all: end)
    writer.put(all: descriptors)
    writer.put(all: descriptorsNext)
    writer.put(isProven)
  }
}

extension AttributeCache.Service: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let uuid = try UUID(compact: &reader)
    let start = try AttributeHandle(reading: &reader)
    let end = try AttributeHandle(reading: &reader)
    self.init(uuid: uuid, start: start, end: end, isPrimary: try reader.readBool())
    includes = try reader.next([AttributeCache.Include].self)
    includesNext = try reader.next(AttributeHandle?.self)
    characteristics = try reader.next([AttributeCache.Characteristic].self)
    characteristicsNext = try reader.next(AttributeHandle?.self)
  }

  package func write(to writer: inout ByteWriter) {
    uuid.writeCompact(to: &writer)
    start.write(to: &writer)
    end.write(to: &writer)
    writer.put(isPrimary)
    writer.put(all: includes)
    writer.put(all: includesNext)
    writer.put(all: characteristics)
    writer.put(all: characteristicsNext)
  }
}

extension AttributeCache.Search: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    uuid = try UUID(compact: &reader)
    next = try reader.next(AttributeHandle?.self)
  }

  package func write(to writer: inout ByteWriter) {
    uuid.writeCompact(to: &writer)
    writer.put(all: next)
  }
}

extension AttributeCache.Probe: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    request = try reader.readBlob()
    expected = try reader.readBlob()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(blob: request)
    writer.put(blob: expected)
  }
}

extension AttributeCache.BondedState.Configuration: Durable {
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

extension AttributeCache.BondedState: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    bond = try WallTime(reading: &reader)
    reportsChanges = try reader.readBool()
    configurations = try reader.next([Configuration].self)
  }

  package func write(to writer: inout ByteWriter) {
    bond.write(to: &writer)
    writer.put(reportsChanges)
    writer.put(all: configurations)
  }
}

extension AttributeCache: Durable {
  package static let format: UInt8 = 3
  /// The last version without promises.
  private static let older: UInt8 = 2

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let format = try reader.readUInt8()
    guard format == Self.format || format == Self.older else { throw .invalid("format of GATT knowledge", UInt64(format)) }
    self.init()
    databaseHash = try reader.readBool() ? try reader.readBlob() : nil
    lacksHash = try reader.readBool()
    findsByType = try reader.readBool()
    services = try reader.next([Service].self)
    servicesNext = try reader.next(AttributeHandle?.self)
    searches = try reader.next([Search].self)
    probe = try reader.next(Probe?.self)
    if format == Self.format { bondedState = try reader.next(BondedState?.self) }
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(Self.format)
    writer.put(databaseHash != nil)
    if let databaseHash { writer.put(blob: databaseHash) }
    writer.put(lacksHash)
    writer.put(findsByType)
    writer.put(all: services)
    writer.put(all: servicesNext)
    writer.put(all: searches)
    writer.put(all: probe)
    writer.put(all: bondedState)
  }
}

extension UUID {
  /// A UUID is two octets after a 0 if it has a 16-bit form, else sixteen after a 1.
  fileprivate init(compact reader: inout RawSpan) throws(DecodeError) {
    self = try reader.readBool() ? try UUID(littleEndian: &reader) : UUID(try reader.readUInt16())
  }

  fileprivate func writeCompact(to writer: inout ByteWriter) {
    writer.put(short == nil)
    writeLittleEndian(to: &writer)
  }
}
