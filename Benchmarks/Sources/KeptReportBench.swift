import Exchange
import Keeper
import Session
import Vocabulary
import World

/// The cost of advertising reports at a keeper whose clients all look for something else, and what
/// the clients receive of them.
enum KeptReportBench {
  private static let senders = 200

  /// Sends this many reports, once every client knows every sender.
  static func run(_ count: Int, clients: Int) throws {
    let loaded = RecipeLoader.parse(name: "devices.ble", Array(Devices.strap.utf8))
    guard let recipe = loaded.recipe else { throw BenchFailure(loaded) }
    let air = try SimulatedAir(recipe: recipe, sources: loaded.sources, seed: 1, at: .simulationStart)
    let controller = air.addController(name: "keeper", at: .simulationStart)
    var keeper = Keeper(
      configuration: KeeperConfiguration(version: "1", adapter: "bench", user: 0), seed: 1, at: .simulationStart)
    var told = 0
    func feed(_ input: KeeperInput) {
      for output in keeper.handle(input, at: .simulationStart) {
        switch output {
        case .send(let packet): air.send(packet, from: controller, at: .simulationStart)
        case .deliver: told += 1
        case .compute(let id, _): feed(.computed(id, .unavailable))
        case .reopen, .drop, .log, .leave: break
        }
      }
    }
    func settle() {
      while true {
        air.run(to: .simulationStart)
        let packets = air.take(for: controller)
        if packets.isEmpty { return }
        for packet in packets { feed(.packet(packet)) }
      }
    }
    feed(.started(seed: 1))
    settle()
    for client in 1...UInt64(clients) {
      let connection = ConnectionID(client)
      feed(.arrived(connection, Credentials(process: 1, user: 0)))
      var identity = [UInt8](repeating: 0, count: 16)
      identity[0] = UInt8(truncatingIfNeeded: client)
      feed(
        .messageReceived(connection, KeeperMessage.hello(.init(version: "1", identity: identity, name: "client \(client)")).encoded)
      )
      let filter = ScanFilter(
        targets: [.service(UUID(UInt16(0xFE00 + client))), .name(Glob("Scale \(client) *"))], names: [Glob("S*")], strongerThan: -90
      )
      let scan = HostRequest(id: OperationID(1), command: .scan(ScanRequest(duty: .full, filter: filter)))
      feed(.messageReceived(connection, KeeperMessage.request(scan).encoded))
      settle()
    }
    guard keeper.connectedClients == clients else { throw BenchFailure("not every client was let in") }
    func acknowledge() {
      for client in 1...UInt64(clients) {
        let all = HostRequest(id: OperationID(0), command: .acknowledge(EventNumber(1 << 40)))
        feed(.messageReceived(ConnectionID(client), KeeperMessage.request(all).encoded))
      }
    }
    acknowledge()
    for sender in 0..<senders {
      feed(.packet(ReportBench.packet(sender, rssi: -60)))
      acknowledge()
    }
    guard told >= clients * senders else { throw BenchFailure("clients were told \(told) times who is there") }
    told = 0
    let packets = (0..<count).map { ReportBench.packet($0 % senders, rssi: Int8(-40 - ($0 &* 31 &+ 7) % 50)) }
    let time = Report.best(of: count >= 10_000 ? 5 : 1) { for packet in packets { feed(.packet(packet)) } }
    Report.microseconds("kept_report_us", nanoseconds: time / max(count, 1))
    Report.figure("kept_report_messages", told)
  }
}
