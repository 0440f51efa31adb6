import Exchange
import Packets
import Vocabulary

/// ACL data in both directions: fragments, credits (rule 7) and fixed channels.
extension LEHost {
  // MARK: Receiving

  mutating func receiveData(_ bytes: [UInt8]) {
    var reader = bytes.span.bytes
    guard (try? reader.skip(1)) != nil, let head = try? reader.readUInt16(), let length = try? reader.readUInt16(),
      reader.byteCount == Int(length)
    else {
      malformed += 1
      if malformed & (malformed - 1) == 0 { note(.warning, "an ACL packet could not be read") }
      return
    }
    let handle = ConnectionHandle(head)
    guard let index = link(handle) else {
      if phase == .ready, unexpectedLink == nil {
        unexpectedLink = UnexpectedLink(handle: handle, by: now.moment + HostLimits.missedConnection)
      }
      // On USB, data may overtake the Connection Complete.
      if early.count < HostLimits.earlyPackets, arbiter.radio.initiator != .idle || arbiter.radio.advertising != nil {
        early.append(bytes)
      }
      return
    }
    let isFirst = head >> 12 & 0b11 != 1
    // A frame in one piece, the usual case, is copied once.
    if isFirst, links[index].inbound.pending == 0 {
      var whole = reader
      if let size = try? whole.readUInt16(), let channel = try? whole.readUInt16(), whole.byteCount == Int(size),
        Int(size) + 4 <= links[index].inbound.limit
      {
        links[index].inbound.restart()
        receive(L2CAPFrame(channel: channel, payload: whole.readRest()), on: handle)
        return
      }
    }
    let frame = links[index].inbound.take(first: isFirst, reader.readRest())
    if let dropped = links[index].inbound.dropped {
      links[index].inbound.dropped = nil
      links[index].dropped += 1
      if links[index].dropped == 1 { note(.warning, "\(links[index].peer) sent a broken L2CAP frame: \(dropped)") }
    }
    if let frame { receive(frame, on: handle) } else { heard(handle) }
  }

  private mutating func receive(_ frame: L2CAPFrame, on handle: ConnectionHandle) {
    heard(handle)
    guard let index = isLive(handle) else { return }
    switch frame.channel {
    case L2CAPChannel.attribute:
      let isLeaving = links[index].closingReadEnds != nil
      apply(links[index].gatt.receive(frame.payload, server: &server, at: now), to: handle)
      if isLeaving { closingReadAnswered(handle) }
    case L2CAPChannel.signalling:
      apply(links[index].signalling.receive(frame.payload), of: frame.channel, on: handle)
    case L2CAPChannel.security: secure(handle, .pdu(frame.payload))
    default:
      // No channel that this side has opened.
      links[index].dropped += 1
    }
  }

  /// Ends a link that was never reported: its Connection Complete was lost, or a Disconnection
  /// Complete was wrong. The peer does not advertise again until the link ends.
  mutating func endUnexpectedLink(_ handle: ConnectionHandle) {
    unexpectedLink = nil
    early = []
    guard phase == .ready, link(handle) == nil else { return }
    note(.warning, "the controller has a link that it did not report (\(handle.raw)): it is ended")
    send(.disconnect(handle, reason: .remoteUserTerminated), for: .disconnection(handle))
    // The attempt may have become this link.
    if case .on = arbiter.radio.initiator { arbiter.renewAttempt(isMissed: true) }
  }

  // MARK: Sending

  mutating func sendFrame(_ channel: UInt16, _ payload: [UInt8], on handle: ConnectionHandle, isHidden: Bool = false) {
    guard let index = isLive(handle) else { return }
    links[index].outbox.add(channel: channel, payload, isHidden: isHidden)
    guard links[index].outbox.waiting > HostLimits.unsentFrames else { return }
    closeLink(
      handle,
      Failure(
        .disconnected, "\(links[index].peer) keeps sending requests but accepts no answers: \(HostLimits.unsentFrames) are waiting",
        blame: .peer, layer: .l2cap))
  }

  /// The controller's buffers that only links with nothing in flight use, so that a link whose peer
  /// is gone does not keep the others waiting until its supervision timeout. A lone link leaves one
  /// for the next link, if there are enough.
  private var reserve: Int { facts.aclCount > (links.count > 1 ? 1 : 3) ? 1 : 0 }

  /// Sends one fragment of each link in turn while the controller has room.
  mutating func sendData() {
    guard facts.aclLength > 0 else { return }
    let reserve = reserve
    while credits > 0, !links.isEmpty {
      if turn >= links.count { turn = 0 }
      var place = turn
      var looked = 0
      while looked < links.count, !links[place].maySend() || credits <= reserve && links[place].outbox.inFlight > 0 {
        place = place + 1 == links.count ? 0 : place + 1
        looked += 1
      }
      guard looked < links.count else { return }
      turn = place + 1
      let handle = links[place].handle
      guard let (packet, handedOver, hiddenFrom) = links[place].outbox.next(handle: handle, length: facts.aclLength) else { return }
      credits -= 1
      if links[place].waitsSince == nil { links[place].waitsSince = now.moment }
      ring.add(packet, isSent: true, at: now.wall, hiddenFrom: hiddenFrom)
      if let hiddenFrom { out.append(.sendHidden(packet, from: hiddenFrom)) } else { out.append(.send(packet)) }
      if handedOver { apply(links[place].gatt.handedOver(server: &server, at: now), to: handle) }
    }
  }

  mutating func packetsCompleted(_ event: CompletedPackets) {
    guard let index = link(event.handle) else { return }
    let (freed, delivered, secured) = links[index].outbox.acknowledged(Int(event.count))
    credits = min(credits + freed, facts.aclCount)
    guard freed > 0 else { return }
    links[index].waitsSince = links[index].outbox.inFlight > 0 ? now.moment : nil
    // An acknowledgement by the peer's link layer counts as a packet of the peer.
    heard(event.handle)
    for _ in 0..<secured { secure(event.handle, .acknowledged) }
    for _ in 0..<delivered {
      guard let index = isLive(event.handle) else { return }
      apply(links[index].gatt.delivered(at: now), to: event.handle)
    }
  }
}
