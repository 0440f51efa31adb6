package import Exchange
import Packets
package import Vocabulary

/// The attribute bearer of one link, client and server side, as a value (Vol 3, Part F and Part G).
///
/// Call `start` when the link is up, `receive` for each PDU of channel 4, `submit` and `cancel` for
/// the client's operations, `handedOver` and `delivered` for each PDU sent, first in, first out,
/// `wake` when `nextDeadline` is due, and `lost` once at the end. It sends one request at a time;
/// operations wait in order.
package struct GattPeer: Equatable, Sendable {
  /// How far the attribute cache of an earlier link is trusted.
  enum Trust: UInt8, Sendable {
    /// There was no cache.
    case fresh
    /// The cache must be validated before its first use.
    case unchecked
    /// The Database Hash is unchanged.
    case proven
    /// The probe was answered as expected.
    case probed
  }

  var peer: Address
  let isCentral: Bool
  let preferredMTU: UInt16
  /// The ATT_MTU, 23 to 517.
  package internal(set) var mtu = AttributeLimits.smallestMTU
  package internal(set) var attributeCache: AttributeCache
  var trust: Trust
  /// Whether a bond must still encrypt the link. Until then, any PDU may come from an impostor.
  var isUnproven = false
  /// Whether an indication arrived before that; it may have reported a change.
  var hasMissedIndication = false
  /// The bond that encrypts the link, identified by when it was made.
  var bond: WallTime?
  /// Whether the cache is trusted because the peer has promised to report changes.
  var usesBondedState = false
  /// When trusted subscriptions are written again.
  var renewsAt: Moment?
  /// Declarations from an earlier link that this one has not confirmed. Errors on them restart
  /// discovery.
  var earlier: [AttributeHandle]

  var isReady = false
  var isDead = false
  var outstanding: OutstandingRequest?
  var current: Operation?
  var queue: [Operation] = []

  // PDUs sent, given to the controller, and acknowledged by the peer's link layer.
  var sent: UInt64 = 0
  var handed: UInt64 = 0
  var acknowledgedByRadio: UInt64 = 0
  /// The number of the Write Command that has not left the host yet.
  var awaitedHandover: UInt64?

  var subscriptions: [Subscription] = []
  var kept: [KeptValue] = []
  /// The number of values that were dropped for lack of room.
  var overflow = 0
  var indications: [AwaitedIndication] = []
  var nextToken: UInt64 = 1

  // Work for when the bearer is idle, or when it is overdue.
  var idleSince: Moment?
  var idleWorkSince: Moment?
  var hashIsRead = false
  var serviceChangedIsDone = false

  /// The server side of the link.
  var session: ServerSession

  package init(
    peer: Address, isCentral: Bool, preferredMTU: UInt16 = AttributeLimits.largestMTU, attributeCache: AttributeCache? = nil
  ) {
    self.peer = peer
    self.isCentral = isCentral
    self.preferredMTU = max(AttributeLimits.smallestMTU, min(preferredMTU, AttributeLimits.largestMTU))
    self.attributeCache = attributeCache ?? AttributeCache()
    trust = self.attributeCache.isEmpty ? .fresh : .unchecked
    earlier = self.attributeCache.services.flatMap { $0.characteristics.map(\.declaration) }
    session = ServerSession(peer: peer)
  }

  /// Whether the cache was discovered or validated on this link.
  var isVerified: Bool { trust != .unchecked }

  // MARK: Inputs

  /// The link is up. A central exchanges the MTU first; a peripheral waits for the request.
  package mutating func start(at now: Instant) -> [GattEffect] {
    var effects: [GattEffect] = []
    guard isCentral else {
      isReady = true
      advance(&effects, now)
      return effects
    }
    let procedure = ExchangeMTU(preferred: preferredMTU)
    if case .send(let pdu) = procedure.start() { ask(pdu, .mtu(procedure), &effects, now) }
    return effects
  }

  /// Handles one PDU of channel 4.
  package mutating func receive(_ pdu: [UInt8], server: inout GattServer, at now: Instant) -> [GattEffect] {
    var effects: [GattEffect] = []
    guard let opcode = pdu.first, !isDead else { return effects }
    if ATTOpcode.isResponse(opcode) {
      receiveResponse(pdu, &effects, now)
    } else if opcode == ATTOpcode.handleValueNotification || opcode == ATTOpcode.handleValueIndication
      || opcode == ATTOpcode.multipleHandleValueNotification
    {
      receiveValue(pdu, &effects, now)
    } else {
      receiveRequest(pdu, &server, &effects, now)
    }
    advance(&effects, now)
    return effects
  }

  /// Queues a client's operation. `readRSSI` and `pair` are handled by the link.
  package mutating func submit(
    _ owner: OwnerID, _ id: OperationID, _ request: GattRequest, securesFrom: LinkSecurity? = nil, at now: Instant
  ) -> [GattEffect] {
    var effects: [GattEffect] = []
    guard queue.count < AttributeLimits.operations else {
      let failure = Failure(
        .refused, "\(AttributeLimits.operations) operations are already waiting for this link", blame: .ours, layer: .att,
        delivered: .notSent)
      effects.append(.report(owner, .completed(id, .failure(failure))))
      return effects
    }
    if case .hidden(let inner) = request {
      queue.append(Operation(.client(owner, id, inner)))
      queue[queue.count - 1].isHidden = true
    } else {
      queue.append(Operation(.client(owner, id, request)))
    }
    queue[queue.count - 1].securesFrom = securesFrom
    advance(&effects, now)
    return effects
  }

  /// Withdraws an operation. A request that was sent stays outstanding, and no other is sent before
  /// its response.
  package mutating func cancel(_ owner: OwnerID, _ id: OperationID, at now: Instant) -> [GattEffect] {
    var effects: [GattEffect] = []
    if let place = queue.firstIndex(where: { $0.isClient(owner, id) }) {
      let operation = queue.remove(at: place)
      complete(operation, .failure(Self.cancelled(.notSent)), &effects)
      return effects
    }
    guard let operation = current, operation.isClient(owner, id) else { return effects }
    current = nil
    var delivery = delivery(of: operation)
    // A PDU in the link's queue will still be sent.
    if delivery == .notSent, isUnderWay(operation) { delivery = .maybe }
    disarm(operation)
    outstanding?.isOrphan = true
    if case .writingLong(let procedure, _) = operation.stage, !procedure.isExecuting {
      queue.insert(Operation(.withdrawPrepared), at: 0)
    }
    complete(operation, .failure(Self.cancelled(delivery)), &effects)
    advance(&effects, now)
    return effects
  }

  /// Ends all work for a client that has released a link with other owners, and cancels its own
  /// subscriptions.
  package mutating func forget(_ owner: OwnerID, at now: Instant) -> [GattEffect] {
    var effects: [GattEffect] = []
    for operation in queue + (current.map { [$0] } ?? []) {
      if case .client(owner, let id, _) = operation.work { effects += cancel(owner, id, at: now) }
    }
    for place in indications.indices { indications[place].parts.removeAll { $0.owner == owner } }
    confirmAcknowledged(&effects)
    for place in subscriptions.indices.reversed() where subscriptions[place].owners.contains(owner) {
      subscriptions[place].owners.removeAll { $0 == owner }
      guard subscriptions[place].owners.isEmpty, !isServiceChanged(subscriptions[place].reference.handle) else { continue }
      queue.append(Operation(.unsubscribe(subscriptions[place].reference.handle)))
    }
    advance(&effects, now)
    return effects
  }

  /// The oldest sent PDU was given to the controller.
  package mutating func handedOver(server: inout GattServer, at now: Instant) -> [GattEffect] {
    var effects: [GattEffect] = []
    if handed < sent { handed += 1 }
    sendWaiting(&server, &effects)
    advance(&effects, now)
    return effects
  }

  /// The peer's link layer has acknowledged the oldest PDU in the controller.
  package mutating func delivered(at now: Instant) -> [GattEffect] {
    if acknowledgedByRadio < handed { acknowledgedByRadio += 1 }
    return []
  }

  /// Stores the event number under which an indication was reported.
  package mutating func indicationReported(token: UInt64, owner: OwnerID, number: EventNumber) {
    for place in indications.indices {
      for part in indications[place].parts.indices
      where indications[place].parts[part].token == token && indications[place].parts[part].owner == owner {
        indications[place].parts[part].number = number
      }
    }
  }

  /// The owner has committed all events up to this one, which confirms the indications among them.
  package mutating func acknowledged(owner: OwnerID, _ number: EventNumber, at now: Instant) -> [GattEffect] {
    var effects: [GattEffect] = []
    for place in indications.indices {
      for part in indications[place].parts.indices {
        let entry = indications[place].parts[part]
        if entry.owner == owner, let reported = entry.number, reported <= number {
          indications[place].parts[part].isAcknowledged = true
        }
      }
    }
    confirmAcknowledged(&effects)
    return effects
  }

  private mutating func confirmAcknowledged(_ effects: inout [GattEffect]) {
    while let first = indications.first, first.parts.allSatisfy(\.isAcknowledged) {
      indications.removeFirst()
      send(.handleValueConfirmation, &effects)
    }
  }

  /// The link is gone. Every operation fails and reports how far it got.
  package mutating func lost(_ reason: DisconnectReason, server: inout GattServer, at now: Instant) -> [GattEffect] {
    var effects: [GattEffect] = []
    if let operation = current {
      current = nil
      complete(operation, .failure(Self.disconnected(reason, delivery(of: operation), outstanding)), &effects)
    }
    let waiting = queue
    queue = []
    outstanding = nil
    isDead = true
    for operation in waiting { complete(operation, .failure(Self.disconnected(reason, .notSent, nil)), &effects) }
    if overflow > 0 {
      effects.append(.reportToLinkOwners(.gap(peer, overflow)))
      overflow = 0
    }
    effects += server.lost(&session)
    return effects
  }

  // MARK: Time

  package var nextDeadline: Moment? {
    if isDead { return nil }
    // Called after every packet, so it must not copy or allocate.
    var earliest: Moment?
    if let since = outstanding?.since { earliest.advance(to: since + AttributeLimits.transaction) }
    if let indication = session.indicationSince { earliest.advance(to: indication + AttributeLimits.transaction) }
    earliest.advance(to: renewsAt)
    if let since = idleSince, hasIdleWork { earliest.advance(to: since + AttributeLimits.idle) }
    if let index = kept.indices.first(where: { kept[$0].needsConfirmation }) {
      earliest.advance(to: kept[index].at.moment + AttributeLimits.unnamedIndication)
    }
    return earliest
  }

  package mutating func wake(at now: Instant) -> [GattEffect] {
    var effects: [GattEffect] = []
    if isDead { return effects }
    if let waiting = outstanding, waiting.since + AttributeLimits.transaction <= now.moment {
      die(waiting, &effects)
      return effects
    }
    if let since = session.indicationSince, since + AttributeLimits.transaction <= now.moment {
      isDead = true
      effects.append(
        .closeLink(
          Failure(
            .timeout, "the device did not confirm an indication within 30 s (ATT transaction timeout)", blame: .peer, layer: .att)))
      return effects
    }
    confirmUnnamed(&effects, now)
    if let at = renewsAt, at <= now.moment { renewBondedSubscriptions() }
    if let since = idleSince, since + AttributeLimits.idle <= now.moment { takeIdleWork() }
    advance(&effects, now)
    return effects
  }

  /// ATT's transaction timeout: no more PDUs are sent, and the link is closed (rule 10).
  private mutating func die(_ waiting: OutstandingRequest, _ effects: inout [GattEffect]) {
    isDead = true
    var failure = Failure(
      .timeout, "no answer to \(ATTOpcode.name(waiting.pdu.opcode)) within 30 s (ATT transaction timeout)", blame: .peer,
      layer: .att,
      sent: waiting.pdu.encoded, hint: "the link is closed, as the specification requires")
    effects.append(.closeLink(failure))
    if let operation = current {
      current = nil
      failure.delivered = delivery(of: operation)
      if failure.delivered == .notSent, isUnderWay(operation) { failure.delivered = .maybe }
      complete(operation, .failure(failure), &effects)
    }
  }

  // MARK: Sending

  mutating func send(_ pdu: ATTPDU, _ effects: inout [GattEffect]) {
    sent += 1
    effects.append(.send(pdu.encoded))
  }

  mutating func ask(_ pdu: ATTPDU, _ purpose: OutstandingRequest.Purpose, _ effects: inout [GattEffect], _ now: Instant) {
    send(pdu, &effects)
    outstanding = OutstandingRequest(pdu: pdu, purpose: purpose, since: now.moment, number: sent)
    if let current, current.isHidden { outstanding?.isHidden = purpose == .operation }
  }

  /// Whether a secret is being written or read.
  var hides: Bool { current?.isHidden ?? false || outstanding?.isHidden ?? false }

  // MARK: Outcomes

  /// Reports the outcome of a client's operation. Internal operations are not reported.
  mutating func complete(_ operation: Operation, _ result: Result<Outcome, Failure>, _ effects: inout [GattEffect]) {
    guard case .client(let owner, let id, let request) = operation.work else { return }
    if case .failure(let failure) = result, failure.kind == .needsPairing, let level = operation.securesFrom {
      effects.append(.needsSecurity(owner, id, operation.isHidden ? .hidden(request) : request, failure, from: level))
      return
    }
    effects.append(.report(owner, .completed(id, result)))
  }

  static func cancelled(_ delivery: Failure.Delivery) -> Failure {
    Failure(.cancelled, "cancelled", blame: .recipe, layer: .att, delivered: delivery)
  }

  static func disconnected(_ reason: DisconnectReason, _ delivery: Failure.Delivery, _ waiting: OutstandingRequest?) -> Failure {
    Failure(
      .disconnected, "the link was lost: \(reason.text)", blame: .radio, layer: .hci, code: reason.code.map { UInt16($0) },
      sent: waiting?.pdu.encoded ?? [], delivered: delivery)
  }

  /// Whether the outstanding request of an operation changes something at the peer.
  func takesEffect(_ operation: Operation) -> Bool {
    switch operation.stage {
    case .writing, .configuring: outstanding?.purpose == .operation && outstanding?.isOrphan == false
    case .writingLong(let procedure, _): procedure.isExecuting
    case .commanding: true
    case .planning, .reading, .readingByUUID, .deciding: false
    }
  }

  /// How far the effect of an operation got, or its request for the value. Prepared writes without
  /// an execution have no effect.
  func delivery(of operation: Operation) -> Failure.Delivery {
    guard isUnderWay(operation) else { return .notSent }
    let number = outstanding?.number ?? awaitedHandover ?? sent
    if number <= acknowledgedByRadio { return .reachedRadio }
    return number <= handed ? .maybe : .notSent
  }

  /// Whether the outstanding request of an operation is the one that was asked for, and not one of
  /// those that prepare it.
  private func isUnderWay(_ operation: Operation) -> Bool {
    switch operation.stage {
    case .reading, .readingByUUID: outstanding?.purpose == .operation && outstanding?.isOrphan == false
    default: takesEffect(operation)
    }
  }
}
