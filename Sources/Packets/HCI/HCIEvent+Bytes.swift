package import Vocabulary

extension HCIEvent: Portable {
  /// Code, length, parameters (Vol 4, Part E, 5.4.4). Octets after the parameters are ignored; the
  /// other initialiser returns them.
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    var trailing: [UInt8] = []
    try self.init(reading: &reader, trailing: &trailing)
  }

  /// Real controllers append octets to events that differ between versions; `trailing` receives
  /// them.
  package init(reading reader: inout RawSpan, trailing: inout [UInt8]) throws(DecodeError) {
    let code = try reader.readUInt8()
    let count = Int(try reader.readUInt8())
    guard reader.byteCount >= count else { throw .truncated(needed: count, left: reader.byteCount) }
    var parameters = reader.extracting(first: count)
    try reader.skip(count)
    self = try Self.read(code, &parameters)
    trailing = parameters.isAtEnd ? [] : parameters.readRest()
  }

  private static func read(_ code: UInt8, _ reader: inout RawSpan) throws(DecodeError) -> HCIEvent {
    switch code {
    case 0x05: return .disconnectionComplete(try DisconnectionComplete(reading: &reader))
    case 0x08: return .encryptionChange(try EncryptionChange(reading: &reader))
    case 0x30:
      let status = try HCIStatus(reading: &reader)
      return .encryptionKeyRefreshComplete(status: status, try ConnectionHandle(reading: &reader))
    case 0x0C: return .readRemoteVersionComplete(try RemoteVersion(reading: &reader))
    case 0x0E: return .commandComplete(try CommandComplete(reading: &reader))
    case 0x0F: return .commandStatus(try CommandStatus(reading: &reader))
    case 0x10: return .hardwareError(code: try reader.readUInt8())
    case 0x13: return .numberOfCompletedPackets(try readList(&reader))
    case 0x1A: return .dataBufferOverflow(linkType: try reader.readUInt8())
    case 0x57: return .authenticatedPayloadTimeoutExpired(try ConnectionHandle(reading: &reader))
    case 0x3E: return try readMeta(try reader.readUInt8(), &reader)
    default: return .unknown(code: code, reader.readRest())
    }
  }

  private static func readMeta(_ subevent: UInt8, _ reader: inout RawSpan) throws(DecodeError) -> HCIEvent {
    switch subevent {
    case 0x01: return .leConnectionComplete(try ConnectionComplete(reading: &reader))
    case 0x02: return .leAdvertisingReport(try readList(&reader))
    case 0x03: return .leConnectionUpdateComplete(try ConnectionUpdateComplete(reading: &reader))
    case 0x04: return .leReadRemoteFeaturesComplete(try RemoteFeatures(reading: &reader))
    case 0x05: return .leLongTermKeyRequest(try LongTermKeyRequest(reading: &reader))
    case 0x06: return .leConnectionParameterRequest(try ConnectionParameterRequest(reading: &reader))
    case 0x07: return .leDataLengthChange(try DataLengthChange(reading: &reader))
    case 0x0A: return .leEnhancedConnectionComplete(try EnhancedConnectionComplete(reading: &reader))
    case 0x0C: return .lePHYUpdateComplete(try PHYUpdateComplete(reading: &reader))
    case 0x0D: return .leExtendedAdvertisingReport(try readList(&reader))
    case 0x11: return .leScanTimeout
    case 0x12: return .leAdvertisingSetTerminated(try AdvertisingSetTerminated(reading: &reader))
    case 0x14: return .leChannelSelectionAlgorithm(try ChannelSelectionAlgorithm(reading: &reader))
    default: return .leUnknown(subevent: subevent, reader.readRest())
    }
  }

  /// A count of one octet, then that many values, each complete before the next (Vol 4, Part E,
  /// 5.4).
  private static func readList<Value: Portable>(_ reader: inout RawSpan) throws(DecodeError) -> [Value] {
    let count = Int(try reader.readUInt8())
    var list: [Value] = []
    for _ in 0..<count { list.append(try Value(reading: &reader)) }
    return list
  }

  package func write(to writer: inout ByteWriter) { write(to: &writer, trailing: []) }

  package func write(to writer: inout ByteWriter, trailing: [UInt8]) {
    writer.put(code)
    let start = writer.bytes.count
    writer.put(0 as UInt8)
    if let subevent { writer.put(subevent) }
    writeParameters(to: &writer)
    writer.put(trailing)
    // An event holds 255 octets. A longer list is an error of the caller and is cut.
    if writer.bytes.count - start - 1 > 255 { writer.bytes.removeLast(writer.bytes.count - start - 256) }
    writer.bytes[start] = UInt8(clamping: writer.bytes.count - start - 1)
  }

  private func writeParameters(to writer: inout ByteWriter) {
    switch self {
    case .disconnectionComplete(let value): value.write(to: &writer)
    case .encryptionChange(let value): value.write(to: &writer)
    case .encryptionKeyRefreshComplete(let status, let handle):
      status.write(to: &writer)
      handle.write(to: &writer)
    case .readRemoteVersionComplete(let value): value.write(to: &writer)
    case .commandComplete(let value): value.write(to: &writer)
    case .commandStatus(let value): value.write(to: &writer)
    case .hardwareError(let code): writer.put(code)
    case .numberOfCompletedPackets(let list): write(list, to: &writer)
    case .dataBufferOverflow(let linkType): writer.put(linkType)
    case .authenticatedPayloadTimeoutExpired(let handle): handle.write(to: &writer)
    case .leConnectionComplete(let value): value.write(to: &writer)
    case .leAdvertisingReport(let list): write(list, to: &writer)
    case .leConnectionUpdateComplete(let value): value.write(to: &writer)
    case .leReadRemoteFeaturesComplete(let value): value.write(to: &writer)
    case .leLongTermKeyRequest(let value): value.write(to: &writer)
    case .leConnectionParameterRequest(let value): value.write(to: &writer)
    case .leDataLengthChange(let value): value.write(to: &writer)
    case .leEnhancedConnectionComplete(let value): value.write(to: &writer)
    case .lePHYUpdateComplete(let value): value.write(to: &writer)
    case .leExtendedAdvertisingReport(let list): write(list, to: &writer)
    case .leScanTimeout: break
    case .leAdvertisingSetTerminated(let value): value.write(to: &writer)
    case .leChannelSelectionAlgorithm(let value): value.write(to: &writer)
    case .leUnknown(_, let bytes): writer.put(bytes)
    case .unknown(_, let bytes): writer.put(bytes)
    }
  }

  private func write(_ list: [some Portable], to writer: inout ByteWriter) {
    writer.put(UInt8(clamping: list.count))
    for value in list.prefix(255) { value.write(to: &writer) }
  }
}
