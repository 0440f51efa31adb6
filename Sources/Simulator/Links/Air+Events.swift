import Packets
import Vocabulary

/// Connection events.
extension Air {
  /// Exchanges packets in turn, central first, while either side has more (Vol 6, Part B, 4.5.6). A
  /// lost packet is sent again at the next event. A packet that arrived without its acknowledgement
  /// is not delivered twice (4.5.9).
  mutating func connectionEvent(_ index: Int, _ event: Int64) {
    links[index].catchUp(to: now)
    links[index].lastStepped = event
    let chance = lossOnLink(index)
    // An exchange of two full PDUs takes about 2.5 ms with its gaps.
    let capacity = min(max(Int(links[index].intervalUnits) / 2, 1), 6)
    var isMissed = false
    var done: (central: UInt16, peripheral: UInt16) = (0, 0)
    for _ in 0..<capacity {
      if links[index].random.chance(chance) {
        isMissed = true
        break
      }
      hears(index, .peripheral)
      let isCentralSending = hasReady(index, .central)
      if isCentralSending { receive(index, from: .central) }
      if links[index].random.chance(chance) {
        isMissed = true
        break
      }
      hears(index, .central)
      if isCentralSending { done.central += acknowledge(index, .central) }
      let isPeripheralSending = links[index].isConnected && hasReady(index, .peripheral)
      if isPeripheralSending {
        receive(index, from: .peripheral)
        done.peripheral += acknowledge(index, .peripheral)
      }
      guard links[index].isConnected, isCentralSending || isPeripheralSending else { break }
    }
    links[index].wasMissed = isMissed
    if !isMissed { links[index].lastMutual = event }
    reportCompletedPackets(index, .central, done.central)
    reportCompletedPackets(index, .peripheral, done.peripheral)
  }

  private func lossOnLink(_ index: Int) -> Double {
    let central = controllers[links[index].central.controller].loss
    let peripheral = controllers[links[index].peripheral.controller].loss
    if loss <= 0, central <= 0, peripheral <= 0 { return 0 }
    return 1 - (1 - loss) * (1 - central) * (1 - peripheral)
  }

  private func hasReady(_ index: Int, _ role: LinkRole) -> Bool {
    guard let item = links[index][role].first else { return false }
    return item.readyAt <= now
  }

  private mutating func hears(_ index: Int, _ role: LinkRole) {
    guard links[index][role].isAlive else { return }
    links[index][role].lastHeard = now
    guard !links[index][role].isEstablished else { return }
    links[index][role].isEstablished = true
    record(
      AirRecord(
        time: now, kind: .established, from: links[index][role].address, to: links[index][role.other].address,
        link: links[index].number))
    if controllers[links[index][role].controller].suggestedOctets > 27 {
      links[index][role].append(LinkItem(content: .control(.dataLength), readyAt: now))
    }
  }

  private mutating func reportCompletedPackets(_ index: Int, _ role: LinkRole, _ count: UInt16) {
    guard count > 0, links[index][role].isAlive else { return }
    emit(
      .numberOfCompletedPackets([CompletedPackets(handle: links[index][role].handle, count: count)]), links[index][role].controller)
  }

  /// Delivers the first item of `role` to its peer.
  private mutating func receive(_ index: Int, from role: LinkRole) {
    guard let item = links[index][role].first, !item.isReceived else { return }
    links[index][role].markFirstReceived()
    if links[index][role.other].isEncrypted { payloadHeard(index, role.other) }
    switch item.content {
    case .data(let bytes, let isFirst): receiveData(item, bytes, isFirst: isFirst, index, from: role)
    case .control(let procedure):
      if case .terminate(let reason) = procedure {
        record(
          AirRecord(
            time: now, kind: .terminate, from: links[index][role].address, to: links[index][role.other].address,
            link: links[index].number, reason: reason))
      } else {
        record(
          AirRecord(
            time: now, kind: .control, from: links[index][role].address, to: links[index][role.other].address,
            link: links[index].number, note: procedure.name))
      }
      received(procedure, index, from: role)
    }
  }

  private mutating func receiveData(_ item: LinkItem, _ bytes: [UInt8], isFirst: Bool, _ index: Int, from role: LinkRole) {
    let peer = role.other
    let receiver = links[index][peer].controller
    if isFirst, bytes.count > 4, bytes[2] == 4, bytes[3] == 0, let refusal = controllers[receiver].faults.refusal,
      AttributeOpcode.isRequest(bytes[4]), refusal.opcode == nil || refusal.opcode == bytes[4]
    {
      controllers[receiver].faults.refusal = nil
      let handle = bytes.count > 6 ? UInt16(bytes[5]) | UInt16(bytes[6]) << 8 : 0
      links[index][peer].refusal = (bytes[4], handle, refusal.error)
    }
    let refusal = links[index][peer].refusal
    if refusal == nil {
      emit(
        .acl(ACLPacket(handle: links[index][peer].handle, boundary: isFirst ? .firstFlushable : .continuing, data: bytes)), receiver
      )
    }
    guard item.endsFrame, let frame = links[index][role].takeFrame() else { return }
    recordFrame(
      frame, index, role, delivered: true, toHost: controllers[receiver].hasHost && refusal == nil,
      note: refusal == nil ? nil : "refused by order")
    guard let refusal else { return }
    links[index][peer].refusal = nil
    let answer: [UInt8] = [
      5, 0, 4, 0, 0x01, refusal.request, UInt8(truncatingIfNeeded: refusal.handle), UInt8(truncatingIfNeeded: refusal.handle >> 8),
      refusal.error,
    ]
    links[index][peer].begin(LinkFrame(sent: now, bytes: answer))
    links[index][peer].append(LinkItem(content: .data(answer, isFirst: true), readyAt: now, endsFrame: true))
  }

  /// The first item of `role` was acknowledged. Returns how many packets of the host are complete
  /// with it.
  private mutating func acknowledge(_ index: Int, _ role: LinkRole) -> UInt16 {
    guard links[index][role].isAlive, let item = links[index][role].first else { return 0 }
    links[index][role].removeFirst()
    if case .control(let procedure) = item.content { acknowledged(procedure, index, by: role) }
    guard item.returnsCredit else { return 0 }
    links[index][role].outstanding -= 1
    controllers[links[index][role].controller].outstanding -= 1
    return 1
  }

  /// Takes a packet of data from a host.
  mutating func accept(_ packet: ACLPacket, _ controller: Int) {
    guard let (index, role) = link(packet.handle, controller) else {
      // The link may have ended while the packet was on its way to the controller, which is not the
      // host's error.
      record(AirRecord(time: now, kind: .orphan, from: controllers[controller].identity, bytes: packet.data))
      return
    }
    let model = controllers[controller].model
    guard packet.data.count <= Int(model.aclLength) else { return violation(controller, "a packet longer than the buffer") }
    guard controllers[controller].outstanding < Int(model.aclCount) else {
      violation(controller, "more packets than credits")
      return emit(.dataBufferOverflow(linkType: 1), controller)
    }
    guard packet.boundary != .complete, packet.broadcast == 0 else { return violation(controller, "flags that LE does not have") }
    links[index].catchUp(to: now)
    if packet.boundary.isFirst {
      if let open = links[index][role].openFrame, !open.isComplete {
        violation(controller, "a frame begun before the last one was whole")
        links[index][role].dropFrame()
      }
      links[index][role].begin(LinkFrame(sent: now, bytes: packet.data))
      if packet.data.count > 4, packet.data[2] == 4, packet.data[3] == 0, losesReply(packet.data[4], index, role) { return }
      if packet.data.count > 4, packet.data[2] == 6, packet.data[3] == 0 { disturbPairing(packet.data[4], index, role) }
    } else {
      guard let open = links[index][role].openFrame, !open.isComplete else {
        return violation(controller, "a continuation of no frame")
      }
      links[index][role].extendFrame(packet.data)
    }
    let open = links[index][role].openFrame
    if let open, let total = open.total, open.bytes.count > total {
      violation(controller, "a frame longer than it says")
      links[index][role].dropFrame()
      return
    }
    let isComplete = open?.isComplete ?? false
    if links[index][role].swallowsFrame {
      if isComplete, let frame = links[index][role].takeFrame() {
        links[index][role].swallowsFrame = false
        recordFrame(frame, index, role, delivered: false, note: "lost by order")
        if let reason = links[index][role].pairingRefusal {
          links[index][role].pairingRefusal = nil
          let refusal: [UInt8] = [2, 0, 6, 0, 5, reason]
          links[index][role].begin(LinkFrame(sent: now, bytes: refusal))
          links[index][role].append(LinkItem(content: .data(refusal, isFirst: true), readyAt: now, endsFrame: true))
          reschedule(index)
        }
      }
      return reportCompletedPackets(index, role, 1)
    }
    queue(packet, index, role, endsFrame: isComplete)
    links[index][role].outstanding += 1
    controllers[controller].outstanding += 1
    reschedule(index)
  }

  private mutating func queue(_ packet: ACLPacket, _ index: Int, _ role: LinkRole, endsFrame: Bool) {
    let readyAt = now + controllers[links[index][role].controller].delay
    let octets = max(27, Int(links[index][role].octets))
    guard packet.data.count > octets else {
      links[index][role].append(
        LinkItem(
          content: .data(packet.data, isFirst: packet.boundary.isFirst), readyAt: readyAt, returnsCredit: true, endsFrame: endsFrame
        ))
      return
    }
    var start = 0
    while start < packet.data.count {
      let end = min(start + octets, packet.data.count)
      let isLast = end == packet.data.count
      links[index][role].append(
        LinkItem(
          content: .data(Array(packet.data[start..<end]), isFirst: packet.boundary.isFirst && start == 0), readyAt: readyAt,
          returnsCredit: isLast, endsFrame: endsFrame && isLast))
      start = end
    }
  }

  /// Applies an armed fault to a PDU of pairing that begins.
  private mutating func disturbPairing(_ code: UInt8, _ index: Int, _ role: LinkRole) {
    let controller = links[index][role].controller
    guard let (wanted, fault) = controllers[controller].faults.pairing, wanted == nil || wanted == code else { return }
    links[index][role].swallowsFrame = true
    controllers[controller].faults.pairing = fault == .silence ? (nil, .silence) : nil
    if case .refusal(let reason) = fault { links[index][role].pairingRefusal = reason }
  }

  /// Whether a fault must lose this response, and what it does to the link.
  private mutating func losesReply(_ opcode: UInt8, _ index: Int, _ role: LinkRole) -> Bool {
    let controller = links[index][role].controller
    guard let lost = controllers[controller].faults.lostReply, AttributeOpcode.isResponse(opcode),
      lost.opcode == nil || lost.opcode == opcode
    else { return false }
    controllers[controller].faults.lostReply = nil
    switch lost.then {
    case .linkTimesOut:
      sever(index)
      return false
    case .linkDrops:
      drop(index)
      return true
    case .silence:
      links[index][role].swallowsFrame = true
      return false
    }
  }
}

/// The few facts about ATT that the faults need (Vol 3, Part F, 3.4.8).
enum AttributeOpcode {
  /// Requests have even opcodes without the command flag; notifications, indications and
  /// confirmations are not requests.
  static func isRequest(_ opcode: UInt8) -> Bool { opcode & 0x41 == 0 && opcode != 0x1E && opcode != 0 }

  static func isResponse(_ opcode: UInt8) -> Bool { opcode & 0x41 == 0x01 && opcode != 0x1B && opcode != 0x1D && opcode != 0x23 }
}
