import Adapters
import Exchange
import Host
import KeeperProcess
import Linux
import Runner
import Session
import Simulator
import Vocabulary

/// The host and adapter of the test itself, besides those of its recipes. They are never killed,
/// and `make adapter` does not affect them.
final class TestHost {
  let controller: ControllerID
  private let host: LocalHost
  private(set) var isUsed = false
  /// Whether a request was sent whose answer may already be there.
  private(set) var hasSent = false
  private(set) var writes = AskedWrites()

  init(_ air: SimulatedAir, _ packets: PacketLog, seed: UInt64, at now: Instant) {
    controller = air.addController(name: "test", at: now)
    let console = Console(style: Console.Style(), output: OutputPipe.collecting(), errors: OutputPipe.collecting())
    host = LocalHost(
      transport: LoggedTransport(SimulatedTransport(air: air, controller: controller), packets), console: console,
      toolbox: Toolbox(entropy: .seeded(SplitMix(seed: seed))))
    host.begin(seed: seed, through: EffectGate(), at: now)
  }

  func send(_ request: HostRequest, at now: Instant) {
    isUsed = true
    hasSent = true
    writes.take(request)
    host.send(request, at: now)
    host.release(at: now)
  }

  /// Handles the events that have arrived up to this instant.
  func work(at now: Instant) -> [HostReport] {
    hasSent = false
    while host.receive(at: now) != .nothing {}
    host.wake(at: now)
    host.release(at: now)
    var reports: [HostReport] = []
    while let report = host.next(atRest: true) { reports.append(report) }
    return reports
  }

  var nextMoment: Moment? { earliest(host.nextDeadline, host.nextMoment) }
}

/// The values that a machine wrote to characteristics and descriptors.
struct AskedWrites {
  /// How often each value was requested, to judge a run under chaos.
  private(set) var counts: [[UInt8]: Int] = [:]
  /// The line that last wrote each value.
  private(set) var lines: [[UInt8]: String] = [:]
  /// The values that are secret.
  private(set) var secrets: [[UInt8]] = []

  mutating func take(_ request: HostRequest, at line: String = "") {
    guard case .gatt(_, let operation) = request.command else { return }
    switch operation {
    case .hidden(.write(_, let value)), .hidden(.writeWithoutResponse(_, let value)):
      if secrets.count < 1024, !secrets.contains(value) { secrets.append(value) }
      count(value, line)
    case .write(_, let value), .writeWithoutResponse(_, let value): count(value, line)
    default: break
    }
  }

  private mutating func count(_ value: [UInt8], _ line: String) {
    counts[value, default: 0] += 1
    if !line.isEmpty { lines[value] = line }
  }
}
