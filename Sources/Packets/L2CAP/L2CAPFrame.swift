package import Vocabulary

/// A basic frame (Vol 3, Part A, 3.1): length, channel, payload.
package struct L2CAPFrame: Equatable, Sendable {
  package var channel: UInt16
  /// 0 to 65,535 octets.
  package var payload: [UInt8]

  package init(channel: UInt16, payload: [UInt8]) {
    self.channel = channel
    self.payload = payload
  }

  /// The length of a whole frame, from its first two octets; `nil` if these are missing.
  package static func totalLength(of start: [UInt8]) -> Int? {
    start.count < 2 ? nil : 4 + Int(start[0]) + Int(start[1]) << 8
  }
}

extension L2CAPFrame: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let length = try reader.readUInt16()
    let channel = try reader.readUInt16()
    self.init(channel: channel, payload: try reader.readBytes(Int(length)))
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(UInt16(clamping: payload.count))
    writer.put(channel)
    writer.put(payload)
  }
}
