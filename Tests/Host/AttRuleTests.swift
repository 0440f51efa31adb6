import Exchange
import Host
import Packets
import Testing
import Vocabulary

/// The numbered rules of the host that concern the attribute bearer.
@Suite struct AttRuleTests {
  private let beat = AttributePath.test("2a37 home 180d")

  /// Subscribed to 0x0012, whose configuration is at 0x0013.
  private func subscribed(kind: UInt8 = 0x10) -> AttBench {
    var bench = AttBench.ready()
    bench.submit(.subscribe(beat))
    bench.hear("07 10 00 13 00")
    bench.hear([0x09, 0x07, 0x11, 0x00, kind, 0x12, 0x00, 0x37, 0x2A])
    bench.hear("05 01 13 00 02 29")
    bench.hear("13")
    bench.sent = []
    bench.order = []
    return bench
  }

  // MARK: 9: answer everything

  @Test(arguments: [
    ("02 17 00", "03 17 00"), ("04 01 00 ff ff", "05 01 01 00 00 28 02 00 03 28 03 00 00 2a 04 00 03 28 05 00 01 2a"),
    ("06 01 00 ff ff 00 28 0d 18", "01 06 01 00 0a"), ("08 01 00 ff ff 37 2a", "01 08 01 00 0a"), ("0a 99 00", "01 0a 99 00 01"),
    ("0a 03 00", "0b 74 6f 6f 74 68"), ("0c 03 00 02 00", "0d 6f 74 68"), ("0e 03 00 05 00", "0f 74 6f 6f 74 68 00 00"),
    ("10 01 00 ff ff 00 28", "11 06 01 00 05 00 00 18 06 00 0b 00 01 18"), ("12 03 00 01", "01 12 03 00 03"),
    ("16 03 00 00 00 01", "01 16 03 00 03"),
    ("18 00", "19"), ("18 01", "19"), ("20 03 00 05 00", "21 05 00 74 6f 6f 74 68 02 00 00 00"), ("3f 01", "01 3f 00 00 06"),
    ("0a 03", "01 0a 00 00 04"), ("0a 03 00 00", "01 0a 00 00 04"),
  ]) func rule09AnswersEveryRequestAlsoAsAPureClient(asked: String, answer: String) {
    var bench = AttBench.ready()
    bench.hear(asked)
    let said = bench.said()
    #expect(said == [answer])
  }

  @Test(arguments: ["52 03 00 01", "d2 03 00 01 00 00 00 00 00 00 00 00 00 00 00 00", "7f 01 02", "52 03", "1e", "1b 99 00 01", ""])
  func rule09ACommandIsNeverAnswered(asked: String) {
    var bench = AttBench.ready()
    bench.hear(asked)
    #expect(bench.sent.isEmpty)
  }

  @Test func rule09ARequestIsAnsweredWhileOursIsOutstanding() {
    var bench = AttBench.ready()
    bench.submit(.read(.test("handle 0003")))
    bench.sent = []
    bench.hear("02 00 01")
    bench.hear("0a 03 00")
    let said = bench.said()
    #expect(said == ["03 17 00", "0b 74 6f 6f 74 68"])
  }

  // MARK: 10: the transaction timeout

  @Test func rule10ThirtySecondsOfSilenceCloseTheBearer() {
    var bench = AttBench.ready()
    let first = bench.submit(.write(.test("handle 0003"), [1]))
    let second = bench.submit(.read(.test("handle 0005")))
    bench.wait(.seconds(30) + TimeSpan(nanoseconds: -1))
    #expect(bench.closed == nil)
    bench.wait(TimeSpan(nanoseconds: 1))
    #expect(bench.closed?.kind == .timeout)
    #expect(bench.failure(first)?.delivered == .reachedRadio)
    #expect(bench.failure(first)?.sent == [0x12, 3, 0, 1])
    // nothing is sent over a closed bearer, not even an answer
    bench.sent = []
    bench.hear("0a 03 00")
    bench.submit(.read(.test("handle 0007")))
    #expect(bench.sent.isEmpty)
    #expect(bench.outcome(second) == nil)
    bench.lose()
    #expect(bench.failure(second)?.delivered == .notSent)
  }

  /// A read that was sent is not called unsent, however it ends; one that waits is.
  @Test(arguments: ["handle 0003", "0x2a19"], ["lost", "timeout", "cancelled"]) func aSentReadIsNotCalledUnsent(
    path: String, ending: String
  ) throws {
    var bench = AttBench.ready()
    let read = bench.submit(
      .read(
        path == "0x2a19"
          ? AttributePath(form: .named(service: nil, characteristic: AttributePath.Step(UUID(0x2A19)), descriptor: nil), text: path)
          : .test(path)))
    let waiting = bench.submit(.read(.test("handle 0005")))
    #expect(!bench.sent.isEmpty)
    switch ending {
    case "lost": bench.lose()
    case "timeout":
      bench.wait(.seconds(30))
      bench.lose()
    default: bench.cancel(read)
    }
    let delivered = try #require(bench.failure(read)?.delivered)
    #expect(delivered != .notSent)
    #expect(ending == "cancelled" || bench.failure(waiting)?.delivered == .notSent)
  }

  @Test func rule10TheMTUExchangeIsUnderTheTimerToo() {
    var bench = AttBench()
    bench.start()
    bench.wait(.seconds(30))
    #expect(bench.closed?.kind == .timeout)
    #expect(bench.ready == nil)
  }

  // MARK: 11: subscribed early, kept until claimed

  @Test func rule11ReportsValuesBeforeTheWriteResponse() {
    var bench = AttBench.ready()
    bench.submit(.subscribe(beat))
    bench.hear("07 10 00 13 00")
    bench.hear("09 07 11 00 10 12 00 37 2a")
    bench.hear("05 01 13 00 02 29")
    bench.hear("1b 12 00 01")
    bench.hear("13")
    #expect(bench.values == [[1]])
    #expect(bench.order.suffix(2) == ["notify 0x0012 01", "completed"])
  }

  @Test func rule11QueuesEarlyValuesUntilTheyHaveAName() {
    var bench = AttBench.ready()
    bench.hear("1b 12 00 01")
    let arrived = bench.now
    bench.wait(.seconds(3))
    bench.hear("1b 12 00 02")
    bench.hear("1b 55 00 09")
    bench.submit(.subscribe(beat))
    bench.hear("07 10 00 13 00")
    #expect(bench.values.isEmpty)
    bench.hear("09 07 11 00 10 12 00 37 2a")
    #expect(bench.values == [[1], [2]])
    // each with its time of arrival
    #expect(bench.arrivals == [arrived, arrived + .seconds(3)])
  }

  @Test func rule11AnUnverifiedCacheNamesNoValue() {
    var first = AttPair(.strap)
    first.run(.subscribe(beat))
    var bench = AttBench.ready(mtu: 517, attributeCache: first.client.peer.attributeCache)
    let handle = first.client.peer.attributeCache.services[0].characteristics[0].value
    bench.hear([0x1B] + handle.encoded + [1])
    #expect(bench.values.isEmpty)
    bench.submit(.subscribe(beat))
    // the probe is answered as before
    guard let probe = first.client.peer.attributeCache.probe else { return #expect(Bool(false)) }
    bench.hear(probe.expected)
    #expect(bench.values == [[1]])
  }

  // MARK: 12: bounded queues that report their overflow

  @Test func rule12ReportsTheNumberOfDroppedValues() {
    var bench = AttBench.ready()
    for value in 0..<300 { bench.hear([0x1B, 0x12, 0x00, UInt8(truncatingIfNeeded: value)]) }
    bench.submit(.subscribe(beat))
    bench.hear("07 10 00 13 00")
    bench.hear("09 07 11 00 10 12 00 37 2a")
    #expect(bench.values.count == AttributeLimits.keptValues)
    #expect(bench.values.first == [0])
    #expect(bench.order.contains("gap 44"))
  }

  @Test func rule12ReportsUnrequestedDropsAtTheEnd() {
    var bench = AttBench.ready()
    for _ in 0..<257 { bench.hear("1b 12 00 01") }
    bench.lose()
    #expect(bench.order.contains("gap 1"))
  }

  // MARK: 13: configurations are written again, callbacks stay single

  @Test func rule13AConfigurationIsWrittenOnEveryLink() throws {
    var first = AttPair(.strap)
    first.run(.subscribe(beat))
    for _ in 0..<3 {
      var again = AttPair(.strap, attributeCache: first.client.peer.attributeCache)
      try again.succeed(.subscribe(beat))
      #expect(again.names.last == "Write Request")
      try again.publish(1, [0, 60], .notify)
      #expect(again.client.values == [[0, 60]])
    }
  }

  @Test func rule13SubscribingTwiceWritesAndReportsOnce() throws {
    var pair = AttPair(.strap)
    try pair.succeed(.subscribe(beat))
    pair.forget()
    try pair.succeed(.subscribe(beat))
    try pair.succeed(.subscribe(.test("180d/2a37")))
    #expect(pair.names == [])
    try pair.publish(1, [0, 60], .notify)
    #expect(pair.client.values == [[0, 60]])
  }

  @Test func rule13ARefusedServiceChangedDoesNoHarm() throws {
    var bench = subscribed()
    bench.wait(.milliseconds(500))
    var said = bench.said()
    #expect(said == ["08 01 00 ff ff 2a 2b"])
    bench.hear("01 08 01 00 0a")
    said = bench.said()
    #expect(said == ["06 01 00 ff ff 00 28 01 18"])
    bench.hear("01 06 01 00 0a")
    #expect(bench.closed == nil && bench.sent.isEmpty)
    bench.wait(.seconds(100))
    #expect(bench.closed == nil && bench.sent.isEmpty)
    bench.hear("1b 12 00 07")
    #expect(bench.values == [[7]])
  }

  // MARK: 17: the attribute cache

  @Test func rule17AnUnknownHandleOfAnEarlierLinkStartsOverOnce() throws {
    var first = AttPair(.strap)
    first.run(.write(.test("180d/2a39"), [1]))
    first.wait(.seconds(1))
    // confirmed by the hash and yet refused: one retry from the start, then it fails
    var bench = AttBench.ready(mtu: 517, attributeCache: first.client.peer.attributeCache)
    let id = bench.submit(.write(.test("180d/2a39"), [1]))
    bench.hear([0x09, 0x12, 0x0D, 0x00] + Array(repeating: 7, count: 16))
    bench.sent = []
    bench.hear("01 12 15 00 01")
    #expect(bench.order.contains("dropped"))
    var said = bench.said()
    #expect(said == ["06 01 00 ff ff 00 28 0d 18"])
    bench.hear("07 30 00 40 00")
    bench.hear("09 07 31 00 08 32 00 39 2a")
    said = bench.said()
    #expect(said.last == "12 32 00 01")
    bench.hear("01 12 32 00 01")
    #expect(bench.failure(id)?.code == 0x01)
    #expect(bench.count(of: id) == 1)
  }

  @Test func rule17AnUnknownHandleOfThisLinkFails() {
    var bench = subscribed()
    let id = bench.submit(.read(.test("180d/2a37")))
    bench.hear("01 0a 12 00 01")
    #expect(bench.failure(id)?.code == 0x01)
    #expect(!bench.order.contains("dropped"))
  }

  @Test func rule17AProbedHandleIsCheckedBeforeItIsFirstWritten() throws {
    var first = AttPair(.strap)
    first.run(.write(.test("180d/2a39"), [1]))
    var again = AttPair(.strap, attributeCache: first.client.peer.attributeCache)
    try again.succeed(.write(.test("180d/2a39"), [1]))
    #expect(again.names == ["Read By Type Request", "Read By Type Request", "Write Request"])
    again.forget()
    try again.succeed(.write(.test("180d/2a39"), [2]))
    #expect(again.names == ["Write Request"])
    // a checked cache stays confirmed on later links; a probe confirms it for one link
    var third = AttPair(.strap, attributeCache: again.client.peer.attributeCache)
    try third.succeed(.write(.test("180d/2a39"), [1]))
    #expect(third.names.count == 3)
  }

  @Test func rule17AFailedCheckPreventsTheWrite() throws {
    var first = AttPair(.strap)
    first.run(.write(.test("180d/2a39"), [1]))
    var bench = AttBench.ready(mtu: 517, attributeCache: first.client.peer.attributeCache)
    bench.submit(.write(.test("180d/2a39"), [1]))
    guard let probe = first.client.peer.attributeCache.probe else { return #expect(Bool(false)) }
    bench.hear(probe.expected)
    let check = bench.sent.last.map { Hex.text($0) } ?? ""
    #expect(check.hasPrefix("08") && check.hasSuffix("03 28"))
    bench.sent = []
    bench.hear([0x01] + [0x08, 0x01, 0x00, 0x0A])
    let said = bench.said()
    #expect(said == ["06 01 00 ff ff 00 28 0d 18"])
  }

  @Test func rule17ServiceChangedForgetsItsRangeAndResubscribes() throws {
    var pair = AttPair(.strap)
    try pair.succeed(.subscribe(beat))
    pair.wait(.seconds(1))
    let id = pair.client.peer.attributeCache.services.first { $0.uuid == UUID(0x180D) }
    #expect(id != nil)
    pair.forget()
    // the device gets another attribute table
    var table = ServerTable.strap
    table.services.swapAt(0, 1)
    _ = pair.device.server.publish(table, owner: .run)
    pair.device.server.hashComputed(Array(repeating: 9, count: 16))
    pair.device.take(pair.device.peer.tableChanged(server: &pair.device.server, at: pair.device.now))
    pair.settle()
    #expect(pair.client.order.contains("dropped"))
    // no request is needed: a subscriber still believes in its subscription
    try pair.publish(1, [0, 61], .notify)
    #expect(pair.client.values.last == [0, 61])
    pair.wait(.seconds(1))
    #expect(pair.client.peer.attributeCache.databaseHash == Array(repeating: 9, count: 16))
  }

  @Test func rule17ASubscriptionLostWithItsServiceClosesTheLink() {
    var bench = subscribed()
    bench.wait(.milliseconds(500))
    bench.hear("01 08 01 00 0a")
    bench.hear("07 01 00 04 00")
    bench.hear("09 07 02 00 20 03 00 05 2a")
    bench.hear("05 01 04 00 02 29")
    bench.hear("13")
    bench.sent = []
    bench.hear("1d 03 00 10 00 13 00")
    let said = bench.said()
    #expect(said == ["1e", "06 01 00 ff ff 00 28 0d 18"])
    bench.hear("01 06 01 00 0a")
    bench.hear("01 10 01 00 0a")
    // It could be in a service that the Generic Attribute service includes.
    bench.hear("01 08 01 00 0a")
    #expect(bench.closed?.kind == .missing)
  }

  @Test func rule17ServicesChangedWhileSubscribingAreRediscovered() {
    var bench = subscribed()
    bench.wait(.milliseconds(500))
    bench.hear("01 08 01 00 0a")
    bench.hear("07 01 00 04 00")
    bench.hear("09 07 02 00 20 03 00 05 2a")
    bench.hear("05 01 04 00 02 29")
    bench.hear("13")
    let id = bench.submit(.unsubscribe(beat))
    bench.hear("13")
    #expect(bench.outcome(id) != nil)
    bench.sent = []
    let again = bench.submit(.subscribe(beat))
    let asked = bench.said()
    #expect(asked == ["12 13 00 01 00"])
    bench.hear("1d 03 00 10 00 13 00")
    bench.hear("13")
    #expect(bench.outcome(again) == nil)
    let said = bench.said()
    #expect(said == ["1e", "06 01 00 ff ff 00 28 0d 18"])
  }

  @Test func rule17IgnoresAnswersInFlightWhenServicesChange() {
    var bench = subscribed()
    bench.wait(.milliseconds(500))
    bench.hear("01 08 01 00 0a")
    bench.hear("07 01 00 04 00")
    bench.hear("09 07 02 00 20 03 00 05 2a")
    bench.hear("05 01 04 00 02 29")
    bench.hear("13")
    bench.sent = []
    let id = bench.submit(.discover([UUID(0x180F)]))
    let said = bench.said()
    #expect(said == ["06 01 00 ff ff 00 28 0f 18"])
    bench.hear("1d 03 00 05 00 ff ff")
    bench.hear("07 20 00 22 00")
    // discovered again, because the answer came from the old table
    #expect(bench.outcome(id) == nil)
    let again = bench.said()
    #expect(again == ["1e", "06 01 00 ff ff 00 28 0f 18"])
    #expect(!bench.peer.attributeCache.services.contains { $0.uuid == UUID(0x180F) })
  }

  @Test func rule17WithoutHashAndProbeTheCacheIsDropped() {
    var attributeCache = AttributeCache()
    _ = attributeCache.add(AttributeCache.Service(uuid: UUID(0x180D), start: AttributeHandle(0x10), end: AttributeHandle(0x20)))
    var bench = AttBench.ready(attributeCache: attributeCache)
    bench.submit(.subscribe(beat))
    let said = bench.said()
    #expect(said == ["06 01 00 ff ff 00 28 0d 18"])
    #expect(bench.order.contains("dropped"))
  }

  // MARK: 18: several attributes of one name

  @Test func rule18AmbiguityListsTheCandidates() {
    var table = ServerTable.strap
    table.services.append(table.services[1])
    table.services[2].characteristics[0].id = ServerAttributeID(9)
    var pair = AttPair(table)
    let id = pair.client.submit(.write(.test("2a19"), [1]))
    pair.settle()
    let failure = pair.client.failure(id)
    #expect(failure?.kind == .missing)
    #expect(
      failure?.message.contains("battery_service[0]/battery_level[0]") == true
        && failure?.message.contains("battery_service[1]/battery_level[0]") == true)
    #expect(failure?.hint != nil)
  }

  @Test(arguments: [("2a19[0]", 0), ("2a19[1]", 1), ("180f[1]/2a19", 1), ("180f/2a19", -1), ("2a19[2]", -2), ("180f[2]/2a19", -2)])
  func rule18InstancesChoose(path: String, which: Int) throws {
    var table = ServerTable.strap
    table.services.append(
      .init(
        uuid: UUID(0x180F), characteristics: [.init(id: ServerAttributeID(9), uuid: UUID(0x2A19), properties: .read, value: [99])]))
    var pair = AttPair(table)
    pair.run(.discover([]))
    let id = pair.client.submit(.read(.test(path)))
    pair.settle()
    switch try #require(pair.client.outcome(id)) {
    case .success(.value(let value, let reference)):
      #expect(value == [which == 0 ? 88 : 99])
      #expect(reference.overallInstance == which)
      #expect(AttributePath.test(path).matches(reference))
    case .failure(let failure): #expect(which < 0 && failure.kind == .missing)
    default: #expect(Bool(false))
    }
  }

  @Test func rule18ABareNameMeansTheHomeService() throws {
    var table = ServerTable.strap
    table.services.insert(
      .init(uuid: UUID(0x181A), characteristics: [.init(id: ServerAttributeID(9), uuid: UUID(0x2A37), properties: .notify)]), at: 0)
    var pair = AttPair(table)
    guard case .subscribed(let reference, .notify) = try pair.succeed(.subscribe(beat)) else { return #expect(Bool(false)) }
    #expect(reference.service == UUID(0x180D))
    try pair.publish(9, [1], .notify)
    #expect(pair.client.values.isEmpty)
    try pair.publish(1, [2], .notify)
    #expect(pair.client.values == [[2]])
  }

  // MARK: 19: complete values

  @Test func rule19TheMTUIsExchangedOnceBeforeAnythingElse() {
    var bench = AttBench()
    bench.submit(.read(.test("handle 0003")))
    #expect(bench.sent.isEmpty)
    bench.start()
    var said = bench.said()
    #expect(said == ["02 05 02"])
    #expect(bench.ready == nil)
    bench.hear("03 f7 00")
    said = bench.said()
    #expect(bench.ready == 247)
    #expect(said == ["0a 03 00"])
  }

  @Test(arguments: [23, 64, 247, 517] as [UInt16], [0, 1, 18, 20, 21, 60, 244, 245, 512])
  func rule19LongValuesAreWrittenAndReadWhole(mtu: UInt16, count: Int) throws {
    var table = ServerTable.strap
    table.services[0].characteristics[2].properties = [.read, .write]
    var pair = AttPair(table, deviceMTU: mtu)
    let value = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let path = AttributePath.test("180d/2a39")
    try pair.succeed(.write(path, value))
    guard case .value(let read, _) = try pair.succeed(.read(path)) else { return #expect(Bool(false)) }
    #expect(read == value)
    guard case .value(let byName, _) = try AttPairReader.readFresh(table, mtu, value) else { return #expect(Bool(false)) }
    #expect(byName == value)
  }

  private enum AttPairReader {
    /// By UUID, on a link without a cache.
    static func readFresh(_ table: ServerTable, _ mtu: UInt16, _ value: [UInt8]) throws -> Outcome {
      var table = table
      table.services[0].characteristics[2].value = value
      var pair = AttPair(table, deviceMTU: mtu)
      return try pair.succeed(.read(.test("2a39 home 180d")))
    }
  }

  @Test func rule19AValueTooLongIsRefusedNotCut() {
    var bench = AttBench.ready()
    let long = bench.submit(.write(.test("handle 0003"), Array(repeating: 0, count: 513)))
    let command = bench.submit(.writeWithoutResponse(.test("handle 0003"), Array(repeating: 0, count: 21)))
    #expect(bench.failure(long)?.kind == .value)
    #expect(bench.failure(command)?.kind == .value)
    #expect(bench.sent.isEmpty)
  }

  @Test func rule19WritesWithoutResponseWaitForTheController() {
    var bench = AttBench.ready()
    bench.flows = false
    let first = bench.submit(.writeWithoutResponse(.test("handle 0003"), [1]))
    let second = bench.submit(.writeWithoutResponse(.test("handle 0003"), [2]))
    var said = bench.said()
    #expect(said == ["52 03 00 01"])
    #expect(bench.outcome(first) == nil)
    // the queue is blocked while the controller has no room
    bench.wait(.seconds(100))
    #expect(bench.outcome(first) == nil && bench.closed == nil)
    bench.take(bench.peer.handedOver(server: &bench.server, at: bench.now))
    #expect(bench.outcome(first) == .success(.done))
    said = bench.said()
    #expect(said == ["52 03 00 02"])
    #expect(bench.outcome(second) == nil)
  }

  // MARK: 23: deadlines and specific reasons

  @Test func rule23ARefusalNamesLayerCodeNameAndExchange() {
    var bench = AttBench.ready()
    let id = bench.submit(.read(.test("handle 0003")))
    bench.hear("01 0a 03 00 05")
    let failure = bench.failure(id)
    #expect(failure?.kind == .needsPairing && failure?.layer == .att && failure?.code == 0x05)
    #expect(failure?.message.contains("0x05 insufficient authentication") == true)
    #expect(failure?.hint?.contains("pair") == true)
    #expect(failure?.sent == [0x0A, 3, 0] && failure?.got == [1, 0x0A, 3, 0, 5])
  }

  @Test func rule24TheQueueOfOperationsIsBounded() {
    var bench = AttBench.ready()
    var ids: [OperationID] = []
    for _ in 0..<AttributeLimits.operations + 2 { ids.append(bench.submit(.read(.test("handle 0003")))) }
    #expect(bench.failure(ids[AttributeLimits.operations + 1])?.blame == .ours)
    #expect(bench.outcome(ids[AttributeLimits.operations]) == nil)
  }
}
