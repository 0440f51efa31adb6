import Exchange
import Host
import Packets
import Testing
import Vocabulary

@Suite struct RoundTripTests {
  private let beat = AttributePath.test("2a37 home 180d")

  @Test func aColdStartTakesFourRoundTrips() throws {
    var pair = AttPair(.strap)
    try pair.succeed(.subscribe(beat))
    #expect(pair.names == ["Find By Type Value Request", "Read By Type Request", "Find Information Request", "Write Request"])
    try pair.publish(1, [0, 72], .notify)
    #expect(pair.client.values == [[0, 72]])
  }

  @Test func aLastCharacteristicTakesFourRoundTrips() throws {
    var table = ServerTable.strap
    table.services[0].characteristics.removeLast(2)
    table.services[0].characteristics.append(.init(id: ServerAttributeID(2), uuid: UUID(0x2A38), properties: .read))
    table.services[0].characteristics.swapAt(0, 1)
    var pair = AttPair(table)
    try pair.succeed(.subscribe(beat))
    #expect(pair.names == ["Find By Type Value Request", "Read By Type Request", "Find Information Request", "Write Request"])
  }

  @Test func aSmallMTUTakesFourRoundTrips() throws {
    var pair = AttPair(.strap, deviceMTU: 23)
    try pair.succeed(.subscribe(beat))
    #expect(pair.names == ["Find By Type Value Request", "Read By Type Request", "Find Information Request", "Write Request"])
  }

  /// One request each finds the includes and characteristics of all services, if the answer has
  /// room.
  @Test func discoveringEverythingListsEachKindOnce() throws {
    var table = ServerTable(name: "shelf", services: [])
    for number in 0..<20 {
      table.services.append(
        .init(
          uuid: UUID(UInt16(0x1810 + number)),
          characteristics: [.init(id: ServerAttributeID(number + 1), uuid: UUID(0x2A19), properties: .read)]))
    }
    var pair = AttPair(table)
    try pair.succeed(.discover([]))
    let lists = pair.names.filter { $0 == "Read By Type Request" }
    #expect(lists.count == 2 && pair.client.peer.attributeCache.services.count == 22)
    #expect(pair.client.peer.attributeCache.services.dropFirst(2).allSatisfy { $0.characteristics.count == 1 })
  }

  @Test func cachedAttributesAreNotDiscoveredAgain() throws {
    var pair = AttPair(.strap)
    try pair.succeed(.discover([UUID(0x180D)]))
    pair.forget()
    try pair.succeed(.discover([]))
    var whole = AttPair(.strap)
    try whole.succeed(.discover([]))
    #expect(pair.client.peer.attributeCache.services == whole.client.peer.attributeCache.services)
    for request in pair.asked {
      guard case .readByTypeRequest(let range, _) = try ATTPDU(encoded: request) else { continue }
      let known = try #require(whole.client.peer.attributeCache.services.first { $0.uuid == UUID(0x180D) })
      #expect(range.end < known.start || range.start > known.end)
    }
  }

  /// Declarations between the requested services belong to an unknown service, and are listed when
  /// it is known.
  @Test func declarationsBetweenServicesAreSkipped() throws {
    var bench = AttBench.ready(mtu: 64)
    let id = bench.submit(.discover([]))
    bench.hear("11 06 01 00 03 00 00 18 14 00 16 00 01 18")
    bench.hear("01 10 17 00 0a")
    bench.hear("01 08 01 00 0a")
    bench.hear("09 07 02 00 02 03 00 00 2a 0b 00 02 0c 00 01 2a 15 00 02 16 00 05 2a")
    guard case .success? = bench.outcome(id) else {
      Issue.record("it does not end")
      return
    }
    #expect(bench.peer.attributeCache.services.map { $0.characteristics.map(\.declaration.raw) } == [[0x0002], [0x0015]])
  }

  @Test(arguments: ["09 07 01 00 02 03 00 00 2a 30 00 02 31 00 05 2a", "09 07 15 00 02 16 00 05 2a 02 00 02 03 00 00 2a"])
  func listsThatLeaveTheirRangeOrGoBackwardAreRefused(list: String) throws {
    var bench = AttBench.ready(mtu: 64)
    let id = bench.submit(.discover([]))
    bench.hear("11 06 01 00 03 00 00 18 14 00 16 00 01 18")
    bench.hear("01 10 17 00 0a")
    bench.hear("01 08 01 00 0a")
    bench.hear(list)
    guard case .failure(let failure)? = bench.outcome(id) else {
      Issue.record("it was believed")
      return
    }
    #expect(failure.message.contains("outside the requested range"))
  }

  @Test func hashAndServiceChangedFollowWhenTheBearerIsIdle() throws {
    var pair = AttPair(.strap)
    try pair.succeed(.subscribe(beat))
    pair.forget()
    pair.wait(.milliseconds(499))
    #expect(pair.names == [])
    pair.wait(.milliseconds(1))
    #expect(
      pair.names == [
        "Read By Type Request", "Find By Type Value Request", "Read By Type Request", "Find Information Request", "Write Request",
      ])
    #expect(pair.client.peer.attributeCache.databaseHash == Array(repeating: 7, count: 16))
    pair.forget()
    pair.wait(.seconds(60))
    #expect(pair.names == [])
  }

  @Test func anEqualHashTakesTwoRoundTrips() throws {
    var first = AttPair(.strap)
    first.run(.subscribe(beat))
    first.wait(.seconds(1))
    var second = AttPair(.strap, attributeCache: first.client.peer.attributeCache)
    try second.succeed(.subscribe(beat))
    #expect(second.names == ["Read By Type Request", "Write Request"])
    try second.publish(1, [0, 72], .notify)
    #expect(second.client.values == [[0, 72]])
    second.forget()
    // Service Changed always follows, and cached attributes need no request
    second.wait(.seconds(1))
    #expect(second.names == ["Write Request"])
  }

  @Test func aChangedHashStartsOver() throws {
    var first = AttPair(.strap)
    first.run(.subscribe(beat))
    first.wait(.seconds(1))
    var table = ServerTable.strap
    table.services.insert(.init(uuid: UUID(0x1809), characteristics: []), at: 0)
    var second = AttPair(table, attributeCache: first.client.peer.attributeCache, hash: Array(repeating: 8, count: 16))
    try second.succeed(.subscribe(beat))
    #expect(
      second.names == [
        "Read By Type Request", "Find By Type Value Request", "Read By Type Request", "Find Information Request", "Write Request",
      ])
    #expect(second.client.order.first == "dropped" || second.client.order.contains("dropped"))
    try second.publish(1, [0, 72], .notify)
    #expect(second.client.values == [[0, 72]])
    #expect(second.client.peer.attributeCache.databaseHash == Array(repeating: 8, count: 16))
  }

  @Test func withoutAHashOneProbeIsAsked() throws {
    var first = AttPair(.strap)
    first.run(.subscribe(beat))
    #expect(first.client.peer.attributeCache.databaseHash == nil)
    var second = AttPair(.strap, attributeCache: first.client.peer.attributeCache)
    try second.succeed(.subscribe(beat))
    let asked = second.asked
    #expect(second.names == ["Find Information Request", "Write Request"])
    let probe = try ATTPDU(encoded: try #require(asked.first))
    guard case .findInformationRequest(let range) = probe else { return #expect(Bool(false)) }
    #expect(range.start > .first)
  }

  @Test func aDifferentProbeAnswerStartsOver() throws {
    var first = AttPair(.strap)
    first.run(.subscribe(beat))
    var table = ServerTable.strap
    table.services.insert(
      .init(uuid: UUID(0x1809), characteristics: [.init(id: ServerAttributeID(9), uuid: UUID(0x2A1C), properties: .indicate)]),
      at: 0
    )
    var second = AttPair(table, attributeCache: first.client.peer.attributeCache)
    try second.succeed(.subscribe(beat))
    #expect(second.names.count == 5)
    try second.publish(1, [0, 72], .notify)
    #expect(second.client.values == [[0, 72]])
  }

  @Test func aReadByNameTakesOneRoundTrip() throws {
    var pair = AttPair(.strap)
    guard case .value(let value, let reference) = try pair.succeed(.read(.test("2a19 home 180f"))) else {
      return #expect(Bool(false))
    }
    #expect(value == [88])
    #expect(reference.characteristic == UUID(0x2A19) && reference.service == UUID(0x180F))
    #expect(pair.names == ["Read By Type Request"])
    pair.forget()
    pair.wait(.seconds(10))
    #expect(pair.names == [])
  }

  @Test func reportsTheCacheBeforeTheNextRequest() throws {
    var pair = AttPair(.strap)
    pair.client.order = []
    pair.run(.subscribe(beat))
    let kinds = pair.client.order.map { String($0.prefix(4)) }
    #expect(kinds == ["send", "know", "send", "know", "send", "know", "send", "comp"])
  }

  /// Rule of the resume: at most one answered request is repeated, and discovery continues above
  /// 0x0001.
  @Test(arguments: [UInt16(23), 64, 517], [false, true]) func aKillAtEveryAnswerCostsOneRequest(mtu: UInt16, everything: Bool)
    throws
  {
    let request: GattRequest = everything ? .discover([]) : .subscribe(beat)
    var whole = AttPair(.strap, deviceMTU: mtu)
    whole.run(request)
    let uninterrupted = whole.asked
    for kill in 1...uninterrupted.count {
      // killed after this many answers
      var pair = AttPair(.strap, deviceMTU: mtu)
      pair.client.submit(request)
      for _ in 0..<kill {
        guard !pair.client.sent.isEmpty else { break }
        let pdu = pair.client.sent.removeFirst()
        pair.device.hear(pdu)
        pair.client.hear(pair.device.sent.removeFirst())
      }
      var resumed = AttPair(.strap, deviceMTU: mtu, attributeCache: pair.client.peer.attributeCache)
      try resumed.succeed(request)
      // the probe, and only what was missing; a CCC is always written again
      let missing = uninterrupted.count - min(kill, everything ? uninterrupted.count : uninterrupted.count - 1)
      #expect(resumed.asked.count <= missing + 1, "killed after \(kill)")
      let first = try ATTPDU(encoded: try #require(resumed.asked.first))
      switch first {
      case .findByTypeValueRequest(let range, _, _), .readByTypeRequest(let range, _), .readByGroupTypeRequest(let range, _),
        .findInformationRequest(let range):
        #expect(range.start > .first, "killed after \(kill): \(first)")
      case let other: #expect(Bool(false), "\(other)")
      }
      #expect(resumed.client.peer.attributeCache.services.map(\.start) == whole.client.peer.attributeCache.services.map(\.start))
      for index in resumed.client.peer.attributeCache.services.indices {
        #expect(
          resumed.client.peer.attributeCache.services[index].characteristics.map(\.descriptors)
            == whole.client.peer.attributeCache.services[index].characteristics.map(\.descriptors))
      }
    }
  }
}
