import Exchange
import Recipe
import Vocabulary

extension Machine {
  mutating func enterTopLevelHandlers() {
    for unit in program.units.indices {
      guard case .handler(let site) = program.units[unit].role, site.isTopLevel else { continue }
      do throws(Failure) {
        try enterHandler(ActiveHandler(unit: unit))
      } catch {
        unhandledSetUp(unit, error)
      }
    }
  }

  /// Handles a failure in the period of a timer, which has no fiber yet.
  private mutating func unhandledSetUp(_ unit: Int, _ failure: Failure) {
    let range = range(of: blamed ?? program.units[unit].entry)
    blamed = nil
    effects.append(.failed(FailureReport(failure: failure, range: range, device: nil, attempts: 1, ends: true)))
    exit = ExitStatus(code: failure.kind.exitCode, reason: .failed)
    stopNow()
  }

  /// Activates a handler when its block is entered.
  mutating func enterHandler(_ handler: ActiveHandler) throws(Failure) {
    let unit = handler.unit
    guard case .handler(let site) = program.units[unit].role else { return }
    activeHandlers.append(handler)
    switch site.trigger {
    case .event: break
    case .whenever(_, let again):
      if let again {
        blame(again)
        _ = try pause(of: unit, again)
        blamed = nil
      }
    case .every(let period, let at):
      blame(period)
      guard case .duration(let span) = try evaluate(unit: unit, at: period), span > .zero else {
        throw .value("`every` takes a duration above zero")
      }
      var clock: TimeOfDay?
      if let at {
        blame(at)
        guard case .text(let text) = try evaluate(unit: unit, at: at), let time = TimeOfDay(text) else {
          throw .value("`at` takes a time of day as text", hint: "`every 1d at \"06:00\"`")
        }
        clock = time
      }
      blamed = nil
      addTimer(handler, period: span, at: clock)
    case .after(let delay):
      blame(delay)
      guard case .duration(let span) = try evaluate(unit: unit, at: delay) else { throw .value("`after` takes a duration") }
      blamed = nil
      timers.set(TimerState(id: header.nextTimer(), handler: handler, due: now + max(span, .zero), period: nil))
    }
  }

  /// Attributes failures to the expression whose code begins at `start`.
  private mutating func blame(_ start: Int) {
    var pc = start
    while pc + 1 < program.code.count, program.code[pc].code != .predicateEnd { pc += 1 }
    blamed = pc
  }

  func range(of pc: Int) -> SourceRange { program.rangeOf.indices.contains(pc) ? program.rangeOf[pc] : .none }

  private mutating func addTimer(_ handler: ActiveHandler, period: TimeSpan, at clock: TimeOfDay?) {
    var timer = TimerState(id: header.nextTimer(), handler: handler, due: now + period, period: period, at: clock)
    if let clock {
      let wall = environment.timeZone.next(clock, after: now.wall)
      timer.due = Instant(moment: now.moment + (wall - now.wall), wall: wall)
    }
    timers.set(timer)
  }

  mutating func leaveHandler(_ handler: ActiveHandler) {
    if let place = activeHandlers.lastIndex(of: handler) { activeHandlers.remove(at: place) }
    timers.cancel(handler)
  }

  /// Activates the handlers of a block that a fiber enters.
  mutating func enterHandlers(_ units: [Int], _ fiber: inout Fiber, _ base: Int) throws(Failure) {
    for unit in units {
      var handler = ActiveHandler(unit: unit, owner: fiber.id)
      if case .handler(let site) = program.units[unit].role, site.isGivenDevice, case .device(let index) = fiber.slots[base + 1] {
        handler.device = index
      }
      fiber.frames[fiber.frames.count - 1].handlers.append(handler)
      try enterHandler(handler)
    }
  }

  // MARK: Timers

  mutating func fireTimers() {
    guard !isRestoring else { return }
    for tick in timers.popDue(now, environment.timeZone) { start(tick) }
  }

  private mutating func start(_ tick: Timers.Tick) {
    let late = now.moment - tick.due.moment
    let record = Record([.init("due", .time(tick.due.wall)), .init("late", .duration(late))])
    addFiber(
      role: .timer(unit: tick.handler.unit, number: tick.number), unit: tick.handler.unit, it: .record(record),
      device: tick.handler.device ?? soleDevice)
  }

  mutating func timerFreed(_ number: UInt64) { if let tick = timers.ended(number) { start(tick) } }

  /// The device of a timer without one of its own: the only device that the body connects.
  var soleDevice: Int? {
    if case .device(let index)? = bodyValues?.device { return index }
    if devices.count == 1 { return 0 }
    // After the end of the body: the only device that it has connected.
    let linked = devices.indices.filter { devices[$0].wasLinked || devices[$0].isWanted }
    return linked.count == 1 && !fibers.contains { $0.role == .body } ? linked[0] : nil
  }

  // MARK: Events

  /// Delivers an event to all matching handlers and `wait for` statements.
  /// - Returns: whether there was any.
  @discardableResult
  mutating func deliver(_ kind: MachineEvent.Kind, device: Int, at: Instant? = nil) -> Bool {
    hasNews = true
    let event = MachineEvent(sequence: header.nextEvent(), device: device, kind: kind, at: at ?? now)
    var isTaken = false
    for (place, handler) in activeHandlers.enumerated() {
      let unit = handler.unit
      guard case .handler(let site) = program.units[unit].role, case .event(let wanted) = site.trigger else { continue }
      // The link itself starts `on connect` of a recipe, which belongs to one link.
      if case .connected = kind { break }
      guard event.kind.isFor(site.isOfServer), isNamed(event, by: wanted), servesDevice(wanted, device), handler.serves(device)
      else { continue }
      // If several fibers are in its block, the handler gets the event once.
      if activeHandlers[..<place].contains(where: { $0.unit == unit && $0.serves(device) }) { continue }
      isTaken = true
      enqueue(event, unit, site)
    }
    if observes, !isTaken { observe(event) }
    if !program.eventWaits.isEmpty, keep(event) { isTaken = true }
    return isTaken
  }

  /// Whether something happened before this process began. A keeper has held it, and the checkpoint
  /// or the keeper bounds it.
  func isOlder(_ at: Instant) -> Bool { restoredAt.map { at.moment < $0 } ?? false }

  mutating func enqueue(_ event: MachineEvent, _ unit: Int, _ site: HandlerSite) {
    switch events.admit(event, unit, keepingLatest: site.keepingLatest, isOlder: isOlder(event.at)) {
    case .start(let lane): if activate(event, unit, site) { events.begin(event, lane: lane) }
    case .queued: break
    case .dropped:
      // One count for all devices, because addresses rotate without end.
      if case .advertised = event.kind {
        events.countDropped(line: site.line, device: -1, at: now.moment)
      } else {
        events.countDropped(line: site.line, device: event.device, at: now.moment)
      }
    }
  }

  /// Starts a handler with an event. Returns false if the value cannot be decoded, which is a
  /// failure of the handler without an activation.
  private mutating func activate(_ event: MachineEvent, _ unit: Int, _ site: HandlerSite) -> Bool {
    guard case .event(let wanted) = site.trigger, !isOutdated(event) else { return false }
    let value: Value
    do throws(Failure) {
      if site.isNamedByValue { try checkNamed(wanted) }
      value = try eventValue(event, wanted)
    } catch {
      let range = program.statements[program.units[unit].owner ?? 0].range
      let name = devices.indices.contains(event.device) ? devices[event.device].text : nil
      effects.append(
        .failed(FailureReport(failure: error, range: range, device: name, attempts: 1, ends: false, isOfHandler: true)))
      header.countFailure()
      refuseUndecoded(event)
      return false
    }
    let id = addFiber(
      role: .handler(unit: unit, device: event.device), unit: unit, it: value, device: event.device >= 0 ? event.device : nil)
    guard let index = fibers.index(of: id) else { return false }
    switch event.kind {
    case .notified(_, let bytes): fibers[index].slots[2] = .bytes(bytes)
    case .written(let request, let attribute, let bytes):
      fibers[index].slots[2] = .bytes(bytes)
      fibers[index].serverRequest = ServerActivation(request: request, attribute: attribute, written: bytes)
    case .readAsked(let request, let attribute):
      fibers[index].serverRequest = ServerActivation(request: request, attribute: attribute)
    case .pairingAsked(let activation, _): fibers[index].question = activation
    case .connected, .centralConnected, .centralDisconnected, .disconnected, .servicesChanged, .advertised, .subscribed,
      .unsubscribed,
      .line, .adapter:
      break
    }
    fibers[index].slots[3] = .time(event.at.wall)
    return true
  }

  mutating func laneFreed(_ unit: Int, _ device: Int) {
    guard let lane = events.index(unit, device), case .handler(let site) = program.units[unit].role else { return }
    if let catchUp, events.handles(before: catchUp.end, lane: lane) { renewCatchUp() }
    events.end(lane: lane)
    while let event = events.take(lane) {
      if activate(event, unit, site) { return events.begin(event, lane: lane) }
    }
    events.close(lane)
  }

  /// Whether a handler or `wait for` is for this kind of event, regardless of the device.
  func isNamed(_ event: MachineEvent, by site: EventSite) -> Bool {
    switch (event.kind, site) {
    case (.notified(let reference, _), .notify(let attribute, _)):
      guard let path = staticPath(attribute) else { return true }
      return path.matches(reference)
    case (.connected, .connect), (.centralConnected, .connect), (.centralDisconnected, .disconnect), (.disconnected, .disconnect),
      (.servicesChanged, .services), (.line, .line),
      (.adapter, .adapter):
      return true
    case (.pairingAsked(let activation, _), .passkey(let kind)):
      return switch activation.question {
      case .passkey: kind == .request
      case .comparison, .unproven: kind == .confirm
      case .display: kind == .display
      }
    case (.written(_, let id, _), .write(let attribute, _)), (.readAsked(_, let id), .read(let attribute)),
      (.subscribed(let id), .subscribe(let attribute)), (.unsubscribed(let id), .unsubscribe(let attribute)):
      guard let path = staticPath(attribute) else { return false }
      return served?.attribute(for: path)?.id == id
    default: return false
    }
  }

  func matches(_ event: MachineEvent, _ site: EventSite, device: Int?, _ fiber: borrowing Fiber, _ base: Int) -> Bool {
    if let device, event.device != device { return false }
    if case .notified(let reference, _) = event.kind, case .notify(let attribute, _) = site, staticPath(attribute) == nil {
      guard let path = try? path(attribute, fiber, base) else { return false }
      return path.matches(reference)
    }
    return isNamed(event, by: site)
  }

  private func servesDevice(_ site: EventSite, _ device: Int) -> Bool {
    let wanted: DeviceSite?
    switch site {
    case .notify(let attribute, _): wanted = attribute.device
    case .connect(let target), .disconnect(let target), .services(let target): wanted = target
    default: wanted = nil
    }
    guard case .value(let operand)? = wanted, !operand.isLocal else { return true }
    let value = operand.isGlobal ? variables[operand.index] : program.constants[operand.index]
    switch value {
    case .device(let index): return index == device
    case .address(let address): return devices.indices.contains(device) && devices[device].addressValue.isSame(as: address)
    default: return false
    }
  }

  /// The path of an attribute that does not depend on locals.
  func staticPath(_ site: AttributeSite) -> AttributePath? {
    func value(_ operand: Operand) -> Value? {
      if operand.isConstant { return program.constants[operand.index] }
      return operand.isGlobal ? variables[operand.index] : nil
    }
    switch site.form {
    case .fixed(let path): return path
    case .value(let operand): return value(operand).flatMap { try? Self.path($0) }
    case .handle(let operand): return value(operand).flatMap { try? Self.handlePath($0) }
    case .steps, .rssi: return AttributePath(fixing: site.form, text: site.text, value: value)
    }
  }

  /// Fails if the value that names a handler's attribute is not an attribute. Checked at each
  /// event.
  private func checkNamed(_ site: EventSite) throws(Failure) {
    guard let attribute = site.attribute, staticPath(attribute) == nil else { return }
    if case .value(let operand) = attribute.form, operand.isGlobal { _ = try Self.path(variables[operand.index]) }
    if case .value(let operand) = attribute.form, operand.isConstant { _ = try Self.path(program.constants[operand.index]) }
    throw .value("`\(attribute.text)` does not name an attribute here")
  }

  /// The value of an event for `as`, `it` and `where`.
  func eventValue(_ event: MachineEvent, _ site: EventSite) throws(Failure) -> Value {
    switch event.kind {
    case .notified(let reference, let bytes):
      if case .notify(_, true) = site { return .bytes(bytes) }
      return try program.formats.decode(reference.descriptor ?? reference.characteristic, bytes, zone: environment.timeZone)
    case .connected, .servicesChanged, .centralConnected, .subscribed, .unsubscribed, .readAsked: return .device(event.device)
    case .disconnected(let reason), .centralDisconnected(let reason): return .text(reason.text)
    case .advertised(let advertisement):
      guard let scan = site.scan else { return .nothing }
      return advertisementValue(advertisement, program.scans[scan])
    case .pairingAsked(let activation, _):
      if activation.question == .passkey { return .device(event.device) }
      return activation.question.digits.map { .text($0) } ?? .nothing
    case .line(let text): return text.map { .text($0) } ?? .nothing
    case .adapter(let state): return .text(state)
    case .written(_, let id, let bytes):
      if case .write(_, true) = site { return .bytes(bytes) }
      guard let uuid = serverUUID(id) else { return .bytes(bytes) }
      return try program.formats.decode(uuid, bytes, zone: environment.timeZone)
    }
  }
}
