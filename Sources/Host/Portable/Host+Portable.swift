import Exchange
import Packets
package import Vocabulary

// The whole host and its inputs.

extension HostConfiguration.OwnAddress: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .automatic
    case 1: self = .staticRandom(try reader.next())
    case 2: self = .stored
    case let other: throw .invalid("own address", UInt64(other))
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .automatic: writer.put(0 as UInt8)
    case .staticRandom(let bits): writer.put(all: 1 as UInt8, bits)
    case .stored: writer.put(2 as UInt8)
    }
  }
}

extension HostConfiguration.LinkProfile: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .fast
    case 1: self = .balanced
    case 2: self = .lowPower
    case 3: self = .explicit(try reader.next())
    case let other: throw .invalid("link profile", UInt64(other))
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .fast: writer.put(0 as UInt8)
    case .balanced: writer.put(1 as UInt8)
    case .lowPower: writer.put(2 as UInt8)
    case .explicit(let parameters): writer.put(all: 3 as UInt8, parameters)
    }
  }
}

extension HostConfiguration: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      ownAddress: try reader.next(), profile: try reader.next(), preferredMTU: try reader.nextMTU(),
      maximumCentrals: try reader.next(1...1 << 32, "number of centrals"),
      keptPackets: try reader.next(1...1 << 32, "packets that are kept"), asksSilentController: try reader.next(),
      isKernels: try reader.next(), mayBeAnother: try reader.next(), pairing: try reader.next(),
      privateFor: try reader.next())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(
      all: ownAddress, profile, preferredMTU, maximumCentrals, keptPackets, asksSilentController, isKernels, mayBeAnother,
      pairing, privateFor)
  }
}

extension LEHost.Phase: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .off
    case 1: self = .initialising(try reader.next())
    case 2: self = .ready
    case 3: self = .lost
    case 4: self = .closing(until: try reader.next())
    case 5: self = .closed
    case 6: self = .reopening(at: try reader.next())
    case let other: throw .invalid("phase of the host", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .off: writer.put(0 as UInt8)
    case .initialising(let step): writer.put(all: 1 as UInt8, step)
    case .ready: writer.put(2 as UInt8)
    case .lost: writer.put(3 as UInt8)
    case .closing(let until): writer.put(all: 4 as UInt8, until)
    case .closed: writer.put(5 as UInt8)
    case .reopening(let at): writer.put(all: 6 as UInt8, at)
    }
  }
}
