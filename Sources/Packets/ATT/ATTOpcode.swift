import Vocabulary

/// The attribute opcodes (Vol 3, Part F, 3.4.8): six bits of method, a command flag and a signature
/// flag.
package enum ATTOpcode {
  package static let errorResponse: UInt8 = 0x01
  package static let exchangeMTURequest: UInt8 = 0x02
  package static let exchangeMTUResponse: UInt8 = 0x03
  package static let findInformationRequest: UInt8 = 0x04
  package static let findInformationResponse: UInt8 = 0x05
  package static let findByTypeValueRequest: UInt8 = 0x06
  package static let findByTypeValueResponse: UInt8 = 0x07
  package static let readByTypeRequest: UInt8 = 0x08
  package static let readByTypeResponse: UInt8 = 0x09
  package static let readRequest: UInt8 = 0x0A
  package static let readResponse: UInt8 = 0x0B
  package static let readBlobRequest: UInt8 = 0x0C
  package static let readBlobResponse: UInt8 = 0x0D
  package static let readMultipleRequest: UInt8 = 0x0E
  package static let readMultipleResponse: UInt8 = 0x0F
  package static let readByGroupTypeRequest: UInt8 = 0x10
  package static let readByGroupTypeResponse: UInt8 = 0x11
  package static let writeRequest: UInt8 = 0x12
  package static let writeResponse: UInt8 = 0x13
  package static let prepareWriteRequest: UInt8 = 0x16
  package static let prepareWriteResponse: UInt8 = 0x17
  package static let executeWriteRequest: UInt8 = 0x18
  package static let executeWriteResponse: UInt8 = 0x19
  package static let handleValueNotification: UInt8 = 0x1B
  package static let handleValueIndication: UInt8 = 0x1D
  package static let handleValueConfirmation: UInt8 = 0x1E
  package static let readMultipleVariableRequest: UInt8 = 0x20
  package static let readMultipleVariableResponse: UInt8 = 0x21
  package static let multipleHandleValueNotification: UInt8 = 0x23
  package static let writeCommand: UInt8 = 0x52
  package static let signedWriteCommand: UInt8 = 0xD2

  /// Whether this is a command. A command that is not supported is ignored, never refused (Vol 3,
  /// Part F, 3.3).
  package static func isCommand(_ opcode: UInt8) -> Bool { opcode & 0x40 != 0 }

  /// Whether a client sends this and waits for a response. This includes unknown methods without
  /// the command flag, which the server refuses.
  package static func isRequest(_ opcode: UInt8) -> Bool {
    switch opcode {
    case exchangeMTURequest, findInformationRequest, findByTypeValueRequest, readByTypeRequest, readRequest, readBlobRequest,
      readMultipleRequest, readByGroupTypeRequest, writeRequest, prepareWriteRequest, executeWriteRequest,
      readMultipleVariableRequest:
      true
    default: false
    }
  }

  /// Whether a server sends this in response to a request.
  package static func isResponse(_ opcode: UInt8) -> Bool {
    switch opcode {
    case errorResponse, exchangeMTUResponse, findInformationResponse, findByTypeValueResponse, readByTypeResponse, readResponse,
      readBlobResponse, readMultipleResponse, readByGroupTypeResponse, writeResponse, prepareWriteResponse, executeWriteResponse,
      readMultipleVariableResponse:
      true
    default: false
    }
  }

  /// The name in the specification, for messages and logs.
  package static func name(_ opcode: UInt8) -> String {
    switch opcode {
    case errorResponse: "Error Response"
    case exchangeMTURequest: "Exchange MTU Request"
    case exchangeMTUResponse: "Exchange MTU Response"
    case findInformationRequest: "Find Information Request"
    case findInformationResponse: "Find Information Response"
    case findByTypeValueRequest: "Find By Type Value Request"
    case findByTypeValueResponse: "Find By Type Value Response"
    case readByTypeRequest: "Read By Type Request"
    case readByTypeResponse: "Read By Type Response"
    case readRequest: "Read Request"
    case readResponse: "Read Response"
    case readBlobRequest: "Read Blob Request"
    case readBlobResponse: "Read Blob Response"
    case readMultipleRequest: "Read Multiple Request"
    case readMultipleResponse: "Read Multiple Response"
    case readByGroupTypeRequest: "Read By Group Type Request"
    case readByGroupTypeResponse: "Read By Group Type Response"
    case writeRequest: "Write Request"
    case writeResponse: "Write Response"
    case prepareWriteRequest: "Prepare Write Request"
    case prepareWriteResponse: "Prepare Write Response"
    case executeWriteRequest: "Execute Write Request"
    case executeWriteResponse: "Execute Write Response"
    case handleValueNotification: "Handle Value Notification"
    case handleValueIndication: "Handle Value Indication"
    case handleValueConfirmation: "Handle Value Confirmation"
    case readMultipleVariableRequest: "Read Multiple Variable Request"
    case readMultipleVariableResponse: "Read Multiple Variable Response"
    case multipleHandleValueNotification: "Multiple Handle Value Notification"
    case writeCommand: "Write Command"
    case signedWriteCommand: "Signed Write Command"
    default: "ATT opcode 0x\(Hex.text(opcode))"
    }
  }
}
