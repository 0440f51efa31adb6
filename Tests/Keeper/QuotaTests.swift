import Exchange
import Testing
import Vocabulary

@testable import Keeper

/// No user gets all links or all memory of a keeper that users share.
@Suite struct QuotaTests {
  private func enter(_ bench: inout KeeperBench, _ name: UInt8, user: UInt32) -> ConnectionID {
    let connection = bench.connection(user: user)
    bench.say(KeeperBench.hello(name), on: connection)
    #expect(bench.welcome(connection).0 != nil)
    return connection
  }

  private func peer(_ number: Int) -> Address { Address(bits: 0xC05E_0000_0000 | UInt64(number), kind: .random) }

  private func wait(_ bench: inout KeeperBench, _ id: UInt64, for peer: Address, on client: ConnectionID) -> Failure? {
    bench.ask(id, .connect(ConnectRequest(peer: peer, pending: true)), on: client)
    for report in bench.reports(client) {
      if case .completed(OperationID(id), .failure(let failure)) = report.event { return failure }
    }
    return nil
  }

  @Test func linksPerUserOfASharedKeeperAreLimited() {
    var bench = KeeperBench(letsGroupIn: true)
    let clients = [enter(&bench, 1, user: 1001), enter(&bench, 2, user: 1001)]
    for number in 0..<KeeperLimits.linksOfUser {
      #expect(wait(&bench, UInt64(number + 1), for: peer(number), on: clients[number % 2]) == nil)
    }
    let refused = wait(&bench, 50, for: peer(50), on: clients[0])
    #expect(refused?.kind == .adapter)
    #expect(refused?.delivered == .notSent)
    #expect(
      refused?.message
        == "user 1001 has 8 links of air or is waiting for them, the most that a shared keeper gives to one user")
    #expect(refused?.hint == "disconnect another device first, or use another adapter (--adapter)")
    #expect(wait(&bench, 50, for: peer(51), on: clients[1]) != nil)
    // A device that one client waits for can also be awaited by another of the same user.
    #expect(wait(&bench, 51, for: peer(0), on: clients[1]) == nil)
    // Another user is not affected.
    let other = enter(&bench, 3, user: 1002)
    bench.ask(1, .connect(ConnectRequest(peer: KeeperBench.address, pending: false)), on: other)
    bench.run(for: .seconds(3))
    #expect(bench.reports(other).contains { if case .connected = $0.event { true } else { false } })
    // An existing link does not count against another one.
    #expect(wait(&bench, 52, for: KeeperBench.address, on: clients[0]) == nil)
    bench.ask(53, .disconnect(KeeperBench.address), on: clients[0])
    bench.run(for: .seconds(1))
    // Disconnecting makes room.
    bench.ask(54, .cancel(OperationID(1)), on: clients[0])
    #expect(wait(&bench, 55, for: peer(1), on: clients[0]) == nil)
    #expect(wait(&bench, 56, for: peer(60), on: clients[0]) != nil)
    bench.ask(57, .cancel(OperationID(51)), on: clients[1])
    #expect(wait(&bench, 58, for: peer(60), on: clients[0]) == nil)
  }

  @Test func aKeeperOfOneUserHasNoQuota() {
    var bench = KeeperBench()
    let client = enter(&bench, 1, user: 1000)
    for number in 0..<40 { #expect(wait(&bench, UInt64(number + 1), for: peer(number), on: client) == nil) }
  }

  @Test(
    arguments: [
      (0, 0, nil, nil), (7, 30, nil, nil), (8, 8, nil, .all(8)), (0, 9, 10, nil), (1, 7, 10, nil), (1, 8, 10, .last(2, of: 10)),
      (1, 10, 10, .last(2, of: 10)), (1, 1, 2, .last(1, of: 2)), (0, 2, 2, nil), (1, 0, 1, nil), (1, 1, 1, nil),
    ] as [(Int, Int, Int?, Keeper.LinkQuota?)])
  func theLastLinksAreReservedForOtherUsers(own: Int, open: Int, limit: Int?, quota: Keeper.LinkQuota?) {
    #expect(Keeper.LinkQuota(own: own, open: open, limit: limit) == quota)
  }

  // MARK: Memory

  private func fill(_ bench: inout KeeperBench, _ client: Int, _ events: Int, _ event: (Int) -> HostEvent) -> Int {
    var missed = 0
    bench.adjust { keeper in
      for number in 0..<events {
        let isCramped =
          keeper.clients[client].queue.allOctets > KeeperLimits.freeOctets
          && keeper.isCramped(keeper.clients[client].credentials.user)
        let isKept = keeper.clients[client].queue.add(
          event(number), number: EventNumber(UInt64(number)), at: .simulationStart, isAway: true, isCramped: isCramped)
        if !isKept { missed += 1 }
      }
    }
    return missed
  }

  private func value(_ number: Int) -> HostEvent {
    .notificationReceived(
      peer(1), AttributeReference(handle: .first, service: UUID(0x180D), characteristic: UUID(0x2A37)),
      [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 512), .notify)
  }

  @Test func queuedReportsPerUserAreBounded() {
    var bench = KeeperBench(letsGroupIn: true)
    var greedy: [ConnectionID] = []
    for number in 0..<16 as Range<UInt8> { greedy.append(enter(&bench, number, user: 1001)) }
    let other = enter(&bench, 100, user: 1002)
    for connection in greedy { bench.feed(.gone(connection)) }
    var missed = 0
    for client in 0..<16 { missed += fill(&bench, client, KeeperLimits.values, value) }
    #expect(missed > 0)
    let octets = bench.keeper.clients.filter { $0.credentials.user == 1001 }.map(\.queue.allOctets).reduce(0, +)
    #expect(octets <= KeeperLimits.octetsOfUser + 16 * KeeperLimits.freeOctets)
    #expect(bench.keeper.isCramped(1001))
    #expect(!bench.keeper.isCramped(1002))
    // Missed values are counted, and no client is dropped because of values.
    #expect(bench.keeper.clients.map(\.queue.missed).reduce(0, +) == missed)
    bench.feed(.deadline)
    #expect(bench.keeper.clients.count == 17)
    #expect(fill(&bench, 16, KeeperLimits.values, value) == 0)
    #expect(bench.isOpen(other))
  }

  @Test func dropsTheClientWithTheLongestQueue() {
    var bench = KeeperBench(letsGroupIn: true)
    let connections = [enter(&bench, 1, user: 1001), enter(&bench, 2, user: 1001), enter(&bench, 3, user: 1001)]
    let other = enter(&bench, 4, user: 1002)
    let text = String(repeating: "x", count: 8000)
    let long: (Int) -> HostEvent = { .completed(OperationID(UInt64($0)), .failure(Failure(.refused, text))) }
    for (client, count) in [(0, 1650), (1, 1750), (2, 10), (3, 1750)] { #expect(fill(&bench, client, count, long) == 0) }
    bench.feed(.deadline)
    #expect(bench.keeper.clients.map(\.identity[0]) == [1, 3, 4])
    #expect(!bench.isOpen(connections[1]))
    #expect(bench.isOpen(other))
    #expect(
      bench.logged.contains {
        $0.hasPrefix("disconnecting client 2: ") && $0.hasSuffix("waiting for the clients of its user, most of them for this one")
      })
  }
}
