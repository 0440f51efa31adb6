import Exchange
import Host
import Keeper
import Packets
import Simulator
import Testing
import Vocabulary

/// A keeper on an air, a peripheral with one value that it notifies, and clients that consist only
/// of messages.
struct KeeperBench {
  private var air: Air
  private let own: ControllerID
  private let other: ControllerID
  private(set) var keeper: Keeper
  private var peripheral = LEHost(configuration: HostConfiguration(ownAddress: .staticRandom(0xC47C_8D6A_120F)))
  private(set) var now = Instant.simulationStart
  private(set) var inboxes: [(connection: ConnectionID, messages: [KeeperMessage], isOpen: Bool)] = []
  private var next: UInt64 = 1
  private(set) var hasLeft = false
  private(set) var packetsSent = 0
  /// The controller's socket cannot be opened.
  var isUnplugged = false
  /// The controller does not answer.
  var isSilent = false
  private(set) var logged: [String] = []
  static let address = Address(bits: 0xC47C_8D6A_120F, kind: .random)
  static let service = UUID(0x180D)
  static let value = ServerAttributeID(1)
  static let indicated = ServerAttributeID(2)
  static let point = ServerAttributeID(3)

  static func path(_ uuid: UInt16) -> AttributePath {
    AttributePath(form: .named(service: nil, characteristic: .init(UUID(uuid)), descriptor: nil), home: service, text: "\(uuid)")
  }

  init(user: UInt32 = 1000, letsGroupIn: Bool = false, hold: TimeSpan = .minutes(10), keep: TimeSpan = .seconds(10)) {
    air = Air(seed: 3, at: Moment.zero)
    air.isLogging = true
    own = air.addController(address: Address(bits: 0x02_0000_0000_01, kind: .public), name: "keeper", at: Moment.zero)
    other = air.addController(address: Self.address, name: "strap", at: Moment.zero)
    keeper = Keeper(
      configuration: KeeperConfiguration(
        version: "1", adapter: "air", user: user, letsGroupIn: letsGroupIn, hold: hold, keep: keep), seed: 5, at: .simulationStart)
    feed(.started(seed: 1))
    let table = ServerTable(
      name: "strap",
      services: [
        .init(
          uuid: Self.service,
          characteristics: [
            .init(id: Self.value, uuid: UUID(0x2A37), properties: .notify),
            .init(id: Self.indicated, uuid: UUID(0x2A1C), properties: .indicate),
            .init(id: Self.point, uuid: UUID(0x2A39), properties: [.write, .read]),
          ])
      ])
    perform(peripheral.handle(.started(seed: 2), at: now))
    perform(peripheral.handle(.request(HostRequest(id: OperationID(1), command: .publish(table))), at: now))
    perform(
      peripheral.handle(
        .request(HostRequest(id: OperationID(2), command: .advertise(AdvertisingPlan(services: [Self.service], name: "strap")))),
        at: now))
    run(for: .milliseconds(10))
  }

  private mutating func perform(_ outputs: [HostOutput]) {
    for output in outputs {
      switch output {
      case .send(let packet): air.host(other, sends: packet, at: now.moment)
      case .compute(let id, _): perform(peripheral.handle(.computed(id, .unavailable), at: now))
      default: break
      }
    }
  }

  mutating func feed(_ input: KeeperInput) {
    for output in keeper.handle(input, at: now) {
      #expect(!hasLeft, "\(output) comes after it has left")
      switch output {
      case .send(let packet):
        packetsSent += 1
        if !isUnplugged { air.host(own, sends: packet, at: now.moment) }
      case .compute(let id, _): feed(.computed(id, .unavailable))
      case .reopen: feed(isUnplugged ? .transportLost("there is no hci0") : .started(seed: 1))
      case .deliver(let connection, let message):
        if let place = inboxes.firstIndex(where: { $0.connection == connection }), let read = try? KeeperMessage(encoded: message) {
          inboxes[place].messages.append(read)
        }
      case .drop(let connection):
        if let place = inboxes.firstIndex(where: { $0.connection == connection }) { inboxes[place].isOpen = false }
      case .log(let text): logged.append(text)
      case .leave: hasLeft = true
      }
    }
  }

  /// Modifies the keeper directly.
  mutating func adjust(_ change: (inout Keeper) -> Void) { change(&keeper) }

  private mutating func settle() {
    while true {
      let output = air.takeOutput()
      if output.isEmpty { return }
      for item in output {
        if item.controller == own {
          if !isUnplugged, !isSilent { feed(.packet(item.bytes)) }
        } else {
          perform(peripheral.handle(.packet(item.bytes), at: now))
        }
      }
    }
  }

  mutating func run(for span: TimeSpan) {
    let end = now + span
    while true {
      settle()
      let moments = [air.nextMoment, keeper.nextDeadline, peripheral.nextDeadline].compactMap { $0 }
      guard let next = moments.min(), next <= end.moment else { break }
      if next > now.moment { now = now + (next - now.moment) }
      air.advance(to: now.moment)
      settle()
      if let due = keeper.nextDeadline, due <= now.moment { feed(.deadline) }
      if let due = peripheral.nextDeadline, due <= now.moment { perform(peripheral.handle(.deadline, at: now)) }
    }
    if end.moment > now.moment { now = end }
    air.advance(to: now.moment)
    settle()
  }

  /// Sends a notification or an indication of a value.
  mutating func push(_ value: [UInt8], _ kind: SubscriptionKind = .notify) {
    next += 1
    perform(
      peripheral.handle(
        .request(
          HostRequest(
            id: OperationID(1000 + next),
            command: .publishValue(attribute: kind == .notify ? Self.value : Self.indicated, value: value, kind: kind, to: nil))),
        at: now))
    settle()
  }

  /// The adapter is unplugged; the controller loses its state.
  mutating func unplug() {
    isUnplugged = true
    feed(.transportLost("hci0 was unplugged"))
  }

  mutating func vanish() { air.vanish(other, at: now.moment) }

  // MARK: Clients

  mutating func connection(user: UInt32 = 1000) -> ConnectionID {
    let connection = ConnectionID(next)
    next += 1
    inboxes.append((connection, [], true))
    feed(.arrived(connection, Credentials(process: 77, user: user)))
    return connection
  }

  mutating func say(_ message: KeeperMessage, on connection: ConnectionID) {
    feed(.messageReceived(connection, message.encoded))
    settle()
  }

  static func hello(_ name: UInt8, session: UInt64 = 0, covered: UInt64 = 0, isEphemeral: Bool = false, version: String = "1")
    -> KeeperMessage
  {
    .hello(
      .init(
        version: version, identity: [UInt8](repeating: name, count: 16), name: "client \(name)", session: session,
        covered: EventNumber(covered), isEphemeral: isEphemeral))
  }

  mutating func ask(_ id: UInt64, _ command: HostCommand, on connection: ConnectionID) {
    say(.request(HostRequest(id: OperationID(id), command: command)), on: connection)
  }

  mutating func take(_ connection: ConnectionID) -> [KeeperMessage] {
    guard let place = inboxes.firstIndex(where: { $0.connection == connection }) else { return [] }
    defer { inboxes[place].messages = [] }
    return inboxes[place].messages
  }

  func isOpen(_ connection: ConnectionID) -> Bool { inboxes.first { $0.connection == connection }?.isOpen ?? false }

  mutating func reports(_ connection: ConnectionID) -> [HostReport] {
    take(connection).compactMap { if case .report(let report) = $0 { report } else { nil } }
  }

  mutating func welcome(_ connection: ConnectionID) -> (KeeperMessage.Welcome?, [HostReport]) {
    let messages = take(connection)
    var reports: [HostReport] = []
    for case .report(let report) in messages { reports.append(report) }
    if case .welcome(let welcome)? = messages.first { return (welcome, reports) }
    return (nil, reports)
  }

  /// A client subscribed to the value: its connection, its session, and the number of the newest
  /// report.
  mutating func subscriber(_ name: UInt8 = 1, to uuid: UInt16 = 0x2A37) -> (ConnectionID, session: UInt64, newest: UInt64) {
    let connection = connection()
    say(Self.hello(name), on: connection)
    let (welcome, _) = welcome(connection)
    run(for: .milliseconds(50))
    ask(1, .connect(ConnectRequest(peer: Self.address, pending: true)), on: connection)
    run(for: .seconds(3))
    ask(2, .gatt(Self.address, .subscribe(Self.path(uuid))), on: connection)
    run(for: .seconds(3))
    let reports = reports(connection)
    let newest = reports.last?.number.raw ?? 0
    ask(0, .acknowledge(EventNumber(newest)), on: connection)
    return (connection, welcome?.session ?? 0, newest)
  }

  /// Lines of the air about links and requests.
  mutating func log() -> [AirRecord] { air.takeLog() }
}

extension HostReport {
  var notified: [UInt8]? { if case .notificationReceived(_, _, let value, _) = event { value } else { nil } }
  var gap: Int? { if case .gap(_, let count) = event { count } else { nil } }
}

extension AirRecord {
  var octets: [UInt8] { bytes ?? [] }
}
