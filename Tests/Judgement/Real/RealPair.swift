import Glibc

/// A run of the real program through a real keeper on a `tooth air`. Both are killed with SIGKILL
/// in any order and number, and started again, until the recipe has finished.
package final class RealPair {
  package enum Victim: CaseIterable, Sendable { case run, keeper, runThenKeeper, keeperThenRun }

  /// Which process is killed how long after the last start, or after the first value of this life,
  /// and how both restart.
  package struct Death: Sendable {
    package var victim: Victim
    package var afterValue: Bool
    package var milliseconds: Int
    /// Pauses between two kills, and before the run restarts.
    package var pause: Int
    /// A keeper is started by hand before the run, and not by the run.
    package var startsKeeper: Bool

    package init(_ dice: inout Dice) {
      victim = Victim.allCases[dice.roll(0...3)]
      afterValue = dice.roll(0...2) > 0
      milliseconds = dice.roll(0...(afterValue ? 600 : 900))
      pause = dice.roll(0...2) == 0 ? dice.roll(0...150) : 0
      startsKeeper = dice.roll(0...1) == 0
    }
  }

  private enum Stage { case starting, living, dying(at: Int64), returning(at: Int64), over, failed(String) }

  private let place: Place
  private let recipe: String
  private var deaths: [Death]
  /// The duration in milliseconds of a run that is not killed.
  private let patience: Int64
  private let forgets: Bool
  private let air: ToothProcess
  private var lives: [ToothProcess] = []
  private var keepers: [ToothProcess] = []
  private var stage = Stage.starting
  private var since = RealPair.now
  private var rowsAtStart = 0
  private var firstValue: Int64?
  package private(set) var keeperDeaths = 0
  package private(set) var runDeaths = 0

  /// `forgets` is a planted defect: the files of a killed run are removed.
  package init?(recipe: String, devices: String, seed: UInt64, deaths: [Death], patience: Int64 = 60_000, forgets: Bool = false) {
    guard let place = Place() else { return nil }
    self.place = place
    self.recipe = recipe
    self.deaths = deaths
    self.patience = patience
    self.forgets = forgets
    let arguments = ["air", devices, "--listen", "unix:\(place.path)/air", "--log", "\(place.path)/air.log", "--seed", "\(seed)"]
    guard let air = ToothProcess(arguments, in: place.path, name: "air") else { return nil }
    self.air = air
  }

  deinit { end() }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  package var isOver: Bool {
    switch stage {
    case .over, .failed: true
    default: false
    }
  }

  package var failure: String? {
    if case .failed(let text) = stage { text } else { nil }
  }

  package var rows: [String] { (textOfFile("\(place.path)/beats.csv") ?? "").split(separator: "\n").map(String.init) }
  package var log: [String] { (textOfFile("\(place.path)/air.log") ?? "").split(separator: "\n").map(String.init) }
  package var output: String { lives.map(\.output).joined() }

  /// The output of all processes, for debugging.
  package var told: String {
    lives.enumerated().map { "--- life \($0 + 1), exit code \($1.exitCode)\n\($1.output)\($1.errors)" }.joined()
      + keepers.enumerated().map { "--- keeper \($0 + 1)\n\($1.errors)" }.joined()
  }

  private var adapter: [String] { ["--adapter", "unix:\(place.path)/air"] }
  private var environment: [String] { ["TOOTH_KEEPER_DIRECTORY=\(place.path)/keepers"] }

  /// Checks once; never waits.
  package func step() {
    for keeper in keepers { _ = keeper.hasEnded() }
    switch stage {
    case .starting:
      if access("\(place.path)/air", F_OK) == 0 {
        live(startsKeeper: true)
      } else if air.hasEnded() || Self.now - since > patience {
        fail("the air does not come up: \(air.errors)")
      }
    case .living: look()
    case .dying(let due): if Self.now >= due { die(second: true) }
    case .returning(let due): if Self.now >= due { comeBack() }
    case .over, .failed: break
    }
  }

  private func live(startsKeeper: Bool) {
    if startsKeeper,
      let keeper = ToothProcess(
        ["keeper", "run"] + adapter, in: place.path, name: "keeper\(keepers.count)", environment: environment)
    {
      keepers.append(keeper)
    }
    since = Self.now
    firstValue = nil
    rowsAtStart = rows.count
    stage = .living
    guard lives.last.map({ $0.status != nil }) ?? true else { return }
    guard
      let run = ToothProcess(
        ["run", recipe] + adapter + ["--keeper"], in: place.path, name: "life\(lives.count + 1)", environment: environment)
    else { return fail("cannot start tooth") }
    lives.append(run)
  }

  private func look() {
    guard let run = lives.last else { return }
    if run.hasEnded() {
      if run.exitCode != 0 { return fail("life \(lives.count) ended by itself with \(run.exitCode)") }
      return finish()
    }
    if firstValue == nil, rows.count > rowsAtStart { firstValue = Self.now }
    if Self.now - since > patience { return fail("nothing more happens, \(rows.count) rows after \(lives.count) lives") }
    guard let death = deaths.first, !run.output.contains("finished"),
      let anchor = death.afterValue ? firstValue : since, Self.now - anchor >= Int64(death.milliseconds)
    else { return }
    die(second: false)
  }

  private func die(second: Bool) {
    guard let death = deaths.first else { return }
    let isPair = death.victim == .runThenKeeper || death.victim == .keeperThenRun
    let isRun = death.victim == .run || (death.victim == .runThenKeeper) == !second && isPair
    if isRun { killRun() } else { killKeepers() }
    if case .over = stage { return }
    if isPair, !second { return stage = .dying(at: Self.now + Int64(death.pause)) }
    stage = .returning(at: Self.now + Int64(death.pause))
  }

  private func comeBack() {
    guard let death = deaths.first else { return }
    deaths.removeFirst()
    live(startsKeeper: death.startsKeeper && death.victim != .run)
  }

  private func killRun() {
    guard let run = lives.last else { return }
    run.send(SIGKILL)
    run.wait()
    runDeaths += 1
    // It had finished before it was killed: the next one would start from the beginning.
    if run.output.contains("finished") || run.exitCode == 0 { return finish() }
    if forgets { removeTree("\(place.path)/state") }
  }

  /// Every keeper of this air, whichever process started it.
  private func killKeepers() {
    let found = Self.keepers(at: place.path)
    for process in found { kill(process, SIGKILL) }
    if !found.isEmpty { keeperDeaths += 1 }
    for keeper in keepers where !keeper.hasEnded() && found.contains(keeper.identifier) { keeper.wait() }
  }

  private static func keepers(at path: String) -> [pid_t] {
    namesOfFiles(in: "/proc").compactMap { pid_t($0) }.filter { process in
      guard let line = textOfFile("/proc/\(process)/cmdline") else { return false }
      let words = line.split(separator: "\0")
      guard let place = words.firstIndex(of: "keeper"), place + 1 < words.count, words[place + 1] == "run" else { return false }
      return words.contains { $0.hasSuffix("\(path)/air") }
    }
  }

  private func finish() {
    end()
    stage = .over
  }

  private func fail(_ text: String) {
    stage = .failed(text)
    end()
  }

  /// Every process has ended, and the air has written its log.
  private func end() {
    for run in lives {
      run.send(SIGKILL)
      run.wait()
    }
    for _ in 0..<3 { for process in Self.keepers(at: place.path) { kill(process, SIGKILL) } }
    for keeper in keepers { keeper.wait() }
    air.send(SIGTERM)
    air.wait()
  }

  /// Runs all of them to their ends, at most this many at a time.
  package static func finish(_ pairs: [() -> RealPair?], atOnce: Int, each: (Int, RealPair) -> Void) {
    var waiting = Array(pairs.enumerated())[...]
    var open: [(number: Int, pair: RealPair)] = []
    while !waiting.isEmpty || !open.isEmpty {
      while open.count < atOnce, let next = waiting.popFirst() {
        if let pair = next.element() { open.append((next.offset, pair)) }
      }
      for (_, pair) in open { pair.step() }
      for (number, pair) in open where pair.isOver { each(number, pair) }
      open.removeAll { $0.pair.isOver }
      usleep(3000)
    }
  }
}
