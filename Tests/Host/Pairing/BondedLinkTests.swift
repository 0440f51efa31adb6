import Exchange
import Packets
import Testing
import Vocabulary

@testable import Host

/// A link to a device that is or may be bonded, as its clients see it. It is used unencrypted only
/// when there is certainly no bond.
@Suite struct BondedLinkTests {
  private static let peer = LinkBench.strap
  private static let identity = LocalIdentity(
    address: Address(bits: 0xA0_1122_3344_55, kind: .public), key: [UInt8](repeating: 7, count: 16))
  private static let bond = Bond(
    identity: peer, keys: .secureConnections([UInt8](repeating: 0x70, count: 16)), isAuthenticated: false, keySize: 16,
    identityKey: nil, hasOurs: true, lastAddress: peer, name: "Lock", madeAt: WallTime(nanoseconds: 0))

  private func connect(_ bonds: ComputationResult) -> (LinkBench, OperationID) {
    var bench = LinkBench()
    bench.bonds = bonds
    let id = bench.request(.connect(ConnectRequest(peer: Self.peer, pending: false)))
    bench.forget()
    bench.connectionComplete(Self.peer)
    bench.completed(0x40, 1)
    bench.mtuResponse()
    return (bench, id)
  }

  private func isConnected(_ bench: LinkBench, _ id: OperationID) -> Bool {
    bench.facts.contains { if case .connected(id, _, _) = $0 { true } else { false } }
  }

  @Test func withoutABondItIsReadyInTheClear() {
    let (bench, id) = connect(.bonds(Self.identity, [], unusable: [], remarks: []))
    #expect(isConnected(bench, id) && !bench.opcodes.contains(.leEnableEncryption))
    // without a store there can be no bond
    let (other, second) = connect(.refused("there is no state directory"))
    #expect(isConnected(other, second))
    // another device's problem does not affect this one
    let damaged = UnusableBond(identity: LinkBench.meter, reason: "bonds/D0.r is damaged")
    let (third, last) = connect(.bonds(Self.identity, [], unusable: [damaged], remarks: []))
    #expect(isConnected(third, last))
  }

  /// The device gets no request: the link is closed, and the failure names the file.
  @Test(arguments: [
    ComputationResult.bonds(identity, [], unusable: [UnusableBond(identity: peer, reason: "bonds/C4.r is damaged")], remarks: []),
    .unreadable("bonds/C4.r is damaged"),
  ]) func aBondThatCannotBeUsedEndsTheLink(bonds: ComputationResult) {
    var (bench, id) = connect(bonds)
    #expect(!isConnected(bench, id) && bench.opcodes.last == .disconnect)
    bench.disconnectionComplete(0x40, .localHostTerminated)
    #expect(bench.failure(id)?.kind == .file)
    #expect(bench.failure(id)?.message == "the bond with \(Self.peer) cannot be used: bonds/C4.r is damaged")
    // the remedy
    let isWhole = if case .unreadable = bonds { true } else { false }
    #expect(bench.failure(id)?.hint?.contains(isWhole ? "restore" : "tooth forget") ?? false)
    let attributes = bench.data.filter { $0.data.dropFirst(2).prefix(2) == [4, 0] }.map { $0.data.dropFirst(4).first }
    #expect(attributes == [0x02] || attributes.isEmpty, "only the MTU was asked for")
  }

  /// Bonds that could not be read are read again for the next connection and the next `forget`.
  @Test func bondsThatCouldNotBeReadAreReadAgain() {
    var (bench, id) = connect(.unreadable("bonds/local cannot be opened"))
    bench.disconnectionComplete(0x40, .localHostTerminated)
    #expect(bench.failure(id)?.kind == .file)
    let still = bench.request(.forgetBond(Self.peer))
    #expect(bench.failure(still)?.kind == .file)
    bench.bonds = .bonds(Self.identity, [Self.bond], unusable: [], remarks: [])
    id = bench.request(.connect(ConnectRequest(peer: Self.peer, pending: false)))
    bench.forget()
    bench.connectionComplete(Self.peer)
    bench.completed(0x40, 1)
    bench.mtuResponse()
    #expect(bench.opcodes.contains(.leEnableEncryption))
    bench.event(.encryptionChange(EncryptionChange(status: .success, handle: ConnectionHandle(0x40), enabled: 1)))
    #expect(isConnected(bench, id))
    let gone = bench.request(.forgetBond(Self.peer))
    #expect(bench.failure(gone) == nil)
  }

  /// A key that was accepted once (`--min-key-size 7`) is not enough for a client that asks for a
  /// longer one: it pairs again.
  @Test(arguments: [7, 16] as [UInt8]) func aShortKeyIsEnoughForWhoAcceptsIt(smallest: UInt8) {
    var bond = Self.bond
    bond.keySize = 7
    var (bench, _) = connect(.bonds(Self.identity, [bond], unusable: [], remarks: []))
    bench.event(.encryptionChange(EncryptionChange(status: .success, handle: ConnectionHandle(0x40), enabled: 1)))
    bench.forget()
    let pair = bench.request(.gatt(Self.peer, .pair(PairRequest(smallestKey: smallest), renews: false)))
    let isDone = if case .success(.paired(let level))? = bench.outcome(pair) { level.keySize == 7 } else { false }
    #expect(isDone == (smallest == 7), "\(String(describing: bench.outcome(pair)))")
    // on channel 6
    #expect(bench.data.map { Array($0.data[2..<5]) } == (smallest == 7 ? [] : [[6, 0, 1]]))
  }

  /// The SMP PDUs that were sent.
  private func security(_ bench: LinkBench) -> [[UInt8]] {
    bench.data.filter { $0.data.dropFirst(2).prefix(2) == [6, 0] }.map { Array($0.data.dropFirst(4)) }
  }

  private static let lost = [0x05, 0x08] as [UInt8]
  private static let other = OwnerID(2)
  private static let noBonds = ComputationResult.bonds(identity, [], unusable: [], remarks: [])

  /// The peer need not wait for the rest of a pairing that ends with its link.
  @Test(arguments: [false, true]) func anOrderlyEndEndsThePairing(wholeHost: Bool) {
    var (bench, _) = connect(Self.noBonds)
    let pair = bench.request(.gatt(Self.peer, .pair(PairRequest(), renews: false)))
    #expect(security(bench).map(\.first) == [0x01])
    if wholeHost { bench.input(.closing) } else { bench.request(.disconnect(Self.peer)) }
    #expect(security(bench).last == Self.lost && bench.opcodes.last == .disconnect)
    bench.frame(0x40, channel: 6, [0x02, 3, 0, 1, 16, 0, 0])
    #expect(security(bench).count == 2, "nothing more is said")
    bench.disconnectionComplete(0x40, .localHostTerminated)
    #expect(bench.failure(pair) != nil)
  }

  /// With 256 bonds, or without a place for one, `pair` fails before anything is sent.
  @Test(arguments: [false, true]) func aBondThatCannotBeStoredIsNotMade(isFull: Bool) {
    let bonds = (0..<256).map { number in
      var bond = Self.bond
      bond.identity = Address(bits: 0xC000_0000_0000 | UInt64(number), kind: .random)
      bond.lastAddress = bond.identity
      return bond
    }
    var (bench, id) = connect(.bonds(Self.identity, isFull ? bonds : [], unusable: [], remarks: []))
    #expect(isConnected(bench, id))
    if !isFull { bench.room = .refused("saving a file in bonds: Read-only file system") }
    let pair = bench.request(.gatt(Self.peer, .pair(PairRequest(), renews: false)))
    let failure = bench.failure(pair)
    #expect(failure?.kind == .file && failure?.delivered == .notSent, "\(String(describing: failure))")
    #expect(failure?.message.contains(isFull ? "256 devices" : "Read-only file system") == true)
    #expect(security(bench).isEmpty)
    bench.room = .done
    if isFull { bench.request(.forgetBond(bonds[0].identity)) }
    bench.request(.gatt(Self.peer, .pair(PairRequest(), renews: false)))
    #expect(security(bench).map(\.first) == [0x01])
  }

  /// A bond that is removed while it encrypts a link is of no use to the link.
  @Test func forgettingDuringEncryptionClosesTheLink() {
    var (bench, id) = connect(.bonds(Self.identity, [Self.bond], unusable: [], remarks: []))
    #expect(bench.opcodes.last == .leEnableEncryption)
    bench.request(.forgetBond(Self.peer), owner: Self.other)
    #expect(bench.opcodes.last == .disconnect)
    bench.disconnectionComplete(0x40, .localHostTerminated)
    #expect(bench.failure(id)?.message.contains("the bond with \(Self.peer) was removed") == true)
  }

  /// One client's `pair` that is cancelled leaves the pairing that a refused read of another needs.
  @Test func aCancelledPairLeavesThePairingToOthers() {
    var bench = LinkBench()
    bench.bonds = Self.noBonds
    bench.request(.connect(ConnectRequest(peer: Self.peer, pending: false, pairing: PairRequest(isAutomatic: true))))
    bench.connectionComplete(Self.peer)
    bench.completed(0x40, 1)
    bench.mtuResponse()
    let read = bench.request(.gatt(Self.peer, .read(AttributePath(form: .handle(AttributeHandle(0x12)), text: "0x12"))))
    bench.frame(0x40, [0x01, 0x0A, 0x12, 0x00, 0x05])
    #expect(security(bench).map(\.first) == [0x01])
    let pair = bench.request(.gatt(Self.peer, .pair(PairRequest(), renews: false)), owner: Self.other)
    bench.request(.cancel(pair), owner: Self.other)
    #expect(bench.failure(pair) != nil && bench.outcome(read) == nil)
    #expect(security(bench).count == 1)
  }

  /// A device whose bond belongs to another adapter is not paired silently; only `pair` of a client
  /// that has not paired it before, or --rebond, pairs it with this adapter, too.
  @Test(arguments: [false, true], 0..<4) func aBondOfAnotherAdapterIsReported(isAutomatic: Bool, kind: Int) {
    let (renews, expectsBond) = (kind & 1 == 1, kind & 2 == 2)
    let other = Address(bits: 0xA0_1122_3344_66, kind: .public)
    var bench = LinkBench()
    bench.bonds = .bonds(
      Self.identity, [], unusable: [], remarks: [], elsewhere: [BondElsewhere(identity: Self.peer, adapter: other)])
    bench.request(
      .connect(
        ConnectRequest(
          peer: Self.peer, pending: false, pairing: PairRequest(isAutomatic: isAutomatic, replacesLost: renews),
          expectsBond: expectsBond)))
    bench.connectionComplete(Self.peer)
    bench.completed(0x40, 1)
    bench.mtuResponse()
    func isReported(_ id: OperationID) -> Bool {
      guard let failure = bench.failure(id) else { return false }
      return failure.kind == .adapter && failure.message.contains("\(other)")
        && failure.message.contains("\(Self.identity.address)")
    }
    let read = bench.request(.gatt(Self.peer, .read(AttributePath(form: .handle(AttributeHandle(0x12)), text: "0x12"))))
    bench.frame(0x40, [0x01, 0x0A, 0x12, 0x00, 0x05])
    let pairs = isAutomatic && renews
    #expect(isReported(read) == !pairs)
    #expect(security(bench).map(\.first) == (pairs ? [0x01] : []))
    if pairs { return }
    let pair = bench.request(.gatt(Self.peer, .pair(PairRequest(replacesLost: renews), renews: false)))
    #expect(isReported(pair) == (expectsBond && !renews))
    #expect(security(bench).map(\.first) == (expectsBond && !renews ? [] : [0x01]))
  }

  /// Unencrypted data may come from any device, and nothing is sent while encryption starts.
  @Test func dataBeforeEncryptionAreIgnored() {
    var (bench, id) = connect(.bonds(Self.identity, [Self.bond], unusable: [], remarks: []))
    bench.forget()
    bench.frame(0x40, [0x1B, 0x12, 0x00, 7])
    bench.frame(0x40, [0x1D, 0x15, 0x00, 8])
    // before the link is encrypted, the indication is not confirmed and the peer's request not
    // answered
    bench.frame(0x40, [0x0A, 0x03, 0x00])
    #expect(bench.data.isEmpty && bench.facts.isEmpty)
    bench.event(.encryptionChange(EncryptionChange(status: .success, handle: ConnectionHandle(0x40), enabled: 1)))
    #expect(isConnected(bench, id))
    #expect(bench.facts.contains(.gap(Self.peer, 2)))
    #expect(!bench.facts.contains { if case .notificationReceived = $0 { true } else { false } })
    #expect(bench.data.map { $0.data[4] } == [0x1E, 0x0B])
  }

  /// A cache from a link with this bond and a Service Changed subscription needs no probe. An early
  /// value is reported at once, and the subscription is written again later.
  @Test(arguments: [true, false]) func bondedStateIsTrustedForItsBondOnly(isSame: Bool) {
    var attributeCache = AttributeCache()
    var service = AttributeCache.Service(uuid: UUID(0xFFF0), start: AttributeHandle(0x10), end: AttributeHandle(0x1F))
    var value = AttributeCache.Characteristic(
      uuid: UUID(0xFFF1), declaration: AttributeHandle(0x11), value: AttributeHandle(0x12), properties: 0x10)
    value.descriptors = [.init(handle: AttributeHandle(0x13), uuid: UUID(0x2902))]
    value.descriptorsNext = nil
    service.characteristics = [value]
    service.characteristicsNext = nil
    service.includesNext = nil
    attributeCache.services = [service]
    attributeCache.servicesNext = nil
    attributeCache.databaseHash = [UInt8](repeating: 9, count: 16)
    var bondedState = AttributeCache.BondedState(bond: isSame ? Self.bond.madeAt : WallTime(nanoseconds: 5))
    bondedState.reportsChanges = true
    bondedState.configure(AttributeHandle(0x12), .notify)
    attributeCache.bondedState = bondedState

    var bench = LinkBench()
    bench.bonds = .bonds(Self.identity, [Self.bond], unusable: [], remarks: [])
    bench.request(.connect(ConnectRequest(peer: Self.peer, pending: false, attributeCache: attributeCache)))
    bench.connectionComplete(Self.peer)
    bench.completed(0x40, 1)
    bench.mtuResponse()
    bench.event(.encryptionChange(EncryptionChange(status: .success, handle: ConnectionHandle(0x40), enabled: 1)))
    bench.forget()
    let path = AttributePath(
      form: .named(service: AttributePath.Step(UUID(0xFFF0)), characteristic: AttributePath.Step(UUID(0xFFF1)), descriptor: nil),
      text: "0xFFF0/0xFFF1")
    let id = bench.request(.gatt(Self.peer, .subscribe(path)))
    bench.frame(0x40, [0x1B, 0x12, 0x00, 7])
    let isReported = bench.facts.contains { if case .notificationReceived(_, _, [7], .notify) = $0 { true } else { false } }
    #expect(isReported == isSame)
    let isDone = if case .success? = bench.outcome(id) { true } else { false }
    #expect(isDone == isSame)
    // otherwise the Database Hash is read first
    #expect(bench.data.map { $0.data[4] } == (isSame ? [] : [0x08]))
    bench.forget()
    bench.pass(.seconds(1))
    if isSame { #expect(bench.data.first?.data.dropFirst(4) == [0x12, 0x13, 0x00, 0x01, 0x00]) }
  }

  /// The error says what is missing (Vol 3, Part C, 10.3.1).
  @Test func aRefusalNamesTheMissingSecurity() {
    let server = GattServer()
    var session = ServerSession(peer: LinkBench.strap)
    #expect(server.refusal(.open, session) == nil)
    #expect(server.refusal(.encryption, session) == .insufficientAuthentication)
    session.hasBond = true
    #expect(server.refusal(.encryption, session) == .insufficientEncryption)
    #expect(server.refusal(.authentication, session) == .insufficientEncryption)
    session.isEncrypted = true
    #expect(server.refusal(.encryption, session) == nil)
    #expect(server.refusal(.authentication, session) == .insufficientAuthentication)
    session.isAuthenticated = true
    #expect(server.refusal(.authentication, session) == nil)
    session.isKeyShort = true
    #expect(server.refusal(.encryption, session) == .encryptionKeySizeTooShort)
    #expect(server.refusal(.open, session) == nil)
  }

  /// Two sets of bonds, of a keeper and of a run without one, have two keys.
  @Test func aKeyThatDoesNotFitIsRefused() {
    var (bench, id) = connect(.bonds(Self.identity, [Self.bond], unusable: [], remarks: []))
    #expect(!isConnected(bench, id) && bench.opcodes.last == .leEnableEncryption)
    bench.disconnectionComplete(0x40, .micFailure)
    #expect(bench.failure(id)?.kind == .refused)
    #expect(bench.failure(id)?.hint?.contains("use --rebond, or `tooth forget \(Self.peer)` and pair again") ?? false)
  }

  /// `--rebond` pairs over the next link, once. If the device then refuses, the next connection
  /// tries the old key again.
  @Test func aKeyThatDoesNotFitIsReplacedOnRequest() {
    var bench = LinkBench()
    bench.bonds = .bonds(Self.identity, [Self.bond], unusable: [], remarks: [])
    func connect() -> OperationID {
      bench.request(.connect(ConnectRequest(peer: Self.peer, pending: false, pairing: PairRequest(replacesLost: true))))
    }
    func up() {
      bench.forget()
      bench.connectionComplete(Self.peer)
      bench.completed(0x40, 1)
      bench.mtuResponse()
    }
    let id = connect()
    up()
    #expect(bench.opcodes.contains(.leEnableEncryption))
    bench.disconnectionComplete(0x40, .micFailure)
    #expect(bench.failure(id) == nil)
    up()
    #expect(!bench.opcodes.contains(.leEnableEncryption))
    #expect(bench.data.last.map { $0.data[2] == 6 && $0.data[4] == 1 } ?? false, "no Pairing Request: \(bench.data)")
    bench.frame(0x40, channel: 6, [0x05, 0x05])
    bench.disconnectionComplete(0x40, .localHostTerminated)
    #expect(bench.failure(id)?.kind == .refused && bench.host.bondedPeers == [Self.peer])
    _ = connect()
    up()
    #expect(bench.opcodes.contains(.leEnableEncryption))
  }

  /// Whoever did not ask for a new bond does not get one, although another client asked for it.
  @Test func aKeyIsReplacedOnlyForTheClientThatAsked() {
    var bench = LinkBench()
    bench.bonds = .bonds(Self.identity, [Self.bond], unusable: [], remarks: [])
    let first = bench.request(
      .connect(ConnectRequest(peer: Self.peer, pending: true, pairing: PairRequest(replacesLost: true))))
    bench.connectionComplete(Self.peer)
    bench.completed(0x40, 1)
    bench.mtuResponse()
    bench.disconnectionComplete(0x40, .micFailure)
    bench.request(.cancel(first))
    bench.request(.connect(ConnectRequest(peer: Self.peer, pending: true)))
    bench.forget()
    bench.connectionComplete(Self.peer)
    bench.completed(0x40, 1)
    bench.mtuResponse()
    #expect(bench.opcodes.contains(.leEnableEncryption))
  }

  /// The peer still has the key that a provisional bond was to replace. The new bond, which was
  /// never reported, is deleted, and the device is connected to again.
  @Test func aProvisionalKeyThatDoesNotFitIsDropped() {
    var provisional = Self.bond
    provisional.isProvisional = true
    var (bench, id) = connect(.bonds(Self.identity, [provisional], unusable: [], remarks: []))
    bench.disconnectionComplete(0x40, .micFailure)
    #expect(bench.failure(id) == nil && bench.host.bondedPeers.isEmpty)
  }

  /// Afterwards the device counts as unknown.
  @Test func aBondThatCannotBeUsedCanBeForgotten() {
    let damaged = UnusableBond(identity: Self.peer, reason: "bonds/C4.r is damaged")
    var (bench, id) = connect(.bonds(Self.identity, [], unusable: [damaged], remarks: []))
    bench.disconnectionComplete(0x40, .localHostTerminated)
    #expect(bench.failure(id) != nil)
    bench.request(.forgetBond(Self.peer))
    let again = bench.request(.connect(ConnectRequest(peer: Self.peer, pending: false)))
    bench.connectionComplete(Self.peer)
    bench.completed(0x40, 1)
    bench.mtuResponse()
    #expect(isConnected(bench, again))
  }
}
