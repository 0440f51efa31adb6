import Exchange
import Vocabulary

/// A request of a central under way.
struct ServerActivation: Equatable, Sendable {
  /// 0 once nobody waits for the answer: its central is gone, or was refused.
  var request: ServerRequestID
  var attribute: ServerAttributeID
  /// Of a write, what was written.
  var written: [UInt8]?
  var isAnswered = false
  /// What `update` said meanwhile: stored behind the answer, which itself stores what was written.
  var update: [UInt8]?

  static let gone = ServerRequestID(0)
}

extension ServerActivation: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    let request = ServerRequestID(try reader.readVarint())
    self.init(request: request, attribute: ServerAttributeID(Int(try reader.readUInt16())))
    written = try reader.readBool() ? try reader.readBlob() : nil
    isAnswered = try reader.readBool()
    update = try reader.readBool() ? try reader.readBlob() : nil
  }

  func write(to writer: inout ByteWriter) {
    writer.put(varint: request.raw)
    writer.put(UInt16(truncatingIfNeeded: attribute.raw))
    writer.put(written != nil)
    if let written { writer.put(blob: written) }
    writer.put(isAnswered)
    writer.put(update != nil)
    if let update { writer.put(blob: update) }
  }
}
