import Exchange
import KeeperProcess
import Packets
import Simulator
import Testing
import Vocabulary

@testable import Host

/// Pairings and encryption that the air disturbs in every phase, on either side: each ends in time
/// with a failure of the right kind, and the next pairing works.
@Suite struct PairingDisturbanceTests {
  private static let watch = Address(bits: 0x00_1B_DC_0A_0B_0C, kind: .public)
  private static let lock = LinkBench.strap
  private static let open = AttributePath(form: .handle(AttributeHandle(3)), text: "3")

  /// The PDUs of Just Works up to encryption, by their sender: legacy, and with Secure Connections.
  private static let codes: [[[UInt8]]] = [
    [[0x01, 0x03, 0x04], [0x02, 0x03, 0x04]],
    [[0x01, 0x0C, 0x04, 0x0D], [0x02, 0x0C, 0x03, 0x04, 0x0D]],
  ]

  private func request(_ isSecure: Bool) -> PairRequest {
    PairRequest(offersSecureConnections: isSecure, replacesLost: true)
  }

  /// A central (0) linked to a peripheral (1).
  private func linked(_ isSecure: Bool) -> PairWorld {
    var world = PairWorld(seed: 3)
    _ = world.add(Self.watch, HostConfiguration(profile: .fast), toolbox: Toolbox(entropy: .seeded(SplitMix(seed: 3))))
    _ = world.add(Self.lock, toolbox: Toolbox(entropy: .seeded(SplitMix(seed: 4))))
    world.request(
      1,
      .publish(
        ServerTable(
          name: "lock",
          services: [
            .init(uuid: UUID(0xFFF0), characteristics: [.init(id: ServerAttributeID(1), uuid: UUID(0xFFF1), properties: [.read])])
          ], pairing: PairRequest(offersSecureConnections: isSecure))))
    world.request(1, .advertise(AdvertisingPlan(services: [UUID(0xFFF0)], name: "lock")))
    connect(&world, isSecure)
    return world
  }

  @discardableResult
  private func connect(_ world: inout PairWorld, _ isSecure: Bool, within span: TimeSpan = .seconds(15)) -> OperationID {
    let id = world.request(0, .connect(ConnectRequest(peer: Self.lock, pending: false, pairing: request(isSecure))))
    world.run(span) { $0.isConnected(0, id) || $0.outcome(0, id) != nil }
    return id
  }

  private func pair(_ world: inout PairWorld, _ isSecure: Bool, renews: Bool = false) -> OperationID {
    world.request(0, .gatt(Self.lock, .pair(request(isSecure), renews: renews)))
  }

  private func failure(_ world: PairWorld, _ id: OperationID) -> Failure? {
    if case .failure(let failure)? = world.outcome(0, id) { failure } else { nil }
  }

  private func isPaired(_ world: PairWorld, _ id: OperationID) -> Bool {
    if case .success(.paired)? = world.outcome(0, id) { true } else { false }
  }

  /// Both ends come to rest, a link that is left can be used, and the device can be paired again.
  private func recovers(_ world: inout PairWorld, _ isSecure: Bool, _ label: String) {
    for station in world.stations { world.air.leavePairing(station.id, at: world.now) }
    world.run(.seconds(45)) { $0.stations.allSatisfy { !$0.host.links.contains { $0.security.isBusy } } }
    #expect(!world.stations.contains { $0.host.links.contains { $0.security.isBusy } }, "\(label): a pairing goes on")
    world.run(.seconds(2))
    if world.stations[0].host.links.isEmpty {
      let id = connect(&world, isSecure, within: .seconds(60))
      #expect(world.isConnected(0, id), "\(label): no new link: \(String(describing: world.outcome(0, id)))")
    } else {
      let read = world.request(0, .gatt(Self.lock, .read(Self.open)))
      world.run(.seconds(5)) { $0.outcome(0, read) != nil }
      #expect(failure(world, read) == nil && world.outcome(0, read) != nil, "\(label): the link that was left is of no use")
    }
    let again = pair(&world, isSecure)
    world.run(.seconds(45)) { $0.outcome(0, again) != nil }
    #expect(isPaired(world, again), "\(label): then \(String(describing: world.outcome(0, again)))")
    world.run(.seconds(2))
    #expect(
      world.stations[0].host.bondedPeers == [Self.lock] && world.stations[1].host.bondedPeers == [Self.watch],
      "\(label): \(world.stations.map(\.host.bondedPeers))")
    #expect(world.air.violations == 0, "\(label)")
  }

  @Test(arguments: [false, true], [0, 1]) func everyPhaseOfAPairing(isSecure: Bool, sender: Int) {
    for code in Self.codes[isSecure ? 1 : 0][sender] {
      for disturbance in [PairingDisturbance.loss, .silence, .refusal(0x08), .refusal(0x05)] {
        var world = linked(isSecure)
        let label = "\(isSecure ? "secure" : "legacy"), 0x\(Hex.text(code)) of \(sender): \(disturbance)"
        world.air.disturbPairing(world.stations[sender].id, code: code, disturbance, at: world.now)
        let id = pair(&world, isSecure)
        let start = world.now
        world.run(.seconds(45)) { $0.outcome(0, id) != nil }
        #expect(world.now - start <= .seconds(31), "\(label): it took \(world.now - start)")
        let failure = failure(world, id)
        if case .refusal(let reason) = disturbance, sender == 1 {
          #expect(failure?.kind == .refused && failure?.code == UInt16(reason), "\(label): \(String(describing: failure))")
        } else {
          // After a lost public key, the next PDU is out of its phase.
          #expect(
            failure.map { [.timeout, .disconnected, .refused].contains($0.kind) } == true,
            "\(label): \(String(describing: world.outcome(0, id)))")
        }
        #expect(failure?.hint?.isEmpty == false, "\(label)")
        recovers(&world, isSecure, label)
      }
    }
  }

  /// The disturbances of encryption, and whether it works nevertheless.
  private static let ofEncryption: [(EncryptionDisturbance, station: Int, works: Bool)] = [
    (.keyRequestLost, 1, false), (.changeLost, 0, false), (.changeLost, 1, false),
    (.changeLate(.milliseconds(200)), 0, true), (.changeLate(.milliseconds(200)), 1, true),
    (.changeLate(.seconds(20)), 0, true), (.changeLate(.seconds(20)), 1, true),
  ]

  @Test(arguments: [false, true], 0..<7) func theEncryptionOfAPairing(isSecure: Bool, number: Int) {
    let (disturbance, station, works) = Self.ofEncryption[number]
    var world = linked(isSecure)
    let label = "\(isSecure ? "secure" : "legacy"), \(disturbance) at \(station)"
    world.air.disturbEncryption(world.stations[station].id, disturbance, at: world.now)
    let id = pair(&world, isSecure)
    let start = world.now
    world.run(.minutes(2)) { $0.outcome(0, id) != nil }
    #expect(world.now - start <= .seconds(51), "\(label): it took \(world.now - start)")
    #expect(isPaired(world, id) == works, "\(label): \(String(describing: world.outcome(0, id)))")
    if !works {
      #expect(
        failure(world, id).map { [.timeout, .disconnected].contains($0.kind) } == true,
        "\(label): \(String(describing: world.outcome(0, id)))")
    }
    recovers(&world, isSecure, label)
  }

  /// With a bond, encryption comes before the link is ready.
  @Test(arguments: [false, true], 0..<7) func theEncryptionOfABondedLink(isSecure: Bool, number: Int) {
    let (disturbance, station, works) = Self.ofEncryption[number]
    var world = linked(isSecure)
    let label = "\(isSecure ? "secure" : "legacy"), \(disturbance) at \(station)"
    let first = pair(&world, isSecure)
    world.expect(within: .seconds(10)) { $0.outcome(0, first) != nil }
    world.request(0, .disconnect(Self.lock))
    world.run(.seconds(2))
    let bonds = world.stations.map { $0.host.bonds.bonds }
    world.air.disturbEncryption(world.stations[station].id, disturbance, at: world.now)
    let start = world.now
    let id = connect(&world, isSecure, within: .minutes(2))
    #expect(world.now - start <= .seconds(42), "\(label): it took \(world.now - start)")
    // The peripheral's host need not know that the link is encrypted.
    let isReady = works || station == 1 && disturbance == .changeLost
    #expect(world.isConnected(0, id) == isReady, "\(label): \(String(describing: world.outcome(0, id)))")
    #expect(world.events(0).contains(.encrypting(Self.lock)))
    if !isReady {
      #expect(
        failure(world, id).map { [.timeout, .disconnected, .unreachable].contains($0.kind) } == true,
        "\(label): \(String(describing: world.outcome(0, id)))")
    }
    #expect(world.stations.map { $0.host.bonds.bonds } == bonds, "\(label): a bond has changed")
    recovers(&world, isSecure, label)
  }
}
