package import Vocabulary

extension LogLevel: Portable {}
extension SubscriptionKind: Durable {}
extension ScanRequest.Duty: Portable {}
extension LinkRequest.PHY: Durable {}
extension ServerTable.Protection: Portable {}

extension OwnerID: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self.init(try reader.readUInt32()) }
  package func write(to writer: inout ByteWriter) { writer.put(raw) }
}

extension EventNumber: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self.init(try reader.readVarint()) }
  package func write(to writer: inout ByteWriter) { writer.put(varint: raw) }
}

extension ServerRequestID: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self.init(try reader.readVarint()) }
  package func write(to writer: inout ByteWriter) { writer.put(varint: raw) }
}

extension PairingQuestionID: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self.init(try reader.readVarint()) }
  package func write(to writer: inout ByteWriter) { writer.put(varint: raw) }
}

extension ServerAttributeID: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self.init(try reader.next(Int.self)) }
  package func write(to writer: inout ByteWriter) { raw.write(to: &writer) }
}

extension AdapterInfo: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      address: try reader.next(), manufacturer: try reader.next(), version: try reader.next(),
      filterAcceptListSize: try reader.next(),
      extended: try reader.next())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(all: address, manufacturer, version, filterAcceptListSize, extended)
  }
}

extension LinkInfo: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      mtu: try reader.next(), interval: try reader.next(), latency: try reader.next(), supervisionTimeout: try reader.next(),
      phy: try reader.next(), encrypted: try reader.next(), bonded: try reader.next(),
      isProven: try reader.next())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(all: mtu, interval, latency, supervisionTimeout, phy, encrypted, bonded, isProven)
  }
}

extension ConnectRequest: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      peer: try reader.next(), pending: try reader.next(), attributeCache: try reader.next(), mtu: try reader.next(),
      pairing: try reader.next(), coded: try reader.next(), outOfBand: try reader.next(), expectsBond: try reader.next())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(all: peer, pending, attributeCache, mtu, pairing, coded, outOfBand, expectsBond)
  }
}

extension ScanRequest: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      duty: try reader.next(), addresses: try reader.next(), filter: try reader.next(), reportsOthers: try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: duty, addresses, filter, reportsOthers) }
}

extension Glob: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let pattern = try reader.readText()
    guard pattern.utf8.count <= ScanFilter.patternOctets else { throw .invalid("length of a pattern", UInt64(pattern.utf8.count)) }
    self.init(pattern)
  }

  package func write(to writer: inout ByteWriter) { writer.put(text: pattern) }
}

extension ScanFilter.Target: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .service(try reader.next())
    case 1: self = .advertised(try reader.next())
    case 2: self = .name(try reader.next())
    case 3:
      let bits = try reader.next(UInt64.self)
      self = .address(bits: bits, try reader.next(Bool?.self).map { $0 ? .random : .public })
    case 4: self = .serviceData(try reader.next())
    case 5: self = .manufacturer(try reader.next())
    case let other: throw .invalid("target of a scan", UInt64(other))
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .service(let uuid): writer.put(all: UInt8(0), uuid)
    case .advertised(let uuid): writer.put(all: UInt8(1), uuid)
    case .name(let pattern): writer.put(all: UInt8(2), pattern)
    case .address(let bits, let kind): writer.put(all: UInt8(3), bits, kind.map { $0 == .random })
    case .serviceData(let uuid): writer.put(all: UInt8(4), uuid)
    case .manufacturer(let company): writer.put(all: UInt8(5), company)
    }
  }
}

extension ScanFilter: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      targets: try reader.next(), names: try reader.next(),
      strongerThan: try reader.next(UInt16?.self).map { Int16(bitPattern: $0) }, companies: try reader.next(),
      solicited: try reader.next())
    let most = max(targets.count, names.count, companies.count, solicited.count)
    guard most <= Self.parts else { throw .invalid("parts of a filter", UInt64(most)) }
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(all: targets, names, strongerThan.map { UInt16(bitPattern: $0) }, companies, solicited)
  }
}

extension ServerAnswer: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .accept
    case 1: self = .value(try reader.next())
    case 2: self = .refuse(try reader.next())
    case let other: throw .invalid("server answer", UInt64(other))
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .accept: writer.put(UInt8(0))
    case .value(let value): writer.put(all: UInt8(1), value)
    case .refuse(let code): writer.put(all: UInt8(2), code)
    }
  }
}

extension Outcome: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .done
    case 1: self = .value(try reader.next(), try reader.next())
    case 2: self = .subscribed(try reader.next(), try reader.next())
    case 3: self = .rssi(try reader.next())
    case 4: self = .paired(try reader.next())
    case 5: self = .outOfBand(try reader.next())
    case let other: throw .invalid("outcome", UInt64(other))
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .done: writer.put(UInt8(0))
    case .value(let value, let reference): writer.put(all: UInt8(1), value, reference)
    case .subscribed(let reference, let kind): writer.put(all: UInt8(2), reference, kind)
    case .rssi(let value): writer.put(all: UInt8(3), value)
    case .paired(let level): writer.put(all: UInt8(4), level)
    case .outOfBand(let data): writer.put(all: UInt8(5), data)
    }
  }
}
