import Exchange
import KeeperProcess
import Packets
import Simulator
import Testing
import Vocabulary

@testable import Host

/// Hosts on virtual controllers in one air, under a virtual clock.
struct PairWorld {
  struct Station {
    var id: ControllerID
    var host: LEHost
    var reencoded = ReencodedHost()
    var reports: [HostReport] = []
    var hashes: [[UInt8]] = []
    var isClosed = false
    var lastID: UInt64 = 0
    /// Whether events are acknowledged as soon as they are reported.
    var acknowledges = true
    var commandCount = 0
    /// Performs computations; without it nothing can be paired.
    var toolbox: Toolbox?

    mutating func handle(_ input: HostInput, at now: Instant) -> [HostOutput] { reencoded.handle(input, by: &host, at: now) }
  }

  var air: Air
  var stations: [Station] = []
  var now = Moment.zero

  init(seed: UInt64 = 1) {
    air = Air(seed: seed)
    air.isLogging = false
  }

  var instant: Instant { Instant.simulationStart + (now - .zero) }

  mutating func add(
    _ address: Address, model: ControllerModel = .legacy, _ configuration: HostConfiguration = HostConfiguration(),
    toolbox: Toolbox? = nil
  ) -> Int {
    var configuration = configuration
    if address.kind == .random { configuration.ownAddress = .staticRandom(address.bits) }
    let id = air.addController(address: address, name: "station \(stations.count)", model: model, at: now)
    stations.append(Station(id: id, host: LEHost(configuration: configuration), toolbox: toolbox))
    input(stations.count - 1, .started(seed: UInt64(stations.count)))
    settle()
    return stations.count - 1
  }

  mutating func input(_ station: Int, _ input: HostInput) {
    let now = instant
    var computed: [HostInput] = []
    defer { for result in computed { self.input(station, result) } }
    for output in stations[station].handle(input, at: now) {
      switch output {
      case .send(let bytes), .sendHidden(let bytes, _):
        if bytes.first == H4Type.command.rawValue { stations[station].commandCount += 1 }
        air.host(stations[station].id, sends: bytes, at: self.now)
      case .report(let report):
        stations[station].reports.append(report)
        if stations[station].acknowledges, case .notificationReceived = report.event {
          // As a run does it: without a number of its own.
          self.input(station, .request(HostRequest(id: OperationID(0), command: .acknowledge(report.number))))
        }
      case .compute(_, .databaseHash(let bytes)): stations[station].hashes.append(bytes)
      case .compute(let id, let computation):
        if let result = stations[station].toolbox?.result(of: computation) { computed.append(.computed(id, result)) }
      case .closed: stations[station].isClosed = true
      case .reopen: self.input(station, .started(seed: 1))
      }
    }
  }

  @discardableResult
  mutating func request(_ station: Int, _ command: HostCommand) -> OperationID {
    stations[station].lastID += 1
    let id = OperationID(stations[station].lastID)
    input(station, .request(HostRequest(id: id, command: command)))
    return id
  }

  /// Delivers the air's packets to hosts until none is left at this moment.
  mutating func settle() {
    var rounds = 0
    while true {
      let output = air.takeOutput()
      if output.isEmpty { return }
      rounds += 1
      if rounds > 10_000 {
        Issue.record("host and controller do not come to rest")
        return
      }
      for packet in output {
        if let station = stations.firstIndex(where: { $0.id == packet.controller }) { input(station, .packet(packet.bytes)) }
      }
    }
  }

  /// Advances time until a condition holds, and returns whether it did.
  @discardableResult
  mutating func run(_ span: TimeSpan, until isDone: (PairWorld) -> Bool = { _ in false }) -> Bool {
    let end = now + span
    settle()
    while !isDone(self) {
      var next = air.nextMoment
      for station in stations {
        if let deadline = station.host.nextDeadline, next.map({ deadline < $0 }) ?? true { next = deadline }
      }
      guard let next, next <= end else {
        now = end
        air.advance(to: end)
        settle()
        return isDone(self)
      }
      now = max(now, next)
      air.advance(to: now)
      settle()
      for index in stations.indices {
        if let deadline = stations[index].host.nextDeadline, deadline <= now { input(index, .deadline) }
      }
      settle()
    }
    return true
  }

  /// Like the above, but fails the test if the condition never holds.
  mutating func expect(within span: TimeSpan, _ isDone: (PairWorld) -> Bool, at location: SourceLocation = #_sourceLocation) {
    if !run(span, until: isDone) { Issue.record("it did not come to that within \(span)", sourceLocation: location) }
  }

  func events(_ station: Int) -> [HostEvent] { stations[station].reports.map(\.event) }

  func outcome(_ station: Int, _ id: OperationID) -> Result<Outcome, Failure>? {
    for report in stations[station].reports {
      if case .completed(id, let result) = report.event { return result }
    }
    return nil
  }

  func isConnected(_ station: Int, _ id: OperationID) -> Bool {
    stations[station].reports.contains { if case .connected(id, _, _) = $0.event { true } else { false } }
  }
}
