import Exchange
import Vocabulary

extension Machine {
  mutating func handle(_ report: HostReport) {
    switch report.event {
    case .adapterReady:
      let wasAway = adapter.trouble != nil
      effects.append(contentsOf: adapter.ready())
      if wasAway { deliver(.adapter("on"), device: -1) }
    case .adapterAway(let failure):
      let before = adapter.trouble
      let isGone = failure.endsConnection
      if before == nil || isGone && before?.endsConnection != true { deliver(.adapter(isGone ? "gone" : "off"), device: -1) }
      adapter.away(failure, until: before == nil ? now.moment + Self.adapterPatience : adapter.patience)
    case .adapterLost(let failure): adapterLost(failure)
    case .completed(let operation, let result): completed(operation, result)
    case .advertisementReceived(let operation, let advertisement):
      if operation == idle.scan { return idle.hear(advertisement, at: now.moment) }
      if listenerHeard(operation, advertisement, report.at) { return }
      advertisementReceived(operation, advertisement, report.at)
    case .advertisementsMissed(let operation, let count): advertisementsMissed(operation, count)
    case .connected(let operation, let address, let info): connected(operation, address, info)
    case .disconnected(let address, let reason): if let index = deviceIndex(address) { linkLost(index, reason, at: report.at) }
    case .attributeCacheChanged(let address, let attributeCache):
      guard let index = deviceIndex(address), devices[cache: index] != attributeCache else { return }
      devices[cache: index] = attributeCache
      allowForDiscovery(of: index)
    case .attributeCacheDropped(let address, let why):
      guard let index = deviceIndex(address) else { return }
      devices[link: index].located = []
      // An outdated entry of the shared cache does not concern a run that never used it.
      if devices[cache: index] == nil { return }
      devices[cache: index] = nil
      note(.log, "\(devices[index].text): its attribute cache is discarded: \(why)")
      deliver(.servicesChanged, device: index, at: report.at)
      watchServices(index)
    case .notificationReceived(let address, let reference, let bytes, let kind):
      notificationReceived(address, reference, bytes, kind, report.at)
    case .gap(let address, let count):
      let name = deviceIndex(address).map { devices[$0].text } ?? address.description
      note(.warning, "gap: \(count) value\(count == 1 ? "" : "s") of \(name) could not be kept")
    case .linkChanged(let address, let info):
      guard let index = deviceIndex(address) else { return }
      devices[link: index].info = info
      if info.encrypted { settleAnswers(about: index) }
    case .encrypting(let address):
      guard let index = deviceIndex(address), case .connecting = devices[link: index].phase else { return }
      devices[link: index].isEncrypting = true
    case .identified(let heard, let identity): identified(heard, identity)
    case .centralConnected(let address, let info): centralConnected(address, info, report.at)
    case .centralDisconnected(let address, let reason): centralDisconnected(address, reason, report.at)
    case .readRequested(let request, let attribute, let central):
      deliver(.readAsked(request, attribute), device: knownDevice(AddressValue(central)), at: report.at)
    case .writeRequested(let request, let attribute, let central, let bytes, _):
      written(request, attribute, central, bytes, report.at)
    case .valueWritten(let attribute, _, let bytes): server.set(attribute, bytes)
    case .requestExpired(let request): requestExpired(request)
    case .subscribed(let attribute, let central, let kind): subscribed(central, attribute, kind)
    case .unsubscribed(let attribute, let central): unsubscribed(central, attribute)
    case .pairingAsked(let id, let peer, let question): pairingAsked(id, peer, question, report.at)
    case .pairingWithdrawn(let id): pairingWithdrawn(id)
    case .noted(let level, let text): note(level, text)
    }
  }

  /// Renames a device that was known by a private address to its identity address.
  private mutating func identified(_ heard: Address, _ identity: Address) {
    guard let index = deviceIndex(heard) else { return }
    let before = devices[index].text
    devices.rename(index, to: identity)
    for place in devices.indices where surroundings.deviceNames.indices.contains(place) {
      if devices[place].bits == heard.bits || place == index { surroundings.deviceNames[place] = devices[place].text }
    }
    note(.log, "\(before) is \(identity)")
  }

  /// Replaces UUIDs in a hint by the recipe's names for them.
  private func inRecipeTerms(_ failure: Failure) -> Failure {
    if failure.kind == .needsPairing, failure.hint == PairingAdvice.start + PairingAdvice.codes,
      program.settings.pairsOnDemand || program.code.contains(where: { $0.code == .pair })
    {
      var failure = failure
      failure.hint = PairingAdvice.codes
      return failure
    }
    guard failure.kind == .missing, var hint = failure.hint else { return failure }
    for (index, variable) in program.variables.enumerated() where variable.kind == .constant {
      let uuid: UUID
      switch variables[index] {
      case .uuid(let own): uuid = own
      // Smaller numbers are handles or numbers that are not UUIDs.
      case .int(let number) where (0x1800...0xFFFF).contains(number): uuid = UUID(UInt16(number))
      default: continue
      }
      hint = hint.replacing(every: uuid.description, with: variable.name)
    }
    var failure = failure
    failure.hint = hint
    return failure
  }

  private mutating func completed(_ operation: OperationID, _ given: Result<Outcome, Failure>) {
    let result = given.mapError { inRecipeTerms($0) }
    if idleWorkCompleted(operation, result) { return }
    if case .success(.outOfBand(let data)) = result { return effects.append(.offerMade(data.structures)) }
    serverOrderCompleted(operation)
    answerTaken(operation)
    if operationCompleted(operation, result) { return }
    for index in devices.active {
      switch devices[link: index].phase {
      case .settingUp(_, operation): return setUpCompleted(index, result)
      case .connecting(operation, _):
        if case .failure(let failure) = result, failure.kind != .cancelled { attemptFailed(index, failure) }
        return
      case .closing(operation):
        // A link that existed is also reported as `disconnected`; one that never existed is not.
        linkLost(index, .asked)
        return
      case .locating(operation, _):
        if case .failure(let failure) = result, failure.kind != .cancelled { attemptFailed(index, failure) }
        return
      default: break
      }
    }
    if let owner = listens.owner(of: operation) { return listeningEnded(operation, owner, result) }
    for id in fibers.map(\.id) {
      guard let place = fibers.index(of: id) else { continue }
      switch fibers[place].wait {
      case .published(operation):
        publicationEnded(place, result)
        return
      case .forgetting(let index, operation):
        if case .failure(let failure) = result { fail(place, failure) } else { complete(place) }
        if devices[index].isWanted { scheduleAttempt(index, listens: false) }
        return
      case .scan(let scan) where scan.operation == operation:
        runningScans.end(operation)
        if case .failure(let failure) = result { fail(place, failure) }
        return
      default: break
      }
    }
    // The advertisement after the table fails for the same reason.
    if operation == server.tableOrder, server.lastOrder != operation { return }
    if case .failure(let failure) = result, failure.kind != .cancelled, failure.kind != .disconnected {
      note(.warning, failure.message)
    }
  }

  private mutating func notificationReceived(
    _ address: Address, _ reference: AttributeReference, _ bytes: [UInt8], _ kind: SubscriptionKind, _ at: Instant
  ) {
    guard let index = deviceIndex(address) else { return }
    // An indication is confirmed after it is on disk.
    if kind == .indicate { mustSync = true }
    switch devices[link: index].phase {
    case .ready, .onConnect:
      wasOfUse(index)
      deliver(.notified(reference, bytes), device: index, at: at)
    case .kept where devices[index].isSetUp: deliver(.notified(reference, bytes), device: index, at: at)
    case .kept, .settingUp, .firstSetUp, .connecting:
      guard isOlder(at) || devices[link: index].held.count < EventQueues.limit else {
        note(.warning, "gap: 1 value of \(devices[index].text) came before it was set up and could not be kept")
        return
      }
      devices.hold(MachineEvent(sequence: header.nextEvent(), device: index, kind: .notified(reference, bytes), at: at), index)
    case .idle, .locating, .gated, .closing: break
    }
  }

  /// How long a run without a reason to outlast the adapter waits for it.
  static let adapterPatience = TimeSpan.seconds(10)

  /// Whether the run has a reason to outlast any adapter trouble: devices to reconnect without
  /// limit, a scan without limit, or a server.
  private var outlastsAdapter: Bool {
    server.site != nil || devices.contains { $0.isWanted && $0.policy.times == nil }
      || fibers.contains { if case .scan(let scan) = $0.wait { scan.limit == nil } else { false } }
  }

  /// Ends the run if the adapter is away for too long.
  mutating func fireAdapterPatience(_ moment: Moment) {
    guard let due = adapter.patience, due <= moment, let trouble = adapter.trouble else { return }
    guard life == .running || isDraining else { return adapter.wait(until: nil) }
    if outlastsAdapter {
      adapter.wait(until: moment + Self.adapterPatience)
      return
    }
    adapter.wait(until: nil)
    var told = trouble
    // The statement that waits is not what the adapter's loss may have cut off.
    told.delivered = nil
    adapterLost(told)
  }

  private mutating func adapterLost(_ failure: Failure) {
    let isKnown = adapter.trouble?.endsConnection ?? false
    adapter.lost()
    if !isKnown { deliver(.adapter("gone"), device: -1) }
    guard life != .done else { return }
    if case .closing = life {
      finish()
      return
    }
    effects.append(
      .failed(FailureReport(failure: failure, range: bodyRange, device: nil, attempts: 1, ends: true)))
    exit = ExitStatus(code: failure.kind == .adapter ? failure.kind.exitCode : Failure.Kind.adapter.exitCode, reason: .failed)
    stopNow()
  }

  /// The current statement of the body, for messages that no statement caused.
  var bodyRange: SourceRange {
    guard let body = fibers.first(where: { $0.role == .body }), let frame = body.frames.first,
      program.statementOf.indices.contains(frame.pc), case let statement = Int(program.statementOf[frame.pc]),
      program.statements.indices.contains(statement)
    else { return .none }
    return program.statements[statement].range
  }
}
