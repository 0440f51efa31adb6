import Glibc
import Judgement
import Testing

/// Run and keeper as real processes, killed with SIGKILL in any order and number, until the recipe
/// has finished.
///
/// `TOOTH_KILL_SEED` selects other moments; `FULL=1` runs 200 rounds.
@Suite struct BothKilledForRealTests {
  static let rounds = getenv("FULL") != nil ? 200 : 8
  static let recipes = "\(ToothProcess.root)/Tests/Kill/recipes"

  static func pair(_ seed: UInt64, forgets: Bool = false) -> RealPair? {
    var dice = Dice(state: seed)
    let deaths = (0..<dice.roll(1...5)).map { _ in RealPair.Death(&dice) }
    return RealPair(
      recipe: "\(recipes)/sixty.ble", devices: "\(recipes)/twenty.ble", seed: seed, deaths: deaths, forgets: forgets)
  }

  @Test(.timeLimit(.minutes(60))) func randomKillsLoseNoValueAndHangNoRun() {
    let first = getenv("TOOTH_KILL_SEED").flatMap { UInt64(String(cString: $0)) } ?? 20_261_122
    let seeds = (0..<Self.rounds).map { first + UInt64($0) }
    var deaths = (run: 0, keeper: 0)
    RealPair.finish(seeds.map { seed in { Self.pair(seed) } }, atOnce: 6) { number, pair in
      deaths.run += pair.runDeaths
      deaths.keeper += pair.keeperDeaths
      let judge = HeldValues(log: pair.log, rows: pair.rows, keeperDeaths: pair.keeperDeaths)
      let findings = (pair.failure.map { [$0] } ?? []) + judge.findings
      #expect(findings.isEmpty, "TOOTH_KILL_SEED=\(seeds[number]): \(findings)\n\(pair.told)")
    }
    // A round without kills shows nothing.
    #expect(deaths.run >= Self.rounds / 2 && deaths.keeper >= Self.rounds / 2, "\(deaths)")
    if getenv("FULL") != nil { print("\(Self.rounds) rounds, \(deaths.run) runs and \(deaths.keeper) keepers killed") }
  }

  // MARK: The judge

  /// The air's lines about two links, and the rows that were written.
  private static func log(_ links: [[Int]]) -> [String] {
    var lines: [String] = []
    var time = 0
    func add(_ text: String) {
      time += 1
      lines.append("{\"t\":\(time).000000000,\(text)}")
    }
    let ends = "\"from\":\"EC:AD:84:E6:82:49\",\"to\":\"02:97:18:A7:FB:74\""
    for (index, values) in links.enumerated() {
      add("\"kind\":\"connect_ind\",\"from\":\"02:97:18:A7:FB:74\",\"to\":\"EC:AD:84:E6:82:49\",\"delivered\":true")
      add("\"kind\":\"established\",\(ends),\"link\":\(index + 1)")
      for value in values {
        let hex = String(value, radix: 16)
        let bytes = "1b100006" + (hex.utf8.count == 1 ? "0" + hex : hex)
        add("\"kind\":\"acl\",\(ends),\"link\":\(index + 1),\"cid\":4,\"bytes\":\"\(bytes)\",\"sent\":\(time).0,\"delivered\":true")
      }
    }
    return lines
  }

  @Test(arguments: [
    (["bpm", "1", "2", "3", "7", "8"], 1, ""), (["bpm", "1", "2", "7"], 1, ""), (["bpm", "7", "8", "9"], 1, ""),
    (["bpm", "1", "3", "7"], 1, "lost [2] out of the middle"), (["bpm", "1", "2", "2", "7"], 1, "2 is written twice"),
    (["bpm", "1", "2", "8"], 1, "lost [7] out of the middle"), (["bpm", "2", "1", "7"], 1, "1 is written behind 2"),
    (["bpm", "1", "2", "5"], 1, "5 is written and never came"), (["bpm", "1", "2", "7"], 0, "2 links"),
    (["1", "2"], 1, "the file begins with 1"), (["bpm", "1", "2x"], 1, "a row is no number"),
  ])
  func theJudgeFindsWrongEvidence(rows: [String], keeperDeaths: Int, wrong: String) {
    let findings = HeldValues(log: Self.log([[1, 2, 3, 4], [7, 8, 9]]), rows: rows, keeperDeaths: keeperDeaths).findings
    if wrong.isEmpty {
      #expect(findings.isEmpty)
    } else {
      #expect(findings.count >= 1 && findings.contains { $0.contains(wrong) }, "\(findings)")
    }
  }

  /// A run that loses its identity takes over nothing: the values that the keeper held for it are
  /// lost, or it never ends.
  @Test(.timeLimit(.minutes(5))) func findsARunThatLosesItsState() {
    var dice = Dice(state: 1)
    var deaths = (0..<2).map { _ in RealPair.Death(&dice) }
    for index in deaths.indices {
      deaths[index].victim = .run
      deaths[index].afterValue = true
      deaths[index].milliseconds = 300
      deaths[index].pause = 150
    }
    let pair = {
      RealPair(
        recipe: "\(Self.recipes)/sixty.ble", devices: "\(Self.recipes)/twenty.ble", seed: 1, deaths: deaths, patience: 60_000,
        forgets: true)
    }
    RealPair.finish([pair], atOnce: 1) { _, pair in
      let findings = HeldValues(log: pair.log, rows: pair.rows, keeperDeaths: pair.keeperDeaths).findings
      #expect(!findings.isEmpty || pair.failure != nil, "\(pair.told)")
    }
  }

  /// A run that never ends is given up.
  @Test(.timeLimit(.minutes(5))) func findsARunThatHangs() {
    let pair = {
      RealPair(recipe: "\(Self.recipes)/pulse.ble", devices: "\(Self.recipes)/twenty.ble", seed: 1, deaths: [], patience: 2_000)
    }
    RealPair.finish([pair], atOnce: 1) { _, pair in #expect(pair.failure != nil) }
  }
}
