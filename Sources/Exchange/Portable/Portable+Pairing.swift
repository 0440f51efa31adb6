package import Vocabulary

extension LinkSecurity: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      isEncrypted: try reader.next(), isAuthenticated: try reader.next(), isSecureConnections: try reader.next(),
      keySize: try reader.next())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(all: isEncrypted, isAuthenticated, isSecureConnections, keySize)
  }
}

extension PairingQuestion: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .passkey
    case 1: self = .comparison(try reader.next())
    case 2: self = .unproven
    case 3: self = .display(try reader.next())
    case let other: throw .invalid("question of a pairing", UInt64(other))
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .passkey: writer.put(0 as UInt8)
    case .comparison(let code): writer.put(all: 1 as UInt8, code)
    case .unproven: writer.put(2 as UInt8)
    case .display(let code): writer.put(all: 3 as UInt8, code)
    }
  }
}

extension PairingAnswer: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .passkey(try reader.next())
    case 1: self = .yes
    case 2: self = .no
    case let other: throw .invalid("answer to a pairing", UInt64(other))
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .passkey(let code): writer.put(all: 0 as UInt8, code)
    case .yes: writer.put(1 as UInt8)
    case .no: writer.put(2 as UInt8)
    }
  }
}
