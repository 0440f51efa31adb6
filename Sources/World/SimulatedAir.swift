package import Exchange
package import Recipe
package import Runner
package import Simulator
package import Vocabulary

/// The air of a file: its peripherals on virtual controllers, and controllers for hosts from
/// outside.
///
/// The caller controls the time. Between two calls, everything happens at its own moment, in order.
package final class SimulatedAir {
  private var air: Air
  private var nodes: [PeripheralNode] = []
  /// The packets that wait for a host from outside, by controller.
  private var inboxes: [(controller: ControllerID, packets: [[UInt8]])] = []
  private let seed: UInt64
  private let mtu: UInt16
  private let zone: TimeZoneRules
  /// The model of controllers for hosts from outside, with the Coded PHY if the file has `use scan
  /// coded`.
  private let adapter: ControllerModel
  private var now: Instant
  /// Whether to make records. They cost time, so only if they are read.
  package var isLogging: Bool {
    get { air.isLogging }
    set { air.isLogging = newValue }
  }

  /// Puts all peripherals of a file on the air. Errors are those of the file.
  /// - Parameter mtu: The largest ATT_MTU that the peripherals accept.
  package init(
    recipe: RecipeFile, sources: [SourceText], seed: UInt64, at start: Instant, timeZone: TimeZoneRules = .utc, mtu: UInt16 = 517,
    isLogging: Bool = false
  ) throws(RecipeRefusal) {
    self.seed = seed
    now = start
    air = Air(seed: seed, at: start.moment)
    air.isLogging = isLogging
    self.mtu = mtu
    zone = timeZone
    adapter = recipe.needsExtendedAdapters ? .coded : .legacy
    for peripheral in recipe.peripherals { try add(peripheral.name.text, of: recipe, sources) }
  }

  /// Creates an empty air.
  package init(
    seed: UInt64, at start: Instant, mtu: UInt16 = 517, adapter: ControllerModel = .legacy, isLogging: Bool = false
  ) {
    self.seed = seed
    self.mtu = mtu
    zone = .utc
    self.adapter = adapter
    now = start
    air = Air(seed: seed, at: start.moment)
    air.isLogging = isLogging
  }

  /// Puts another peripheral on the air and returns its address.
  /// - Parameter name: The name in the simulation; `nil` uses the peripheral's own.
  /// - Parameter given: Values of its `let`s.
  @discardableResult
  package func add(
    _ peripheral: String, of recipe: RecipeFile, _ sources: [SourceText], under name: String? = nil, named: String? = nil,
    address: Address? = nil, given: [(name: String, value: Value)] = []
  ) throws(RecipeRefusal) -> Address {
    var program: Program
    switch Compiler.compile(recipe, sources: sources, peripheral: peripheral, given: given.map(\.name)) {
    case .success(let compiled): program = compiled
    case .failure(let error): throw RecipeRefusal(error, sources)
    }
    if let named, !program.servers.isEmpty { program.servers[0].table.name = named }
    let name = name ?? peripheral
    let address = address ?? Address.simulated(name)
    let namesPHY = recipe.peripherals.contains { $0.name.text == peripheral && $0.namesPHY }
    let controller = air.addController(address: address, name: name, model: namesPHY ? .coded : .legacy, at: now.moment)
    let own = seed &+ UInt64(nodes.count + 1) &* 0x9E37_79B9_7F4A_7C15
    nodes.append(
      PeripheralNode(
        name: name, program: program, controller: controller, address: address, mtu: mtu,
        environment: MachineEnvironment(seed: own, bootID: "simulated", timeZone: zone), given: given, at: now))
    deliver(nodes[nodes.count - 1].start(seed: own, at: now), from: controller)
    settle()
    return address
  }

  /// Puts a recipe on the air besides the one under test, with a host and a run of its own that are
  /// never saved. `takeMessages` returns its output.
  package func add(running recipe: RecipeFile, _ sources: [SourceText], under name: String) throws(RecipeRefusal) {
    let program: Program
    switch Compiler.compile(recipe, sources: sources) {
    case .success(let compiled): program = compiled
    case .failure(let error): throw RecipeRefusal(error, sources)
    }
    let address = Address.simulated(name)
    let controller = air.addController(address: address, name: name, at: now.moment)
    let own = seed &+ UInt64(nodes.count + 1) &* 0x9E37_79B9_7F4A_7C15
    nodes.append(
      PeripheralNode(
        name: name, program: program, controller: controller, address: address, mtu: mtu,
        environment: MachineEnvironment(seed: own, bootID: "simulated", timeZone: zone), at: now))
    deliver(nodes[nodes.count - 1].start(seed: own, at: now), from: controller)
    settle()
  }

  private init(copying other: SimulatedAir) {
    mtu = other.mtu
    zone = other.zone
    adapter = other.adapter
    air = other.air
    nodes = other.nodes.map { $0.copy() }
    inboxes = other.inboxes
    seed = other.seed
    now = other.now
  }

  /// Copies the world at this instant; the copy is independent.
  package func copy() -> SimulatedAir { SimulatedAir(copying: self) }

  package var peripheralNames: [String] { nodes.map(\.name) }

  /// Adds a controller for a host from outside, of the model that the file requires unless another
  /// is given.
  package func addController(name: String, model: ControllerModel? = nil, at time: Instant) -> ControllerID {
    run(to: time)
    // The first octet 02 marks a locally administered address, which no manufacturer uses.
    let bits = Address.simulated("\(name) \(inboxes.count)").bits & 0x00FF_FFFF_FFFF | 0x0200_0000_0000
    let id = air.addController(address: Address(bits: bits, kind: .public), name: name, model: model ?? adapter, at: time.moment)
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

  /// Whether a fault affects what `other` does with this controller.
  func isDisturbed(_ controller: ControllerID, for other: ControllerID) -> Bool { air.isDisturbed(controller, for: other) }

  /// Changes the air itself: loss, a vanished peer, a lost response.
  package func make(_ order: (inout Air) -> Void) {
    order(&air)
    settle()
  }

  package func controller(of peripheral: String) -> ControllerID? { nodes.first { $0.name == peripheral }?.controller }

  // MARK: Orders of tests

  func node(_ name: String) -> PeripheralNode? { nodes.first { $0.name == name } }

  /// Performs an operation of a peripheral at once.
  func order(_ name: String, at time: Instant, _ work: (PeripheralNode, Instant) -> [[UInt8]]) {
    run(to: time)
    guard let node = node(name) else { return }
    deliver(work(node, now), from: node.controller)
    settle()
  }

  func name(of address: Address) -> String? { nodes.first { $0.address.bits == address.bits }?.name }

  package var nextMoment: Moment? { nodes.reduce(air.nextMoment) { earliest($0, $1.nextDeadline) } }

  /// The next moment for the host of a controller: now, if packets wait for it, such as those of a
  /// fault.
  package func nextMoment(of controller: ControllerID) -> Moment? {
    let waits = inboxes.contains { $0.controller == controller && !$0.packets.isEmpty }
    return waits ? now.moment : nextMoment
  }

  /// Performs everything that is due up to a time, each at its own moment.
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

  /// Delivers packets to their hosts until there are none left.
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

  /// Returns the output of the peripherals' handlers.
  package func takeMessages() -> [(peripheral: String, level: LogLevel, text: String)] {
    nodes.flatMap { node in node.takeMessages().map { (node.name, $0.level, $0.text) } }
  }
}
