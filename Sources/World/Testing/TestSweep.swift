import Exchange
package import Linux
import Recipe
import Session
package import Vocabulary

/// How a test is repeated.
package struct TestOptions: Sendable {
  package enum Kills: Equatable, Sendable {
    case none
    /// Once for each effect, or for a sample of them.
    case kept(sample: Int?)
    /// The same without a keeper, so that the links are lost.
    case direct(sample: Int?)
  }

  package var seed: UInt64
  /// Whether to start the programs of the recipes for real.
  package var startsPrograms = false
  package var kills = Kills.none
  package var chaos = 0

  package init(seed: UInt64) { self.seed = seed }
}

/// The result of a test and all its repetitions.
package struct TestVerdict: Sendable {
  package var file: String
  package var name: String
  package var line: Int
  /// How often it was run.
  package var runs = 0
  package var span = TimeSpan.zero
  package var seconds = 0.0
  /// `nil` if it passed.
  package var failure: TestOutcome?
  /// The repetition that failed: `killed after …`.
  package var circumstance: String?
  /// The seed of the run that failed, or of the first.
  package var seed: UInt64 = 0
  /// The options that repeat it, after `tooth test FILE`.
  package var repeating: [String] = []

  package var passed: Bool { failure == nil }
}

/// Runs a test in all requested ways until one of them fails.
package struct TestSweep {
  private let file: TestFile
  private let test: TestCase
  private let options: TestOptions

  package init(_ test: TestCase, of file: TestFile, _ options: TestOptions) {
    self.test = test
    self.file = file
    self.options = options
  }

  package func run() throws(SystemFailure) -> TestVerdict {
    let began = SystemClock.processTime()
    var verdict = TestVerdict(file: file.path, name: test.name, line: test.line)
    verdict.seed = options.seed
    try run(&verdict)
    verdict.seconds = Double((SystemClock.processTime() - began).nanoseconds) / 1e9
    return verdict
  }

  private func run(_ verdict: inout TestVerdict) throws(SystemFailure) {
    let whole = try once(TestMode(seed: options.seed), &verdict)
    verdict.span = whole.span
    guard whole.failure == nil else {
      return fail(whole, "", ["--seed", "\(options.seed)"], &verdict)
    }
    switch options.kills {
    case .none: break
    case .kept(let sample): try kill(sample, isDirect: false, &verdict)
    case .direct(let sample): try kill(sample, isDirect: true, &verdict)
    }
    guard verdict.passed, options.chaos > 0 else { return }
    for number in 0..<options.chaos {
      try chaos(seed: options.seed &+ UInt64(number), &verdict)
      guard verdict.passed else { return }
    }
  }

  private func once(_ mode: TestMode, _ verdict: inout TestVerdict) throws(SystemFailure) -> TestOutcome {
    verdict.runs += 1
    var mode = mode
    mode.startsPrograms = options.startsPrograms
    return try TestRun(test, of: file, mode).run()
  }

  private func fail(_ outcome: TestOutcome, _ circumstance: String, _ repeating: [String], _ verdict: inout TestVerdict) {
    verdict.failure = outcome
    verdict.circumstance = circumstance.isEmpty ? nil : circumstance
    verdict.repeating = repeating
  }

  // MARK: Kills

  private func kill(_ sample: Int?, isDirect: Bool, _ verdict: inout TestVerdict) throws(SystemFailure) {
    var mode = TestMode(seed: options.seed)
    mode.isDirect = isDirect
    mode.isTraced = true
    let whole = try once(mode, &verdict)
    mode.isTraced = false
    let how = (isDirect ? ["direct"] : []) + (sample.map { [isDirect ? "\($0)" : "sample:\($0)"] } ?? [])
    let word = how.isEmpty ? "--kill" : "--kill=\(how.list(by: ":"))"
    guard whole.failure == nil else {
      return fail(whole, isDirect ? "without a keeper" : "", [word, "--seed", "\(options.seed)"], &verdict)
    }
    var points: [KillPoint] = []
    for (run, count) in whole.effects.enumerated() where count > 0 {
      for number in 1...count {
        for side in [EffectPoint.Side.before, .after] { points.append(KillPoint(run: run, number: number, side: side)) }
      }
    }
    if let sample, sample < points.count { points = Self.some(sample, of: points, seed: options.seed) }
    for point in points {
      mode.kill = point
      let outcome = try once(mode, &verdict)
      guard outcome.failure != nil else { continue }
      let effect = whole.trails[point.run].first { $0.number == point.number }
      let place = effect.map { "\($0.words) (\($0.line))" } ?? "an effect"
      let links = isDirect ? "its links lost" : "its links kept"
      var failed = outcome
      failed.killed = effect
      return fail(
        failed, "killed \(point.side == .before ? "before" : "after") effect \(point.number): \(place); resumed at once, \(links)",
        [word, "--seed", "\(options.seed)"], &verdict)
    }
  }

  /// Returns a sample of them, in order.
  private static func some(_ count: Int, of points: [KillPoint], seed: UInt64) -> [KillPoint] {
    var random = SplitMix(seed: seed)
    var left = count
    var chosen: [KillPoint] = []
    for (place, point) in points.enumerated() {
      if random.next(below: UInt64(points.count - place)) < UInt64(left) {
        chosen.append(point)
        left -= 1
      }
    }
    return chosen
  }

  // MARK: Chaos

  private func chaos(seed: UInt64, _ verdict: inout TestVerdict) throws(SystemFailure) {
    var mode = TestMode(seed: seed)
    mode.chaos = ChaosPlan(seed: seed)
    let outcome = try once(mode, &verdict)
    guard let fault = Self.fault(in: outcome) else { return }
    var failed = outcome
    var failure = failed.failure ?? Diagnostic("T331", fault, at: test.range)
    // Where each recipe was belongs to every report, and only once.
    failure.notes.removeAll { outcome.activities.contains($0) }
    if failed.failure != nil { failure.notes.append(fault) }
    failure.notes += outcome.activities.filter { !fault.holds($0) }
    failed.failure = failure
    verdict.seed = seed
    fail(failed, "random faults, seed \(seed)", ["--chaos", "1", "--seed", "\(seed)"], &verdict)
  }

  /// The error of a run under faults. A recipe may fail because of them.
  private static func fault(in outcome: TestOutcome) -> String? {
    for code in outcome.exitCodes {
      guard let code else { continue }
      switch code {
      case 0...11, 20...99, 130, 143: continue
      default: return "a recipe ended with exit code \(code)"
      }
    }
    if let doubled = outcome.doubled.first { return doubled }
    guard outcome.failure != nil else { return nil }
    if outcome.hitsLimit { return "it hangs: \(outcome.activities.list(by: "; "))" }
    let hasFailed =
      outcome.exitCodes.contains { $0 ?? 0 != 0 } || outcome.logs.contains { $0.name != "test" && $0.text.holds("error[") }
    // A test whose own links or scans the faults affected may fail, too.
    if hasFailed || outcome.hasFaultyLinks { return nil }
    if outcome.isTimeout { return "it hangs, and no failure was reported: \(outcome.activities.list(by: "; "))" }
    return "no recipe has failed, so this should hold under faults too"
  }
}
