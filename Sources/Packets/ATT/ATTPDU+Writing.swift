package import Vocabulary

extension ATTPDU {
  package func write(to writer: inout ByteWriter) {
    writer.put(opcode)
    switch self {
    case .errorResponse(let request, let handle, let code):
      writer.put(request)
      handle.write(to: &writer)
      writer.put(code.raw)
    case .exchangeMTURequest(let mtu), .exchangeMTUResponse(let mtu): writer.put(mtu)
    case .findInformationRequest(let range): range.write(to: &writer)
    case .findInformationResponse(let list):
      let short = list.allSatisfy { $0.type.short != nil }
      writer.put(UInt8(short ? 1 : 2))
      for entry in list {
        entry.handle.write(to: &writer)
        if short { entry.type.writeLittleEndian(to: &writer) } else { entry.type.write(to: &writer) }
      }
    case .findByTypeValueRequest(let range, let type, let value):
      range.write(to: &writer)
      writer.put(type)
      writer.put(value)
    case .findByTypeValueResponse(let list):
      for range in list { range.write(to: &writer) }
    case .readByTypeRequest(let range, let type), .readByGroupTypeRequest(let range, let type):
      range.write(to: &writer)
      type.writeLittleEndian(to: &writer)
    case .readByTypeResponse(let list):
      writer.put(UInt8(clamping: (list.first?.value.count ?? 0) + 2))
      for entry in list {
        entry.handle.write(to: &writer)
        writer.put(entry.value)
      }
    case .readByGroupTypeResponse(let list):
      writer.put(UInt8(clamping: (list.first?.value.count ?? 0) + 4))
      for entry in list {
        entry.range.write(to: &writer)
        writer.put(entry.value)
      }
    case .readRequest(let handle): handle.write(to: &writer)
    case .readResponse(let value), .readBlobResponse(let value), .readMultipleResponse(let value): writer.put(value)
    case .readBlobRequest(let handle, let offset):
      handle.write(to: &writer)
      writer.put(offset)
    case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles):
      for handle in handles { handle.write(to: &writer) }
    case .readMultipleVariableResponse(let list):
      for entry in list {
        writer.put(entry.length)
        writer.put(entry.value)
      }
    case .writeRequest(let handle, let value), .writeCommand(let handle, let value),
      .handleValueNotification(let handle, let value),
      .handleValueIndication(let handle, let value):
      handle.write(to: &writer)
      writer.put(value)
    case .signedWriteCommand(let handle, let value, let signature):
      handle.write(to: &writer)
      writer.put(value)
      writer.put(signature)
    case .prepareWriteRequest(let handle, let offset, let value), .prepareWriteResponse(let handle, let offset, let value):
      handle.write(to: &writer)
      writer.put(offset)
      writer.put(value)
    case .executeWriteRequest(let write): writer.put(UInt8(write ? 1 : 0))
    case .multipleHandleValueNotification(let list):
      for entry in list {
        entry.handle.write(to: &writer)
        writer.put(UInt16(clamping: entry.value.count))
        writer.put(entry.value)
      }
    case .unknown(_, let rest): writer.put(rest)
    case .writeResponse, .executeWriteResponse, .handleValueConfirmation: break
    }
  }
}
