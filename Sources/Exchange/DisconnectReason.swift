package import Vocabulary

/// Why a link ended: the controller's code, and words for `on disconnect as reason`.
package struct DisconnectReason: Equatable, Sendable {
  /// The HCI error code (Vol 1, Part F), where there was one.
  package var code: UInt8?
  package var text: String

  package init(code: UInt8? = nil, text: String) {
    self.code = code
    self.text = text
  }

  /// The recipe said `disconnect`.
  package static let asked = DisconnectReason(code: 0x16, text: "asked")
  /// It was gone when a killed run came back.
  package static let goneWhileAway = DisconnectReason(text: "gone while away")
}

extension DisconnectReason: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    code = try reader.readBool() ? try reader.readUInt8() : nil
    text = try reader.readText()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(code != nil)
    if let code { writer.put(code) }
    writer.put(text: text)
  }
}
