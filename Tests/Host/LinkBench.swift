import Exchange
import Packets
import Testing
import Vocabulary

@testable import Host

/// A host on a scripted controller, with everything that it has sent.
struct LinkBench {
  var host: LEHost
  var reencoded = ReencodedHost()
  var now = Instant.simulationStart
  var controller: ScriptedController
  var commands: [HCICommand] = []
  var data: [ACLPacket] = []
  var reports: [HostReport] = []
  var hashes: [[UInt8]] = []
  var isClosed = false
  /// When the host ordered to reopen the transport, and why that fails.
  var reopenings: [Moment] = []
  var refusesToOpen: String?
  /// The answer of the bond store.
  var bonds: ComputationResult?
  /// Whether the bond store can take a bond.
  var room = ComputationResult.done
  /// Our static random address in the bond store.
  var stored: Address?
  /// The identity address for each private address.
  var makers: [Address: Address] = [:]
  private var lastID: UInt64 = 0

  static let strap = Address(bits: 0xC4_7C_8D_6A_12_0F, kind: .random)
  static let meter = Address(bits: 0xD0_11_22_33_44_55, kind: .random)
  static let valve = Address(bits: 0x00_1B_DC_01_02_03, kind: .public)

  init(
    _ controller: ScriptedController = ScriptedController(), _ configuration: HostConfiguration = HostConfiguration(),
    start: Bool = true
  ) {
    host = LEHost(configuration: configuration)
    self.controller = controller
    if start { input(.started(seed: 7)) }
  }

  mutating func input(_ input: HostInput) {
    var waiting = [input]
    while !waiting.isEmpty {
      let outputs = reencoded.handle(waiting.removeFirst(), by: &host, at: now)
      if let end = outputs.firstIndex(of: .closed) { #expect(end == outputs.count - 1, "\(outputs[end...])") }
      for output in outputs {
        switch output {
        case .send(let bytes), .sendHidden(let bytes, _):
          switch try? HCIPacket(encoded: bytes, name: "HCI packet") {
          case .command(let command):
            commands.append(command)
            for event in controller.answer(command) { waiting.append(.packet(HCIPacket.event(event).encoded)) }
          case .acl(let packet): data.append(packet)
          default: Issue.record("the host sent \(bytes)")
          }
        case .report(let report): reports.append(report)
        case .compute(_, .databaseHash(let bytes)): hashes.append(bytes)
        case .compute(let id, .loadBonds): if let bonds { waiting.append(.computed(id, bonds)) }
        case .compute(let id, .resolve(let address, _)): waiting.append(.computed(id, .address(makers[address])))
        case .compute(let id, .storedAddress): waiting.append(.computed(id, .address(stored)))
        case .compute(let id, .checkRoom): waiting.append(.computed(id, room))
        case .compute(let id, .forgetBond): waiting.append(.computed(id, .done))
        case .compute: break
        case .closed: isClosed = true
        case .reopen:
          reopenings.append(now.moment)
          waiting.append(refusesToOpen.map { .transportLost($0) } ?? .started(seed: 7))
        }
      }
    }
  }

  mutating func event(_ event: HCIEvent) { input(.packet(HCIPacket.event(event).encoded)) }

  mutating func acl(_ handle: UInt16, _ boundary: ACLPacket.Boundary, _ data: [UInt8]) {
    input(.packet(HCIPacket.acl(ACLPacket(handle: ConnectionHandle(handle), boundary: boundary, data: data)).encoded))
  }

  mutating func frame(_ handle: UInt16, channel: UInt16 = 4, _ payload: [UInt8]) {
    acl(handle, .firstFlushable, L2CAPFrame(channel: channel, payload: payload).encoded)
  }

  @discardableResult
  mutating func request(_ command: HostCommand, owner: OwnerID = .run) -> OperationID {
    lastID += 1
    input(.request(HostRequest(owner: owner, id: OperationID(lastID), command: command)))
    return OperationID(lastID)
  }

  /// Advances time, and wakes the host at each of its deadlines on the way.
  mutating func pass(_ span: TimeSpan) {
    let end = now + span
    while let deadline = host.nextDeadline, deadline <= end.moment {
      if deadline > now.moment { now = now + (deadline - now.moment) }
      input(.deadline)
      if let next = host.nextDeadline, next <= now.moment {
        Issue.record("a deadline stays in the past")
        return
      }
    }
    now = end
  }

  mutating func forget() {
    commands = []
    data = []
    reports = []
  }

  var opcodes: [HCIOpcode] { commands.map(\.opcode) }
  var events: [HostEvent] { reports.map(\.event) }

  /// Events that are not for the log.
  var facts: [HostEvent] { events.filter { if case .noted = $0 { false } else { true } } }

  func outcome(_ id: OperationID) -> Result<Outcome, Failure>? {
    for case .completed(id, let result) in events { return result }
    return nil
  }

  func failure(_ id: OperationID) -> Failure? {
    if case .failure(let failure) = outcome(id) { failure } else { nil }
  }

  // MARK: Links

  mutating func connectionComplete(
    _ peer: Address, handle: UInt16 = 0x40, role: LinkRole = .central, status: HCIStatus = .success, timeout: UInt16 = 500
  ) {
    event(
      .leConnectionComplete(
        ConnectionComplete(
          status: status, handle: ConnectionHandle(handle), role: role, peer: peer, interval: 24, latency: 0,
          supervisionTimeout: timeout)))
  }

  mutating func disconnectionComplete(_ handle: UInt16 = 0x40, _ reason: HCIStatus) {
    event(.disconnectionComplete(DisconnectionComplete(status: .success, handle: ConnectionHandle(handle), reason: reason)))
  }

  mutating func completed(_ handle: UInt16 = 0x40, _ count: UInt16) {
    event(.numberOfCompletedPackets([CompletedPackets(handle: ConnectionHandle(handle), count: count)]))
  }

  mutating func mtuResponse(_ handle: UInt16 = 0x40, _ mtu: UInt16 = 247) {
    frame(handle, [0x03, UInt8(truncatingIfNeeded: mtu), UInt8(mtu >> 8)])
  }

  /// A link as the central, ready.
  @discardableResult
  mutating func connect(_ peer: Address = strap, handle: UInt16 = 0x40, pending: Bool = false, owner: OwnerID = .run) -> OperationID
  {
    let id = request(.connect(ConnectRequest(peer: peer, pending: pending)), owner: owner)
    connectionComplete(peer, handle: handle)
    completed(handle, 1)
    mtuResponse(handle)
    return id
  }
}
