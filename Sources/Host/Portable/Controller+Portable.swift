import Exchange
import Packets
import Vocabulary

// The controller: the facts of its initialisation, and the purposes of its commands.

extension ControllerFacts: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    commands = try reader.next()
    features = try reader.next()
    version = try reader.next()
    publicAddress = try reader.next()
    randomAddress = try reader.next()
    privateAddress = try reader.next()
    aclLength = try reader.next(0...0xFFFF, "length of ACL data")
    aclCount = try reader.next(0...0xFFFF, "number of ACL buffers")
    knowsLEBuffers = try reader.next()
    acceptListSize = try reader.next(0...0xFF, "size of the accept list")
  }

  func write(to writer: inout ByteWriter) {
    writer.put(
      all: commands, features, version, publicAddress, randomAddress, privateAddress, aclLength, aclCount, knowsLEBuffers,
      acceptListSize)
  }
}

extension InitialisationStep: Portable {}

extension CommandPurpose: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .initialisation
    case 1: self = .radio
    case 2: self = .rssi(try reader.next(), try reader.next())
    case 3: self = .disconnection(try reader.next())
    case 4: self = .aside
    case 5: self = .probe(try reader.next())
    case 6: self = .encryption(try reader.next())
    case 7: self = .adjustment(try reader.next())
    case let other: throw .invalid("purpose of a command", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .initialisation: writer.put(0 as UInt8)
    case .radio: writer.put(1 as UInt8)
    case .rssi(let owner, let id): writer.put(all: 2 as UInt8, owner, id)
    case .disconnection(let handle): writer.put(all: 3 as UInt8, handle)
    case .aside: writer.put(4 as UInt8)
    case .probe(let handle): writer.put(all: 5 as UInt8, handle)
    case .encryption(let handle): writer.put(all: 6 as UInt8, handle)
    case .adjustment(let handle): writer.put(all: 7 as UInt8, handle)
    }
  }
}

extension CommandQueue.Entry: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(command: try reader.next(), purpose: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: command, purpose) }
}
