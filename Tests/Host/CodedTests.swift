import Exchange
import Packets
import Simulator
import Testing
import Vocabulary

@testable import Host

/// `use scan coded`: devices that advertise on the LE Coded PHY are heard and connected to.
@Suite struct CodedTests {
  /// A host, and another that advertises on LE Coded.
  private static func world(_ central: ControllerModel) -> PairWorld {
    var world = PairWorld()
    _ = world.add(Address(bits: 0x00_1B_DC_00_00_01, kind: .public), model: central)
    let far = world.add(LinkBench.strap, model: .coded)
    world.request(far, .advertise(AdvertisingPlan(services: [UUID(0x180D)], phy: .coded)))
    return world
  }

  private static func isHeard(_ world: PairWorld) -> Bool {
    world.events(0).contains {
      if case .advertisementReceived(_, let advertisement) = $0 { advertisement.address == LinkBench.strap } else { false }
    }
  }

  private static func link(_ world: PairWorld) -> LinkInfo? {
    world.events(0).lazy.compactMap { if case .connected(_, _, let info) = $0 { info } else { nil } }.first
  }

  @Test(arguments: [(ScanRequest.Duty.full, false), (.gentle, false), (.coded, true)])
  func onlyACodedScanHearsACodedDevice(_ duty: ScanRequest.Duty, _ isHeard: Bool) {
    var world = Self.world(.coded)
    world.request(0, .scan(ScanRequest(duty: duty)))
    world.run(.seconds(30))
    #expect(Self.isHeard(world) == isHeard)
  }

  /// Two clients with different requests, each of which hears what it asked for.
  @Test func aCodedScanRunsBesideOtherScans() {
    var world = Self.world(.coded)
    let near = world.add(Address(bits: 0xD0_00_00_00_00_02, kind: .random))
    world.request(near, .advertise(AdvertisingPlan(services: [UUID(0x180F)])))
    world.request(0, .scan(ScanRequest(duty: .gentle)))
    world.run(.seconds(2))
    let coded = world.request(0, .scan(ScanRequest(duty: .coded)))
    world.run(.seconds(5))
    #expect(Self.isHeard(world))
    #expect(
      world.events(0).contains {
        if case .advertisementReceived(coded, let heard) = $0 { heard.services == [UUID(0x180F)] } else { false }
      })
    // back to LE 1M when it has ended
    world.request(0, .cancel(coded))
    world.run(.seconds(1))
    let before = world.events(0).count
    world.run(.seconds(5))
    #expect(
      !world.events(0)[before...].contains {
        if case .advertisementReceived(_, let heard) = $0 { heard.address == LinkBench.strap } else { false }
      })
  }

  @Test(arguments: [false, true]) func aCodedDeviceIsConnectedOnItsPHY(_ pending: Bool) {
    var world = Self.world(.coded)
    world.request(0, .connect(ConnectRequest(peer: LinkBench.strap, pending: pending, coded: true)))
    #expect(world.run(.seconds(30)) { Self.link($0) != nil })
    #expect(Self.link(world)?.phy == "coded")
  }

  @Test func withoutCodedTheHostInitiatesOnLE1M() {
    var world = Self.world(.coded)
    world.request(0, .connect(ConnectRequest(peer: LinkBench.strap, pending: true)))
    world.run(.minutes(2))
    #expect(Self.link(world) == nil)
  }

  /// The request fails, and others continue.
  @Test(arguments: [ControllerModel.legacy, .extended]) func anAdapterWithoutCodedPHYRefusesTheRequest(_ model: ControllerModel) {
    var world = Self.world(model)
    let near = world.add(Address(bits: 0xD0_00_00_00_00_02, kind: .random))
    world.request(near, .advertise(AdvertisingPlan(services: [UUID(0x180F)])))
    let full = world.request(0, .scan(ScanRequest(duty: .full)))
    for command: HostCommand in [
      .scan(ScanRequest(duty: .coded)), .connect(ConnectRequest(peer: LinkBench.strap, pending: false, coded: true)),
      .connect(ConnectRequest(peer: LinkBench.strap, pending: true, coded: true)),
    ] {
      let id = world.request(0, command)
      world.run(.milliseconds(100))
      let failure = world.events(0).lazy.compactMap { event -> Failure? in
        if case .completed(id, .failure(let failure)) = event { failure } else { nil }
      }.first
      #expect(failure?.kind == .adapter)
      #expect(failure?.message == "this adapter has no LE Coded PHY")
    }
    world.run(.seconds(3))
    #expect(world.events(0).contains { if case .advertisementReceived(full, _) = $0 { true } else { false } })
  }
}
