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
  package internal(set) var program: Program
  package let environment: MachineEnvironment

  // MARK: Durable

  var variables: Variables
  var fibers = Scheduler()
  var pieces = PieceStore()
  var devices = DeviceTable()
  var timers = Timers()
  var events = EventQueues()
  var listens = Listens()
  /// For whom each `whenever` has started.
  var seen = SeenDevices()
  /// What it serves.
  var server = Server()
  var header = HeaderRow()
  /// The line that was committed and may not have been written.
  var output = Tracked<PendingOutput?>(nil, isChanged: false)
  /// What was typed at the prompt of this run.
  package internal(set) var entries = EntryTable()

  // MARK: Of this process

  /// The line of `output` was committed by an earlier process: it goes out before anything else,
  /// which would take its place.
  var isOutputOwed = false
  /// A body that fails waits at a prompt instead of ending the run.
  package var parksOnFailure = false
  /// Whether what no handler takes is told.
  package var observes = false
  var observed = ObservedEvents()
  var now: Instant
  var life = Life.running
  package var surroundings: Surroundings
  /// The secret inputs by name, to be put back where a checkpoint has the name.
  var secrets: [Secret] = []
  var effects: [RunnerEffect] = []
  var isTurnOver = false
  /// Where the failure of a handler that is being entered is shown; else it is where its fiber
  /// stands.
  var blamed: Int?
  /// The end of stdin was read.
  var isInputOver = false
  /// The newest `progress`, to leave with the turn.
  var meter: RunnerEffect?
  /// A condition is evaluated: nothing in it may wait.
  var isAsking = false
  /// Steps that are left of the turn.
  var fuel = 0
  /// Turns in a row that committed nothing, because they only computed.
  var uncommittedTurns = 0
  var adapter = AdapterState()
  /// The process that follows finds the links where they are.
  var leavesLinks = false
  /// How large lists and records are that have grown, by their places.
  var knownSizes = KnownSizes()
  /// What scans that are under way have heard.
  var hearings = Hearings()
  /// Handlers that are active: their units.
  var activeHandlers: [ActiveHandler] = []
  var mustSync = false
  var clearsAll = false
  var acknowledgement = Acknowledgement()
  /// Where the fiber stands that ran last in this turn.
  var ranAt: Int?
  /// Something happened that `wait until` may have waited for.
  var hasNews = false
  var past: PastRun?
  /// The newest operation of the process whose links a keeper has held, until this one has said
  /// what it goes on with.
  var newestKept: OperationID?
  /// `on restore` runs, and nothing that happened on the air may be told before it has ended.
  /// Stored, because to call the machine of a session would copy it.
  package internal(set) var isRestoring = false
  /// What is given away out of band was asked for by this process.
  var hasAskedForOffer = false
  var exit = ExitStatus(code: 0, reason: .finished)
  /// What a prompt does between two entries.
  var idle = IdleWork()
  /// Of a test: what is known of each thing that it simulates or has started.
  var subjects: [Record] = []

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

  /// Begins a fresh run.
  /// - Parameter remembered: what `remember` kept from earlier runs.
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

  /// The next moment at which `turn` has something to do without an event.
  package var nextDeadline: Moment? {
    var copy = self
    return copy.earliestDeadline()
  }

  /// The same. It changes nothing, but as a change it is made in place: to ask the machine of a
  /// session would copy it.
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
      // `on restore` runs alone: what else is due waits for its end.
      for fiber in fibers where fiber.isRestore { next.lower(to: fiber.nextDeadline(now, program)) }
      return next
    }
    next.lower(to: adapter.patience)
    next.lower(to: hearings.due)
    next.lower(to: listens.pausedUntil)
    next.lower(to: events.drops.nextDeadline)
    if idle.isUnderWay { next.lower(to: idle.until) }
    for fiber in fibers { next.lower(to: fiber.nextDeadline(now, program)) }
    if life == .running { next.lower(to: timers.nextDeadline) }
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

  /// Who the run is at its keeper, 16 octets; none for a run that hosts itself.
  package var keeperIdentity: [UInt8] { header.value.keeperIdentity }

  /// The run is the client of a keeper from now on, under this acquaintance; 0 when it hosts
  /// itself.
  package mutating func meetKeeper(_ identity: [UInt8], session: UInt64) {
    guard header.value.keeperIdentity != identity || header.value.keeperSession != session else { return }
    header.urgent.keeperIdentity = identity
    header.urgent.keeperSession = session
    header.urgent.covered = EventNumber(0)
    acknowledgement = Acknowledgement()
    hasAskedForOffer = false
    // That keeper knows nothing of what is served.
    server.mustPublish = server.site != nil
  }

  /// Takes an event in. Nothing leaves before the next `turn`.
  package mutating func handle(_ event: RunnerEvent, at now: Instant) {
    self.now = now
    switch event {
    case .host(let report):
      // What nobody numbered need not be acknowledged.
      if report.number.raw > 0 {
        acknowledgement.take(report.number)
        if header.value.keeperSession != 0, header.value.covered != report.number {
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

  /// Runs what is ready, and says what to commit and what to do then.
  package mutating func turn(at now: Instant) -> Turn {
    self.now = now
    if isOutputOwed, let output = output.value {
      isOutputOwed = false
      var turn = Turn()
      turn.commit = takeCommit()
      turn.effects = [effect(of: output)]
      turn.hasMore = true
      return turn
    }
    askForOffer()
    isTurnOver = false
    ranAt = nil
    fuel = Self.slice
    if devices.known >= devices.limit { forgetStrangers() }
    timers.followWallClock(now)
    tellDropsThatAreDue()
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
    if isComputing {
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
    // A run that ends on request keeps nothing more, so it acknowledges nothing either.
    if !isFrozen, let newest = acknowledgement.next() {
      turn.effects.append(.request(HostRequest(id: OperationID(0), command: .acknowledge(newest))))
    }
    // A fiber that may not run now (while `on restore` or `on stop` runs) is no reason to call
    // again at once.
    turn.hasMore = fibers.exclusive == nil && (hasNews || variables.hasNews) || fibers.canGoOn(admission)
    if life == .done { turn.hasMore = false }
    turn.isLong = fuel <= 0
    return turn
  }

  /// The turn was cut in the middle of a computation and wants nothing done. Its commit may wait:
  /// whoever is killed now computes it again.
  private var isComputing: Bool {
    fuel <= 0 && effects.isEmpty && meter == nil && life == .running && !isRestoring && !clearsAll && !mustSync
      && uncommittedTurns < Self.uncommittedLimit && fibers.canGoOn(admission)
  }

  private mutating func runReady() {
    var position = 0
    arrangeServer()
    while !isTurnOver, fuel > 0, life != .done, let id = fibers.takeNext(from: &position, admission) {
      run(id)
      // With the end of `on restore` others run in this turn, which may send values.
      arrangeServer()
    }
  }

  /// While a restored run tells its recipe so, and while it ends, only the fibers of that run.
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

  /// Takes the fiber out of the table while it is changed, so that nothing is copied.
  mutating func withFiber<Result>(_ index: Int, _ work: (inout Machine, inout Fiber) -> Result) -> Result {
    var fiber = fibers.takeOut(index)
    let result = work(&self, &fiber)
    fibers.putBack(fiber)
    return result
  }

  /// The same for a condition that is evaluated in its frame: it leaves the fiber as it was, so
  /// there is nothing to save.
  mutating func askingFiber<Result>(_ index: Int, _ work: (inout Machine, inout Fiber) -> Result) -> Result {
    var fiber = fibers.takeOutToAsk(index)
    let result = work(&self, &fiber)
    fibers.putBack(fiber)
    return result
  }

  // MARK: Small things

  mutating func nextOperation() -> OperationID { OperationID(header.nextOperation()) }

  mutating func nextEffect() -> EffectID { EffectID(header.nextEffect()) }

  mutating func request(_ id: OperationID, _ command: HostCommand) {
    let effect = RunnerEffect.request(HostRequest(id: id, command: command))
    if adapter.isUp { effects.append(effect) } else { adapter.hold(effect) }
  }

  /// A line of tooth's own: it need not survive a kill.
  mutating func note(_ level: LogLevel, _ text: String) { effects.append(.log(EffectID(0), level, text)) }
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

  /// When this fiber must be looked at though nothing happens.
  func nextDeadline(_ now: Instant, _ program: Program) -> Moment? {
    var next: Moment?
    for frame in frames { for attempt in frame.tries { next.lower(to: attempt.limit?.due) } }
    switch wait {
    case .span(let due), .retry(let due): next.lower(to: due.moment)
    case .until(let site, let limit):
      next.lower(to: limit?.due)
      // `now()` changes by itself: looked at each second.
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
