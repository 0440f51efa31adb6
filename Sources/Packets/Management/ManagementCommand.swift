package import Vocabulary

/// A command to the kernel's management interface: one datagram of a control channel.
package struct ManagementCommand: Hashable, Portable {
  /// The index in commands that concern no controller.
  package static let noIndex: UInt16 = 0xFFFF

  package var opcode: ManagementOpcode
  package var index: UInt16
  package var parameters: [UInt8]

  package init(_ opcode: ManagementOpcode, index: UInt16 = Self.noIndex, parameters: [UInt8] = []) {
    self.opcode = opcode
    self.index = index
    self.parameters = parameters
  }

  package static func setPowered(_ index: UInt16, _ isPowered: Bool) -> ManagementCommand {
    ManagementCommand(.setPowered, index: index, parameters: [isPowered ? 1 : 0])
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    opcode = ManagementOpcode(rawValue: try reader.readUInt16())
    index = try reader.readUInt16()
    parameters = try reader.readBytes(Int(try reader.readUInt16()))
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(opcode.rawValue)
    writer.put(index)
    writer.put(UInt16(truncatingIfNeeded: parameters.count))
    writer.put(parameters)
  }
}
