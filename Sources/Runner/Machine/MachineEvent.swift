import Exchange
import Vocabulary

/// An event for handlers and `wait for`.
struct MachineEvent: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    case notified(AttributeReference, [UInt8])
    /// Taken by `wait for connect`; the link itself starts `on connect` of a recipe.
    case connected
    case disconnected(DisconnectReason)
    /// The attribute cache was discarded.
    case servicesChanged
    case advertised(Advertisement)
    /// A line of stdin without its line end; `nil` at the end of stdin.
    case line(String?)
    /// The new state of the adapter: `on`, `off`, `gone`.
    case adapter(String)
    /// `isOfServer`: whether a central made the link to the served peripheral.
    case pairingAsked(PairingActivation, isOfServer: Bool)
    // peripheral
    case centralConnected
    case centralDisconnected(DisconnectReason)
    case written(ServerRequestID, ServerAttributeID, [UInt8])
    case readAsked(ServerRequestID, ServerAttributeID)
    case subscribed(ServerAttributeID)
    case unsubscribed(ServerAttributeID)

    /// Whether the event matches: links of centrals concern only a `peripheral`, links that we make
    /// only the recipe.
    func isFor(_ isOfServer: Bool) -> Bool {
      switch self {
      case .connected, .disconnected, .servicesChanged: !isOfServer
      case .centralConnected, .centralDisconnected, .written, .readAsked, .subscribed, .unsubscribed: isOfServer
      case .pairingAsked(_, let isAsServer): isOfServer == isAsServer
      case .notified, .advertised, .line, .adapter: true
      }
    }
  }

  var sequence: UInt64
  /// Index of the device; -1 if there is none.
  var device: Int
  var kind: Kind
  var at: Instant
}

extension MachineEvent: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    let sequence = try reader.readVarint()
    let device = Int(try reader.readUInt32()) - 1
    let at = try Instant(reading: &reader)
    let kind: Kind
    switch try reader.readUInt8() {
    case 0:
      let reference = try AttributeReference(reading: &reader)
      kind = .notified(reference, try reader.readBlob())
    case 1: kind = .connected
    case 11: kind = .centralConnected
    case 12: kind = .servicesChanged
    case 2: kind = .disconnected(try DisconnectReason(reading: &reader))
    case 3: kind = .advertised(try Advertisement(reading: &reader))
    case 5: kind = .line(try reader.readBool() ? try reader.readText() : nil)
    case 4: kind = .adapter(try reader.readText())
    case 6: kind = .centralDisconnected(try DisconnectReason(reading: &reader))
    case 7:
      let request = ServerRequestID(try reader.readVarint())
      let attribute = ServerAttributeID(Int(try reader.readUInt16()))
      kind = .written(request, attribute, try reader.readBlob())
    case 8:
      let request = ServerRequestID(try reader.readVarint())
      kind = .readAsked(request, ServerAttributeID(Int(try reader.readUInt16())))
    case 9: kind = .subscribed(ServerAttributeID(Int(try reader.readUInt16())))
    case 10: kind = .unsubscribed(ServerAttributeID(Int(try reader.readUInt16())))
    case 13: kind = .pairingAsked(try PairingActivation(reading: &reader), isOfServer: try reader.readBool())
    case let other: throw .invalid("event", UInt64(other))
    }
    self.init(sequence: sequence, device: device, kind: kind, at: at)
  }

  func write(to writer: inout ByteWriter) {
    writer.put(varint: sequence)
    writer.put(UInt32(truncatingIfNeeded: device + 1))
    at.write(to: &writer)
    switch kind {
    case .notified(let reference, let bytes):
      writer.put(UInt8(0))
      reference.write(to: &writer)
      writer.put(blob: bytes)
    case .connected: writer.put(UInt8(1))
    case .servicesChanged: writer.put(UInt8(12))
    case .centralConnected: writer.put(UInt8(11))
    case .disconnected(let reason):
      writer.put(UInt8(2))
      reason.write(to: &writer)
    case .advertised(let advertisement):
      writer.put(UInt8(3))
      advertisement.write(to: &writer)
    case .line(let text):
      writer.put(UInt8(5))
      writer.put(text != nil)
      if let text { writer.put(text: text) }
    case .adapter(let state):
      writer.put(UInt8(4))
      writer.put(text: state)
    case .centralDisconnected(let reason):
      writer.put(UInt8(6))
      reason.write(to: &writer)
    case .written(let request, let attribute, let bytes):
      writer.put(UInt8(7))
      writer.put(varint: request.raw)
      writer.put(UInt16(truncatingIfNeeded: attribute.raw))
      writer.put(blob: bytes)
    case .readAsked(let request, let attribute):
      writer.put(UInt8(8))
      writer.put(varint: request.raw)
      writer.put(UInt16(truncatingIfNeeded: attribute.raw))
    case .subscribed(let attribute):
      writer.put(UInt8(9))
      writer.put(UInt16(truncatingIfNeeded: attribute.raw))
    case .pairingAsked(let activation, let isOfServer):
      writer.put(UInt8(13))
      activation.write(to: &writer)
      writer.put(isOfServer)
    case .unsubscribed(let attribute):
      writer.put(UInt8(10))
      writer.put(UInt16(truncatingIfNeeded: attribute.raw))
    }
  }
}

extension MachineEvent {
  /// The event as restored from a checkpoint. Without a keeper, no answer is expected any more.
  func restored(isKept: Bool) -> MachineEvent {
    if isKept { return self }
    var event = self
    switch kind {
    case .written(_, let attribute, let bytes): event.kind = .written(ServerActivation.gone, attribute, bytes)
    case .readAsked(_, let attribute): event.kind = .readAsked(ServerActivation.gone, attribute)
    case .pairingAsked(var activation, let isOfServer):
      activation.id = PairingActivation.gone
      event.kind = .pairingAsked(activation, isOfServer: isOfServer)
    default: break
    }
    return event
  }
}
