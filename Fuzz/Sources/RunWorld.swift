import Exchange
import Recipe
import Runner
import Vocabulary

/// A run whose host is driven by a row of numbers. Its rows are kept as in a database and must be
/// readable at any time.
struct RunWorld {
  var machine: Machine
  var now = Instant.simulationStart
  private(set) var rows: [RowKey: [UInt8]] = [:]
  private var remembered: [(name: String, value: [UInt8])] = []
  private var number: UInt64 = 0
  private var decisions: UInt64
  /// Reports that are still to be delivered.
  private var reports: [HostEvent] = []
  private(set) var turns = 0
  private(set) var isFinished = false

  private static let adapter = AdapterInfo(
    address: Address(bits: 0xC000_0000_0001, kind: .random), manufacturer: 0xFFFF, version: 12, filterAcceptListSize: 8,
    extended: false)
  private static let link = LinkInfo(mtu: 247, interval: .milliseconds(30), latency: 0, supervisionTimeout: .seconds(5))

  /// A fresh run.
  init(_ program: Program, decisions: UInt64) {
    self.decisions = decisions
    machine = Machine(program: program, inputs: [], environment: MachineEnvironment(seed: 1, bootID: "boot"), at: now)
    machine.start(at: now)
    deliver(.adapterReady(Self.adapter))
  }

  /// A run that is restored from rows, if it can be.
  init(_ program: Program, restoring rows: [RowKey: [UInt8]], downFor: TimeSpan, at now: Instant, decisions: UInt64) throws {
    self.decisions = decisions
    self.rows = rows
    let snapshot = try Snapshot(rows: rows.map { Commit.Row($0.key, $0.value) })
    self.now = now + downFor
    machine = try Machine(
      program: program, restoring: snapshot, remembered: [], inputs: [], environment: MachineEnvironment(seed: 2, bootID: "boot"),
      past: PastRun(reason: .killed, at: now), at: self.now)
    deliver(.adapterReady(Self.adapter))
  }

  private mutating func decide(_ bound: UInt64) -> UInt64 {
    decisions = decisions &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (decisions >> 33) % bound
  }

  mutating func deliver(_ event: HostEvent) {
    number += 1
    machine.handle(.host(HostReport(number: EventNumber(number), at: now, event: event)), at: now)
  }

  /// Runs at most this many turns. Between them, requests are answered and time passes.
  mutating func run(turns limit: Int) {
    let end = turns + limit
    var still = 0
    while turns < end, !isFinished {
      let turn = step()
      if turn.hasMore { continue }
      if !reports.isEmpty {
        deliver(reports.removeFirst())
        still = 0
        continue
      }
      guard let next = machine.nextDeadline else { return }
      if next > now.moment {
        now = now + (next - now.moment)
        still = 0
      } else {
        // A deadline that is due and changes nothing would make the loop spin.
        still = turn.effects.isEmpty && turn.commit.isEmpty ? still + 1 : 0
        demand(still < 64, "the run asks to be woken at a moment that is over, again and again")
      }
      // A deadline at the end of time is never waited for.
      if next == .distantFuture { return }
    }
  }

  private mutating func step() -> Turn {
    let turn = machine.turn(at: now)
    turns += 1
    demand(turn.effects.count < 20_000, "\(turn.effects.count) effects in a turn")
    if turn.commit.clearsAll { rows = [:] }
    for row in turn.commit.rows {
      demand(RowKey(integer: row.key.integer) == row.key, "the key \(row.key) is not its integer's")
      rows[row.key] = row.value
    }
    var answers: [RunnerEvent] = []
    for effect in turn.effects {
      switch effect {
      case .request(let request): answer(request)
      case .print(let id, let line):
        for value in line.values { _ = TextRendering.text(of: value, machine.surroundings) }
        for value in line.values { _ = JSON.text(of: value, machine.surroundings) }
        answers.append(.outputWritten(id))
      case .log(let id, _, _): answers.append(.outputWritten(id))
      case .append(let id, _, _), .save(let id, _, _):
        answers.append(.fileWritten(id, decide(4) == 0 ? Failure(.file, "disk full", blame: .ours, layer: .os) : nil))
      case .run(let id, _):
        answers.append(.commandEnded(id, .success(CommandResult(code: Int(decide(3)), out: [0x61], err: [0xFF]))))
      case .ask(let id, _, _):
        answers.append(
          .answered(id, decide(4) == 0 ? .failure(Failure(.user, "nobody", blame: .ours, layer: .os)) : .success("yes")))
      case .withdrawn, .metered, .offerMade: break
      case .order(let id, _): answers.append(.fileWritten(id, nil))
      case .readFile(let id, _, _):
        answers.append(
          .fileRead(id, decide(4) == 0 ? .failure(Failure(.file, "no such file", blame: .ours, layer: .os)) : .success([1, 2, 3])))
      case .failed(let report): demand(!report.failure.message.isEmpty, "a failure without a message")
      case .progressed: break
      // only a keeper needs this
      case .resumed: break
      case .finished:
        demand(!isFinished, "the run is finished twice")
        isFinished = true
      }
    }
    for answer in answers { machine.handle(answer, at: now) }
    return turn
  }

  private mutating func answer(_ request: HostRequest) {
    let id = request.id
    let failure = Failure(.timeout, "no answer", blame: .peer, layer: .att, delivered: .maybe)
    func end(_ result: Result<Outcome, Failure>) { reports.append(.completed(id, result)) }
    func reference(_ path: AttributePath) -> AttributeReference {
      switch path.form {
      case .handle(let handle):
        AttributeReference(handle: handle, service: UUID(0x180D), characteristic: UUID(0x2A37), properties: 0x3A)
      case .named(let service, let characteristic, let descriptor):
        AttributeReference(
          handle: AttributeHandle(12), service: service?.uuid ?? path.home ?? UUID(0x180D), characteristic: characteristic.uuid,
          descriptor: descriptor?.uuid, properties: 0x3A)
      }
    }
    switch request.command {
    case .scan:
      for peer in Table.peers {
        let heard = Advertisement(
          address: peer, rssi: -Int(decide(120)), name: decide(2) == 0 ? "strap" : nil, services: [UUID(0x180D), UUID(0x1809)],
          manufacturer: [.init(company: 76, data: bytes(Int(decide(30))))])
        reports.append(.advertisementReceived(id, heard))
      }
    case .connect(let wanted):
      if decide(5) == 0 { return end(.failure(failure)) }
      reports.append(.connected(id, wanted.peer, Self.link))
      if decide(6) == 0 { reports.append(.disconnected(wanted.peer, DisconnectReason(code: 8, text: "out of range"))) }
    case .disconnect(let peer):
      reports.append(.disconnected(peer, .asked))
      end(.success(.done))
    case .gatt(let peer, let asked):
      let operation = if case .hidden(let inner) = asked { inner } else { asked }
      if decide(6) == 0 { return end(.failure(failure)) }
      switch operation {
      case .discover, .write, .writeWithoutResponse, .unsubscribe, .locate, .hidden, .adjust: end(.success(.done))
      case .read(let path): end(.success(.value(bytes(Int(decide(24))), reference(path))))
      case .subscribe(let path):
        end(.success(.subscribed(reference(path), .notify)))
        for _ in 0..<3 { reports.append(.notificationReceived(peer, reference(path), bytes(Int(decide(24))), .notify)) }
      case .readRSSI: end(.success(.rssi(-40)))
      case .pair:
        end(.success(.paired(LinkSecurity(isEncrypted: true, isAuthenticated: false, isSecureConnections: true, keySize: 16))))
      }
    case .cancel(let other):
      reports.append(.completed(other, .failure(Failure(.cancelled, "cancelled", blame: .ours, layer: .hci))))
    case .acknowledge, .answer: break
    case .publish:
      end(.success(.done))
      reports.append(.centralConnected(Table.peers[0], Self.link))
      for attribute in 0..<4 {
        let server = ServerAttributeID(attribute)
        reports.append(.subscribed(server, Table.peers[0], .notify))
        reports.append(.readRequested(ServerRequestID(UInt64(attribute * 2 + 1)), server, Table.peers[0]))
        reports.append(
          .writeRequested(
            ServerRequestID(UInt64(attribute * 2 + 2)), server, Table.peers[0], bytes(Int(decide(24))), withResponse: true))
      }
    case .advertise, .stopAdvertising, .update, .publishValue, .forgetBond, .answerPairing, .offerOutOfBand: end(.success(.done))
    }
  }

  private mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: decide(256)) } }

  /// Kills and resumes the run. Its committed state can always be resumed by the same recipe.
  mutating func kill(downFor: TimeSpan = .seconds(2)) {
    do {
      self = try RunWorld(machine.program, restoring: rows, downFor: downFor, at: now, decisions: decisions)
    } catch {
      demand(false, "what the run committed cannot be taken up: \(error)")
    }
  }
}
