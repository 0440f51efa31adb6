import Exchange
import Packets
import Vocabulary

/// Choice of the next request: one at a time, operations in order.
extension GattPeer {
  /// The next action of an operation.
  enum Next {
    case ask(ATTPDU, OutstandingRequest.Purpose)
    case command(ATTPDU)
    case finish(Result<Outcome, Failure>)
    /// The stage has changed, so plan again.
    case again
  }

  /// Continues until a request is outstanding, a command waits to be sent, or there is nothing left
  /// to do.
  mutating func advance(_ effects: inout [GattEffect], _ now: Instant) {
    guard isReady, !isDead else { return }
    proceed(&effects, now)
    if outstanding != nil || awaitedHandover != nil || current != nil || !queue.isEmpty {
      idleSince = nil
    } else if idleSince == nil {
      idleSince = now.moment
    }
    if !hasIdleWork {
      idleWorkSince = nil
    } else if idleWorkSince == nil {
      idleWorkSince = now.moment
    }
  }

  private mutating func proceed(_ effects: inout [GattEffect], _ now: Instant) {
    while outstanding == nil {
      if let number = awaitedHandover {
        guard number <= handed else { return }
        awaitedHandover = nil
        finishCommand(&effects)
      }
      guard takeNext(at: now) else { break }
      guard let operation = current else { break }
      switch next(operation, &effects, now) {
      case .ask(let pdu, let purpose): ask(pdu, purpose, &effects, now)
      case .command(let pdu):
        send(pdu, &effects)
        awaitedHandover = sent
      case .finish(let result): finish(result, &effects)
      case .again: break
      }
    }
  }

  /// Takes the next operation. Internal operations yield to a client's between two requests,
  /// because the cache keeps their results. They cannot wait forever, or changes of the device's
  /// attributes would go unnoticed.
  private mutating func takeNext(at now: Instant) -> Bool {
    if let since = idleWorkSince, since + AttributeLimits.overdue <= now.moment, hasIdleWork {
      if current == nil, !queue.contains(where: \.isIdleWork) { queue.insert(contentsOf: idleWork, at: 0) }
    } else if queue.contains(where: { !$0.isInternal }) {
      queue.removeAll { $0.isIdleWork }
      if let operation = current, operation.isIdleWork {
        disarm(operation)
        current = nil
      }
    }
    if current != nil { return true }
    guard !queue.isEmpty else { return false }
    current = queue.removeFirst()
    return true
  }

  private mutating func finishCommand(_ effects: inout [GattEffect]) {
    // The operation may have been cancelled.
    guard let operation = current, operation.stage == .commanding else { return }
    current = nil
    complete(operation, .success(.done), &effects)
  }

  mutating func finish(_ result: Result<Outcome, Failure>, _ effects: inout [GattEffect]) {
    guard let operation = current else { return }
    current = nil
    if case .failure = result { disarm(operation) }
    switch operation.work {
    case .client: complete(operation, result, &effects)
    case .databaseHash: hashIsRead = true
    case .serviceChanged: serviceChangedIsDone = true
    case .renewal(let path, _):
      // A client that trusts its subscription needs it to work. The next link starts with it.
      if case .failure(var failure) = result {
        failure.message = "the subscription to \(path.text) was lost with the device's attributes: \(failure.message)"
        effects.append(.closeLink(failure))
      }
    case .withdrawPrepared, .unsubscribe: break
    }
  }

  // MARK: Planning

  private mutating func next(_ operation: Operation, _ effects: inout [GattEffect], _ now: Instant) -> Next {
    switch operation.stage {
    case .reading(let procedure, _): return first(procedure.start())
    case .readingByUUID(let procedure): return first(procedure.start())
    case .writing(let procedure, _): return first(procedure.start())
    case .configuring(let procedure, _, _): return first(procedure.start())
    case .writingLong(var procedure, let target):
      let step = procedure.start()
      current?.stage = .writingLong(procedure, target)
      return first(step)
    case .deciding(let values): return decide(values, &effects)
    case .commanding: return .finish(.success(.done))
    case .planning: break
    }
    switch operation.work {
    case .databaseHash:
      let procedure = ReadDatabaseHash()
      return first(procedure.start(), .databaseHash(procedure))
    case .withdrawPrepared: return .ask(.executeWriteRequest(write: false), .operation)
    case .serviceChanged: return planSubscription(Self.serviceChanged, owner: nil, &effects, now)
    case .renewal(let path, let owner): return planSubscription(path, owner: owner, &effects, now)
    case .unsubscribe(let handle): return planRelease(of: handle)
    case .client(let owner, _, let request):
      switch request {
      case .discover(let uuids): return planDiscovery(uuids, &effects)
      case .read(let path): return planRead(path, &effects)
      case .locate(let path):
        switch verifyCache(path, &effects) {
        case .at: return .finish(.success(.done))
        case .not(let next): return next
        }
      case .write(let path, let value): return planWrite(path, value, withResponse: true, &effects)
      case .writeWithoutResponse(let path, let value): return planWrite(path, value, withResponse: false, &effects)
      // `submit` has unwrapped it.
      case .hidden: return .finish(.success(.done))
      case .subscribe(let path): return planSubscription(path, owner: owner, &effects, now)
      case .unsubscribe(let path): return planUnsubscription(path, owner: owner, &effects)
      case .readRSSI, .pair, .adjust:
        return .finish(.failure(Failure(.refused, "this is the link's to do", blame: .ours, layer: .att)))
      }
    }
  }

  private func first<Output>(_ step: Step<Output>, _ purpose: OutstandingRequest.Purpose = .operation) -> Next {
    switch step {
    case .send(let pdu): .ask(pdu, purpose)
    case .failed(let failure): .finish(.failure(failure))
    case .done: .finish(.success(.done))
    }
  }

  /// Validates the cache of an earlier link before its first use, by the hash or else by the probe.
  /// Drops it if there is neither.
  private mutating func validation(_ effects: inout [GattEffect]) -> Next? {
    guard trust == .unchecked else { return nil }
    if attributeCache.databaseHash != nil {
      let procedure = ReadDatabaseHash()
      return first(procedure.start(), .databaseHash(procedure))
    }
    if let probe = attributeCache.probe, let pdu = try? ATTPDU(encoded: probe.request) { return .ask(pdu, .probe(probe)) }
    drop("nothing is left to verify it with", hash: nil, &effects)
    return .again
  }

  private mutating func planDiscovery(_ uuids: [UUID], _ effects: inout [GattEffect]) -> Next {
    if let validation = validation(&effects) { return validation }
    switch DiscoveryPlan.next(uuids, attributeCache) {
    case .ask(let request): return .ask(request.request, .discovery(request))
    case .nothing: return .finish(.success(.done))
    case .failed(let failure): return .finish(.failure(failure))
    }
  }

  private mutating func planRead(_ path: AttributePath, _ effects: inout [GattEffect]) -> Next {
    let doing = "reading \(path.text)"
    switch Resolution(path: path, subscribes: false, attributeCache: attributeCache).next() {
    case .found(let target):
      if target.characteristic != nil, let validation = validation(&effects) { return validation }
      current?.stage = .reading(ReadValue(handle: target.handle, mtu: mtu, doing: doing), target)
      return .again
    case .ask(let request):
      // Read a bare name that is not in the cache by UUID. With a home service, one round trip
      // decides.
      if case .named(nil, let characteristic, nil) = path.form, characteristic.instance == nil, current?.isLookedUp != true {
        current?.stage = .readingByUUID(
          ReadByUUID(uuid: characteristic.uuid, isExhaustive: path.home == nil, doing: doing))
        return .again
      }
      if let validation = validation(&effects) { return validation }
      return .ask(request.request, .discovery(request))
    case .failed(let failure):
      if let validation = validation(&effects) { return validation }
      // Use the message of a read by UUID, so that the text does not depend on what is cached.
      if case .named(nil, let characteristic, nil) = path.form, characteristic.instance == nil,
        attributeCache.lacks(characteristic.uuid)
      {
        return .finish(.failure(ReadByUUID.missing(doing)))
      }
      return .finish(.failure(failure))
    }
  }

  private enum Located {
    case at(Resolution.Target)
    case not(Next)
  }

  /// Finds the attribute of a path, or the request that is needed to find and validate it.
  private mutating func locate(_ path: AttributePath, subscribes: Bool, _ effects: inout [GattEffect]) -> Located {
    let isRaw = if case .handle = path.form { !subscribes } else { false }
    if !isRaw, let validation = validation(&effects) { return .not(validation) }
    let isPrimary = current?.work == .serviceChanged
    switch Resolution(path: path, subscribes: subscribes, attributeCache: attributeCache, isPrimary: isPrimary).next() {
    case .found(let target): return .at(target)
    case .ask(let request): return .not(.ask(request.request, .discovery(request)))
    case .failed(let failure): return .not(.finish(.failure(failure)))
    }
  }

  /// Finds an attribute and confirms its declaration before a write. A probe alone is no
  /// confirmation.
  private mutating func verifyCache(_ path: AttributePath, _ effects: inout [GattEffect]) -> Located {
    switch locate(path, subscribes: false, &effects) {
    case .not(let next): return .not(next)
    case .at(let target):
      guard let characteristic = target.characteristic, !characteristic.isProven else { return .at(target) }
      let procedure = CheckDeclaration(characteristic: characteristic)
      return .not(first(procedure.start(), .declaration(procedure)))
    }
  }

  /// Fails if the characteristic's properties do not allow the operation (Vol 3, Part G, 3.3.1.1).
  /// The hint names a characteristic of the same service that does, or the handle. Raw handles and
  /// descriptors have no properties.
  private func refuseUnlessPermitted(
    _ target: Resolution.Target, _ path: AttributePath, _ wanted: ServerTable.Properties, _ passive: String,
    else plain: ServerTable.Properties = []
  ) -> Next? {
    guard let characteristic = target.characteristic, target.reference.descriptor == nil else { return nil }
    let own = ServerTable.Properties(rawValue: characteristic.properties)
    guard own.isDisjoint(with: wanted) else { return nil }
    // The declaration may have changed since an earlier link.
    if !characteristic.isProven {
      let procedure = CheckDeclaration(characteristic: characteristic)
      return first(procedure.start(), .declaration(procedure))
    }
    var failure = AttributeFailure.missing("\(path.text) can \(own.words); it cannot \(passive)")
    failure.blame = .recipe
    failure.delivered = .notSent
    if !own.isDisjoint(with: plain) {
      failure.hint = "leave out `without response`"
      return .finish(.failure(failure))
    }
    guard case .client = current?.work, let place = attributeCache.service(holding: target.handle) else {
      return .finish(.failure(failure))
    }
    let service = attributeCache.services[place]
    let other = service.characteristics.first { !ServerTable.Properties(rawValue: $0.properties).isDisjoint(with: wanted) }
    // The hint must not depend on how much of the service is known.
    if other == nil, let request = DiscoveryPlan.characteristics(of: service) { return .ask(request.request, .discovery(request)) }
    failure.hint =
      other.map { "the same service has \(AttributeNames.characteristic($0.uuid)), which can" }
      ?? "to ask the device all the same, use `handle (0x\(Hex.text(target.handle.raw)))`"
    return .finish(.failure(failure))
  }

  private mutating func planWrite(_ path: AttributePath, _ value: [UInt8], withResponse: Bool, _ effects: inout [GattEffect])
    -> Next
  {
    let doing = "writing \(path.text)"
    let target: Resolution.Target
    switch verifyCache(path, &effects) {
    case .at(let found): target = found
    case .not(let next): return next
    }
    if let next = refuseUnlessPermitted(target, path, .anyWrite, "be written") { return next }
    // A device silently drops a command that it does not support.
    if !withResponse,
      let next = refuseUnlessPermitted(target, path, .writeWithoutResponse, "be written without response", else: .write)
    {
      return next
    }
    if value.count > AttributeLimits.value {
      return .finish(
        .failure(
          Failure(
            .value, "\(doing): \(value.count) octets, but an attribute holds at most 512", blame: .recipe, layer: .att,
            delivered: .notSent)))
    }
    if withResponse {
      current?.stage =
        value.count <= Int(mtu) - 3
        ? .writing(WriteValue(handle: target.handle, value: value, doing: doing), target)
        : .writingLong(WriteLongValue(handle: target.handle, value: value, mtu: mtu, doing: doing), target)
      return .again
    }
    if value.count > Int(mtu) - 3 {
      return .finish(
        .failure(
          Failure(
            .value, "\(doing) without response: \(value.count) octets, but this link carries at most \(Int(mtu) - 3) at once",
            blame: .recipe,
            layer: .att, hint: "write it in pieces, or with a response", delivered: .notSent)))
    }
    current?.stage = .commanding
    return .command(.writeCommand(target.handle, value))
  }

  private mutating func planSubscription(
    _ path: AttributePath, owner: OwnerID?, _ effects: inout [GattEffect], _ now: Instant
  ) -> Next {
    switch locate(path, subscribes: false, &effects) {
    case .at(let found): if let next = refuseUnlessPermitted(found, path, .anyValue, "be subscribed to") { return next }
    case .not(let next): return next
    }
    let target: Resolution.Target
    switch locate(path, subscribes: true, &effects) {
    case .at(let found): target = found
    case .not(let next): return next
    }
    guard let configuration = target.configuration else { return .finish(.success(.done)) }
    let properties = ServerTable.Properties(rawValue: target.reference.properties)
    if let next = refuseUnlessPermitted(target, path, .anyValue, "be subscribed to") { return next }
    let kind: SubscriptionKind = properties.contains(.notify) ? .notify : .indicate
    // Arm the sink before the write (rule 11).
    if let place = subscriptions.firstIndex(where: { $0.reference.handle == target.handle }) {
      if let owner, !subscriptions[place].owners.contains(owner) { subscriptions[place].owners.append(owner) }
      if subscriptions[place].isWritten { return .finish(.success(.subscribed(target.reference, subscriptions[place].kind))) }
    } else {
      subscriptions.append(
        Subscription(
          path: path, reference: target.reference, configuration: configuration, kind: kind, owners: owner.map { [$0] } ?? []))
    }
    // A bonded peer remembers the subscription: values already arrive, and it is written again
    // later.
    if usesBondedState, case .client = current?.work, attributeCache.bondedState?.kind(of: target.handle) == kind {
      renewsAt = renewsAt ?? now.moment + AttributeLimits.idle
      return .finish(.success(.subscribed(target.reference, kind)))
    }
    current?.stage = .configuring(
      WriteValue(handle: configuration, value: [kind.rawValue, 0], doing: "subscribing to \(path.text)"), target, kind)
    return .again
  }

  /// Repeats subscriptions whose attributes were dropped from the cache, before any other request.
  mutating func renewSubscriptions(where isLost: (Subscription) -> Bool) {
    var renewals: [Operation] = []
    for subscription in subscriptions where subscription.isWritten && isLost(subscription) {
      for owner in subscription.owners { renewals.append(Operation(.renewal(subscription.path, owner))) }
    }
    subscriptions.removeAll(where: isLost)
    queue.removeAll { operation in renewals.contains { $0.work == operation.work } }
    queue.insert(contentsOf: renewals, at: 0)
  }

  private mutating func planUnsubscription(_ path: AttributePath, owner: OwnerID, _ effects: inout [GattEffect]) -> Next {
    guard case .found(let target) = Resolution(path: path, subscribes: true, attributeCache: attributeCache).next(),
      let place = subscriptions.firstIndex(where: { $0.reference.handle == target.handle }),
      subscriptions[place].owners.contains(owner)
    else { return .finish(.success(.done)) }
    if subscriptions[place].owners.count > 1 || isServiceChanged(target.handle) {
      subscriptions[place].owners.removeAll { $0 == owner }
      return .finish(.success(.done))
    }
    current?.stage = .configuring(
      WriteValue(handle: subscriptions[place].configuration, value: [0, 0], doing: "unsubscribing from \(path.text)"), target, nil)
    return .again
  }

  /// Plans the release of a value without subscribers. Another may have subscribed meanwhile.
  private mutating func planRelease(of handle: AttributeHandle) -> Next {
    guard let subscription = subscriptions.first(where: { $0.reference.handle == handle }), subscription.owners.isEmpty else {
      return .finish(.success(.done))
    }
    let target = Resolution.Target(
      handle: handle, reference: subscription.reference, configuration: subscription.configuration)
    current?.stage = .configuring(
      WriteValue(handle: subscription.configuration, value: [0, 0], doing: "unsubscribing from \(handle)"), target, nil)
    return .again
  }

  /// Removes the sink of a subscription that failed.
  mutating func disarm(_ operation: Operation) {
    guard case .configuring(_, let target, .some) = operation.stage,
      let place = subscriptions.firstIndex(where: { $0.reference.handle == target.handle }), !subscriptions[place].isWritten
    else { return }
    if case .client(let owner, _, _) = operation.work { subscriptions[place].owners.removeAll { $0 == owner } }
    if subscriptions[place].owners.isEmpty { subscriptions.remove(at: place) }
  }

  // MARK: Several values

  /// Read Using Characteristic UUID returned several values. The services decide between them, as
  /// with a full cache.
  private mutating func decide(_ values: [HandleValue], _ effects: inout [GattEffect]) -> Next {
    guard let operation = current, case .client(_, _, .read(let path)) = operation.work,
      case .named(_, let characteristic, _) = path.form
    else { return .finish(.success(.done)) }
    var candidates = values
    if values.count > 1, let home = path.home {
      if let validation = validation(&effects) { return validation }
      if !attributeCache.hasSearched(home), let request = DiscoveryPlan.search(home, attributeCache) {
        return .ask(request.request, .discovery(request))
      }
      let services = attributeCache.services(of: home, isPrimary: true)
      candidates = values.filter { value in services.contains { $0.contains(value.handle) } }
    }
    if let chosen = candidates.first, candidates.count == 1 { return taken(chosen, path, characteristic.uuid) }
    current?.isLookedUp = true
    current?.stage = .planning
    return .again
  }

  /// Takes a value that was read by UUID. If it fills the response, the rest is read by its handle.
  mutating func taken(_ chosen: HandleValue, _ path: AttributePath, _ uuid: UUID) -> Next {
    let named = isVerified ? attributeCache.reference(to: chosen.handle, home: path.home) : nil
    let target = Resolution.Target(
      handle: chosen.handle,
      reference: named ?? AttributeReference(handle: chosen.handle, service: path.home ?? UUID(0), characteristic: uuid))
    if chosen.value.count < min(Int(mtu) - 4, 253) { return .finish(.success(.value(chosen.value, target.reference))) }
    current?.stage = .reading(
      ReadValue(handle: chosen.handle, mtu: mtu, doing: "reading \(path.text)", from: chosen.value), target)
    return .again
  }

  // MARK: Idle

  static let serviceChanged = AttributePath(
    form: .named(service: AttributePath.Step(UUID(0x1801)), characteristic: AttributePath.Step(UUID(0x2A05)), descriptor: nil),
    text: "generic_attribute/service_changed")

  /// Only a link with discovered attributes needs the hash and Service Changed. Inlined, because a
  /// mutating caller would copy the whole peer.
  @inline(__always) var hasIdleWork: Bool {
    isReady && !isDead && trust != .unchecked && !attributeCache.services.isEmpty && (needsHash || !serviceChangedIsDone)
  }

  /// A cache that only a probe has validated must not get a hash, which would vouch for attributes
  /// that were not checked.
  @inline(__always) var needsHash: Bool { !hashIsRead && !attributeCache.lacksHash && trust != .probed }

  mutating func takeIdleWork() {
    guard hasIdleWork, current == nil, queue.isEmpty else { return }
    queue = idleWork
  }

  private var idleWork: [Operation] {
    (needsHash ? [Operation(.databaseHash)] : []) + (serviceChangedIsDone ? [] : [Operation(.serviceChanged)])
  }

  func isServiceChanged(_ handle: AttributeHandle) -> Bool {
    attributeCache.services.contains { service in
      service.uuid == UUID(0x1801) && service.characteristics.contains { $0.uuid == UUID(0x2A05) && $0.value == handle }
    }
  }

  // MARK: Forgetting

  /// Drops the whole cache because it is wrong.
  mutating func drop(_ reason: String, hash: [UInt8]?, _ effects: inout [GattEffect]) {
    attributeCache = AttributeCache()
    attributeCache.databaseHash = hash
    attributeCache.lacksHash = hashIsRead && hash == nil
    attributeCache.bondedState = bond.map { AttributeCache.BondedState(bond: $0) }
    trust = .fresh
    usesBondedState = false
    earlier = []
    serviceChangedIsDone = false
    outstanding?.isStale = true
    renewSubscriptions { _ in true }
    effects.append(.reportToLinkOwners(.attributeCacheDropped(peer, reason)))
    effects.append(.reportToLinkOwners(.attributeCacheChanged(peer, attributeCache)))
  }
}
