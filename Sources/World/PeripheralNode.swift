import Exchange
import Host
import KeeperProcess
import Runner
import Session
import Simulator
import Vocabulary

/// A simulated peripheral: a virtual controller, a host in the peripheral role, and the machine of
/// its handlers. Its state is never saved.
final class PeripheralNode {
  let controller: ControllerID
  let name: String
  let address: Address
  private var node: HostNode
  private var machine: Machine
  private let lines: LineTable
  /// What it needs to restart, as after a loss of power.
  private let origin: Origin
  private(set) var traffic = PeripheralTraffic()
  /// The subscriptions of centrals.
  private(set) var subscribers: [(central: Address, attribute: ServerAttributeID)] = []
  private var bondsForgotten = 0
  private var privateFor: TimeSpan?
  /// Whether its state may have changed since it was last read.
  var isChanged = true
  /// The first failure in a handler that was not handled.
  private(set) var handlerFailure: FailureReport?
  /// The output of its handlers.
  private(set) var messages: [(level: LogLevel, text: String)] = []

  private struct Origin {
    var program: Program
    var mtu: UInt16
    var environment: MachineEnvironment
    var given: [(name: String, value: Value)]
  }

  init(
    name: String, program: Program, controller: ControllerID, address: Address, mtu: UInt16, environment: MachineEnvironment,
    given: [(name: String, value: Value)] = [], at now: Instant
  ) {
    self.name = name
    self.controller = controller
    self.address = address
    lines = program.lines
    origin = Origin(program: program, mtu: mtu, environment: environment, given: given)
    node = Self.host(address, mtu, Toolbox(entropy: .seeded(SplitMix(seed: address.bits))))
    machine = Machine(program: program, inputs: given, environment: environment, at: now)
  }

  /// Pairs with any device, as most devices without display and keys do.
  private static func host(_ address: Address, _ mtu: UInt16, _ toolbox: Toolbox, privateFor: TimeSpan? = nil) -> HostNode {
    HostNode(
      configuration: HostConfiguration(
        ownAddress: .staticRandom(address.bits), preferredMTU: mtu, maximumCentrals: 4, asksSilentController: false,
        pairing: PairRequest(), privateFor: privateFor), toolbox: toolbox)
  }

  /// Restarts the peripheral. Links, subscriptions and `let`s are lost; bonds stay.
  func reboot(seed: UInt64, at now: Instant) -> [[UInt8]] {
    node = Self.host(address, origin.mtu, node.toolbox, privateFor: privateFor)
    machine = Machine(program: origin.program, inputs: origin.given, environment: origin.environment, at: now)
    subscribers = []
    return start(seed: seed, at: now)
  }

  /// Restarts it with private addresses from now on, each used for this time.
  func hide(for span: TimeSpan, seed: UInt64, at now: Instant) -> [[UInt8]] {
    privateFor = span
    return reboot(seed: seed, at: now)
  }

  /// Moves its attributes to other handles, as a firmware update would.
  func moveAttributes(at now: Instant) -> [[UInt8]] {
    machine.publishMoved(at: now)
    return work(at: now)
  }

  /// Forgets all bonds, like a device that is reset by its buttons. Links that a bond encrypts end.
  func forgetBonds(at now: Instant) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    for (number, peer) in node.host.bondedPeers.enumerated() {
      // The machine of its handlers never reaches these numbers.
      let id = OperationID(UInt64.max / 2 + UInt64(bondsForgotten + number))
      let output = node.feed(.request(HostRequest(owner: .run, id: id, command: .forgetBond(peer))), at: now)
      packets += output.packets
      for packet in output.packets { traffic.gave(packet) }
      for report in output.reports { take(report, at: now) }
    }
    bondsForgotten += packets.count + 1
    return packets + work(at: now)
  }

  var bondCount: Int { node.host.bondedPeers.count }

  func refuseNext(_ request: TestOrder.Request, code: UInt8) { traffic.refusals.append((request, code)) }

  // MARK: State for tests

  var centralCount: Int { machine.centralCount }
  /// The addresses of the connected centrals.
  var centrals: [Address] { machine.centrals }
  func value(of name: String) -> Value? { machine.variable(named: name) }

  func set(_ name: String, _ value: Value, at now: Instant) -> [[UInt8]] {
    machine.setVariable(named: name, to: value)
    return work(at: now)
  }

  private init(copying other: PeripheralNode) {
    name = other.name
    controller = other.controller
    address = other.address
    origin = other.origin
    traffic = other.traffic
    subscribers = other.subscribers
    node = other.node
    machine = other.machine
    lines = other.lines
    messages = other.messages
    handlerFailure = other.handlerFailure
    bondsForgotten = other.bondsForgotten
    privateFor = other.privateFor
    nextDeadline = other.nextDeadline
  }

  func copy() -> PeripheralNode { PeripheralNode(copying: self) }

  /// Read far more often than it changes.
  private(set) var nextDeadline: Moment?

  func start(seed: UInt64, at now: Instant) -> [[UInt8]] {
    machine.start(at: now)
    return feed(.started(seed: seed), at: now)
  }

  func receive(_ packet: [UInt8], at now: Instant) -> [[UInt8]] {
    if let refusal = traffic.take(packet, host: node.host) { return [refusal] }
    return feed(.packet(packet), at: now)
  }

  func wake(at now: Instant) -> [[UInt8]] {
    if let deadline = node.nextDeadline, deadline <= now.moment { return feed(.deadline, at: now) }
    return work(at: now)
  }

  private func feed(_ input: HostInput, at now: Instant) -> [[UInt8]] {
    let output = node.feed(input, at: now)
    for report in output.reports { take(report, at: now) }
    for packet in output.packets { traffic.gave(packet) }
    // Its controller is in this process, so there is nothing to open, and its address does not
    // depend on the seed.
    if output.reopens { return feed(.started(seed: 0), at: now) }
    return output.packets + work(at: now)
  }

  private func take(_ report: HostReport, at now: Instant) {
    switch report.event {
    case .subscribed(let attribute, let central, _):
      subscribers.removeAll { $0.central == central && $0.attribute == attribute }
      subscribers.append((central, attribute))
    case .unsubscribed(let attribute, let central): subscribers.removeAll { $0.central == central && $0.attribute == attribute }
    case .identified(let heard, let identity):
      for place in subscribers.indices where subscribers[place].central == heard { subscribers[place].central = identity }
    case .centralDisconnected(let central, _): subscribers.removeAll { $0.central == central }
    default: break
    }
    machine.handle(.host(report), at: now)
  }

  /// Runs the handlers until they wait, and performs their requests.
  private func work(at now: Instant) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    isChanged = true
    // Bounded for a peripheral whose handlers never wait; its next packet or deadline continues.
    for _ in 0..<10_000 {
      let turn = machine.turn(at: now)
      if turn.effects.isEmpty && !turn.hasMore { break }
      for effect in turn.effects {
        switch effect {
        case .request(let request):
          let output = node.feed(.request(request), at: now)
          packets += output.packets
          for packet in output.packets { traffic.gave(packet) }
          for report in output.reports { take(report, at: now) }
        case .print(let id, let line):
          messages.append((.log, PrintFormatter.plain(line, machine.surroundings)))
          machine.handle(.outputWritten(id), at: now)
        case .log(let id, let level, let text):
          messages.append((level, text))
          machine.handle(.outputWritten(id), at: now)
        case .append(let id, _, _), .save(let id, _, _):
          machine.handle(
            .fileWritten(id, Failure(.file, "a simulated peripheral writes no files", blame: .recipe)), at: now)
        case .readFile(let id, _, _):
          let failure = Failure(.file, "a simulated peripheral reads no files", blame: .recipe)
          machine.handle(.fileRead(id, .failure(failure)), at: now)
        case .order(let id, _):
          machine.handle(.fileWritten(id, Failure(.user, "this belongs in a `test`", blame: .recipe)), at: now)
        case .failed(let report):
          if report.isOfHandler, handlerFailure == nil { handlerFailure = report }
          messages.append((.error, "\(lines.text(of: lines.line(of: report.range))): \(report.failure.message)"))
        case .run(let id, _):
          let failure = Failure(.command, "a simulated peripheral runs no programs", blame: .recipe)
          machine.handle(.commandEnded(id, .failure(failure)), at: now)
        case .ask(let id, _, _):
          let failure = Failure(.user, "a simulated peripheral cannot ask", blame: .recipe)
          machine.handle(.answered(id, .failure(failure)), at: now)
        case .progressed, .finished, .resumed, .withdrawn, .metered, .offerMade: break
        }
      }
    }
    nextDeadline = earliest(node.nextDeadline, machine.nextDeadline)
    return packets
  }

  func takeMessages() -> [(level: LogLevel, text: String)] {
    defer { messages = [] }
    return messages
  }
}
