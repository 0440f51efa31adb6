package import Vocabulary

extension HostCommand: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .scan(try reader.next())
    case 1: self = .connect(try reader.next())
    case 2: self = .disconnect(try reader.next())
    case 3: self = .gatt(try reader.next(), try reader.next())
    case 4: self = .cancel(try reader.next())
    case 5: self = .acknowledge(try reader.next())
    case 6: self = .publish(try reader.next())
    case 7: self = .advertise(try reader.next())
    case 8: self = .stopAdvertising
    case 9: self = .update(attribute: try reader.next(), value: try reader.next())
    case 10:
      self = .publishValue(attribute: try reader.next(), value: try reader.next(), kind: try reader.next(), to: try reader.next())
    case 11: self = .answer(try reader.next(), try reader.next())
    case 12: self = .forgetBond(try reader.next())
    case 13: self = .answerPairing(try reader.next(), try reader.next())
    case 14: self = .offerOutOfBand
    case let other: throw .invalid("host command", UInt64(other))
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .scan(let request): writer.put(all: UInt8(0), request)
    case .connect(let request): writer.put(all: UInt8(1), request)
    case .disconnect(let peer): writer.put(all: UInt8(2), peer)
    case .gatt(let peer, let request): writer.put(all: UInt8(3), peer, request)
    case .cancel(let operation): writer.put(all: UInt8(4), operation)
    case .acknowledge(let number): writer.put(all: UInt8(5), number)
    case .publish(let table): writer.put(all: UInt8(6), table)
    case .advertise(let plan): writer.put(all: UInt8(7), plan)
    case .stopAdvertising: writer.put(UInt8(8))
    case .update(let attribute, let value): writer.put(all: UInt8(9), attribute, value)
    case .publishValue(let attribute, let value, let kind, let peer): writer.put(all: UInt8(10), attribute, value, kind, peer)
    case .answer(let request, let answer): writer.put(all: UInt8(11), request, answer)
    case .forgetBond(let peer): writer.put(all: UInt8(12), peer)
    case .answerPairing(let question, let answer): writer.put(all: UInt8(13), question, answer)
    case .offerOutOfBand: writer.put(UInt8(14))
    }
  }
}

extension HostRequest: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(owner: try reader.next(), id: try reader.next(), command: try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: owner, id, command) }
}
