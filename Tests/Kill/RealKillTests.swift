import Glibc
import Testing

/// The real program, killed with SIGKILL at twenty random moments, against a real `tooth air` in a process of its own.
@Suite struct RealKillTests {
  /// SplitMix64: the same seed, the same moments.
  private struct Dice {
    var state: UInt64

    mutating func roll(_ range: ClosedRange<Int>) -> Int {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
      z ^= z >> 31
      return range.lowerBound + Int(z % UInt64(range.count))
    }
  }

  static let runs = 5
  static let killsARun = 4

  @Test(.timeLimit(.minutes(10))) func twentyKillsLeaveNoTrace() throws {
    // Another number in the environment, other moments.
    var dice = Dice(state: getenv("TOOTH_KILL_SEED").flatMap { UInt64(String(cString: $0)) } ?? 20_261_121)
    let root = ToothProcess.root
    var all: [RealRun] = []
    // One run is not killed at all: the others are compared with it.
    for number in 0...Self.runs {
      var moments: [RealRun.Moment] = []
      if number > 0 {
        for kill in 0..<Self.killsARun {
          // Some while it starts, scans and connects; most in discovery, set-up and the first values.
          let afterLink = kill != number % Self.killsARun
          moments.append(RealRun.Moment(afterLink: afterLink, milliseconds: dice.roll(afterLink ? 0...1500 : 0...120)))
        }
      }
      let run = RealRun(
        recipe: "\(root)/Tests/Kill/recipes/count.ble", devices: "\(root)/Tests/Kill/recipes/strap.ble", moments: moments,
        values: 4,
        seed: UInt64(number + 1))
      all.append(try #require(run))
    }
    // Real processes need real time: nothing here waits for a fixed span.
    while !all.allSatisfy(\.isOver) {
      for run in all { run.step() }
      usleep(2000)
    }
    for run in all { #expect(run.failure == nil) }
    let reference = all[0].evidence(files: ["beats.csv"])
    let judge = Judge(facts: Scenario.countingFacts(strap: try #require(Self.strap(in: reference))))
    #expect(judge.findings(reference) == [])
    for (number, run) in all.enumerated().dropFirst() {
      let evidence = run.evidence(files: ["beats.csv"])
      #expect(evidence.lives.count == Self.killsARun + 1)
      let findings = judge.findings(evidence, uninterrupted: reference)
      #expect(findings == [], "run \(number)")
      if !findings.isEmpty { Trial.keep(evidence, "real run \(number)", files: ["beats.csv"]) }
    }
  }

  /// The device is whoever accepted the first connection.
  private static func strap(in evidence: Evidence) -> String? {
    for (index, text) in evidence.log.enumerated() {
      if let line = AirLine(text, number: index + 1), line.kind == "connect_ind" { return line.to }
    }
    return nil
  }
}
