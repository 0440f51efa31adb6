import Exchange
import Host
import Keeper
import KeeperProcess
import Linux
import Packets
import Recipe
import Session
import Simulator
import Testing
import Vocabulary
import World

/// The kernel's side of an adapter's socket. It outlives every keeper, and knows which packets were
/// peeked and not read.
final class SimulatedLine: AdapterLine {
  let form: AdapterSocket.Form
  private let air: SimulatedAir
  private let controller: ControllerID
  private var queue: [(bytes: [UInt8], at: WallTime)] = []
  private var looked = 0
  private var taken = 0
  private var given = H4Reader()
  /// Every packet that the controller received.
  private(set) var packets: [[UInt8]] = []
  var now = Instant.simulationStart
  var drops: Int64? = 0
  let descriptor: Int32 = -1
  /// How many bytes it accepts at a time.
  var room = Int.max
  /// What a packet of the controller is turned into.
  var onPacket: (_ packet: [UInt8]) -> [UInt8]? = { $0 }
  private(set) var isClosed = false
  /// Until when it cannot be opened.
  var closedUntil: Moment?
  private(set) var openings = 0

  init(_ air: SimulatedAir, form: AdapterSocket.Form, model: ControllerModel? = nil) {
    self.air = air
    self.form = form
    controller = air.addController(name: "keeper", model: model, at: .simulationStart)
  }

  /// Packets that have arrived so far.
  func fill() {
    for packet in air.take(for: controller) { if !isClosed, let octets = onPacket(packet) { queue.append((octets, now.wall)) } }
  }

  /// Adds bytes, whatever their origin.
  func say(_ octets: [UInt8]) { queue.append((octets, now.wall)) }

  /// Closes the other end.
  func hangUp() { isClosed = true }

  func reopen() throws(SystemFailure) {
    isClosed = true
    if let closedUntil, now.moment < closedUntil { throw SystemFailure("connecting to the line", code: 111) }
    isClosed = false
    openings += 1
    queue = []
    looked = 0
    taken = 0
    given = H4Reader()
  }

  func look() -> AdapterSocket.Look {
    guard let first = queue.first else { return isClosed ? .ended("closed the connection") : .nothing }
    if form == .packets { return .arrived(first.bytes, at: first.at) }
    // everything after what was peeked, in pieces that do not follow packet boundaries
    let all = Array(queue.flatMap(\.bytes).dropFirst(taken + looked).prefix(11))
    if all.isEmpty { return isClosed ? .ended("closed the connection") : .nothing }
    looked += all.count
    return .arrived(all, at: nil)
  }

  func take(_ count: Int) {
    if form == .packets {
      queue.removeFirst()
      return
    }
    looked = max(0, looked - count)
    taken += count
    while let first = queue.first, taken >= first.bytes.count {
      taken -= first.bytes.count
      queue.removeFirst()
    }
  }

  var pending: Int? { form == .octets ? looked : nil }
  func close() {}

  func lookAgain() { looked = 0 }

  func give(_ bytes: ArraySlice<UInt8>) -> Int? {
    if isClosed { return nil }
    let count = min(room, bytes.count)
    given.push(bytes.prefix(count))
    while let packet = try? given.nextFrame() {
      packets.append(packet)
      air.send(packet, from: controller, at: now)
    }
    return count
  }
}

/// A keeper with a memory on an air under the virtual clock, and one client. The keeper can be
/// killed at any step; its successor starts immediately.
final class KeptWorld {
  let air: SimulatedAir
  let line: SimulatedLine
  /// Replaces the line for a keeper without a memory.
  private(set) var rough: RoughTransport?
  private(set) var now = Instant.simulationStart
  private(set) var engine: KeeperEngine
  private let memory: UnsafeMutableRawBufferPointer
  private var client = KeeperClient(version: "1", identity: [UInt8](repeating: 7, count: 16), name: "test")
  private var connection: UInt64 = 0
  private(set) var reports: [HostReport] = []
  private(set) var refusals: [String] = []
  private(set) var returns = 0
  private(set) var deaths = 0
  /// The number of the step at which the process is killed, counted over all processes; several for
  /// several kills.
  private let kills: [Int]
  /// The toolbox of every keeper, whose bonds outlive a keeper.
  private let toolbox: Toolbox
  private let counter = Counter()
  private var lastID: UInt64 = 0
  /// How the client reacts to a report.
  var reaction: (HostReport, KeptWorld) -> Void = { _, _ in }
  private var waiting: [[UInt8]] = []
  /// Scheduled events.
  var planned: [(due: Moment, does: (KeptWorld) -> Void)] = []
  /// The keeper's log lines, and whether it has exited.
  private(set) var said: [String] = []
  private(set) var hasLeft = false

  final class Counter {
    var steps = 0
    var isKillPending = false
    var at: [Int: KeeperEngine.Step] = [:]
    var trail: [KeeperEngine.Step] = []
  }

  static let fingerprint = KeeperMemory.fingerprint(of: "test")

  init(
    devices: String, form: AdapterSocket.Form, kills: [Int] = [], memory size: Int = 1 << 20, isRough: Bool = false,
    model: ControllerModel? = nil, host: HostConfiguration? = nil, toolbox: Toolbox = Toolbox()
  ) throws {
    let loaded = RecipeLoader.parse(name: "test.ble", Array(devices.utf8))
    let recipe = try #require(loaded.recipe)
    air = try SimulatedAir(recipe: recipe, sources: loaded.sources, seed: 1, at: .simulationStart, isLogging: true)
    line = SimulatedLine(air, form: form, model: model)
    self.toolbox = toolbox
    memory = .allocate(byteCount: size, alignment: 4096)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    self.kills = kills
    var configuration = KeeperConfiguration(version: "1", adapter: "test", user: 0)
    if let host { configuration.host = host }
    let keeper = Keeper(configuration: configuration, seed: 5, at: .simulationStart)
    let (counter, kills) = (counter, kills)
    if isRough {
      let transport = try RoughTransport(air: air, controller: air.addController(name: "rough", at: .simulationStart))
      rough = transport
      engine = KeeperEngine(keeper: keeper, transport: transport)
    } else {
      engine = KeeperEngine(
        keeper: keeper, line: line, memory: KeeperMemory(memory, fingerprint: Self.fingerprint), opening: Self.opening(line),
        toolbox: toolbox, hook: { Self.dies($0, counter, kills) })
    }
    _ = engine.handle(.started(seed: 1), at: now)
    arrive()
  }

  deinit { memory.deallocate() }

  private static func opening(_ line: SimulatedLine) -> () throws(SystemFailure) -> any AdapterLine {
    { () throws(SystemFailure) -> any AdapterLine in
      try line.reopen()
      return line
    }
  }

  private static func dies(_ step: KeeperEngine.Step, _ counter: Counter, _ kills: [Int]) -> Bool {
    counter.steps += 1
    counter.trail.append(step)
    guard kills.contains(counter.steps) || counter.isKillPending else { return false }
    if step == .giving, kills.count > 1 {
      // with many kills no command may be lost, so the kill moves to the next step
      counter.isKillPending = true
      return false
    }
    counter.isKillPending = false
    counter.at[counter.steps] = step
    return true
  }

  var steps: Int { counter.steps }
  /// Every step so far; the first has number 1.
  var trail: [KeeperEngine.Step] { counter.trail }
  /// The step at which the process was killed.
  var killedAt: [KeeperEngine.Step] { counter.at.sorted { $0.key < $1.key }.map(\.value) }
  var resets: Int { line.packets.count { $0 == [0x01, 0x03, 0x0C, 0x00] } }

  // MARK: The client

  private func arrive() {
    connection += 1
    let mine = connection
    do_(.arrived(ConnectionID(mine), Credentials(process: 1, user: 0)))
    // killed meanwhile, it has connected again
    if connection == mine { do_(.messageReceived(ConnectionID(mine), client.hello)) }
    for message in client.repeatMessages() where connection == mine { do_(.messageReceived(ConnectionID(mine), message)) }
  }

  @discardableResult
  func ask(_ command: HostCommand) -> OperationID {
    lastID += 1
    let id = OperationID(lastID)
    waiting.append(client.ask(HostRequest(id: id, command: command)))
    return id
  }

  private func acknowledge(_ number: EventNumber) {
    waiting.append(client.ask(HostRequest(id: OperationID(0), command: .acknowledge(number))))
  }

  private func heed(_ outputs: [KeeperOutput]) {
    for output in outputs {
      if case .log(let text) = output { said.append(text) }
      if case .leave = output { hasLeft = true }
    }
    for case .deliver(let to, let message) in outputs where to == ConnectionID(connection) {
      switch client.take(message) {
      case .report(let report):
        reports.append(report)
        acknowledge(report.number)
        reaction(report, self)
      case .welcomed(let welcome): if welcome.isReturning { returns += 1 }
      case .refused(let refusal): refusals.append(refusal.text)
      case .malformed(let why): refusals.append(why)
      case .statusReport, nil: break
      }
    }
  }

  private func do_(_ input: KeeperInput) {
    heed(engine.handle(input, at: now))
    succeed()
  }

  /// A killed process has a successor, and its client reconnects.
  private func succeed() {
    guard engine.isDead else { return }
    deaths += 1
    let (counter, kills) = (counter, kills)
    while engine.isDead {
      guard
        let next = KeeperEngine(
          line: line, memory: KeeperMemory(memory, fingerprint: Self.fingerprint), seed: 2, at: now, opening: Self.opening(line),
          toolbox: toolbox, hook: { Self.dies($0, counter, kills) })
      else {
        Issue.record("nothing can be taken over")
        return
      }
      engine = next
    }
    arrive()
  }

  private func work() {
    var rounds = 0
    while rounds < 10_000 {
      rounds += 1
      line.now = now
      while let place = planned.firstIndex(where: { $0.due <= now.moment }) { planned.remove(at: place).does(self) }
      line.fill()
      let before = counter.steps
      heed(engine.receive(seed: 9, at: now))
      succeed()
      if let due = engine.nextDeadline, due <= now.moment { do_(.deadline) }
      while !waiting.isEmpty { do_(.messageReceived(ConnectionID(connection), waiting.removeFirst())) }
      if counter.steps == before, hasLeft || rough == nil || (engine.nextDeadline.map { $0 > now.moment } ?? true) { return }
    }
    Issue.record("the keeper does not come to rest")
  }

  func run(_ span: TimeSpan) {
    let end = now + span
    work()
    while let next = earliest(engine.nextDeadline, air.nextMoment, planned.map(\.due).min()), next <= end.moment {
      if next > now.moment { now = now + (next - now.moment) }
      air.run(to: now)
      work()
    }
    now = end
    air.run(to: now)
    work()
  }
}
