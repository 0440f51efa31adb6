import Exchange
import Packets
import Vocabulary

// Procedures with their progress. Those with private state are encoded in their own files.

extension ExchangeMTU: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { self.init(preferred: try reader.nextMTU()) }

  func write(to writer: inout ByteWriter) { writer.put(preferred) }
}

extension CheckDeclaration: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { self.init(characteristic: try reader.next()) }

  func write(to writer: inout ByteWriter) { characteristic.write(to: &writer) }
}

extension WriteValue: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(handle: try reader.next(), value: try reader.next(), doing: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: handle, value, doing) }
}

extension DiscoverServiceByUUID: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { self.init(uuid: try reader.next(), start: try reader.next()) }

  func write(to writer: inout ByteWriter) { writer.put(all: uuid, start) }
}

extension DiscoverPrimaryServices: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { self.init(start: try reader.next()) }

  func write(to writer: inout ByteWriter) { start.write(to: &writer) }
}

extension FindIncludedServices: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { self.init(service: try reader.next(), range: try reader.next()) }

  func write(to writer: inout ByteWriter) { writer.put(all: service, range) }
}

extension NameInclude: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { self.init(service: try reader.next(), include: try reader.next()) }

  func write(to writer: inout ByteWriter) { writer.put(all: service, include) }
}

extension DiscoverCharacteristics: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { self.init(service: try reader.next(), range: try reader.next()) }

  func write(to writer: inout ByteWriter) { writer.put(all: service, range) }
}

extension DiscoverDescriptors: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(service: try reader.next(), characteristic: try reader.next(), range: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: service, characteristic, range) }
}

extension FindAllIncludedServices: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { self.init(range: try reader.next()) }

  func write(to writer: inout ByteWriter) { range.write(to: &writer) }
}

extension DiscoverAllCharacteristics: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { self.init(range: try reader.next()) }

  func write(to writer: inout ByteWriter) { range.write(to: &writer) }
}

extension DiscoveryRequest: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .find(try reader.next())
    case 1: self = .services(try reader.next())
    case 2: self = .includes(try reader.next())
    case 3: self = .includeName(try reader.next())
    case 4: self = .characteristics(try reader.next())
    case 5: self = .descriptors(try reader.next())
    case 6: self = .allIncludes(try reader.next())
    case 7: self = .allCharacteristics(try reader.next())
    case let other: throw .invalid("discovery request", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .find(let procedure): writer.put(all: 0 as UInt8, procedure)
    case .services(let procedure): writer.put(all: 1 as UInt8, procedure)
    case .includes(let procedure): writer.put(all: 2 as UInt8, procedure)
    case .includeName(let procedure): writer.put(all: 3 as UInt8, procedure)
    case .characteristics(let procedure): writer.put(all: 4 as UInt8, procedure)
    case .descriptors(let procedure): writer.put(all: 5 as UInt8, procedure)
    case .allIncludes(let procedure): writer.put(all: 6 as UInt8, procedure)
    case .allCharacteristics(let procedure): writer.put(all: 7 as UInt8, procedure)
    }
  }
}

extension Resolution.Target: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      handle: try reader.next(), reference: try reader.next(), characteristic: try reader.next(), configuration: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: handle, reference, characteristic, configuration) }
}
