import Exchange
import Packets
import Simulator
import Testing
import Vocabulary

@testable import Host

/// Central, air and peripheral, with a GATT server at the end.
@Suite struct GattPairTests {
  private static let watch = Address(bits: 0x00_1B_DC_0A_0B_0C, kind: .public)
  private static let strap = LinkBench.strap
  private static let measurement = ServerAttributeID(1)
  private static let location = ServerAttributeID(2)
  private static let control = ServerAttributeID(3)
  private static let stream = ServerAttributeID(4)

  private static let table = ServerTable(
    name: "strap",
    services: [
      .init(
        uuid: UUID(0x180D),
        characteristics: [
          .init(id: measurement, uuid: UUID(0x2A37), properties: [.notify]),
          .init(id: location, uuid: UUID(0x2A38), properties: [.read], value: [0x01]),
          .init(id: control, uuid: UUID(0x2A39), properties: [.write], asksBeforeWrite: true),
          .init(id: stream, uuid: UUID(0x2A3D), properties: [.writeWithoutResponse, .indicate], asksBeforeWrite: true),
        ])
    ])

  private static func path(_ short: UInt16) -> AttributePath {
    AttributePath(form: .named(service: nil, characteristic: .init(UUID(short)), descriptor: nil), text: "0x\(Hex.text(short))")
  }

  /// A central (0) linked to a peripheral (1) that serves.
  private func linked(
    seed: UInt64 = 1, _ model: ControllerModel = .legacy, _ other: ControllerModel = .legacy, pending: Bool = false
  ) -> PairWorld {
    var world = PairWorld(seed: seed)
    _ = world.add(Self.watch, model: model, HostConfiguration(profile: .fast))
    _ = world.add(Self.strap, model: other)
    world.request(1, .publish(Self.table))
    world.request(1, .advertise(AdvertisingPlan(services: [UUID(0x180D)], name: "strap")))
    let id = world.request(0, .connect(ConnectRequest(peer: Self.strap, pending: pending)))
    world.expect(within: .seconds(10)) { $0.isConnected(0, id) }
    return world
  }

  private static let models: [(ControllerModel, ControllerModel)] = [
    (.legacy, .legacy), (.extended, .extended),
    (ControllerModel(aclLength: 27, aclCount: 2, sharesBuffers: true, dataLength: 27), ControllerModel(aclLength: 27, aclCount: 1)),
  ]

  private func value(_ world: PairWorld, _ station: Int, _ id: OperationID) -> [UInt8]? {
    if case .success(.value(let bytes, _)) = world.outcome(station, id) { bytes } else { nil }
  }

  private func notifications(_ world: PairWorld) -> [[UInt8]] {
    world.events(0).compactMap { if case .notificationReceived(_, _, let bytes, _) = $0 { bytes } else { nil } }
  }

  @Test(arguments: 0..<3) func readSubscribeNotify(_ model: Int) {
    let (first, second) = Self.models[model]
    var world = linked(first, second)
    let read = world.request(0, .gatt(Self.strap, .read(Self.path(0x2A38))))
    world.expect(within: .seconds(5)) { value($0, 0, read) == [0x01] }
    let subscribe = world.request(0, .gatt(Self.strap, .subscribe(Self.path(0x2A37))))
    world.expect(within: .seconds(5)) { if case .success(.subscribed) = $0.outcome(0, subscribe) { true } else { false } }
    #expect(world.events(1).contains(.subscribed(Self.measurement, Self.watch, .notify)))
    for beat in 60..<70 as Range<UInt8> {
      world.request(1, .publishValue(attribute: Self.measurement, value: [0, beat], kind: .notify, to: nil))
    }
    world.expect(within: .seconds(5)) { notifications($0).count == 10 }
    #expect(notifications(world) == (60..<70).map { [0, UInt8($0)] })
    #expect(world.air.violations == 0)
  }

  @Test(arguments: 0..<3) func rule07ABurstOfTwentyThousandNotificationsLosesNone(_ model: Int) {
    let (first, second) = Self.models[model]
    var world = linked(first, second)
    world.stations[0].acknowledges = false
    let subscribe = world.request(0, .gatt(Self.strap, .subscribe(Self.path(0x2A37))))
    world.expect(within: .seconds(5)) { $0.outcome(0, subscribe) != nil }
    world.stations[0].reports = []
    let total = 20_000
    var sent = 0
    var received = 0
    var inOrder = true
    while received < total, world.now < Moment.zero + .hours(2) {
      // as fast as they are accepted
      var waiting = 0
      for report in world.stations[1].reports { if case .completed = report.event { waiting += 1 } }
      world.stations[1].reports = []
      for _ in 0..<(sent == 0 ? 64 : waiting) where sent < total {
        let number = UInt32(sent)
        world.request(
          1,
          .publishValue(
            attribute: Self.measurement,
            value: (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } + [UInt8](repeating: 7, count: 16), kind: .notify,
            to: nil))
        sent += 1
      }
      world.run(.milliseconds(20))
      for bytes in notifications(world) {
        let number = bytes.prefix(4).enumerated().reduce(0) { $0 | Int($1.element) << ($1.offset * 8) }
        if number != received { inOrder = false }
        received += 1
      }
      world.stations[0].reports = []
    }
    #expect(received == total)
    #expect(inOrder)
    #expect(world.air.violations == 0)
  }

  @Test func rule19WritesWithoutResponseArePacedByTheCredits() {
    var world = linked(ControllerModel(aclCount: 2), .legacy)
    var ids: [OperationID] = []
    for number in 0..<500 as Range<UInt16> {
      ids.append(
        world.request(
          0, .gatt(Self.strap, .writeWithoutResponse(Self.path(0x2A3D), [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]))))
    }
    world.expect(within: .minutes(5)) { $0.outcome(0, ids[499]) != nil }
    world.run(.seconds(2))
    for id in ids { #expect(world.outcome(0, id) == .success(.done)) }
    let written = world.events(1).compactMap { event -> [UInt8]? in
      if case .writeRequested(_, Self.stream, _, let bytes, false) = event { bytes } else { nil }
    }
    #expect(written == (0..<500 as Range<UInt16>).map { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
    #expect(world.air.violations == 0)
  }

  @Test func aLossAndAReconnectionThroughThePendingConnection() {
    var world = linked(pending: true)
    world.air.vanish(world.stations[1].id, at: world.now)
    let read = world.request(0, .gatt(Self.strap, .read(Self.path(0x2A38))))
    world.expect(within: .seconds(10)) { $0.outcome(0, read) != nil }
    guard case .failure(let failure) = world.outcome(0, read) else {
      Issue.record("read over nothing")
      return
    }
    #expect(failure.kind == .disconnected)
    let again = world.request(0, .connect(ConnectRequest(peer: Self.strap, pending: true)))
    world.run(.minutes(10))
    world.air.appear(world.stations[1].id, at: world.now)
    world.expect(within: .minutes(1)) { $0.isConnected(0, again) }
    let second = world.request(0, .gatt(Self.strap, .read(Self.path(0x2A38))))
    world.expect(within: .seconds(5)) { value($0, 0, second) == [0x01] }
  }

  @Test func rule10OneHungLinkEndsAfterThirtySecondsAndNeverBlocksAnother() {
    var world = linked()
    _ = world.add(LinkBench.meter)
    world.request(2, .publish(Self.table))
    world.request(2, .advertise(AdvertisingPlan(services: [])))
    let other = world.request(0, .connect(ConnectRequest(peer: LinkBench.meter, pending: false)))
    world.expect(within: .seconds(10)) { $0.isConnected(0, other) }
    world.run(.seconds(2))
    world.air.loseNextReply(world.stations[1].id, then: .silence, at: world.now)
    let asked = world.now
    let hung = world.request(0, .gatt(Self.strap, .read(Self.path(0x2A38))))
    world.settle()
    for _ in 0..<5 {
      let read = world.request(0, .gatt(LinkBench.meter, .read(Self.path(0x2A38))))
      world.expect(within: .seconds(5)) { value($0, 0, read) == [0x01] }
    }
    world.expect(within: .seconds(40)) { $0.outcome(0, hung) != nil }
    #expect(world.now - asked >= .seconds(30))
    #expect(world.now - asked < .milliseconds(30_100))
    guard case .failure(let failure) = world.outcome(0, hung) else {
      Issue.record("answered")
      return
    }
    #expect(failure.kind == .timeout)
    world.expect(within: .seconds(10)) { world in
      world.events(0).contains { if case .disconnected(Self.strap, _) = $0 { true } else { false } }
    }
    // then it is connected again
    let again = world.request(0, .connect(ConnectRequest(peer: Self.strap, pending: false)))
    world.expect(within: .seconds(10)) { $0.isConnected(0, again) }
    let read = world.request(0, .gatt(LinkBench.meter, .read(Self.path(0x2A38))))
    world.expect(within: .seconds(5)) { value($0, 0, read) == [0x01] }
  }

  @Test func aHostThatDiedComesBackThroughAReset() {
    var world = linked()
    world.air.hostGone(world.stations[0].id, at: world.now)
    world.stations[0].host = LEHost(configuration: HostConfiguration())
    world.run(.seconds(2))
    world.input(0, .started(seed: 1))
    world.stations[0].reports = []
    world.stations[0].lastID = 1000
    let id = world.request(0, .connect(ConnectRequest(peer: Self.strap, pending: true)))
    world.expect(within: .seconds(30)) { $0.isConnected(0, id) }
    let read = world.request(0, .gatt(Self.strap, .read(Self.path(0x2A38))))
    world.expect(within: .seconds(5)) { value($0, 0, read) == [0x01] }
  }

  @Test func theOwnerAnswersAWrite() {
    var world = linked()
    let accepted = world.request(0, .gatt(Self.strap, .write(Self.path(0x2A39), [1])))
    func asked(_ world: PairWorld, _ value: [UInt8]) -> ServerRequestID? {
      for case .writeRequested(let id, Self.control, Self.watch, value, true) in world.events(1) { return id }
      return nil
    }
    world.expect(within: .seconds(5)) { asked($0, [1]) != nil }
    #expect(world.outcome(0, accepted) == nil)
    if let id = asked(world, [1]) { world.request(1, .answer(id, .accept)) }
    world.expect(within: .seconds(5)) { $0.outcome(0, accepted) == .success(.done) }
    let refused = world.request(0, .gatt(Self.strap, .write(Self.path(0x2A39), [2])))
    world.expect(within: .seconds(5)) { asked($0, [2]) != nil }
    if let id = asked(world, [2]) { world.request(1, .answer(id, .refuse(0x80))) }
    world.expect(within: .seconds(5)) { $0.outcome(0, refused) != nil }
    guard case .failure(let failure) = world.outcome(0, refused) else {
      Issue.record("accepted")
      return
    }
    #expect(failure.kind == .refused)
    #expect(failure.code == 0x80)
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>) func lossOnTheAirLosesNoNotification(_ seed: UInt64) {
    var world = linked(seed: seed)
    world.air.loss = 0.2
    let subscribe = world.request(0, .gatt(Self.strap, .subscribe(Self.path(0x2A37))))
    world.run(.seconds(10)) { $0.outcome(0, subscribe) != nil }
    for beat in 0..<200 as Range<UInt8> {
      world.request(1, .publishValue(attribute: Self.measurement, value: [0, beat], kind: .notify, to: nil))
      world.run(.milliseconds(20))
    }
    world.run(.seconds(10))
    let isLost = world.events(0).contains { if case .disconnected = $0 { true } else { false } }
    // a link layer repeats until it is acknowledged, so data is lost only at the end of the link
    let heard = notifications(world).map { Int($0[1]) }
    #expect(heard == Array(0..<heard.count))
    #expect(isLost || heard.count == 200)
  }
}
