import Exchange
import Packets
import Vocabulary

// Our server: its attributes, values in transit to subscribers, and what it keeps for each link.

extension ServerAttribute.Content: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .fixed(try reader.next())
    case 1: self = .value(try reader.next(), try reader.next())
    case 2: self = .configuration(try reader.next())
    case 3: self = .databaseHash
    case 4: self = .clientFeatures
    case let other: throw .invalid("content of an attribute", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .fixed(let value): writer.put(all: 0 as UInt8, value)
    case .value(let id, let value): writer.put(all: 1 as UInt8, id, value)
    case .configuration(let id): writer.put(all: 2 as UInt8, id)
    case .databaseHash: writer.put(3 as UInt8)
    case .clientFeatures: writer.put(4 as UInt8)
    }
  }
}

extension ServerAttribute: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      handle: try reader.next(), type: try reader.next(), content: try reader.next(), properties: try reader.next(),
      protection: try reader.next(), writeProtection: try reader.next(), asksBeforeRead: try reader.next(),
      asksBeforeWrite: try reader.next(),
      groupEnd: try reader.next())
  }

  func write(to writer: inout ByteWriter) {
    writer.put(all: handle, type, content, properties, protection, writeProtection, asksBeforeRead, asksBeforeWrite, groupEnd)
  }
}

extension GattServer.Publication: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    owner = try reader.next()
    id = try reader.next()
    attribute = try reader.next()
    value = try reader.next()
    kind = try reader.next()
    to = try reader.next()
    awaited = try reader.next(-1 << 32...1 << 32, "links awaited")
    reached = try reader.next(0...1 << 32, "links reached")
    arrived = try reader.next(0...1 << 32, "links that have it")
    failure = try reader.next()
    isWhole = try reader.next()
  }

  func write(to writer: inout ByteWriter) {
    writer.put(all: owner, id, attribute, value, kind, to, awaited, reached, arrived, failure, isWhole)
  }
}

extension ServerSession.Prepared: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(handle: try reader.next(), offset: try reader.next(0...0xFFFF, "offset"), value: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: handle, offset, value) }
}

extension ServerSession.Waiting.Purpose: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .read(try reader.next())
    case 1: self = .readBlob(try reader.next(), offset: try reader.next())
    case 2: self = .readByType(try reader.next())
    case 3: self = .write(try reader.next(), try reader.next())
    case 4: self = .execute(try reader.next())
    case 5: self = .readMultiple(try reader.next(), values: try reader.next(), isVariable: try reader.next())
    case let other: throw .invalid("request to the owner", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .read(let handle): writer.put(all: 0 as UInt8, handle)
    case .readBlob(let handle, let offset): writer.put(all: 1 as UInt8, handle, offset)
    case .readByType(let handle): writer.put(all: 2 as UInt8, handle)
    case .write(let handle, let value): writer.put(all: 3 as UInt8, handle, value)
    case .execute(let parts): writer.put(all: 4 as UInt8, parts)
    case .readMultiple(let handles, let values, let isVariable): writer.put(all: 5 as UInt8, handles, values, isVariable)
    }
  }
}

extension ServerSession.Waiting: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(id: try reader.next(), purpose: try reader.next(), since: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: id, purpose, since) }
}

extension ServerSession.Command: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(id: try reader.next(), handle: try reader.next(), value: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: id, handle, value) }
}

extension ServerSession.Indication: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(pdu: try reader.nextPDU(), publication: try reader.next(), owner: try reader.next())
  }

  func write(to writer: inout ByteWriter) {
    writer.put(pdu: pdu)
    writer.put(all: publication, owner)
  }
}

extension ServerSession: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(peer: try reader.next())
    isEncrypted = try reader.next()
    isAuthenticated = try reader.next()
    hasBond = try reader.next()
    isKeyShort = try reader.next()
    configurations = try reader.next()
    features = try reader.next()
    isChanged = try reader.next()
    prepared = try reader.next()
    waiting = try reader.next()
    commands = try reader.next()
    deferred = try reader.next()
    lastRead = try reader.next()
    notifications = try reader.next()
    indications = try reader.next()
    indicationSince = try reader.next()
  }

  func write(to writer: inout ByteWriter) {
    writer.put(all: peer, isEncrypted, isAuthenticated, hasBond, isKeyShort, configurations, features, isChanged)
    writer.put(all: prepared, waiting, commands, deferred, lastRead, notifications, indications, indicationSince)
  }
}
