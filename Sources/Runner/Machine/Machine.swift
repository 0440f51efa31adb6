import Exchange
import Recipe
package import Vocabulary

/// A run: the state machine that executes a program. A value without a clock or side effects.
///
/// Call `start` once, `handle` for each event, then `turn` until it has no more work, and at
/// `nextDeadline` at the latest. Commit each turn before performing its effects.
package struct Machine: Sendable {
  package internal(set) var program: Program
  package let environment: MachineEnvironment

  // MARK: Durable state

  var variables: Variables
  var fibers = Scheduler()
  var pieces = PieceStore()
  var devices = DeviceTable()
  var timers = Timers()
  var events = EventQueues()
  var listens = Listens()
  /// The devices for which each `whenever` has started.
  var seen = SeenDevices()
  /// The server.
  var server = Server()
  var header = HeaderRow()
  /// The line that is committed and possibly not written yet.
  var output = Tracked<PendingOutput?>(nil, isChanged: false)
  /// What was typed at the prompt of this run.
  package internal(set) var entries = EntryTable()

  // MARK: State of this process

  /// Whether an earlier process committed `output`. It must be printed before other output replaces
  /// it.
  var isOutputPending = false
  /// Whether a run whose body fails waits at its prompt instead of ending.
  package var parksOnFailure = false
  /// Whether events that no handler takes are reported.
  package var observes = false
  var observed = ObservedEvents()
  var now: Instant
  var life = Life.running
  package var surroundings: Surroundings
  /// The secret inputs by name; a checkpoint contains only the names.
  var secrets: [Secret] = []
  var effects: [RunnerEffect] = []
  var isTurnOver = false
  /// The place of a failure while a handler is being activated; otherwise failures are reported at
  /// the fiber's instruction.
  var blamed: Int?
  /// Whether the end of stdin was read.
  var isInputOver = false
  /// The latest `progress`, which leaves with the turn.
  var meter: RunnerEffect?
  /// Whether a condition is being evaluated, in which nothing may wait.
  var isAsking = false
  /// The remaining steps of the turn.
  var fuel = 0
  /// The number of consecutive turns without a commit, because they only computed.
  var uncommittedTurns = 0
  var adapter = AdapterState()
  /// Whether the run was asked to end while it was ending by itself.
  var isEndRequested = false
  /// Whether links stay up for the next process.
  var leavesLinks = false
  /// The sizes of lists and records that have grown, by their places.
  var knownSizes = KnownSizes()
  /// What running scans have heard.
  var runningScans = RunningScans()
  /// The active handlers.
  var activeHandlers: [ActiveHandler] = []
  var mustSync = false
  var clearsAll = false
  var acknowledgement = Acknowledgement()
  /// The instruction of the fiber that ran last in this turn.
  var ranAt: Int?
  /// Whether something happened that `wait until` may have waited for.
  var hasNews = false
  var past: PastRun?
  /// When this process continued the run.
  var restoredAt: Moment?
  /// What is left of what happened before that; `nil` once everything is handled.
  var catchUp: CatchUp?
  /// The latest operation of the last process, whose links a keeper has held. Set until this
  /// process has reported to the keeper what it continues.
  var newestKept: OperationID?
  /// Whether `on restore` runs, during which no event from the air may be delivered. A stored
  /// property, because calling a method would copy the machine of a session.
  package internal(set) var isRestoring = false
  /// Whether this process has requested our out-of-band data.
  var hasAskedForOffer = false
  var exit = ExitStatus(code: 0, reason: .finished)
  /// What a prompt does between two entries.
  var idle = IdleWork()
  /// In a test: the fields of each simulated peripheral and started run.
  var subjects: [Record] = []

  /// The stages of a run's end.
  enum Life: Equatable, Sendable {
    case running
    /// The body has ended. Queued events are handled, and running handlers get until this moment.
    case draining(Moment)
    /// `on stop` runs, at most until this moment.
    case stopping(Moment)
    /// Links are being closed, at most until this moment.
    case closing(Moment)
    case done
  }

  /// A fresh run. Inputs that the recipe does not declare are ignored.
  package init(program: Program, inputs: [(name: String, value: Value)], environment: MachineEnvironment, at now: Instant) {
    self.program = program
    self.environment = environment
    self.now = now
    variables = Variables(count: program.variables.count)
    surroundings = Surroundings(zone: environment.timeZone)
    surroundings.escapesFormulas = environment.escapesFormulas
    header.value.random = environment.seed
    header.value.bootID = environment.bootID
    set(inputs)
  }

  mutating func set(_ inputs: [(name: String, value: Value)]) {
    for input in inputs {
      guard let index = program.variables.firstIndex(where: { $0.name == input.name }) else { continue }
      variables.load(program.variables[index].kind == .secret ? keepSecret(input.value, input.name) : input.value, at: index)
    }
  }

  /// Starts a fresh run.
  /// - Parameter remembered: values that `remember` kept from earlier runs.
  package mutating func start(at now: Instant, remembered: [(name: String, value: [UInt8])] = []) {
    self.now = now
    let program = program
    runInputDefaults()
    for index in variables.indices where program.variables[index].isKeptInput { variables.rewrite(index) }
    runInitialisers { $0.isConstant || program.variables[$0.variable].kind == .remembered }
    take(remembered)
    enterTopLevelHandlers()
    addFiber(role: .body, unit: Program.body)
  }

  /// The next moment at which `turn` has work without an event.
  package var nextDeadline: Moment? {
    var copy = self
    return copy.earliestDeadline()
  }

  /// As `nextDeadline`. Mutating only because calling it on the machine of a session would
  /// otherwise copy the machine.
  package mutating func earliestDeadline() -> Moment? {
    var next: Moment?
    switch life {
    case .draining(let moment), .stopping(let moment), .closing(let moment): next.lower(to: moment)
    case .done: return nil
    case .running: break
    }
    if case .closing = life { return next }
    if case .stopping = life {
      for fiber in fibers where fiber.isStop { next.lower(to: fiber.nextDeadline(now, program)) }
      lowerToLinks(&next)
      return next
    }
    if isRestoring {
      // `on restore` runs exclusively, so ignore everything else that is due.
      for fiber in fibers where fiber.isRestore { next.lower(to: fiber.nextDeadline(now, program)) }
      return next
    }
    next.lower(to: adapter.patience)
    next.lower(to: runningScans.due)
    next.lower(to: listens.pausedUntil)
    next.lower(to: events.drops.nextDeadline)
    if idle.isUnderWay { next.lower(to: idle.until) }
    next.lower(to: reportsPausedUntil)
    let catchUp = isCatchingUp ? catchUp : nil
    for fiber in fibers {
      if let catchUp, Self.waitsForEvents(fiber, at: now.moment) {
        next.lower(to: min(catchUp.patience, fiber.nextLimit ?? catchUp.patience))
      } else {
        next.lower(to: fiber.nextDeadline(now, program))
      }
    }
    if life == .running { next.lower(to: timers.nextDeadline.map { max($0, catchUp?.patience ?? $0) }) }
    lowerToLinks(&next)
    return next
  }

  private mutating func lowerToLinks(_ next: inout Moment?) {
    for index in devices.active {
      switch devices[link: index].phase {
      case .locating(_, let moment), .connecting(_, let moment): next.lower(to: moment)
      case .gated(let moment, _): next.lower(to: moment)
      default: break
      }
      next.lower(to: devices[link: index].resumeLimit)
    }
  }

  package var isDone: Bool { life == .done }

  /// The identity of the run at its keeper, 16 octets; empty if the run hosts itself.
  package var keeperIdentity: [UInt8] { header.value.keeperIdentity }

  /// Makes the run the client of a keeper with this session; 0 if it hosts itself.
  package mutating func meetKeeper(_ identity: [UInt8], session: UInt64) {
    guard header.value.keeperIdentity != identity || header.value.keeperSession != session else { return }
    header.urgent.keeperIdentity = identity
    header.urgent.keeperSession = session
    header.urgent.covered = EventNumber(0)
    // What the old one held is lost.
    catchUp?.newest = EventNumber(0)
    acknowledgement = Acknowledgement()
    hasAskedForOffer = false
    // The new keeper does not know the server.
    server.mustPublish = server.site != nil
  }

  /// Takes an event. Effects leave only with the next `turn`.
  package mutating func handle(_ event: RunnerEvent, at now: Instant) {
    self.now = now
    switch event {
    case .host(let report):
      // Events without a number need no acknowledgement.
      if report.number.raw > 0 {
        acknowledgement.take(report.number)
        if header.value.keeperSession != 0, header.value.covered != report.number {
          noteReport()
          header.value.covered = report.number
        }
      }
      handle(report)
    case .fileWritten(let effect, let failure): fileWritten(effect, failure)
    case .lineRead(let text):
      if text == nil { isInputOver = true }
      deliver(.line(text), device: -1)
    case .answered(let effect, let result): answered(effect, result)
    case .commandEnded(let effect, let result): commandEnded(effect, result)
    case .fileRead(let effect, let result): fileRead(effect, result)
    case .outputWritten(let effect):
      if output.value?.effect == effect { output.value = nil }
    case .stopRequested(let reason): requestStop(reason)
    case .subjectChanged(let index, let name, let value): subjectChanged(index, name, value)
    case .subjectGrew(let index, let name, let value): subjectGrew(index, name, value)
    case .replacementRequested:
      leavesLinks = true
      requestStop(.terminated)
    }
  }

  /// Runs the fibers that are ready, and returns what to commit and then to do.
  /// - Parameter commits: Whether a turn that only computed is committed, too, because something
  ///   waits for its commit.
  package mutating func turn(at now: Instant, commits: Bool = false) -> Turn {
    self.now = now
    if isOutputPending, let output = output.value {
      isOutputPending = false
      var turn = Turn()
      turn.commit = takeCommit()
      turn.effects = [effect(of: output)]
      turn.hasMore = true
      return turn
    }
    askForOffer()
    if catchUp != nil, !isRestoring, !isCatchingUp { catchUp = nil }
    isTurnOver = false
    ranAt = nil
    fuel = Self.slice
    if devices.known >= devices.limit { forgetUnreferencedDevices() }
    timers.followWallClock(now)
    reportDueDrops()
    fireDeadlines()
    runReady()
    if !isTurnOver, takeNews() {
      recheckUntils()
      runReady()
    }
    arrangeListening()
    arrangeIdleWork()
    advanceEnd()
    var turn = Turn()
    if isComputing, !commits {
      uncommittedTurns += 1
      (turn.isUncommitted, turn.hasMore, turn.isLong) = (true, true, true)
      return turn
    }
    uncommittedTurns = 0
    turn.commit = takeCommit()
    turn.effects = effects
    effects.removeAll(keepingCapacity: true)
    if let meter {
      turn.effects.append(meter)
      self.meter = nil
    }
    // A run that ends on request saves nothing, so it acknowledges nothing either.
    if !isFrozen, let newest = acknowledgement.next() {
      turn.effects.append(.request(HostRequest(id: OperationID(0), command: .acknowledge(newest))))
    }
    // A fiber that may not run now, during `on restore` or `on stop`, is no reason for another
    // turn.
    turn.hasMore = fibers.exclusive == nil && (hasNews || variables.hasNews) || fibers.canGoOn(admission)
    if life == .done { turn.hasMore = false }
    turn.isLong = fuel <= 0
    return turn
  }

  /// Whether the turn only computed and has no effects. Its commit may wait, because a killed run
  /// computes the same again.
  private var isComputing: Bool {
    fuel <= 0 && effects.isEmpty && meter == nil && life == .running && !isRestoring && !clearsAll && !mustSync
      && uncommittedTurns < Self.uncommittedLimit && fibers.canGoOn(admission)
  }

  private mutating func runReady() {
    var position = 0
    arrangeServer()
    while !isTurnOver, fuel > 0, life != .done, let id = fibers.takeNext(from: &position, admission) {
      run(id)
      // After `on restore`, other fibers run in this turn and may send values.
      arrangeServer()
    }
  }

  /// During `on restore` and `on stop`, only their fibers run.
  private var admission: Scheduler.Admission {
    if isRestoring { return .restore }
    switch life {
    case .stopping: return .stop
    case .closing: return .none
    case .running, .draining, .done: return .all
    }
  }

  private mutating func takeNews() -> Bool {
    defer { hasNews = false }
    return variables.takeNews() || hasNews
  }

  // MARK: Fibers

  @discardableResult
  mutating func addFiber(role: Fiber.Role, unit: Int, it: Value = .nothing, device: Int? = nil) -> UInt64 {
    var fiber = Fiber(id: header.nextFiber(), role: role)
    let site = program.units[unit]
    fiber.frames = [Frame(unit: unit, pc: site.entry, base: 0, destination: 0)]
    fiber.slots = Array(filledWith: .unset, count: max(site.localCount, Operand.firstFree))
    fiber.slots[0] = it
    fiber.slots[1] = device.map { .device($0) } ?? .nothing
    fiber.slots[2] = .nothing
    fiber.slots[3] = .nothing
    fiber.mark = header.value.sequence
    if case .handler(let handler) = site.role, let name = handler.name { fiber.slots[name.index] = it }
    fibers.add(fiber)
    return fiber.id
  }

  /// Takes the fiber out of the table while it is changed, to avoid copies.
  mutating func withFiber<Result>(_ index: Int, _ work: (inout Machine, inout Fiber) -> Result) -> Result {
    var fiber = fibers.takeOut(index)
    let result = work(&self, &fiber)
    fibers.putBack(fiber)
    return result
  }

  /// As `withFiber`, for evaluating a condition. The fiber does not change, so it need not be
  /// saved.
  mutating func askingFiber<Result>(_ index: Int, _ work: (inout Machine, inout Fiber) -> Result) -> Result {
    var fiber = fibers.takeOutToAsk(index)
    let result = work(&self, &fiber)
    fibers.putBack(fiber)
    return result
  }

  // MARK: Helpers

  mutating func nextOperation() -> OperationID { OperationID(header.nextOperation()) }

  mutating func nextEffect() -> EffectID { EffectID(header.nextEffect()) }

  mutating func request(_ id: OperationID, _ command: HostCommand) {
    let effect = RunnerEffect.request(HostRequest(id: id, command: command))
    if adapter.isUp { effects.append(effect) } else { adapter.hold(effect) }
  }

  /// Logs a line of the program itself, which need not survive a kill.
  /// Logs a line of our own. A name from the air in it may have line ends, and each line of the log
  /// would look like one of ours.
  mutating func note(_ level: LogLevel, _ text: String) { effects.append(.log(EffectID(0), level, Shown.text(text))) }
}

extension Value {
  var isUnset: Bool { if case .unset = self { true } else { false } }
}

extension Fiber {
  var isStop: Bool {
    switch role {
    case .stop, .branch(_, _, .stop): true
    default: false
    }
  }

  var isRestore: Bool {
    switch role {
    case .restore, .branch(_, _, .restore): true
    default: false
    }
  }

  /// When the first limit of a `try` ends.
  var nextLimit: Moment? {
    var next: Moment?
    for frame in frames { for attempt in frame.tries { next.lower(to: attempt.limit?.due) } }
    return next
  }

  /// When this fiber has work without an event.
  func nextDeadline(_ now: Instant, _ program: Program) -> Moment? {
    var next = nextLimit
    switch wait {
    case .span(let due), .retry(let due): next.lower(to: due.moment)
    case .until(let site, let limit):
      next.lower(to: limit?.due)
      // `now()` changes by itself, so evaluate it each second.
      if program.untils.indices.contains(site), program.untils[site].mentionsNow {
        next.lower(to: .zero + .seconds(now.moment.nanoseconds / 1_000_000_000 + 1))
      }
    case .event(_, let limit), .link(_, let limit): next.lower(to: limit?.due)
    case .scan(let scan): next.lower(to: scan.limit?.due)
    case .operation(let operation): next.lower(to: operation.limit?.due)
    case .command(let command): next.lower(to: command.limit?.due)
    case .none, .forever, .reconnect, .file, .published, .closing, .forgetting, .branches, .asked, .prompt: break
    }
    return next
  }
}
