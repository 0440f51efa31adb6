import Exchange
import Host
import Testing
import Vocabulary

@Suite struct AttributeCacheTests {
  private func whole() -> AttributeCache {
    var table = ServerTable.strap
    table.services.append(
      .init(
        uuid: UUID("6e400001-b5a3-f393-e0a9-e50e24dcca9e") ?? UUID(0),
        characteristics: [
          .init(id: ServerAttributeID(20), uuid: UUID("6e400002-b5a3-f393-e0a9-e50e24dcca9e") ?? UUID(0), properties: .indicate)
        ],
        includes: [1, 0]))
    var pair = AttPair(table)
    pair.run(.discover([]))
    pair.run(.discover([UUID(0x180D)]))
    pair.wait(.seconds(1))
    return pair.client.peer.attributeCache
  }

  @Test func theAttributeCacheReadsBackEqual() throws {
    var attributeCache = whole()
    var bondedState = AttributeCache.BondedState(bond: .simulationStart)
    bondedState.reportsChanges = true
    bondedState.configure(AttributeHandle(7), .indicate)
    bondedState.configure(AttributeHandle(3), .notify)
    #expect(bondedState.configurations.map(\.handle.raw) == [3, 7])
    // written by the previous version, which knew no promises
    #expect(try AttributeCache(encoded: [2] + attributeCache.encoded.dropFirst().dropLast()) == attributeCache)
    attributeCache.bondedState = bondedState
    #expect(attributeCache.services.count == 5 && attributeCache.databaseHash != nil && attributeCache.probe != nil)
    #expect(attributeCache.services[4].includes.count == 2)
    let bytes = attributeCache.encoded
    #expect(try AttributeCache(encoded: bytes) == attributeCache)
    #expect(try AttributeCache(encoded: AttributeCache().encoded) == AttributeCache())
  }

  @Test func everyTruncationAndATrailingByteAreRefused() {
    let bytes = whole().encoded
    for length in 0..<bytes.count {
      #expect(throws: DecodeError.self) { try AttributeCache(encoded: Array(bytes.prefix(length))) }
    }
    #expect(throws: DecodeError.trailing(1, after: "value")) { try AttributeCache(encoded: bytes + [0]) }
    #expect(throws: DecodeError.invalid("format of GATT knowledge", 9)) {
      try AttributeCache(encoded: [9] + bytes.dropFirst())
    }
  }

  @Test func aCompleteCacheNeedsNoRequest() throws {
    let attributeCache = whole()
    for service in attributeCache.services {
      #expect(service.includesNext == nil && service.characteristicsNext == nil)
      for characteristic in service.characteristics { #expect(characteristic.descriptorsNext == nil && characteristic.end != nil) }
    }
    #expect(attributeCache.servicesNext == nil)
  }

  @Test func everyHandleOfAValueHasItsName() {
    let attributeCache = whole()
    for service in attributeCache.services {
      for characteristic in service.characteristics {
        #expect(attributeCache.reference(to: characteristic.value)?.characteristic == characteristic.uuid)
        #expect(attributeCache.reference(to: characteristic.declaration) == nil)
        for descriptor in characteristic.descriptors {
          #expect(attributeCache.reference(to: descriptor.handle)?.descriptor == descriptor.uuid)
        }
      }
    }
    #expect(attributeCache.reference(to: AttributeHandle(0xFFFF)) == nil)
  }

  @Test func contradictionsAreNotCached() {
    var attributeCache = AttributeCache()
    func service(_ start: UInt16, _ end: UInt16, _ uuid: UInt16 = 0x180D) -> AttributeCache.Service {
      AttributeCache.Service(uuid: UUID(uuid), start: AttributeHandle(start), end: AttributeHandle(end))
    }
    do { let taken = attributeCache.add(service(10, 20)); #expect(taken == true) }
    do { let taken = attributeCache.add(service(10, 20)); #expect(taken == true) }
    #expect(attributeCache.services.count == 1)
    for bad in [service(10, 21), service(10, 20, 0x180F), service(1, 10), service(20, 30), service(12, 13)] {
      do { let taken = attributeCache.add(bad); #expect(taken == false) }
    }
    do { let taken = attributeCache.add(service(1, 9)); #expect(taken == true) }
    #expect(attributeCache.services.map(\.start.raw) == [1, 10])
  }
}
