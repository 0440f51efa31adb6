import Adapters
import Host
package import Keeper
package import KeeperProcess
package import Linux
package import Simulator
package import Vocabulary

/// A simulated air, a keeper that owns a controller on it, and the connections of clients to that
/// keeper. The keeper survives its clients. Copies share nothing.
package final class KeptWorld {
  package let air: SimulatedAir
  package let controller: ControllerID
  package private(set) var keeper: Keeper
  package private(set) var now: Instant
  private var faults: [(at: Moment, order: @Sendable (SimulatedAir) -> Void)]
  /// When the adapter is unplugged and plugged in again.
  private var absences: [(from: Moment, until: Moment)]
  private var awayUntil: Moment?
  private var inboxes: [(connection: ConnectionID, messages: [[UInt8]], isOpen: Bool)] = []
  private var nextConnection: UInt64 = 1
  /// The log of the air so far.
  package private(set) var log: [String] = []
  package private(set) var hasLeft = false
  private let seed: UInt64
  private var toolbox = Toolbox(entropy: .seeded(SplitMix(seed: 1)))
  package private(set) var deaths = 0
  /// A condition that kills the keeper once, as soon as it is true.
  package var keeperDies: ((KeptWorld) -> Bool)?
  /// The lines of the keeper's own log.
  package private(set) var logged: [String] = []
  /// Called with each packet between the keeper and its controller.
  package var watch: ((_ packet: [UInt8], _ isSent: Bool, _ now: Instant) -> Void)?

  package static let version = "test"

  package init(
    air: SimulatedAir, seed: UInt64, hold: TimeSpan = KeeperLimits.hold, keep: TimeSpan = KeeperLimits.keep,
    version: String = KeptWorld.version, faults: [(at: Moment, order: @Sendable (SimulatedAir) -> Void)] = [],
    absences: [(from: Moment, until: Moment)] = [], at start: Instant
  ) {
    self.air = air
    self.seed = seed
    self.faults = faults
    self.absences = absences
    now = start
    controller = air.addController(name: "keeper", at: start)
    keeper = Keeper(
      configuration: KeeperConfiguration(version: version, adapter: "air", user: 1000, hold: hold, keep: keep), seed: seed,
      at: start)
    handle(.started(seed: seed))
  }

  private init(copying other: KeptWorld) {
    other.collect()
    air = other.air.copy()
    controller = other.controller
    keeper = other.keeper
    now = other.now
    faults = other.faults
    absences = other.absences
    awayUntil = other.awayUntil
    inboxes = other.inboxes
    nextConnection = other.nextConnection
    log = other.log
    hasLeft = other.hasLeft
    seed = other.seed
    deaths = other.deaths
    logged = other.logged
  }

  package func copy() -> KeptWorld { KeptWorld(copying: self) }

  /// Collects the log of the air without records of advertising.
  package func collect() {
    for record in air.takeLog() where record.kind != .advertisement && record.kind != .scanRequest && record.kind != .scanResponse {
      log.append(record.line)
    }
  }

  // MARK: Time

  package var nextMoment: Moment? {
    earliest(air.nextMoment(of: controller), keeper.nextDeadline, faults.first?.at, earliest(absences.first?.from, awayUntil))
  }

  /// Performs everything that is due up to a time, each at its own moment.
  package func run(to time: Instant) {
    while true {
      settle()
      guard let next = nextMoment, next <= time.moment else { break }
      if next > now.moment { now = now + (next - now.moment) }
      air.run(to: now)
      while let fault = faults.first, fault.at <= now.moment {
        faults.removeFirst()
        fault.order(air)
      }
      if let until = awayUntil, until <= now.moment {
        awayUntil = nil
        handle(.transportBack)
      }
      if let absence = absences.first, absence.from <= now.moment {
        absences.removeFirst()
        awayUntil = absence.until
        air.hostGone(controller, at: now)
        handle(.transportLost("hci0 was unplugged"))
      }
      settle()
      if let deadline = keeper.nextDeadline, deadline <= now.moment { handle(.deadline) }
      if let keeperDies, keeperDies(self) {
        self.keeperDies = nil
        killKeeper(at: now)
      }
    }
    if time.moment > now.moment { now = time }
    air.run(to: now)
    settle()
  }

  private func settle() {
    while true {
      let packets = air.take(for: controller)
      if packets.isEmpty { return }
      for packet in packets where awayUntil == nil {
        watch?(packet, false, now)
        handle(.packet(packet))
      }
    }
  }

  private func handle(_ input: KeeperInput) {
    for output in keeper.handle(input, at: now) {
      switch output {
      case .send(let packet):
        guard awayUntil == nil else { continue }
        watch?(packet, true, now)
        air.send(packet, from: controller, at: now)
      case .reopen: handle(awayUntil == nil ? .started(seed: 1) : .transportLost("there is no hci0"))
      case .compute(let id, .databaseHash): handle(.computed(id, .unavailable))
      case .compute(let id, let computation): handle(.computed(id, toolbox.result(of: computation)))
      case .deliver(let connection, let message):
        if let place = inboxes.firstIndex(where: { $0.connection == connection }) { inboxes[place].messages.append(message) }
      case .drop(let connection):
        if let place = inboxes.firstIndex(where: { $0.connection == connection }) { inboxes[place].isOpen = false }
      case .log(let text): logged.append(text)
      case .leave: hasLeft = true
      }
    }
  }

  /// Unplugs the adapter until a moment.
  package func takeOut(until moment: Moment) {
    absences.append((now.moment, moment))
    absences.sort { $0.from < $1.from }
  }

  /// Plugs the adapter in now.
  package func putBack() {
    // It may have been unplugged at this very instant.
    run(to: now)
    if awayUntil != nil { awayUntil = now.moment }
  }

  // MARK: Clients

  package func port() -> KeptPort { KeptPort(self) }

  package func arrive() -> ConnectionID {
    let connection = ConnectionID(nextConnection)
    nextConnection += 1
    inboxes.append((connection, [], true))
    handle(.arrived(connection, Credentials(process: Int32(connection.raw), user: 1000)))
    return connection
  }

  package func say(_ message: [UInt8], on connection: ConnectionID, at time: Instant) {
    run(to: time)
    handle(.messageReceived(connection, message))
    settle()
  }

  package func take(_ connection: ConnectionID) -> [[UInt8]] {
    guard let place = inboxes.firstIndex(where: { $0.connection == connection }) else { return [] }
    // Like a socket: excess messages stay in transit.
    let batch = Array(inboxes[place].messages.prefix(64))
    inboxes[place].messages.removeFirst(batch.count)
    return batch
  }

  package func isOpen(_ connection: ConnectionID) -> Bool {
    inboxes.first { $0.connection == connection }.map { $0.isOpen || !$0.messages.isEmpty } ?? false
  }

  package func hasMessages(_ connection: ConnectionID) -> Bool {
    inboxes.contains { $0.connection == connection && !$0.messages.isEmpty }
  }

  /// Informs the keeper that a process is gone.
  package func gone(_ connection: ConnectionID) {
    inboxes.removeAll { $0.connection == connection }
    handle(.gone(connection))
  }

  /// Kills the keeper without a service manager that stores its state. A new one starts at once.
  package func killKeeper(at time: Instant) {
    run(to: time)
    deaths += 1
    for place in inboxes.indices {
      inboxes[place].messages = []
      inboxes[place].isOpen = false
    }
    air.hostGone(controller, at: now)
    keeper = Keeper(configuration: keeper.configuration, seed: seed &+ UInt64(deaths), at: now)
    handle(.started(seed: seed &+ UInt64(deaths)))
    settle()
  }

  /// Ends the connections of all processes.
  package func allGone(at time: Instant) {
    run(to: time)
    for connection in inboxes.map(\.connection) { gone(connection) }
  }
}

/// A client's connection to the keeper of a world in this process.
package final class KeptPort: KeeperPort {
  private let world: KeptWorld
  package private(set) var connection: ConnectionID?

  package init(_ world: KeptWorld) { self.world = world }

  package func connect(at now: Instant) throws(KeeperUnreachable) {
    world.run(to: now)
    if let connection { world.gone(connection) }
    connection = world.arrive()
  }

  package func wait(until moment: Moment) {}

  package func send(_ message: [UInt8], at now: Instant) { if let connection { world.say(message, on: connection, at: now) } }

  package func receive(at now: Instant) -> [[UInt8]] {
    world.run(to: now)
    return connection.map { world.take($0) } ?? []
  }

  package func flush() {}

  package func lastPackets() -> [KeptPacket] {
    let other = world.arrive()
    world.say(KeeperMessage.packets.encoded, on: other, at: world.now)
    let answer = world.take(other).first.flatMap { try? KeeperMessage(encoded: $0) }
    world.gone(other)
    guard case .kept(let packets)? = answer else { return [] }
    return packets
  }

  package var nextMoment: Moment? {
    if let connection, world.hasMessages(connection) { return world.now.moment }
    return world.nextMoment
  }

  package var interest: Poll.Interest? { nil }
  package var ending: String? { connection.map { world.isOpen($0) } ?? false ? nil : "the keeper is gone" }
}
