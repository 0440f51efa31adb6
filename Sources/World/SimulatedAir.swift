package import Exchange
package import Recipe
import Runner
package import Simulator
package import Vocabulary

/// The air of a file: each of its peripherals on a virtual controller, and controllers for hosts
/// from outside.
///
/// Time is what the caller says; between two calls everything happens at its own moment, in order.
package final class SimulatedAir {
  private var air: Air
  private var nodes: [PeripheralNode] = []
  /// Packets that wait for a host from outside, by controller.
  private var inboxes: [(controller: ControllerID, packets: [[UInt8]])] = []
  private let seed: UInt64
  private var now: Instant
  /// Records are only made when somebody reads them.
  package var isLogging: Bool {
    get { air.isLogging }
    set { air.isLogging = newValue }
  }

  /// Puts every peripheral of a file on the air. Findings are those of the file.
  /// - Parameter mtu: the largest ATT_MTU that the peripherals agree to.
  package init(
    recipe: RecipeFile, sources: [SourceText], seed: UInt64, at start: Instant, timeZone: TimeZoneRules = .utc, mtu: UInt16 = 517,
    isLogging: Bool = false
  ) throws(RecipeRefusal) {
    self.seed = seed
    now = start
    air = Air(seed: seed, at: start.moment)
    air.isLogging = isLogging
    for (index, peripheral) in recipe.peripherals.enumerated() {
      let name = peripheral.name.text
      let program: Program
      switch Compiler.compile(recipe, sources: sources, peripheral: name) {
      case .success(let compiled): program = compiled
      case .failure(let error): throw RecipeRefusal(error, sources)
      }
      let address = Address.simulated(name)
      let controller = air.addController(address: address, name: name, at: start.moment)
      let own = seed &+ UInt64(index + 1) &* 0x9E37_79B9_7F4A_7C15
      nodes.append(
        PeripheralNode(
          name: name, program: program, controller: controller, address: address, mtu: mtu,
          environment: MachineEnvironment(seed: own, bootID: "simulated", timeZone: timeZone), at: start))
      deliver(nodes[nodes.count - 1].start(seed: own, at: start), from: controller)
    }
    settle()
  }

  private init(copying other: SimulatedAir) {
    air = other.air
    nodes = other.nodes.map { $0.copy() }
    inboxes = other.inboxes
    seed = other.seed
    now = other.now
  }

  /// The same world at the same instant, which then goes its own way.
  package func copy() -> SimulatedAir { SimulatedAir(copying: self) }

  package var peripheralNames: [String] { nodes.map(\.name) }

  /// A controller for a host from outside.
  package func addController(name: String, model: ControllerModel = .legacy, at time: Instant) -> ControllerID {
    run(to: time)
    // 02 in front: locally administered, as no manufacturer's is.
    let bits = Address.simulated("\(name) \(inboxes.count)").bits & 0x00FF_FFFF_FFFF | 0x0200_0000_0000
    let id = air.addController(address: Address(bits: bits, kind: .public), name: name, model: model, at: time.moment)
    inboxes.append((id, []))
    return id
  }

  package func address(of controller: ControllerID) -> Address? { air.address(of: controller) }

  package func send(_ packet: [UInt8], from controller: ControllerID, at time: Instant) {
    run(to: time)
    air.host(controller, sends: packet, at: time.moment)
    settle()
  }

  package func hostGone(_ controller: ControllerID, at time: Instant) {
    run(to: time)
    air.hostGone(controller, at: time.moment)
    for index in inboxes.indices where inboxes[index].controller == controller { inboxes[index].packets = [] }
    settle()
  }

  package func take(for controller: ControllerID) -> [[UInt8]] {
    guard let index = inboxes.firstIndex(where: { $0.controller == controller }) else { return [] }
    defer { inboxes[index].packets = [] }
    return inboxes[index].packets
  }

  package func hasPackets(for controller: ControllerID) -> Bool {
    inboxes.contains { $0.controller == controller && !$0.packets.isEmpty }
  }

  /// Orders something of the air itself: loss, a peer that vanishes, a reply that is lost.
  package func make(_ order: (inout Air) -> Void) {
    order(&air)
    settle()
  }

  package func controller(of peripheral: String) -> ControllerID? { nodes.first { $0.name == peripheral }?.controller }

  package var nextMoment: Moment? { nodes.reduce(air.nextMoment) { earliest($0, $1.nextDeadline) } }

  /// Everything that is due up to a time happens, each at its own moment.
  package func run(to time: Instant) {
    while let next = nextMoment, next <= time.moment {
      if next > now.moment { now = now + (next - now.moment) }
      air.advance(to: now.moment)
      settle()
      for node in nodes {
        guard let deadline = node.nextDeadline, deadline <= now.moment else { continue }
        deliver(node.wake(at: now), from: node.controller)
      }
      settle()
    }
    if time.moment >= now.moment { now = time }
    air.advance(to: now.moment)
  }

  private func deliver(_ packets: [[UInt8]], from controller: ControllerID) {
    for packet in packets { air.host(controller, sends: packet, at: now.moment) }
  }

  /// Takes packets to their hosts until none is left.
  private func settle() {
    while true {
      let output = air.takeOutput()
      if output.isEmpty { return }
      for item in output {
        if let node = nodes.first(where: { $0.controller == item.controller }) {
          deliver(node.receive(item.bytes, at: now), from: item.controller)
        } else if let index = inboxes.firstIndex(where: { $0.controller == item.controller }) {
          inboxes[index].packets.append(item.bytes)
        }
      }
    }
  }

  package func takeLog() -> [AirRecord] { air.takeLog() }

  /// What the handlers of the peripherals printed and logged.
  package func takeSaid() -> [(peripheral: String, level: LogLevel, text: String)] {
    nodes.flatMap { node in node.takeSaid().map { (node.name, $0.level, $0.text) } }
  }
}
