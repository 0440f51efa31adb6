import Exchange
import Host
import Runner
import Session
import Simulator
import Vocabulary

/// One simulated peripheral: a virtual controller, a host in the peripheral role, and the runner of
/// its handlers. Nothing of it is saved.
final class PeripheralNode {
  let controller: ControllerID
  let name: String
  private var node: HostNode
  private var machine: Machine
  private let lines: LineTable
  /// What its handlers print and log, for whoever watches.
  private(set) var said: [(level: LogLevel, text: String)] = []

  init(
    name: String, program: Program, controller: ControllerID, address: Address, mtu: UInt16, environment: MachineEnvironment,
    at now: Instant
  ) {
    self.name = name
    self.controller = controller
    lines = program.lines
    node = HostNode(
      configuration: HostConfiguration(
        ownAddress: .staticRandom(address.bits), preferredMTU: mtu, maximumCentrals: 4, asksSilentController: false))
    machine = Machine(program: program, inputs: [], environment: environment, at: now)
  }

  private init(copying other: PeripheralNode) {
    name = other.name
    controller = other.controller
    node = other.node
    machine = other.machine
    lines = other.lines
    said = other.said
    nextDeadline = other.nextDeadline
  }

  func copy() -> PeripheralNode { PeripheralNode(copying: self) }

  /// Looked at far more often than it changes.
  private(set) var nextDeadline: Moment?

  func start(seed: UInt64, at now: Instant) -> [[UInt8]] {
    machine.start(at: now)
    return feed(.started(seed: seed), at: now)
  }

  func receive(_ packet: [UInt8], at now: Instant) -> [[UInt8]] { feed(.packet(packet), at: now) }

  func wake(at now: Instant) -> [[UInt8]] {
    if let deadline = node.nextDeadline, deadline <= now.moment { return feed(.deadline, at: now) }
    return work(at: now)
  }

  private func feed(_ input: HostInput, at now: Instant) -> [[UInt8]] {
    let output = node.feed(input, at: now)
    for report in output.reports { machine.handle(.host(report), at: now) }
    // Its controller is in this process: there is nothing to open, and its address is not made from
    // the seed.
    if output.reopens { return feed(.started(seed: 0), at: now) }
    return output.packets + work(at: now)
  }

  /// Runs the handlers until they wait, and the requests they make.
  private func work(at now: Instant) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    // A peripheral whose handlers never wait is cut off here; its next packet or deadline goes on.
    for _ in 0..<10_000 {
      let turn = machine.turn(at: now)
      if turn.effects.isEmpty && !turn.hasMore { break }
      for effect in turn.effects {
        switch effect {
        case .request(let request):
          let output = node.feed(.request(request), at: now)
          packets += output.packets
          for report in output.reports { machine.handle(.host(report), at: now) }
        case .print(let id, let line):
          said.append((.log, PrintFormatter.plain(line, machine.surroundings)))
          machine.handle(.outputWritten(id), at: now)
        case .log(let id, let level, let text):
          said.append((level, text))
          machine.handle(.outputWritten(id), at: now)
        case .append(let id, _, _), .save(let id, _, _):
          machine.handle(
            .fileWritten(id, Failure(.file, "a simulated peripheral writes no files", blame: .recipe)), at: now)
        case .readFile(let id, _, _):
          let failure = Failure(.file, "a simulated peripheral reads no files", blame: .recipe)
          machine.handle(.fileRead(id, .failure(failure)), at: now)
        case .failed(let report):
          said.append((.error, "\(lines.text(of: lines.line(of: report.range))): \(report.failure.message)"))
        case .progressed, .finished, .resumed: break
        }
      }
    }
    nextDeadline = earliest(node.nextDeadline, machine.nextDeadline)
    return packets
  }

  func takeSaid() -> [(level: LogLevel, text: String)] {
    defer { said = [] }
    return said
  }
}
