package import Packets
package import Vocabulary

/// Explains from captured packets why links ended and what a device refused.
///
/// It is a value that takes one packet after the other, with bounded state.
package struct LinkStory {
  /// The end of a link, a failed connection, a refusal, or an unanswered request.
  package struct Finding: Equatable, Sendable {
    package enum Kind: String, Sendable { case lost, failed, refused, unanswered }

    package var time: WallTime
    package var kind: Kind
    package var address: String
    /// The reason in words, with the code of the controller or of ATT.
    package var reason: String
    package var code: UInt8
    /// The duration of the link.
    package var lasted: TimeSpan?
    /// The time since the device sent its last packet.
    package var silent: TimeSpan?
    /// The last packet of the device.
    package var last: String?
    /// The request without an answer.
    package var outstanding: String?
    /// The signal of the last advertisements before, in dBm, the newest last.
    package var signal: [Int] = []
    /// The usual cause, and what to do.
    package var usually: String?
  }

  private struct Link {
    var handle: UInt16
    var address: String
    var since: WallTime
    var heard: WallTime?
    var last: String?
    var asked: (text: String, at: WallTime)?
    var asksTypes = false
    var names: [(handle: UInt16, name: String)] = []
    var isEndedByUs = false
  }

  private struct Heard {
    var address: String
    var signal: [(at: WallTime, dBm: Int)] = []
  }

  package private(set) var findings: [Finding] = []
  package private(set) var packets = 0
  package private(set) var begins: WallTime?
  package private(set) var ends: WallTime?
  private var links: [Link] = []
  private var heard: [Heard] = []

  private static let mostFindings = 256
  private static let mostNames = 256
  private static let mostHeard = 64

  package init() {}

  package init(_ records: [BtsnoopRecord]) {
    for record in records { take(record) }
    // A keeper's link outlives a run that waited for an answer in vain.
    if let ends { for link in links { unanswered(link, at: ends) } }
  }

  package mutating func take(_ record: BtsnoopRecord) {
    packets += 1
    if begins == nil { begins = record.time }
    ends = record.time
    var reader = record.bytes.span.bytes
    guard let packet = try? HCIPacket(reading: &reader) else { return }
    switch packet {
    case .event(let event, _): take(event, at: record.time)
    case .acl(let packet): take(packet, isSent: record.isSent, at: record.time)
    case .command(let command):
      if case .disconnect(let handle, _) = command { change(handle.raw) { $0.isEndedByUs = true } }
    case .sco, .iso: break
    }
  }

  // MARK: Packets

  private mutating func take(_ event: HCIEvent, at time: WallTime) {
    switch event {
    case .leConnectionComplete(let link): connected(link, at: time)
    case .leEnhancedConnectionComplete(let link): connected(link.connection, at: time)
    case .disconnectionComplete(let end) where end.status.isSuccess: ended(end, at: time)
    case .leAdvertisingReport(let reports): for one in reports { hear(one.address, Int(one.rssi), at: time) }
    case .leExtendedAdvertisingReport(let reports):
      for one in reports { if let address = one.address { hear(address, Int(one.rssi), at: time) } }
    default: break
    }
  }

  private mutating func hear(_ address: Address, _ dBm: Int, at time: WallTime) {
    // 127 means that the signal is unknown (Vol 4, Part E, 7.7.65.2).
    guard dBm != 127 else { return }
    let name = address.withKind
    let place: Int
    if let known = heard.firstIndex(where: { $0.address == name }) {
      place = known
    } else {
      if heard.count == Self.mostHeard { heard.removeFirst() }
      heard.append(Heard(address: name))
      place = heard.count - 1
    }
    heard[place].signal.append((time, dBm))
    if heard[place].signal.count > 8 { heard[place].signal.removeFirst() }
  }

  private mutating func connected(_ link: ConnectionComplete, at time: WallTime) {
    guard link.status.isSuccess else {
      // 0x02: a connection attempt that was cancelled.
      if link.status.raw != 0x02 {
        add(
          Finding(
            time: time, kind: .failed, address: "-", reason: "\(link.status)", code: link.status.raw,
            usually: Self.cause(of: link.status.raw)))
      }
      return
    }
    links.removeAll { $0.handle == link.handle.raw }
    links.append(Link(handle: link.handle.raw, address: link.peer.withKind, since: time))
  }

  private mutating func ended(_ end: DisconnectionComplete, at time: WallTime) {
    guard let place = links.firstIndex(where: { $0.handle == end.handle.raw }) else {
      return add(
        Finding(
          time: time, kind: .lost, address: "-", reason: "\(end.reason)", code: end.reason.raw,
          usually: Self.cause(of: end.reason.raw)))
    }
    let link = links.remove(at: place)
    // A requested end is not a loss, but may end a request.
    if link.isEndedByUs, end.reason.raw == 0x16 || end.reason.raw == 0x13 { return unanswered(link, at: time) }
    let signal = heard.first { $0.address == link.address }?.signal.filter { time - $0.at < .seconds(30) }.map(\.dBm) ?? []
    add(
      Finding(
        time: time, kind: .lost, address: link.address, reason: "\(end.reason)", code: end.reason.raw, lasted: time - link.since,
        silent: link.heard.map { time - $0 }, last: link.last,
        outstanding: link.asked.map { "\($0.text), \(Self.span(time - $0.at)) before" },
        signal: signal, usually: Self.cause(of: end.reason.raw)))
  }

  private mutating func take(_ packet: ACLPacket, isSent: Bool, at time: WallTime) {
    guard packet.boundary.isFirst, packet.data.count > 4 else {
      if !isSent { change(packet.handle.raw) { $0.heard = time } }
      return
    }
    let channel = UInt16(packet.data[2]) | UInt16(packet.data[3]) << 8
    let payload = Array(packet.data[4...])
    // A PDU in several packets is recognised by its first.
    let whole = Int(packet.data[0]) | Int(packet.data[1]) << 8
    var reader = payload.span.bytes
    guard channel == 0x0004, whole == payload.count, let pdu = try? ATTPDU(reading: &reader) else {
      if !isSent {
        change(packet.handle.raw) {
          $0.heard = time
          $0.last = channel == 0x0006 ? "a pairing packet" : channel == 0x0005 ? "an L2CAP signal" : "part of a value"
          if channel == 0x0004 { $0.asked = nil }
        }
      }
      return
    }
    guard let place = links.firstIndex(where: { $0.handle == packet.handle.raw }) else { return }
    if isSent {
      if let text = Self.request(pdu, links[place].names) { links[place].asked = (text, time) }
      if case .readByTypeRequest(_, let type) = pdu { links[place].asksTypes = type.short == 0x2803 }
      return
    }
    links[place].heard = time
    links[place].last = Self.word(pdu, links[place].names)
    switch pdu {
    case .errorResponse(_, let handle, let code):
      let asked = links[place].asked?.text
      links[place].asked = nil
      // Discovery ends with this error.
      guard code != .attributeNotFound else { return }
      add(
        Finding(
          time: time, kind: .refused, address: links[place].address, reason: "\(code.name) (0x\(Hex.text(code.raw)))",
          code: code.raw,
          outstanding: asked ?? Self.name(handle.raw, links[place].names), usually: Self.cause(ofRefusal: code)))
    case .handleValueNotification, .handleValueIndication, .multipleHandleValueNotification: break
    case .readByTypeResponse(let values):
      if links[place].asksTypes { learn(values, place) }
      links[place].asked = nil
    default: if Self.request(pdu, []) == nil { links[place].asked = nil }
    }
  }

  /// Reads declarations of characteristics: properties, value handle, UUID (Vol 3, Part G, 4.6.1).
  private mutating func learn(_ values: [HandleValue], _ place: Int) {
    for value in values where value.value.count >= 5 && links[place].names.count < Self.mostNames {
      let handle = UInt16(value.value[1]) | UInt16(value.value[2]) << 8
      let uuid = value.value.count == 5 ? UUID(UInt16(value.value[3]) | UInt16(value.value[4]) << 8) : nil
      guard let uuid, let name = AssignedNumbers.name(ofCharacteristic: uuid) else { continue }
      links[place].names.append((handle, name))
    }
  }

  private mutating func unanswered(_ link: Link, at time: WallTime) {
    guard let asked = link.asked, time - asked.at >= .seconds(1) else { return }
    add(
      Finding(
        time: time, kind: .unanswered, address: link.address, reason: "no answer for \(Self.span(time - asked.at))", code: 0,
        silent: link.heard.map { time - $0 }, last: link.last, outstanding: asked.text,
        usually: "the device is busy, waiting for something itself, or hung; a longer `within` gives it more time"))
  }

  private mutating func change(_ handle: UInt16, _ work: (inout Link) -> Void) {
    if let place = links.firstIndex(where: { $0.handle == handle }) { work(&links[place]) }
  }

  private mutating func add(_ finding: Finding) {
    if findings.count == Self.mostFindings { findings.removeFirst() }
    findings.append(finding)
  }

  // MARK: Descriptions

  private static func name(_ handle: UInt16, _ names: [(handle: UInt16, name: String)]) -> String {
    names.first { $0.handle == handle }?.name ?? "handle 0x\(Hex.text(handle))"
  }

  /// The description of a request; `nil` for a PDU without a response.
  private static func request(_ pdu: ATTPDU, _ names: [(handle: UInt16, name: String)]) -> String? {
    switch pdu {
    case .exchangeMTURequest: "exchange of the MTU"
    case .readByTypeRequest(_, let type) where !(0x2800...0x2803).contains(type.short ?? 0x2800):
      "read of \(AssignedNumbers.name(ofCharacteristic: type) ?? "\(type)")"
    case .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readByGroupTypeRequest: "discovery"
    case .readRequest(let handle), .readBlobRequest(let handle, _): "read of \(name(handle.raw, names))"
    case .readMultipleRequest, .readMultipleVariableRequest: "read of several values"
    case .writeRequest(let handle, _), .prepareWriteRequest(let handle, _, _): "write of \(name(handle.raw, names))"
    case .executeWriteRequest: "write of a long value"
    case .handleValueIndication(let handle, _): "indication of \(name(handle.raw, names))"
    default: nil
    }
  }

  private static func word(_ pdu: ATTPDU, _ names: [(handle: UInt16, name: String)]) -> String {
    switch pdu {
    case .handleValueNotification(let handle, _): "a notification of \(name(handle.raw, names))"
    case .handleValueIndication(let handle, _): "an indication of \(name(handle.raw, names))"
    case .errorResponse: "a refusal"
    default: request(pdu, names) == nil ? "an answer" : "a request of its own"
    }
  }

  /// Such as `3.9 s`.
  package static func span(_ span: TimeSpan) -> String {
    let tenths = max(0, span.milliseconds + 50) / 100
    return "\(tenths / 10).\(tenths % 10) s"
  }

  private static func cause(of reason: UInt8) -> String? {
    switch reason {
    case 0x08:
      "the device was out of range or had no power, or another radio interfered; move it closer; `reconnect forever` waits for it"
    case 0x13: "the device ended the link itself: it went to sleep, expects to be paired, or accepts only short connections"
    case 0x14: "the device has no room for this link: end its other links, or restart it"
    case 0x15: "the device was switched off"
    case 0x16: "this side ended the link; another program may have, or the adapter was reset"
    case 0x05, 0x06: "the device no longer has the keys of the last pairing, or has other ones: pair it again"
    case 0x22: "the device's link layer did not answer in time: it hangs, or its firmware has a defect"
    case 0x28: "a change of the parameters came too late, as happens with a weak signal"
    case 0x3B: "the device insists on another connection interval"
    case 0x3D: "an encrypted packet was wrong: the keys do not match, or someone is interfering"
    case 0x3E: "the device did not answer the first packets: it was at the edge of its range, or it connected to another host"
    case 0x09: "the adapter has reached its limit of links"
    case 0x0D, 0x0E, 0x0F: "the device rejected this link"
    case 0x3C: "the device did not accept the connection in time"
    default: nil
    }
  }

  private static func cause(ofRefusal code: ATTError) -> String? {
    if code.needsSecurity { return "the device must be paired first: `pair` in the recipe" }
    switch code {
    case .readNotPermitted: return "this attribute cannot be read; `tooth info` shows what each can do"
    case .writeNotPermitted: return "this attribute cannot be written; `tooth info` shows what each can do"
    case .invalidAttributeValueLength: return "the device expects a value of another length"
    case .invalidHandle: return "the attributes of the device have changed since they were discovered"
    case .insufficientAuthorization: return "the device allows this only to authorised hosts; see its manual"
    case .insufficientResources, .prepareQueueFull: return "the device has no memory left for this: restart it"
    default: return code.raw >= 0x80 && code.raw < 0xA0 ? "the device defines this error itself; see its manual" : nil
    }
  }
}
