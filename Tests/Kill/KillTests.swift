import Testing

/// Each recipe of the project, killed at every effect, before it acts and after it acted.
@Suite struct KillTests {
  /// Runs a scenario without a kill, then with one at each effect; says what the judge found.
  static func verdict(_ scenario: Scenario, share: Int = 0, of shares: Int = 1) throws -> (
    problems: [String], kills: Int, effects: Int
  ) {
    let trial = try Trial(scenario)
    let reference = try trial.uninterrupted()
    var problems = trial.findings(reference).map { "uninterrupted: \($0)" }
    guard problems.isEmpty else { return (problems, 0, trial.effects) }
    for (kill, findings) in try trial.killEverywhere(reference: reference, share: share, of: shares) {
      problems.append("\(kill): \(findings.map(\.description).joined(separator: "; "))")
    }
    return (problems, trial.kills, trial.effects)
  }

  @Test(arguments: [0, 1]) func aThermometerIsReadThoughItIsKilledAnywhere(share: Int) throws {
    let (problems, kills, effects) = try Self.verdict(.thermometer, share: share, of: 2)
    #expect(problems == [])
    #expect(kills >= effects - 2)
  }

  @Test(arguments: [0, 1]) func heartbeatsAreCountedThoughItIsKilledAnywhere(share: Int) throws {
    let (problems, kills, effects) = try Self.verdict(.heartRate, share: share, of: 2)
    #expect(problems == [])
    #expect(kills >= effects - 2)
  }

  @Test func theValveOpensOnceADayThoughItIsKilledAnywhere() throws {
    let (problems, kills, effects) = try Self.verdict(.valve)
    #expect(problems == [])
    #expect(kills >= 2 * effects - 2)
  }
}
