import Exchange
import Recipe
import Vocabulary

extension Machine {
  static let connectTimeout = TimeSpan.seconds(30)
  /// How long one attempt takes at most where attempts are counted.
  static let attemptTimeout = TimeSpan.seconds(30)

  // MARK: Which device

  func device(of value: Value) throws(Failure) -> Int {
    switch value {
    case .device(let index) where devices.indices.contains(index): return index
    case .address(let address):
      if let found = devices.firstIndex(where: { $0.addressValue.isSame(as: address) }) { return found }
      throw .value("\(address) is not known here", hint: "connect to it, or scan for it, first")
    case .unset, .nothing:
      throw .value("not connected to anything here", hint: "`scan for …` and `connect` first")
    default: throw .value("this is \(value.typeName), not a device")
    }
  }

  func device(_ site: DeviceSite, _ fiber: borrowing Fiber, _ base: Int) throws(Failure) -> Int {
    switch site {
    case .current:
      let value = fiber.slots[base + 1]
      if value.isNothing, let sole = soleDevice { return sole }
      return try device(of: value)
    case .value(let operand): return try device(of: read(operand.raw, fiber, base))
    }
  }

  /// The device of an address, known from now on.
  mutating func knownDevice(_ address: AddressValue) -> Int {
    if let found = devices.firstIndex(where: { $0.addressValue.isSame(as: address) }) {
      if devices[found].kind == nil, let kind = address.kind {
        devices[found].kind = kind
        devices[found].isDirty = true
      }
      return found
    }
    devices.append(Device(bits: address.bits, kind: address.kind))
    surroundings.deviceNames.append(devices[devices.count - 1].text)
    return devices.count - 1
  }

  func deviceIndex(_ address: Address) -> Int? {
    devices.firstIndex { $0.bits == address.bits && ($0.kind == nil || $0.kind == address.kind) }
  }

  // MARK: Statements

  mutating func connect(_ site: ConnectSite, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let index: Int
    switch site.device {
    case .current: index = try device(of: fiber.slots[base + 1])
    case .value(let operand):
      let value = read(operand.raw, fiber, base)
      if case .address(let address) = value { index = knownDevice(address) } else { index = try device(of: value) }
    }
    fiber.slots[base + 1] = .device(index)
    if site.whenItAppears { devices[index].isWanted = true }
    devices[index].isDirty = true
    if devices[index].isLinked {
      // The set-up that begins with this statement is this fiber's now, if nobody's is under way.
      return nil
    }
    fiber.mark = header.sequence
    fiber.hasWritten = false
    devices[index].connector = fiber.id
    devices[index].wasReady = false
    devices[index].failedAttempts = 0
    if site.whenItAppears {
      let limit = try limit(site.within, standard: nil, fiber, base)
      beginAttempt(index)
      return pause(&fiber, .link(device: index, limit))
    }
    let limit = try limit(site.within, standard: Self.connectTimeout, fiber, base)
    beginAttempt(index)
    return pause(&fiber, .link(device: index, limit))
  }

  mutating func reconnect(_ number: Int, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let site = program.reconnects[number]
    var wanted: [Int] = []
    for target in site.devices { wanted.append(try device(target, fiber, base)) }
    if wanted.isEmpty {
      // Every device that this body has connected: those that are, or were, linked or wished for.
      wanted = devices.indices.filter { devices[$0].wasLinked || devices[$0].isWanted || devices[$0].wasReady }
      if wanted.isEmpty, case .device(let index) = fiber.slots[base + 1] { wanted = [index] }
    }
    guard !wanted.isEmpty else { throw .value("there is nothing to reconnect to", hint: "`connect` first") }
    var policy = ReconnectPolicy()
    if let operand = site.times {
      guard let count = read(operand.raw, fiber, base).whole, count >= 1 else {
        throw .value("`reconnect … times` takes a whole number from 1 on")
      }
      policy.times = Int(clamping: count)
    }
    if let operand = site.waiting {
      guard case .duration(let span) = read(operand.raw, fiber, base) else { throw .value("`waiting` takes a duration") }
      policy.wait = max(span, .zero)
      policy.ceiling = max(span, policy.ceiling)
    }
    if let operand = site.upTo {
      guard case .duration(let span) = read(operand.raw, fiber, base) else { throw .value("`up to` takes a duration") }
      policy.ceiling = max(span, policy.wait)
    }
    for index in wanted {
      devices[index].isWanted = true
      devices[index].policy = policy
      devices[index].isDirty = true
      if devices[index].phase == .idle { beginAttempt(index) }
    }
    return pause(&fiber, .reconnect(site: number, devices: wanted))
  }

  mutating func disconnect(_ index: Int, _ fiber: inout Fiber) -> Stop? {
    devices[index].isWanted = false
    devices[index].isDirty = true
    releaseReconnects(index)
    switch devices[index].phase {
    case .idle: return nil
    case .closing: return pause(&fiber, .closing(device: index))
    case .locating, .connecting, .gated:
      withdrawAttempt(index)
      devices[index].wasLinked = false
      return nil
    case .settingUp, .firstSetUp, .onConnect, .ready:
      close(index)
      return pause(&fiber, .closing(device: index))
    }
  }

  /// Closes the link; `disconnected` follows.
  mutating func close(_ index: Int) {
    guard let address = devices[index].address else { return }
    let operation = nextOperation()
    devices[index].phase = .closing(operation)
    request(operation, .disconnect(address))
  }

  /// A `reconnect forever` all of whose devices were given up returns.
  private mutating func releaseReconnects(_ given: Int) {
    for id in fibers.map(\.id) {
      guard let index = fiberIndex(id), case .reconnect(_, let wanted) = fibers[index].wait, wanted.contains(given) else {
        continue
      }
      if wanted.allSatisfy({ !devices[$0].isWanted }) { complete(index) }
    }
  }

  // MARK: Attempts

  /// Starts to connect: through an advertisement first when the address type is not known.
  mutating func beginAttempt(_ index: Int) {
    switch devices[index].phase {
    case .idle, .gated: break
    case .locating, .connecting, .settingUp, .firstSetUp, .onConnect, .ready, .closing: return
    }
    stopListening(index)
    guard life == .running || isStillWorking else { return }
    let isPending = devices[index].isWanted
    let deadline = devices[index].policy.times != nil && isPending ? now.moment + Self.attemptTimeout : nil
    let operation = nextOperation()
    effects.append(
      .progressed(ProgressReport(.connecting, device: devices[index].text, text: "connecting to \(devices[index].text)")))
    guard let address = devices[index].address else {
      devices[index].phase = .locating(operation, deadline)
      request(operation, .scan(ScanRequest(duty: isPending ? .gentle : .full, addresses: [devices[index].bits])))
      return
    }
    devices[index].phase = .connecting(operation, deadline)
    request(operation, .connect(ConnectRequest(peer: address, pending: isPending, knowledge: devices[index].knowledge)))
  }

  var isStillWorking: Bool { if case .draining = life { true } else { false } }

  mutating func withdrawAttempt(_ index: Int) {
    switch devices[index].phase {
    case .locating(let operation, _), .connecting(let operation, _): request(nextOperation(), .cancel(operation))
    case .gated: stopListening(index)
    default: return
    }
    devices[index].phase = .idle
  }

  private mutating func stopListening(_ index: Int) {
    if case .gated(_, let listening?) = devices[index].phase { request(nextOperation(), .cancel(listening)) }
  }

  mutating func linkTimedOut(_ fiber: Int, _ index: Int, _ limit: Limit) {
    withdrawAttempt(index)
    let name = devices[index].text
    fail(
      fiber,
      Failure(
        .unreachable, "\(name) did not answer within \(limit.span)", blame: .radio, layer: .hci,
        hint: "is it on, near, and not connected to something else?"), device: index)
    if devices[index].isWanted { scheduleAttempt(index) }
  }

  /// An attempt has failed: the next one follows after the delay, or somebody is told.
  mutating func attemptFailed(_ index: Int, _ failure: Failure) {
    devices[index].phase = .idle
    devices[index].failedAttempts += 1
    devices[index].isDirty = true
    if !devices[index].isWanted {
      if devices[index].resumeLimit != nil {
        // The link of a killed run: tried until its limit.
        scheduleAttempt(index)
        return
      }
      let waiting = linkWaiters(index)
      for id in waiting { if let fiber = fiberIndex(id) { fail(fiber, failure, device: index) } }
      return
    }
    if let times = devices[index].policy.times, devices[index].failedAttempts >= times {
      giveUp(index, failure)
      return
    }
    scheduleAttempt(index)
  }

  private func linkWaiters(_ index: Int) -> [UInt64] {
    fibers.compactMap { fiber in
      if case .link(index, _) = fiber.wait { fiber.id } else { nil }
    }
  }

  /// `reconnect N times` has used its attempts.
  private mutating func giveUp(_ index: Int, _ failure: Failure) {
    devices[index].isWanted = false
    var told = Failure(
      .unreachable,
      "\(devices[index].text) could not be connected again in \(devices[index].failedAttempts) attempts: \(failure.message)",
      blame: failure.blame, layer: failure.layer, code: failure.code, hint: failure.hint)
    told.sent = failure.sent
    told.got = failure.got
    raiseAtWaiters(index, told)
  }

  /// Tells everybody who waits for this device that it will not come.
  mutating func raiseAtWaiters(_ index: Int, _ failure: Failure) {
    for id in fibers.map(\.id) {
      guard let place = fiberIndex(id) else { continue }
      switch fibers[place].wait {
      case .reconnect(_, let wanted) where wanted.contains(index): fail(place, failure, device: index)
      case .link(index, _): fail(place, failure, device: index)
      case .operation(let operation) where operation.device == index: fail(place, failure, device: index)
      default: break
      }
    }
  }

  /// The next attempt: at once when the last link was of use, else after a delay that doubles, with jitter.
  mutating func scheduleAttempt(_ index: Int, atOnce: Bool = false) {
    guard devices[index].phase == .idle, life == .running || isStillWorking else { return }
    if atOnce { return beginAttempt(index) }
    let policy = devices[index].policy
    var delay = policy.wait
    for _ in 0..<min(devices[index].step, 40) where delay < policy.ceiling { delay = delay * 2 }
    delay = min(delay, policy.ceiling)
    // Between three quarters and the whole, so that many recipes do not knock together.
    let quarter = max(delay.nanoseconds / 4, 1)
    delay = delay - TimeSpan(nanoseconds: Int64(randomNumber() % UInt64(quarter)))
    devices[index].step = min(devices[index].step + 1, 200)
    devices[index].isDirty = true
    var listening: OperationID?
    if delay > .seconds(2) {
      // An advertisement cuts the wait short.
      let operation = nextOperation()
      listening = operation
      request(operation, .scan(ScanRequest(duty: .gentle, addresses: [devices[index].bits])))
    }
    devices[index].phase = .gated(until: now.moment + delay, listening: listening)
    effects.append(
      .progressed(ProgressReport(.waiting, device: devices[index].text, text: "\(devices[index].text): next attempt in \(delay)")))
  }

  mutating func fireLinkDeadlines(_ moment: Moment) {
    guard life == .running || isStillWorking else { return }
    for index in devices.indices {
      switch devices[index].phase {
      case .locating(_, let due?), .connecting(_, let due?):
        if due <= moment {
          withdrawAttempt(index)
          attemptFailed(
            index,
            Failure(.unreachable, "\(devices[index].text) did not answer within \(Self.attemptTimeout)", blame: .radio, layer: .hci)
          )
        }
      case .gated(let until, _): if until <= moment { beginAttempt(index) }
      default: break
      }
      if let limit = devices[index].resumeLimit, limit <= moment { goneWhileAway(index) }
    }
  }

  /// The link of a killed run could not be made again in time: now it is told as lost.
  private mutating func goneWhileAway(_ index: Int) {
    devices[index].resumeLimit = nil
    withdrawAttempt(index)
    linkLost(index, .goneWhileAway)
  }

  // MARK: Link up

  mutating func connected(_ operation: OperationID, _ address: Address, _ info: LinkInfo) {
    guard let index = devices.firstIndex(where: { isConnecting($0, operation) }) ?? deviceIndex(address) else { return }
    guard case .connecting = devices[index].phase else {
      // An attempt that was withdrawn and succeeded all the same: nobody wants this link.
      if !devices[index].isLinked { request(nextOperation(), .disconnect(address)) }
      return
    }
    devices[index].kind = address.kind
    devices[index].info = info
    devices[index].wasUseful = false
    devices[index].isDirty = true
    let isFirst = devices[index].connector != nil
    if devices[index].resumeLimit == nil, !devices[index].wasLinked { devices[index].isResumed = false }
    devices[index].resumeLimit = nil
    devices[index].wasLinked = true
    effects.append(
      .progressed(ProgressReport(.connected, device: devices[index].text, text: "connected to \(devices[index].text)")))
    _ = isFirst
    setUp(index, from: 0)
  }

  private func isConnecting(_ device: borrowing Device, _ operation: OperationID) -> Bool {
    if case .connecting(operation, _) = device.phase { true } else { false }
  }

  /// The set-up list, in its order, before anything else.
  private mutating func setUp(_ index: Int, from item: Int) {
    guard let address = devices[index].address else { return }
    if item < devices[index].setUp.count {
      let operation = nextOperation()
      devices[index].phase = .settingUp(item, operation)
      request(operation, .gatt(address, devices[index].setUp[item].request))
      return
    }
    devices[index].setUpFailures = 0
    if let connector = devices[index].connector, fiberIndex(connector) != nil {
      devices[index].phase = .firstSetUp
      for id in linkWaiters(index) { if let fiber = fiberIndex(id) { complete(fiber) } }
      sendQueued(index)
    } else {
      devices[index].connector = nil
      becomeReady(index)
    }
  }

  mutating func setUpCompleted(_ index: Int, _ result: Result<Outcome, Failure>) {
    guard case .settingUp(let item, _) = devices[index].phase else { return }
    switch result {
    case .success: setUp(index, from: item + 1)
    case .failure(let failure):
      if failure.kind == .disconnected || failure.kind == .cancelled { return }
      if devices[index].setUp[item].isTolerant {
        note(.log, "\(devices[index].text): \(failure.message); its set-up goes on without")
        setUp(index, from: item + 1)
        return
      }
      let line = program.line(of: devices[index].setUp[item].statement)
      note(.warning, "\(devices[index].text): setting up line \(line) again failed: \(failure.message)")
      devices[index].setUpFailures += 1
      devices[index].isDirty = true
      if devices[index].setUpFailures >= 3, [.refused, .needsPairing, .missing].contains(failure.kind) {
        devices[index].setUpFailures = 0
        raiseAtWaiters(index, failure)
      }
      // The attempt has failed: the link is closed and the next one follows with back-off.
      close(index)
    }
  }

  /// `ready`, or the end of the fiber that connected: from here on `on connect` and everybody else may use the link.
  mutating func firstSetUpEnded(_ index: Int, by fiber: UInt64) {
    guard devices[index].connector == fiber else { return }
    devices[index].connector = nil
    devices[index].isDirty = true
    if devices[index].phase == .firstSetUp { becomeReady(index) }
  }

  private mutating func becomeReady(_ index: Int) {
    devices[index].wasReady = true
    devices[index].isDirty = true
    effects.append(.progressed(ProgressReport(.ready, device: devices[index].text, text: "\(devices[index].text) is ready")))
    var started = false
    for unit in activeHandlers {
      guard case .handler(let site) = program.units[unit].role, case .event(.connect(let target)) = site.trigger else { continue }
      if let target, case .value(let operand) = target, !operand.isLocal {
        let value = operand.isGlobal ? variables[operand.index] : program.constants[operand.index]
        guard (try? device(of: value)) == index else { continue }
      }
      addFiber(role: .connect(unit: unit, device: index), unit: unit, it: .device(index), device: index)
      started = true
    }
    devices[index].phase = started ? .onConnect : .ready
    deliver(.connected, device: index)
    let held = devices[index].held
    devices[index].held = []
    for event in held { deliver(event.kind, device: index, at: event.at) }
    sendQueued(index)
  }

  mutating func onConnectEnded(_ index: Int) {
    guard devices[index].phase == .onConnect else { return }
    let isRunning = fibers.contains { fiber in
      if case .connect(_, index) = fiber.role { true } else { false }
    }
    if isRunning { return }
    devices[index].phase = .ready
    sendQueued(index)
  }

  /// A link has shown its use: the delay of the next attempt begins anew.
  mutating func wasOfUse(_ index: Int) {
    guard !devices[index].wasUseful else { return }
    devices[index].wasUseful = true
    if devices[index].step != 0 || devices[index].failedAttempts != 0 {
      devices[index].step = 0
      devices[index].failedAttempts = 0
      devices[index].isDirty = true
    }
  }

  // MARK: Link down

  func disconnected(_ index: Int) -> Failure {
    Failure(
      .disconnected, "\(devices[index].text) is not connected", blame: .radio, layer: .hci, hint: "`connect` first, or `reconnect`")
  }

  mutating func linkLost(_ index: Int, _ reason: DisconnectReason) {
    let wasClosing: Bool
    if case .closing = devices[index].phase { wasClosing = true } else { wasClosing = false }
    if case .closing = life {
      // The run ends: what the checkpoint says of this link stays as it was.
      devices[index].phase = .idle
      return
    }
    if case .stopping = life {
      devices[index].phase = .idle
      return
    }
    let asked = wasClosing && !devices[index].isWanted
    let wasReady = devices[index].wasReady
    devices[index].phase = .idle
    devices[index].info = nil
    devices[index].wasLinked = false
    devices[index].isResumed = false
    devices[index].isDirty = true
    devices[index].held.removeAll()
    effects.append(
      .progressed(
        ProgressReport(.disconnected, device: devices[index].text, text: "lost \(devices[index].text): \(reason.text)")))
    cancelOnConnect(index)
    // Told before any statement fails because of it. A link that was never ready is told to nobody but who made it.
    if wasReady || devices[index].connector != nil { deliver(.disconnected(asked ? .asked : reason), device: index) }
    for id in fibers.map(\.id) {
      guard let place = fiberIndex(id) else { continue }
      switch fibers[place].wait {
      case .closing(index): complete(place)
      case .operation(let operation) where operation.device == index: operationLostLink(place, operation, reason)
      case .link(index, _) where !devices[index].isWanted:
        fail(
          place,
          Failure(
            .unreachable, "\(devices[index].text) was lost while it was set up: \(reason.text)", blame: .radio, layer: .hci,
            code: reason.code.map(UInt16.init)), device: index)
      case .event(let site, _) where !devices[index].isWanted: failEventWait(place, site, index)
      default: break
      }
    }
    if devices[index].isWanted {
      let useful = devices[index].wasUseful
      if !useful { devices[index].failedAttempts += 1 }
      if let times = devices[index].policy.times, devices[index].failedAttempts >= times, !useful {
        giveUp(index, Failure(.unreachable, reason.text, blame: .radio, layer: .hci, code: reason.code.map(UInt16.init)))
      } else {
        scheduleAttempt(index, atOnce: useful || !wasClosing && devices[index].step == 0)
      }
    }
  }

  /// `wait for notify` on a device that will not come back.
  private mutating func failEventWait(_ place: Int, _ site: Int, _ index: Int) {
    guard case .notify(let attribute, _) = program.eventWaits[site].event else { return }
    var meant: Int?
    withFiber(place) { machine, fiber in
      meant = try? machine.device(attribute.device, fiber, fiber.frames[fiber.frames.count - 1].base)
    }
    if meant == index { fail(place, disconnected(index), device: index) }
  }

  /// `on connect` belongs to one link.
  private mutating func cancelOnConnect(_ index: Int) {
    for id in fibers.map(\.id) {
      guard let place = fiberIndex(id), case .connect(_, index) = fibers[place].role else { continue }
      if case .operation(let operation) = fibers[place].wait, operation.sent != nil, operation.policy == .fail {
        let failure = Failure(
          .unsure, "the link was lost while a write was under way", blame: .radio, delivered: operation.lost ?? .maybe)
        var told: Problem?
        withFiber(place) { machine, fiber in told = machine.problem(failure, fiber, device: index) }
        if let told { unhandled(place, told) }
        continue
      }
      if exclusive == id { exclusive = nil }
      fiberEnded(place)
    }
  }
}
