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
}
