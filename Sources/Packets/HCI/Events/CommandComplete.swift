package import Vocabulary

/// Command Complete (Vol 4, Part E, 7.7.14): the opcode, and the return parameters as bytes, which
/// `returned` reads by type.
package struct CommandComplete: Hashable, Portable {
  /// Commands the host may have under way.
  package var allowedPackets: UInt8
  package var opcode: HCIOpcode
  /// Status first, for every command that has return parameters.
  package var parameters: [UInt8]

  package init(allowedPackets: UInt8 = 1, opcode: HCIOpcode, parameters: [UInt8]) {
    self.allowedPackets = allowedPackets
    self.opcode = opcode
    self.parameters = parameters
  }

  /// As a controller answers: the status, then what the command returns.
  package init(opcode: HCIOpcode, status: HCIStatus, returning value: (any Portable)? = nil) {
    self.init(opcode: opcode, parameters: [status.raw] + (value?.encoded ?? []))
  }

  /// Nothing when the event has no return parameters (opcode 0x0000 only says how many commands are
  /// allowed).
  package var status: HCIStatus? { parameters.first.map { HCIStatus($0) } }

  /// What stands behind the status. Controllers append octets of later versions, which are passed
  /// over.
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
