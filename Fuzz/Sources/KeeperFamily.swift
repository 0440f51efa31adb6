import Exchange
import Keeper
import KeeperProcess
import Linux
import Session
import Vocabulary

/// A keeper with clients that send anything, in pieces; and a run whose keeper does.
enum KeeperFuzz {
  static func run(_ bytes: [UInt8]) {
    var input = Input(bytes)
    if input.byte() & 3 == 3 { client(&input) } else { keeper(&input) }
  }

  private static func keeper(_ input: inout Input) {
    var world = KeeperWorld.prepared
    var frames = MessageFrames()
    var steps = 0
    var operation: UInt64 = 0
    while !input.isAtEnd, !world.hasLeft, steps < 300 {
      steps += 1
      let all = world.connections
      let connection = all.isEmpty ? ConnectionID(0) : all[input.below(all.count)]
      switch input.below(26) {
      case 0: world.arrive(user: input.below(4) == 0 ? 5 : 1000)
      case 1, 2, 3:
        let newcomer = world.arrive()
        world.say(hello(&input, world), on: newcomer)
      case 4: world.say(input.corrupt(hello(&input, world)), on: connection)
      case 5: world.say(input.blob(), on: connection)
      case 6, 7, 8, 9:
        operation += 1
        world.say(KeeperMessage.request(request(&input, OperationID(operation))).encoded, on: connection)
      case 10:
        world.say(input.corrupt(KeeperMessage.request(request(&input, OperationID(UInt64(input.byte())))).encoded), on: connection)
      case 11: world.say(input.corrupt(other(&input).encoded), on: connection)
      case 12:
        // many copies of the same bytes
        let count = Int(input.byte()) * 4
        let again = request(&input, OperationID(operation + 1))
        for _ in 0..<count {
          operation += 1
          var one = again
          one.id = OperationID(operation)
          world.say(KeeperMessage.request(one).encoded, on: connection)
        }
      case 13: world.go(connection)
      case 14:
        // Data from a stream, cut anywhere.
        frames.push(input.blob())
        frames.push(MessageFrames.framed(KeeperMessage.status.encoded).prefix(input.below(6)))
        do throws(MessageFrames.Garbled) {
          while let message = try frames.next() { world.say(message, on: connection) }
        } catch {
          demand(error.length == 0 || error.length > UInt32(KeeperLimits.message), "\(error.length) is refused as a length")
          frames = MessageFrames()
          world.garble(connection)
        }
        demand(frames.pending <= KeeperLimits.message + 4, "\(frames.pending) octets of a message are kept")
      case 15: for _ in 0...Int(input.byte()) { world.push() }
      case 16: world.run(for: .milliseconds(Int64(input.byte()) * 100))
      case 17: world.run(for: .milliseconds(Int64(input.byte())))
      case 18: world.acknowledge()
      case 19: world.leaveGood()
      case 20: world.returnGood()
      case 21: world.ask(.gatt(KeeperWorld.address, .read(KeeperWorld.path(0x2A39))))
      case 22:
        world.ask(.scan(ScanRequest(duty: .full)))
        world.cancelLast()
      case 23: world.succeed()
      case 24:
        guard input.byte() > 200 else { break }
        world.isDisturbed = true
        world.feed(
          input.flag() ? .packet(input.blob()) : input.flag() ? .transportLost("gone") : .outOfStep("what came is no packet"))
      default: world.push()
      }
    }
    world.end()
  }

  private static let long = "e" + String(repeating: "\u{301}", count: 100_000)

  private static func hello(_ input: inout Input, _ world: KeeperWorld) -> [UInt8] {
    let identity = input.below(8) == 0 ? KeeperWorld.good : [UInt8](repeating: UInt8(input.below(3)), count: 16)
    let how = input.byte()
    // One letter with any number of accents is one character.
    let long = how & 0x40 == 0 ? "" : input.flag() ? "e\u{301}" : Self.long
    let covered = how & 8 == 0 ? world.newest(of: identity) : UInt64(input.byte())
    return KeeperMessage.hello(
      KeeperMessage.Hello(
        version: how & 0x87 == 0x87 ? "2" + long : "1", identity: identity, name: "f" + long,
        session: how & 16 == 0 ? world.session(of: identity) : 0, covered: EventNumber(covered), isEphemeral: how & 32 != 0)
    ).encoded
  }

  private static func request(_ input: inout Input, _ id: OperationID) -> HostRequest {
    let peer = input.below(4) == 0 ? Table.peers[input.below(Table.peers.count)] : KeeperWorld.address
    let command: HostCommand =
      switch input.below(14) {
      case 0: .scan(ScanRequest(duty: input.flag() ? .full : .gentle, addresses: input.flag() ? [peer.bits] : []))
      case 1, 2, 3: .connect(ConnectRequest(peer: peer, pending: input.flag(), mtu: input.flag() ? input.word() : nil))
      case 4: .disconnect(peer)
      case 5: .cancel(OperationID(UInt64(input.byte())))
      case 6: .acknowledge(EventNumber(UInt64(input.byte())))
      case 7: .publish(Table.small)
      case 8: .answer(ServerRequestID(UInt64(input.byte())), .accept)
      case 9: .gatt(peer, .subscribe(KeeperWorld.path(input.flag() ? 0x2A37 : 0x2A1C)))
      case 10: .gatt(peer, .unsubscribe(KeeperWorld.path(0x2A37)))
      case 11:
        // longer than any value may be
        .gatt(peer, .write(KeeperWorld.path(0x2A39), [UInt8](repeating: 1, count: Int(input.byte()) * 512)))
      case 12: .gatt(peer, .readRSSI)
      default: .gatt(peer, Table.request(&input))
      }
    return HostRequest(owner: OwnerID(UInt32(input.byte())), id: id, command: command)
  }

  private static func other(_ input: inout Input) -> KeeperMessage {
    switch input.below(10) {
    case 0, 1: .resumed(upTo: OperationID(UInt64(input.byte())), except: [OperationID(UInt64(input.byte()))])
    case 2: .goodbye
    case 3: .status
    case 4: .stop(force: input.byte() > 230)
    case 5: .disconnectAll(force: input.byte() > 230)
    case 6: .resetAdapter(force: input.byte() > 230)
    case 7: .packets
    case 8: .welcome(KeeperMessage.Welcome(session: 4, isReturning: input.flag(), adapter: nil))
    default: .refused(KeeperMessage.Refusal(.busy, "no"))
    }
  }

  // MARK: A run and its keeper's reports

  /// A connection to a keeper that may or may not exist, as the input says.
  private final class Port: KeeperPort {
    var isThere = true
    var sent: [[UInt8]] = []
    func connect(at now: Instant) throws(KeeperUnreachable) {
      guard isThere else { throw KeeperUnreachable("nobody is there", isTemporary: true) }
    }
    func wait(until moment: Moment) {}
    func send(_ packet: [UInt8], at now: Instant) { sent.append(packet) }
    func receive(at now: Instant) -> [[UInt8]] { [] }
    func flush() {}
    var nextMoment: Moment? { nil }
    var interest: Poll.Interest? { nil }
    var ending: String? { nil }
  }

  /// The keeper may report anything. The run hears nothing twice, and each request has at most one
  /// outcome.
  private static func client(_ input: inout Input) {
    let port = Port()
    let host = KeeperHost(port: port, version: "1")
    var now = Instant.simulationStart
    var newest = EventNumber(0)
    var last: UInt64 = 0
    var steps = 0
    func hear() {
      while let report = host.next(atRest: true) {
        // The report of a loss to the run has no number.
        guard report.number.raw > 0 else { continue }
        demand(report.number > newest, "report \(report.number.raw) comes after \(newest.raw)")
        newest = report.number
      }
    }
    func say(_ message: [UInt8]) {
      host.take(message, at: now)
      // Another keeper starts numbering again.
      if case .welcome(let welcome)? = try? KeeperMessage(encoded: message), !welcome.isReturning { newest = EventNumber(0) }
      hear()
    }
    while !input.isAtEnd, steps < 300 {
      steps += 1
      switch input.below(10) {
      case 0, 1:
        last += 1
        host.send(request(&input, OperationID(last)), at: now)
      case 2: say(input.blob())
      case 3: say(input.corrupt(other(&input).encoded))
      case 4, 5:
        let report = HostReport(number: EventNumber(UInt64(input.byte())), at: now, event: event(&input))
        say(input.corrupt(KeeperMessage.report(report).encoded))
      case 6:
        let welcome = KeeperMessage.Welcome(
          session: UInt64(input.below(3)) + 1, isReturning: input.flag(), adapter: nil,
          links: input.flag() ? [.init(peer: Table.peers[0], info: KeeperFuzz.link)] : [], missed: Int(input.byte()))
        say(input.corrupt(KeeperMessage.welcome(welcome).encoded))
      case 7: host.lost(at: now)
      case 8: port.isThere = input.flag()
      default:
        now = now + .milliseconds(Int64(input.byte()) * 20)
        host.wake(at: now)
        demand(host.nextDeadline.map { $0 > now.moment } ?? true, "a deadline stays in the past")
      }
      hear()
      for message in port.sent {
        guard let said = try? KeeperMessage(encoded: message) else {
          return demand(false, "a client says what cannot be read: \(Hex.text(message.prefix(100)))")
        }
        switch said {
        case .hello, .request: break
        default: demand(false, "a client says \(said)")
        }
      }
      port.sent = []
    }
    host.abandon(at: now)
    demand(host.nextDeadline == nil, "after its goodbye it wants to be woken")
  }

  private static let link = LinkInfo(mtu: 247, interval: .milliseconds(30), latency: 0, supervisionTimeout: .seconds(5))

  private static func event(_ input: inout Input) -> HostEvent {
    let peer = Table.peers[input.below(Table.peers.count)]
    let id = OperationID(UInt64(input.byte()))
    return switch input.below(7) {
    case 0: .disconnected(peer, DisconnectReason(text: "gone"))
    case 1: .gap(peer, Int(input.byte()))
    case 2: .completed(id, .success(.done))
    case 3: .connected(id, peer, link)
    case 4: .adapterAway(Failure(.adapter, "gone", blame: .adapter, layer: .os))
    case 5: .adapterLost(Failure(.adapter, "gone", blame: .adapter, layer: .os))
    default: .noted(.warning, "hm")
    }
  }
}
