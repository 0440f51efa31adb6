package import Exchange
import Packets
package import Vocabulary

/// The server side of a link.
extension GattPeer {
  /// Handles requests, commands and confirmations of the peer.
  mutating func receiveRequest(_ bytes: [UInt8], _ server: inout GattServer, _ effects: inout [GattEffect], _ now: Instant) {
    if bytes == [ATTOpcode.handleValueConfirmation] {
      confirmed(&server, &effects, now)
      return
    }
    if case .exchangeMTURequest(let theirs)? = try? ATTPDU(encoded: bytes, name: "ATT PDU") {
      // The old MTU applies to this response, which fits (Vol 3, Part F, 3.4.2.2).
      send(.exchangeMTUResponse(preferredMTU), &effects)
      let common = max(mtu, max(AttributeLimits.smallestMTU, min(preferredMTU, theirs)))
      if common != mtu {
        mtu = common
        if isReady { effects.append(.ready(mtu: common)) }
      }
      return
    }
    let outputs = server.answer(bytes, &session, mtu: Int(mtu))
    let isRefused = outputs.contains {
      if case .send(.errorResponse(_, _, .insufficientAuthentication)) = $0 { true } else { false }
    }
    if isRefused, session.isEncrypted, !session.isAuthenticated { effects.append(.authenticationMissing) }
    perform(outputs, &effects)
    timeRequest(now)
  }

  private mutating func timeRequest(_ now: Instant) {
    if let waiting = session.waiting, waiting.since == nil { session.waiting?.since = now.moment }
  }

  /// When a request is refused whose owner is away, before the central gives up (Vol 3, Part F,
  /// 3.3.3).
  package var requestExpires: Moment? { session.waiting?.since.map { $0 + AttributeLimits.absentOwner } }
  /// The request that waits for its owner.
  package var waitingRequest: ServerRequestID? { session.waiting?.id }

  private mutating func perform(_ outputs: [ServerOutput], _ effects: inout [GattEffect]) {
    for output in outputs {
      switch output {
      case .send(let pdu): send(pdu, &effects)
      case .report(let owner, let event): effects.append(.report(owner, event))
      }
    }
  }

  /// Takes the owner's answer to a `readRequested` or `writeRequested`. Does nothing if the request
  /// is not of this link.
  package mutating func answer(_ id: ServerRequestID, _ answer: ServerAnswer, server: inout GattServer, at now: Instant)
    -> [GattEffect]
  {
    var effects: [GattEffect] = []
    guard !isDead, let outputs = server.answered(id, answer, &session, mtu: Int(mtu)) else { return effects }
    perform(outputs, &effects)
    timeRequest(now)
    return effects
  }

  /// Sends what `beginPublication` stored, if it is for this peer and the peer has subscribed.
  package mutating func sendPublication(server: inout GattServer, at now: Instant) -> [GattEffect] {
    var effects: [GattEffect] = []
    guard !isDead, let last = server.publications.indices.last, !server.publications[last].isWhole else { return effects }
    let publication = server.publications[last]
    guard publication.to == nil || publication.to == peer, let place = server.place(of: publication.attribute),
      let configuration = server.attributes[place].handle.next
    else { return effects }
    // A subscriber that asked only for the other kind gets that.
    let wanted = session.configuration(configuration)
    let other: SubscriptionKind = publication.kind == .notify ? .indicate : .notify
    let kind = wanted & UInt16(publication.kind.rawValue) != 0 ? publication.kind : other
    guard wanted & UInt16(kind.rawValue) != 0 else { return effects }
    // A value that is too long is cut, and the client reads the rest (Vol 3, Part F, 3.4.7.1).
    let value = Array(publication.value.prefix(Int(mtu) - 3))
    let handle = server.attributes[place].handle
    server.publications[last].reached += 1
    switch kind {
    case .notify:
      if session.notifications.isEmpty, sent - handed < AttributeLimits.unsent {
        send(.handleValueNotification(handle, value), &effects)
        return effects
      }
      guard session.notifications.count < AttributeLimits.notifications else {
        server.publications[last].failure = Failure(
          .refused, "\(AttributeLimits.notifications) notifications are already waiting for \(peer)", blame: .ours, layer: .att,
          delivered: .notSent)
        return effects
      }
      server.publications[last].awaited += 1
      session.notifications.append(
        ServerSession.Indication(
          pdu: .handleValueNotification(handle, value), publication: publication.id, owner: publication.owner))
    case .indicate:
      guard session.indications.count < AttributeLimits.indications else {
        server.publications[last].failure = Failure(
          .refused, "\(AttributeLimits.indications) indications are already waiting for \(peer)", blame: .peer, layer: .att,
          delivered: .notSent)
        return effects
      }
      server.publications[last].awaited += 1
      indicate(
        ServerSession.Indication(pdu: .handleValueIndication(handle, value), publication: publication.id, owner: publication.owner),
        &effects, now)
    }
    return effects
  }

  /// The server's table was replaced. Informs a subscriber of Service Changed and drops the other
  /// subscriptions with their handles.
  package mutating func tableChanged(server: inout GattServer, at now: Instant) -> [GattEffect] {
    var effects: [GattEffect] = []
    guard !isDead else { return effects }
    perform(server.abandon(&session, mtu: Int(mtu)), &effects)
    let changed = server.attributes.first { $0.type == UUID(0x2A05) && $0.properties.contains(.indicate) }
    let configuration = changed?.handle.next
    session.configurations.removeAll { $0.handle != configuration }
    for notification in session.notifications { server.settled(notification) }
    session.notifications = []
    effects += server.finished()
    session.prepared = []
    session.lastRead = nil
    session.isChanged = true
    if let changed, let configuration, session.configuration(configuration) & 2 != 0 {
      indicateServiceChanged(changed.handle, &effects, now)
    }
    return effects
  }

  /// Restores the configuration of a bonded central, unless the table is another (Vol 3, Part G,
  /// 2.5.2).
  mutating func remember(_ memory: ServerMemory, server: inout GattServer, at now: Instant) -> [GattEffect] {
    var effects: [GattEffect] = []
    guard !isDead else { return effects }
    let isSame = memory.table == server.fingerprint
    let changed = server.attributes.first { $0.type == UUID(0x2A05) && $0.properties.contains(.indicate) }
    for kept in memory.configurations where session.configuration(kept.handle) == 0 {
      guard case .configuration(let id)? = server.attribute(kept.handle)?.content, isSame || kept.handle == changed?.handle.next
      else { continue }
      perform(server.configure(kept.handle, id, kept.value, &session), &effects)
    }
    session.features |= memory.features
    session.isChanged = !isSame
    if !isSame, let changed, let configuration = changed.handle.next, session.configuration(configuration) & 2 != 0 {
      indicateServiceChanged(changed.handle, &effects, now)
    }
    return effects
  }

  private mutating func indicateServiceChanged(_ handle: AttributeHandle, _ effects: inout [GattEffect], _ now: Instant) {
    indicate(
      ServerSession.Indication(pdu: .handleValueIndication(handle, HandleRange.all.encoded), publication: nil, owner: nil),
      &effects, now)
  }

  /// Sends waiting notifications if there is room.
  mutating func sendWaiting(_ server: inout GattServer, _ effects: inout [GattEffect]) {
    while !isDead, !session.notifications.isEmpty, sent - handed < AttributeLimits.unsent {
      let next = session.notifications.removeFirst()
      send(next.pdu, &effects)
      server.settled(next)
      effects += server.finished()
    }
  }

  /// Sends an indication, one at a time (Vol 3, Part F, 3.3.2).
  private mutating func indicate(_ indication: ServerSession.Indication, _ effects: inout [GattEffect], _ now: Instant) {
    session.indications.append(indication)
    guard session.indicationSince == nil else { return }
    session.indicationSince = now.moment
    send(indication.pdu, &effects)
  }

  private mutating func confirmed(_ server: inout GattServer, _ effects: inout [GattEffect], _ now: Instant) {
    guard session.indicationSince != nil, !session.indications.isEmpty else { return }
    server.settled(session.indications.removeFirst())
    effects += server.finished()
    session.indicationSince = nil
    if let next = session.indications.first {
      session.indicationSince = now.moment
      send(next.pdu, &effects)
    }
  }
}
