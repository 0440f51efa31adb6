import Exchange
import Packets
import Simulator
import Testing
import Vocabulary

@testable import Host

/// PHY and connection interval as requested by clients.
@Suite struct LinkRequestTests {
  private static let watch = Address(bits: 0x00_1B_DC_0A_0B_0C, kind: .public)
  private static let strap = LinkBench.strap

  private func linked(_ model: ControllerModel) -> PairWorld {
    var world = PairWorld(seed: 3)
    _ = world.add(Self.watch, model: model, HostConfiguration(profile: .fast))
    let peripheral = world.add(Self.strap, model: model)
    world.request(peripheral, .publish(ServerTable(name: "strap", services: [])))
    world.request(peripheral, .advertise(AdvertisingPlan(services: [UUID(0x180D)])))
    let id = world.request(0, .connect(ConnectRequest(peer: Self.strap, pending: false)))
    world.expect(within: .seconds(10)) { $0.isConnected(0, id) }
    return world
  }

  private func newest(_ world: PairWorld) -> LinkInfo? {
    world.events(0).reversed().lazy.compactMap { if case .linkChanged(_, let info) = $0 { info } else { nil } }.first
  }

  @Test(arguments: [
    LinkRequest.interval(shortest: 12, longest: 12, latency: 0), .interval(shortest: 80, longest: 100, latency: 2),
    .interval(shortest: 3200, longest: 3200, latency: 0), .phy(.le2M), .phy(.le1M),
  ]) func theNegotiatedParametersAreReported(_ wanted: LinkRequest) {
    var world = linked(.extended)
    let id = world.request(0, .gatt(Self.strap, .adjust(wanted)))
    world.expect(within: .seconds(30)) { $0.outcome(0, id) != nil }
    guard case .success(.done)? = world.outcome(0, id) else {
      Issue.record("\(String(describing: world.outcome(0, id)))")
      return
    }
    switch wanted {
    case .interval(_, let longest, let latency):
      let info = newest(world)
      #expect(info?.interval == .microseconds(Int64(longest) * 1250) && info?.latency == latency)
      // Longer than two intervals including the events that may be skipped.
      #expect((info?.supervisionTimeout ?? .zero) > .microseconds(Int64(longest) * 1250 * 2 * Int64(latency + 1)))
    case .phy(.le2M): #expect(newest(world)?.phy == "2M")
    case .phy: break
    }
    #expect(world.air.violations == 0)
  }

  @Test func severalRequestsRunOneAfterAnother() {
    var world = linked(.extended)
    let ids = [
      LinkRequest.interval(shortest: 12, longest: 12, latency: 0), .phy(.le2M), .interval(shortest: 24, longest: 24, latency: 0),
    ]
    .map { world.request(0, .gatt(Self.strap, .adjust($0))) }
    world.expect(within: .seconds(30)) { world in ids.allSatisfy { world.outcome(0, $0) == .success(.done) } }
    #expect(newest(world)?.interval == .milliseconds(30) && newest(world)?.phy == "2M")
  }

  @Test func unsupportedRequestsAreRefusedAtOnce() {
    for (model, phy) in [(ControllerModel.legacy, LinkRequest.PHY.le2M), (.extended, .coded)] {
      var world = linked(model)
      let id = world.request(0, .gatt(Self.strap, .adjust(.phy(phy))))
      guard case .failure(let failure)? = world.outcome(0, id) else {
        Issue.record("no failure")
        continue
      }
      #expect(failure.kind == .adapter)
    }
  }

  @Test func refusalLossAndCancelEndARequest() {
    var bench = LinkBench()
    bench.request(.connect(ConnectRequest(peer: Self.strap, pending: false)))
    bench.connectionComplete(Self.strap)
    bench.mtuResponse()
    let wanted = HostCommand.gatt(Self.strap, .adjust(.interval(shortest: 12, longest: 12, latency: 0)))
    let first = bench.request(wanted)
    bench.event(
      .leConnectionUpdateComplete(
        ConnectionUpdateComplete(
          status: .unsupportedRemoteFeature, handle: ConnectionHandle(0x40), interval: 24, latency: 0, supervisionTimeout: 500)))
    #expect(bench.failure(first)?.kind == .refused)
    let second = bench.request(wanted)
    let third = bench.request(wanted)
    let fourth = bench.request(wanted)
    bench.request(.cancel(third))
    #expect(bench.failure(third)?.kind == .cancelled && bench.outcome(second) == nil)
    bench.disconnectionComplete(0x40, .connectionTimeout)
    #expect(bench.failure(second)?.kind == .disconnected && bench.failure(fourth)?.kind == .disconnected)
    let fifth = bench.request(wanted)
    #expect(bench.failure(fifth)?.kind == .disconnected)
  }
}
