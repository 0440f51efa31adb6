import Exchange
import Packets
import Vocabulary

/// Handling of responses.
extension GattPeer {
  mutating func receiveResponse(_ bytes: [UInt8], _ effects: inout [GattEffect], _ now: Instant) {
    guard let waiting = outstanding else {
      note("\(ATTOpcode.name(bytes[0])) was not requested and is ignored", &effects)
      return
    }
    outstanding = nil
    switch match(bytes, waiting) {
    case .success(let answer): answered(answer, bytes, waiting, &effects, now)
    case .failure(var failure):
      failure.sent = waiting.pdu.encoded
      failure.got = bytes
      broken(failure, waiting, &effects)
    }
  }

  func note(_ text: String, _ effects: inout [GattEffect]) { effects.append(.reportToLinkOwners(.noted(.warning, text))) }

  /// Checks that this is a response to the request, with a length that the MTU allows.
  private func match(_ bytes: [UInt8], _ waiting: OutstandingRequest) -> Result<ATTPDU, Failure> {
    let asked = ATTOpcode.name(waiting.pdu.opcode)
    if bytes.count > Int(mtu) {
      return .failure(AttributeFailure.broken("an answer of \(bytes.count) octets to \(asked), with an ATT_MTU of \(mtu)"))
    }
    let answer: ATTPDU
    do {
      answer = try ATTPDU(encoded: bytes, name: "ATT PDU")
    } catch {
      return .failure(AttributeFailure.broken("\(ATTOpcode.name(bytes[0])) to \(asked): \(error)"))
    }
    if case .errorResponse(let request, _, _) = answer {
      guard request == waiting.pdu.opcode else {
        return .failure(AttributeFailure.broken("an error for \(ATTOpcode.name(request)), but \(asked) was requested"))
      }
      return .success(answer)
    }
    // Each response's method follows that of its request (Vol 3, Part F, 3.4.8).
    guard answer.opcode == waiting.pdu.opcode &+ 1 else {
      return .failure(AttributeFailure.broken("\(ATTOpcode.name(answer.opcode)) does not answer \(asked)"))
    }
    return .success(answer)
  }

  /// Ends a request and its operation with a failure.
  private mutating func broken(_ failure: Failure, _ waiting: OutstandingRequest, _ effects: inout [GattEffect]) {
    switch waiting.purpose {
    case .mtu:
      note("\(failure.message); the MTU stays at 23", &effects)
      becomeReady(AttributeLimits.smallestMTU, &effects)
    case .probe,
      .databaseHash where trust == .unchecked:
      drop(failure.message, hash: nil, &effects)
    case .databaseHash, .discovery, .declaration, .operation:
      if waiting.isOrphan {
        note("\(failure.message); it is no longer awaited", &effects)
      } else {
        finish(.failure(withTraffic(failure, waiting)), &effects)
      }
    }
  }

  /// Adds how far a write got. After an unreadable response the peer may have executed it.
  private func withTraffic(_ failure: Failure, _ waiting: OutstandingRequest) -> Failure {
    var failure = failure
    if failure.sent.isEmpty { failure.sent = waiting.pdu.encoded }
    guard let operation = current, failure.delivered == nil else { return failure }
    switch operation.stage {
    case .writing where failure.blame == .peer: failure.delivered = .reachedRadio
    case .writingLong(let procedure, _) where failure.blame == .peer && procedure.isExecuting: failure.delivered = .reachedRadio
    default: failure.delivered = .notSent
    }
    return failure
  }

  mutating func becomeReady(_ mtu: UInt16, _ effects: inout [GattEffect]) {
    self.mtu = max(self.mtu, mtu)
    isReady = true
    effects.append(.ready(mtu: self.mtu))
  }

  private mutating func answered(
    _ answer: ATTPDU, _ bytes: [UInt8], _ waiting: OutstandingRequest, _ effects: inout [GattEffect], _ now: Instant
  ) {
    switch waiting.purpose {
    case .mtu(let procedure):
      switch procedure.receive(answer) {
      case .done(let mtu): becomeReady(mtu, &effects)
      case .send, .failed: becomeReady(AttributeLimits.smallestMTU, &effects)
      }
    case .databaseHash(let procedure): hashAnswered(procedure.receive(answer), waiting, &effects)
    case .probe(let probe): probeAnswered(probe, bytes, &effects)
    case .discovery(let request):
      // The table changed in the meantime; planning sends the request again.
      if waiting.isStale { return }
      if let failure = request.absorb(answer, into: &attributeCache) {
        var failure = failure
        failure.got = bytes
        broken(withTraffic(failure, waiting), waiting, &effects)
        return
      }
      effects.append(.reportToLinkOwners(.attributeCacheChanged(peer, attributeCache)))
      releaseKept(&effects)
    case .declaration(let procedure):
      if waiting.isOrphan { return }
      declarationAnswered(procedure, procedure.receive(answer), waiting, &effects)
    case .operation:
      if waiting.isOrphan {
        note("\(ATTOpcode.name(answer.opcode)) came for a cancelled operation and is dropped", &effects)
        return
      }
      operationAnswered(answer, bytes, waiting, &effects, now)
    }
  }

  // MARK: Validation of the cache

  private mutating func hashAnswered(_ step: Step<[UInt8]?>, _ waiting: OutstandingRequest, _ effects: inout [GattEffect]) {
    let hash: [UInt8]?
    switch step {
    case .done(let read): hash = read
    case .send: hash = nil
    case .failed(let failure):
      note(failure.message, &effects)
      hash = nil
    }
    hashIsRead = true
    if trust == .unchecked {
      guard let hash, hash == attributeCache.databaseHash else {
        drop(hash == nil ? "the device no longer has a Database Hash" : "the Database Hash has changed", hash: hash, &effects)
        return
      }
      trust = .proven
      attributeCache.trust()
      cacheVerified(&effects)
      return
    }
    if usesBondedState, let known = attributeCache.databaseHash, hash != known {
      drop("the Database Hash has changed, but the device did not say so", hash: hash, &effects)
    }
    // One response does not confirm the whole table. Storing the hash would confirm it for all
    // later runs.
    if trust != .probed, hash != attributeCache.databaseHash || (hash == nil) != attributeCache.lacksHash {
      attributeCache.databaseHash = hash
      attributeCache.lacksHash = hash == nil
      effects.append(.reportToLinkOwners(.attributeCacheChanged(peer, attributeCache)))
    }
    if current?.work == .databaseHash { finish(.success(.done), &effects) }
  }

  private mutating func probeAnswered(_ probe: AttributeCache.Probe, _ bytes: [UInt8], _ effects: inout [GattEffect]) {
    guard probe.isMet(by: bytes) else {
      drop("the device answers \(ATTOpcode.name(probe.request.first ?? 0)) differently than before", hash: nil, &effects)
      return
    }
    trust = .probed
    attributeCache.distrust()
    cacheVerified(&effects)
  }

  /// Marks the cache of an earlier link as valid, and reports it to the owners of the link as if it
  /// had been discovered.
  private mutating func cacheVerified(_ effects: inout [GattEffect]) {
    effects.append(.reportToLinkOwners(.attributeCacheChanged(peer, attributeCache)))
    releaseKept(&effects)
  }

  private mutating func declarationAnswered(
    _ procedure: CheckDeclaration, _ step: Step<Bool>, _ waiting: OutstandingRequest, _ effects: inout [GattEffect]
  ) {
    switch step {
    case .done(true):
      let declaration = procedure.characteristic.declaration
      for service in attributeCache.services.indices {
        for place in attributeCache.services[service].characteristics.indices
        where attributeCache.services[service].characteristics[place].declaration == declaration {
          attributeCache.services[service].characteristics[place].isProven = true
        }
      }
      effects.append(.reportToLinkOwners(.attributeCacheChanged(peer, attributeCache)))
    case .done(false), .send: startOver("the declaration at \(procedure.characteristic.declaration) has changed", &effects)
    case .failed(let failure): finish(.failure(withTraffic(failure, waiting)), &effects)
    }
  }

  /// Drops the cache and restarts the operation.
  private mutating func startOver(_ reason: String, _ effects: inout [GattEffect]) {
    hashIsRead = false
    drop(reason, hash: nil, &effects)
    current?.isRetried = true
    current?.stage = .planning
  }

  // MARK: Operations

  private mutating func operationAnswered(
    _ answer: ATTPDU, _ bytes: [UInt8], _ waiting: OutstandingRequest, _ effects: inout [GattEffect], _ now: Instant
  ) {
    guard let operation = current else { return }
    if operation.work == .withdrawPrepared {
      finish(.success(.done), &effects)
      return
    }
    // The peer does not know a handle from an earlier link, so its table has changed (rule 17).
    if case .errorResponse(_, _, let code) = answer, let target = operation.target, mayStartOver(operation, target, code) {
      disarm(operation)
      startOver("\(target.handle): \(code)", &effects)
      return
    }
    switch operation.stage {
    case .reading(var procedure, let target):
      let step = procedure.receive(answer)
      current?.stage = .reading(procedure, target)
      take(step, bytes, waiting, &effects, now) { .value($0, target.reference) }
    case .readingByUUID(var procedure):
      let step = procedure.receive(answer)
      current?.stage = .readingByUUID(procedure)
      switch step {
      case .done(let values): current?.stage = .deciding(values)
      case .send(let pdu): ask(pdu, .operation, &effects, now)
      case .failed(let failure): fail(failure, bytes, waiting, &effects)
      }
    case .writing(let procedure, _): take(procedure.receive(answer), bytes, waiting, &effects, now) { _ in .done }
    case .writingLong(var procedure, let target):
      let step = procedure.receive(answer)
      current?.stage = .writingLong(procedure, target)
      take(step, bytes, waiting, &effects, now) { _ in .done }
    case .configuring(let procedure, let target, let kind):
      let step = procedure.receive(answer)
      if waiting.isStale, kind != nil, !subscriptions.contains(where: { $0.reference.handle == target.handle }) {
        // The sink was lost with the cache, so find the attribute again.
        current?.stage = .planning
        return
      }
      if case .done = step { configured(operation, target, kind, &effects) }
      take(step, bytes, waiting, &effects, now) { _ in kind.map { .subscribed(target.reference, $0) } ?? .done }
    case .planning, .deciding, .commanding: break
    }
  }

  private func mayStartOver(_ operation: Operation, _ target: Resolution.Target, _ code: ATTError) -> Bool {
    guard !operation.isRetried, let characteristic = target.characteristic else { return false }
    let isDoubtful =
      switch code {
      case .invalidHandle, .attributeNotFound: true
      // The declaration said that this is permitted.
      case .readNotPermitted: characteristic.properties & 0x02 != 0
      case .writeNotPermitted: operation.isConfiguration || characteristic.properties & 0x08 != 0
      default: false
      }
    return code == .databaseOutOfSync || isDoubtful && earlier.contains(characteristic.declaration)
  }

  private mutating func configured(
    _ operation: Operation, _ target: Resolution.Target, _ kind: SubscriptionKind?, _ effects: inout [GattEffect]
  ) {
    guard let place = subscriptions.firstIndex(where: { $0.reference.handle == target.handle }) else { return }
    if kind == nil { subscriptions.remove(at: place) } else { subscriptions[place].isWritten = true }
    guard attributeCache.bondedState != nil else { return }
    attributeCache.bondedState?.configure(target.handle, kind)
    if isServiceChanged(target.handle), trust != .probed { attributeCache.bondedState?.reportsChanges = kind != nil }
    effects.append(.reportToLinkOwners(.attributeCacheChanged(peer, attributeCache)))
  }

  private mutating func take<Output>(
    _ step: Step<Output>, _ bytes: [UInt8], _ waiting: OutstandingRequest, _ effects: inout [GattEffect], _ now: Instant,
    _ outcome: (Output) -> Outcome
  ) {
    switch step {
    case .send(let pdu): ask(pdu, .operation, &effects, now)
    case .done(let output): finish(.success(outcome(output)), &effects)
    case .failed(let failure): fail(failure, bytes, waiting, &effects)
    }
  }

  private mutating func fail(_ failure: Failure, _ bytes: [UInt8], _ waiting: OutstandingRequest, _ effects: inout [GattEffect]) {
    var failure = failure
    if failure.got.isEmpty { failure.got = bytes }
    finish(.failure(withTraffic(failure, waiting)), &effects)
  }
}
