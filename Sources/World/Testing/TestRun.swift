import Adapters
import Exchange
import Host
import Keeper
import KeeperProcess
import Journal
package import Linux
import Packets
package import Recipe
import Runner
import Session
import Simulator
package import Vocabulary

/// How a test is run.
package struct TestMode: Sendable {
  package var seed: UInt64
  /// Whether to run without a keeper, so that a kill loses the links.
  package var isDirect = false
  package var kill: KillPoint?
  package var chaos: ChaosPlan?
  /// Whether to record effects.
  package var isTraced = false
  /// Whether to start programs for real.
  package var startsPrograms = false

  package init(seed: UInt64) { self.seed = seed }
}

/// The result of one run of a test.
package struct TestOutcome: Sendable {
  package var failure: Diagnostic?
  /// Whether an `expect` failed or a `wait until` timed out.
  package var isExpectation = false
  package var isTimeout = false
  package var hitsLimit = false
  package var sources: [SourceText] = []
  /// The virtual time that it took.
  package var span = TimeSpan.zero
  package var linkEvents: [String] = []
  /// The last packets as a btsnoop file.
  package var capture: [UInt8] = []
  /// The number of effects of each recipe that it started, and the effects.
  package var effects: [Int] = []
  package var trails: [[MetEffect]] = []
  package var exitCodes: [Int32?] = []
  /// What each recipe does at the end, with its name and line.
  package var activities: [String] = []
  package var logs: [(name: String, text: String)] = []
  /// Writes that a peripheral received more often than they were requested.
  package var doubled: [String] = []
  /// Whether a random fault affected a link or a scan of the test itself.
  package var hasFaultyLinks = false
  /// Where the run was killed, and at which effect.
  package var killed: MetEffect?
}

/// One test in a world of its own, under one clock.
package final class TestRun {
  private let file: TestFile
  private let test: TestCase
  private let mode: TestMode
  private let world: KeptWorld
  private let folder: TestFolder
  private let packets = PacketLog()
  private var events = LinkEvents()
  private var machine: Machine
  /// The host of a test that uses the air itself.
  private var host: TestHost?
  private var now = Instant.simulationStart
  private var recipes: [StartedRecipe] = []
  private var peripherals: [(subject: Int, name: String, lets: [String])] = []
  private var outcome = TestOutcome()
  private var secrets = TestSecrets()
  private var isOver = false
  /// How often the test has waited for programs, 5 ms each time.
  private var waiting = 0
  private static let longestProgram = 12_000
  private var chaos: Chaos?
  /// The members that the test reads. Others are not reported to it.
  private let mentioned: Set<String>

  /// The most virtual time of a test, and the most CPU time.
  private static let longest = TimeSpan.hours(24 * 30)
  private static let mostWork = TimeSpan.seconds(10)

  package init(_ test: TestCase, of file: TestFile, _ mode: TestMode) throws(SystemFailure) {
    self.file = file
    self.test = test
    self.mode = mode
    folder = try TestFolder()
    let air = SimulatedAir(
      seed: mode.seed, at: .simulationStart, adapter: file.loaded.recipe?.needsExtendedAdapters ?? false ? .coded : .legacy,
      isLogging: true)
    world = KeptWorld(air: air, seed: mode.seed, keep: .hours(24 * 365), at: .simulationStart)
    var environment = MachineEnvironment(seed: mode.seed, bootID: SimulatedWorld.bootID, isStrict: true)
    // A fault ends within half a minute, and some operations are retried only after a while.
    if mode.chaos != nil { environment.patience = .minutes(10) }
    machine = Machine(program: test.program, inputs: [], environment: environment, at: .simulationStart)
    mentioned = Set(test.program.names).union(
      test.program.places.flatMap(\.steps).compactMap { if case .member(let name) = $0 { name } else { nil } })
    outcome.sources = file.loaded.sources
    if let plan = mode.chaos { chaos = Chaos(plan) }
    world.watch = { [packets] packet, isSent, now in packets.take(packet, isSent: isSent, at: now) }
    if test.program.needsHost { host = TestHost(world.air, packets, seed: mode.seed &+ 0x7E57, at: now) }
  }

  package func run() -> TestOutcome {
    let began = SystemClock.processTime()
    machine.start(at: now)
    var rounds = 0
    while !isOver {
      world.run(to: now)
      for recipe in recipes { recipe.work(at: now) }
      for report in host?.work(at: now) ?? [] { machine.handle(.host(report), at: now) }
      for (place, recipe) in recipes.enumerated() where recipe.isDead { goOn(recipe, place) }
      look()
      if chaos == nil { lookForFailedHandlers() }
      if isOver { break }
      let hasMore = work()
      if isOver { break }
      chaos?.work(in: self, at: now)
      lookForFaultyLinks()
      rounds += 1
      if rounds % 64 == 0 {
        events.take(world.air.takeLog())
        if SystemClock.processTime() - began > Self.mostWork {
          fail("the test took more than \(Self.mostWork) of computing time", hitsLimit: true)
        }
      }
      if isOver { break }
      if recipes.contains(where: \.runsPrograms) {
        guard waitForPrograms() else { break }
        continue
      }
      waiting = 0
      var next = earliest(world.nextMoment, machine.earliestDeadline(), earliest(chaos?.nextMoment, host?.nextMoment))
      for recipe in recipes {
        next = earliest(next, recipe.nextMoment)
        if recipe.hasMore { next = now.moment }
      }
      if hasMore || host?.hasSent ?? false { next = now.moment }
      guard let next else {
        fail("nothing more can happen, but the test still waits", hitsLimit: true)
        break
      }
      if next - Instant.simulationStart.moment > Self.longest {
        fail("the test took more than 30 virtual days", hitsLimit: true)
        break
      }
      if next > now.moment { now = now + (next - now.moment) }
    }
    return finish()
  }

  /// Waits for programs while the virtual time stands still. Returns false if one runs for too
  /// long.
  private func waitForPrograms() -> Bool {
    _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(5))
    waiting += 1
    if waiting < Self.longestProgram { return true }
    fail("a program that the recipe started did not end within a minute", hitsLimit: true)
    return false
  }

  // MARK: The test's own recipe

  /// Runs the test as far as possible at this instant.
  private func work() -> Bool {
    for _ in 0..<256 {
      let turn = machine.turn(at: now)
      for effect in turn.effects {
        perform(effect)
        if isOver { return false }
      }
      if turn.effects.isEmpty, !turn.hasMore { return false }
    }
    return true
  }

  private func perform(_ effect: RunnerEffect) {
    switch effect {
    case .order(let id, let order):
      var failure: Failure?
      do throws(Failure) { try performOrder(order) } catch { failure = error }
      look()
      machine.handle(.fileWritten(id, failure), at: now)
    case .print(let id, let line):
      outcome.logs.append(("test", PrintFormatter.plain(line, machine.surroundings)))
      machine.handle(.outputWritten(id), at: now)
    case .log(let id, _, let text):
      outcome.logs.append(("test", text))
      machine.handle(.outputWritten(id), at: now)
    case .append(let id, _, _):
      machine.handle(.fileWritten(id, Failure(.file, "a test writes files with `save`", blame: .recipe)), at: now)
    case .save(let id, let path, let bytes):
      var failure: Failure?
      do throws(SystemFailure) { try saveFile(absolute(path, in: folder.files), bytes) } catch {
        failure = Failure(.file, "\(error)", blame: .recipe)
      }
      machine.handle(.fileWritten(id, failure), at: now)
    case .offerMade: break
    case .readFile(let id, let path, let limit):
      let result: Result<[UInt8], Failure>
      do throws(SystemFailure) {
        result = .success(try OrdinaryFile(reading: absolute(path, in: folder.files), limit: limit).bytes)
      } catch {
        result = .failure(Failure(.file, "\(error)", blame: .recipe))
      }
      machine.handle(.fileRead(id, result), at: now)
    case .failed(let report):
      if outcome.failure == nil {
        outcome.failure = FailureText.finding(report, line: file.loaded.sources.line(of: report.range))
        outcome.isExpectation = report.failure.kind == .expectation
        outcome.isTimeout = report.failure.kind == .timeout
      }
    case .finished(let status):
      if status.code != 0, outcome.failure == nil { fail("the test ended with exit code \(status.code)") }
      isOver = true
    case .run(let id, _): machine.handle(.commandEnded(id, .success(CommandResult(code: 0))), at: now)
    case .ask(let id, _, _):
      machine.handle(.answered(id, .failure(Failure(.user, "a test has no one to ask", blame: .recipe))), at: now)
    case .request(let request): host?.send(request, at: now)
    case .resumed, .progressed, .withdrawn, .metered: break
    }
  }

  private func fail(_ text: String, hitsLimit: Bool = false) {
    isOver = true
    outcome.hitsLimit = hitsLimit
    guard outcome.failure == nil else { return }
    let point = machine.restorePoint
    let notes = recipes.map(\.activity)
    let place = point.line == .none ? "" : "it is at \(machine.program.lines.text(of: point.line)): \(point.text)"
    outcome.failure = Diagnostic("T331", text, at: test.range, place, notes: notes)
  }

  /// Ends the test if a handler has failed, unless under chaos, where faults may cause that.
  private func lookForFailedHandlers() {
    guard outcome.failure == nil else { return }
    for recipe in recipes {
      guard let (finding, sources) = recipe.handlerFailure else { continue }
      outcome.sources = sources
      return handlerFailed(finding, of: recipe.name)
    }
    for (_, name, _) in peripherals {
      guard let report = world.air.node(name)?.handlerFailure else { continue }
      return handlerFailed(FailureText.finding(report, line: file.loaded.sources.line(of: report.range)), of: name)
    }
  }

  private func handlerFailed(_ finding: Diagnostic, of name: String) {
    var finding = finding
    finding.notes.append("nothing in \(name) handles this failure; `try … otherwise` can")
    outcome.failure = finding
    isOver = true
  }

  /// Records whether a fault of chaos affects a link or a scan of the test itself.
  private func lookForFaultyLinks() {
    guard chaos?.hasBegun ?? false, let host, host.isUsed, !outcome.hasFaultyLinks else { return }
    outcome.hasFaultyLinks =
      peripheralControllers.contains { world.air.isDisturbed($0, for: host.controller) }
      // What a recipe serves is gone with its adapter.
      || chaos?.hasAdapterOut(at: now.moment) ?? false && recipes.contains { $0.session?.serves ?? false }
  }

  // MARK: Orders

  private func performOrder(_ order: TestOrder) throws(Failure) {
    switch order {
    case .simulate(let subject, let peripheral, let name, let with): try simulate(subject, peripheral, name, with)
    case .start(let subject, let file, let with): try start(subject, file, with)
    case .kill(let subject): try recipe(subject).drop(at: now)
    case .resume(let subject):
      let recipe = try recipe(subject)
      guard recipe.session == nil else {
        throw .value("\(recipe.name) is running: only a recipe that was killed or has ended can be resumed")
      }
      recipe.start(isResume: recipe.isFinished, at: now)
    case .make(nil, let fault): try makeAdapter(fault)
    case .make(let subject?, let fault): try make(peripheral(subject), fault)
    case .set(let subject, let name, let value):
      world.air.order(try peripheral(subject), at: now) { node, now in node.set(name, value, at: now) }
    }
  }

  private func recipe(_ subject: Int) throws(Failure) -> StartedRecipe {
    guard let recipe = recipes.first(where: { $0.subject == subject }) else {
      throw .value("this is a peripheral, not a recipe that was started")
    }
    return recipe
  }

  private func peripheral(_ subject: Int) throws(Failure) -> String {
    guard let found = peripherals.first(where: { $0.subject == subject }) else {
      throw .value("this is a recipe, not a peripheral that is simulated")
    }
    return found.name
  }

  private func simulate(_ subject: Int, _ peripheral: String, _ name: String, _ with: Record) throws(Failure) {
    guard let recipe = file.loaded.recipe, let declaration = recipe.peripherals.first(where: { $0.name.text == peripheral }) else {
      throw .value("there is no peripheral `\(peripheral)`")
    }
    guard world.air.node(name) == nil else { throw .value("\(name) is already simulated: give this one another name with `as`") }
    let lets = declaration.parts.compactMap { part -> String? in
      guard case .variable(let statement) = part.kind, case .let(let name, _) = statement.kind else { return nil }
      return name.text
    }
    var given: [(name: String, value: Value)] = []
    var shown: String?
    var address: Address?
    for field in with.fields {
      switch (field.key, field.value) {
      case (let key, let value) where lets.contains(key): given.append((key, value))
      case ("name", .text(let text)): shown = text
      case ("address", .address(let value)):
        let own = Address(bits: value.bits, kind: .random)
        guard own.isStaticRandom, value.kind != .public else {
          throw .value(
            "\(value.withKind) is not a static random address, which a simulated device needs",
            hint: "one that begins with C0 to FF, and without /public")
        }
        address = own
      case ("name", let value): throw .value("the name of a simulated device is text, not \(value.typeName)")
      case ("address", let value): throw .value("the address of a simulated device is an address, not \(value.typeName)")
      default:
        throw .value(
          "\(peripheral) has no `\(field.key)` to set",
          hint: "there are: \((["name", "address"] + lets).joined(separator: ", "))")
      }
    }
    do throws(RecipeRefusal) {
      try world.air.add(
        peripheral, of: recipe, file.loaded.sources, under: name, named: shown, address: address, given: given)
    } catch {
      throw .value(error.findings.first?.message ?? "\(peripheral) cannot be simulated")
    }
    peripherals.append((subject, name, lets))
  }

  private func start(_ subject: Int, _ path: String?, _ with: Record) throws(Failure) {
    var loaded = file.loaded
    if let path {
      let own = parent(of: file.path)
      let full = path.hasPrefix("/") || own == "." ? path : "\(own)/\(path)"
      do throws(RecipeUnreadable) { loaded = try RecipeLoader.load(path: full) } catch {
        throw Failure(.file, error.message, blame: .recipe, hint: error.hint)
      }
    }
    guard let tree = loaded.recipe, !loaded.hasErrors else {
      let first = loaded.findings.first { $0.severity == .error }
      throw Failure(.file, "\(loaded.name) has errors: \(first?.message ?? "")", blame: .recipe, hint: "tooth check \(loaded.name)")
    }
    var with = with
    let script = try ScriptedInput(taking: &with, of: tree, machine.surroundings)
    let inputs = try TestInputs(
      with, of: tree, sources: loaded.sources, folders: [folder.files, parent(of: file.path)], machine.surroundings)
    let name = "run \(recipes.count + 1)"
    var options = RunOptions(directory: folder.files)
    options.commands = mode.startsPrograms ? .started : .imagined
    options.hasInput = false
    // Each start is a run of its own, but the starts share what their recipe remembers.
    let identity = RunIdentity(owner: .path(loaded.name), inputs: inputs.inputs.identity + [("run", name)])
    let plan = RunPlan(
      loaded: loaded, path: name, identity: identity, inputs: inputs.inputs, options: options,
      state: StateDirectory(path: folder.state))
    for declared in tree.inputs where InputReader.isSecret(declared) {
      for input in inputs.inputs.values where input.name == declared.name.text { secrets.add(input.value) }
      if case .string(let text)? = declared.initial?.kind, let plain = text.plain { secrets.add(.text(plain)) }
    }
    let recipe = StartedRecipe(
      subject: subject, name: loaded.name, plan: plan, world: world, packets: packets, isDirect: mode.isDirect,
      seed: mode.seed &+ UInt64(subject) &* 1000, script: script)
    recipe.isTraced = mode.isTraced
    recipe.isLocated = mode.chaos != nil
    if let kill = mode.kill, kill.run == recipes.count { recipe.kill = kill }
    recipes.append(recipe)
    recipe.start(at: now)
  }

  private func make(_ name: String, _ fault: TestOrder.Fault) throws(Failure) {
    guard let controller = world.air.controller(of: name) else { return }
    let moment = now.moment
    switch fault {
    case .vanish: world.air.make { $0.vanish(controller, at: moment) }
    case .appear: world.air.make { $0.appear(controller, at: moment) }
    case .drop: world.air.make { $0.drop(controller, at: moment) }
    case .loseNextReply: world.air.make { $0.loseNextReply(controller, at: moment) }
    case .slow(let delay): world.air.make { $0.slow(controller, by: delay, at: moment) }
    case .reboot:
      let seed = mode.seed &+ UInt64(bitPattern: moment.nanoseconds)
      world.air.order(name, at: now) { node, now in node.reboot(seed: seed, at: now) }
    case .changeServices: world.air.order(name, at: now) { node, now in node.moveAttributes(at: now) }
    case .forgetBond: world.air.order(name, at: now) { node, now in node.forgetBonds(at: now) }
    case .refuseNext(let request, let code): world.air.node(name)?.refuseNext(request, code: code)
    }
  }

  private func makeAdapter(_ fault: TestOrder.Fault) throws(Failure) {
    let controller = world.controller
    let moment = now.moment
    switch fault {
    case .drop:
      for own in controllers { world.air.make { $0.drop(own, at: moment) } }
    case .vanish: world.takeOut(until: moment + Self.longest)
    case .appear: world.putBack()
    case .reboot: world.takeOut(until: moment + .seconds(1))
    case .slow(let delay): world.air.make { $0.slow(controller, by: delay, at: moment) }
    case .loseNextReply, .changeServices, .forgetBond, .refuseNext:
      throw .value("an adapter cannot be made to do this", hint: "it can vanish, appear, drop, reboot, or be slow")
    }
  }

  /// The controllers of the recipes.
  var controllers: [ControllerID] { [world.controller] + recipes.compactMap(\.ownController) }
  var peripheralControllers: [ControllerID] { peripherals.compactMap { world.air.controller(of: $0.name) } }
  var kept: KeptWorld { world }
  var hasDirectRuns: Bool { mode.isDirect }

  /// Restarts a run that its hook has killed.
  private func goOn(_ recipe: StartedRecipe, _ place: Int) {
    recipe.kill = nil
    if recipe.hasEnded { recipe.end() }
    recipe.drop(at: now)
    if !recipe.isFinished { recipe.start(at: now) }
  }

  // MARK: State for the test

  private func look() {
    for recipe in recipes {
      let index = recipe.subject
      update(index, "finished", .bool(recipe.isFinished))
      update(index, "exit_code", recipe.exitCode.map { .int(Int64($0)) } ?? .nothing)
      update(index, "resumed", .bool(recipe.starts > 1))
      if mentioned.contains("idle") { update(index, "idle", .bool(recipe.isIdle)) }
      if mentioned.contains("line") { update(index, "line", .int(Int64(recipe.place.line))) }
      if mentioned.contains("commands"), recipe.reportedCommands != recipe.script.commands.count {
        recipe.reportedCommands = recipe.script.commands.count
        update(index, "commands", .list(recipe.script.commands.map { .text($0) }))
      }
      if mentioned.contains("errors") {
        recipe.takeErrors()
        if recipe.errorCount != recipe.reportedErrors {
          recipe.reportedErrors = recipe.errorCount
          update(index, "errors", .text(recipe.errors))
        } else if recipe.reportedErrors == 0 {
          update(index, "errors", .text(""))
        }
      }
      if mentioned.contains("printed") {
        if !recipe.hasReportedLines {
          recipe.hasReportedLines = true
          update(index, "printed", .list([]))
        }
        while recipe.reportedLines < recipe.lines.count {
          machine.handle(.subjectGrew(index, name: "printed", .text(recipe.lines[recipe.reportedLines])), at: now)
          recipe.reportedLines += 1
        }
      }
    }
    for (subject, name, lets) in peripherals {
      guard let node = world.air.node(name), node.isChanged else { continue }
      node.isChanged = false
      update(subject, "address", Value(node.address))
      update(subject, "connected", .bool(node.centralCount > 0))
      if mentioned.contains("centrals") { update(subject, "centrals", .list(node.centrals.map { Value($0) })) }
      if mentioned.contains("subscribers") {
        var seen: [Address] = []
        for subscriber in node.subscribers where !seen.contains(subscriber.central) { seen.append(subscriber.central) }
        update(subject, "subscribers", .list(seen.map { Value($0) }))
      }
      update(subject, "writes", .int(Int64(node.traffic.writes)))
      update(subject, "requests", .int(Int64(node.traffic.requests)))
      update(subject, "repeated_requests", .int(Int64(node.traffic.repeated)))
      update(subject, "bonds", .int(Int64(node.bondCount)))
      for variable in lets where mentioned.contains(variable) {
        update(subject, variable, node.value(of: variable) ?? .nothing)
      }
    }
  }

  private func update(_ subject: Int, _ name: String, _ value: Value) {
    machine.handle(.subjectChanged(subject, name: name, value), at: now)
  }

  // MARK: The end

  private func finish() -> TestOutcome {
    events.take(world.air.takeLog())
    for recipe in recipes {
      recipe.takeErrors()
      for secret in recipe.secrets + recipe.writes.secrets { secrets.add(secret) }
      for secret in recipe.script.secrets { secrets.add(.text(secret)) }
    }
    for secret in host?.writes.secrets ?? [] { secrets.add(secret) }
    outcome.span = now.moment - Instant.simulationStart.moment
    outcome.effects = recipes.map(\.count)
    outcome.trails = recipes.map(\.trail)
    outcome.exitCodes = recipes.map(\.exitCode)
    outcome.activities = recipes.map(\.activity)
    if mode.chaos != nil { judgeWrites() }
    if outcome.failure != nil || !outcome.doubled.isEmpty {
      let own = controllers
      outcome.linkEvents = events.lines(since: Instant.simulationStart.moment, hiding: secrets) { [world, host] address in
        if let name = world.air.name(of: address) { return name }
        if let host, world.air.address(of: host.controller) == address { return "the test" }
        return own.contains { world.air.address(of: $0) == address } ? "tooth" : nil
      }
      outcome.capture = packets.bytes(hiding: secrets)
      for recipe in recipes { outcome.logs.append((recipe.name, recipe.errors)) }
      let activities = outcome.activities
      if outcome.isTimeout { outcome.failure?.notes += activities }
    }
    // End everything that was simulated and started.
    for recipe in recipes { recipe.drop(at: now) }
    recipes = []
    host = nil
    hideSecrets()
    return outcome
  }

  private func hideSecrets() {
    outcome.failure = outcome.failure.map { secrets.hiding($0) }
    outcome.sources = outcome.sources.map { secrets.hiding($0) }
    outcome.linkEvents = outcome.linkEvents.map { secrets.hiding($0) }
    outcome.activities = outcome.activities.map { secrets.hiding($0) }
    outcome.doubled = outcome.doubled.map { secrets.hiding($0) }
    outcome.logs = outcome.logs.map { ($0.name, secrets.hiding($0.text)) }
    outcome.trails = outcome.trails.map { trail in
      trail.map { MetEffect(number: $0.number, words: secrets.hiding($0.words), line: $0.line) }
    }
  }

  private func judgeWrites() {
    var asked: [[UInt8]: Int] = [:]
    var lines: [[UInt8]: String] = [:]
    for recipe in recipes {
      asked.merge(recipe.writes.counts, uniquingKeysWith: +)
      lines.merge(recipe.writes.lines) { first, _ in first }
    }
    if let host { asked.merge(host.writes.counts, uniquingKeysWith: +) }
    for (_, name, _) in peripherals {
      for (value, count) in world.air.node(name)?.traffic.values ?? [:] where count > asked[value, default: 0] {
        let place = lines[value].map { " (\($0))" } ?? ""
        outcome.doubled.append(
          "\(name) was written \(Hex.text(value)) \(count) times, but was asked to only \(asked[value, default: 0]) times\(place)")
      }
    }
  }
}
