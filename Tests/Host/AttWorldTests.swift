import Exchange
import Host
import Packets
import Testing
import Vocabulary

/// Whole conversations between our client and our server over random attribute tables.
@Suite struct AttWorldTests {
  private struct Generator {
    var state: UInt64
    mutating func below(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
  }

  private static func uuid(_ random: inout Generator) -> UUID {
    let short = UInt16(0x2A00 + random.below(12))
    return random.below(3) == 0 ? UUID(high: 0x6E40_0000_B5A3_F393 | UInt64(short) << 32, low: 0xE0A9_E50E_24DC_CA9E) : UUID(short)
  }

  private static func table(seed: UInt64) -> ServerTable {
    var random = Generator(state: seed)
    var id = 0
    var services: [ServerTable.Service] = []
    for _ in 0..<1 + random.below(6) {
      var characteristics: [ServerTable.Characteristic] = []
      for _ in 0..<random.below(7) {
        id += 1
        var properties: ServerTable.Properties = [.read, .write]
        if random.below(2) == 0 { properties.insert(random.below(2) == 0 ? .notify : .indicate) }
        var descriptors: [ServerTable.Descriptor] = []
        for _ in 0..<random.below(3) {
          id += 1
          descriptors.append(
            .init(
              id: ServerAttributeID(id), uuid: random.below(2) == 0 ? UUID(0x2901) : uuid(&random), properties: .read, value: [7]))
        }
        let value = (0..<random.below(60)).map { UInt8(truncatingIfNeeded: $0) }
        id += 1
        characteristics.append(
          .init(id: ServerAttributeID(id), uuid: uuid(&random), properties: properties, value: value, descriptors: descriptors))
      }
      let includes = random.below(3) == 0 && !services.isEmpty ? [random.below(services.count)] : []
      services.append(
        .init(
          uuid: random.below(4) == 0 ? uuid(&random) : UUID(UInt16(0x1810 + random.below(6))), characteristics: characteristics,
          includes: includes))
    }
    return ServerTable(name: "random", services: services)
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>) func discoveryFindsTheWholeTable(seed: UInt64) throws {
    let table = Self.table(seed: seed)
    var pair = AttPair(table, deviceMTU: [23, 27, 64, 517][Int(seed % 4)])
    try pair.succeed(.discover([]))
    let found = Array(pair.client.peer.attributeCache.services.dropFirst(2))
    #expect(found.map(\.uuid) == table.services.map(\.uuid))
    for (service, known) in zip(table.services, found) {
      #expect(known.characteristics.map(\.uuid) == service.characteristics.map(\.uuid))
      #expect(known.characteristics.map(\.properties) == service.characteristics.map(\.properties.rawValue))
      #expect(known.includes.map(\.uuid) == service.includes.map { table.services[$0].uuid })
      for (characteristic, seen) in zip(service.characteristics, known.characteristics) {
        let hasConfiguration = !characteristic.properties.isDisjoint(with: [.notify, .indicate])
        #expect(seen.descriptors.map(\.uuid) == (hasConfiguration ? [UUID(0x2902)] : []) + characteristic.descriptors.map(\.uuid))
      }
    }
  }

  /// A path means the same attribute, whatever was discovered before.
  @Test(arguments: 1...40 as ClosedRange<UInt64>) func pathsMeanTheSameAfterAnyDiscovery(seed: UInt64) throws {
    let table = Self.table(seed: seed)
    for (place, service) in table.services.enumerated() {
      let serviceInstance = table.services[..<place].count { $0.uuid == service.uuid }
      for (inner, characteristic) in service.characteristics.enumerated() {
        let instance = service.characteristics[..<inner].count { $0.uuid == characteristic.uuid }
        let path = AttributePath(
          form: .named(
            service: .init(service.uuid, instance: serviceInstance), characteristic: .init(characteristic.uuid, instance: instance),
            descriptor: nil),
          text: "path")
        for before in [GattRequest?.none, .discover([]), .discover([service.uuid])] {
          var pair = AttPair(table, deviceMTU: seed % 2 == 0 ? 23 : 517)
          if let before { try pair.succeed(before) }
          guard case .value(let value, let reference) = try pair.succeed(.read(path)) else { return #expect(Bool(false)) }
          #expect(value == characteristic.value)
          #expect(path.matches(reference))
          #expect(reference.serviceInstance == serviceInstance && reference.instance == instance)
          if !characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
            guard case .subscribed(let subscribed, let kind) = try pair.succeed(.subscribe(path)) else {
              return #expect(Bool(false))
            }
            #expect(subscribed == reference || subscribed.handle == reference.handle)
            pair.client.events = []
            try pair.publish(characteristic.id.raw, [1, 2], kind)
            #expect(pair.client.values == [[1, 2]])
          }
        }
      }
    }
  }

  @Test func anUnnamedIndicationIsConfirmedAtTenSeconds() {
    var bench = AttBench.ready()
    bench.hear("1d 99 00 01")
    bench.wait(.seconds(10) + TimeSpan(nanoseconds: -1))
    #expect(bench.sent.isEmpty)
    bench.wait(TimeSpan(nanoseconds: 1))
    let said = bench.said()
    #expect(said == ["1e"])
    bench.wait(.seconds(100))
    #expect(bench.sent.isEmpty)
  }

  @Test func theBearerIsIdleAfterHalfASecond() throws {
    var pair = AttPair(.strap)
    try pair.succeed(.subscribe(.test("180d/2a37")))
    pair.forget()
    pair.client.wait(.milliseconds(500) + TimeSpan(nanoseconds: -1))
    #expect(pair.client.sent.isEmpty)
    pair.client.wait(TimeSpan(nanoseconds: 1))
    #expect(!pair.client.sent.isEmpty)
  }

  @Test func clientOperationsPrecedeIdleWork() throws {
    var pair = AttPair(.strap)
    try pair.succeed(.subscribe(.test("180d/2a37")))
    pair.client.wait(.milliseconds(500))
    // the hash is being read when the client sends a request
    let id = pair.client.submit(.read(.test("180d/2a38")))
    pair.forget()
    pair.settle()
    #expect(pair.client.outcome(id) != nil)
    #expect(pair.names == ["Read By Type Request", "Read Request"])
    pair.forget()
    pair.wait(.seconds(1))
    #expect(pair.names.last == "Write Request")
    #expect(pair.client.peer.attributeCache.databaseHash != nil)
  }
}
