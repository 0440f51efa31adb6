import Exchange
import Host
import Session
import Vocabulary
import World

/// A single scanning host that counts what it reports.
enum ListeningHost {
  /// Returns how many of these packets are reported to a scanning client.
  static func reported(_ packets: [[UInt8]]) throws -> Int {
    let loaded = RecipeLoader.parse(name: "devices.ble", Array(Devices.strap.utf8))
    guard let recipe = loaded.recipe else { throw BenchFailure(loaded) }
    let air = try SimulatedAir(recipe: recipe, sources: loaded.sources, seed: 1, at: .simulationStart)
    let controller = air.addController(name: "listener", at: .simulationStart)
    var node = HostNode()
    var now = Instant.simulationStart
    var told = 0
    var isReady = false
    func feed(_ input: HostInput) {
      let output = node.feed(input, at: now)
      for packet in output.packets { air.send(packet, from: controller, at: now) }
      for report in output.reports {
        switch report.event {
        case .adapterReady: isReady = true
        case .advertisementReceived: told += 1
        default: break
        }
      }
    }
    func pass(_ span: TimeSpan) {
      let end = now + span
      while true {
        air.run(to: now)
        let packets = air.take(for: controller)
        for packet in packets { feed(.packet(packet)) }
        if !packets.isEmpty { continue }
        guard let next = air.nextMoment, next <= end.moment else { break }
        if next > now.moment { now = now + (next - now.moment) }
      }
      now = end
    }
    feed(.started(seed: 1))
    pass(.milliseconds(500))
    guard isReady else { throw BenchFailure("the host is not ready") }
    feed(.request(HostRequest(id: OperationID(1), command: .scan(ScanRequest(duty: .full)))))
    pass(.milliseconds(500))
    told = 0
    for packet in packets { feed(.packet(packet)) }
    return told
  }
}
