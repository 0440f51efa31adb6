package import Vocabulary

/// A command on the LE signalling channel (Vol 3, Part A, 4), with its identifier. An unknown code
/// is a case.
package struct L2CAPSignal: Equatable, Sendable {
  /// 0x01 to 0xFF; a response repeats the identifier of its request.
  package var identifier: UInt8
  package var command: Command

  package init(_ identifier: UInt8, _ command: Command) {
    self.identifier = identifier
    self.command = command
  }

  package enum Command: Equatable, Sendable {
    /// 4.1: 0: not understood, 1: MTU exceeded, 2: invalid channel.
    case reject(reason: UInt16, data: [UInt8])
    case disconnectionRequest(destination: UInt16, source: UInt16)
    case disconnectionResponse(destination: UInt16, source: UInt16)
    case connectionParameterUpdateRequest(ConnectionParameters)
    /// 4.21: 0: accepted, 1: rejected.
    case connectionParameterUpdateResponse(result: UInt16)
    case leCreditConnectionRequest(spsm: UInt16, source: UInt16, mtu: UInt16, mps: UInt16, credits: UInt16)
    case leCreditConnectionResponse(destination: UInt16, mtu: UInt16, mps: UInt16, credits: UInt16, result: UInt16)
    case flowControlCredit(channel: UInt16, credits: UInt16)
    /// 4.25: one to five channels.
    case creditConnectionRequest(spsm: UInt16, mtu: UInt16, mps: UInt16, credits: UInt16, sources: [UInt16])
    case creditConnectionResponse(mtu: UInt16, mps: UInt16, credits: UInt16, result: UInt16, destinations: [UInt16])
    case creditReconfigureRequest(mtu: UInt16, mps: UInt16, destinations: [UInt16])
    case creditReconfigureResponse(result: UInt16)
    case unknown(code: UInt8, data: [UInt8])
  }

  /// The parameters of 4.20, in the units of the link layer.
  package struct ConnectionParameters: Hashable, Sendable {
    /// In 1.25 ms, 6 to 3200.
    package var intervalMin: UInt16
    package var intervalMax: UInt16
    /// The number of connection events that the peripheral may skip, 0 to 499.
    package var latency: UInt16
    /// In 10 ms, 10 to 3200.
    package var timeout: UInt16

    package init(intervalMin: UInt16, intervalMax: UInt16, latency: UInt16, timeout: UInt16) {
      self.intervalMin = intervalMin
      self.intervalMax = intervalMax
      self.latency = latency
      self.timeout = timeout
    }

    /// Whether the specification permits them: they are in range, and the timeout exceeds two
    /// effective intervals.
    package var isValid: Bool {
      intervalMin >= 6 && intervalMin <= intervalMax && intervalMax <= 3200 && latency <= 499 && timeout >= 10 && timeout <= 3200
        // 10 ms * timeout > (1 + latency) * 1.25 ms * interval * 2
        && UInt32(timeout) * 4 > (1 + UInt32(latency)) * UInt32(intervalMax)
    }
  }

  /// Whether this code requires a response. Unknown codes are answered with Command Reject.
  package var isRequest: Bool {
    switch command {
    case .disconnectionRequest, .connectionParameterUpdateRequest, .leCreditConnectionRequest, .creditConnectionRequest,
      .creditReconfigureRequest:
      true
    default: false
    }
  }

  package var code: UInt8 {
    switch command {
    case .reject: 0x01
    case .disconnectionRequest: 0x06
    case .disconnectionResponse: 0x07
    case .connectionParameterUpdateRequest: 0x12
    case .connectionParameterUpdateResponse: 0x13
    case .leCreditConnectionRequest: 0x14
    case .leCreditConnectionResponse: 0x15
    case .flowControlCredit: 0x16
    case .creditConnectionRequest: 0x17
    case .creditConnectionResponse: 0x18
    case .creditReconfigureRequest: 0x19
    case .creditReconfigureResponse: 0x1A
    case .unknown(let code, _): code
    }
  }
}

extension L2CAPSignal: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let code = try reader.readUInt8()
    identifier = try reader.readUInt8()
    let length = Int(try reader.readUInt16())
    let data = try reader.readBytes(length)
    var inner = data.span.bytes
    command = try Command(code: code, reading: &inner)
    guard inner.isAtEnd else { throw .trailing(inner.byteCount, after: "L2CAP command") }
  }

  package func write(to writer: inout ByteWriter) {
    var inner = ByteWriter()
    command.write(to: &inner)
    writer.put(code)
    writer.put(identifier)
    writer.put(UInt16(clamping: inner.bytes.count))
    writer.put(inner.bytes)
  }
}

extension L2CAPSignal.Command {
  fileprivate init(code: UInt8, reading reader: inout RawSpan) throws(DecodeError) {
    switch code {
    case 0x01: self = .reject(reason: try reader.readUInt16(), data: reader.readRest())
    case 0x06: self = .disconnectionRequest(destination: try reader.readUInt16(), source: try reader.readUInt16())
    case 0x07: self = .disconnectionResponse(destination: try reader.readUInt16(), source: try reader.readUInt16())
    case 0x12:
      self = .connectionParameterUpdateRequest(
        L2CAPSignal.ConnectionParameters(
          intervalMin: try reader.readUInt16(), intervalMax: try reader.readUInt16(), latency: try reader.readUInt16(),
          timeout: try reader.readUInt16()))
    case 0x13: self = .connectionParameterUpdateResponse(result: try reader.readUInt16())
    case 0x14:
      self = .leCreditConnectionRequest(
        spsm: try reader.readUInt16(), source: try reader.readUInt16(), mtu: try reader.readUInt16(), mps: try reader.readUInt16(),
        credits: try reader.readUInt16())
    case 0x15:
      self = .leCreditConnectionResponse(
        destination: try reader.readUInt16(), mtu: try reader.readUInt16(), mps: try reader.readUInt16(),
        credits: try reader.readUInt16(), result: try reader.readUInt16())
    case 0x16: self = .flowControlCredit(channel: try reader.readUInt16(), credits: try reader.readUInt16())
    case 0x17:
      self = .creditConnectionRequest(
        spsm: try reader.readUInt16(), mtu: try reader.readUInt16(), mps: try reader.readUInt16(), credits: try reader.readUInt16(),
        sources: try Self.readChannels(&reader, atLeast: 1))
    case 0x18:
      self = .creditConnectionResponse(
        mtu: try reader.readUInt16(), mps: try reader.readUInt16(), credits: try reader.readUInt16(),
        result: try reader.readUInt16(),
        destinations: try Self.readChannels(&reader, atLeast: 0))
    case 0x19:
      self = .creditReconfigureRequest(
        mtu: try reader.readUInt16(), mps: try reader.readUInt16(), destinations: try Self.readChannels(&reader, atLeast: 1))
    case 0x1A: self = .creditReconfigureResponse(result: try reader.readUInt16())
    default: self = .unknown(code: code, data: reader.readRest())
    }
  }

  private static func readChannels(_ reader: inout RawSpan, atLeast least: Int) throws(DecodeError) -> [UInt16] {
    var list: [UInt16] = []
    while !reader.isAtEnd || list.count < least { list.append(try reader.readUInt16()) }
    guard list.count <= 5 else { throw .invalid("number of channels", UInt64(list.count)) }
    return list
  }

  fileprivate func write(to writer: inout ByteWriter) {
    switch self {
    case .reject(let reason, let data):
      writer.put(reason)
      writer.put(data)
    case .disconnectionRequest(let destination, let source), .disconnectionResponse(let destination, let source):
      writer.put(destination)
      writer.put(source)
    case .connectionParameterUpdateRequest(let parameters):
      writer.put(parameters.intervalMin)
      writer.put(parameters.intervalMax)
      writer.put(parameters.latency)
      writer.put(parameters.timeout)
    case .connectionParameterUpdateResponse(let result), .creditReconfigureResponse(let result): writer.put(result)
    case .leCreditConnectionRequest(let first, let second, let mtu, let mps, let credits):
      for field in [first, second, mtu, mps, credits] { writer.put(field) }
    case .leCreditConnectionResponse(let destination, let mtu, let mps, let credits, let result):
      for field in [destination, mtu, mps, credits, result] { writer.put(field) }
    case .flowControlCredit(let channel, let credits):
      writer.put(channel)
      writer.put(credits)
    case .creditConnectionRequest(let first, let mtu, let mps, let credits, let channels):
      for field in [first, mtu, mps, credits] + channels { writer.put(field) }
    case .creditConnectionResponse(let mtu, let mps, let credits, let result, let channels):
      for field in [mtu, mps, credits, result] + channels { writer.put(field) }
    case .creditReconfigureRequest(let mtu, let mps, let channels):
      for field in [mtu, mps] + channels { writer.put(field) }
    case .unknown(_, let data): writer.put(data)
    }
  }
}
