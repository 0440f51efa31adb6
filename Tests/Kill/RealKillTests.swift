import Glibc
import Judgement
import Testing

/// The real program, killed with SIGKILL at twenty random moments, with a real `tooth air` in
/// another process.
@Suite struct RealKillTests {
  static let runs = 5
  static let killsARun = 4

  @Test(.timeLimit(.minutes(10))) func twentyKillsLeaveNoTrace() throws {
    // Another number in the environment gives other moments.
    var dice = Dice(state: getenv("TOOTH_KILL_SEED").flatMap { UInt64(String(cString: $0)) } ?? 20_261_121)
    let root = ToothProcess.root
    var all: [RealRun] = []
    // One run is not killed; the others are compared with it.
    for number in 0...Self.runs {
      var moments: [RealRun.Moment] = []
      if number > 0 {
        for kill in 0..<Self.killsARun {
          // Some kills hit start, scan and connection, most hit discovery, set-up and the first
          // values.
          let afterLink = kill != number % Self.killsARun
          moments.append(RealRun.Moment(afterLink: afterLink, milliseconds: dice.roll(afterLink ? 0...1500 : 0...120)))
        }
      }
      let run = RealRun(
        recipe: "\(root)/Tests/Kill/recipes/count.ble",
        air: .ours("\(root)/Tests/Kill/recipes/strap.ble", seed: UInt64(number + 1)),
        moments: moments, values: 4)
      all.append(try #require(run))
    }
    RealRun.finish(all)
    for run in all { #expect(run.failure == nil) }
    let reference = all[0].evidence(files: ["beats.csv"])
    let judge = Judge(facts: .counting(strap: try #require(reference.firstConnected), isVirtual: false))
    #expect(judge.findings(reference) == [])
    for (number, run) in all.enumerated().dropFirst() {
      let evidence = run.evidence(files: ["beats.csv"])
      #expect(evidence.lives.count == Self.killsARun + 1)
      let findings = judge.findings(evidence, uninterrupted: reference)
      #expect(findings == [], "run \(number)")
      if !findings.isEmpty { keep(evidence, "real run \(number)", files: ["beats.csv"]) }
    }
  }
}
