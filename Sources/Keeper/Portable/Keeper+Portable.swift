package import Vocabulary

extension KeeperConfiguration: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      version: try reader.next(), adapter: try reader.next(), user: try reader.next(), letsGroupIn: try reader.next(),
      hold: try reader.next(), keep: try reader.next(), host: try reader.next())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(all: version, adapter, user, letsGroupIn, hold, keep, host)
  }
}

extension KeeperInput: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .started(seed: try reader.next())
    case 1: self = .packet(try reader.next())
    case 2: self = .transportLost(try reader.next())
    case 3: self = .computed(try reader.next(), try reader.next())
    case 4: self = .arrived(try reader.next(), try reader.next())
    case 5: self = .messageReceived(try reader.next(), try reader.next())
    case 6: self = .malformed(try reader.next(), try reader.next())
    case 7: self = .gone(try reader.next())
    case 8: self = .closing
    case 9: self = .deadline
    case 10: self = .outOfStep(try reader.next())
    case 11: self = .transportBack
    case 12: self = .packetsDropped(try reader.next())
    case let other: throw .invalid("input of the keeper", UInt64(other))
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .started(let seed): writer.put(all: 0 as UInt8, seed)
    case .packet(let bytes): writer.put(all: 1 as UInt8, bytes)
    case .transportLost(let why): writer.put(all: 2 as UInt8, why)
    case .computed(let id, let result): writer.put(all: 3 as UInt8, id, result)
    case .arrived(let connection, let credentials): writer.put(all: 4 as UInt8, connection, credentials)
    case .messageReceived(let connection, let bytes): writer.put(all: 5 as UInt8, connection, bytes)
    case .malformed(let connection, let why): writer.put(all: 6 as UInt8, connection, why)
    case .gone(let connection): writer.put(all: 7 as UInt8, connection)
    case .closing: writer.put(8 as UInt8)
    case .deadline: writer.put(9 as UInt8)
    case .outOfStep(let what): writer.put(all: 10 as UInt8, what)
    case .transportBack: writer.put(11 as UInt8)
    case .packetsDropped(let count): writer.put(all: 12 as UInt8, count)
    }
  }
}
