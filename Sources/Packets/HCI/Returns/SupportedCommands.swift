package import Vocabulary

/// Read Local Supported Commands (Vol 4, Part E, 7.4.2).
package struct SupportedCommands: Hashable, Portable {
  /// 64 octets; `HCIOpcode.supportBit` is the bit of a command.
  package var mask: [UInt8]

  package init(mask: [UInt8]) {
    self.mask = mask
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    mask = try reader.readBytes(64)
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(mask, padded: 64)
  }

  /// Creates a mask of exactly these commands.
  package init(_ opcodes: [HCIOpcode]) {
    var mask = [UInt8](repeating: 0, count: 64)
    for opcode in opcodes {
      if let bit = opcode.supportBit { mask[bit.octet] |= 1 << bit.bit }
    }
    self.mask = mask
  }

  package func supports(_ opcode: HCIOpcode) -> Bool {
    guard let bit = opcode.supportBit, bit.octet < mask.count else { return false }
    return mask[bit.octet] >> bit.bit & 1 == 1
  }
}
