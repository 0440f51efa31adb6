import Glibc
import Runner
import Testing
import Vocabulary

@testable import Journal

/// A start beside other runs of its recipe: what it learns of them, wherever they were killed, and
/// how many it reads.
@Suite struct OpenRunsTests {
  let scratch = Scratch()

  private func identity(_ number: Int) -> RunIdentity { RunIdentity(owner: .path("/r/t.ble"), inputs: [("n", "\(number)")]) }

  private var runs: OpenRuns { OpenRuns(in: scratch.state, bootID: "boot-1") }

  /// The steps of a run, which is killed after some of them.
  private func live(_ number: Int, steps: Int, ending: RunRecord.Ending, _ boot: String = "boot-1") throws {
    let id = RunID(identity(number))
    let store = try RunStore(id, in: scratch.state)
    if steps < 1 { return }
    try store.enter(OpenRuns(in: scratch.state, bootID: boot), owner: identity(number).owner.text)
    if steps < 2 { return }
    try store.startFresh(record(identity(number)))
    if steps < 3 { return }
    var commit = rows((1, [1]))
    commit.remembered = [(name: "n\(number)", value: [UInt8(number)])]
    try store.commit(commit, at: noon + .seconds(Int64(number)))
    if steps < 4 { return }
    try store.finish(ending, code: 0, at: noon + .seconds(Int64(number)))
  }

  private func waiting(_ runs: OpenRuns) throws -> [RunID] {
    try runs.others(than: RunID(identity(99)), of: identity(99).owner).runs.filter {
      $0.snapshot?.record.ending == RunRecord.Ending.none || $0.snapshot?.record.ending == .terminated
    }.map(\.id).sorted()
  }

  private func remembered(_ runs: OpenRuns) throws -> [String] {
    let store = try RunStore(RunID(identity(99)), in: scratch.state)
    return try store.newestRemembered(of: identity(99).owner, among: runs, LazySharedStore(in: scratch.state)).map(\.name)
  }

  /// Everything that may have happened to the index meanwhile.
  enum Incident: CaseIterable { case none, anotherBoot, folderDeleted, folderEmptied, copied, halfMade }

  @Test(arguments: Incident.allCases) func killedRunsAreListedWithRememberedValues(incident: Incident) throws {
    var expected: [RunID] = []
    var names: [String] = []
    var number = 0
    for steps in 0...4 {
      for ending in RunRecord.Ending.allCases {
        number += 1
        try live(number, steps: steps, ending: ending)
        if steps == 2 || steps == 3 || steps == 4 && (ending == .none || ending == .terminated) {
          expected.append(RunID(identity(number)))
        }
        if steps >= 3 { names.append("n\(number)") }
      }
    }
    var index = runs
    switch incident {
    case .none: break
    case .anotherBoot: index = OpenRuns(in: scratch.state, bootID: "boot-2")
    case .folderDeleted: #expect(system("rm -r '\(scratch.path)'/open-*") == 0)
    case .folderEmptied:
      // The databases alone were copied into a folder that was used before.
      #expect(system("rm -r '\(scratch.path)'/open-* && mkdir '\(scratch.path)/open-boot-9'") == 0)
    case .copied: #expect(system("mkdir '\(scratch.path)/c' && cp '\(scratch.path)'/*.db* '\(scratch.path)/c'") == 0)
    case .halfMade:
      #expect(system("rm -r '\(scratch.path)'/open-* && mkdir '\(scratch.path)/open-boot-1~7'") == 0)
    }
    if incident == .copied {
      let copy = StateDirectory(path: "\(scratch.path)/c")
      let index = OpenRuns(in: copy, bootID: "boot-1")
      #expect(try waiting(index) == expected.sorted())
      return
    }
    #expect(try remembered(index) == names.sorted())
    #expect(try waiting(index) == expected.sorted())
    // And it stays so.
    #expect(try waiting(index) == expected.sorted())
    #expect(try remembered(index) == names.sorted())
  }

  /// Each killed process of a run leaves a file. The end of the run removes all of them, and so
  /// does its removal.
  @Test(arguments: [false, true]) func filesOfKilledProcessesAreRemoved(isDropped: Bool) throws {
    for _ in 0..<3 { try live(1, steps: 3, ending: .finished) }
    try live(2, steps: 3, ending: .finished)
    let folder = StateDirectory(path: "\(scratch.path)/open-boot-1")
    func marks(_ number: Int) -> Int { folder.names().count { $0.hasPrefix("\(RunID(identity(number)).text)~") } }
    #expect(marks(1) == 3)
    if isDropped {
      try KnownRun.drop(RunID(identity(1)), in: scratch.state)
    } else {
      try live(1, steps: 4, ending: .finished)
    }
    #expect(marks(1) == 0 && marks(2) == 1)
  }

  @Test func endedRunsAreNotOpened() throws {
    for number in 0..<20 { try live(number, steps: 4, ending: .finished) }
    // Their databases can no longer be read, and nothing complains.
    #expect(system("for f in '\(scratch.path)'/t-*.db; do echo damaged >$f; done") == 0)
    let (found, more) = try runs.others(than: RunID(identity(99)), of: identity(99).owner)
    #expect(found.isEmpty && more == 0)
    #expect(try remembered(runs).count == 20)
  }

  @Test func aRunKilledAfterItsEndIsRepairedOnce() throws {
    try live(1, steps: 4, ending: .finished)
    let folder = "\(scratch.path)/open-boot-1"
    let left = "\(folder)/\(RunID(identity(1)))~killed"
    close(open(left, O_CREAT | O_WRONLY, 0o600))
    #expect(try waiting(runs).isEmpty)
    #expect(access(left, F_OK) != 0)
    #expect(try remembered(runs) == ["n1"])
  }

  @Test func aRunningRunIsNotRepaired() throws {
    let id = RunID(identity(1))
    let store = try RunStore(id, in: scratch.state)
    try store.enter(runs, owner: identity(1).owner.text)
    // It holds its lock and has committed nothing: readers must not remove its name.
    #expect(try waiting(runs).isEmpty)
    try store.startFresh(record(identity(1)))
    #expect(try waiting(runs) == [id])
  }

  @Test func listingOthersReadsALimitedNumberOfRuns() throws {
    for number in 0..<12 { try live(number, steps: 3, ending: .none) }
    let (found, more) = try runs.others(than: RunID(identity(99)), of: identity(99).owner, limit: 5)
    #expect(found.count == 5 && more == 7)
  }

  /// Where the boot ID is unknown, each start has a name of its own and learns the same.
  @Test func withoutABootIDEveryStartIsChecked() throws {
    for number in 1...4 { try live(number, steps: number, ending: .finished, "unknown-\(number)") }
    for boot in ["unknown-8", "unknown-9", "boot-1"] {
      let index = OpenRuns(in: scratch.state, bootID: boot)
      #expect(try waiting(index) == [RunID(identity(2)), RunID(identity(3))].sorted())
      #expect(try remembered(index) == ["n3", "n4"])
    }
  }
}
