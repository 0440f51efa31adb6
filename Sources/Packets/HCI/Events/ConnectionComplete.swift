package import Vocabulary

/// LE Connection Complete (Vol 4, Part E, 7.7.65.1). It means that the request was sent or
/// received, not that the peer has sent a packet.
package struct ConnectionComplete: Hashable, Portable {
  package var status: HCIStatus
  package var handle: ConnectionHandle
  package var role: LinkRole
  package var peer: Address
  /// Whether the controller resolved the peer's private address to this identity address.
  package var isIdentity: Bool
  /// In 1.25 ms.
  package var interval: UInt16
  package var latency: UInt16
  /// In 10 ms.
  package var supervisionTimeout: UInt16
  /// The accuracy of the central's clock, 0 (500 ppm) to 7 (20 ppm).
  package var clockAccuracy: UInt8

  package init(
    status: HCIStatus, handle: ConnectionHandle, role: LinkRole, peer: Address, isIdentity: Bool = false, interval: UInt16,
    latency: UInt16, supervisionTimeout: UInt16, clockAccuracy: UInt8 = 0
  ) {
    self.status = status
    self.handle = handle
    self.role = role
    self.peer = peer
    self.isIdentity = isIdentity
    self.interval = interval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
    self.clockAccuracy = clockAccuracy
  }

  /// Creates the event without a link, in which only the status is valid.
  package init(failed status: HCIStatus) {
    self.init(
      status: status, handle: ConnectionHandle(0), role: .central, peer: Address(bits: 0, kind: .public), interval: 0,
      latency: 0, supervisionTimeout: 0)
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    try self.init(reading: &reader, privateAddresses: { (_: inout RawSpan) throws(DecodeError) in })
  }

  /// The enhanced event has two more addresses in the middle.
  init(reading reader: inout RawSpan, privateAddresses: (inout RawSpan) throws(DecodeError) -> Void) throws(DecodeError) {
    status = try HCIStatus(reading: &reader)
    handle = try ConnectionHandle(reading: &reader)
    role = try reader.readRaw(LinkRole.self, "role")
    (peer, isIdentity) = try reader.readPeerAddress()
    try privateAddresses(&reader)
    interval = try reader.readUInt16()
    latency = try reader.readUInt16()
    supervisionTimeout = try reader.readUInt16()
    clockAccuracy = try reader.readUInt8()
  }

  package func write(to writer: inout ByteWriter) { write(to: &writer, privateAddresses: []) }

  func write(to writer: inout ByteWriter, privateAddresses: [UInt64]) {
    status.write(to: &writer)
    handle.write(to: &writer)
    writer.put(role.rawValue)
    writer.put(peer: peer, isIdentity: isIdentity)
    for bits in privateAddresses { writer.put(addressBits: bits) }
    writer.put(interval)
    writer.put(latency)
    writer.put(supervisionTimeout)
    writer.put(clockAccuracy)
  }
}
