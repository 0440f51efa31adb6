import Glibc
import Runner
import Testing
import Vocabulary

@testable import Journal

@Suite struct KnownRunTests {
  let scratch = Scratch()
  let warm = RunIdentity(owner: .path("/r/t.ble"), inputs: [("limit", "30")])
  let hot = RunIdentity(owner: .path("/r/t.ble"), inputs: [("limit", "40")])
  let namesake = RunIdentity(owner: .path("/elsewhere/t.ble"), inputs: [])

  var runs: OpenRuns { OpenRuns(in: scratch.state, bootID: "boot-1") }

  private func others(than id: RunID, of owner: RunIdentity.Owner) throws -> [KnownRun] {
    try runs.others(than: id, of: owner).runs
  }

  private func begin(_ identity: RunIdentity, at start: WallTime = noon) throws -> RunStore {
    let store = try RunStore(RunID(identity), in: scratch.state)
    var begun = record(identity)
    begun.started = start
    try store.startFresh(begun)
    return store
  }

  @Test func theDirectoryIsTheIndexOfRuns() throws {
    #expect(KnownRun.all(in: scratch.state).isEmpty)
    for (second, identity) in [warm, hot, namesake, heart].enumerated() {
      _ = try begin(identity, at: noon + .seconds(Int64(second)))
    }
    // The shared database, a file without commits and other kinds of files are not runs.
    _ = try LazySharedStore(in: scratch.state).open()
    _ = try RunStore(RunID(RunIdentity(owner: .name("empty"), inputs: [])), in: scratch.state)
    close(open("\(scratch.path)/notes.db.txt", O_CREAT | O_WRONLY, 0o600))
    #expect(KnownRun.all(in: scratch.state).map(\.id) == [heart, namesake, hot, warm].map { RunID($0) })
    let nobody = try #require(RunID("nobody"))
    #expect(try others(than: nobody, of: warm.owner).map(\.id) == [RunID(hot), RunID(warm)])
    #expect(try others(than: RunID(hot), of: warm.owner).map(\.id) == [RunID(warm)])
    #expect(try others(than: nobody, of: namesake.owner).map(\.id) == [RunID(namesake)])
  }

  @Test func unreadableRunsAreListedLastWithoutAnOwner() throws {
    _ = try begin(warm)
    let damaged = open("\(scratch.path)/a-damaged.db", O_CREAT | O_WRONLY, 0o600)
    let noise = [UInt8](repeating: 0x5A, count: 4096)
    #expect(write(damaged, noise, noise.count) == noise.count)
    close(damaged)
    #expect(KnownRun.all(in: scratch.state).map(\.id.text) == [RunID(warm).text, "a-damaged"])
    #expect(KnownRun.all(in: scratch.state).last?.snapshot == nil)
    #expect(try others(than: RunID(warm), of: .name("a")).isEmpty)
  }

  @Test func aSurveySeesDamagedRowsToo() throws {
    _ = try begin(warm)
    #expect(StateSurvey(scratch.state).damaged == [])
    let database = try Database(path: "\(scratch.path)/\(RunID(warm)).db")
    try database.execute("INSERT INTO rows VALUES(-1, x'00')")
    database.close()
    #expect(KnownRun.all(in: scratch.state).allSatisfy { $0.snapshot != nil })
    #expect(StateSurvey(scratch.state).damaged == [RunID(warm).text])
    #expect(StateSurvey(scratch.state).runs == 0)
  }

  /// Runs with a virtual clock, each with a boot of its own, remove no folder of another run.
  @Test func virtualBootsShareAFolder() throws {
    let places = ["boot-1", "virtual-1", "virtual-2"].map { OpenRuns(in: scratch.state, bootID: $0) }
    for (runs, identity) in zip(places, [warm, hot, namesake]) { _ = try runs.enter(RunID(identity)) }
    for (folder, count) in [("open-boot-1", 1), ("open-virtual", 2)] {
      let names = StateDirectory(path: "\(scratch.path)/\(folder)").names().filter { $0.contains("~") }
      #expect(names.count == count, "\(folder): \(names)")
    }
    // A real boot still removes the folder of an older one.
    _ = try OpenRuns(in: scratch.state, bootID: "boot-2").enter(RunID(warm))
    #expect(access("\(scratch.path)/open-boot-1", F_OK) != 0 && access("\(scratch.path)/open-virtual", F_OK) == 0)
  }

  @Test func listingCreatesNoFile() throws {
    #expect(KnownRun.all(in: scratch.state).isEmpty)
    let shared = LazySharedStore(in: scratch.state)
    #expect(try shared.existing() == nil)
    #expect(access("\(scratch.path)/shared.db", F_OK) != 0)
    _ = try shared.open()
    #expect(try shared.existing() != nil)
    #expect(try LazySharedStore(in: scratch.state).existing() != nil)
  }

  @Test func runsOfOneRecipeShareRememberedValues() throws {
    let one = RunIdentity(owner: .path("/r/t.ble"), inputs: [("n", "1")])
    let two = RunIdentity(owner: .path("/r/t.ble"), inputs: [("n", "2")])
    for (identity, value, second) in [(one, 1, 5), (two, 2, 9), (namesake, 3, 20)] as [(RunIdentity, UInt8, Int64)] {
      let store = try begin(identity)
      var commit = Commit()
      commit.remembered = [(name: "total", value: [value])]
      try store.commit(commit, at: noon + .seconds(second))
    }
    let store = try RunStore(RunID(one), in: scratch.state)
    let shared = LazySharedStore(in: scratch.state)
    #expect(try store.newestRemembered(of: one.owner, among: runs, shared).map(\.value) == [[2]])
    // From now on it belongs to us.
    #expect(try store.remembered().map(\.value) == [[2]])
  }

  @Test func droppingARunKeepsItsRememberedValues() throws {
    let id = RunID(heart)
    do {
      let store = try begin(heart)
      var commit = rows((1, [1]))
      commit.remembered = [(name: "total", value: [7])]
      try store.commit(commit, at: noon)
      #expect(failure { try KnownRun.drop(id, in: scratch.state) }?.kind != nil, "a run that goes on")
    }
    try KnownRun.drop(id, in: scratch.state)
    #expect(try RunStore.peek(id, in: scratch.state) == nil)
    #expect(KnownRun.all(in: scratch.state).isEmpty)
    let store = try RunStore(id, in: scratch.state)
    #expect(try store.snapshot() == nil)
    let shared = LazySharedStore(in: scratch.state)
    #expect(try store.newestRemembered(of: heart.owner, among: runs, shared).map(\.value) == [[7]])
    #expect(failure { try KnownRun.drop(RunID(RunIdentity(owner: .name("x"), inputs: [])), in: scratch.state) }?.kind == .unknown)
  }
}
