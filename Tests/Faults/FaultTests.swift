import Glibc
import Linux
import Session
import Testing
import Vocabulary

/// Whatever fails, a run ends well or with a specific failure within its time, and works again once
/// the faults are over. Nothing hangs, spins or grows. One seed is one run: `FAULT_SEED=N swift
/// test --filter FaultsTests` repeats it, `FAULT_SEEDS=FIRST-LAST` runs others.
@Suite struct FaultTests {
  static let shares = 20

  static func number(_ name: String) -> UInt64? { environment(name).flatMap { UInt64($0) } }

  /// The seeds of a share: 1,140 in all.
  static func seeds(_ share: Int) -> [UInt64] {
    if let one = number("FAULT_SEED") { return share == 0 ? [one] : [] }
    var first: UInt64 = 0
    var last: UInt64 = environment("FULL") == nil ? 569 : 1139
    if let range = environment("FAULT_SEEDS")?.split(separator: "-").compactMap({ UInt64($0) }), range.count == 2 {
      (first, last) = (range[0], max(range[0], range[1]))
    }
    return (first...last).filter { $0 % UInt64(shares) == UInt64(share) }
  }

  private static let scenarios = Result { try FaultScenario.all() }

  @Test(arguments: 0..<FaultTests.shares) func runsSurviveSeededFaults(_ share: Int) throws {
    let scenarios = try Self.scenarios.get()
    var faults: [Int] = []
    for seed in Self.seeds(share) {
      let before = Self.processTime()
      let verdict = try SeedsInFlight.during(seed, place: share) {
        try FaultTrial(seed: seed, of: scenarios, isTalkative: environment("FAULT_SEED") != nil).run()
      }
      if environment("FAULT_SEED") != nil || environment("FAULT_VERBOSE") != nil {
        print(
          "seed \(seed) \(verdict.scenario): \(verdict.course), \(verdict.span), \(verdict.faults) faults, \(verdict.mostLooks) rounds/s,",
          "\(verdict.mostDatabase) octets, \((Self.processTime() - before) / 1_000_000) ms; \(verdict.findings.isEmpty ? verdict.excuse.isEmpty ? "good" : verdict.excuse : "BAD")"
        )
      }
      if !verdict.log.isEmpty { print(verdict.log) }
      faults.append(verdict.faults)
      guard !verdict.findings.isEmpty else { continue }
      Issue.record(
        """
        seed \(seed), \(verdict.scenario) (\(verdict.course)): \(verdict.findings.joined(separator: "; "))
        \(verdict.summary)
        repeat it with: FAULT_SEED=\(seed) swift test --filter FaultsTests
        """)
    }
    // Some recipes end before many faults happen, and a run without faults shows nothing.
    #expect(faults.count { $0 > 0 } * 5 >= faults.count * 4 || faults.count < 20, "faults of each run: \(faults)")
  }

  /// Every recipe that this version can run is among the scenarios.
  @Test func everyRecipeIsTried() throws {
    let tried = Set(try Self.scenarios.get().map(\.recipe.name))
    let root = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 }
    for folder in ["recipes", "Tests/Golden/samples"] {
      let names = Files.names(in: "\(root)/\(folder)").filter { $0.hasSuffix(".ble") }
      #expect(names.count >= 3)
      // Recipes of tests have no body; that meter is the device of the sample before.
      for name in names
      where !tried.contains("\(folder)/\(name)") && !name.hasSuffix("_test.ble") && name != "09-sim.ble" {
        #expect(
          try RecipeLoader.load(path: "\(root)/\(folder)/\(name)").hasErrors, "\(folder)/\(name) can be run, and is not tried")
      }
    }
  }

  /// A trial that cannot fail shows nothing, so the trials themselves are tested.
  @Test(arguments: [
    (FaultyTransport.Sabotage.staysAway, "it is of no use"), (.spins, "it spins"),
  ]) func aTrialFindsPlantedDefects(_ sabotage: FaultyTransport.Sabotage, _ finding: String) throws {
    let scenarios = try Self.scenarios.get()
    // The first recipe, which works until it is stopped. Faults occur only on its air.
    let seed = try #require(
      try (0..<60).map { UInt64($0) * UInt64(FaultScenario.early) }.first { seed in
        guard FaultPlan(seed: seed, peers: 1, ends: .seconds(30)).families == [.air] else { return false }
        let good = try FaultTrial(seed: seed, of: scenarios).run()
        return good.findings.isEmpty && good.course.hasSuffix("stopped")
      })
    let bad = try FaultTrial(seed: seed, of: scenarios, sabotage: sabotage).run()
    #expect(bad.findings.contains { $0.hasPrefix(finding) }, "\(bad.findings)")
  }

  /// The run of one share hangs while that of another ends and that of a third continues.
  @Test func aHangingRunIsNamedAndEndsTheProcess() async throws {
    let result = try #require(
      await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
        SeedsInFlight.during(4711, place: 3, patience: 1) {
          for place in 0..<2 { SeedsInFlight.during(UInt64(place), place: place) {} }
          // longer than the watchdog's limit, but finite
          sleep(60)
        }
      })
    let told = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(told.contains("faults: a run hangs; seeds under way: 4711\n"), "\(told)")
  }

  private static func processTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
