import Exchange
import Host
import Testing
import Vocabulary

@Suite struct GattKnowledgeTests {
  private func whole() -> GattKnowledge {
    var table = ServerTable.strap
    table.services.append(
      .init(
        uuid: UUID("6e400001-b5a3-f393-e0a9-e50e24dcca9e") ?? UUID(0),
        characteristics: [
          .init(id: ServerAttributeID(20), uuid: UUID("6e400002-b5a3-f393-e0a9-e50e24dcca9e") ?? UUID(0), abilities: .indicate)
        ],
        includes: [1, 0]))
    var pair = AttPair(table)
    pair.run(.discover([]))
    pair.run(.discover([UUID(0x180D)]))
    pair.wait(.seconds(1))
    return pair.client.peer.knowledge
  }

  @Test func itIsStoredAndReadBack() throws {
    var knowledge = whole()
    var promise = GattKnowledge.Promise(bond: .simulationStart)
    promise.tellsChanges = true
    promise.configure(AttributeHandle(7), .indicate)
    promise.configure(AttributeHandle(3), .notify)
    #expect(promise.configurations.map(\.handle.raw) == [3, 7])
    // written by the previous version, which knew no promises
    #expect(try GattKnowledge(encoded: [2] + knowledge.encoded.dropFirst().dropLast()) == knowledge)
    knowledge.promise = promise
    #expect(knowledge.services.count == 5 && knowledge.databaseHash != nil && knowledge.probe != nil)
    #expect(knowledge.services[4].includes.count == 2)
    let bytes = knowledge.encoded
    #expect(try GattKnowledge(encoded: bytes) == knowledge)
    #expect(try GattKnowledge(encoded: GattKnowledge().encoded) == GattKnowledge())
  }

  @Test func everyTruncationAndATrailingByteAreRefused() {
    let bytes = whole().encoded
    for length in 0..<bytes.count {
      #expect(throws: DecodeError.self) { try GattKnowledge(encoded: Array(bytes.prefix(length))) }
    }
    #expect(throws: DecodeError.trailing(1, after: "value")) { try GattKnowledge(encoded: bytes + [0]) }
    #expect(throws: DecodeError.invalid("format of GATT knowledge", 9)) {
      try GattKnowledge(encoded: [9] + bytes.dropFirst())
    }
  }

  @Test func aWholeTreeNeedsNoMoreRequests() throws {
    let knowledge = whole()
    for service in knowledge.services {
      #expect(service.includesNext == nil && service.characteristicsNext == nil)
      for characteristic in service.characteristics { #expect(characteristic.descriptorsNext == nil && characteristic.end != nil) }
    }
    #expect(knowledge.servicesNext == nil)
  }

  @Test func everyHandleOfAValueHasItsName() {
    let knowledge = whole()
    for service in knowledge.services {
      for characteristic in service.characteristics {
        #expect(knowledge.reference(to: characteristic.value)?.characteristic == characteristic.uuid)
        #expect(knowledge.reference(to: characteristic.declaration) == nil)
        for descriptor in characteristic.descriptors {
          #expect(knowledge.reference(to: descriptor.handle)?.descriptor == descriptor.uuid)
        }
      }
    }
    #expect(knowledge.reference(to: AttributeHandle(0xFFFF)) == nil)
  }

  @Test func contradictionsAreNotTakenIn() {
    var knowledge = GattKnowledge()
    func service(_ start: UInt16, _ end: UInt16, _ uuid: UInt16 = 0x180D) -> GattKnowledge.Service {
      GattKnowledge.Service(uuid: UUID(uuid), start: AttributeHandle(start), end: AttributeHandle(end))
    }
    do { let taken = knowledge.add(service(10, 20)); #expect(taken == true) }
    do { let taken = knowledge.add(service(10, 20)); #expect(taken == true) }
    #expect(knowledge.services.count == 1)
    for bad in [service(10, 21), service(10, 20, 0x180F), service(1, 10), service(20, 30), service(12, 13)] {
      do { let taken = knowledge.add(bad); #expect(taken == false) }
    }
    do { let taken = knowledge.add(service(1, 9)); #expect(taken == true) }
    #expect(knowledge.services.map(\.start.raw) == [1, 10])
  }
}
