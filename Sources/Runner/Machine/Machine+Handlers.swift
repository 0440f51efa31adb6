import Exchange
import Recipe
import Vocabulary

extension Machine {
  mutating func enterTopLevelHandlers() {
    for unit in program.units.indices {
      guard case .handler(let site) = program.units[unit].role, site.isTopLevel else { continue }
      do throws(Failure) {
        try enterHandler(unit)
      } catch {
        unhandledSetUp(unit, error)
      }
    }
  }

  /// A failure of the period of a timer, before there is any fiber.
  private mutating func unhandledSetUp(_ unit: Int, _ failure: Failure) {
    let range = range(of: blamed ?? program.units[unit].entry)
    blamed = nil
    effects.append(.failed(FailureReport(failure: failure, range: range, device: nil, attempts: 1, ends: true)))
    exit = ExitStatus(code: failure.kind.exitCode, reason: .failed)
    stopNow()
  }

  /// The block of a handler is entered: it is active from now on.
  mutating func enterHandler(_ unit: Int) throws(Failure) {
    guard case .handler(let site) = program.units[unit].role else { return }
    activeHandlers.append(unit)
    switch site.trigger {
    case .event: break
    case .every(let period, let at):
      blame(period)
      guard case .duration(let span) = try evaluate(unit: unit, at: period), span > .zero else {
        throw .value("`every` takes a duration above zero")
      }
      var clock: TimeOfDay?
      if let at {
        blame(at)
        guard case .text(let text) = try evaluate(unit: unit, at: at), let time = TimeOfDay(text) else {
          throw .value("`at` takes a time of the day as text", hint: "`every 1d at \"06:00\"`")
        }
        clock = time
      }
      blamed = nil
      addTimer(unit, period: span, at: clock)
    case .after(let delay):
      blame(delay)
      guard case .duration(let span) = try evaluate(unit: unit, at: delay) else { throw .value("`after` takes a duration") }
      blamed = nil
      timers.append(TimerState(id: header.nextTimer, unit: unit, due: now + max(span, .zero), period: nil))
      header.nextTimer += 1
    }
  }

  /// A failure from here on is that of the expression whose code begins there.
  private mutating func blame(_ start: Int) {
    var pc = start
    while pc + 1 < program.code.count, program.code[pc].code != .predicateEnd { pc += 1 }
    blamed = pc
  }

  func range(of pc: Int) -> SourceRange { program.rangeOf.indices.contains(pc) ? program.rangeOf[pc] : .none }

  private mutating func addTimer(_ unit: Int, period: TimeSpan, at clock: TimeOfDay?) {
    var timer = TimerState(id: header.nextTimer, unit: unit, due: now + period, period: period, at: clock)
    header.nextTimer += 1
    isHeaderDirty = true
    if let clock {
      let wall = environment.timeZone.next(clock, after: now.wall)
      timer.due = Instant(moment: now.moment + (wall - now.wall), wall: wall)
    }
    timers.append(timer)
  }

  mutating func leaveHandler(_ unit: Int) {
    if let place = activeHandlers.lastIndex(of: unit) { activeHandlers.remove(at: place) }
    for timer in timers where timer.unit == unit && timer.isStored { deadRows.append(RowKey(.timer, timer.id)) }
    timers.removeAll { $0.unit == unit }
  }

  // MARK: Timers

  mutating func fireTimers(_ moment: Moment) {
    guard !isRestoring else { return }
    var done: [UInt64] = []
    for index in timers.indices where timers[index].due.moment <= moment {
      let unit = timers[index].unit
      let due = timers[index].due
      timers[index].isDirty = true
      if timers[index].period == nil {
        done.append(timers[index].id)
        tick(unit, due)
        continue
      }
      advance(index, past: moment)
      if timers[index].isRunning {
        // More than one that is owed collapse into one.
        if !timers[index].isOwed {
          timers[index].isOwed = true
          timers[index].owedDue = due
        }
      } else {
        timers[index].isRunning = true
        tick(unit, due)
      }
    }
    for timer in timers where done.contains(timer.id) && timer.isStored { deadRows.append(RowKey(.timer, timer.id)) }
    timers.removeAll { done.contains($0.id) }
  }

  /// Somebody set the clock: timers of a time of day keep their wall time. One that was skipped
  /// ticks now, one that is repeated does not again.
  mutating func followWallClock() {
    let offset = TimeSpan(nanoseconds: now.wall.nanoseconds) - TimeSpan(nanoseconds: now.moment.nanoseconds)
    defer { clockOffset = offset }
    guard let last = clockOffset, offset - last > .seconds(1) || last - offset > .seconds(1) else { return }
    for index in timers.indices where timers[index].at != nil {
      timers[index].due.moment = now.moment + (timers[index].due.wall - now.wall)
      timers[index].isDirty = true
    }
  }

  /// The next tick after now: those that were missed are not made up for.
  private mutating func advance(_ index: Int, past moment: Moment) {
    guard let period = timers[index].period else { return }
    if let clock = timers[index].at {
      let wall = environment.timeZone.next(clock, after: max(now.wall, timers[index].due.wall))
      // At the end of time there is no next one: it must not tick without pause.
      timers[index].due = Instant(moment: now.moment + (wall > now.wall ? wall - now.wall : .days(1)), wall: wall)
      return
    }
    let late = (moment - timers[index].due.moment).nanoseconds
    let steps = min(late / period.nanoseconds, .max - 1) + 1
    timers[index].due = timers[index].due + period * steps
  }

  private mutating func tick(_ unit: Int, _ due: Instant) {
    let late = now.moment - due.moment
    let record = Record([.init("due", .time(due.wall)), .init("late", .duration(late))])
    addFiber(role: .timer(unit: unit), unit: unit, it: .record(record), device: soleDevice)
  }

  mutating func timerFreed(_ unit: Int) {
    guard let index = timers.firstIndex(where: { $0.unit == unit && $0.period != nil }) else { return }
    timers[index].isRunning = false
    if timers[index].isOwed {
      let due = timers[index].owedDue ?? timers[index].due
      timers[index].isOwed = false
      timers[index].owedDue = nil
      timers[index].isDirty = true
      timers[index].isRunning = true
      tick(unit, due)
    }
  }

  /// In a timer without a device of its own: the only device the body connects.
  var soleDevice: Int? {
    if let body = fibers.first(where: { $0.role == .body }), let frame = body.frames.first,
      case .device(let index) = body.slots[frame.base + 1]
    {
      return index
    }
    return devices.count == 1 ? 0 : nil
  }

  // MARK: Events

  /// Gives an event to every handler that serves it and to who waits for it.
  mutating func deliver(_ kind: MachineEvent.Kind, device: Int, at: Instant? = nil) {
    header.sequence += 1
    isHeaderDirty = true
    hasNews = true
    let event = MachineEvent(sequence: header.sequence, device: device, kind: kind, at: at ?? now)
    for unit in activeHandlers {
      guard case .handler(let site) = program.units[unit].role, case .event(let wanted) = site.trigger else { continue }
      // `on connect` belongs to one link and is started by the link itself.
      if case .connect = wanted, program.serverTable == nil { continue }
      guard isNamed(event, by: wanted), servesDevice(wanted, device) else { continue }
      enqueue(event, unit, site)
    }
    if !program.eventWaits.isEmpty { keep(event) }
  }

  private mutating func enqueue(_ event: MachineEvent, _ unit: Int, _ site: HandlerSite) {
    let device = event.device
    let place: Int
    if let found = lanes.firstIndex(where: { $0.unit == unit && $0.device == device }) {
      place = found
    } else {
      lanes.append(Lane(unit: unit, device: device))
      place = lanes.count - 1
    }
    if !lanes[place].isBusy {
      lanes[place].isBusy = activate(event, unit, site)
      return
    }
    if site.keepingLatest {
      while let old = lanes[place].take() {
        if old.isStored { deadRows.append(.queued(old, unit)) }
      }
    } else if lanes[place].count >= Lane.limit {
      countDropped(line: site.line, device: device)
      return
    }
    lanes[place].events.append(event)
  }

  /// Starts a handler with an event. False when its value cannot be decoded: a failure of that
  /// handler, without an activation.
  private mutating func activate(_ event: MachineEvent, _ unit: Int, _ site: HandlerSite) -> Bool {
    guard case .event(let wanted) = site.trigger else { return false }
    let value: Value
    do throws(Failure) {
      if site.isNamedByValue { try checkNamed(wanted) }
      value = try eventValue(event, wanted)
    } catch {
      let range = program.statements[program.units[unit].owner ?? 0].range
      let name = devices.indices.contains(event.device) ? devices[event.device].text : nil
      effects.append(.failed(FailureReport(failure: error, range: range, device: name, attempts: 1, ends: false)))
      header.failures += 1
      isHeaderDirty = true
      refuseUndecoded(event)
      return false
    }
    let id = addFiber(
      role: .handler(unit: unit, device: event.device), unit: unit, it: value, device: event.device >= 0 ? event.device : nil)
    guard let index = fiberIndex(id) else { return false }
    switch event.kind {
    case .notified(_, let bytes): fibers[index].slots[2] = .bytes(bytes)
    case .written(let request, let attribute, let bytes):
      fibers[index].slots[2] = .bytes(bytes)
      fibers[index].serverRequest = ServerActivation(request: request, attribute: attribute)
    case .readAsked(let request, let attribute):
      fibers[index].serverRequest = ServerActivation(request: request, attribute: attribute)
    case .connected, .disconnected, .subscribed, .unsubscribed: break
    }
    fibers[index].slots[3] = .time(event.at.wall)
    return true
  }

  mutating func laneFreed(_ unit: Int, _ device: Int) {
    guard let place = lanes.firstIndex(where: { $0.unit == unit && $0.device == device }),
      case .handler(let site) = program.units[unit].role
    else { return }
    lanes[place].isBusy = false
    while let event = lanes[place].take() {
      if event.isStored { deadRows.append(.queued(event, unit)) }
      if activate(event, unit, site) {
        lanes[place].isBusy = true
        return
      }
    }
  }

  /// Whether a handler or `wait for` is for this kind of event, whatever the device.
  func isNamed(_ event: MachineEvent, by site: EventSite) -> Bool {
    switch (event.kind, site) {
    case (.notified(let reference, _), .notify(let attribute, _)):
      guard let path = staticPath(attribute) else { return true }
      return path.matches(reference)
    case (.connected, .connect), (.disconnected, .disconnect): return true
    case (.written(_, let id, _), .write(let attribute, _)), (.readAsked(_, let id), .read(let attribute)),
      (.subscribed(let id), .subscribe(let attribute)), (.unsubscribed(let id), .unsubscribe(let attribute)):
      guard let path = staticPath(attribute) else { return false }
      return program.serverTable?.attribute(for: path)?.id == id
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
    case .connect(let target), .disconnect(let target): wanted = target
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

  /// The path of an attribute that needs no locals.
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

  /// An attribute that a handler names by a value which is none: a failure of that handler, at each
  /// event.
  private func checkNamed(_ site: EventSite) throws(Failure) {
    guard let attribute = site.attribute, staticPath(attribute) == nil else { return }
    if case .value(let operand) = attribute.form, operand.isGlobal { _ = try Self.path(variables[operand.index]) }
    if case .value(let operand) = attribute.form, operand.isConstant { _ = try Self.path(program.constants[operand.index]) }
    throw .value("`\(attribute.text)` names no attribute here")
  }

  /// What `as`, `it` and `where` see of an event.
  func eventValue(_ event: MachineEvent, _ site: EventSite) throws(Failure) -> Value {
    switch event.kind {
    case .notified(let reference, let bytes):
      if case .notify(_, true) = site { return .bytes(bytes) }
      return try program.formats.decode(reference.descriptor ?? reference.characteristic, bytes, zone: environment.timeZone)
    case .connected, .subscribed, .unsubscribed, .readAsked: return .device(event.device)
    case .disconnected(let reason): return .text(reason.text)
    case .written(_, let id, let bytes):
      if case .write(_, true) = site { return .bytes(bytes) }
      guard let uuid = serverUUID(id) else { return .bytes(bytes) }
      return try program.formats.decode(uuid, bytes, zone: environment.timeZone)
    }
  }
}
