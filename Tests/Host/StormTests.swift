import Exchange
import Packets
import Simulator
import Testing
import Vocabulary

@testable import Host

/// Random requests and random faults, by seed. Whatever happens, each request ends once, no credit
/// is lost, and nothing is left on the air.
@Suite struct StormTests {
  private static let watch = Address(bits: 0x00_1B_DC_0A_0B_0C, kind: .public)
  private static let peers = [LinkBench.strap, LinkBench.meter]

  private static let table = ServerTable(
    name: "storm",
    services: [
      .init(
        uuid: UUID(0x180D),
        characteristics: [
          .init(id: ServerAttributeID(1), uuid: UUID(0x2A37), properties: [.notify, .indicate]),
          .init(id: ServerAttributeID(2), uuid: UUID(0x2A38), properties: [.read, .write, .writeWithoutResponse], value: [0x01]),
        ])
    ])

  private static func path(_ short: UInt16) -> AttributePath {
    AttributePath(form: .named(service: nil, characteristic: .init(UUID(short)), descriptor: nil), text: "0x\(Hex.text(short))")
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>) func everyRequestEndsOnce(_ seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func random(_ bound: UInt64) -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state % bound
    }
    let models: [ControllerModel] = [
      .legacy, .extended, ControllerModel(aclLength: 27, aclCount: 2, sharesBuffers: true, maximumLinks: 1, dataLength: 27),
      ControllerModel(maximumLinks: 2, limitStatus: .limitedResources, filterAcceptListSize: 1),
    ]
    var world = PairWorld(seed: seed)
    _ = world.add(Self.watch, model: models[Int(random(4))])
    for peer in Self.peers { _ = world.add(peer, model: models[Int(random(3))], HostConfiguration(maximumCentrals: 1)) }
    for station in 1...2 {
      world.request(station, .publish(Self.table))
      world.request(station, .advertise(AdvertisingPlan(services: [UUID(0x180D)])))
    }
    var scans: [OperationID] = []
    var connects: [OperationID] = []
    var others: [OperationID] = []
    for _ in 0..<250 {
      let peer = Self.peers[Int(random(2))]
      let station = Int(random(2)) + 1
      switch random(23) {
      case 0, 1: scans.append(world.request(0, .scan(ScanRequest(duty: random(2) == 0 ? .full : .gentle))))
      case 2, 3: if let scan = scans.randomElement(by: random) { world.request(0, .cancel(scan)) }
      case 4, 5, 6: connects.append(world.request(0, .connect(ConnectRequest(peer: peer, pending: random(2) == 0))))
      case 7: if let connect = connects.randomElement(by: random) { world.request(0, .cancel(connect)) }
      case 8, 9: others.append(world.request(0, .disconnect(peer)))
      case 10: others.append(world.request(0, .gatt(peer, .read(Self.path(0x2A38)))))
      case 11: others.append(world.request(0, .gatt(peer, .subscribe(Self.path(0x2A37)))))
      case 12:
        others.append(world.request(0, .gatt(peer, .write(Self.path(0x2A38), [UInt8](repeating: 1, count: Int(random(300)))))))
      case 13: others.append(world.request(0, .gatt(peer, random(2) == 0 ? .readRSSI : .discover([]))))
      case 14: if let other = others.randomElement(by: random) { world.request(0, .cancel(other)) }
      case 15:
        for _ in 0..<20 {
          world.request(station, .publishValue(attribute: ServerAttributeID(1), value: [1], kind: .notify, to: nil))
        }
      case 16: world.air.drop(world.stations[station].id, atOnce: random(2) == 0, at: world.now)
      case 17:
        world.air.failNextConnections(world.stations[station].id, count: Int(random(5)), isHeard: random(2) == 0, at: world.now)
      case 18:
        if world.air.isVanished(world.stations[station].id) {
          world.air.appear(world.stations[station].id, at: world.now)
        } else {
          world.air.vanish(world.stations[station].id, at: world.now)
        }
      case 19: world.air.setLoss(world.stations[station].id, random(2) == 0 ? 0 : 0.3, at: world.now)
      case 20: world.request(station, random(2) == 0 ? .stopAdvertising : .advertise(AdvertisingPlan(services: [])))
      case 21:
        if random(4) == 0 {
          world.air.hardwareError(world.stations[0].id, code: 1, at: world.now)
          world.settle()
          world.input(0, .started(seed: seed))
        } else {
          world.air.slow(world.stations[station].id, by: .milliseconds(Int64(random(400))), at: world.now)
        }
      default: world.air.loseNextReply(world.stations[station].id, then: random(2) == 0 ? .silence : .linkTimesOut, at: world.now)
      }
      world.run(.milliseconds(Int64(random(700))))
    }
    for station in 0...2 {
      let host = world.stations[station].host
      let inFlight = host.links.reduce(0) { $0 + $1.outbox.inFlight }
      #expect(host.credits + inFlight == host.facts.aclCount)
    }
    world.input(0, .closing)
    world.expect(within: HostLimits.closing) { $0.stations[0].isClosed }
    #expect(world.stations[0].host.links.isEmpty)
    #expect(world.air.violations == 0)
    var ends: [OperationID: Int] = [:]
    for event in world.events(0) {
      switch event {
      case .completed(let id, _), .connected(let id, _, _): ends[id, default: 0] += 1
      default: break
      }
    }
    for id in scans + connects + others { #expect(ends[id] == 1, "\(id)") }
  }
}

extension Array {
  fileprivate func randomElement(by random: (UInt64) -> UInt64) -> Element? {
    isEmpty ? nil : self[Int(random(UInt64(count)))]
  }
}
