import Exchange
import Host
import Keeper
import Simulator
import Vocabulary

/// A keeper on an air with one peripheral, one well-behaved client, and connections that send
/// anything. Unless an entitled client ends it, the good client keeps its link, hears each value
/// once, and gets one outcome for each request.
struct KeeperWorld {
  /// A connection to the socket.
  private struct ClientConnection {
    var id: ConnectionID
    var isGood = false
    /// The session, once it was accepted, and the number of the next report.
    var life: Int?
    var next: UInt64 = 0
    var isUnidentified = true
  }

  /// What a client was sent in one session.
  private struct Life {
    var session: UInt64
    var identity: [UInt8]
    /// Reports from number 1 on, as first sent. A repeated report must equal its first.
    var told: [[UInt8]] = []
    var acknowledged: UInt64 = 0
    /// The client acknowledged reports that it was never sent. From then on numbers only grow.
    var isWild = false
    var outcomes: [UInt64: Int] = [:]
  }

  static let address = Address(bits: 0xC47C_8D6A_120F, kind: .random)
  static let good = [UInt8](repeating: 200, count: 16)
  private static let service = UUID(0x180D)
  private static let value = ServerAttributeID(1)
  private static let hold = TimeSpan.seconds(120)

  private var air = Air(seed: 3, at: .zero)
  private let own: ControllerID
  private let other: ControllerID
  private(set) var keeper: Keeper
  private var peripheral = LEHost(configuration: HostConfiguration(ownAddress: .staticRandom(0xC47C_8D6A_120F)))
  private(set) var now = Instant.simulationStart
  private var clientConnections: [ClientConnection] = []
  private var lives: [Life] = []
  private var nextConnection: UInt64 = 1
  private(set) var hasLeft = false
  /// Inputs that result from outputs.
  private var depth = 0

  // The good client
  private var client = KeeperClient(version: "1", identity: KeeperWorld.good, name: "good")
  private var goodConnection: ConnectionID?
  private var awaySince: Moment?
  private var asked: [OperationID] = []
  private var outcomes: [UInt64: Int] = [:]
  private var newest = EventNumber(0)
  private var lastOperation: UInt64 = 0
  /// Values that the peripheral has sent, and those that the good client received or that were
  /// reported as lost.
  private var pushed = 0
  private var heard: [UInt16] = []
  private var missed = 0
  /// An entitled client has ended links, or the controller misbehaved.
  var isDisturbed = false
  /// A client that shares the link has written something, so its value cannot be checked.
  var isOverwritten = false

  init() {
    own = air.addController(address: Address(bits: 0x02_0000_0000_01, kind: .public), name: "keeper", at: .zero)
    other = air.addController(address: Self.address, name: "strap", at: .zero)
    keeper = Keeper(
      configuration: KeeperConfiguration(version: "1", adapter: "fuzz", user: 1000, hold: Self.hold, keep: .seconds(5)), seed: 3,
      at: now)
    feed(.started(seed: 1))
    let table = ServerTable(
      name: "strap",
      services: [
        .init(
          uuid: Self.service,
          characteristics: [
            .init(id: Self.value, uuid: UUID(0x2A37), properties: .notify),
            .init(id: ServerAttributeID(2), uuid: UUID(0x2A1C), properties: .indicate),
            .init(id: ServerAttributeID(3), uuid: UUID(0x2A39), properties: [.write, .read]),
          ])
      ])
    perform(peripheral.handle(.started(seed: 2), at: now))
    perform(peripheral.handle(.request(HostRequest(id: OperationID(1), command: .publish(table))), at: now))
    let plan = AdvertisingPlan(services: [Self.service], name: "strap")
    perform(peripheral.handle(.request(HostRequest(id: OperationID(2), command: .advertise(plan))), at: now))
    run(for: .milliseconds(10))
  }

  /// With the good client's link and subscription in place.
  static let prepared: KeeperWorld = {
    var world = KeeperWorld()
    world.returnGood()
    world.ask(.connect(ConnectRequest(peer: address, pending: true)))
    world.run(for: .seconds(3))
    world.ask(.gatt(address, .subscribe(path(0x2A37))))
    world.run(for: .seconds(3))
    demand(world.outcomes.count == 2 && world.keeper.status.links.count == 1, "the good client has no link")
    return world
  }()

  static func path(_ uuid: UInt16) -> AttributePath {
    AttributePath(form: .named(service: nil, characteristic: .init(UUID(uuid)), descriptor: nil), home: service, text: "\(uuid)")
  }

  var connections: [ConnectionID] { clientConnections.filter { !$0.isGood }.map(\.id) }
  var isGoodHere: Bool { goodConnection != nil }
  func session(of identity: [UInt8]) -> UInt64 { lives.last { $0.identity == identity }?.session ?? 0 }
  func newest(of identity: [UInt8]) -> UInt64 { UInt64(lives.last { $0.identity == identity }?.told.count ?? 0) }

  // MARK: The air

  private mutating func perform(_ outputs: [HostOutput]) {
    for output in outputs {
      switch output {
      case .send(let packet): air.host(other, sends: packet, at: now.moment)
      case .compute(let id, _): perform(peripheral.handle(.computed(id, .unavailable), at: now))
      default: break
      }
    }
  }

  private mutating func settle() {
    var rounds = 0
    while true {
      let output = air.takeOutput()
      if output.isEmpty { return }
      rounds += 1
      demand(rounds < 5000, "keeper and air never come to rest")
      for item in output {
        if item.controller == own {
          if !hasLeft { feed(.packet(item.bytes)) }
        } else {
          perform(peripheral.handle(.packet(item.bytes), at: now))
        }
      }
    }
  }

  mutating func run(for span: TimeSpan) {
    if let awaySince, now.moment + span >= awaySince + Self.hold {
      returnGood()
      // Too many connections are waiting.
      if !isGoodHere { isDisturbed = true }
    }
    let end = now + span
    var rounds = 0
    while true {
      settle()
      let moments = [air.nextMoment, hasLeft ? nil : keeper.nextDeadline, peripheral.nextDeadline].compactMap { $0 }
      guard let next = moments.min(), next <= end.moment else { break }
      if next > now.moment {
        now = now + (next - now.moment)
        rounds = 0
      }
      rounds += 1
      demand(rounds < 500, "somebody asks to be woken at a moment that is over, again and again")
      air.advance(to: now.moment)
      settle()
      if !hasLeft, let due = keeper.nextDeadline, due <= now.moment { feed(.deadline) }
      if let due = peripheral.nextDeadline, due <= now.moment { perform(peripheral.handle(.deadline, at: now)) }
    }
    if end.moment > now.moment { now = end }
    air.advance(to: now.moment)
    settle()
  }

  /// The peripheral notifies one value.
  mutating func push() {
    guard pushed < 60_000 else { return }
    // The keeper may drop values beyond its limit per link.
    if pushed % 8 == 0 { run(for: .milliseconds(200)) }
    pushed += 1
    let value = [UInt8(truncatingIfNeeded: pushed), UInt8(truncatingIfNeeded: pushed >> 8)]
    let command = HostCommand.publishValue(attribute: Self.value, value: value, kind: .notify, to: nil)
    perform(peripheral.handle(.request(HostRequest(id: OperationID(UInt64(1000 + pushed)), command: command)), at: now))
    settle()
  }

  // MARK: The keeper

  mutating func feed(_ input: KeeperInput) {
    guard !hasLeft else { return }
    depth += 1
    let outputs = keeper.handle(input, at: now)
    demand(outputs.count < 20_000, "\(outputs.count) outputs at once")
    for output in outputs {
      demand(!hasLeft, "\(output) comes after it has left")
      switch output {
      case .send(let packet): air.host(own, sends: packet, at: now.moment)
      case .compute(let id, _): feed(.computed(id, .unavailable))
      case .reopen: feed(.started(seed: 1))
      case .deliver(let connection, let message): deliver(connection, message)
      case .drop(let connection):
        demand(clientConnections.contains { $0.id == connection }, "connection \(connection.raw) is dropped, which is none")
        remove(connection)
      case .log(let text): demand(text.utf8.count < 2000, "a line of \(text.utf8.count) octets for the log")
      case .leave: hasLeft = true
      }
    }
    depth -= 1
    if depth == 0 { look() }
  }

  private mutating func remove(_ connection: ConnectionID) {
    clientConnections.removeAll { $0.id == connection }
    guard goodConnection == connection else { return }
    goodConnection = nil
    if awaySince == nil { awaySince = now.moment }
  }

  /// The keeper's memory is bounded, whatever clients send.
  private func look() {
    let status = keeper.status
    demand(status.clients.count <= KeeperLimits.clients, "\(status.clients.count) clients")
    demand(
      keeper.connections.count <= KeeperLimits.clients + KeeperLimits.newConnections, "\(keeper.connections.count) connections")
    for client in status.clients {
      demand(client.name.utf8.count <= 400, "a client's name of \(client.name.utf8.count) octets")
      let limit = KeeperLimits.values + KeeperLimits.advertisements + KeeperLimits.notes + 4 * KeeperLimits.requests
      demand(client.waiting <= limit, "\(client.waiting) reports wait for \(client.name)")
    }
    demand(
      hasLeft || keeper.connections.count == clientConnections.count,
      "\(keeper.connections.count) connections, and \(clientConnections.count) guests")
  }

  private mutating func deliver(_ connection: ConnectionID, _ message: [UInt8]) {
    guard let place = clientConnections.firstIndex(where: { $0.id == connection }) else {
      return demand(false, "connection \(connection.raw) is told \(Hex.text(message.prefix(40))), and is none")
    }
    demand(message.count <= KeeperLimits.message, "a message of \(message.count) octets")
    guard let said = try? KeeperMessage(encoded: message) else {
      return demand(false, "what was told cannot be read: \(Hex.text(message.prefix(200)))")
    }
    demand(said.encoded == message, "\(said) is written in two ways")
    switch said {
    case .welcome(let welcome): welcomed(place, welcome)
    case .report(let report): reported(place, report, message)
    case .refused(let refusal): demand(!refusal.text.isEmpty, "a refusal without words")
    case .statusReport, .ending, .kept: break
    default: demand(false, "a keeper says \(said)")
    }
    if clientConnections[place].isGood { take(message) }
  }

  private mutating func welcomed(_ place: Int, _ welcome: KeeperMessage.Welcome) {
    demand(clientConnections[place].life == nil, "a client is welcomed twice")
    demand(!clientConnections[place].isUnidentified, "somebody is welcomed who has said nothing")
    guard let identity = identities.last(where: { $0.connection == clientConnections[place].id })?.identity else {
      return demand(false, "somebody is welcomed who has not said hello")
    }
    if !welcome.isReturning {
      demand(welcome.session != 0 && !lives.contains { $0.session == welcome.session }, "a session has the name of another")
      lives.append(Life(session: welcome.session, identity: identity))
    }
    guard let life = lives.lastIndex(where: { $0.identity == identity }), lives[life].session == welcome.session else {
      return demand(false, "session \(welcome.session) is not that of \(Hex.text(identity))")
    }
    clientConnections[place].life = life
    if welcome.isReturning { acknowledged(life, covered) }
    clientConnections[place].next = lives[life].isWild ? 0 : lives[life].acknowledged + 1
  }

  /// Whether the report describes a state, so that a later report may replace it.
  private static func mayBeReplaced(_ message: [UInt8]) -> Bool {
    guard !message.isEmpty, case .report(let report)? = try? KeeperMessage(encoded: message) else { return message.isEmpty }
    return switch report.event {
    case .attributeCacheChanged, .linkChanged, .valueWritten, .subscribed, .unsubscribed: true
    default: false
    }
  }

  private mutating func reported(_ place: Int, _ report: HostReport, _ message: [UInt8]) {
    guard let life = clientConnections[place].life else {
      return demand(false, "a report to somebody who was not welcomed: \(report)")
    }
    let number = report.number.raw
    if clientConnections[place].next != 0, !lives[life].isWild, number > clientConnections[place].next {
      for missing in clientConnections[place].next..<number where missing <= UInt64(lives[life].told.count) {
        demand(
          Self.mayBeReplaced(lives[life].told[Int(missing) - 1]), "report \(number) is told where \(missing) was due")
      }
    }
    demand(number >= clientConnections[place].next, "report \(number) is told after \(clientConnections[place].next - 1)")
    clientConnections[place].next = number + 1
    if number <= UInt64(lives[life].told.count), number > 0 {
      let before = lives[life].told[Int(number) - 1]
      demand(before.isEmpty || before == message, "report \(number) was another one when it was told first")
      return
    }
    // reports that a misbehaving client skipped, or that a later report replaced before they were
    // sent
    while UInt64(lives[life].told.count) + 1 < number { lives[life].told.append([]) }
    lives[life].told.append(message)
    if !lives[life].isWild {
      let open = lives[life].told.dropFirst(Int(lives[life].acknowledged)).count { !$0.isEmpty }
      demand(open <= Int(KeeperLimits.window), "\(open) reports are told and not acknowledged")
    }
    switch report.event {
    case .completed(let id, _), .connected(let id, _, _):
      lives[life].outcomes[id.raw, default: 0] += 1
      // Only the last numbers of a client are remembered beyond their acknowledgement.
      demand(lives[life].outcomes[id.raw] == 1 || lives[life].acknowledged > 0, "request \(id.raw) ended twice: \(report)")
    default: break
    }
  }

  private mutating func acknowledged(_ life: Int, _ number: UInt64) {
    if number > UInt64(lives[life].told.count) { lives[life].isWild = true }
    lives[life].acknowledged = max(lives[life].acknowledged, number)
  }

  // MARK: Misbehaving clients

  /// The last hellos, and what the pending one covers.
  private var identities: [(connection: ConnectionID, identity: [UInt8])] = []
  private var covered: UInt64 = 0

  @discardableResult
  mutating func arrive(user: UInt32 = 1000, isGood: Bool = false) -> ConnectionID {
    let connection = ConnectionID(nextConnection)
    nextConnection += 1
    clientConnections.append(ClientConnection(id: connection, isGood: isGood))
    feed(.arrived(connection, Credentials(process: Int32(truncatingIfNeeded: nextConnection), user: user)))
    return connection
  }

  /// Sends any bytes. The world notes those that may end links.
  mutating func say(_ bytes: [UInt8], on connection: ConnectionID) {
    guard let place = clientConnections.firstIndex(where: { $0.id == connection }) else { return }
    clientConnections[place].isUnidentified = false
    if let message = try? KeeperMessage(encoded: bytes) {
      demand((try? KeeperMessage(encoded: message.encoded)) != nil, "\(message) cannot be read from its bytes")
      switch message {
      case .hello(let hello):
        // A client that gives the run's own 16-byte key is that run.
        if !clientConnections[place].isGood, hello.identity == Self.good, !isGoodHere { return }
        identities.removeAll { $0.connection == connection }
        identities.append((connection, hello.identity))
        covered = hello.covered.raw
      case .stop(let force), .disconnectAll(let force), .resetAdapter(let force):
        if clientConnections[place].life == nil, force || !isGoodHere { isDisturbed = true }
      case .request(let request):
        if let life = clientConnections[place].life {
          switch request.command {
          case .acknowledge(let number): acknowledged(life, number.raw)
          case .gatt(_, .write(let path, _)), .gatt(_, .writeWithoutResponse(let path, _)):
            if case .named(_, _, nil) = path.form {} else { isOverwritten = true }
          default: break
          }
        }
      default: break
      }
    }
    feed(.messageReceived(connection, bytes))
    settle()
  }

  mutating func go(_ connection: ConnectionID) {
    guard clientConnections.contains(where: { $0.id == connection }) else { return }
    remove(connection)
    feed(.gone(connection))
  }

  mutating func garble(_ connection: ConnectionID) { feed(.malformed(connection, "what came is no message")) }

  /// The state that its successor finds: the same, with all connections closed.
  mutating func succeed() {
    let carried = keeper.encoded
    guard let again = try? Keeper(encoded: carried) else { return demand(false, "a keeper cannot be read from its bytes") }
    demand(again.encoded == carried, "a keeper is written in two ways")
    keeper = again
    for connection in keeper.connections { go(connection) }
  }

  // MARK: The good client

  mutating func ask(_ command: HostCommand) {
    lastOperation += 1
    let request = HostRequest(id: OperationID(lastOperation), command: command)
    let message = client.ask(request)
    switch command {
    case .cancel, .acknowledge: break
    default: asked.append(request.id)
    }
    if let goodConnection { say(message, on: goodConnection) }
  }

  mutating func acknowledge() { if goodConnection != nil { ask(.acknowledge(newest)) } }

  mutating func cancelLast() { if let last = asked.last { ask(.cancel(last)) } }

  mutating func leaveGood() { if let goodConnection { go(goodConnection) } }

  mutating func returnGood() {
    guard goodConnection == nil, !hasLeft else { return }
    let connection = arrive(isGood: true)
    guard clientConnections.contains(where: { $0.id == connection }) else { return }
    goodConnection = connection
    say(client.hello, on: connection)
    guard goodConnection == connection else { return }
    for message in client.repeatMessages() { say(message, on: connection) }
  }

  private mutating func take(_ message: [UInt8]) {
    switch client.take(message) {
    case .report(let report):
      demand(report.number > newest, "report \(report.number.raw) comes after \(newest.raw)")
      newest = report.number
      heard(report.event)
    case .welcomed(let welcome):
      awaySince = nil
      demand(welcome.isReturning || newest == EventNumber(0) || isDisturbed, "the good client is not known any more")
      if !welcome.isReturning { newest = EventNumber(0) }
    case .refused(let refusal): demand(isDisturbed || refusal.kind == .busy, "the good client is refused: \(refusal.text)")
    case .malformed(let why): demand(false, why)
    case .statusReport, nil: break
    }
  }

  private mutating func heard(_ event: HostEvent) {
    switch event {
    case .completed(let id, let result):
      outcomes[id.raw, default: 0] += 1
      demand(outcomes[id.raw] == 1, "request \(id.raw) ended a second time: \(result)")
    case .connected(let id, _, _):
      outcomes[id.raw, default: 0] += 1
      demand(outcomes[id.raw] == 1, "request \(id.raw) ended a second time")
    case .disconnected(_, let reason): demand(isDisturbed, "the good client's link has ended: \(reason)")
    case .notificationReceived(_, _, let value, _):
      guard value.count == 2 else { return }
      let number = UInt16(value[0]) | UInt16(value[1]) << 8
      demand(heard.last.map { number > $0 } ?? true, "value \(number) comes after \(heard.last ?? 0)")
      heard.append(number)
    case .gap(_, let count): missed += count
    default: break
    }
  }

  // MARK: The end

  mutating func end() {
    succeed()
    if !isDisturbed, !hasLeft { endWell() }
    for connection in clientConnections.map(\.id) { go(connection) }
    feed(.closing)
    for _ in 0..<100 where !hasLeft {
      guard let due = keeper.nextDeadline else { break }
      run(for: max(.milliseconds(1), due - now.moment))
    }
    demand(hasLeft, "it does not leave")
  }

  /// Checks what the good client is entitled to.
  private mutating func endWell() {
    for connection in connections { go(connection) }
    returnGood()
    demand(isGoodHere, "the good client is not let in")
    for _ in 0..<8 {
      acknowledge()
      run(for: .seconds(10))
    }
    guard !isDisturbed else { return }
    demand(keeper.status.links.contains { $0.peer == Self.address }, "the good client's link is gone")
    for id in asked { demand(outcomes[id.raw] == 1, "request \(id.raw) has \(outcomes[id.raw] ?? 0) outcomes") }
    if !isOverwritten {
      demand(heard.count + missed == pushed, "\(pushed) values were sent, \(heard.count) were heard, \(missed) are told as missed")
    }
  }
}
