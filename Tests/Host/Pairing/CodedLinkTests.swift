import Exchange
import KeeperProcess
import Packets
import Testing
import Vocabulary

@testable import Host

/// A pairing with a code between two hosts, as their clients see it.
@Suite struct CodedLinkTests {
  private static let watch = Address(bits: 0x00_1B_DC_0A_0B_0C, kind: .public)
  private static let lock = LinkBench.strap

  private static func table(_ pairing: PairRequest, _ outOfBand: OutOfBandData? = nil) -> ServerTable {
    ServerTable(
      name: "lock",
      services: [
        .init(
          uuid: UUID(0xFFF0),
          characteristics: [.init(id: ServerAttributeID(1), uuid: UUID(0xFFF1), properties: [.read], protection: .authentication)])
      ], pairing: pairing, outOfBand: outOfBand)
  }

  /// A central (0) linked to a peripheral (1) that serves.
  private func linked(_ pairing: PairRequest, tags: [OutOfBandData?] = [nil, nil], policy: PairRequest = PairRequest()) -> PairWorld
  {
    var world = PairWorld(seed: 3)
    _ = world.add(
      Self.watch, HostConfiguration(profile: .fast), toolbox: Toolbox(entropy: .seeded(SplitMix(seed: 3))))
    _ = world.add(Self.lock, toolbox: Toolbox(entropy: .seeded(SplitMix(seed: 4))))
    world.request(1, .publish(Self.table(pairing, tags[1])))
    world.request(1, .advertise(AdvertisingPlan(services: [UUID(0xFFF0)], name: "lock")))
    let id = world.request(0, .connect(ConnectRequest(peer: Self.lock, pending: false, pairing: policy, outOfBand: tags[0])))
    world.expect(within: .seconds(10)) { $0.isConnected(0, id) }
    return world
  }

  private func questions(_ world: PairWorld, _ station: Int) -> [(id: PairingQuestionID, question: PairingQuestion)] {
    world.events(station).compactMap { if case .pairingAsked(let id, _, let question) = $0 { (id, question) } else { nil } }
  }

  private func level(_ world: PairWorld, _ id: OperationID) -> LinkSecurity? {
    if case .success(.paired(let level)) = world.outcome(0, id) { level } else { nil }
  }

  /// A device that claims the identity of a bonded one learns that its key is rejected (0x0F)
  /// before the link is closed, and the old bond stays.
  @Test func aStolenIdentityIsRefusedWithItsReason() throws {
    var world = linked(PairRequest())
    let first = world.request(0, .gatt(Self.lock, .pair(PairRequest(), renews: false)))
    world.expect(within: .seconds(10)) { $0.outcome(0, first) != nil }
    let old = world.stations[0].host.bonds.bond(with: Self.lock)
    #expect(old != nil)
    world.request(0, .disconnect(Self.lock))
    world.run(.seconds(1))
    world.air.vanish(world.stations[1].id, at: world.now)
    // Another device with the same identity, but a private address and other keys.
    let thief = world.add(
      Self.lock, HostConfiguration(privateFor: .minutes(15)), toolbox: Toolbox(entropy: .seeded(SplitMix(seed: 9))))
    world.request(thief, .publish(Self.table(PairRequest())))
    world.request(thief, .advertise(AdvertisingPlan(services: [UUID(0xFFF0)], name: "thief")))
    let scan = world.request(0, .scan(ScanRequest(duty: .full)))
    func address(_ world: PairWorld) -> Address? {
      for event in world.events(0) {
        if case .advertisementReceived(scan, let heard) = event, heard.name == "thief" { return heard.address }
      }
      return nil
    }
    world.expect(within: .seconds(5)) { address($0) != nil }
    world.request(0, .cancel(scan))
    let peer = try #require(address(world))
    let id = world.request(0, .connect(ConnectRequest(peer: peer, pending: false)))
    world.expect(within: .seconds(10)) { $0.isConnected(0, id) }
    let pair = world.request(0, .gatt(peer, .pair(PairRequest(), renews: false)))
    world.expect(within: .seconds(10)) { $0.outcome(0, pair) != nil }
    guard case .failure(let failure)? = world.outcome(0, pair) else {
      Issue.record("it was paired")
      return
    }
    #expect(failure.code == 0x0F && failure.message.contains("already paired"), "\(failure)")
    world.run(.seconds(1))
    #expect(world.stations[0].host.bonds.bond(with: Self.lock) == old)
    let reasons = world.events(thief).compactMap { if case .noted(_, let text) = $0 { text } else { nil } }
    #expect(reasons.contains { $0.contains("already has a bond") }, "\(reasons)")
  }

  /// Both ends have a TK from outside: no user is asked, and both are authenticated. With another
  /// TK, or with data of another device, the pairing fails.
  @Test(arguments: [0, 1, 2]) func aTemporaryKeyAuthenticates(kind: Int) {
    let key = [UInt8](repeating: 0x4D, count: 16)
    let other = Address(bits: 0xC700_0000_0001, kind: .random)
    var own = OutOfBandData(address: kind == 2 ? other : Self.lock, temporaryKey: key)
    if kind == 1 { own.temporaryKey?[3] = 0 }
    var world = linked(PairRequest(), tags: [own, OutOfBandData(address: Self.watch, temporaryKey: key)])
    let pair = world.request(0, .gatt(Self.lock, .pair(PairRequest(), renews: false)))
    world.expect(within: .seconds(10)) { $0.outcome(0, pair) != nil }
    #expect(questions(world, 0).isEmpty && questions(world, 1).isEmpty)
    if kind == 0 {
      #expect(level(world, pair)?.isAuthenticated == true && level(world, pair)?.isSecureConnections == false)
      #expect(world.stations[0].host.bondedPeers == [Self.lock] && world.stations[1].host.bondedPeers == [Self.watch])
    } else if case .failure(let failure)? = world.outcome(0, pair) {
      #expect(failure.kind == .refused && failure.message.contains(kind == 1 ? "wrong" : "belong to \(other)"), "\(failure)")
      #expect(world.stations[0].host.bondedPeers.isEmpty && world.stations[1].host.bondedPeers.isEmpty)
    }
    #expect(world.air.violations == 0)
  }

  /// A `pair` that comes during another one shares it if it asks for no more, and else follows: it
  /// never gets Just Works in silence, nor the failure of a client that cannot authenticate.
  @Test(arguments: [(false, false), (true, false), (true, true)]) func aSecondPairJoinsOrFollows(asksMore: Bool, isStrict: Bool) {
    var world = linked(PairRequest(isStrict: isStrict, fixedPasskey: 42_137))
    let first = world.request(0, .gatt(Self.lock, .pair(PairRequest(), renews: false)))
    if !isStrict { world.run(.milliseconds(60)) }
    let second = world.request(0, .gatt(Self.lock, .pair(PairRequest(enters: asksMore), renews: false)))
    #expect(world.outcome(0, first) == nil && questions(world, 0).isEmpty)
    if asksMore {
      world.expect(within: .seconds(10)) { questions($0, 0).count == 1 }
      #expect(world.outcome(0, second) == nil)
      world.request(0, .answerPairing(questions(world, 0)[0].id, .passkey(42_137)))
    }
    world.expect(within: .seconds(10)) { $0.outcome(0, second) != nil }
    #expect(level(world, first)?.isAuthenticated == (isStrict ? nil : false), "\(String(describing: world.outcome(0, first)))")
    #expect(level(world, second)?.isAuthenticated == asksMore, "\(String(describing: world.outcome(0, second)))")
    #expect(world.stations[0].host.bondedPeers == [Self.lock] && world.air.violations == 0)
  }

  /// A client that departs takes its open question along. Whoever joined its pairing begins
  /// another.
  @Test func aDepartedClientTakesItsQuestionAlong() {
    var world = linked(PairRequest(fixedPasskey: 42_137))
    let other = OwnerID(2)
    func ask(_ id: UInt64, _ command: HostCommand) {
      world.input(0, .request(HostRequest(owner: other, id: OperationID(id), command: command)))
      world.settle()
    }
    ask(1000, .connect(ConnectRequest(peer: Self.lock, pending: false)))
    ask(1001, .gatt(Self.lock, .pair(PairRequest(enters: true), renews: false)))
    let pair = world.request(0, .gatt(Self.lock, .pair(PairRequest(), renews: false)))
    func isAsked(_ world: PairWorld) -> Bool {
      world.stations[0].reports.contains { if case .pairingAsked = $0.event { $0.owner == other } else { false } }
    }
    world.expect(within: .seconds(10)) { isAsked($0) }
    world.input(0, .dismissed(other))
    world.settle()
    world.run(.seconds(1))
    #expect(world.stations[1].host.links.allSatisfy { $0.security.pairing == nil }, "the device need not wait")
    world.expect(within: .seconds(10)) { $0.outcome(0, pair) != nil }
    #expect(level(world, pair)?.isAuthenticated == false, "\(String(describing: world.outcome(0, pair)))")
    #expect(world.stations[0].host.bondedPeers == [Self.lock] && world.air.violations == 0)
  }

  /// A refused read that waited for the pairing of a departed client is not refused because of
  /// that: the device is asked again.
  @Test func aDepartedClientLeavesReadsToOthers() {
    var world = linked(PairRequest(fixedPasskey: 42_137), policy: PairRequest(enters: true, isAutomatic: true))
    let other = OwnerID(2)
    func ask(_ id: UInt64, _ command: HostCommand) {
      world.input(0, .request(HostRequest(owner: other, id: OperationID(id), command: command)))
      world.settle()
    }
    ask(1000, .connect(ConnectRequest(peer: Self.lock, pending: false)))
    ask(1001, .gatt(Self.lock, .pair(PairRequest(enters: true), renews: false)))
    let path = AttributePath(form: .named(service: nil, characteristic: .init(UUID(0xFFF1)), descriptor: nil), text: "0xFFF1")
    let read = world.request(0, .gatt(Self.lock, .read(path)))
    world.expect(within: .seconds(10)) { world in
      world.stations[0].reports.contains { if case .pairingAsked = $0.event { $0.owner == other } else { false } }
    }
    world.run(.seconds(2))
    world.input(0, .dismissed(other))
    world.settle()
    world.expect(within: .seconds(20)) { world in
      world.stations[0].reports.contains { if case .pairingAsked = $0.event { $0.owner == .run } else { false } }
    }
    world.request(0, .answerPairing(questions(world, 0).last?.id ?? PairingQuestionID(0), .passkey(42_137)))
    world.expect(within: .seconds(20)) { $0.outcome(0, read) != nil }
    guard case .success(.value)? = world.outcome(0, read) else {
      Issue.record("\(String(describing: world.outcome(0, read)))")
      return
    }
    #expect(world.air.violations == 0)
  }

  /// A device that cannot authenticate gives the second client what the first has got, but not if
  /// that one insists.
  @Test(arguments: [false, true]) func aSecondPairIsContentWithWhatThereIs(isStrict: Bool) {
    var world = linked(PairRequest())
    let first = world.request(0, .gatt(Self.lock, .pair(PairRequest(), renews: false)))
    world.run(.milliseconds(60))
    let second = world.request(0, .gatt(Self.lock, .pair(PairRequest(confirms: true, isStrict: isStrict), renews: false)))
    #expect(world.outcome(0, first) == nil)
    world.expect(within: .seconds(20)) { $0.outcome(0, second) != nil }
    #expect(level(world, first)?.isAuthenticated == false)
    #expect(level(world, second)?.isAuthenticated == (isStrict ? nil : false), "\(String(describing: world.outcome(0, second)))")
    #expect(world.stations[0].host.bondedPeers == [Self.lock] && world.air.violations == 0)
  }

  /// A client that insists on authentication never gets a success without it: not after the pairing
  /// of another one, before its delayed start, nor over a weak bond, at either end.
  @Test(arguments: [0, 1], [true, false]) func insistenceIsNeverIgnored(station: Int, joins: Bool) {
    var world = linked(PairRequest())
    let peer = station == 0 ? Self.lock : Self.watch
    func pair(_ request: PairRequest) -> OperationID { world.request(station, .gatt(peer, .pair(request, renews: false))) }
    let strict = PairRequest(confirms: true, isStrict: true)
    let first = pair(PairRequest())
    if station == 0 { world.run(.milliseconds(20)) }
    var second = joins ? pair(strict) : OperationID(0)
    // The central starts the pairing that a peripheral asks for.
    if station == 1 { world.request(0, .gatt(Self.lock, .pair(PairRequest(), renews: false))) }
    world.expect(within: .seconds(20)) { $0.outcome(station, first) != nil }
    if !joins { second = pair(strict) }
    world.expect(within: .seconds(60)) { $0.outcome(station, second) != nil }
    guard case .failure(let failure)? = world.outcome(station, second) else {
      Issue.record("\(String(describing: world.outcome(station, second)))")
      return
    }
    #expect([.refused, .timeout].contains(failure.kind) && world.air.violations == 0, "\(failure)")
    guard case .success(.paired(let level))? = world.outcome(station, first) else {
      Issue.record("\(String(describing: world.outcome(station, first)))")
      return
    }
    #expect(!level.isAuthenticated)
  }

  /// Forgetting a device during its pairing leaves no bond afterwards.
  @Test func forgettingDuringPairingPreventsTheBond() {
    var world = linked(PairRequest(fixedPasskey: 42_137))
    let pair = world.request(0, .gatt(Self.lock, .pair(PairRequest(enters: true), renews: false)))
    world.expect(within: .seconds(10)) { questions($0, 0).count == 1 }
    let question = questions(world, 0)[0]
    let forget = world.request(0, .forgetBond(Self.lock))
    world.expect(within: .seconds(10)) { $0.outcome(0, forget) == .success(.done) }
    #expect(world.events(0).contains(.pairingWithdrawn(question.id)))
    world.request(0, .answerPairing(question.id, .passkey(42_137)))
    world.run(.seconds(10))
    guard case .failure(let failure)? = world.outcome(0, pair) else {
      Issue.record("the pairing went on: \(String(describing: world.outcome(0, pair)))")
      return
    }
    #expect(failure.kind == .refused)
    #expect(world.stations[0].host.bondedPeers.isEmpty && world.stations[1].host.bondedPeers.isEmpty)
    #expect(world.air.violations == 0)
  }

  /// A peripheral requires authentication over a link that was paired without it. Only the client
  /// that pairs on demand is asked for the code.
  @Test(arguments: [true, false]) func aPeripheralRaisesTheLevel(isAutomatic: Bool) {
    var world = linked(PairRequest(fixedPasskey: 42_137), policy: PairRequest(enters: true, isAutomatic: isAutomatic))
    let first = world.request(0, .gatt(Self.lock, .pair(PairRequest(), renews: false)))
    world.expect(within: .seconds(10)) { level($0, first)?.isAuthenticated == false }
    let raise = world.request(1, .gatt(Self.watch, .pair(PairRequest(isStrict: true, fixedPasskey: 42_137), renews: false)))
    guard isAutomatic else {
      world.run(.seconds(5))
      #expect(questions(world, 0).isEmpty && world.outcome(1, raise) == nil)
      return
    }
    world.expect(within: .seconds(10)) { questions($0, 0).count == 1 }
    world.request(0, .answerPairing(questions(world, 0)[0].id, .passkey(42_137)))
    world.expect(within: .seconds(10)) { $0.outcome(1, raise) != nil }
    guard case .success(.paired(let level))? = world.outcome(1, raise) else {
      Issue.record("\(String(describing: world.outcome(1, raise)))")
      return
    }
    #expect(level.isAuthenticated && level.isSecureConnections && world.air.violations == 0)
  }

  /// The central learns of this only by a refusal, and its client pairs on demand but not for this.
  /// The peripheral asks, and the next read succeeds. Another client receives the refusal.
  @Test(arguments: [true, false]) func aRefusedValueRaisesTheLevel(isAutomatic: Bool) {
    var world = linked(PairRequest(fixedPasskey: 42_137), policy: PairRequest(enters: true, isAutomatic: isAutomatic))
    let first = world.request(0, .gatt(Self.lock, .pair(PairRequest(), renews: false)))
    world.expect(within: .seconds(10)) { level($0, first)?.isAuthenticated == false }
    let path = AttributePath(form: .named(service: nil, characteristic: .init(UUID(0xFFF1)), descriptor: nil), text: "0xFFF1")
    let read = world.request(0, .gatt(Self.lock, .read(path)))
    if isAutomatic {
      world.expect(within: .seconds(10)) { questions($0, 0).count == 1 }
      world.request(0, .answerPairing(questions(world, 0)[0].id, .passkey(42_137)))
    }
    world.expect(within: .seconds(20)) { $0.outcome(0, read) != nil }
    world.run(.seconds(2))
    let asked = world.events(0).contains {
      if case .noted(_, let text) = $0 { text.contains("asks for an authenticated bond") } else { false }
    }
    if isAutomatic {
      guard case .success(.value)? = world.outcome(0, read) else {
        Issue.record("\(String(describing: world.outcome(0, read)))")
        return
      }
      #expect(questions(world, 0).count == 1 && !asked)
    } else {
      guard case .failure? = world.outcome(0, read) else {
        Issue.record("\(String(describing: world.outcome(0, read)))")
        return
      }
      #expect(questions(world, 0).isEmpty && asked)
    }
    #expect(world.stations[1].host.bondedPeers == [Self.watch] && world.air.violations == 0)
  }

  @Test func aPasskeyRequestIsAnswered() {
    var world = linked(PairRequest(fixedPasskey: 42_137))
    let pair = world.request(0, .gatt(Self.lock, .pair(PairRequest(enters: true), renews: false)))
    world.expect(within: .seconds(10)) { questions($0, 0).count == 1 }
    let question = questions(world, 0)[0]
    #expect(question.question == .passkey && world.outcome(0, pair) == nil)
    // an answer to another question does not count
    let other = world.request(0, .answerPairing(PairingQuestionID(question.id.raw + 1), .passkey(1)))
    world.run(.seconds(1))
    #expect(world.outcome(0, other) == .success(.done) && world.outcome(0, pair) == nil)
    world.request(0, .answerPairing(question.id, .passkey(42_137)))
    world.expect(within: .seconds(10)) { level($0, pair)?.isAuthenticated == true }
    // and a label needs no question
    #expect(questions(world, 1).isEmpty && !world.events(0).contains(.pairingWithdrawn(question.id)))
    #expect(world.stations[1].host.bondedPeers == [Self.watch])
    #expect(world.air.violations == 0)
  }

  /// The device reports a wrong code. The next attempt waits, on this link and on the next one.
  @Test func anotherAttemptWaits() {
    var world = linked(PairRequest(fixedPasskey: 42_137))
    let first = world.request(0, .gatt(Self.lock, .pair(PairRequest(enters: true), renews: false)))
    world.expect(within: .seconds(10)) { questions($0, 0).count == 1 }
    world.request(0, .answerPairing(questions(world, 0)[0].id, .passkey(42_136)))
    world.expect(within: .seconds(10)) { $0.outcome(0, first) != nil }
    guard case .failure(let failure) = world.outcome(0, first) else {
      Issue.record("the code was wrong")
      return
    }
    #expect(failure.kind == .refused && failure.message.contains("the passkey was wrong"))
    #expect(failure.hint == "check its label or display; the next attempt may begin in 2s")
    world.request(0, .disconnect(Self.lock))
    world.run(.milliseconds(500))
    let link = world.request(0, .connect(ConnectRequest(peer: Self.lock, pending: false)))
    world.expect(within: .seconds(10)) { $0.isConnected(0, link) }
    let before = world.now
    let second = world.request(0, .gatt(Self.lock, .pair(PairRequest(enters: true), renews: false)))
    world.expect(within: .seconds(10)) { questions($0, 0).count == 2 }
    #expect(world.now - before > .milliseconds(200))
    world.request(0, .answerPairing(questions(world, 0)[1].id, .passkey(42_137)))
    world.expect(within: .seconds(10)) { level($0, second)?.isAuthenticated == true }
  }

  /// Both ends get the same question, and each client answers for itself.
  @Test func bothEndsConfirmAComparison() {
    let both = PairRequest(displays: true, confirms: true)
    var world = linked(both)
    let pair = world.request(0, .gatt(Self.lock, .pair(both, renews: false)))
    world.expect(within: .seconds(10)) { questions($0, 0).count == 1 && questions($0, 1).count == 1 }
    guard questions(world, 0).count == 1, questions(world, 1).count == 1 else {
      Issue.record("\(world.events(0)) \(world.events(1))")
      return
    }
    #expect(questions(world, 0)[0].question == questions(world, 1)[0].question)
    for station in [1, 0] { world.request(station, .answerPairing(questions(world, station)[0].id, .yes)) }
    world.expect(within: .seconds(10)) { level($0, pair)?.isAuthenticated == true }
  }

  /// The link is lost, or the pairing ends, while a question is open.
  @Test(arguments: [true, false]) func aQuestionIsWithdrawn(isLost: Bool) {
    var world = linked(PairRequest(fixedPasskey: 42_137))
    let pair = world.request(0, .gatt(Self.lock, .pair(PairRequest(enters: true), renews: false)))
    world.expect(within: .seconds(10)) { questions($0, 0).count == 1 }
    let id = questions(world, 0)[0].id
    if isLost { world.request(1, .disconnect(Self.watch)) }
    world.expect(within: .seconds(29)) { $0.events(0).contains(.pairingWithdrawn(id)) }
    #expect(world.outcome(0, pair) != nil)
    world.request(0, .answerPairing(id, .passkey(42_137)))
    world.run(.seconds(1))
    #expect(world.stations[1].host.bondedPeers.isEmpty)
  }
}
