import Exchange
import Vocabulary

extension Snapshot {
  /// Adapts the checkpoint to an edited text, if the edit did not affect a running statement.
  ///
  /// Fails if the checkpoint is damaged and does not fit the old text either.
  package func aligned(from old: Program, to new: Program) throws(RestoreFailure) -> Result<Alignment, AlignmentConflict> {
    try Machine.validate(self, old)
    var map = StatementMap(from: old, to: new)
    for fiber in fibers {
      for frame in fiber.frames { map.dropIfAmbiguous(Int(old.statementOf[frame.pc]), in: old) }
    }
    var result = self
    result.isAligned = true
    do throws(AlignmentConflict) {
      for index in fibers.indices { result.fibers[index] = try align(fibers[index], old, new, map) }
    } catch {
      return .failure(error)
    }
    var dropped = 0
    result.timers = timers.compactMap { timer in
      guard let unit = map.unit(timer.handler.unit) else { return nil }
      var timer = timer
      timer.handler.unit = unit
      return timer
    }
    result.listens = listens.compactMap { listen in
      guard case .handler(let unit) = listen.owner else { return listen }
      return map.unit(unit).map { Listen(owner: .handler($0), operation: listen.operation) }
    }
    result.seen = seen.compactMap { entry in
      guard let unit = map.unit(entry.unit) else { return nil }
      var entry = entry
      entry.unit = unit
      return entry
    }
    result.queued = queued.compactMap { entry in
      guard let unit = map.unit(entry.unit) else {
        dropped += 1
        return nil
      }
      return (unit, entry.event)
    }
    for device in result.devices.indices {
      for item in result.devices[device].setUp.indices {
        let statement = result.devices[device].setUp[item].statement
        if !result.devices[device].setUp[item].locals.isEmpty {
          result.devices[device].setUp[item].locals = Self.locals(
            result.devices[device].setUp[item].locals, ofStatement: statement, old, new, map)
        }
        result.devices[device].setUp[item].statement =
          (map.new.indices.contains(statement) ? map.new[statement] : nil) ?? SetUpItem.goneStatement
      }
    }
    let survivors = Set(map.units.compactMap { $0 })
    result.newHandlers = new.units.indices.filter { unit in
      guard case .handler(let site) = new.units[unit].role, site.isTopLevel else { return false }
      return !survivors.contains(unit)
    }
    result.alignServed(from: old, to: new)
    let kinds = Dictionary(old.variables.map { ($0.name, $0.kind) }) { first, _ in first }
    result.namesNotRemembered = new.variables.filter { $0.kind == .state && kinds[$0.name] == .remembered }.map(\.name)
    // An input that was a `let` has the value of its start.
    let inputs = Set(new.variables.filter { $0.isKeptInput && kinds[$0.name] != .input }.map(\.name))
    result.variables.removeAll { inputs.contains($0.name) }
    var places = (RecipeLine.none, RecipeLine.none)
    if let body = fibers.first(where: { $0.role == .body }), let frame = body.frames.last {
      let statement = Int(old.statementOf[frame.pc])
      let target = map.new.indices.contains(statement) ? map.new[statement] : nil
      places = (old.line(of: statement), target.map { new.line(of: $0) } ?? .none)
    }
    return .success(
      Alignment(
        snapshot: result, changedLines: map.unmatched, isReordered: map.isReordered, oldPlace: old.lines.text(of: places.0),
        newPlace: new.lines.text(of: places.1), droppedEvents: dropped))
  }

  /// Moves values, subscribers and orders of the served peripheral to its new attribute numbers.
  private mutating func alignServed(from old: Program, to new: Program) {
    guard let name = server.name, let before = old.servers.first(where: { $0.peripheral == name }),
      let after = new.servers.first(where: { $0.peripheral == name })
    else { return }
    let (oldKeys, newKeys) = (before.attributeKeys, after.attributeKeys)
    let places = Dictionary(newKeys.enumerated().map { ($1, $0) }) { first, _ in first }
    func moved(_ id: ServerAttributeID) -> ServerAttributeID? {
      guard oldKeys.indices.contains(id.raw) else { return nil }
      return places[oldKeys[id.raw]].map { ServerAttributeID($0) }
    }
    var values: [[UInt8]?] = Array(repeating: nil, count: newKeys.count)
    for (number, value) in served.enumerated() {
      if let place = moved(ServerAttributeID(number)) { values[place.raw] = value }
    }
    newAttributes = values.indices.filter { values[$0] == nil }
    served = values.map { $0 ?? [] }
    server.subscribers = server.subscribers.compactMap { subscriber in
      moved(subscriber.attribute).map { ServerState.Subscriber(device: subscriber.device, attribute: $0, kind: subscriber.kind) }
    }
    server.orders = server.orders.compactMap { order in
      guard case .update(let attribute) = order.kind else { return order }
      return moved(attribute).map { ServerState.Order(operation: order.operation, kind: .update($0)) }
    }
  }

  private func align(_ given: Fiber, _ old: Program, _ new: Program, _ map: StatementMap) throws(AlignmentConflict) -> Fiber {
    var fiber = given
    fiber.slots = []
    fiber.frames = []
    for (index, frame) in given.frames.enumerated() {
      let end = index + 1 < given.frames.count ? given.frames[index + 1].base : given.slots.count
      guard let unit = map.unit(frame.unit), let pc = Self.place(frame.pc, old, new, map),
        Self.tries(at: frame.pc, old).count == Self.tries(at: pc, new).count
      else { throw conflict(frame.pc, old, new, map) }
      var moved = frame
      moved.unit = unit
      moved.pc = pc
      moved.base = fiber.slots.count
      moved.tries = []
      for attempt in frame.tries {
        guard let site = Self.trySite(attempt.site, old, new, map) else { throw conflict(frame.pc, old, new, map) }
        var attempt = attempt
        attempt.site = site
        moved.tries.append(attempt)
      }
      moved.handlers = frame.handlers.compactMap { handler in
        map.unit(handler.unit).map { ActiveHandler(unit: $0, owner: handler.owner, device: handler.device) }
      }
      fiber.slots += Self.locals(Array(given.slots[frame.base..<end]), old.units[frame.unit], new.units[unit], map)
      fiber.frames.append(moved)
    }
    if let frame = fiber.frames.last {
      let site = Int(new.code[frame.pc].a)
      switch fiber.wait {
      case .until(_, let limit): fiber.wait = .until(site: site, limit)
      case .event(_, let limit): fiber.wait = .event(site: site, limit)
      case .reconnect(_, let devices): fiber.wait = .reconnect(site: site, devices: devices)
      case .branches(var branches):
        branches.site = site
        for index in branches.failed.indices { branches.failed[index].pc = -1 }
        fiber.wait = .branches(branches)
      case .scan(var scan):
        scan.site = site
        fiber.wait = .scan(scan)
      default: break
      }
    }
    if let place = given.taken?.pc, old.code.indices.contains(place) {
      fiber.taken?.pc = Self.place(place, old, new, map) ?? -1
      if fiber.taken?.pc == -1 { fiber.taken = nil }
    }
    fiber.role = Self.role(given.role, map)
    return fiber
  }

  private static func role(_ role: Fiber.Role, _ map: StatementMap) -> Fiber.Role {
    func moved(_ index: Int) -> Int { map.unit(index) ?? 0 }
    switch role {
    case .body: return .body
    case .handler(let unit, let device): return .handler(unit: moved(unit), device: device)
    case .connect(let unit, let device): return .connect(unit: moved(unit), device: device)
    case .whenever(let unit, let device): return .whenever(unit: moved(unit), device: device)
    case .timer(let unit, let number): return .timer(unit: moved(unit), number: number)
    case .restore(let unit): return .restore(unit: moved(unit))
    case .stop(let unit): return .stop(unit: moved(unit))
    case .failure(let unit): return .failure(unit: moved(unit))
    case .branch, .setUp: return role
    }
  }

  /// The corresponding instruction in the new program.
  private static func place(_ pc: Int, _ old: Program, _ new: Program, _ map: StatementMap) -> Int? {
    let statement = Int(old.statementOf[pc])
    guard map.new.indices.contains(statement), let target = map.new[statement] else { return nil }
    let info = new.statements[target]
    if let number = old.statements[statement].waits.firstIndex(of: pc) {
      guard info.waits.indices.contains(number), new.code[info.waits[number]].code == old.code[pc].code else { return nil }
      return info.waits[number]
    }
    // After a completed effect, or between two iterations of a loop, the fiber continues at the
    // same place in the new statement, even if the statements inside it have changed.
    let places = Self.code(of: target, new)
    guard let number = Self.code(of: statement, old).firstIndex(of: pc), places.indices.contains(number),
      new.code[places[number]].code == old.code[pc].code
    else { return info.start }
    return places[number]
  }

  /// The instructions of a statement, without those of the statements inside it.
  private static func code(of statement: Int, _ program: Program) -> [Int] {
    program.code.indices.filter { Int(program.statementOf[$0]) == statement }
  }

  private static func tries(at pc: Int, _ program: Program) -> [Int] {
    code(of: Int(program.statementOf[pc]), program).filter { program.code[$0].code == .tryBegin }
  }

  private static func trySite(_ site: Int, _ old: Program, _ new: Program, _ map: StatementMap) -> Int? {
    guard let pc = old.code.firstIndex(where: { $0.code == .tryBegin && Int($0.a) == site }),
      case let statement = Int(old.statementOf[pc]), map.new.indices.contains(statement), let target = map.new[statement],
      let number = tries(at: pc, old).firstIndex(of: pc),
      case let candidates = code(of: target, new).filter({ new.code[$0].code == .tryBegin }), candidates.indices.contains(number)
    else { return nil }
    return Int(new.code[candidates[number]].a)
  }

  private static func locals(
    _ values: [Value], ofStatement statement: Int, _ old: Program, _ new: Program, _ map: StatementMap
  ) -> [Value] {
    guard old.statements.indices.contains(statement), case let unit = old.statements[statement].unit,
      old.units.indices.contains(unit), let target = map.unit(unit)
    else { return [] }
    return locals(values, old.units[unit], new.units[target], map)
  }

  private static func locals(_ values: [Value], _ old: Unit, _ new: Unit, _ map: StatementMap) -> [Value] {
    var moved = Array(repeating: Value.unset, count: max(new.localCount, Operand.firstFree))
    // Hidden locals are numbered per unit, so an edit of another statement renumbers them. They are
    // found by their order within their statement.
    var hidden: [Int: ArraySlice<Int>] = [:]
    for (slot, key) in new.localKeys.enumerated() {
      if case .hidden(let statement, _) = key { hidden[statement, default: []].append(slot) }
    }
    for (slot, key) in old.localKeys.enumerated() where slot < values.count {
      var place: Int?
      switch key {
      case .temporary: break
      case .hidden(let statement, _):
        if map.new.indices.contains(statement), let target = map.new[statement] { place = hidden[target]?.popFirst() }
      case .fixed, .named: place = new.localKeys.firstIndex(of: key)
      }
      if let place { moved[place] = values[slot] }
    }
    return moved
  }

  private func conflict(_ pc: Int, _ old: Program, _ new: Program, _ map: StatementMap) -> AlignmentConflict {
    EditedStatement(old: old, new: new, map: map).conflict(at: Int(old.statementOf[pc]))
  }
}
