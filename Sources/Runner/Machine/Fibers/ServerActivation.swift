import Exchange
import Vocabulary

/// A central's request that is being handled.
struct ServerActivation: Equatable, Sendable {
  /// 0 if no answer is expected any more, because the central is gone or was refused.
  var request: ServerRequestID
  var attribute: ServerAttributeID
  /// The written bytes, if it is a write.
  var written: [UInt8]?
  var isAnswered = false
  /// A value from `update` in the meantime. It is stored after the answer, which stores `written`.
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
