package import Exchange
import Packets
package import Vocabulary

/// The attribute bearer of one link, client and server side, as a value (Vol 3, Part F and Part G).
///
/// Call `start` when the link is up, `receive` for each PDU of channel 4, `submit` and `cancel` for
/// the client's operations, `handedOver` and `delivered` for each PDU sent, first in, first out;
/// `wake` when `nextDeadline` has come; `lost` once at the end. One request at a time; operations
/// queue in order.
package struct GattPeer: Equatable, Sendable {
  /// How far what an earlier link found out is believed.
  enum Trust: UInt8, Sendable {
    /// Nothing was known before this link.
    case fresh
    /// To be proved before its first use.
    case unchecked
    /// The Database Hash is the same.
    case proven
    /// The probe was answered as expected.
    case probed
  }

  var peer: Address
  let isCentral: Bool
  let preferredMTU: UInt16
  /// ATT_MTU, 23 to 517.
  package internal(set) var mtu = AttributeLimits.smallestMTU
  package internal(set) var knowledge: GattKnowledge
  var trust: Trust
  /// The link is to be encrypted with a bond, and is not yet: whatever comes may be an impostor's.
  var isUnproven = false
  /// An indication came before that, and may have told of a change.
  var hasMissedIndication = false
  /// The bond that encrypts the link, by when it was made.
  var bond: WallTime?
  /// What is known is believed because the peer has promised to tell changes.
  var isPromised = false
  /// When subscriptions that were believed are written again.
  var renewsAt: Moment?
  /// Declarations that an earlier link found and this one has not: errors on them make discovery
  /// start over.
  var earlier: [AttributeHandle]

  var isReady = false
  var isDead = false
  var outstanding: OutstandingRequest?
  var current: Operation?
  var queue: [Operation] = []

  // PDUs sent, handed to the controller, acknowledged by the peer's link layer
  var sent: UInt64 = 0
  var handed: UInt64 = 0
  var acknowledgedByRadio: UInt64 = 0
  /// The Write Command that has not left the host yet.
  var awaitedHandover: UInt64?

  var subscriptions: [Subscription] = []
  var kept: [KeptValue] = []
  /// Values that could not be kept.
  var overflow = 0
  var indications: [AwaitedIndication] = []
  var nextToken: UInt64 = 1

  // What is done when the bearer is idle, or at last when it is not
  var idleSince: Moment?
  var owedSince: Moment?
  var hashIsRead = false
  var serviceChangedIsDone = false

  /// Our server's side of the link.
  var session: ServerSession

  package init(peer: Address, isCentral: Bool, preferredMTU: UInt16 = AttributeLimits.largestMTU, knowledge: GattKnowledge? = nil) {
    self.peer = peer
    self.isCentral = isCentral
    self.preferredMTU = max(AttributeLimits.smallestMTU, min(preferredMTU, AttributeLimits.largestMTU))
    self.knowledge = knowledge ?? GattKnowledge()
    trust = self.knowledge.isEmpty ? .fresh : .unchecked
    earlier = self.knowledge.services.flatMap { $0.characteristics.map(\.declaration) }
    session = ServerSession(peer: peer)
  }

  /// Whether what is known was found on this link, or proved on it.
  var isBelieved: Bool { trust != .unchecked }

  // MARK: Facts

  /// The link is up. A central exchanges the MTU first; a peripheral waits to be asked.
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

  /// One PDU of channel 4.
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

  /// An operation of a client. `readRSSI` and `pair` are the link's own and never
  /// come here.
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

  /// Withdraws an operation. A request that was sent stays outstanding, and its answer is awaited
  /// before anything else is asked.
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
    // what stands in the link's queue still goes out
    if delivery == .notSent, takesEffect(operation) { delivery = .maybe }
    disarm(operation)
    outstanding?.isOrphan = true
    if case .writingLong(let procedure, _) = operation.stage, !procedure.isExecuting {
      queue.insert(Operation(.withdrawPrepared), at: 0)
    }
    complete(operation, .failure(Self.cancelled(delivery)), &effects)
    advance(&effects, now)
    return effects
  }

  /// A client has let go of a link that others still use: nothing is done for it any more, and what
  /// only it subscribed to is taken back.
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

  /// The oldest PDU that was sent has left the host for the controller.
  package mutating func handedOver(server: inout GattServer, at now: Instant) -> [GattEffect] {
    var effects: [GattEffect] = []
    if handed < sent { handed += 1 }
    sendWaiting(&server, &effects)
    advance(&effects, now)
    return effects
  }

  /// The oldest PDU at the controller was acknowledged by the peer's link layer.
  package mutating func delivered(at now: Instant) -> [GattEffect] {
    if acknowledgedByRadio < handed { acknowledgedByRadio += 1 }
    return []
  }

  /// The number under which an indication was reported.
  package mutating func indicationReported(token: UInt64, owner: OwnerID, number: EventNumber) {
    for place in indications.indices {
      for part in indications[place].parts.indices
      where indications[place].parts[part].token == token && indications[place].parts[part].owner == owner {
        indications[place].parts[part].number = number
      }
    }
  }

  /// Everything up to this event is committed by its owner: indications among it are confirmed.
  package mutating func acknowledged(owner: OwnerID, _ number: EventNumber, at now: Instant) -> [GattEffect] {
    var effects: [GattEffect] = []
    for place in indications.indices {
      for part in indications[place].parts.indices {
        let told = indications[place].parts[part]
        if told.owner == owner, let reported = told.number, reported <= number {
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

  /// The link is gone. Every operation fails, and says how far it came.
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
    // asked for after each packet: nothing is copied or allocated
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
    if let at = renewsAt, at <= now.moment { renewPromised() }
    if let since = idleSince, since + AttributeLimits.idle <= now.moment { takeIdleWork() }
    advance(&effects, now)
    return effects
  }

  /// ATT's transaction timer has fired: no more PDUs, and the link is closed (rule 10).
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
      if failure.delivered == .notSent, takesEffect(operation) { failure.delivered = .maybe }
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

  /// A secret is being written or read.
  var hides: Bool { current?.isHidden ?? false || outstanding?.isHidden ?? false }

  // MARK: Outcomes

  /// Reports how a client's operation ended; nobody is told about our own.
  mutating func complete(_ operation: Operation, _ result: Result<Outcome, Failure>, _ effects: inout [GattEffect]) {
    guard case .client(let owner, let id, let request) = operation.work else { return }
    if case .failure(let failure) = result, failure.kind == .needsPairing, let level = operation.securesFrom {
      effects.append(.wantsSecurity(owner, id, operation.isHidden ? .hidden(request) : request, failure, from: level))
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

  /// Whether what is outstanding for an operation changes something at the peer.
  func takesEffect(_ operation: Operation) -> Bool {
    switch operation.stage {
    case .writing, .configuring: outstanding?.purpose == .operation && outstanding?.isOrphan == false
    case .writingLong(let procedure, _): procedure.isExecuting
    case .commanding: true
    case .planning, .reading, .readingByUUID, .deciding: false
    }
  }

  /// How far the effect of an operation got. Prepared writes that were not executed have none.
  func delivery(of operation: Operation) -> Failure.Delivery {
    guard takesEffect(operation) else { return .notSent }
    let number = outstanding?.number ?? awaitedHandover ?? sent
    if number <= acknowledgedByRadio { return .reachedRadio }
    return number <= handed ? .maybe : .notSent
  }
}
