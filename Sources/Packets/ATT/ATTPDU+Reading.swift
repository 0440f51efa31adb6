package import Vocabulary

extension ATTPDU: Portable {
  /// Reads a whole PDU, which extends to the end of the bytes.
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let opcode = try reader.readUInt8()
    switch opcode {
    case ATTOpcode.errorResponse:
      let request = try reader.readUInt8()
      let handle = try AttributeHandle(reading: &reader)
      self = .errorResponse(request: request, handle: handle, code: ATTError(try reader.readUInt8()))
    case ATTOpcode.exchangeMTURequest: self = .exchangeMTURequest(try reader.readUInt16())
    case ATTOpcode.exchangeMTUResponse: self = .exchangeMTUResponse(try reader.readUInt16())
    case ATTOpcode.findInformationRequest: self = .findInformationRequest(try HandleRange(reading: &reader))
    case ATTOpcode.findInformationResponse: self = .findInformationResponse(try Self.readTypes(&reader))
    case ATTOpcode.findByTypeValueRequest:
      let range = try HandleRange(reading: &reader)
      self = .findByTypeValueRequest(range, type: try reader.readUInt16(), value: reader.readRest())
    case ATTOpcode.findByTypeValueResponse: self = .findByTypeValueResponse(try Self.readRanges(&reader))
    case ATTOpcode.readByTypeRequest:
      let range = try HandleRange(reading: &reader)
      self = .readByTypeRequest(range, type: try Self.readType(&reader))
    case ATTOpcode.readByTypeResponse: self = .readByTypeResponse(try Self.readValues(&reader))
    case ATTOpcode.readRequest: self = .readRequest(try AttributeHandle(reading: &reader))
    case ATTOpcode.readResponse: self = .readResponse(reader.readRest())
    case ATTOpcode.readBlobRequest:
      let handle = try AttributeHandle(reading: &reader)
      self = .readBlobRequest(handle, offset: try reader.readUInt16())
    case ATTOpcode.readBlobResponse: self = .readBlobResponse(reader.readRest())
    case ATTOpcode.readMultipleRequest: self = .readMultipleRequest(try Self.readHandles(&reader))
    case ATTOpcode.readMultipleResponse: self = .readMultipleResponse(reader.readRest())
    case ATTOpcode.readByGroupTypeRequest:
      let range = try HandleRange(reading: &reader)
      self = .readByGroupTypeRequest(range, type: try Self.readType(&reader))
    case ATTOpcode.readByGroupTypeResponse: self = .readByGroupTypeResponse(try Self.readGroups(&reader))
    case ATTOpcode.readMultipleVariableRequest: self = .readMultipleVariableRequest(try Self.readHandles(&reader))
    case ATTOpcode.readMultipleVariableResponse: self = .readMultipleVariableResponse(try Self.readLengthValues(&reader))
    case ATTOpcode.writeRequest: self = .writeRequest(try AttributeHandle(reading: &reader), reader.readRest())
    case ATTOpcode.writeResponse: self = .writeResponse
    case ATTOpcode.writeCommand: self = .writeCommand(try AttributeHandle(reading: &reader), reader.readRest())
    case ATTOpcode.signedWriteCommand:
      let handle = try AttributeHandle(reading: &reader)
      guard reader.byteCount >= 12 else { throw .truncated(needed: 12, left: reader.byteCount) }
      let value = try reader.readBytes(reader.byteCount - 12)
      self = .signedWriteCommand(handle, value, signature: reader.readRest())
    case ATTOpcode.prepareWriteRequest:
      let handle = try AttributeHandle(reading: &reader)
      self = .prepareWriteRequest(handle, offset: try reader.readUInt16(), reader.readRest())
    case ATTOpcode.prepareWriteResponse:
      let handle = try AttributeHandle(reading: &reader)
      self = .prepareWriteResponse(handle, offset: try reader.readUInt16(), reader.readRest())
    case ATTOpcode.executeWriteRequest:
      let flags = try reader.readUInt8()
      guard flags <= 1 else { throw .invalid("execute write flags", UInt64(flags)) }
      self = .executeWriteRequest(write: flags == 1)
    case ATTOpcode.executeWriteResponse: self = .executeWriteResponse
    case ATTOpcode.handleValueNotification:
      self = .handleValueNotification(try AttributeHandle(reading: &reader), reader.readRest())
    case ATTOpcode.handleValueIndication: self = .handleValueIndication(try AttributeHandle(reading: &reader), reader.readRest())
    case ATTOpcode.handleValueConfirmation: self = .handleValueConfirmation
    case ATTOpcode.multipleHandleValueNotification: self = .multipleHandleValueNotification(try Self.readNotified(&reader))
    default: self = .unknown(opcode, reader.readRest())
    }
  }

  /// A type has two or sixteen octets (Vol 3, Part F, 3.4.4.1).
  private static func readType(_ reader: inout RawSpan) throws(DecodeError) -> UUID {
    reader.byteCount >= 16 ? try UUID(littleEndian: &reader) : UUID(try reader.readUInt16())
  }

  /// At least one entry; the format is 1 (16 bits) or 2 (128 bits).
  private static func readTypes(_ reader: inout RawSpan) throws(DecodeError) -> [HandleUUID] {
    let format = try reader.readUInt8()
    guard format == 1 || format == 2 else { throw .invalid("find information format", UInt64(format)) }
    var list: [HandleUUID] = []
    repeat {
      let handle = try AttributeHandle(reading: &reader)
      list.append(HandleUUID(handle, format == 1 ? UUID(try reader.readUInt16()) : try UUID(littleEndian: &reader)))
    } while !reader.isAtEnd
    return list
  }

  private static func readRanges(_ reader: inout RawSpan) throws(DecodeError) -> [HandleRange] {
    var list: [HandleRange] = []
    repeat { list.append(try HandleRange(reading: &reader)) } while !reader.isAtEnd
    return list
  }

  private static func readHandles(_ reader: inout RawSpan) throws(DecodeError) -> [AttributeHandle] {
    var list = [try AttributeHandle(reading: &reader)]
    repeat { list.append(try AttributeHandle(reading: &reader)) } while !reader.isAtEnd
    return list
  }

  /// The length octet counts handle and value. Below two there is no room for the handle.
  private static func readValues(_ reader: inout RawSpan) throws(DecodeError) -> [HandleValue] {
    let length = Int(try reader.readUInt8())
    guard length >= 2 else { throw .invalid("read by type length", UInt64(length)) }
    var list: [HandleValue] = []
    repeat {
      list.append(HandleValue(try AttributeHandle(reading: &reader), try reader.readBytes(length - 2)))
    } while !reader.isAtEnd
    return list
  }

  private static func readGroups(_ reader: inout RawSpan) throws(DecodeError) -> [GroupValue] {
    let length = Int(try reader.readUInt8())
    guard length >= 4 else { throw .invalid("read by group type length", UInt64(length)) }
    var list: [GroupValue] = []
    repeat { list.append(GroupValue(try HandleRange(reading: &reader), try reader.readBytes(length - 4))) } while !reader.isAtEnd
    return list
  }

  private static func readLengthValues(_ reader: inout RawSpan) throws(DecodeError) -> [LengthValue] {
    var list: [LengthValue] = []
    repeat {
      let length = try reader.readUInt16()
      list.append(LengthValue(try reader.readBytes(min(Int(length), reader.byteCount)), length: length))
    } while !reader.isAtEnd
    return list
  }

  private static func readNotified(_ reader: inout RawSpan) throws(DecodeError) -> [HandleValue] {
    var list: [HandleValue] = []
    repeat {
      let handle = try AttributeHandle(reading: &reader)
      list.append(HandleValue(handle, try reader.readBytes(Int(try reader.readUInt16()))))
    } while !reader.isAtEnd || list.count < 2
    return list
  }
}
