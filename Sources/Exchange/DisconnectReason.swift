package import Vocabulary

/// Why a link ended: the controller's code and the text of `on disconnect as reason`.
package struct DisconnectReason: Equatable, Sendable {
  /// The HCI error code (Vol 1, Part F), if there is one.
  package var code: UInt8?
  package var text: String

  package init(code: UInt8? = nil, text: String) {
    self.code = code
    self.text = text
  }

  /// The recipe disconnected.
  package static let asked = DisconnectReason(code: 0x16, text: "asked")
  /// The link was gone when a killed run restarted.
  package static let goneWhileAway = DisconnectReason(text: "gone while away")
  /// The keeper was killed, and its links with it. A run makes them again.
  package static let keeperEnded = DisconnectReason(text: "the keeper ended")
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
