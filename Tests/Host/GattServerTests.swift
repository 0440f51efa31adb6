import Exchange
import Host
import Packets
import Testing
import Vocabulary

@Suite struct GattServerTests {
  /// Handles: Generic Access 1 to 5, Generic Attribute 6 to 13, service 14, value 16 (read, write),
  /// 18 (notify, indicate) with its CCC 19, write-only 21, 23 that asks its owner, encrypted 25,
  /// long 27, and a second service 28 that includes the first.
  private static let table = ServerTable(
    name: "thing",
    services: [
      .init(
        uuid: UUID(0x180D),
        characteristics: [
          .init(id: ServerAttributeID(1), uuid: UUID(0x2A01), properties: [.read, .write], value: [1, 2, 3]),
          .init(id: ServerAttributeID(2), uuid: UUID(0x2A37), properties: [.notify, .indicate]),
          .init(id: ServerAttributeID(3), uuid: UUID(0x2A39), properties: [.write, .writeWithoutResponse]),
          .init(
            id: ServerAttributeID(4), uuid: UUID(0x2A38), properties: [.read, .write, .writeWithoutResponse], value: [9],
            asksBeforeRead: true,
            asksBeforeWrite: true),
          .init(id: ServerAttributeID(5), uuid: UUID(0x2A19), properties: [.read, .write], protection: .encryption, value: [5]),
          .init(id: ServerAttributeID(6), uuid: UUID(0x2A29), properties: [.read, .write], value: Array(0..<60)),
        ]),
      .init(uuid: UUID("6e400001-b5a3-f393-e0a9-e50e24dcca9e") ?? UUID(0), characteristics: [], includes: [0]),
    ])

  private func bench(mtu: UInt16 = 23) -> AttBench {
    var bench = AttBench(isCentral: false, mtu: mtu)
    let input = bench.server.publish(Self.table, owner: .run)
    #expect(input != nil)
    bench.server.hashComputed(Array(0..<16))
    bench.start()
    if mtu > 23 { bench.hear(ATTPDU.exchangeMTURequest(mtu).encoded) }
    bench.sent = []
    bench.events = []
    return bench
  }

  @Test(arguments: [
    // finding
    ("04 0e 00 11 00", "05 01 0e 00 00 28 0f 00 03 28 10 00 01 2a 11 00 03 28"), ("04 00 00 05 00", "01 04 00 00 01"),
    ("04 05 00 04 00", "01 04 05 00 01"),
    ("04 00 01 ff ff", "01 04 00 01 0a"), ("06 01 00 ff ff 00 28 0d 18", "07 0e 00 1b 00"),
    ("06 01 00 ff ff 00 28 fb 34 9b 5f 80 00 00 80 00 10 00 00 0d 18 00 00", "07 0e 00 1b 00"),
    ("06 0f 00 ff ff 00 28 0d 18", "01 06 0f 00 0a"),
    ("06 02 00 01 00 00 28 0d 18", "01 06 02 00 01"),
    ("10 01 00 ff ff 00 28", "11 06 01 00 05 00 00 18 06 00 0d 00 01 18 0e 00 1b 00 0d 18"),
    ("10 0f 00 ff ff 00 28", "11 14 1c 00 1d 00 9e ca dc 24 0e e5 a9 e0 93 f3 a3 b5 01 00 40 6e"),
    ("10 01 00 ff ff 03 28", "01 10 01 00 10"),
    ("10 00 00 ff ff 00 28", "01 10 00 00 01"), ("10 1d 00 ff ff 00 28", "01 10 1d 00 0a"),
    ("10 01 00 ff ff 01 28", "01 10 01 00 0a"),
    // reading by type
    ("08 1c 00 1d 00 02 28", "09 08 1d 00 0e 00 1b 00 0d 18"),
    ("08 0e 00 13 00 03 28", "09 07 0f 00 0a 10 00 01 2a 11 00 30 12 00 37 2a"),
    ("08 01 00 ff ff 2a 2b", "09 12 0d 00 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f"),
    ("08 0e 00 ff ff 37 2a", "01 08 12 00 02"),
    ("08 0e 00 ff ff 19 2a", "01 08 19 00 05"), ("08 01 00 ff ff 42 2a", "01 08 01 00 0a"),
    ("08 01 00 ff ff 01 2a", "09 04 05 00 00 00"),
    // reading
    ("0a 10 00", "0b 01 02 03"), ("0a 12 00", "01 0a 12 00 02"), ("0a 19 00", "01 0a 19 00 05"), ("0a 00 00", "01 0a 00 00 01"),
    ("0a ff ff", "01 0a ff ff 01"), ("0a 13 00", "0b 00 00"), ("0a 03 00", "0b 74 68 69 6e 67"), ("0c 10 00 01 00", "0d 02 03"),
    ("0c 10 00 03 00", "0d"), ("0c 10 00 04 00", "01 0c 10 00 07"), ("0c 1b 00 ff ff", "01 0c 1b 00 07"),
    ("0c 1b 00 16 00", "0d 16 17 18 19 1a 1b 1c 1d 1e 1f 20 21 22 23 24 25 26 27 28 29 2a 2b"),
    ("0e 10 00 03 00", "0f 01 02 03 74 68 69 6e 67"),
    ("0e 10 00 12 00", "01 0e 12 00 02"),
    ("20 10 00 1b 00", "21 03 00 01 02 03 3c 00 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e"),
    // writing
    ("12 10 00 07", "13"), ("12 12 00 07", "01 12 12 00 03"), ("12 19 00 07", "01 12 19 00 05"), ("12 03 00 07", "01 12 03 00 03"),
    ("12 13 00 01", "01 12 13 00 0d"), ("12 13 00 04 00", "01 12 13 00 13"), ("12 13 00 01 01", "01 12 13 00 13"),
    ("12 13 00 01 00", "13"),
    ("12 ff 00 01", "01 12 ff 00 01"), ("12 0b 00 01", "13"), ("12 0b 00", "01 12 0b 00 0d"), ("12 0d 00 01", "01 12 0d 00 03"),
    ("16 10 00 00 00 01", "17 10 00 00 00 01"), ("16 12 00 00 00 01", "01 16 12 00 03"), ("16 63 00 00 00 01", "01 16 63 00 01"),
    ("18 01", "19"),
  ]) func everyRequestIsAnsweredByTheTable(asked: String, answer: String) {
    var bench = bench()
    bench.hear(asked)
    let said = bench.said()
    #expect(said == [answer])
  }

  @Test func theHashCoversTheDeclarations() {
    var server = GattServer()
    let input = server.publish(Self.table, owner: .run) ?? []
    // the first thirteen handles are those of the specification's example (Vol 3, Part G, Appendix
    // B)
    let example =
      "01 00 00 28 00 18 02 00 03 28 02 03 00 00 2a 04 00 03 28 02 05 00 01 2a 06 00 00 28 01 18 07 00 03 28 20 08 00 05 2a 09 00 02 29"
      + " 0a 00 03 28 0a 0b 00 29 2b 0c 00 03 28 02 0d 00 2a 2b"
    #expect(Hex.text(input).hasPrefix(example))
  }

  @Test func aTableWithItsOwnGenericAttributeHasNoHash() {
    var table = Self.table
    table.services.append(
      .init(uuid: UUID(0x1801), characteristics: [.init(id: ServerAttributeID(9), uuid: UUID(0x2A05), properties: .indicate)]))
    var bench = AttBench(isCentral: false)
    let input = bench.server.publish(table, owner: .run)
    #expect(input == nil)
    bench.start()
    bench.hear("08 01 00 ff ff 2a 2b")
    let said = bench.said()
    #expect(said == ["01 08 01 00 0a"])
  }

  /// The owner confirms values that are only stored. A request waits for that. A command does not,
  /// because a later read returns what it wrote (Vol 3, Part F, 3.4.5.3 has no response).
  @Test func theOwnerConfirmsStoredWrites() {
    var bench = AttBench(isCentral: false)
    var table = Self.table
    table.confirmsWrites = true
    table.services[0].characteristics[0].properties.insert(.writeWithoutResponse)
    _ = bench.server.publish(table, owner: .run)
    bench.start()
    bench.hear("12 10 00 08")
    #expect(bench.said() == [])
    guard case .writeRequested(_, ServerAttributeID(1), _, [8], withResponse: true)? = bench.events.last else {
      Issue.record("\(bench.events)")
      return
    }
    bench.take(bench.peer.answer(asked(bench), .accept, server: &bench.server, at: bench.now))
    bench.hear("52 10 00 07")
    bench.hear("0a 10 00")
    #expect(bench.said() == ["13", "0b 07"])
    guard case .valueWritten(ServerAttributeID(1), _, [7])? = bench.events.last else {
      Issue.record("\(bench.events)")
      return
    }
    // The server confirms its own attributes itself.
    bench.hear("12 0b 00 01")
    #expect(bench.said() == ["13"])
  }

  // MARK: The owner is asked

  private func asked(_ bench: AttBench) -> ServerRequestID {
    for event in bench.events.reversed() {
      switch event {
      case .readRequested(let id, _, _), .writeRequested(let id, _, _, _, _): return id
      default: continue
      }
    }
    return ServerRequestID(0)
  }

  @Test(arguments: [
    (ServerAnswer.accept, "0b 09"), (.value([7, 8]), "0b 07 08"), (.refuse(0x80), "01 0a 17 00 80"),
    (.value(Array(repeating: 1, count: 30)), "0b" + String(repeating: " 01", count: 22)),
  ]) func theOwnerIsAskedBeforeARead(answer: ServerAnswer, expected: String) {
    var bench = bench()
    bench.hear("0a 17 00")
    #expect(bench.sent.isEmpty)
    #expect(bench.events == [.readRequested(asked(bench), ServerAttributeID(4), AttBench.address)])
    bench.take(bench.peer.answer(asked(bench), answer, server: &bench.server, at: bench.now))
    let said = bench.said()
    #expect(said == [expected])
  }

  @Test func thePartsOfALongReadComeFromOneAnswer() {
    var bench = bench()
    bench.hear("0a 17 00")
    bench.take(bench.peer.answer(asked(bench), .value(Array(0..<30)), server: &bench.server, at: bench.now))
    bench.sent = []
    bench.hear("0c 17 00 16 00")
    let said = bench.said()
    #expect(said == ["0d 16 17 18 19 1a 1b 1c 1d"])
    #expect(bench.events.count == 1)
  }

  @Test func theOwnerIsAskedBeforeAReadByType() {
    var bench = bench()
    bench.hear("08 0e 00 ff ff 38 2a")
    bench.take(bench.peer.answer(asked(bench), .value([4]), server: &bench.server, at: bench.now))
    let said = bench.said()
    #expect(said == ["09 03 17 00 04"])
  }

  @Test(arguments: [
    (ServerAnswer.accept, "13", [UInt8](arrayLiteral: 1, 2)), (.value([3]), "13", [3]), (.refuse(0x81), "01 12 17 00 81", [9]),
  ])
  func theOwnerIsAskedBeforeAWrite(answer: ServerAnswer, expected: String, stored: [UInt8]) {
    var bench = bench()
    bench.hear("12 17 00 01 02")
    #expect(bench.events == [.writeRequested(asked(bench), ServerAttributeID(4), AttBench.address, [1, 2], withResponse: true)])
    bench.take(bench.peer.answer(asked(bench), answer, server: &bench.server, at: bench.now))
    bench.hear("0a 17 00")
    bench.take(bench.peer.answer(asked(bench), .accept, server: &bench.server, at: bench.now))
    let said = bench.said()
    #expect(said == [expected, "0b " + Hex.text(stored)])
  }

  @Test func requestsAfterAPendingOneAreAnsweredInOrder() {
    var bench = bench()
    bench.hear("0a 17 00")
    bench.hear("0a 10 00")
    bench.hear("52 15 00 01")
    #expect(bench.sent.isEmpty)
    bench.take(bench.peer.answer(asked(bench), .accept, server: &bench.server, at: bench.now))
    let said = bench.said()
    #expect(said == ["0b 09", "0b 01 02 03"])
  }

  @Test func anAnswerToAnUnknownRequestIsIgnored() {
    var bench = bench()
    bench.take(bench.peer.answer(ServerRequestID(77), .accept, server: &bench.server, at: bench.now))
    #expect(bench.sent.isEmpty)
  }

  @Test func aWriteCommandIsReportedAndStored() {
    var bench = bench()
    bench.hear("52 17 00 05")
    #expect(bench.events == [.writeRequested(asked(bench), ServerAttributeID(4), AttBench.address, [5], withResponse: false)])
    bench.take(bench.peer.answer(asked(bench), .accept, server: &bench.server, at: bench.now))
    bench.hear("0a 17 00")
    bench.take(bench.peer.answer(asked(bench), .accept, server: &bench.server, at: bench.now))
    let said = bench.said()
    #expect(said == ["0b 05"])
  }

  // MARK: Prepared writes

  @Test func preparedWritesAreExecutedTogether() {
    var bench = bench()
    bench.hear("16 10 00 00 00 0a 0b")
    bench.hear("16 1b 00 00 00 aa")
    bench.hear("16 10 00 02 00 0c 0d")
    bench.hear("0a 10 00")
    bench.hear("18 01")
    bench.hear("0a 10 00")
    let said = bench.said()
    #expect(said.suffix(3) == ["0b 01 02 03", "19", "0b 0a 0b 0c 0d"])
  }

  @Test func cancelledPreparedWritesAreNotExecuted() {
    var bench = bench()
    bench.hear("16 10 00 00 00 0a 0b")
    bench.hear("18 00")
    bench.hear("18 01")
    bench.hear("0a 10 00")
    let said = bench.said()
    #expect(said.last == "0b 01 02 03")
  }

  @Test(arguments: [["16 10 00 04 00 01"], ["16 10 00 00 00 01", "16 10 00 03 00 01"], ["16 10 00 ff ff 01"]])
  func aBadOffsetWritesNothing(parts: [String]) {
    var bench = bench()
    bench.hear("16 1b 00 00 00 aa")
    for part in parts { bench.hear(part) }
    bench.hear("18 01")
    bench.hear("0a 10 00")
    let said = bench.said()
    #expect(said.suffix(2) == ["01 18 10 00 07", "0b 01 02 03"])
  }

  @Test func aWriteAtAnOffsetKeepsTheBeginning() {
    var bench = bench()
    bench.hear("16 10 00 02 00 0c 0d")
    bench.hear("18 01")
    bench.hear("0a 10 00")
    let said = bench.said()
    #expect(said.last == "0b 01 02 0c 0d")
  }

  @Test func thePrepareQueueIsBounded() {
    var bench = bench()
    for _ in 0..<AttributeLimits.preparedWrites { bench.hear("16 10 00 00 00 01") }
    bench.sent = []
    bench.hear("16 10 00 00 00 01")
    let said = bench.said()
    #expect(said == ["01 16 10 00 09"])
  }

  @Test func aPartWhoseEchoWouldBeLongerThanTheMTUIsRefused() {
    var bench = bench()
    bench.hear(ATTPDU.prepareWriteRequest(AttributeHandle(16), offset: 0, [UInt8](repeating: 1, count: 18)).encoded)
    bench.hear(ATTPDU.prepareWriteRequest(AttributeHandle(16), offset: 0, [UInt8](repeating: 1, count: 19)).encoded)
    #expect(bench.sent.first?.count == 23)
    #expect(bench.sent.last == [0x01, 0x16, 0x10, 0x00, 0x04])
  }

  @Test func moreThan512OctetsAreRefusedAtTheExecution() {
    var bench = bench(mtu: 517)
    let part = [UInt8](repeating: 1, count: 500)
    bench.hear(ATTPDU.prepareWriteRequest(AttributeHandle(16), offset: 0, part).encoded)
    bench.hear(ATTPDU.prepareWriteRequest(AttributeHandle(16), offset: 500, part).encoded)
    bench.hear("18 01")
    #expect(bench.sent.last == [0x01, 0x18, 0x10, 0x00, 0x0D])
  }

  @Test func anExecutionAsksTheOwnerAboutTheWholeValue() {
    var bench = bench()
    bench.hear("16 17 00 00 00 01 02")
    bench.hear("16 17 00 02 00 03")
    bench.hear("16 10 00 00 00 ee")
    bench.sent = []
    bench.hear("18 01")
    #expect(bench.events == [.writeRequested(asked(bench), ServerAttributeID(4), AttBench.address, [1, 2, 3], withResponse: true)])
    bench.take(bench.peer.answer(asked(bench), .accept, server: &bench.server, at: bench.now))
    bench.hear("0a 10 00")
    let said = bench.said()
    #expect(said == ["19", "0b ee"])
  }

  // MARK: Subscriptions

  private func publish(_ bench: inout AttBench, _ value: [UInt8], _ kind: SubscriptionKind, id: UInt64 = 50, to: Address? = nil)
    -> Failure?
  {
    if let failure = bench.server.beginPublication(.run, OperationID(id), ServerAttributeID(2), value, kind, to: to) {
      return failure
    }
    bench.take(bench.peer.sendPublication(server: &bench.server, at: bench.now))
    bench.take(bench.server.endPublication())
    return nil
  }

  @Test func aSubscriberGetsNotifications() {
    var bench = bench()
    _ = publish(&bench, [1], .notify)
    #expect(bench.sent.isEmpty)
    bench.hear("12 13 00 01 00")
    #expect(bench.events.contains(.subscribed(ServerAttributeID(2), AttBench.address, .notify)))
    bench.hear("12 13 00 01 00")
    #expect(bench.events.count { if case .subscribed = $0 { true } else { false } } == 1)
    bench.sent = []
    _ = publish(&bench, [2], .notify, id: 51)
    _ = publish(&bench, [3], .indicate, id: 52)
    bench.hear("0a 13 00")
    bench.hear("12 13 00 00 00")
    #expect(bench.events.last == .unsubscribed(ServerAttributeID(2), AttBench.address))
    _ = publish(&bench, [4], .notify, id: 53)
    let said = bench.said()
    #expect(said == ["1b 12 00 02", "1b 12 00 03", "0b 01 00", "13"])
    for id in 50...53 as ClosedRange<UInt64> { #expect(bench.outcome(OperationID(id)) == .success(.done)) }
  }

  /// A subscriber gets the kind that it asked for, whichever the recipe sends.
  @Test(arguments: [("01", "1b"), ("02", "1d"), ("03", "1b")]) func aSubscriberChoosesTheKind(asked: String, sent: String) {
    for kind in [SubscriptionKind.notify, .indicate] {
      var bench = bench()
      bench.hear("12 13 00 \(asked) 00")
      bench.sent = []
      _ = publish(&bench, [7], kind)
      let said = bench.said()
      #expect(said == ["\(asked == "03" && kind == .indicate ? "1d" : sent) 12 00 07"])
      if said.first?.hasPrefix("1d") ?? false { bench.hear("1e") }
      #expect(bench.outcome(OperationID(50)) == .success(.done))
    }
  }

  @Test func aNotificationIsCutToTheMTU() {
    var bench = bench()
    bench.hear("12 13 00 01 00")
    _ = publish(&bench, Array(repeating: 7, count: 100), .notify)
    #expect(bench.sent.last?.count == 23)
  }

  @Test func oneIndicationAtATimeAndCompletedWhenConfirmed() {
    var bench = bench()
    bench.hear("12 13 00 02 00")
    bench.sent = []
    _ = publish(&bench, [1], .indicate, id: 50)
    _ = publish(&bench, [2], .indicate, id: 51)
    var said = bench.said()
    #expect(said == ["1d 12 00 01"])
    #expect(bench.outcome(OperationID(50)) == nil)
    bench.hear("1e")
    #expect(bench.outcome(OperationID(50)) == .success(.done) && bench.outcome(OperationID(51)) == nil)
    said = bench.said()
    #expect(said == ["1d 12 00 02"])
    bench.hear("1e")
    bench.hear("1e")
    #expect(bench.count(of: OperationID(51)) == 1)
    #expect(bench.peer.nextDeadline == nil)
  }

  @Test func anIndicationThatIsNeverConfirmedEndsTheLinkAtThirtySeconds() {
    var bench = bench()
    bench.hear("12 13 00 02 00")
    _ = publish(&bench, [1], .indicate)
    bench.wait(.seconds(30) + TimeSpan(nanoseconds: -1))
    #expect(bench.closed == nil)
    bench.wait(TimeSpan(nanoseconds: 1))
    #expect(bench.closed?.kind == .timeout)
    bench.lose()
    #expect(bench.failure(OperationID(50))?.kind == .disconnected)
    #expect(bench.count(of: OperationID(50)) == 1)
    #expect(bench.events.contains(.unsubscribed(ServerAttributeID(2), AttBench.address)))
  }

  @Test func eachLinkHasItsOwnConfiguration() {
    var server = GattServer()
    _ = server.publish(Self.table, owner: .run)
    let others = [Address(bits: 1, kind: .public), Address(bits: 2, kind: .public), Address(bits: 3, kind: .public)]
    var peers = others.map { GattPeer(peer: $0, isCentral: false) }
    let now = Instant.simulationStart
    for place in peers.indices { _ = peers[place].start(at: now) }
    _ = peers[0].receive([0x12, 0x13, 0, 2, 0], server: &server, at: now)
    _ = peers[2].receive([0x12, 0x13, 0, 3, 0], server: &server, at: now)
    let read = peers[1].receive([0x0A, 0x13, 0], server: &server, at: now)
    #expect(read == [.send([0x0B, 0, 0])])
    let failure = server.beginPublication(.run, OperationID(1), ServerAttributeID(2), [5], .indicate, to: nil)
    #expect(failure == nil)
    var sent: [Bool] = []
    for place in peers.indices { sent.append(!peers[place].sendPublication(server: &server, at: now).isEmpty) }
    #expect(sent == [true, false, true])
    var effects = server.endPublication()
    #expect(effects.isEmpty)
    effects = peers[0].receive([0x1E], server: &server, at: now)
    #expect(effects.isEmpty)
    // the other link is lost: the publication ends and takes nothing from the remaining one
    effects = peers[2].lost(DisconnectReason(code: 8, text: "gone"), server: &server, at: now)
    #expect(effects.last == .report(.run, .completed(OperationID(1), .success(.done))))
  }

  @Test func impossiblePublicationsAreRefused() {
    var bench = bench()
    _ = publish(&bench, [1], .notify)
    var failure = bench.server.beginPublication(.run, OperationID(1), ServerAttributeID(99), [1], .notify, to: nil)
    #expect(failure?.kind == .missing)
    failure = bench.server.beginPublication(.run, OperationID(1), ServerAttributeID(1), [1], .notify, to: nil)
    #expect(failure?.kind == .missing)
    failure = bench.server.beginPublication(
      .run, OperationID(1), ServerAttributeID(2), Array(repeating: 1, count: 513), .notify, to: nil)
    #expect(failure?.kind == .value)
    _ = publish(&bench, [1], .notify, id: 60, to: AttBench.address)
    #expect(bench.failure(OperationID(60))?.kind == .refused)
    let stored = bench.server.update(ServerAttributeID(1), [9])
    let unknown = bench.server.update(ServerAttributeID(99), [9])
    #expect(stored && !unknown)
  }

  @Test func aNewTableIndicatesServiceChanged() {
    var bench = bench()
    bench.hear("12 09 00 02 00")
    bench.hear("12 13 00 01 00")
    bench.hear("0a 17 00")
    bench.sent = []
    _ = bench.server.publish(ServerTable(name: "other", services: []), owner: .run)
    bench.take(bench.peer.tableChanged(server: &bench.server, at: bench.now))
    let said = bench.said()
    // the pending request is refused, and the subscription is kept
    #expect(said == ["01 0a 17 00 0e", "1d 08 00 01 00 ff ff"])
    bench.hear("1e")
    bench.hear("0a 09 00")
    #expect(bench.sent.last == [0x0B, 2, 0])
  }

  @Test func aPeripheralCanBeAClient() throws {
    var bench = bench()
    let id = bench.submit(.read(.test("handle 0003")))
    let said = bench.said()
    #expect(said == ["0a 03 00"])
    bench.hear("0b 05")
    #expect(bench.outcome(id) != nil)
  }

  @Test func theMTUIsTheSmallerOfBoth() {
    var bench = bench(mtu: 100)
    #expect(bench.peer.mtu == 100)
    bench.hear("02 05 02")
    #expect(bench.peer.mtu == 100)
    bench = self.bench(mtu: 23)
    bench.hear("02 05 00")
    #expect(bench.peer.mtu == 23)
  }
}
