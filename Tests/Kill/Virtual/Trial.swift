import Glibc
import Journal
import Judgement
import Linux
import Recipe
import Runner
import Session
import Vocabulary
import World

/// One uninterrupted run of a scenario and, for each of its effects, a run that is killed there.
///
/// A kill does not repeat the run from its start. At the effect the world is copied, with the
/// database and files as they are on disk, and a new process resumes in the copy. The uninterrupted
/// run continues unaffected.
final class Trial {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// What to do at an effect of a life: planted defects skip effects.
  typealias Watcher = (EffectPoint, Instant, World) -> EffectVerdict
  /// What to do to a checkpoint that no process has open.
  typealias Tampering = (StateDirectory) throws -> Void

  struct Kill: Hashable, CustomStringConvertible {
    var effect: Int
    var isAfter: Bool
    var kind: String

    var description: String { "killed \(isAfter ? "after" : "before") effect \(effect) (\(kind))" }
  }

  private let scenario: Scenario
  private let place: Place
  private let recipe: LoadedRecipe
  private let facts: Facts
  private let judge: Judge
  private let firstWorld: World
  /// The directory of the current process. That of the uninterrupted run is moved aside while
  /// another process lives.
  private var directory: String { "\(place.path)/work" }
  private var aside: String { "\(place.path)/aside" }

  private(set) var kills = 0
  private(set) var effects = 0
  private var lastEffect = 0

  init(_ scenario: Scenario) throws {
    self.scenario = scenario
    guard let place = Place() else { throw Failure(description: "no place") }
    self.place = place
    recipe = try Self.load(scenario.recipe, scenario.edits)
    let devices = try Self.load(scenario.devices, scenario.deviceEdits)
    guard let tree = devices.recipe, !devices.hasErrors, !recipe.hasErrors else {
      throw Failure(description: "findings: \((devices.findings + recipe.findings).map(\.message))")
    }
    let start = Instant.simulationStart
    let air = try SimulatedAir(recipe: tree, sources: devices.sources, seed: scenario.seed, at: start, isLogging: true)
    let controller = air.addController(name: "run", at: start)
    firstWorld = World(
      air: air, controller: controller, faults: scenario.faults.map { (start.moment + $0.at, $0.order) })
    facts = scenario.facts { name in air.controller(of: name).flatMap { air.address(of: $0) }.map { "\($0)" } ?? "?" }
    judge = Judge(facts: facts)
  }

  private static func load(_ path: String, _ edits: [(from: String, to: String)]) throws -> LoadedRecipe {
    guard var text = textOfFile(path.hasPrefix("/") ? path : "\(ToothProcess.root)/\(path)") else {
      throw Failure(description: "there is no \(path)")
    }
    for edit in edits {
      guard text.contains(edit.from) else { throw Failure(description: "\(path) has no \(edit.from)") }
      text = text.replacing(edit.from, with: edit.to)
    }
    return RecipeLoader.parse(name: path, Array(text.utf8))
  }

  private var end: Moment { Instant.simulationStart.moment + scenario.duration }

  // MARK: One life

  private struct Death {
    var outcome: RunLoop.Outcome
    var exitCode: Int32
    var at: Instant
  }

  /// A process, from its start until it ends or is killed. Its output goes to `name`.
  private func live(_ world: World, from start: Instant, until limit: Moment, name: String, watcher: Watcher? = nil) throws -> Death
  {
    let output = open("\(place.path)/\(name).out", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o644)
    let errors = open("\(place.path)/\(name).err", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o644)
    defer {
      close(output)
      close(errors)
    }
    let console = Console(style: Console.Style(), output: OutputPipe(descriptor: output), errors: OutputPipe(descriptor: errors))
    var inputs = RunInputs()
    if let tree = recipe.recipe {
      inputs = try InputReader(environment: { _ in nil }).read(scenario.inputs, of: tree, recipe.sources)
    }
    let plan = RunPlan(
      loaded: recipe, path: scenario.recipe, identity: RunIdentity(owner: .name("kill"), inputs: inputs.identity), inputs: inputs,
      options: RunOptions(directory: directory), state: StateDirectory(path: "\(directory)/state"))
    var loop: RunLoop?
    let starter = try RunStarter(plan, console: console, bootID: "virtual", zone: .utc, at: start)
    let hook: EffectHook? = watcher.map { watcher in { point in watcher(point, loop?.now ?? start, world) } }
    let surroundings = RunSurroundings(
      transport: world, console: console, bootID: "virtual", seed: scenario.seed, hook: hook)
    let session = try starter.session(surroundings, at: start)
    let made = RunLoop(session: session, clock: .virtual(start))
    loop = made
    var rounds = 0
    made.afterRound = { _ in
      rounds += 1
      if rounds % 64 == 0 { session.tidy() }
    }
    let outcome = made.run(limit: limit)
    // Nothing of this process may survive, because it would hold its lock.
    loop = nil
    made.afterRound = { _ in }
    world.collect()
    return Death(outcome: outcome, exitCode: session.exitStatus.code, at: made.now)
  }

  private func output(of name: String) -> Evidence.Life {
    Evidence.Life(output: textOfFile("\(place.path)/\(name).out") ?? "", errors: textOfFile("\(place.path)/\(name).err") ?? "")
  }

  private func evidence(_ world: World, _ lives: [Evidence.Life], _ exitCode: Int32, limit: Moment) -> Evidence {
    var files: [String: String] = [:]
    for name in scenario.files { files[name] = textOfFile("\(directory)/\(name)") }
    return Evidence(log: world.log, lives: lives, files: files, exitCode: exitCode, stoppedAt: limit.nanoseconds)
  }

  // MARK: The uninterrupted run

  /// Runs to the end without a kill.
  func uninterrupted() throws -> Evidence {
    try makeEmpty(directory)
    let world = firstWorld.copy()
    let death = try live(world, from: .simulationStart, until: end, name: "first") { point, _, _ in
      self.effects = max(self.effects, point.number)
      return .goOn
    }
    guard death.outcome == .ended else { throw Failure(description: "the uninterrupted run: \(death.outcome)") }
    let result = evidence(world, [output(of: "first")], death.exitCode, limit: end)
    keep(result, "uninterrupted")
    lastEffect = effects
    return result
  }

  /// Violations of the uninterrupted run itself.
  func findings(_ evidence: Evidence) -> [Finding] { judge.findings(evidence) }

  // MARK: Kills

  /// Kills once at each effect of this share, before and after it. Returns the violations by kill.
  func killEverywhere(reference: Evidence, share: Int = 0, of shares: Int = 1, most: Int = 5) throws -> [(
    kill: Kill, findings: [Finding]
  )] {
    try makeEmpty(directory)
    let world = firstWorld.copy()
    var result: [(kill: Kill, findings: [Finding])] = []
    var problem: (any Error)?
    let death = try live(world, from: .simulationStart, until: end, name: "first") { [self] point, now, world in
      effects = max(effects, point.number)
      guard point.number % shares == share, result.count < most, problem == nil, scenario.isKilledAt(point.number, now.moment)
      else {
        return .goOn
      }
      // With its last commit the run is over: the next start is a new run.
      if point.number == lastEffect, point.side == .after { return .goOn }
      let kill = Kill(effect: point.number, isAfter: point.side == .after, kind: "\(point.kind)")
      do {
        var watchers: [Watcher] = []
        if let again = scenario.againAt(point.number) {
          watchers.append { later, _, _ in
            later.number == again && later.side == (point.side == .after ? .before : .after) ? .kill : .goOn
          }
        }
        let evidence = try killed(world, at: now, watchers: watchers)
        kills += 1
        let findings = judge.findings(evidence, uninterrupted: reference)
        if !findings.isEmpty {
          result.append((kill, findings))
          keep(evidence, "\(kill)")
        }
      } catch {
        problem = Failure(description: "\(kill): \(error)")
      }
      return .goOn
    }
    if let problem { throw problem }
    guard death.outcome == .ended else { throw Failure(description: "the uninterrupted run: \(death.outcome)") }
    return result
  }

  private func keep(_ evidence: Evidence, _ title: String) {
    Judgement.keep(evidence, "\(scenario.name) \(title)", files: scenario.files)
  }

  /// Kills the process at this moment; two seconds later another resumes. `watchers` are those of
  /// the following lives, and `tampering` changes the checkpoint before the first.
  private func killed(_ world: World, at now: Instant, watchers: [Watcher] = [], tampering: Tampering? = nil) throws -> Evidence {
    let copy = world.copy()
    guard rename(directory, aside) == 0 else { throw Failure(description: "cannot put the work aside") }
    defer {
      removeTree(directory)
      rename(aside, directory)
    }
    try makeEmpty(directory)
    for name in scenario.files { try copyFile("\(aside)/\(name)", "\(directory)/\(name)") }
    for name in namesOfFiles(in: "\(aside)/state")
    where !name.hasPrefix("shared.") && !name.hasPrefix("open-") && !name.hasSuffix("-shm") {
      try copyFile("\(aside)/state/\(name)", "\(directory)/state/\(name)")
    }
    if let tampering { try tampering(StateDirectory(path: "\(directory)/state")) }
    var lives = [output(of: "first")]
    var dead = now
    while true {
      let start = copy.isLeftAlone(from: dead, for: .seconds(2))
      let limit = max(end, start.moment + scenario.rest)
      let watcher = lives.count <= watchers.count ? watchers[lives.count - 1] : nil
      let death = try live(copy, from: start, until: limit, name: "later", watcher: watcher)
      lives.append(output(of: "later"))
      switch death.outcome {
      case .ended: return evidence(copy, lives, death.exitCode, limit: limit)
      case .killed: dead = death.at
      case .timeUp: throw Failure(description: "life \(lives.count) does not end")
      }
    }
  }

  /// A run with a planted defect: effects that are skipped or added in the first life, which ends
  /// when its watcher kills it, and in the later ones.
  func defective(first: @escaping Watcher, later: Watcher? = nil, tampering: Tampering? = nil) throws -> Evidence {
    try makeEmpty(directory)
    let world = firstWorld.copy()
    let death = try live(world, from: .simulationStart, until: end, name: "first", watcher: first)
    guard death.outcome == .killed else { return evidence(world, [output(of: "first")], death.exitCode, limit: end) }
    return try killed(world, at: death.at, watchers: later.map { [$0] } ?? [], tampering: tampering)
  }

  func findings(_ evidence: Evidence, uninterrupted: Evidence) -> [Finding] {
    judge.findings(evidence, uninterrupted: uninterrupted)
  }

  // MARK: Files

  private func makeEmpty(_ path: String) throws {
    removeTree(path)
    guard mkdir(path, 0o700) == 0, mkdir("\(path)/state", 0o700) == 0 else { throw Failure(description: "cannot make \(path)") }
  }

  private func copyFile(_ from: String, _ to: String) throws {
    let source = open(from, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { return }
    defer { close(source) }
    let target = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw Failure(description: "cannot copy \(from)") }
    defer { close(target) }
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = read(source, &buffer, buffer.count)
      if count <= 0 { break }
      guard write(target, buffer, count) == count else { throw Failure(description: "cannot copy \(from)") }
    }
    // The time of the lock is the run's last sign of life.
    var status = stat()
    guard fstat(source, &status) == 0 else { return }
    let times = [status.st_atim, status.st_mtim]
    futimens(target, times)
  }
}
