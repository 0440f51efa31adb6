package import Vocabulary

// What a host holds of packets, and what of it ends by itself. An attribute PDU does not: it goes
// to the end of its bytes.

extension ConnectionComplete: Portable {}
extension ConnectionHandle: Portable {}
extension ConnectionParameters: Portable {}
extension HandleRange: Portable {}
/// Opcode, length, parameters.
extension HCICommand: Portable {}
extension HCIStatus: Portable {}
extension LinkRole: Portable {}
extension LocalFeatures: Portable {}
extension LocalVersion: Portable {}
extension SupportedCommands: Portable {}

extension HandleValue: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(try reader.next(), try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: handle, value) }
}
