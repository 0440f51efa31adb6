import Glibc
import Journal
import Judgement
import Linux
import Recipe
import Runner
import Session
import Vocabulary
import World

/// A run that is the client of a keeper: uninterrupted, and killed at each of its effects while the
/// keeper survives.
final class KeptTrial {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// What can be observed of a run from outside.
  struct TrialResult {
    var world: KeptWorld
    var outputs: [String]
    var errors: [String]
    var rows: [String]
    var exitCode: Int32
    var kill: String
    var killedAt: [Moment] = []
  }

  private let place: Place
  private let recipe: LoadedRecipe
  private let devices: LoadedRecipe
  private let file: String?
  let duration: TimeSpan
  /// How long the run is away, and how long the next process runs at least.
  var pause = TimeSpan.seconds(2)
  var rest = TimeSpan.seconds(3)
  var seed: UInt64 = 7
  var hold = TimeSpan.minutes(10)
  var faults: [(at: TimeSpan, order: @Sendable (SimulatedAir) -> Void)] = []
  /// When the adapter is unplugged and plugged in again.
  var absences: [(from: TimeSpan, until: TimeSpan)] = []
  /// The effect at which the second life is killed as well, by the number of the first kill.
  var againAt: (Int) -> Int? = { _ in nil }
  private var directory: String { "\(place.path)/work" }
  private var aside: String { "\(place.path)/aside" }
  private(set) var effects = 0
  private(set) var kills = 0

  init(recipe: String, devices: String, file: String? = nil, duration: TimeSpan) throws {
    guard let place = Place() else { throw Failure(description: "no place") }
    self.place = place
    self.recipe = try Self.load(recipe)
    self.devices = try Self.load(devices)
    self.file = file
    self.duration = duration
  }

  private static func load(_ text: String) throws -> LoadedRecipe {
    var content = text
    if !text.contains("\n") {
      guard let found = textOfFile("\(ToothProcess.root)/\(text)") else { throw Failure(description: "there is no \(text)") }
      content = found
    }
    let loaded = RecipeLoader.parse(name: "kept.ble", Array(content.utf8))
    guard !loaded.hasErrors else { throw Failure(description: "\(loaded.findings.map(\.message))") }
    return loaded
  }

  private func world() throws -> KeptWorld {
    guard let tree = devices.recipe else { throw Failure(description: "no devices") }
    let start = Instant.simulationStart
    let air = try SimulatedAir(recipe: tree, sources: devices.sources, seed: seed, at: start, isLogging: true)
    return KeptWorld(
      air: air, seed: seed, hold: hold, faults: faults.map { (start.moment + $0.at, $0.order) },
      absences: absences.map { (start.moment + $0.from, start.moment + $0.until) }, at: start)
  }

  private var end: Moment { Instant.simulationStart.moment + duration }

  private struct Life {
    var outcome: RunLoop.Outcome
    var exitCode: Int32
    var at: Instant
    var output: String
    var errors: String
  }

  private func live(
    _ world: KeptWorld, from start: Instant, until limit: Moment, hook: ((EffectPoint, Instant) -> EffectVerdict)? = nil
  )
    throws -> Life
  {
    let output = OutputPipe.collecting()
    let errors = OutputPipe.collecting()
    let console = Console(style: Console.Style(), output: output, errors: errors)
    let plan = RunPlan(
      loaded: recipe, path: "kept.ble", identity: RunIdentity(owner: .name("kept"), inputs: []), inputs: RunInputs(),
      options: RunOptions(directory: directory), state: StateDirectory(path: "\(directory)/state"))
    let port = world.port()
    var loop: RunLoop?
    let starter = try RunStarter(plan, console: console, bootID: "virtual", zone: .utc, at: start)
    // Every process has its own random seed.
    let seed = seed &+ UInt64(kills)
    let watcher: EffectHook? = hook.map { hook in { point in hook(point, loop?.now ?? start) } }
    let surroundings = RunSurroundings(
      host: KeeperHost(port: port, version: KeptWorld.version), console: console, bootID: "virtual", seed: seed, hook: watcher)
    let session = try starter.session(surroundings, at: start)
    let made = RunLoop(session: session, clock: .virtual(start))
    loop = made
    var rounds = 0
    made.afterRound = { _ in
      rounds += 1
      if rounds % 64 == 0 { session.tidy() }
    }
    let outcome = made.run(limit: limit)
    loop = nil
    made.afterRound = { _ in }
    world.collect()
    return Life(
      outcome: outcome, exitCode: session.exitStatus.code, at: made.now, output: output.collected, errors: errors.collected)
  }

  private func rows() -> [String] {
    guard let file, let text = textOfFile("\(directory)/\(file)") else { return [] }
    return text.split(separator: "\n").map(String.init)
  }

  func uninterrupted() throws -> TrialResult {
    try makeEmpty(directory)
    let world = try world()
    let life = try live(world, from: .simulationStart, until: end) { [self] point, _ in
      effects = max(effects, point.number)
      return .goOn
    }
    guard life.outcome == .ended else { throw Failure(description: "the uninterrupted run: \(life.outcome)") }
    return TrialResult(
      world: world, outputs: [life.output], errors: [life.errors], rows: rows(), exitCode: life.exitCode, kill: "uninterrupted")
  }

  /// Kills once at each effect, before and after it, and passes each result to the judge.
  func killEverywhere(every step: Int = 1, at only: Int? = nil, _ judge: @escaping (TrialResult) -> [String]) throws -> [String] {
    try makeEmpty(directory)
    let world = try world()
    var problems: [String] = []
    var trouble: (any Error)?
    let last = effects
    let output = OutputPipe.collecting()
    let errors = OutputPipe.collecting()
    let console = Console(style: Console.Style(), output: output, errors: errors)
    let plan = RunPlan(
      loaded: recipe, path: "kept.ble", identity: RunIdentity(owner: .name("kept"), inputs: []), inputs: RunInputs(),
      options: RunOptions(directory: directory), state: StateDirectory(path: "\(directory)/state"))
    let port = world.port()
    var loop: RunLoop?
    let starter = try RunStarter(plan, console: console, bootID: "virtual", zone: .utc, at: .simulationStart)
    let hook: EffectHook = { [self] point in
      guard only.map({ point.number == $0 && point.side == .before }) ?? (point.number % step == 0), problems.count < 5,
        trouble == nil
      else { return .goOn }
      if point.number == last, point.side == .after { return .goOn }
      let now = loop?.now ?? .simulationStart
      // What it releases while it ends is gone.
      guard now.moment < end else { return .goOn }
      do {
        kills += 1
        let result = try killed(
          world, at: now, output: output.collected, name: "killed \(point.side) effect \(point.number) (\(point.kind))")
        for problem in judge(result) { problems.append("\(result.kill): \(problem)") }
      } catch {
        trouble = Failure(description: "killed \(point.side) effect \(point.number) (\(point.kind)): \(error)")
      }
      return .goOn
    }
    let surroundings = RunSurroundings(
      host: KeeperHost(port: port, version: KeptWorld.version), console: console, bootID: "virtual", seed: seed, hook: hook)
    let session = try starter.session(surroundings, at: .simulationStart)
    let made = RunLoop(session: session, clock: .virtual(.simulationStart))
    loop = made
    let outcome = made.run(limit: end)
    loop = nil
    if let trouble { throw trouble }
    guard outcome == .ended else { throw Failure(description: "the uninterrupted run: \(outcome)") }
    return problems
  }

  private func killed(_ world: KeptWorld, at now: Instant, output: String, name: String) throws -> TrialResult {
    let copy = world.copy()
    guard rename(directory, aside) == 0 else { throw Failure(description: "cannot put the work aside") }
    defer {
      removeTree(directory)
      rename(aside, directory)
    }
    try makeEmpty(directory)
    if let file { try copyFile("\(aside)/\(file)", "\(directory)/\(file)") }
    for name in namesOfFiles(in: "\(aside)/state")
    where !name.hasPrefix("shared.") && !name.hasPrefix("open-") && !name.hasSuffix("-shm") {
      try copyFile("\(aside)/state/\(name)", "\(directory)/state/\(name)")
    }
    var result = TrialResult(world: copy, outputs: [output], errors: [""], rows: [], exitCode: 0, kill: name)
    var dead = now
    var again = againAt(kills)
    while true {
      result.killedAt.append(dead.moment)
      copy.allGone(at: dead)
      let start = dead + pause
      copy.run(to: start)
      let number = again
      again = nil
      let life = try live(copy, from: start, until: max(end, start.moment + rest)) { point, _ in
        point.number == number ? .kill : .goOn
      }
      result.outputs.append(life.output)
      result.errors.append(life.errors)
      result.exitCode = life.exitCode
      switch life.outcome {
      case .killed: dead = life.at
      case .timeUp: throw Failure(description: "the next life does not end: \(life.errors)")
      case .ended:
        result.rows = rows()
        return result
      }
    }
  }

  // MARK: Files

  private func makeEmpty(_ path: String) throws {
    removeTree(path)
    guard mkdir(path, 0o700) == 0, mkdir("\(path)/state", 0o700) == 0 else { throw Failure(description: "cannot make \(path)") }
  }

  private func copyFile(_ from: String, _ to: String) throws {
    guard let bytes = try? readFile(from, limit: 1 << 26) else { return }
    let target = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw Failure(description: "cannot copy \(from)") }
    defer { close(target) }
    try writeAll(target, bytes, named: to)
  }
}

extension KeptTrial.TrialResult {
  var lines: [AirLine] { world.log.enumerated().compactMap { AirLine($1, number: $0 + 1) } }

  /// Everything that our side sent over the air: connections, requests and commands, without times,
  /// sorted, because the keeper's idle work may come earlier or later.
  func asked(by address: String) -> [String] {
    lines.compactMap { line in
      if line.kind == "connect_ind", line.from == address { return "connect \(line.to ?? "")" }
      guard line.isAttribute, line.from == address, line.delivered == true else { return nil }
      return line.bytes.map { String($0, radix: 16) }.joined(separator: " ")
    }.sorted()
  }

  /// Values that were notified from a handle, with their times.
  func values(from address: String, handle: Int) -> [(value: [UInt8], at: Int64)] {
    lines.compactMap { line in
      guard line.isAttribute, line.from == address, line.delivered == true else { return nil }
      let message = AttributeMessage(bytes: line.bytes)
      return message.isNotification && message.handle == handle ? (message.value, line.time) : nil
    }
  }
}
