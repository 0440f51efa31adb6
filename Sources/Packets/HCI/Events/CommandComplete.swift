package import Vocabulary

/// Command Complete (Vol 4, Part E, 7.7.14): the opcode, and the return parameters as bytes, which
/// `returned` decodes.
package struct CommandComplete: Hashable, Portable {
  /// The number of commands that the host may send.
  package var allowedPackets: UInt8
  package var opcode: HCIOpcode
  /// The status first, for every command with return parameters.
  package var parameters: [UInt8]

  package init(allowedPackets: UInt8 = 1, opcode: HCIOpcode, parameters: [UInt8]) {
    self.allowedPackets = allowedPackets
    self.opcode = opcode
    self.parameters = parameters
  }

  /// Creates the event as a controller sends it: the status, then the other return parameters.
  package init(opcode: HCIOpcode, status: HCIStatus, returning value: (any Portable)? = nil) {
    self.init(opcode: opcode, parameters: [status.raw] + (value?.encoded ?? []))
  }

  /// `nil` if the event has no return parameters (opcode 0x0000 only updates the number of
  /// commands).
  package var status: HCIStatus? { parameters.first.map { HCIStatus($0) } }

  /// Decodes the return parameters after the status. Ignores octets that controllers of later
  /// versions append.
  package func returned<Value: Portable>(_ type: Value.Type) throws(DecodeError) -> Value {
    var reader = parameters.span.bytes
    try reader.skip(1)
    return try Value(reading: &reader)
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    allowedPackets = try reader.readUInt8()
    opcode = try HCIOpcode(reading: &reader)
    parameters = reader.readRest()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(allowedPackets)
    opcode.write(to: &writer)
    writer.put(parameters)
  }
}
