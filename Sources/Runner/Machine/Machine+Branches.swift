import Exchange
import Recipe
import Vocabulary

/// `for each … at once`: a fiber per element, and one that waits for all of them.
extension Machine {
  mutating func beginBranches(_ number: Int, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let site = program.atOnces[number]
    let value = read(site.list.raw, fiber, base)
    guard case .list(let list) = try value.opened() else {
      throw .value("`for each` needs a list, not \(value.typeName)")
    }
    var limit = BranchWait.mostRunning
    if let operand = site.upTo {
      guard let most = read(operand.raw, fiber, base).whole, most >= 1 else {
        throw .value("`at once up to` takes a whole number of at least 1")
      }
      limit = Int(min(most, Int64(limit)))
    }
    if list.isEmpty { return nil }
    var wait = BranchWait(site: number, limit: limit)
    startBranches(&wait, fiber)
    return pause(&fiber, .branches(wait))
  }

  private mutating func startBranches(_ wait: inout BranchWait, _ fiber: borrowing Fiber) {
    let site = program.atOnces[wait.site]
    let base = fiber.frames[fiber.frames.count - 1].base
    let value = read(site.list.raw, fiber, base)
    guard case .list(let list)? = try? value.opened() else { return }
    let unit = program.units[site.unit]
    let admission: Fiber.Admission = fiber.isStop ? .stop : fiber.isRestore ? .restore : .all
    while wait.running < wait.limit, wait.next < list.count {
      var branch = Fiber(
        id: header.nextFiber(), role: .branch(parent: fiber.id, number: wait.next, admission: admission))
      branch.frames = [Frame(unit: site.unit, pc: unit.entry, base: 0, destination: 0)]
      branch.slots = Array(fiber.slots[base..<min(base + site.captured, fiber.slots.count)])
      let missing = max(unit.localCount, Operand.firstFree) - branch.slots.count
      branch.slots += Array(repeating: .unset, count: max(missing, 0))
      branch.slots[0] = .nothing
      // The branches need not keep the whole list.
      if site.list.isLocal { branch.slots[site.list.index] = .nothing }
      branch.slots[site.element.index] = value.isSecret ? .hidden(list[wait.next]) : list[wait.next]
      branch.mark = header.value.sequence
      fibers.add(branch)
      wait.next += 1
      wait.running += 1
    }
  }

  /// Handles the end of a branch: starts the next element or ends the loop.
  mutating func branchEnded(_ number: Int, of parent: UInt64, _ failure: BranchWait.Failed?, leaves: Bool) {
    guard let place = fibers.index(of: parent), case .branches(var wait) = fibers[place].wait else { return }
    wait.running -= 1
    if let failure { wait.note(failure) }
    fibers[place].wait = .branches(wait)
    if leaves {
      fibers[place].wait = .forever
      cancelBranches(of: parent, reportsUnsure: true)
      if let place = fibers.index(of: parent) { complete(place) }
      return
    }
    withFiber(place) { machine, fiber in
      machine.startBranches(&wait, fiber)
      fiber.wait = .branches(wait)
    }
    guard wait.running == 0 else { return }
    guard let first = wait.failed.first else { return complete(place) }
    var problem = first.problem
    let others = wait.failed.dropFirst().map { Value.problem($0.problem) }
    problem.extra.set("others", .list(others))
    let unhandled: Bool = withFiber(place) { machine, fiber in
      fiber.wait = .none
      return !machine.unwind(&fiber, problem)
    }
    guard let place = fibers.index(of: parent) else { return }
    if unhandled {
      if program.rangeOf.indices.contains(first.pc) { blamed = first.pc }
      self.unhandled(place, problem)
    } else if fibers[place].wait == .none {
      fibers.enqueue(place)
    }
  }

  /// Cancels the branches that a fiber waits for, and what they have begun.
  /// - Parameter reportsUnsure: whether a write with an unknown outcome is reported as a failure.
  /// - Returns: whether there was such a write.
  @discardableResult
  mutating func cancelBranches(of parent: UInt64, reportsUnsure: Bool) -> Bool {
    var isUnsure = false
    let branches = fibers.compactMap { fiber -> UInt64? in
      if case .branch(parent, _, _) = fiber.role { fiber.id } else { nil }
    }
    for id in branches where cancel(id, "the branch", reportsUnsure: reportsUnsure) { isUnsure = true }
    return isUnsure
  }

  /// Cancels a fiber at its current statement.
  /// - Parameter name: its name in messages.
  @discardableResult
  mutating func cancel(_ id: UInt64, _ name: String, reportsUnsure: Bool) -> Bool {
    var isUnsure = cancelBranches(of: id, reportsUnsure: reportsUnsure)
    guard let place = fibers.index(of: id) else { return isUnsure }
    var problem: Problem?
    if case .operation(let operation) = fibers[place].wait {
      if operation.policy == .fail, operation.mayHaveLeft || operation.lost != nil, operation.lost != .notSent {
        isUnsure = true
        let failure = Failure(
          .unsure, "\(name) was cancelled while a write was in progress", blame: .recipe, delivered: operation.lost ?? .maybe)
        askingFiber(place) { machine, fiber in
          problem = machine.problem(failure, fiber, device: operation.device)
        }
      }
      withdraw(operation)
    }
    if case .command(let command) = fibers[place].wait, command.policy == .fail {
      isUnsure = true
      let failure = unsure(command, "\(name) was cancelled")
      askingFiber(place) { machine, fiber in problem = machine.problem(failure, fiber) }
    }
    cancelWait(place)
    let pc = fibers[place].frames.last?.pc ?? 0
    fibers.release(id)
    fiberEnded(place)
    if reportsUnsure, let problem {
      let name = problem.device.flatMap { devices.indices.contains($0) ? devices[$0].text : nil }
      effects.append(
        .failed(
          FailureReport(
            failure: problem.failure, range: range(of: pc), device: name, attempts: 1, ends: false, isOfHandler: true)))
      header.countFailure()
      runFailureHandlers(problem)
    }
    return isUnsure
  }

  // MARK: Links of branches

  /// The role of the fiber to which a branch ultimately belongs.
  func root(of role: Fiber.Role) -> Fiber.Role {
    var role = role
    while case .branch(let parent, _, _) = role, let place = fibers.index(of: parent) { role = fibers[place].role }
    return role
  }

  /// Records that a fiber uses a device. A link made by an activation of `whenever` or a branch
  /// ends with it, unless others use the link, too.
  mutating func hold(_ index: Int, by fiber: borrowing Fiber) {
    switch fiber.role {
    case .whenever, .branch:
      if !devices[index].holders.contains(fiber.id) { devices[index].holders.append(fiber.id) }
    case .body, .handler, .connect, .setUp, .timer, .restore, .stop, .failure:
      if !devices[index].isHeldByRun { devices[index].isHeldByRun = true }
    }
  }

  /// Closes the links of devices that only this fiber has connected.
  mutating func giveBackDevices(of fiber: UInt64) {
    for index in devices.indices where devices[index].holders.contains(fiber) {
      devices[index].holders.removeAll { $0 == fiber }
      guard devices[index].holders.isEmpty, !devices[index].isHeldByRun else { continue }
      devices[index].isWanted = false
      devices[link: index].resumeLimit = nil
      releaseReconnects(index)
      switch devices[link: index].phase {
      case .idle, .closing: break
      case .locating, .connecting, .gated:
        withdrawAttempt(index)
        devices[index].wasLinked = false
      case .kept, .settingUp, .firstSetUp, .onConnect, .ready: close(index)
      }
    }
  }
}
