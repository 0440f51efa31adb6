import Exchange
import Keeper
import Testing
import Vocabulary

@Suite struct KeeperTests {
  private func counter(_ number: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)] }

  // MARK: What a client leaves behind

  @Test func aReturningClientFindsItsLinksAndValues() throws {
    var bench = KeeperBench()
    let (first, session, newest) = bench.subscriber()
    bench.push([1])
    bench.run(for: .milliseconds(100))
    let before = bench.now
    bench.feed(.gone(first))
    bench.run(for: .seconds(5))
    bench.push([2])
    bench.run(for: .seconds(5))
    bench.push([3])
    bench.run(for: .seconds(5))
    let packets = bench.packetsSent
    let second = bench.connection()
    bench.say(KeeperBench.hello(1, session: session, covered: newest), on: second)
    let (welcome, reports) = bench.welcome(second)
    #expect(welcome?.isReturning == true)
    #expect(welcome?.links.map(\.peer) == [KeeperBench.address])
    #expect(welcome?.adapter != nil)
    #expect(reports.compactMap(\.notified) == [[1], [2], [3]])
    #expect(reports.map(\.number.raw) == Array((newest + 1)..<(newest + 1 + UInt64(reports.count))))
    // With their times of arrival, not of delivery.
    let times = reports.filter { $0.notified != nil }.map { ($0.at.moment - before.moment).seconds }
    guard times.count == 3 else { return }
    #expect(times[0] < 0 && times[1] > 4.9 && times[1] < 5.3 && times[2] > 9.9 && times[2] < 10.3, "\(times)")
    // The controller gets no command.
    #expect(bench.packetsSent == packets)
    bench.push([4])
    bench.run(for: .milliseconds(200))
    #expect(bench.reports(second).compactMap(\.notified) == [[4]])
  }

  /// They hold what every client has read.
  @Test func packetsAreServedToTheOwnUserOnly() throws {
    for letsGroupIn in [false, true] {
      var bench = KeeperBench(letsGroupIn: letsGroupIn)
      let (client, _, _) = bench.subscriber()
      bench.push([0x5A, 0xA5])
      bench.run(for: .milliseconds(200))
      for user: UInt32 in [1000, 0] {
        let asking = bench.connection(user: user)
        bench.say(.packets, on: asking)
        guard case .kept(let packets)? = bench.take(asking).last else {
          Issue.record("user \(user) gets no packets")
          continue
        }
        #expect(packets.contains { !$0.isSent && $0.bytes.suffix(2) == [0x5A, 0xA5] } && packets.contains(where: \.isSent))
      }
      let other = bench.connection(user: 1001)
      bench.say(.packets, on: other)
      let answers = bench.take(other)
      #expect(!answers.isEmpty && answers.allSatisfy { if case .refused(let why) = $0 { why.kind == .forbidden } else { false } })
      // A client of any user sends it over its own connection.
      bench.say(.packets, on: client)
      #expect(!bench.take(client).contains { if case .kept = $0 { true } else { false } } && !bench.isOpen(client))
    }
  }

  @Test func aRequestThatComesTwiceIsPerformedOnce() throws {
    var bench = KeeperBench()
    let (first, session, newest) = bench.subscriber()
    _ = bench.log()
    bench.ask(3, .gatt(KeeperBench.address, .write(KeeperBench.path(0x2A39), [7])), on: first)
    bench.feed(.gone(first))
    bench.run(for: .seconds(1))
    let second = bench.connection()
    bench.say(KeeperBench.hello(1, session: session, covered: newest), on: second)
    bench.ask(3, .gatt(KeeperBench.address, .write(KeeperBench.path(0x2A39), [7])), on: second)
    bench.run(for: .seconds(1))
    let outcomes = bench.reports(second).filter { if case .completed(OperationID(3), _) = $0.event { true } else { false } }
    #expect(outcomes.count == 1)
    // Write Request to the control point, on the air
    #expect(bench.log().count { $0.octets.starts(with: [0x12]) && $0.octets.last == 7 } == 1)
    // Even if its outcome was reported before.
    bench.ask(3, .gatt(KeeperBench.address, .write(KeeperBench.path(0x2A39), [7])), on: second)
    bench.run(for: .seconds(1))
    #expect(bench.log().count { $0.octets.starts(with: [0x12]) } == 0)
  }

  @Test func confirmsIndicationsForAnAbsentClient() {
    var bench = KeeperBench()
    let (first, session, newest) = bench.subscriber(to: 0x2A1C)
    bench.push([1], .indicate)
    bench.run(for: .milliseconds(300))
    _ = bench.log()
    // A connected client confirms when it has committed.
    #expect(bench.log().allSatisfy { $0.octets != [0x1E] })
    bench.feed(.gone(first))
    bench.run(for: .milliseconds(300))
    #expect(bench.log().contains { $0.octets == [0x1E] })
    bench.push([2], .indicate)
    bench.run(for: .milliseconds(300))
    #expect(bench.log().contains { $0.octets == [0x1E] })
    let second = bench.connection()
    bench.say(KeeperBench.hello(1, session: session, covered: newest), on: second)
    #expect(bench.welcome(second).1.compactMap(\.notified) == [[1], [2]])
    bench.push([3], .indicate)
    bench.run(for: .milliseconds(300))
    #expect(bench.log().allSatisfy { $0.octets != [0x1E] })
    let report = bench.reports(second).first { $0.notified == [3] }
    bench.ask(0, .acknowledge(report?.number ?? EventNumber(0)), on: second)
    bench.run(for: .milliseconds(300))
    #expect(bench.log().contains { $0.octets == [0x1E] })
  }

  @Test func droppedValuesAreReportedAsOneGap() {
    var bench = KeeperBench()
    let (first, session, newest) = bench.subscriber()
    bench.feed(.gone(first))
    let count = KeeperLimits.values + 300
    for number in 0..<count {
      bench.push(counter(number))
      if number % 4 == 3 { bench.run(for: .milliseconds(100)) }
    }
    bench.run(for: .seconds(1))
    let second = bench.connection()
    bench.say(KeeperBench.hello(1, session: session, covered: newest), on: second)
    var (welcome, reports) = bench.welcome(second)
    #expect(welcome?.missed == 300)
    // At most a window of reports is sent at a time.
    #expect(reports.count == KeeperLimits.window)
    var all = reports
    for _ in 0..<20 {
      bench.ask(0, .acknowledge(all.last?.number ?? EventNumber(0)), on: second)
      reports = bench.reports(second)
      if reports.isEmpty { break }
      all += reports
    }
    #expect(all.compactMap(\.notified) == (0..<KeeperLimits.values).map { counter($0) })
    #expect(all.compactMap(\.gap) == [300])
    #expect(all.last?.gap == 300)
    welcome = nil
    bench.push([9])
    bench.run(for: .milliseconds(200))
    #expect(bench.reports(second).compactMap(\.notified) == [[9]])
  }

  @Test func afterTheHoldTimeEverythingIsReleased() {
    var bench = KeeperBench(hold: .seconds(20))
    let (first, session, newest) = bench.subscriber()
    bench.feed(.gone(first))
    bench.run(for: .seconds(19))
    #expect(bench.keeper.status.links.count == 1)
    bench.run(for: .seconds(2))
    #expect(bench.keeper.status.links.isEmpty)
    #expect(bench.keeper.status.clients.isEmpty)
    let second = bench.connection()
    bench.say(KeeperBench.hello(1, session: session, covered: newest), on: second)
    #expect(bench.welcome(second).0?.isReturning == false)
  }

  @Test func goodbyeReleasesLinksAtOnce() {
    var bench = KeeperBench()
    let (first, _, _) = bench.subscriber()
    bench.say(.goodbye, on: first)
    bench.run(for: .seconds(1))
    #expect(bench.keeper.status.links.isEmpty)
    #expect(!bench.isOpen(first))
    #expect(!bench.hasLeft)
    bench.run(for: .seconds(10))
    #expect(bench.hasLeft)
  }

  /// Only the controller knows when a link has ended.
  @Test func aClosingLinkIsListedUntilItEnds() {
    var bench = KeeperBench()
    _ = bench.subscriber()
    let asked = bench.now.moment
    #expect(bench.keeper.status.links.map(\.isEnding) == [false])
    #expect(bench.keeper.status.links.allSatisfy { $0.since < asked })
    let other = bench.connection()
    bench.say(.disconnectAll(force: true), on: other)
    #expect(bench.take(other) == [.ending([KeeperBench.address])])
    #expect(bench.keeper.status.links.map(\.isEnding) == [true])
    bench.run(for: .seconds(1))
    #expect(bench.keeper.status.links.isEmpty)
  }

  @Test func aRestartedRunReleasesItsOldLinks() {
    var bench = KeeperBench()
    let (first, _, _) = bench.subscriber()
    bench.feed(.gone(first))
    let second = bench.connection()
    bench.say(KeeperBench.hello(1), on: second)
    #expect(bench.welcome(second).0?.isReturning == false)
    bench.run(for: .seconds(1))
    #expect(bench.keeper.status.links.isEmpty)
  }

  /// The client was killed before it had committed the keeper's session, so its hello has another
  /// identity.
  @Test(arguments: [true, false]) func aRunThatForgotItsKeeperReleasesItsOldLinks(isGoneFirst: Bool) {
    var bench = KeeperBench(letsGroupIn: true)
    let (first, _, _) = bench.subscriber()
    func hello(_ chance: UInt8, run: UInt8) -> KeeperMessage {
      let identity = [UInt8](repeating: chance, count: 8) + [UInt8](repeating: run, count: 8)
      return .hello(.init(version: "1", identity: identity, name: "run"))
    }
    let (second, other, otherUser) = (bench.connection(), bench.connection(), bench.connection(user: 1001))
    if isGoneFirst { bench.feed(.gone(first)) }
    // Other runs, and the same run of another user, take over nothing.
    bench.say(hello(5, run: 2), on: other)
    bench.say(hello(5, run: 1), on: otherUser)
    bench.run(for: .seconds(1))
    #expect(bench.keeper.status.links.count == 1)
    bench.say(hello(5, run: 1), on: second)
    if !isGoneFirst { bench.feed(.gone(first)) }
    #expect(bench.welcome(second).0?.isReturning == false)
    bench.run(for: .seconds(1))
    #expect(bench.keeper.status.links.isEmpty)
    #expect(bench.keeper.status.clients.map(\.user) == [1000, 1001, 1000])
  }

  @Test func anEphemeralClientLeavesNothing() {
    var bench = KeeperBench()
    let connection = bench.connection()
    bench.say(KeeperBench.hello(9, isEphemeral: true), on: connection)
    bench.ask(1, .scan(ScanRequest(duty: .full)), on: connection)
    bench.run(for: .seconds(1))
    #expect(bench.reports(connection).contains { if case .advertisementReceived = $0.event { true } else { false } })
    bench.feed(.gone(connection))
    #expect(bench.keeper.status.clients.isEmpty)
    bench.run(for: .seconds(9))
    #expect(!bench.hasLeft)
    bench.run(for: .seconds(2))
    #expect(bench.hasLeft)
  }

  @Test func anAbandonedScanIsStopped() {
    var bench = KeeperBench()
    let first = bench.connection()
    bench.say(KeeperBench.hello(1), on: first)
    let session = bench.welcome(first).0?.session ?? 0
    bench.ask(1, .scan(ScanRequest(duty: .full)), on: first)
    bench.ask(2, .scan(ScanRequest(duty: .gentle)), on: first)
    bench.feed(.gone(first))
    bench.run(for: .seconds(30))
    let second = bench.connection()
    bench.say(KeeperBench.hello(1, session: session), on: second)
    let reports = bench.welcome(second).1
    // After an absence each device is reported once.
    #expect(reports.count { if case .advertisementReceived(OperationID(1), _) = $0.event { true } else { false } } == 1)
    bench.say(.resumed(upTo: OperationID(100), except: [OperationID(1)]), on: second)
    bench.run(for: .seconds(1))
    let events = bench.reports(second).map(\.event)
    #expect(events.contains { if case .completed(OperationID(2), .failure) = $0 { true } else { false } })
    #expect(events.contains { if case .advertisementReceived(OperationID(1), _) = $0 { true } else { false } })
  }

  // MARK: Several clients

  @Test func twoClientsShareALinkUntilTheLastLeaves() {
    var bench = KeeperBench()
    let (first, _, _) = bench.subscriber(1)
    let (second, _, _) = bench.subscriber(2)
    bench.push([1])
    bench.run(for: .milliseconds(200))
    #expect(bench.reports(first).compactMap(\.notified) == [[1]])
    #expect(bench.reports(second).compactMap(\.notified) == [[1]])
    // One link, one subscription on the air
    let log = bench.log()
    #expect(log.count { $0.kind == .connectRequest } <= 1)
    bench.say(.goodbye, on: first)
    bench.run(for: .seconds(1))
    bench.push([2])
    bench.run(for: .milliseconds(200))
    #expect(bench.reports(second).compactMap(\.notified) == [[2]])
    bench.say(.goodbye, on: second)
    bench.run(for: .seconds(1))
    #expect(bench.keeper.status.links.isEmpty)
  }

  @Test func theLastSubscriberUnsubscribes() {
    var bench = KeeperBench()
    let (first, _, _) = bench.subscriber(1)
    let (_, _, _) = bench.subscriber(2, to: 0x2A1C)
    _ = bench.log()
    bench.say(.goodbye, on: first)
    bench.run(for: .seconds(1))
    let log = bench.log()
    // Write Request of 0x0000 to the one configuration
    #expect(log.count { $0.octets.count == 5 && $0.octets[0] == 0x12 && $0.octets.suffix(2) == [0, 0] } == 1, "\(log.map(\.line))")
    #expect(bench.keeper.status.links.count == 1)
  }

  @Test func aClientThatReadsNothingDelaysNoOther() {
    var bench = KeeperBench()
    let (lazy, _, _) = bench.subscriber(1)
    let (second, _, _) = bench.subscriber(2)
    for number in 0..<3000 {
      bench.push(counter(number))
      if number % 4 == 3 {
        bench.run(for: .milliseconds(100))
        let reports = bench.reports(second)
        if let newest = reports.last?.number { bench.ask(0, .acknowledge(newest), on: second) }
      }
    }
    bench.run(for: .seconds(1))
    if let newest = bench.reports(second).last?.number { bench.ask(0, .acknowledge(newest), on: second) }
    #expect(bench.reports(lazy).count <= KeeperLimits.window)
    let status = bench.keeper.status
    #expect(status.clients.first { $0.name == "client 1" }.map { $0.waiting <= KeeperLimits.values + 16 } ?? false)
    #expect(status.clients.first { $0.name == "client 2" }.map { $0.waiting < 64 && $0.missed == 0 } ?? false)
  }

  @Test func aClientCannotReplaceAnothersTable() {
    var bench = KeeperBench()
    let (first, second) = (bench.connection(), bench.connection())
    bench.say(KeeperBench.hello(1), on: first)
    bench.say(KeeperBench.hello(2), on: second)
    let table = ServerTable(name: "x", services: [ServerTable.Service(uuid: UUID(0x180F), characteristics: [])])
    bench.ask(1, .publish(table), on: first)
    bench.ask(1, .publish(table), on: second)
    bench.ask(2, .advertise(AdvertisingPlan(services: [])), on: second)
    bench.run(for: .seconds(1))
    let failures = bench.reports(second).compactMap { report -> Failure? in
      if case .completed(_, .failure(let failure)) = report.event { failure } else { nil }
    }
    #expect(failures.map(\.kind) == [.adapter, .adapter])
    #expect(failures.allSatisfy { $0.message.contains("client 1") }, "\(failures.map(\.message))")
  }

  @Test func aClientCannotUseAnothersLink() {
    var bench = KeeperBench()
    _ = bench.subscriber(1)
    _ = bench.log()
    let other = bench.connection()
    bench.say(KeeperBench.hello(2), on: other)
    bench.ask(1, .gatt(KeeperBench.address, .write(KeeperBench.path(0x2A39), [7])), on: other)
    bench.ask(2, .disconnect(KeeperBench.address), on: other)
    bench.run(for: .seconds(1))
    let failures = bench.reports(other).compactMap { report -> Failure? in
      if case .completed(_, .failure(let failure)) = report.event { failure } else { nil }
    }
    #expect(failures.map(\.kind) == [.disconnected])
    #expect(failures.allSatisfy { $0.delivered == .notSent })
    #expect(bench.log().allSatisfy { !$0.octets.starts(with: [0x12]) })
    #expect(bench.keeper.status.links.count == 1)
  }

  // MARK: Refusals

  @Test func refusalsHaveAReason() {
    var bench = KeeperBench()
    func refusal(_ message: KeeperMessage?, user: UInt32 = 1000, bytes: [UInt8]? = nil) -> KeeperMessage.Refusal? {
      let connection = bench.connection(user: user)
      if let message { bench.say(message, on: connection) }
      if let bytes { bench.feed(.messageReceived(connection, bytes)) }
      let isOpen = bench.isOpen(connection)
      for case .refused(let refusal) in bench.take(connection) {
        #expect(!isOpen)
        return refusal
      }
      return nil
    }
    #expect(refusal(KeeperBench.hello(1, version: "2"))?.kind == .version)
    #expect(refusal(KeeperBench.hello(1, version: "2"))?.text == "this is the keeper of tooth 1, and you are tooth 2")
    #expect(refusal(nil, user: 1001)?.kind == .forbidden)
    #expect(refusal(nil, user: 0) == nil)
    #expect(refusal(nil, bytes: [0xFF, 1, 2])?.kind == .malformed)
    #expect(refusal(nil, bytes: [])?.kind == .malformed)
    #expect(refusal(.goodbye)?.kind == .malformed)
    #expect(refusal(.welcome(.init(session: 1, isReturning: true, adapter: nil)))?.kind == .malformed)
    let here = bench.connection()
    bench.say(KeeperBench.hello(1), on: here)
    #expect(refusal(KeeperBench.hello(1))?.kind == .busy)
    #expect(refusal(.stop(force: false))?.text == "a client is connected: client 1 (pid 77)")
    #expect(bench.isOpen(here))
    bench.say(KeeperBench.hello(1), on: here)
    #expect(!bench.isOpen(here))
  }

  @Test func aSilentConnectionIsDropped() {
    var bench = KeeperBench()
    let connection = bench.connection()
    bench.run(for: .seconds(4))
    #expect(bench.isOpen(connection))
    bench.run(for: .seconds(2))
    #expect(!bench.isOpen(connection))
  }

  @Test func aThousandConnectionsLeaveAClientUnharmed() {
    var bench = KeeperBench()
    let (client, _, _) = bench.subscriber()
    var refused = 0
    for number in 0..<1000 {
      let connection = bench.connection()
      if !bench.isOpen(connection) { refused += 1 }
      if number % 3 == 0 {
        bench.feed(.messageReceived(connection, [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 64)))
      }
    }
    #expect(refused > 300)
    bench.push([5])
    bench.run(for: .milliseconds(300))
    #expect(bench.reports(client).compactMap(\.notified) == [[5]])
    for name in 10..<100 { bench.say(KeeperBench.hello(UInt8(name)), on: bench.connection()) }
    #expect(bench.keeper.status.clients.count <= KeeperLimits.clients)
  }

  @Test func aFloodOfRequestsIsBounded() {
    var bench = KeeperBench()
    let (good, _, _) = bench.subscriber(1)
    let flood = bench.connection()
    bench.say(KeeperBench.hello(2), on: flood)
    for number in 1...2000 as ClosedRange<UInt64> {
      bench.ask(number, .gatt(KeeperBench.address, .read(KeeperBench.path(0x2A39))), on: flood)
    }
    for number in 3000...3400 as ClosedRange<UInt64> { bench.ask(number, .scan(ScanRequest(duty: .full)), on: flood) }
    bench.push([6])
    bench.run(for: .seconds(1))
    #expect(bench.reports(good).compactMap(\.notified) == [[6]])
    let status = bench.keeper.status
    #expect(status.clients.first { $0.name == "client 2" }.map { $0.waiting < 8192 } ?? false)
  }

  /// Whatever a client sends, a keeper does not trap, and another client is served.
  @Test func damagedMessagesDoNotHarmOtherClients() {
    var bench = KeeperBench()
    let (good, _, _) = bench.subscriber(1)
    var random: UInt64 = 1
    func number() -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33)
    }
    for round in 0..<600 {
      let connection = bench.connection()
      if round % 2 == 0 { bench.say(KeeperBench.hello(UInt8(100 + round % 50)), on: connection) }
      var bytes = MessageTests.messages[number() % MessageTests.messages.count].encoded
      for _ in 0..<(number() % 4) where !bytes.isEmpty { bytes[number() % bytes.count] = UInt8(truncatingIfNeeded: number()) }
      // Only its user may stop the keeper or take other clients' links.
      switch try? KeeperMessage(encoded: bytes) {
      case .stop, .disconnectAll(force: true), .resetAdapter(force: true): continue
      default: break
      }
      bench.feed(.messageReceived(connection, bytes))
      bench.feed(.gone(connection))
      if round % 50 == 0 { bench.run(for: .milliseconds(20)) }
    }
    bench.run(for: .seconds(1))
    bench.push([6])
    bench.run(for: .seconds(1))
    #expect(bench.reports(good).compactMap(\.notified).contains([6]))
  }

  // MARK: Coming and going

  @Test func anUnusedKeeperExits() {
    var bench = KeeperBench(keep: .seconds(3))
    bench.run(for: .seconds(2))
    #expect(!bench.hasLeft)
    bench.run(for: .seconds(2))
    #expect(bench.hasLeft)
    #expect(bench.keeper.nextDeadline == nil)
  }

  @Test func aKeeperStaysWhileItHoldsLinks() {
    var bench = KeeperBench(hold: .minutes(1), keep: .seconds(3))
    let (first, _, _) = bench.subscriber()
    bench.feed(.gone(first))
    bench.run(for: .seconds(55))
    #expect(!bench.hasLeft)
    bench.run(for: .seconds(10))
    #expect(bench.hasLeft)
  }

  // MARK: An adapter in trouble

  private func isAway(_ report: HostReport) -> Bool { if case .adapterAway = report.event { true } else { false } }
  private func isReady(_ report: HostReport) -> Bool { if case .adapterReady = report.event { true } else { false } }

  @Test func anUnpluggedAdapterIsReportedAndRecovers() {
    var bench = KeeperBench()
    let (client, _, _) = bench.subscriber()
    bench.unplug()
    let reports = bench.reports(client)
    #expect(reports.contains { isAway($0) })
    #expect(reports.contains { if case .disconnected(KeeperBench.address, _) = $0.event { true } else { false } })
    // Requests meanwhile are queued.
    bench.ask(3, .connect(ConnectRequest(peer: KeeperBench.address, pending: true)), on: client)
    bench.run(for: .minutes(5))
    #expect(bench.reports(client).allSatisfy { !isReady($0) })
    #expect(!bench.hasLeft)
    // A client that names it by address finds the keeper that waits for it.
    #expect(bench.keeper.status.info == nil)
    #expect(bench.keeper.status.address == Address(bits: 0x02_0000_0000_01, kind: .public))
    bench.isUnplugged = false
    bench.feed(.transportBack)
    // The strap has to lose its link first.
    bench.run(for: .seconds(12))
    let later = bench.reports(client)
    #expect(later.contains { isReady($0) })
    #expect(later.contains { if case .connected(OperationID(3), KeeperBench.address, _) = $0.event { true } else { false } })
  }

  @Test func aNewClientLearnsThatTheAdapterIsAway() {
    var bench = KeeperBench()
    let (first, session, newest) = bench.subscriber()
    bench.unplug()
    let second = bench.connection()
    bench.say(KeeperBench.hello(2), on: second)
    let (welcome, reports) = bench.welcome(second)
    #expect(welcome?.adapter == nil)
    let told = reports.compactMap { if case .adapterAway(let failure) = $0.event { failure.message } else { nil } }
    #expect(told == ["the adapter is gone: hci0 was unplugged"])
    // A client that was absent learns of the loss, and then of the return.
    bench.feed(.gone(first))
    bench.run(for: .seconds(20))
    bench.isUnplugged = false
    bench.run(for: .minutes(2))
    let third = bench.connection()
    bench.say(KeeperBench.hello(1, session: session, covered: newest), on: third)
    let (again, missed) = bench.welcome(third)
    #expect(again?.isReturning == true && again?.adapter != nil && again?.links == [])
    let order = missed.compactMap { report in
      switch report.event {
      case .adapterAway: "away"
      case .disconnected: "disconnected"
      case .adapterReady: "ready"
      default: nil
      }
    }
    #expect(order == ["away", "disconnected", "ready"])
  }

  @Test func garbageFromTheAdapterIsReportedAndRecovered() {
    var bench = KeeperBench()
    let (client, _, _) = bench.subscriber()
    bench.feed(.outOfStep("no packet begins with 77"))
    bench.run(for: .seconds(1))
    let reports = bench.reports(client)
    #expect(reports.contains { isAway($0) })
    #expect(reports.contains { isReady($0) })
    #expect(bench.keeper.host.adapter != nil)
  }

  /// Its clients get a report, and the next keeper starts from scratch.
  @Test func aKeeperWithoutAnAdapterReportsAndExits() {
    var bench = KeeperBench()
    let (client, _, _) = bench.subscriber()
    let quiet = bench.connection()
    bench.say(KeeperBench.hello(2), on: quiet)
    bench.ask(1, .scan(ScanRequest(duty: .full)), on: quiet)
    _ = bench.take(quiet)
    // The controller accepts packets and answers none.
    bench.isUnplugged = true
    bench.ask(3, .gatt(KeeperBench.address, .read(KeeperBench.path(0x2A39))), on: client)
    bench.feed(.outOfStep("no packet begins with 77"))
    var rounds = 0
    while !bench.hasLeft, rounds < 100 {
      rounds += 1
      // every opening of the socket works, and nothing is answered
      bench.isUnplugged = false
      bench.isSilent = true
      bench.run(for: .seconds(10))
    }
    #expect(bench.hasLeft)
    #expect(!bench.isOpen(client) && !bench.isOpen(quiet))
    #expect(bench.keeper.lostBecause?.message == "the controller did not answer Reset (0x0c03) within 2s")
    for connection in [client, quiet] {
      let reports = bench.reports(connection)
      #expect(reports.contains { if case .adapterLost = $0.event { true } else { false } }, "\(reports)")
      // Our stopping is not an outcome of a scan.
      #expect(
        !reports.contains { if case .completed(_, .failure(let failure)) = $0.event { failure.kind == .cancelled } else { false } })
    }
    #expect(bench.logged.contains { $0.hasPrefix("giving up on the adapter") })
  }

  /// A request does not fail because its keeper is stopped: the client sends it to the next one.
  @Test func aStoppedKeeperReportsNoOutcomeOfPendingRequests() {
    var bench = KeeperBench()
    let (client, _, _) = bench.subscriber()
    bench.ask(3, .scan(ScanRequest(duty: .full)), on: client)
    bench.run(for: .seconds(1))
    _ = bench.take(client)
    bench.feed(.closing)
    bench.run(for: .seconds(5))
    #expect(bench.hasLeft)
    #expect(!bench.isOpen(client))
    #expect(bench.reports(client).allSatisfy { if case .completed = $0.event { false } else { true } })
  }

  /// An adapter failure while links are being closed is reported before the keeper exits, and
  /// nothing is sent after it.
  @Test(arguments: [
    KeeperInput.outOfStep("no packet begins with 77"), .transportLost("unplugged"), .packet([0x04, 0x10, 0x01, 0x42]),
  ])
  func losingTheAdapterWhileClosingEndsTheKeeper(trouble: KeeperInput) {
    var bench = KeeperBench()
    let (client, _, _) = bench.subscriber()
    bench.isSilent = true
    bench.feed(.closing)
    #expect(!bench.hasLeft)
    bench.feed(trouble)
    #expect(bench.hasLeft && !bench.isOpen(client))
    #expect(bench.keeper.nextDeadline == nil)
    bench.feed(.deadline)
    bench.feed(.arrived(ConnectionID(900), Credentials(process: 1, user: 1000)))
  }

  // MARK: Clients that do not read

  /// Overflow becomes one gap with its count, after the last value that fitted; clients that read
  /// are not affected.
  @Test func anUnresponsiveClientLearnsHowManyValuesItMissed() {
    var bench = KeeperBench()
    let (slow, session, newest) = bench.subscriber(1)
    let (good, _, _) = bench.subscriber(2)
    let count = KeeperLimits.values + 137
    var heard = 0
    for number in 0..<count {
      bench.push(counter(number))
      if number % 4 == 3 { bench.run(for: .milliseconds(100)) }
      let reports = bench.reports(good)
      heard += reports.count { $0.notified != nil }
      if let last = reports.last { bench.ask(0, .acknowledge(last.number), on: good) }
    }
    bench.run(for: .seconds(1))
    heard += bench.reports(good).count { $0.notified != nil }
    #expect(heard == count)
    // No more than the window was sent, and no gap yet.
    let told = bench.reports(slow)
    #expect(told.count == KeeperLimits.window)
    // It returns and reads everything, in as many rounds as needed.
    bench.feed(.gone(slow))
    let back = bench.connection()
    bench.say(KeeperBench.hello(1, session: session, covered: newest), on: back)
    var (_, reports) = bench.welcome(back)
    var all: [HostReport] = []
    while let last = reports.last {
      all += reports
      bench.ask(0, .acknowledge(last.number), on: back)
      reports = bench.reports(back)
    }
    #expect(all.compactMap(\.notified).count == KeeperLimits.values)
    #expect(all.compactMap(\.notified) == (0..<KeeperLimits.values).map { counter($0) })
    #expect(all.compactMap(\.gap) == [137])
    bench.push([9, 9])
    bench.run(for: .milliseconds(300))
    #expect(bench.reports(back).compactMap(\.notified) == [[9, 9]])
  }
}
