import Exchange
import Testing
import Vocabulary

@testable import Keeper

/// The queue of an absent client, while the centrals of its peripheral do as they like.
@Suite struct ReportQueueTests {
  private static let peer = Address(bits: 0xC0_0000_0000_01, kind: .random)
  private static let other = Address(bits: 0xC0_0000_0000_02, kind: .random)
  private static let value = ServerAttributeID(1)
  private static let control = ServerAttributeID(2)
  private static let info = LinkInfo(
    mtu: 23, interval: .milliseconds(30), latency: 0, supervisionTimeout: .seconds(4))
  private static let gone = DisconnectReason(text: "gone")

  private var queue = ReportQueue(owner: OwnerID(3))

  private mutating func add(_ event: HostEvent) {
    _ = queue.add(event, number: EventNumber(0), at: .simulationStart, isAway: true)
  }

  /// What a returning client is sent, however long that takes.
  private mutating func reported() -> [HostReport] {
    queue.begin()
    var reports: [HostReport] = []
    while true {
      let messages = queue.deliver()
      if messages.isEmpty { return reports }
      for message in messages {
        if case .report(let report)? = try? KeeperMessage(encoded: message) { reports.append(report) }
      }
      if let last = reports.last { _ = queue.acknowledge(last.number) }
    }
  }

  /// The state that a killed keeper's successor restores.
  private mutating func passOn() throws {
    var writer = ByteWriter()
    queue.write(to: &writer)
    var reader = writer.bytes.span.bytes
    queue = try ReportQueue(reading: &reader)
  }

  private static let storms: [[HostEvent]] = [
    [.valueWritten(value, peer, Array(repeating: 7, count: 500))],
    [.writeRequested(ServerRequestID(1), control, peer, Array(repeating: 7, count: 500), withResponse: false)],
    [.subscribed(value, peer, .notify), .unsubscribed(value, peer)],
    [.linkChanged(peer, info)],
    [.centralConnected(peer, info), .centralDisconnected(peer, gone)],
    [
      .centralConnected(peer, info), .subscribed(value, peer, .notify), .unsubscribed(value, peer),
      .centralDisconnected(peer, gone),
    ],
    [.centralConnected(peer, info), .readRequested(ServerRequestID(1), value, peer), .centralDisconnected(peer, gone)],
    [
      .centralConnected(peer, info), .writeRequested(ServerRequestID(1), value, peer, [1], withResponse: true),
      .linkChanged(peer, info),
      .valueWritten(value, peer, [2]), .centralDisconnected(peer, gone),
    ],
  ]

  /// Whatever a central repeats, its run is not dropped because of it.
  @Test(arguments: storms.indices) mutating func aBusyCentralDoesNotDropItsClient(_ storm: Int) throws {
    for round in 0..<6000 {
      for event in Self.storms[storm] { add(event) }
      #expect(!queue.isTooLong && queue.allOctets <= KeeperLimits.octets + (1 << 20))
      if queue.isTooLong { return }
      if round == 3000 { try passOn() }
    }
    #expect(queue.count <= KeeperLimits.values + KeeperLimits.states + 8)
  }

  /// The next address of a central that changes it with each connection.
  @Test mutating func changingAddressesTakeNoRoom() {
    for number in 0..<6000 as Range<UInt64> {
      let peer = Address(bits: 0xC0_0000_0000_00 + number, kind: .random)
      add(.centralConnected(peer, Self.info))
      add(.subscribed(Self.value, peer, .notify))
      add(.unsubscribed(Self.value, peer))
      add(.centralDisconnected(peer, Self.gone))
    }
    #expect(!queue.isTooLong && queue.count <= KeeperLimits.states + 4)
  }

  @Test mutating func theLastValueOfEachAttributeIsReported() throws {
    for round in 0..<5000 {
      add(.valueWritten(Self.value, Self.peer, [UInt8(truncatingIfNeeded: round)]))
      add(.valueWritten(Self.control, Self.other, [UInt8(truncatingIfNeeded: round >> 8), 1]))
    }
    try passOn()
    var stored: [ServerAttributeID: [UInt8]] = [:]
    for case .valueWritten(let attribute, _, let bytes) in reported().map(\.event) { stored[attribute] = bytes }
    #expect(
      stored == [Self.value: [UInt8(truncatingIfNeeded: 4999)], Self.control: [UInt8(truncatingIfNeeded: 4999 >> 8), 1]])
  }

  /// Commands are reported one by one, and those without room as a number.
  @Test mutating func excessCommandsAreCounted() {
    for number in 0..<5000 as Range<UInt64> {
      add(.writeRequested(ServerRequestID(number), Self.control, Self.peer, [1], withResponse: false))
    }
    add(.centralDisconnected(Self.peer, Self.gone))
    let events = reported().map(\.event)
    #expect(events.count { if case .writeRequested = $0 { true } else { false } } == KeeperLimits.values)
    #expect(events.suffix(2) == [.gap(Self.peer, 5000 - KeeperLimits.values), .centralDisconnected(Self.peer, Self.gone)])
  }

  /// Below the limit each subscription is reported, for its handler.
  @Test mutating func fewSubscriptionsAreReportedOneByOne() {
    for _ in 0..<20 {
      add(.subscribed(Self.value, Self.peer, .notify))
      add(.unsubscribed(Self.value, Self.peer))
    }
    #expect(reported().count == 40)
  }

  /// Whatever came between, the last reports say which centrals are there and what they subscribed
  /// to.
  @Test(arguments: 0..<50 as Range<UInt64>) mutating func theFinalStateOfAStormIsReported(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var there: Set<Address> = []
    var subscribed: Set<Address> = []
    var stored: [UInt8] = []
    var seen: (there: Set<Address>, subscribed: Set<Address>, stored: [UInt8]) = ([], [], [])
    func follow(_ report: HostReport) {
      switch report.event {
      case .centralConnected(let peer, _): seen.there.insert(peer)
      case .centralDisconnected(let peer, _):
        seen.there.remove(peer)
        seen.subscribed.remove(peer)
      case .subscribed(_, let peer, _): seen.subscribed.insert(peer)
      case .unsubscribed(_, let peer): seen.subscribed.remove(peer)
      case .valueWritten(_, _, let bytes): seen.stored = bytes
      default: break
      }
    }
    var newest = EventNumber(0)
    for round in 0..<8000 {
      let peer = random.next() & 1 == 0 ? Self.peer : Self.other
      switch random.next() % 6 {
      case 0 where !there.contains(peer):
        there.insert(peer)
        add(.centralConnected(peer, Self.info))
      case 1 where there.contains(peer):
        if subscribed.remove(peer) != nil { add(.unsubscribed(Self.value, peer)) }
        there.remove(peer)
        add(.centralDisconnected(peer, Self.gone))
      case 2 where there.contains(peer):
        subscribed.insert(peer)
        add(.subscribed(Self.value, peer, .notify))
      case 3 where there.contains(peer):
        subscribed.remove(peer)
        add(.unsubscribed(Self.value, peer))
      case 4 where there.contains(peer):
        stored = [UInt8(truncatingIfNeeded: round), UInt8(truncatingIfNeeded: round >> 8)]
        add(.valueWritten(Self.value, peer, stored))
      case 5 where random.next() % 10 == 0:
        // The client returns, reads some of it, commits some of that, and is killed.
        queue.begin()
        for message in queue.deliver() {
          guard case .report(let report)? = try? KeeperMessage(encoded: message) else { continue }
          #expect(report.number > queue.acknowledged)
          if random.next() % 60 == 0 { break }
          if report.number > newest { follow(report) }
          newest = max(newest, report.number)
        }
        if random.next() % 40 == 0 { _ = queue.acknowledge(newest) }
        queue.begin()
        if random.next() & 1 == 0 { try passOn() }
      default: break
      }
    }
    for report in reported() where report.number > newest { follow(report) }
    #expect(seen.there == there && seen.subscribed == subscribed && seen.stored == stored)
  }
}
