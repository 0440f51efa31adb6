package import Vocabulary

/// An event of the kernel's management interface: one datagram of a control channel.
package enum ManagementEvent: Hashable, Portable {
  case commandComplete(ManagementOpcode, index: UInt16, ManagementStatus, [UInt8])
  case commandStatus(ManagementOpcode, index: UInt16, ManagementStatus)
  case indexAdded(UInt16)
  case indexRemoved(UInt16)
  case newSettings(UInt16, ControllerSettings)
  case unknown(code: UInt16, index: UInt16, [UInt8])

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let code = try reader.readUInt16()
    let index = try reader.readUInt16()
    let length = Int(try reader.readUInt16())
    var parameters = try reader.readBytes(length)
    switch code {
    case 0x0001, 0x0002:
      guard parameters.count >= 3 else { throw .truncated(needed: 3 - parameters.count, left: 0) }
      let opcode = ManagementOpcode(rawValue: UInt16(parameters[0]) | UInt16(parameters[1]) << 8)
      let status = ManagementStatus(rawValue: parameters[2])
      parameters.removeFirst(3)
      if code == 0x0001 {
        self = .commandComplete(opcode, index: index, status, parameters)
      } else {
        guard parameters.isEmpty else { throw .trailing(parameters.count, after: "management status") }
        self = .commandStatus(opcode, index: index, status)
      }
    case 0x0004 where parameters.isEmpty: self = .indexAdded(index)
    case 0x0005 where parameters.isEmpty: self = .indexRemoved(index)
    case 0x0006 where parameters.count == 4:
      var view = parameters.span.bytes
      self = .newSettings(index, ControllerSettings(rawValue: try view.readUInt32()))
    default: self = .unknown(code: code, index: index, parameters)
    }
  }

  package func write(to writer: inout ByteWriter) {
    func put(_ code: UInt16, _ index: UInt16, _ parameters: [UInt8], _ writer: inout ByteWriter) {
      writer.put(code)
      writer.put(index)
      writer.put(UInt16(truncatingIfNeeded: parameters.count))
      writer.put(parameters)
    }
    func octets(_ opcode: ManagementOpcode, _ status: ManagementStatus) -> [UInt8] {
      [UInt8(truncatingIfNeeded: opcode.rawValue), UInt8(truncatingIfNeeded: opcode.rawValue >> 8), status.rawValue]
    }
    switch self {
    case .commandComplete(let opcode, let index, let status, let parameters):
      put(0x0001, index, octets(opcode, status) + parameters, &writer)
    case .commandStatus(let opcode, let index, let status): put(0x0002, index, octets(opcode, status), &writer)
    case .indexAdded(let index): put(0x0004, index, [], &writer)
    case .indexRemoved(let index): put(0x0005, index, [], &writer)
    case .newSettings(let index, let settings):
      var inner = ByteWriter()
      inner.put(settings.rawValue)
      put(0x0006, index, inner.bytes, &writer)
    case .unknown(let code, let index, let parameters): put(code, index, parameters, &writer)
    }
  }
}
