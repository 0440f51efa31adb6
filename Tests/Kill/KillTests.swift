import Glibc
import Judgement
import Testing

/// Each recipe of the project, killed before and after every effect.
@Suite struct KillTests {
  /// Runs a scenario without a kill, then with one at each effect, and returns the findings of the
  /// judge.
  static func verdict(_ scenario: Scenario, share: Int = 0, of shares: Int = 1) throws -> (
    problems: [String], kills: Int, effects: Int
  ) {
    var scenario = scenario
    // Another number in the environment gives other random events on the air.
    if let seed = getenv("TOOTH_KILL_SEED").flatMap({ UInt64(String(cString: $0)) }) { scenario.seed = seed }
    let trial = try Trial(scenario)
    let reference = try trial.uninterrupted()
    var problems = trial.findings(reference).map { "uninterrupted: \($0)" }
    if reference.exitCode != scenario.exitCode { problems.append("uninterrupted: exit code \(reference.exitCode)") }
    // A run that did nothing would pass every check.
    if reference.lives[0].output.isEmpty, reference.files.isEmpty { problems.append("uninterrupted: it did nothing") }
    guard problems.isEmpty else { return (problems, 0, trial.effects) }
    for (kill, findings) in try trial.killEverywhere(reference: reference, share: share, of: shares) {
      problems.append("\(kill): \(findings.map(\.description).joined(separator: "; "))")
    }
    return (problems, trial.kills, trial.effects)
  }

  @Test(arguments: [0, 1]) func aThermometerIsReadDespiteKills(share: Int) throws {
    let (problems, kills, effects) = try Self.verdict(.thermometer, share: share, of: 2)
    #expect(problems == [])
    #expect(kills >= effects - 2)
  }

  /// A third of the effects of a long run; all of them with `FULL=1`.
  @Test(arguments: [0, 1]) func heartbeatsAreCountedDespiteKills(share: Int) throws {
    let shares = getenv("FULL") == nil ? 6 : 2
    let (problems, kills, effects) = try Self.verdict(.heartRate, share: share, of: shares)
    #expect(problems == [])
    #expect(kills >= 2 * (effects / shares) - 2)
  }

  @Test func theValveOpensOnceADayDespiteKills() throws {
    let (problems, kills, effects) = try Self.verdict(.valve)
    #expect(problems == [])
    #expect(kills >= 2 * effects - 2)
  }

  /// Every third effect, and all those near the moments at which the link is lost.
  @Test func lostLinksAndKillsTogether() throws {
    let (problems, kills, _) = try Self.verdict(.heartRateWithLosses)
    #expect(problems == [])
    #expect(kills > 100)
  }

  /// A quarter of all PDUs are lost. Link-layer retries of a request must not count as new
  /// requests.
  @Test func aBadLinkAndKillsTogether() throws {
    let (problems, kills, effects) = try Self.verdict(.heartRateOnABadLink)
    #expect(problems == [])
    #expect(kills >= 2 * effects - 2)
  }

  @Test func withoutADatabaseHashOneProbeIsAllowed() throws {
    let (problems, kills, effects) = try Self.verdict(.heartRateWithoutHash)
    #expect(problems == [])
    #expect(kills >= 2 * effects - 2)
  }

  /// The second life is killed as well, in its first forty effects.
  @Test func aKillAfterAKill() throws {
    let (problems, kills, effects) = try Self.verdict(.heartRateTwice)
    #expect(problems == [])
    #expect(kills >= 2 * effects - 2)
  }

  @Test(arguments: ["repeat", "verify", "skip"]) func everyPolicyOfTheValve(policy: String) throws {
    let (problems, kills, effects) = try Self.verdict(.valve(policy))
    #expect(problems == [])
    #expect(kills >= 2 * effects - 2)
  }

  @Test func aWriteInTheBodyIsMadeOnceOrUnsure() throws {
    let (problems, kills, effects) = try Self.verdict(.counting)
    #expect(problems == [])
    #expect(kills >= 2 * effects - 2)
  }
}
