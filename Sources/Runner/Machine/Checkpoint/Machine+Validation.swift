import Vocabulary

extension Machine {
  /// Checks that every index in the rows is valid.
  static func validate(_ snapshot: Snapshot, _ program: Program) throws(RestoreFailure) {
    let validation = Validation(snapshot: snapshot, program: program)
    try validation.checkNumbers()
    for fiber in snapshot.fibers { try validation.check(fiber) }
    try validation.checkOwners()
    try validation.checkServer()
    try validation.checkEvents()
  }
}

/// Checks a checkpoint against its program.
private struct Validation {
  let snapshot: Snapshot
  let program: Program

  func checkNumbers() throws(RestoreFailure) {
    let header = snapshot.header
    guard snapshot.fibers.allSatisfy({ $0.id < header.nextFiber }), snapshot.timers.allSatisfy({ $0.id < header.nextTimer }) else {
      throw bad("a number")
    }
  }

  func check(_ fiber: Fiber) throws(RestoreFailure) {
    guard !fiber.frames.isEmpty else { throw bad("a fiber without frames") }
    for index in fiber.frames.indices { try check(fiber.frames[index], at: index, of: fiber) }
    guard fiber.slots.allSatisfy(isKnown), fiber.taken.map({ isKnown($0.device) }) ?? true else { throw bad("a device") }
    try checkRole(of: fiber)
    let top = fiber.frames[fiber.frames.count - 1]
    try checkPlace(of: fiber.wait, top)
    try checkWait(of: fiber, at: program.code[top.pc])
  }

  private func check(_ frame: Frame, at index: Int, of fiber: Fiber) throws(RestoreFailure) {
    guard program.units.indices.contains(frame.unit), program.code.indices.contains(frame.pc) else { throw bad("a place") }
    let end = index + 1 < fiber.frames.count ? fiber.frames[index + 1].base : fiber.slots.count
    guard end - frame.base >= max(program.units[frame.unit].localCount, Operand.firstFree) else { throw bad("locals") }
    guard fits(frame.pc, frame.unit) else { throw bad("a place") }
    // A frame that waits for another one is at its call, which determines the destination.
    if index + 1 < fiber.frames.count {
      let op = program.code[frame.pc]
      let above = fiber.frames[index + 1].unit
      guard op.code == .call && Int(op.b) == above || fiber.role == .body && program.isEntry(above) else {
        throw bad("a call")
      }
    }
    guard
      frame.tries.allSatisfy({ attempt in
        program.tries.indices.contains(attempt.site) && fits(program.tries[attempt.site].start, frame.unit)
          && isKnown(attempt.device) && attempt.rescued.map { isKnown($0) } ?? true
      })
    else { throw bad("a try") }
    guard
      frame.handlers.allSatisfy({ handler in
        program.isHandler(handler.unit) && handler.owner == fiber.id && handler.device.map { isDevice($0) } ?? true
      })
    else { throw bad("a handler") }
  }

  private func checkRole(of fiber: Fiber) throws(RestoreFailure) {
    switch fiber.role {
    case .handler(let unit, let device):
      guard program.units.indices.contains(unit), device >= -1, device < snapshot.devices.count else { throw bad("a handler") }
    case .connect(let unit, let device), .whenever(let unit, let device):
      guard program.units.indices.contains(unit), isDevice(device) else { throw bad("a handler") }
    case .setUp(let device, _): guard isDevice(device) else { throw bad("a device") }
    case .timer(let unit, _), .restore(let unit), .stop(let unit), .failure(let unit):
      guard program.units.indices.contains(unit) else { throw bad("a handler") }
    case .branch(let parent, let number, _):
      guard let around = snapshot.fibers.first(where: { $0.id == parent }), case .branches(let wait) = around.wait,
        parent < fiber.id,
        (0..<wait.next).contains(number)
      else { throw bad("a branch") }
    case .body: break
    }
  }

  /// Checks that a wait fits its instruction and that another instruction follows, except after
  /// `wait forever`.
  private func checkPlace(of wait: Wait, _ top: Frame) throws(RestoreFailure) {
    switch wait {
    case .none, .forever, .prompt: break
    // An attempt starts at its first instruction, which may enter a handler.
    case .retry: guard let attempt = top.tries.last, program.tries[attempt.site].start == top.pc else { throw bad("a wait") }
    default: guard fits(top.pc + 1, top.unit) else { throw bad("a wait") }
    }
  }

  /// - Parameter op: the instruction at which the fiber waits.
  private func checkWait(of fiber: Fiber, at op: Op) throws(RestoreFailure) {
    switch fiber.wait {
    case .until(let site, _):
      guard op.code == .waitUntil, Int(op.a) == site, program.untils.indices.contains(site) else { throw bad("a wait") }
    case .event(let site, _):
      guard op.code == .waitEvent, Int(op.a) == site, program.eventWaits.indices.contains(site) else { throw bad("a wait") }
    case .scan(let scan):
      guard op.code == .scan, Int(op.a) == scan.site, scan.found.allSatisfy({ isDevice($0.device) }),
        program.scans.indices.contains(scan.site)
      else { throw bad("a scan") }
    case .branches(let wait): try check(wait, of: fiber, at: op)
    case .link(let device, _), .closing(let device), .forgetting(let device, _):
      guard isDevice(device) else { throw bad("a device") }
    case .operation(let operation):
      guard isDevice(operation.device) else { throw bad("a device") }
      if let place = operation.pieces, !operation.isSecret {
        guard snapshot.pieces.first(where: { $0.fiber == fiber.id })?.bytes.count == place.total else { throw bad("a piece") }
      }
    case .reconnect(let site, let devices):
      guard op.code == .reconnect, Int(op.a) == site else { throw bad("a wait") }
      guard devices.allSatisfy({ isDevice($0) }) else { throw bad("a device") }
    case .prompt:
      let top = fiber.frames[fiber.frames.count - 1].unit
      guard fiber.role == .body, fiber.frames.count == 1 || !program.isEntry(top) else { throw bad("a prompt") }
    case .none, .span, .forever, .retry, .file, .published, .asked, .command: break
    }
  }

  private func check(_ wait: BranchWait, of fiber: Fiber, at op: Op) throws(RestoreFailure) {
    guard op.code == .atOnce, Int(op.a) == wait.site, program.atOnces.indices.contains(wait.site), wait.limit > 0,
      wait.failed.allSatisfy({ isKnown(.problem($0.problem)) })
    else { throw bad("a loop") }
    let count = snapshot.fibers.count { other in
      if case .branch(fiber.id, _, _) = other.role { true } else { false }
    }
    guard count == wait.running, count > 0 else { throw bad("a branch") }
  }

  /// Checks entries of a prompt, and the owners of scans.
  func checkOwners() throws(RestoreFailure) {
    guard snapshot.entries.allSatisfy({ program.isEntry($0.unit) && $0.handlers.allSatisfy { program.isHandler($0) } }) else {
      throw bad("an entry")
    }
    guard
      snapshot.listens.allSatisfy({ listen in
        switch listen.owner {
        case .handler(let unit): program.units.indices.contains(unit)
        case .fiber(let id): id < snapshot.header.nextFiber
        }
      })
    else { throw bad("a scan") }
  }

  func checkServer() throws(RestoreFailure) {
    guard snapshot.server.centrals.allSatisfy(isDevice), snapshot.server.subscribers.allSatisfy({ isDevice($0.device) }) else {
      throw bad("a central")
    }
    if let served = program.servers.first(where: { $0.peripheral == snapshot.server.name }),
      snapshot.served.count != served.attributes.count
    {
      throw bad("a served attribute")
    }
  }

  func checkEvents() throws(RestoreFailure) {
    guard snapshot.seen.allSatisfy({ program.units.indices.contains($0.unit) }) else { throw bad("a device that was seen") }
    guard snapshot.timers.allSatisfy({ program.isHandler($0.handler.unit) && $0.period ?? .seconds(1) > .zero }) else {
      throw bad("a timer")
    }
    guard
      snapshot.queued.allSatisfy({
        program.units.indices.contains($0.unit) && $0.event.device >= -1 && $0.event.device < snapshot.devices.count
      })
    else { throw bad("an event") }
  }

  /// Whether an instruction belongs to a unit. An instruction of another unit would use locals that
  /// do not exist.
  private func fits(_ pc: Int, _ unit: Int) -> Bool {
    program.unitOf.indices.contains(pc) && Int(program.unitOf[pc]) == unit
  }

  private func isDevice(_ index: Int) -> Bool { snapshot.devices.indices.contains(index) }

  private func isKnown(_ value: Value) -> Bool { if case .device(let index) = value { isDevice(index) } else { true } }

  private func bad(_ what: String) -> RestoreFailure { RestoreFailure("the checkpoint does not fit this recipe (\(what))") }
}
