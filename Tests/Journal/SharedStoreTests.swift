import Exchange
import Journal
import Runner
import Testing
import Vocabulary

@Suite struct SharedStoreTests {
  let scratch = Scratch()

  @Test func knowledgeOfADeviceIsKeptByAddressAndKind() throws {
    let address = Address(bits: 0xC47C_8D6A_120F, kind: .random)
    var knowledge = GattKnowledge()
    knowledge.databaseHash = [UInt8](1...16)
    try SharedStore(in: scratch.state).keep(knowledge, of: address, at: noon)
    let shared = try SharedStore(in: scratch.state)
    #expect(try shared.knowledge(of: address) == knowledge)
    #expect(try shared.knowledge(of: Address(bits: address.bits, kind: .public)) == nil)
    try shared.forget(address)
    #expect(try shared.knowledge(of: address) == nil)
  }

  @Test func theIndexListsRunsOfAnOwner() throws {
    let shared = try SharedStore(in: scratch.state)
    let warm = RunIdentity(owner: .path("/r/t.ble"), inputs: [("limit", "30")])
    let hot = RunIdentity(owner: .path("/r/t.ble"), inputs: [("limit", "40")])
    for identity in [warm, hot, heart] { try shared.register(RunID(identity), record: record(identity)) }
    #expect(Set(try shared.runs(of: warm.owner.text).map(\.id)) == [RunID(warm), RunID(hot)])
    #expect(try shared.runs().count == 3)
  }

  @Test func runsOfOneRecipeShareWhatTheyRememberAndTheNewestWins() throws {
    let shared = try SharedStore(in: scratch.state)
    let one = RunIdentity(owner: .path("/r/t.ble"), inputs: [("n", "1")])
    let two = RunIdentity(owner: .path("/r/t.ble"), inputs: [("n", "2")])
    for (identity, value, second) in [(one, 1, 5), (two, 2, 9)] as [(RunIdentity, UInt8, Int64)] {
      let store = try RunStore(RunID(identity), in: scratch.state)
      try store.startFresh(record(identity))
      try shared.register(RunID(identity), record: record(identity))
      var commit = Commit()
      commit.remembered = [(name: "total", value: [value])]
      try store.commit(commit, at: noon + .seconds(second))
    }
    let store = try RunStore(RunID(one), in: scratch.state)
    #expect(try shared.newest(of: one.owner.text, for: store).map(\.value) == [[2]])
    // It is ours from now on.
    #expect(try store.remembered().map(\.value) == [[2]])
  }

  @Test func aDroppedRunIsGoneAndWhatItRememberedStays() throws {
    let shared = try SharedStore(in: scratch.state)
    let id = RunID(heart)
    do {
      let store = try RunStore(id, in: scratch.state)
      try store.startFresh(record(heart))
      try shared.register(id, record: record(heart))
      var commit = rows((1, [1]))
      commit.remembered = [(name: "total", value: [7])]
      try store.commit(commit, at: noon)
      #expect(failure { try shared.drop(id) }?.kind != nil, "a run that goes on")
    }
    try shared.drop(id)
    #expect(try RunStore.peek(id, in: scratch.state) == nil)
    #expect(try shared.runs().isEmpty)
    let store = try RunStore(id, in: scratch.state)
    #expect(try store.snapshot() == nil)
    #expect(try shared.newest(of: heart.owner.text, for: store).map(\.value) == [[7]])
    #expect(failure { try shared.drop(RunID(RunIdentity(owner: .name("x"), inputs: []))) }?.kind == .missing)
  }
}
