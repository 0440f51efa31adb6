package import Vocabulary

/// Command Status (Vol 4, Part E, 7.7.15).
package struct CommandStatus: Hashable, Portable {
  package var status: HCIStatus
  /// The number of commands that the host may send.
  package var allowedPackets: UInt8
  package var opcode: HCIOpcode

  package init(status: HCIStatus, allowedPackets: UInt8 = 1, opcode: HCIOpcode) {
    self.status = status
    self.allowedPackets = allowedPackets
    self.opcode = opcode
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    status = try HCIStatus(reading: &reader)
    allowedPackets = try reader.readUInt8()
    opcode = try HCIOpcode(reading: &reader)
  }

  package func write(to writer: inout ByteWriter) {
    status.write(to: &writer)
    writer.put(allowedPackets)
    opcode.write(to: &writer)
  }
}
