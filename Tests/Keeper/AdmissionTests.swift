import Exchange
import Testing
import Vocabulary

@testable import Keeper

/// Three users and one keeper: no user takes over another's session, and no user locks another out.
@Suite struct AdmissionTests {
  private static func hello(_ number: Int, session: UInt64 = 0) -> KeeperMessage {
    var identity = [UInt8](repeating: 9, count: 16)
    identity[14] = UInt8(truncatingIfNeeded: number)
    identity[15] = UInt8(truncatingIfNeeded: number >> 8)
    return .hello(.init(version: "1", identity: identity, name: "client \(number)", session: session))
  }

  /// Sends a hello, and returns whether it was accepted.
  private func enters(_ bench: inout KeeperBench, _ number: Int, user: UInt32, dies: Bool = false) -> Bool {
    let connection = bench.connection(user: user)
    bench.say(Self.hello(number), on: connection)
    let isIn = bench.welcome(connection).0 != nil
    if dies, isIn { bench.feed(.gone(connection)) }
    return isIn
  }

  @Test func aCopiedIdentityTakesOverNoLinks() {
    var bench = KeeperBench(letsGroupIn: true)
    let (owner, session, newest) = bench.subscriber(1)
    bench.feed(.gone(owner))
    // Another user has copied the state directory, and knows the name of the session, too.
    let thief = bench.connection(user: 1001)
    bench.say(KeeperBench.hello(1, session: session, covered: newest), on: thief)
    let (welcome, reports) = bench.welcome(thief)
    #expect(welcome?.isReturning == false)
    #expect(welcome?.links.isEmpty ?? false)
    #expect(!reports.contains { $0.notified != nil })
    bench.ask(5, .gatt(KeeperBench.address, .readRSSI), on: thief)
    bench.ask(6, .disconnect(KeeperBench.address), on: thief)
    bench.run(for: .seconds(1))
    bench.push([7])
    bench.run(for: .milliseconds(300))
    #expect(!bench.reports(thief).contains { $0.notified != nil })
    // Nor is root, who has it from a backup.
    let root = bench.connection(user: 0)
    bench.say(KeeperBench.hello(1, session: session), on: root)
    #expect(bench.welcome(root).0?.isReturning == false)
    // The owner finds everything unchanged.
    let back = bench.connection()
    bench.say(KeeperBench.hello(1, session: session, covered: newest), on: back)
    let (again, missed) = bench.welcome(back)
    #expect(again?.isReturning ?? false)
    #expect(again?.links.map(\.peer) == [KeeperBench.address])
    #expect(missed.compactMap(\.notified) == [[7]])
  }

  @Test func theSameIdentityOfTwoUsersIsTwoClients() {
    var bench = KeeperBench(letsGroupIn: true)
    #expect(enters(&bench, 1, user: 1000))
    #expect(enters(&bench, 1, user: 1001))
    #expect(bench.keeper.status.clients.map(\.user) == [1000, 1001])
  }

  @Test func deadClientsWithoutLinksAreReplaced() {
    var bench = KeeperBench()
    for number in 0..<500 { #expect(enters(&bench, number, user: 1000, dies: true), "client \(number)") }
    #expect(bench.keeper.status.clients.count == KeeperLimits.clientsOfUser)
    #expect(bench.logged.contains { $0.contains("holds no link, to admit client 499") })
  }

  /// Sessions with a link are kept as long as was promised.
  @Test func deadClientsMakeRoomUnlessTheyHoldALink() {
    var bench = KeeperBench()
    let (owner, session, _) = bench.subscriber(1)
    bench.feed(.gone(owner))
    for number in 0..<200 { #expect(enters(&bench, number, user: 1000, dies: true)) }
    let back = bench.connection()
    bench.say(KeeperBench.hello(1, session: session), on: back)
    #expect(bench.welcome(back).0?.links.map(\.peer) == [KeeperBench.address])
  }

  @Test func oneUserCannotTakeEveryPlace() {
    var bench = KeeperBench(letsGroupIn: true)
    let first = (0..<200).count { enters(&bench, $0, user: 1001) }
    #expect(first == KeeperLimits.clientsOfUser)
    let second = (0..<200).count { enters(&bench, $0, user: 1002) }
    #expect(second == KeeperLimits.clients - KeeperLimits.reservedClients - first)
    for user in 1003..<1010 as Range<UInt32> {
      #expect((0..<10).count { enters(&bench, $0, user: user) } == KeeperLimits.fewClients, "user \(user)")
    }
    // Sessions of absent clients of others do not use up the room.
    #expect(bench.keeper.status.clients.count <= KeeperLimits.clients)
    var graves = KeeperBench(letsGroupIn: true)
    for user in 1001..<1004 as Range<UInt32> { for number in 0..<64 { _ = enters(&graves, number, user: user, dies: true) } }
    #expect((0..<10).count { enters(&graves, $0, user: 1009) } == 10)
  }

  @Test func silentConnectionsDoNotLockOutOtherUsers() {
    var bench = KeeperBench(letsGroupIn: true)
    for user in 1001..<1004 as Range<UInt32> {
      for _ in 0..<1000 { _ = bench.connection(user: user) }
      #expect(bench.keeper.newConnections.count <= KeeperLimits.newConnections)
    }
    #expect(enters(&bench, 1, user: 1009))
  }
}
