import Exchange
import Packets
import Testing
import Vocabulary

@testable import Host

/// A new pairing over a link that is encrypted by an unauthenticated bond.
@Suite struct RaisedPairingTests {
  private static let code: UInt32 = 42_137
  private static let keys = Bond.Keys.secureConnections([UInt8](repeating: 0x33, count: 16))

  private static func bond(with place: Int) -> Bond {
    Bond(
      identity: PairingBench.addresses[place], keys: keys, isAuthenticated: false, keySize: 16,
      lastAddress: PairingBench.addresses[place], madeAt: .simulationStart)
  }

  private func encrypted(_ acceptance: PairRequest = PairRequest(fixedPasskey: code)) -> PairingBench {
    var bench = PairingBench(central: Self.bond(with: 1), peripheral: Self.bond(with: 0), acceptance: acceptance)
    bench.pair()
    bench.ends[0].answer = { _ in .passkey(Self.code) }
    #expect(bench.central.results.count == 1 && bench.central.levels.last?.isAuthenticated == false)
    return bench
  }

  private func raise(_ bench: inout PairingBench) { bench.feed(.raise(PairRequest(enters: true)), to: .central) }

  @Test func anAuthenticatedBondReplacesAnUnauthenticatedOne() {
    var bench = encrypted()
    raise(&bench)
    for end in bench.ends {
      #expect(end.levels.last?.isAuthenticated == true && end.levels.last?.isSecureConnections == true)
      #expect(end.stored.last?.isAuthenticated == true && end.stored.last?.keys != Self.keys)
      #expect(end.manager.bond == end.stored.last)
    }
    #expect(bench.central.results.count == 2)
    // the link is already authenticated
    raise(&bench)
    #expect(bench.central.results.count == 3 && bench.central.questions.count == 1)
  }

  /// The peripheral requests authentication only once per link, after the old key has encrypted it.
  @Test(arguments: [true, false], [true, false]) func aPeripheralRequestsAuthentication(isEncrypted: Bool, takesPart: Bool) {
    var bench = PairingBench(
      central: Self.bond(with: 1), peripheral: Self.bond(with: 0), acceptance: PairRequest(fixedPasskey: Self.code))
    bench.ends[0].answer = { _ in .passkey(Self.code) }
    if takesPart { bench.ends[0].raises = PairRequest(enters: true) }
    if isEncrypted { bench.pair() }
    // without the flag it requests encryption only
    bench.feed(.pdu(SMPPDU.securityRequest([.bonding]).encoded), to: .central)
    #expect(bench.central.authenticationRequests == 0 && bench.central.manager.security.isEncrypted && bench.central.sent.isEmpty)
    for _ in 0..<3 { bench.feed(.pdu(SMPPDU.securityRequest([.bonding, .authentication]).encoded), to: .central) }
    #expect(bench.central.authenticationRequests == 1)
    for end in bench.ends { #expect(end.manager.security.isAuthenticated == takesPart) }
    #expect(bench.central.sent.isEmpty != takesPart && bench.central.closes.isEmpty)
  }

  /// Nothing is upgraded on an unencrypted link or with an authenticated bond; a failed upgrade is
  /// not repeated.
  @Test func authenticationIsRequestedOnlyIfMissing() {
    let request = SMPPDU.securityRequest([.bonding, .authentication]).encoded
    var first = PairingBench(central: Self.bond(with: 1), peripheral: Self.bond(with: 0))
    first.ends[0].raises = PairRequest(enters: true)
    for _ in 0..<3 { first.feed(.pdu(request), to: .central) }
    #expect(first.central.authenticationRequests == 1 && first.central.manager.security.isEncrypted)
    #expect(first.central.results.last == .failed(.unproven(.attribute)) && first.central.manager.bond == Self.bond(with: 1))
    // a peer that has forgotten the bond asks in vain
    var forgotten = PairingBench(central: Self.bond(with: 1))
    forgotten.ends[0].raises = PairRequest(enters: true)
    for _ in 0..<3 { forgotten.feed(.pdu(request), to: .central) }
    #expect(forgotten.central.authenticationRequests == 0 && forgotten.central.sent.isEmpty)
    var unbonded = PairingBench()
    unbonded.ends[0].raises = PairRequest(enters: true)
    unbonded.feed(.pdu(request), to: .central)
    #expect(unbonded.central.authenticationRequests == 0 && unbonded.central.sent.isEmpty)
    var proven = Self.bond(with: 1)
    proven.isAuthenticated = true
    var last = PairingBench(central: proven, peripheral: Self.bond(with: 0))
    for _ in 0..<3 { last.feed(.pdu(request), to: .central) }
    #expect(last.central.authenticationRequests == 0 && last.central.manager.security.isEncrypted)
  }

  /// An attribute of a peripheral needs more security than the link has. The peripheral asks once,
  /// and the central pairs again. Whatever the result, both ends have a bond, and the old one until
  /// then.
  @Test(arguments: [0, 1, 2]) func anUnauthenticatedPeripheralRequestsAuthentication(kind: Int) {
    var bench = encrypted()
    bench.ends[0].raises = PairRequest(enters: true)
    if kind == 1 { bench.ends[0].answer = { _ in .passkey(1) } }
    if kind == 2 { bench.ends[1].isStoreBroken = true }
    for _ in 0..<3 { bench.feed(.authenticationMissing, to: .peripheral) }
    #expect(bench.peripheral.sent.count(where: { $0.code == SMPPDU.Code.securityRequest }) == 1)
    #expect(bench.central.authenticationRequests == 1 && bench.central.closes.isEmpty && bench.peripheral.closes.isEmpty)
    #expect(bench.peripheral.manager.security.isEncrypted && bench.peripheral.manager.pairing == nil)
    #expect(bench.peripheral.dropped.isEmpty)
    if kind == 0 {
      for end in bench.ends { #expect(end.manager.security.isAuthenticated && end.manager.bond?.isAuthenticated == true) }
    } else {
      #expect(bench.peripheral.manager.bond == Self.bond(with: 0) && bench.peripheral.stored.isEmpty)
      // A peripheral whose disk fails at the end reports it too late: the central has the new bond.
      if kind == 1 { #expect(bench.central.manager.bond == Self.bond(with: 1)) }
      #expect(bench.central.manager.bond?.isAuthenticated == (kind == 2))
    }
  }

  /// No request is sent that would not help, or that is already pending.
  @Test(arguments: [0, 1, 2, 3, 4]) func authenticationIsNotRequestedInVain(kind: Int) {
    var old = Self.bond(with: 0)
    old.isAuthenticated = kind == 0
    let acceptance: PairRequest? = kind == 1 ? nil : kind == 2 ? PairRequest() : PairRequest(fixedPasskey: Self.code)
    var bench = PairingBench(central: Self.bond(with: 1), peripheral: old, acceptance: acceptance)
    if kind != 3 { bench.pair() }
    if kind == 4 {
      bench.feed(.raise(PairRequest(enters: true)), to: .central)
      #expect(bench.peripheral.manager.pairing != nil)
    }
    let before = bench.peripheral.sent.count
    bench.feed(.authenticationMissing, to: .peripheral)
    #expect(bench.peripheral.sent.count == before)
  }

  /// Whatever fails, the old bond stays valid, and the link keeps its security level.
  @Test(arguments: [0, 1, 2, 3]) func aFailedPairingKeepsTheOldBond(kind: Int) {
    var bench = encrypted(kind == 0 ? PairRequest() : PairRequest(fixedPasskey: Self.code))
    if kind == 1 { bench.ends[0].answer = { _ in .passkey(1) } }
    if kind == 2 { bench.ends[0].isStoreBroken = true }
    if kind == 3 { bench.ends[0].answer = nil }
    raise(&bench)
    if kind == 3 { bench.feed(.cancelled, to: .central) }
    #expect(bench.central.results.count == 2)
    guard case .failed(let fault)? = bench.central.results.last else {
      Issue.record("it went well")
      return
    }
    if kind == 0 { #expect(fault == .unproven(.attribute)) }
    if kind == 2 { #expect(fault == .notStored) }
    #expect(bench.central.manager.bond == Self.bond(with: 1) && bench.central.stored.isEmpty && bench.central.dropped.isEmpty)
    #expect(bench.central.manager.security.isEncrypted && bench.central.manager.pairing == nil)
    #expect(bench.central.closes.isEmpty && bench.peripheral.closes.isEmpty)
  }

  /// A weaker pairing never replaces a bond, encrypted or not.
  @Test func aBondIsNotWeakenedOverItsOwnLink() {
    var old = Self.bond(with: 0)
    old.isAuthenticated = true
    var bench = PairingBench(peripheral: old)
    bench.feed(.encryptionChanged(.success, isOn: true), to: .peripheral)
    #expect(bench.peripheral.manager.security.isAuthenticated)
    bench.pair()
    #expect(bench.peripheral.sent.last == .pairingFailed(.authenticationRequirements))
    #expect(bench.peripheral.manager.bond == old && bench.peripheral.stored.isEmpty)
  }

  /// A client that waits for the central to pair gets a failure when its request is refused.
  @Test func aRefusedCentralFailsTheWaitingRequest() {
    var bench = PairingBench()
    bench.meddle = { side, pdu in side == .peripheral && pdu.code == SMPPDU.Code.securityRequest ? [] : [pdu.encoded] }
    bench.feed(.pair(PairRequest(), renews: false), to: .peripheral)
    let short = PairingFeatures(
      capability: .noInputNoOutput, requirements: [.bonding], keySize: 7, initiatorKeys: [], responderKeys: [])
    bench.feed(.pdu(SMPPDU.pairingRequest(short).encoded), to: .peripheral)
    #expect(bench.peripheral.results == [.failed(.refusedByUs(.encryptionKeySize))])
  }

  /// A bond that the peer may lack is confirmed once it encrypts a link.
  @Test func aProvisionalBondIsConfirmedByItsUse() {
    var provisional = Self.bond(with: 1)
    provisional.isProvisional = true
    var bench = PairingBench(central: provisional, peripheral: Self.bond(with: 0))
    bench.pair()
    #expect(bench.central.manager.bond?.isProvisional == false)
    #expect(bench.central.stored.map(\.isProvisional) == [false])
  }

  /// The bond cannot be confirmed on disk: it is stored, and the peer has it.
  @Test func anUnwritableConfirmationKeepsTheBond() {
    var bench = PairingBench()
    bench.ends[0].holdsAcknowledgements = true
    bench.pair()
    bench.ends[0].isStoreBroken = true
    for _ in 0..<bench.central.sent.count { bench.feed(.acknowledged, to: .central) }
    #expect(bench.central.stored.map(\.isProvisional) == [true])
    guard case .secured? = bench.central.results.last else {
      Issue.record("\(bench.central.results)")
      return
    }
  }
}
