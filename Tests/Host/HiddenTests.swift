import Exchange
import Packets
import Simulator
import Testing
import Vocabulary

@testable import Host

/// Secrets that are written and read back, in the packets that a host keeps.
@Suite struct HiddenTests {
  private static let watch = Address(bits: 0x00_1B_DC_0A_0B_0C, kind: .public)
  private static let code = ServerAttributeID(1)
  private static let table = ServerTable(
    name: "lock",
    services: [
      .init(
        uuid: UUID(0x180D),
        characteristics: [.init(id: code, uuid: UUID(0x2A39), properties: [.read, .write, .writeWithoutResponse], value: [1])])
    ])
  private static let path = AttributePath(
    form: .named(service: nil, characteristic: .init(UUID(0x2A39)), descriptor: nil), text: "code")

  /// Random packets do not contain any four bytes of it.
  private static func secret(_ count: Int) -> [UInt8] { (0..<count).map { 0x80 | UInt8(truncatingIfNeeded: $0 * 37 + $0 / 7) } }

  private func leaks(_ world: PairWorld, _ secret: [UInt8]) -> [[UInt8]] {
    let parts = (0...secret.count - 4).map { Array(secret[$0..<$0 + 4]) }
    return world.stations[0].host.lastPackets.map(\.bytes).filter { packet in parts.contains { packet.holds($0) } }
  }

  @Test(arguments: [
    ControllerModel.legacy, .extended, ControllerModel(aclLength: 27, aclCount: 2, sharesBuffers: true, dataLength: 27),
  ])
  func keptPacketsHoldNoSecret(model: ControllerModel) {
    for (count, long) in [(16, false), (20, false), (400, true)] {
      var world = PairWorld()
      _ = world.add(Self.watch, model: model, HostConfiguration(profile: .fast))
      _ = world.add(LinkBench.strap, model: model)
      world.request(1, .publish(Self.table))
      world.request(1, .advertise(AdvertisingPlan(services: [UUID(0x180D)], name: "lock")))
      let id = world.request(0, .connect(ConnectRequest(peer: LinkBench.strap, pending: false)))
      world.expect(within: .seconds(10)) { $0.isConnected(0, id) }
      let secret = Self.secret(count)
      var requests: [GattRequest] = [.write(Self.path, secret), .read(Self.path)]
      if !long { requests.append(.writeWithoutResponse(Self.path, secret)) }
      for request in requests {
        let asked = world.request(0, .gatt(LinkBench.strap, .hidden(request)))
        world.expect(within: .seconds(20)) { $0.outcome(0, asked) != nil }
        world.run(.seconds(1))
        if case .read = request, case .success(.value(let value, _)) = world.outcome(0, asked) { #expect(value == secret) }
        #expect(leaks(world, secret).isEmpty, "\(request)")
      }
      // Data that is not secret is kept unchanged.
      let open = world.request(0, .gatt(LinkBench.strap, .read(Self.path)))
      world.expect(within: .seconds(20)) { $0.outcome(0, open) != nil }
      #expect(!leaks(world, secret).isEmpty)
      #expect(world.air.violations == 0)
    }
  }
}
