import Adapters
import Exchange
import Host
import KeeperProcess
import Linux
import Runner
import Session
import Simulator
import Vocabulary

/// The host and the adapter of the test itself, beside those of the recipes that it starts. They
/// are never killed, and `make adapter` does not concern them.
final class TestHost {
  let controller: ControllerID
  private let host: LocalHost
  private(set) var isUsed = false
  /// How often it asked for each value to be written.
  private(set) var asked: [[UInt8]: Int] = [:]
  /// Secrets that it has written.
  private(set) var secrets: [[UInt8]] = []

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
    if case .gatt(_, let operation) = request.command {
      if let value = operation.hiddenValue, secrets.count < 1024, !secrets.contains(value) { secrets.append(value) }
      if let value = operation.writtenValue { asked[value, default: 0] += 1 }
    }
    host.send(request, at: now)
    host.release(at: now)
  }

  /// What has happened on the air by this instant.
  func work(at now: Instant) -> [HostReport] {
    while host.receive(at: now) != .nothing {}
    host.wake(at: now)
    host.release(at: now)
    var reports: [HostReport] = []
    while let report = host.next(atRest: true) { reports.append(report) }
    return reports
  }

  var nextMoment: Moment? { earliest(host.nextDeadline, host.nextMoment) }
}

extension GattRequest {
  /// What it writes to a characteristic or descriptor.
  var writtenValue: [UInt8]? {
    switch self {
    case .write(_, let value), .writeWithoutResponse(_, let value): value
    case .hidden(let inner): inner.writtenValue
    default: nil
    }
  }

  /// The same, if it is secret.
  var hiddenValue: [UInt8]? { if case .hidden(let inner) = self { inner.writtenValue } else { nil } }
}
