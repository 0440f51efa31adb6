import Exchange
import Recipe
package import Vocabulary

/// A run: the explicit machine that executes a program. A value; it has no clock and does nothing
/// itself.
///
/// Calling contract: `start` once, then any number of `handle`, then `turn` until it has no more;
/// commit what a turn says before performing its effects; call again at `nextDeadline` at the
/// latest.
package struct Machine: Sendable {
  package let program: Program
  package let environment: MachineEnvironment

  // MARK: Durable

  var variables: [Value]
  var fibers: [Fiber] = []
  var devices = DeviceTable()
  var timers: [TimerState] = []
  var lanes: [Lane] = []
  /// Events that some `wait for` may take.
  var kept: [MachineEvent] = []
  var header = Header()
  /// The line that was committed and may not have been written.
  var output: PendingOutput?
  /// It was committed by an earlier process: it goes out before anything else, which would take its
  /// place.
  var isOutputOwed = false

  // MARK: Of this process

  var now: Instant
  var life = Life.running
  package var surroundings: Surroundings
  /// The secret inputs by name, to be put back where a checkpoint has the name.
  var secrets: [Secret] = []
  var effects: [RunnerEffect] = []
  /// Fibers that can go on, in order.
  var ready: [UInt64] = []
  /// A fiber in the middle of something that others must not see: nobody else runs.
  var exclusive: UInt64?
  var isTurnOver = false
  /// Where the failure of a handler that is being entered is shown; else it is where its fiber
  /// stands.
  var blamed: Int?
  /// Steps that are left of the turn.
  var fuel = 0
  /// By how much the wall clock is ahead of the boot clock: it changes when somebody sets the
  /// clock.
  var clockOffset: TimeSpan?
  var isAdapterUp = false
  /// The process that follows finds the links where they are.
  var leavesLinks = false
  /// How large lists and records are that have grown, by their places.
  var knownSizes: [UInt64: KnownSize] = [:]
  /// The adapter is being recovered, and because of what.
  var adapterTrouble: Failure?
  /// How long that may take before it is looked whether anybody still wants to wait.
  var adapterPatience: Moment?
  var heldRequests: [RunnerEffect] = []
  /// What scans that are under way have heard.
  var hearings: [Hearing] = []
  /// When what they heard is saved at the latest.
  var heardDue: Moment?
  /// Handlers that are active: their units.
  var activeHandlers: [Int] = []
  var dirtyVariables: [Int] = []
  var isVariableDirty: [Bool]
  var deadRows: [RowKey] = []
  var mustSync = false
  var clearsAll = false
  var isHeaderDirty = true
  /// The header goes into the next commit, whatever else does.
  var mustKeepHeader = false
  var isOutputDirty = false
  /// Newest event of the host, to be acknowledged after the commit.
  var newestEvent: EventNumber?
  var acknowledged: EventNumber?
  /// Something happened that `wait until` may have waited for.
  var hasNews = false
  /// When full queues are told of next, how long that takes the next time, and until when nothing
  /// is told.
  var dropsDue: Moment?
  var dropsPeriod = firstCount
  var dropsRest = Moment(nanoseconds: 0)
  /// Fibers whose failure nobody handles, on their way out.
  var doomed: [(fiber: UInt64, problem: Problem)] = []
  var past: PastRun?
  /// The newest operation of the process whose links a keeper has held, until this one has said
  /// what it goes on with.
  var newestKept: OperationID?
  var isRestoring = false
  var exit = ExitStatus(code: 0, reason: .finished)
  /// Of a peripheral.
  var server = ServerState()

  /// How far the run is with its end.
  enum Life: Equatable, Sendable {
    case running
    /// The body has ended: queued events are handled, running handlers get until then.
    case draining(Moment)
    /// `on stop` runs, until then.
    case stopping(Moment)
    /// Links are being closed, until then.
    case closing(Moment)
    case done
  }

  /// A fresh run. Inputs that the recipe does not name are ignored.
  package init(program: Program, inputs: [(name: String, value: Value)], environment: MachineEnvironment, at now: Instant) {
    self.program = program
    self.environment = environment
    self.now = now
    variables = Array(repeating: .unset, count: program.variables.count)
    isVariableDirty = Array(repeating: false, count: program.variables.count)
    surroundings = Surroundings(zone: environment.timeZone)
    surroundings.escapesFormulas = environment.escapesFormulas
    header.random = environment.seed
    header.bootID = environment.bootID
    set(inputs)
  }

  mutating func set(_ inputs: [(name: String, value: Value)]) {
    for input in inputs {
      guard let index = program.variables.firstIndex(where: { $0.name == input.name }) else { continue }
      variables[index] = program.variables[index].kind == .secret ? keepSecret(input.value, input.name) : input.value
    }
  }

  /// Begins a fresh run.
  /// - Parameter remembered: what `remember` kept from earlier runs.
  package mutating func start(at now: Instant, remembered: [(name: String, value: [UInt8])] = []) {
    self.now = now
    let program = program
    runInputDefaults()
    runInitialisers { $0.isConstant || program.variables[$0.variable].kind == .remembered }
    take(remembered)
    enterTopLevelHandlers()
    addFiber(role: .body, unit: Program.body)
  }

  /// The next moment at which `turn` has something to do without an event.
  package var nextDeadline: Moment? {
    var copy = self
    return copy.earliestDeadline()
  }

  /// The same. It changes nothing, but as a change it is made in place: to ask the machine of a
  /// session would copy it.
  package mutating func earliestDeadline() -> Moment? {
    var next: Moment?
    func look(_ moment: Moment?) {
      if let moment, moment < next ?? .distantFuture { next = moment }
    }
    switch life {
    case .draining(let moment), .stopping(let moment), .closing(let moment): look(moment)
    case .done: return nil
    case .running: break
    }
    if case .closing = life { return next }
    if case .stopping = life {
      for fiber in fibers where fiber.isStop { look(fiber.nextDeadline(now, program)) }
      return next
    }
    if isRestoring {
      // `on restore` runs alone: what else is due waits for its end.
      for fiber in fibers where fiber.isRestore { look(fiber.nextDeadline(now, program)) }
      return next
    }
    look(adapterPatience)
    look(heardDue)
    look(dropsDue)
    for fiber in fibers { look(fiber.nextDeadline(now, program)) }
    if life == .running { for timer in timers { look(timer.due.moment) } }
    for index in devices.active {
      switch devices[index].phase {
      case .locating(_, let moment), .connecting(_, let moment): look(moment)
      case .gated(let moment, _): look(moment)
      default: break
      }
      look(devices[index].resumeLimit)
    }
    return next
  }

  package var isDone: Bool { life == .done }

  /// `on restore` runs, and nothing that happened on the air may be told before it has ended.
  package var isTellingRestore: Bool { isRestoring }

  /// Who the run is at its keeper, 16 octets; none for a run that hosts itself.
  package var keeperIdentity: [UInt8] { header.keeperIdentity }

  /// The run is the client of a keeper from now on, under this acquaintance; 0 when it hosts
  /// itself.
  package mutating func meetKeeper(_ identity: [UInt8], session: UInt64) {
    guard header.keeperIdentity != identity || header.keeperSession != session else { return }
    header.keeperIdentity = identity
    header.keeperSession = session
    header.covered = EventNumber(0)
    newestEvent = nil
    acknowledged = nil
    isHeaderDirty = true
    mustKeepHeader = true
  }

  /// Takes an event in. Nothing leaves before the next `turn`.
  package mutating func handle(_ event: RunnerEvent, at now: Instant) {
    self.now = now
    switch event {
    case .host(let report):
      // What nobody numbered need not be acknowledged.
      if report.number.raw > 0 {
        newestEvent = report.number
        if header.keeperSession != 0, header.covered != report.number {
          header.covered = report.number
          isHeaderDirty = true
        }
      }
      handle(report)
    case .fileWritten(let effect, let failure): fileWritten(effect, failure)
    case .outputWritten(let effect):
      if output?.effect == effect {
        output = nil
        isOutputDirty = true
      }
    case .stopRequested(let reason): requestStop(reason)
    case .replacementRequested:
      leavesLinks = true
      requestStop(.terminated)
    }
  }

  /// Runs what is ready, and says what to commit and what to do then.
  package mutating func turn(at now: Instant) -> Turn {
    self.now = now
    if isOutputOwed, let output {
      isOutputOwed = false
      var turn = Turn()
      turn.commit = takeCommit()
      turn.effects = [effect(of: output)]
      turn.hasMore = true
      return turn
    }
    isTurnOver = false
    fuel = Self.slice
    if devices.known >= devices.limit { forgetStrangers() }
    followWallClock()
    tellDropsThatAreDue()
    fireDeadlines()
    runReady()
    if hasNews, !isTurnOver {
      hasNews = false
      recheckUntils()
      runReady()
    }
    advanceEnd()
    var turn = Turn()
    turn.commit = takeCommit()
    turn.effects = effects
    effects.removeAll(keepingCapacity: true)
    // A run that ends on request keeps nothing more, so it acknowledges nothing either.
    if let newest = newestEvent, newest != acknowledged, !isFrozen {
      acknowledged = newest
      turn.effects.append(.request(HostRequest(id: OperationID(0), command: .acknowledge(newest))))
    }
    // A fiber that may not run now (while `on restore` or `on stop` runs) is no reason to call
    // again at once.
    turn.hasMore = exclusive == nil ? hasNews || ready.contains { mayRun($0) } : ready.contains(exclusive ?? 0)
    if life == .done { turn.hasMore = false }
    return turn
  }

  private mutating func runReady() {
    var position = 0
    while !isTurnOver, fuel > 0, life != .done {
      // Who holds the others up goes first; while it waits nobody runs.
      if let exclusive {
        guard let place = ready.firstIndex(of: exclusive) else { break }
        ready.remove(at: place)
        run(exclusive)
        continue
      }
      guard position < ready.count else { break }
      let id = ready[position]
      if !mayRun(id) {
        position += 1
        continue
      }
      ready.remove(at: position)
      run(id)
    }
  }

  /// While a restored run tells its recipe so, and while it ends, only the fibers of that run.
  private func mayRun(_ id: UInt64) -> Bool {
    guard let fiber = fibers.first(where: { $0.id == id }) else { return true }
    if isRestoring { return fiber.isRestore }
    if case .stopping = life { return fiber.isStop }
    if case .closing = life { return false }
    return true
  }

  // MARK: Fibers

  @discardableResult
  mutating func addFiber(role: Fiber.Role, unit: Int, it: Value = .nothing, device: Int? = nil) -> UInt64 {
    var fiber = Fiber(id: header.nextFiber, role: role)
    header.nextFiber += 1
    isHeaderDirty = true
    let site = program.units[unit]
    fiber.frames = [Frame(unit: unit, pc: site.entry, base: 0, destination: 0)]
    fiber.slots = Array(filledWith: .unset, count: max(site.localCount, Operand.firstFree))
    fiber.slots[0] = it
    fiber.slots[1] = device.map { .device($0) } ?? .nothing
    fiber.slots[2] = .nothing
    fiber.slots[3] = .nothing
    fiber.mark = header.sequence
    fiber.isQueued = true
    if case .handler(let handler) = site.role, let name = handler.name { fiber.slots[name.index] = it }
    fibers.append(fiber)
    ready.append(fiber.id)
    return fiber.id
  }

  /// Fibers stand in the order of their numbers, in a checkpoint as well.
  func fiberIndex(_ id: UInt64) -> Int? {
    var (start, end) = (0, fibers.count)
    while start < end {
      let middle = (start + end) / 2
      if fibers[middle].id < id { start = middle + 1 } else { end = middle }
    }
    return start < fibers.count && fibers[start].id == id ? start : nil
  }

  /// Lets a fiber go on.
  mutating func wake(_ index: Int) {
    fibers[index].wait = .none
    fibers[index].isDirty = true
    enqueue(index)
  }

  mutating func enqueue(_ index: Int) {
    guard !fibers[index].isQueued else { return }
    fibers[index].isQueued = true
    ready.append(fibers[index].id)
  }

  /// Takes the fiber out of the array while something is done with it, so that nothing is copied.
  mutating func withFiber<Result>(_ index: Int, _ work: (inout Machine, inout Fiber) -> Result) -> Result {
    var fiber = Fiber.none
    let id = fibers[index].id
    swap(&fiber, &fibers[index])
    fibers[index].id = id
    fibers[index].role = fiber.role
    let result = work(&self, &fiber)
    if let place = fiberIndex(id) { swap(&fiber, &fibers[place]) }
    return result
  }

  // MARK: Small things

  mutating func nextOperation() -> OperationID {
    header.nextOperation += 1
    if header.nextOperation > header.reservedOperations {
      header.reservedOperations = header.nextOperation + Header.operationBlock
      isHeaderDirty = true
      mustKeepHeader = true
    }
    return OperationID(header.nextOperation)
  }

  mutating func nextEffect() -> EffectID {
    header.nextEffect += 1
    isHeaderDirty = true
    return EffectID(header.nextEffect)
  }

  mutating func request(_ id: OperationID, _ command: HostCommand) {
    let effect = RunnerEffect.request(HostRequest(id: id, command: command))
    if isAdapterUp { effects.append(effect) } else { heldRequests.append(effect) }
  }

  /// A line of tooth's own: it need not survive a kill.
  mutating func note(_ level: LogLevel, _ text: String) { effects.append(.log(EffectID(0), level, text)) }

  mutating func markVariable(_ index: Int) {
    hasNews = true
    if !isVariableDirty[index] {
      isVariableDirty[index] = true
      dirtyVariables.append(index)
    }
  }

  /// The state is durable, so that a resumed run does not repeat its numbers.
  mutating func randomNumber() -> UInt64 {
    isHeaderDirty = true
    return SplitMix.next(&header.random)
  }
}

extension Value {
  /// A variable that has no value yet.
  static let unset = Value.channel(-1)
}

extension Fiber {
  var isStop: Bool { if case .stop = role { true } else { false } }
  var isRestore: Bool { if case .restore = role { true } else { false } }

  /// When this fiber must be looked at though nothing happens.
  func nextDeadline(_ now: Instant, _ program: Program) -> Moment? {
    var next: Moment?
    func look(_ moment: Moment?) {
      if let moment, moment < next ?? .distantFuture { next = moment }
    }
    for frame in frames { for attempt in frame.tries { look(attempt.limit?.due) } }
    switch wait {
    case .span(let due), .retry(let due): look(due.moment)
    case .until(let site, let limit):
      look(limit?.due)
      // `now()` changes by itself: looked at each second.
      if program.untils.indices.contains(site), program.untils[site].mentionsNow {
        look(.zero + .seconds(now.moment.nanoseconds / 1_000_000_000 + 1))
      }
    case .event(_, let limit), .link(_, let limit): look(limit?.due)
    case .scan(let scan): look(scan.limit?.due)
    case .operation(let operation): look(operation.limit?.due)
    case .none, .forever, .reconnect, .file, .published, .closing: break
    }
    return next
  }
}
