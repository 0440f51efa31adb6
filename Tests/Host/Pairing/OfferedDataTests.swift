import Exchange
import KeeperProcess
import Packets
import Testing
import Vocabulary

@testable import Host

/// Our out-of-band data: created by a host, carried to the other end by hand, used once.
@Suite struct OfferedDataTests {
  private static let addresses = [Address(bits: 0x00_1B_DC_0A_0B_0C, kind: .public), LinkBench.strap]

  private static func table(_ outOfBand: OutOfBandData?) -> ServerTable {
    ServerTable(
      name: "lock",
      services: [
        .init(
          uuid: UUID(0xFFF0),
          characteristics: [.init(id: ServerAttributeID(1), uuid: UUID(0xFFF1), properties: [.read], protection: .authentication)])
      ], pairing: PairRequest(), outOfBand: outOfBand)
  }

  private func stations() -> PairWorld {
    var world = PairWorld(seed: 3)
    for (place, address) in Self.addresses.enumerated() {
      let configuration = place == 0 ? HostConfiguration(profile: .fast) : HostConfiguration()
      _ = world.add(address, configuration, toolbox: Toolbox(entropy: .seeded(SplitMix(seed: UInt64(3 + place)))))
    }
    return world
  }

  private func data(_ world: inout PairWorld, of station: Int) -> OutOfBandData? {
    let id = world.request(station, .offerOutOfBand)
    if case .success(.outOfBand(let data))? = world.outcome(station, id) { return data }
    return nil
  }

  private func link(_ world: inout PairWorld, _ tags: [OutOfBandData?]) {
    world.request(1, .publish(Self.table(tags[1])))
    world.request(1, .advertise(AdvertisingPlan(services: [UUID(0xFFF0)], name: "lock")))
    let id = world.request(0, .connect(ConnectRequest(peer: Self.addresses[1], pending: false, outOfBand: tags[0])))
    world.expect(within: .seconds(10)) { $0.isConnected(0, id) }
  }

  private func pair(_ world: inout PairWorld) -> Result<Outcome, Failure>? {
    let id = world.request(0, .gatt(Self.addresses[1], .pair(PairRequest(), renews: false)))
    world.expect(within: .seconds(20)) { $0.outcome(0, id) != nil }
    return world.outcome(0, id)
  }

  /// One end or both have data of the other: each is authenticated, and no user is asked.
  @Test(arguments: [[true, false], [false, true], [true, true]]) func offeredDataAuthenticateTheGiver(offers: [Bool]) {
    var world = stations()
    var tags: [OutOfBandData?] = [nil, nil]
    for station in 0...1 where offers[station] {
      let given = data(&world, of: station)
      #expect(given?.address == Self.addresses[station] && given?.secure != nil && given?.temporaryKey == nil)
      // as read from a tag
      tags[1 - station] = given.flatMap { try? OutOfBandData(structures: $0.structures) }
      #expect(tags[1 - station] == given)
      // unused data is given again
      #expect(data(&world, of: station) == given)
    }
    let keys = world.stations.compactMap { $0.host.offer?.secrets?.privateKey }
    #expect(keys.count == offers.count(where: { $0 }))
    link(&world, tags)
    guard case .success(.paired(let level))? = pair(&world) else {
      Issue.record("\(world.events(0))")
      return
    }
    #expect(level.isAuthenticated && level.isSecureConnections && world.air.violations == 0)
    #expect(world.stations.map(\.host.bondedPeers) == [[Self.addresses[1]], [Self.addresses[0]]])
    // no key of it outlives the pairing, and the next data differs
    for station in 0...1 where offers[station] {
      #expect(world.stations[station].host.offer != nil && world.stations[station].host.offer?.secrets == nil)
      let image = world.stations[station].host.encoded
      for key in keys { #expect(!image.indices.contains { image[$0...].starts(with: key) }) }
      let next = data(&world, of: station)
      #expect(next != nil && next != tags[1 - station])
    }
  }

  /// A second pairing cannot use the data, nor does it fall back to a weaker method.
  @Test(arguments: [0, 1]) func offeredDataServeOnePairing(giver: Int) {
    var world = stations()
    var tags: [OutOfBandData?] = [nil, nil]
    tags[1 - giver] = data(&world, of: giver)
    link(&world, tags)
    guard case .success? = pair(&world) else {
      Issue.record("\(world.events(0))")
      return
    }
    for station in 0...1 { world.request(station, .forgetBond(Self.addresses[1 - station])) }
    world.run(.seconds(2))
    // with the used data, and with none
    for tags in [tags, [nil, nil]] {
      link(&world, tags)
      guard case .failure(let failure)? = pair(&world) else {
        Issue.record("it was paired")
        continue
      }
      #expect(failure.kind == .refused, "\(failure)")
      world.request(0, .disconnect(Self.addresses[1]))
      world.run(.seconds(10))
    }
    #expect(world.stations.allSatisfy { $0.host.bondedPeers.isEmpty } && world.air.violations == 0)
  }

  /// Data of another key, and a random value that is not ours: each end detects it, and nothing is
  /// stored.
  @Test(arguments: [0, 1], [true, false]) func foreignDataAuthenticatesNoDevice(giver: Int, isKeyWrong: Bool) {
    var world = stations()
    guard var given = data(&world, of: giver) else {
      Issue.record("nothing is given")
      return
    }
    if isKeyWrong { given.secure?.confirmation[0] ^= 1 } else { given.secure?.random[15] ^= 0x80 }
    var tags: [OutOfBandData?] = [nil, nil]
    tags[1 - giver] = given
    link(&world, tags)
    guard case .failure(let failure)? = pair(&world) else {
      Issue.record("it was paired")
      return
    }
    #expect(failure.kind == .refused)
    #expect(world.stations.allSatisfy { $0.host.bondedPeers.isEmpty } && world.air.violations == 0)
    #expect(world.stations[giver].host.offer?.secrets == nil)
  }

  /// The data belongs to one client, and ends with it.
  @Test func offeredDataBelongToOneClient() {
    var world = stations()
    func offered(_ owner: UInt32) -> Result<Outcome, Failure>? {
      let id = OperationID(UInt64(owner))
      world.input(0, .request(HostRequest(owner: OwnerID(owner), id: id, command: .offerOutOfBand)))
      for report in world.stations[0].reports.reversed() where report.owner == OwnerID(owner) {
        if case .completed(id, let result) = report.event { return result }
      }
      return nil
    }
    guard case .success(.outOfBand(let first))? = offered(7) else {
      Issue.record("nothing is given")
      return
    }
    guard case .failure(let failure)? = offered(8) else {
      Issue.record("two clients give data away")
      return
    }
    #expect(failure.kind == .adapter)
    world.input(0, .dismissed(OwnerID(7)))
    #expect(world.stations[0].host.offer == nil)
    guard case .success(.outOfBand(let second))? = offered(9) else {
      Issue.record("nothing is given")
      return
    }
    #expect(first != second)
  }

  /// Data of another client does not make a pairing fail.
  @Test func offeredDataDoNotBindOtherClients() {
    var world = stations()
    world.input(0, .request(HostRequest(owner: OwnerID(7), id: OperationID(1), command: .offerOutOfBand)))
    link(&world, [nil, nil])
    guard case .success(.paired(let level))? = pair(&world) else {
      Issue.record("\(world.events(0))")
      return
    }
    #expect(!level.isAuthenticated && world.stations[0].host.offer?.secrets != nil)
  }

  /// Bytes that are not a private key are drawn again. Without libcrypto the offer fails with that
  /// reason.
  @Test func offeringFailsWithoutAKey() {
    var host = LEHost()
    func computed(_ outputs: [HostOutput]) -> (ComputationID, Computation)? {
      outputs.lazy.compactMap { if case .compute(let id, let what) = $0 { (id, what) } else { nil } }.first
    }
    host.phase = .ready
    let first = host.handle(.request(HostRequest(id: OperationID(1), command: .offerOutOfBand)), at: .simulationStart)
    guard let draw = computed(first), draw.1 == .random(48) else {
      Issue.record("\(first)")
      return
    }
    let zeros = [UInt8](repeating: 0, count: 48)
    guard let key = computed(host.handle(.computed(draw.0, .octets(zeros)), at: .simulationStart)),
      let again = computed(host.handle(.computed(key.0, .invalid), at: .simulationStart))
    else {
      Issue.record("it is not drawn again")
      return
    }
    #expect(again.1 == .random(48))
    let end = host.handle(.computed(again.0, .unavailable), at: .simulationStart)
    #expect(
      end.contains {
        if case .report(let report) = $0, case .completed(OperationID(1), .failure(let failure)) = report.event {
          return failure.message.contains("libcrypto")
        }
        return false
      })
    #expect(host.offer == nil)
  }
}
