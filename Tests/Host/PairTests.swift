import Exchange
import Packets
import Simulator
import Testing
import Vocabulary

@testable import Host

/// Two hosts, each on its virtual controller, with the air between them.
@Suite struct PairTests {
  private static let watch = Address(bits: 0x00_1B_DC_0A_0B_0C, kind: .public)
  private static let strap = LinkBench.strap
  private static let plan = AdvertisingPlan(services: [UUID(0x180D)], name: "strap")

  /// A central (0) and a peripheral (1) that advertises.
  private func pair(
    seed: UInt64 = 1, _ model: ControllerModel = .legacy, _ other: ControllerModel = .legacy, advertises: Bool = true,
    _ configuration: HostConfiguration = HostConfiguration()
  ) -> PairWorld {
    var world = PairWorld(seed: seed)
    _ = world.add(Self.watch, model: model, configuration)
    _ = world.add(Self.strap, model: other)
    if advertises { world.request(1, .advertise(Self.plan)) }
    world.settle()
    return world
  }

  private static let models: [(ControllerModel, ControllerModel)] = [
    (.legacy, .legacy), (.extended, .extended), (.legacy, .extended), (.extended, .legacy),
    (ControllerModel(aclLength: 27, aclCount: 2, sharesBuffers: true, dataLength: 27), ControllerModel(aclLength: 27, aclCount: 1)),
  ]

  @Test(arguments: 0..<5) func aScanHearsWhatIsAdvertised(_ model: Int) {
    let (first, second) = Self.models[model]
    var world = pair(first, second)
    let scan = world.request(0, .scan(ScanRequest(duty: .full)))
    let isHeard = world.run(.seconds(2)) { world in
      world.events(0).contains {
        if case .advertisementReceived(scan, let found) = $0 {
          found.address == Self.strap && found.name == "strap" && found.services == [UUID(0x180D)] && found.connectable
        } else {
          false
        }
      }
    }
    #expect(isHeard)
    #expect(world.air.violations == 0)
  }

  @Test(arguments: 0..<5) func aCentralConnectsAndDisconnects(_ model: Int) {
    let (first, second) = Self.models[model]
    var world = pair(first, second)
    let id = world.request(0, .connect(ConnectRequest(peer: Self.strap, pending: false)))
    world.expect(within: .seconds(3)) { $0.isConnected(0, id) }
    #expect(world.events(1).contains { if case .centralConnected(Self.watch, _) = $0 { true } else { false } })
    let end = world.request(0, .disconnect(Self.strap))
    world.expect(within: .seconds(3)) { $0.outcome(0, end) != nil }
    #expect(world.events(0).contains(.disconnected(Self.strap, .asked)))
    world.run(.seconds(1))
    #expect(
      world.events(1).contains(.centralDisconnected(Self.watch, DisconnectReason(code: 0x13, text: "closed by the peer"))))
    // and it advertises again
    let again = world.request(0, .connect(ConnectRequest(peer: Self.strap, pending: false)))
    world.expect(within: .seconds(3)) { $0.isConnected(0, again) }
    #expect(world.air.violations == 0)
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func aPendingConnectionWaitsForALatePeer(_ seed: UInt64) {
    var world = pair(seed: seed)
    let first = world.request(0, .connect(ConnectRequest(peer: Self.strap, pending: true)))
    world.expect(within: .seconds(10)) { $0.isConnected(0, first) }
    world.air.vanish(world.stations[1].id, at: world.now)
    let lostAt = world.now
    let isLost: (PairWorld) -> Bool = { world in
      world.events(0).contains(.disconnected(Self.strap, DisconnectReason(code: 0x08, text: "out of range")))
    }
    world.expect(within: .seconds(10), isLost)
    // rule 8: the supervision timeout is the requested one
    #expect(world.now - lostAt <= .milliseconds(5100))
    #expect(world.now - lostAt >= .milliseconds(4900))
    let again = world.request(0, .connect(ConnectRequest(peer: Self.strap, pending: true)))
    let commands = world.stations[0].commandCount
    world.run(.days(2))
    #expect(!world.isConnected(0, again))
    // rule 14: no polling; once an hour the attempt is renewed with a refilled list, in four
    // commands
    #expect(world.stations[0].commandCount <= commands + 1 + 48 * 4)
    world.air.appear(world.stations[1].id, at: world.now)
    world.expect(within: .seconds(30)) { $0.isConnected(0, again) }
  }

  @Test func severalPeersAreWaitedForAtOnce() {
    var world = pair(advertises: false)
    _ = world.add(LinkBench.meter)
    let strap = world.request(0, .connect(ConnectRequest(peer: Self.strap, pending: true)))
    let meter = world.request(0, .connect(ConnectRequest(peer: LinkBench.meter, pending: true)))
    world.request(0, .scan(ScanRequest(duty: .gentle)))
    world.run(.minutes(1))
    world.request(2, .advertise(AdvertisingPlan(services: [], name: "meter")))
    world.expect(within: .seconds(30)) { $0.isConnected(0, meter) }
    #expect(!world.isConnected(0, strap))
    world.request(1, .advertise(Self.plan))
    world.expect(within: .seconds(30)) { $0.isConnected(0, strap) }
    #expect(world.air.violations == 0)
  }

  @Test(arguments: [false, true]) func rule01ThreeFailuresOfEstablishmentAreNotNoticed(_ isHeard: Bool) {
    var world = pair()
    world.air.failNextConnections(world.stations[1].id, count: 3, isHeard: isHeard, at: world.now)
    let id = world.request(0, .connect(ConnectRequest(peer: Self.strap, pending: false)))
    world.expect(within: .seconds(30)) { $0.isConnected(0, id) || $0.outcome(0, id) != nil }
    #expect(world.isConnected(0, id))
    #expect(!world.events(0).contains { if case .disconnected = $0 { true } else { false } })
  }

  @Test func rule01TheFourthFailureIsReported() {
    var world = pair()
    world.air.failNextConnections(world.stations[1].id, count: 4, at: world.now)
    let id = world.request(0, .connect(ConnectRequest(peer: Self.strap, pending: false)))
    world.expect(within: .seconds(30)) { $0.outcome(0, id) != nil }
    guard case .failure(let failure) = world.outcome(0, id) else {
      Issue.record("connected")
      return
    }
    #expect(failure.kind == .unreachable)
    #expect(failure.code == 0x3E)
  }

  @Test func rule16AVirtualControllerIsFull() {
    var world = pair(ControllerModel(maximumLinks: 1))
    _ = world.add(LinkBench.meter)
    world.request(2, .advertise(AdvertisingPlan(services: [])))
    let first = world.request(0, .connect(ConnectRequest(peer: Self.strap, pending: false)))
    world.expect(within: .seconds(5)) { $0.isConnected(0, first) }
    let second = world.request(0, .connect(ConnectRequest(peer: LinkBench.meter, pending: false)))
    world.expect(within: .seconds(5)) { $0.outcome(0, second) != nil }
    guard case .failure(let failure) = world.outcome(0, second) else {
      Issue.record("connected")
      return
    }
    #expect(failure.message.contains("no more than 1 link; held by \(Self.strap)"))
    let pending = world.request(0, .connect(ConnectRequest(peer: LinkBench.meter, pending: true)))
    world.run(.seconds(5))
    #expect(!world.isConnected(0, pending))
    world.request(0, .disconnect(Self.strap))
    world.expect(within: .seconds(5)) { $0.isConnected(0, pending) }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>) func lossIsSurvived(_ seed: UInt64) {
    var world = pair(seed: seed)
    world.air.loss = 0.3
    let id = world.request(0, .connect(ConnectRequest(peer: Self.strap, pending: true)))
    let isOver = world.run(.minutes(3)) { $0.isConnected(0, id) || $0.outcome(0, id) != nil }
    #expect(isOver)
    #expect(world.air.violations == 0)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>) func rule03CancellingAtAnyMomentLeavesNoLink(_ step: UInt64) {
    var world = pair(seed: step)
    let id = world.request(0, .connect(ConnectRequest(peer: Self.strap, pending: false)))
    world.run(.milliseconds(Int64(step) * 13))
    world.request(0, .cancel(id))
    if world.isConnected(0, id) { world.request(0, .disconnect(Self.strap)) }
    world.run(.seconds(10))
    #expect(world.stations[0].host.links.isEmpty)
    #expect(world.stations[0].host.arbiter.radio.initiator == .idle)
    #expect(world.air.liveLinks == 0)
    let again = world.request(0, .connect(ConnectRequest(peer: Self.strap, pending: false)))
    world.expect(within: .seconds(5)) { $0.isConnected(0, again) }
  }

  @Test func closingLeavesNoLinkScanOrAttempt() {
    var world = pair()
    let id = world.request(0, .connect(ConnectRequest(peer: Self.strap, pending: false)))
    world.run(.seconds(5)) { $0.isConnected(0, id) }
    world.request(0, .scan(ScanRequest(duty: .full)))
    world.request(0, .connect(ConnectRequest(peer: LinkBench.meter, pending: true)))
    world.run(.seconds(1))
    world.input(0, .closing)
    world.expect(within: .seconds(5)) { $0.stations[0].isClosed }
    world.run(.seconds(1))
    #expect(world.air.liveLinks == 0)
  }

  @Test func aHardwareErrorIsRecoveredFrom() {
    var world = pair()
    let id = world.request(0, .connect(ConnectRequest(peer: Self.strap, pending: true)))
    world.run(.seconds(5)) { $0.isConnected(0, id) }
    let again = world.request(0, .connect(ConnectRequest(peer: LinkBench.meter, pending: true)))
    world.air.hardwareError(world.stations[0].id, code: 1, at: world.now)
    world.settle()
    #expect(world.events(0).contains { if case .adapterAway = $0 { true } else { false } })
    #expect(!world.events(0).contains { if case .adapterLost = $0 { true } else { false } })
    _ = world.add(LinkBench.meter)
    world.request(2, .advertise(AdvertisingPlan(services: [])))
    world.expect(within: .seconds(30)) { $0.isConnected(0, again) }
  }
}
