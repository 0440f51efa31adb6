import Exchange
import Journal
import Runner
import Testing
import Vocabulary

@Suite struct SharedStoreTests {
  let scratch = Scratch()

  @Test func attributeCachesAreStoredByAddressAndKind() throws {
    let address = Address(bits: 0xC47C_8D6A_120F, kind: .random)
    var attributeCache = AttributeCache()
    attributeCache.databaseHash = [UInt8](1...16)
    try SharedStore(in: scratch.state).keep(attributeCache, of: address, at: noon)
    let shared = try SharedStore(in: scratch.state)
    #expect(try shared.attributeCache(of: address, at: noon) == attributeCache)
    #expect(try shared.attributeCache(of: Address(bits: address.bits, kind: .public), at: noon) == nil)
    try shared.forget(address)
    #expect(try shared.attributeCache(of: address, at: noon) == nil)
  }

  private let address = Address(bits: 0xC47C_8D6A_120F, kind: .random)

  /// Three services. One run knows the second with its characteristic, another knows all but their
  /// contents.
  private var parts: (some: AttributeCache, list: AttributeCache) {
    var some = AttributeCache()
    some.databaseHash = [UInt8](1...16)
    var list = some
    for start in [0x10, 0x20, 0x30] as [UInt16] {
      _ = list.add(AttributeCache.Service(uuid: UUID(start), start: AttributeHandle(start), end: AttributeHandle(start + 9)))
    }
    list.servicesNext = nil
    var service = list.services[1]
    service.characteristics = [
      AttributeCache.Characteristic(
        uuid: UUID(0x2A37), declaration: AttributeHandle(0x21), value: AttributeHandle(0x22), properties: 0x10)
    ]
    service.characteristicsNext = nil
    _ = some.add(service)
    some.setSearch(UUID(0x20), next: AttributeHandle(0x2A))
    return (some, list)
  }

  @Test func partialDiscoveriesAreMergedInAnyOrder() throws {
    let (some, list) = parts
    for order in [[some, list], [list, some], [some, list, some]] {
      let shared = try SharedStore(in: scratch.state)
      try shared.forget(address)
      for attributeCache in order { try shared.keep(attributeCache, of: address, at: noon) }
      let whole = try #require(try shared.attributeCache(of: address, at: noon))
      #expect(whole.servicesNext == nil && whole.services.map(\.start.raw) == [0x10, 0x20, 0x30])
      #expect(whole.services[1].characteristics.count == 1 && whole.services[1].characteristicsNext == nil)
      #expect(whole.hasSearched(UUID(0x20)) && whole.searchNext(UUID(0x20)) == nil)
    }
  }

  @Test func aNewHashOrContradictionReplacesTheCache() throws {
    let (some, list) = parts
    let shared = try SharedStore(in: scratch.state)
    var updated = some
    updated.databaseHash = [UInt8](2...17)
    var other = some
    other.services[0].end = AttributeHandle(0x2F)
    for newest in [updated, other] {
      try shared.keep(list, of: address, at: noon)
      try shared.keep(newest, of: address, at: noon)
      #expect(try shared.attributeCache(of: address, at: noon) == newest)
      try shared.forget(address)
    }
  }

  @Test func theAbsenceOfAHashIsStoredForAWeek() throws {
    var attributeCache = parts.list
    attributeCache.databaseHash = nil
    let shared = try SharedStore(in: scratch.state)
    try shared.keep(attributeCache, of: address, at: noon)
    #expect(try shared.attributeCache(of: address, at: noon) == nil)
    attributeCache.lacksHash = true
    try shared.keep(attributeCache, of: address, at: noon)
    let kept = try #require(try shared.attributeCache(of: address, at: noon + .days(6)))
    #expect(kept.lacksHash && kept.isEmpty)
    #expect(try shared.attributeCache(of: address, at: noon + .days(8)) == nil)
    #expect(try shared.attributeCache(of: address, at: noon - .days(1)) == nil)
    // Runs that use it do not make it younger.
    for day in 1...6 { try shared.keep(attributeCache, of: address, at: noon + .days(Int64(day))) }
    #expect(try shared.attributeCache(of: address, at: noon + .days(8)) == nil)
    try shared.keep(attributeCache, of: address, at: noon + .days(8))
    #expect(try shared.attributeCache(of: address, at: noon + .days(9)) != nil)
  }
}
