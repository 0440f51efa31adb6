package import Vocabulary

/// A PDU of the Attribute Protocol (Vol 3, Part F, 3.4). An unknown opcode is a case, not an error.
///
/// UUIDs with a 16-bit form are written in it. The long form of such a UUID is read as the same
/// value.
package enum ATTPDU: Equatable, Sendable {
  // 3.4.1
  case errorResponse(request: UInt8, handle: AttributeHandle, code: ATTError)
  // 3.4.2
  case exchangeMTURequest(UInt16)
  case exchangeMTUResponse(UInt16)
  // 3.4.3
  case findInformationRequest(HandleRange)
  /// Written with 16-bit UUIDs if all types have that form, else with 128-bit ones.
  case findInformationResponse([HandleUUID])
  case findByTypeValueRequest(HandleRange, type: UInt16, value: [UInt8])
  case findByTypeValueResponse([HandleRange])
  // 3.4.4
  case readByTypeRequest(HandleRange, type: UUID)
  /// All values have the same length, 0 to 253 octets.
  case readByTypeResponse([HandleValue])
  case readRequest(AttributeHandle)
  case readResponse([UInt8])
  case readBlobRequest(AttributeHandle, offset: UInt16)
  case readBlobResponse([UInt8])
  /// Two handles or more.
  case readMultipleRequest([AttributeHandle])
  case readMultipleResponse([UInt8])
  case readByGroupTypeRequest(HandleRange, type: UUID)
  /// All values have the same length, 0 to 251 octets.
  case readByGroupTypeResponse([GroupValue])
  /// Two handles or more.
  case readMultipleVariableRequest([AttributeHandle])
  /// Values with their lengths. The MTU may cut off the last one; its `LengthValue.length` is that
  /// of the whole value.
  case readMultipleVariableResponse([LengthValue])
  // 3.4.5
  case writeRequest(AttributeHandle, [UInt8])
  case writeResponse
  case writeCommand(AttributeHandle, [UInt8])
  /// The signature has 12 octets.
  case signedWriteCommand(AttributeHandle, [UInt8], signature: [UInt8])
  // 3.4.6
  case prepareWriteRequest(AttributeHandle, offset: UInt16, [UInt8])
  case prepareWriteResponse(AttributeHandle, offset: UInt16, [UInt8])
  /// Whether to write all that was prepared, or to discard it.
  case executeWriteRequest(write: Bool)
  case executeWriteResponse
  // 3.4.7
  case handleValueNotification(AttributeHandle, [UInt8])
  case handleValueIndication(AttributeHandle, [UInt8])
  case handleValueConfirmation
  /// Two values or more.
  case multipleHandleValueNotification([HandleValue])
  /// Any other opcode, and the octets that follow it.
  case unknown(UInt8, [UInt8])

  /// A value in Read Multiple Variable Response. The length is that of the whole value, which may
  /// be cut off (3.4.4.12).
  package struct LengthValue: Hashable, Sendable {
    package var length: UInt16
    package var value: [UInt8]

    package init(_ value: [UInt8], length: UInt16? = nil) {
      self.value = value
      self.length = length ?? UInt16(clamping: value.count)
    }
  }
}

extension ATTPDU {
  package var opcode: UInt8 {
    switch self {
    case .errorResponse: ATTOpcode.errorResponse
    case .exchangeMTURequest: ATTOpcode.exchangeMTURequest
    case .exchangeMTUResponse: ATTOpcode.exchangeMTUResponse
    case .findInformationRequest: ATTOpcode.findInformationRequest
    case .findInformationResponse: ATTOpcode.findInformationResponse
    case .findByTypeValueRequest: ATTOpcode.findByTypeValueRequest
    case .findByTypeValueResponse: ATTOpcode.findByTypeValueResponse
    case .readByTypeRequest: ATTOpcode.readByTypeRequest
    case .readByTypeResponse: ATTOpcode.readByTypeResponse
    case .readRequest: ATTOpcode.readRequest
    case .readResponse: ATTOpcode.readResponse
    case .readBlobRequest: ATTOpcode.readBlobRequest
    case .readBlobResponse: ATTOpcode.readBlobResponse
    case .readMultipleRequest: ATTOpcode.readMultipleRequest
    case .readMultipleResponse: ATTOpcode.readMultipleResponse
    case .readByGroupTypeRequest: ATTOpcode.readByGroupTypeRequest
    case .readByGroupTypeResponse: ATTOpcode.readByGroupTypeResponse
    case .readMultipleVariableRequest: ATTOpcode.readMultipleVariableRequest
    case .readMultipleVariableResponse: ATTOpcode.readMultipleVariableResponse
    case .writeRequest: ATTOpcode.writeRequest
    case .writeResponse: ATTOpcode.writeResponse
    case .writeCommand: ATTOpcode.writeCommand
    case .signedWriteCommand: ATTOpcode.signedWriteCommand
    case .prepareWriteRequest: ATTOpcode.prepareWriteRequest
    case .prepareWriteResponse: ATTOpcode.prepareWriteResponse
    case .executeWriteRequest: ATTOpcode.executeWriteRequest
    case .executeWriteResponse: ATTOpcode.executeWriteResponse
    case .handleValueNotification: ATTOpcode.handleValueNotification
    case .handleValueIndication: ATTOpcode.handleValueIndication
    case .handleValueConfirmation: ATTOpcode.handleValueConfirmation
    case .multipleHandleValueNotification: ATTOpcode.multipleHandleValueNotification
    case .unknown(let opcode, _): opcode
    }
  }
}
