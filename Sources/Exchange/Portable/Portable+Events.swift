package import Vocabulary

extension HostEvent: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .adapterReady(try reader.next())
    case 1: self = .adapterLost(try reader.next())
    case 2: self = .completed(try reader.next(), try reader.next())
    case 3: self = .advertisementReceived(try reader.next(), try reader.next())
    case 4: self = .connected(try reader.next(), try reader.next(), try reader.next())
    case 5: self = .disconnected(try reader.next(), try reader.next())
    case 6: self = .attributeCacheChanged(try reader.next(), try reader.next())
    case 7: self = .attributeCacheDropped(try reader.next(), try reader.next())
    case 8: self = .notificationReceived(try reader.next(), try reader.next(), try reader.next(), try reader.next())
    case 9: self = .gap(try reader.next(), try reader.next())
    case 10: self = .linkChanged(try reader.next(), try reader.next())
    case 11: self = .centralConnected(try reader.next(), try reader.next())
    case 12: self = .centralDisconnected(try reader.next(), try reader.next())
    case 13: self = .readRequested(try reader.next(), try reader.next(), try reader.next())
    case 14:
      self = .writeRequested(
        try reader.next(), try reader.next(), try reader.next(), try reader.next(), withResponse: try reader.next())
    case 15: self = .subscribed(try reader.next(), try reader.next(), try reader.next())
    case 16: self = .unsubscribed(try reader.next(), try reader.next())
    case 17: self = .noted(try reader.next(), try reader.next())
    case 18: self = .adapterAway(try reader.next())
    case 19: self = .advertisementsMissed(try reader.next(), try reader.next())
    case 20: self = .valueWritten(try reader.next(), try reader.next(), try reader.next())
    case 21: self = .requestExpired(try reader.next())
    case 22: self = .pairingAsked(try reader.next(), try reader.next(), try reader.next())
    case 23: self = .pairingWithdrawn(try reader.next())
    case 24: self = .identified(try reader.next(), try reader.next())
    case 25: self = .encrypting(try reader.next())
    case let other: throw .invalid("host event", UInt64(other))
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .adapterReady(let info): writer.put(all: UInt8(0), info)
    case .adapterLost(let failure): writer.put(all: UInt8(1), failure)
    case .completed(let operation, let result): writer.put(all: UInt8(2), operation, result)
    case .advertisementReceived(let operation, let advertisement): writer.put(all: UInt8(3), operation, advertisement)
    case .connected(let operation, let peer, let info): writer.put(all: UInt8(4), operation, peer, info)
    case .disconnected(let peer, let reason): writer.put(all: UInt8(5), peer, reason)
    case .attributeCacheChanged(let peer, let attributeCache): writer.put(all: UInt8(6), peer, attributeCache)
    case .attributeCacheDropped(let peer, let why): writer.put(all: UInt8(7), peer, why)
    case .notificationReceived(let peer, let reference, let value, let kind):
      writer.put(all: UInt8(8), peer, reference, value, kind)
    case .gap(let peer, let count): writer.put(all: UInt8(9), peer, count)
    case .linkChanged(let peer, let info): writer.put(all: UInt8(10), peer, info)
    case .centralConnected(let peer, let info): writer.put(all: UInt8(11), peer, info)
    case .centralDisconnected(let peer, let reason): writer.put(all: UInt8(12), peer, reason)
    case .readRequested(let request, let attribute, let peer): writer.put(all: UInt8(13), request, attribute, peer)
    case .writeRequested(let request, let attribute, let peer, let value, let withResponse):
      writer.put(all: UInt8(14), request, attribute, peer, value, withResponse)
    case .subscribed(let attribute, let peer, let kind): writer.put(all: UInt8(15), attribute, peer, kind)
    case .unsubscribed(let attribute, let peer): writer.put(all: UInt8(16), attribute, peer)
    case .noted(let level, let text): writer.put(all: UInt8(17), level, text)
    case .adapterAway(let failure): writer.put(all: UInt8(18), failure)
    case .advertisementsMissed(let operation, let count): writer.put(all: UInt8(19), operation, count)
    case .valueWritten(let attribute, let peer, let value): writer.put(all: UInt8(20), attribute, peer, value)
    case .requestExpired(let request): writer.put(all: UInt8(21), request)
    case .pairingAsked(let id, let peer, let question): writer.put(all: UInt8(22), id, peer, question)
    case .pairingWithdrawn(let id): writer.put(all: UInt8(23), id)
    case .identified(let heard, let identity): writer.put(all: UInt8(24), heard, identity)
    case .encrypting(let peer): writer.put(all: UInt8(25), peer)
    }
  }
}

extension HostReport: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(owner: try reader.next(), number: try reader.next(), at: try reader.next(), event: try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: owner, number, at, event) }
}
