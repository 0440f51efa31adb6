import Exchange
import KeeperProcess
@testable import Host
import Packets
import Testing
import Vocabulary

/// Attacks on pairings with codes, and mistakes of users: Pairing Failed with a certain reason,
/// nothing encrypted, nothing stored.
@Suite struct PasskeyAttackTests {
  private static let code: UInt32 = 516_645

  private func expectNoBond(_ bench: PairingBench, at place: SourceLocation = #_sourceLocation) {
    for end in bench.ends {
      #expect(end.stored.isEmpty && end.levels.isEmpty && end.keysGiven.isEmpty, sourceLocation: place)
      #expect(end.manager.pairing == nil && !end.manager.security.isEncrypted, sourceLocation: place)
    }
  }

  /// The peripheral has a code on its label; the central types it.
  private func labelled(secure: Bool = true) -> PairingBench {
    var bench = PairingBench(acceptance: PairRequest(fixedPasskey: Self.code, offersSecureConnections: secure))
    bench.ends[0].answer = { _ in .passkey(Self.code) }
    return bench
  }

  @Test func passkeyEntryTakesTwentyRounds() {
    var bench = labelled()
    bench.pair(PairRequest(enters: true))
    for end in bench.ends {
      #expect(end.sent.count(where: { $0.code == SMPPDU.Code.pairingConfirm }) == 20)
      let nonces = end.sent.compactMap { if case .pairingRandom(let nonce) = $0 { nonce } else { nil } }
      #expect(nonces.count == 20 && Set(nonces).count == 20, "a new nonce each")
    }
    let level = LinkSecurity(isEncrypted: true, isAuthenticated: true, isSecureConnections: true, keySize: 16)
    #expect(bench.central.results == [.secured(level)] && bench.peripheral.results == [.secured(level)])
    #expect(bench.central.stored.last?.isAuthenticated == true)
  }

  /// A code with one wrong bit is detected in the round of that bit, and not before.
  @Test(arguments: [0, 1, 7, 18, 19]) func oneWrongBitEndsItsRound(bit: Int) {
    var bench = labelled()
    let wrong = Self.code ^ 1 << UInt32(bit)
    // no code exceeds 999999
    bench.ends[0].answer = { _ in .passkey(wrong) }
    bench.pair(PairRequest(enters: true))
    expectNoBond(bench)
    let rounds = bench.central.sent.count { $0.code == SMPPDU.Code.pairingConfirm }
    if wrong > 999_999 {
      #expect(bench.central.sent.last == .pairingFailed(.passkeyEntryFailed) && rounds == 0)
    } else {
      #expect(rounds == bit + 1, "the central goes no further than the round that differs")
      #expect(bench.peripheral.sent.last == .pairingFailed(.confirmValueFailed))
    }
  }

  /// Our own confirm value is reflected in any round (CVE-2020-26558).
  @Test(arguments: [0, 10, 19], [true, false]) func aMirroredConfirmIsRefused(round: Int, atCentral: Bool) {
    var bench = labelled()
    var last: [PairingBench.Side: SMPPDU] = [:]
    var count = 0
    bench.meddle = { side, pdu in
      guard case .pairingConfirm = pdu else { return [pdu.encoded] }
      defer { last[side] = pdu }
      guard atCentral == (side == .peripheral) else { return [pdu.encoded] }
      defer { count += 1 }
      // When the peripheral is attacked, only its own value of the round before is available.
      guard count == round, let mirrored = last[side.other] else { return [pdu.encoded] }
      return [mirrored.encoded]
    }
    bench.pair(PairRequest(enters: true))
    guard atCentral || round > 0 else { return }
    let attacked = atCentral ? bench.central : bench.peripheral
    #expect(attacked.sent.last == .pairingFailed(.confirmValueFailed))
    expectNoBond(bench)
  }

  /// Our own nonce is reflected.
  @Test func aMirroredNonceIsRefused() {
    var bench = labelled()
    var own: SMPPDU?
    bench.meddle = { side, pdu in
      guard case .pairingRandom = pdu else { return [pdu.encoded] }
      if side == .central { own = pdu } else if let own { return [own.encoded] }
      return [pdu.encoded]
    }
    bench.pair(PairRequest(enters: true))
    #expect(bench.central.sent.last == .pairingFailed(.confirmValueFailed))
    expectNoBond(bench)
  }

  /// Method confusion: the attacker makes one end compare and the other type. Each question states
  /// its purpose, and the number of a comparison, used as a code, never makes a bond.
  @Test func aComparisonNumberIsNotAPasskey() {
    var bench = PairingBench(acceptance: PairRequest(displays: true, enters: true, confirms: true))
    bench.meddle = { side, pdu in
      guard side == .peripheral, case .pairingResponse(var features) = pdu else { return [pdu.encoded] }
      features.capability = .displayOnly
      return [SMPPDU.pairingResponse(features).encoded]
    }
    bench.ends[1].answer = { _ in .yes }
    bench.pair(PairRequest(displays: true, enters: true, confirms: true))
    // The central knows that the peripheral only displays, so it types.
    #expect(bench.central.questions == [.passkey])
    bench.feed(.answered(.passkey(123_456)), to: .central)
    expectNoBond(bench)
  }

  /// Modified features make every key check fail.
  @Test(arguments: [true, false]) func changedFeaturesFailTheCheck(atCentral: Bool) {
    var bench = labelled()
    bench.meddle = { side, pdu in
      switch pdu {
      case .pairingRequest(var features) where !atCentral && side == .central:
        features.requirements.insert(.keypress)
        return [SMPPDU.pairingRequest(features).encoded]
      case .pairingResponse(var features) where atCentral && side == .peripheral:
        features.requirements.insert(.keypress)
        return [SMPPDU.pairingResponse(features).encoded]
      default: return [pdu.encoded]
      }
    }
    bench.pair(PairRequest(enters: true))
    #expect(bench.ends.contains { $0.sent.last == .pairingFailed(.dhKeyCheckFailed) })
    expectNoBond(bench)
  }

  /// An attacker cannot avoid the code: a peer that claims to have no input or output gets no bond
  /// from an end that requires one.
  @Test func aDowngradeToJustWorksIsRefused() {
    var bench = labelled()
    bench.meddle = { side, pdu in
      guard side == .peripheral, case .pairingResponse(var features) = pdu else { return [pdu.encoded] }
      features.capability = .noInputNoOutput
      return [SMPPDU.pairingResponse(features).encoded]
    }
    bench.pair(PairRequest(enters: true))
    #expect(bench.central.sent.last == .pairingFailed(.authenticationRequirements))
    expectNoBond(bench)
  }

  /// `strict` refuses legacy pairing, whatever the code.
  @Test func strictRefusesLegacy() {
    var bench = labelled(secure: false)
    bench.pair(PairRequest(enters: true, isStrict: true))
    #expect(bench.central.results == [.failed(.legacyOnly)])
    #expect(bench.central.sent.last == .pairingFailed(.authenticationRequirements))
    expectNoBond(bench)
  }

  /// A fixed code is guessed repeatedly: the wait doubles with each attempt, up to a day.
  @Test func guessesOfAFixedCodeWaitLongerAndLonger() {
    var attempts = PairingAttempts()
    var now = Moment.zero
    var waits: [TimeSpan] = []
    for _ in 0..<20 {
      attempts.failed(at: now, isFixed: true)
      let wait = attempts.remaining(at: now) ?? .zero
      waits.append(wait)
      #expect(attempts.remaining(at: now + wait - .seconds(1)) == .seconds(1))
      now = now + wait
      #expect(attempts.remaining(at: now) == nil)
    }
    #expect(waits.prefix(4) == [.seconds(2), .seconds(4), .seconds(8), .seconds(16)])
    #expect(waits.last ?? .zero >= .hours(18) && waits.last ?? .days(2) <= .days(1))
  }

  /// Guesses add up over days, over new addresses, and over pairings without the code in between.
  @Test func guessesOfAFixedCodeAddUp() {
    var attempts = PairingAttempts()
    for day in 0..<30 { attempts.failed(at: .zero + .hours(23 * Int64(day)), isFixed: true) }
    #expect(attempts.remaining(at: .zero + .hours(23 * 29)) ?? .zero > .hours(23), "one guess a day")

    let code = PairRequest(fixedPasskey: Self.code)
    var world = PairWorld(seed: 3)
    func toolbox(_ seed: UInt64) -> Toolbox { Toolbox(entropy: .seeded(SplitMix(seed: seed))) }
    _ = world.add(Address(bits: 0x00_1B_DC_0A_0B_0C, kind: .public), HostConfiguration(profile: .fast), toolbox: toolbox(1))
    let label = LinkBench.strap
    _ = world.add(label, toolbox: toolbox(2))
    _ = world.add(Address(bits: 0x00_1B_DC_0A_0B_0D, kind: .public), HostConfiguration(profile: .fast), toolbox: toolbox(3))
    world.request(
      1, .publish(ServerTable(name: "label", services: [.init(uuid: UUID(0xFFF0), characteristics: [])], pairing: code)))
    world.request(1, .advertise(AdvertisingPlan(services: [UUID(0xFFF0)], name: "label")))

    /// Whether a guess, or a pairing without the code, gets so far that it can fail or succeed.
    func pair(_ station: Int, guesses: Bool) -> Result<LinkSecurity, Failure>? {
      let link = world.request(station, .connect(ConnectRequest(peer: label, pending: false)))
      world.expect(within: .seconds(10)) { $0.isConnected(station, link) }
      let asked = world.events(station).count
      let request = guesses ? PairRequest(enters: true) : PairRequest()
      let pair = world.request(station, .gatt(label, .pair(request, renews: false)))
      world.run(.seconds(1))
      for event in world.events(station).dropFirst(asked) {
        if case .pairingAsked(let id, _, .passkey) = event { world.request(station, .answerPairing(id, .passkey(1))) }
      }
      world.expect(within: .seconds(60)) { $0.outcome(station, pair) != nil }
      world.request(station, .forgetBond(label))
      world.request(station, .disconnect(label))
      world.run(.seconds(3))
      switch world.outcome(station, pair) {
      case .success(.paired(let level))?: return .success(level)
      case .failure(let failure)?: return .failure(failure)
      default: return nil
      }
    }
    var told = 0
    for round in 0..<12 {
      let station = round % 2 == 0 ? 0 : 2
      if case .failure(let failure)? = pair(station, guesses: true), failure.message.contains("wrong") { told += 1 }
      _ = pair(station, guesses: false)
    }
    // 2, 4, 8 … s of waiting, of which the rounds leave about two minutes
    #expect(3...7 ~= told, "\(told) guesses were judged")
    #expect(world.air.violations == 0)
  }

  /// A new link does not reset the wait, and private addresses share one.
  @Test func attemptsOutliveTheirLink() {
    var book = AttemptBook()
    var attempts = PairingAttempts()
    attempts.failed(at: .zero)
    let fixed = Address(bits: 0xC000_0000_0001, kind: .random)
    book[fixed] = attempts
    #expect(book[fixed] == attempts && book[Address(bits: 2, kind: .public)] == PairingAttempts())
    book[Address(bits: 0x4000_0000_0001, kind: .random)] = attempts
    #expect(book[Address(bits: 0x4000_0000_0002, kind: .random)] == attempts)
    for number in 0..<1000 { book[Address(bits: UInt64(number), kind: .public)] = attempts }
    #expect(book.encoded.count < 64 * 40)
  }

  /// Our own next attempt waits, too, because the device does; too long a wait is reported instead.
  @Test func ourNextAttemptWaits() {
    var bench = labelled()
    bench.ends[0].answer = { _ in .passkey(1) }
    bench.pair(PairRequest(enters: true))
    #expect(bench.central.results.count == 1)
    let sent = bench.central.sent.count
    bench.ends[0].answer = { _ in .passkey(Self.code) }
    bench.pair(PairRequest(enters: true))
    #expect(bench.central.sent.count == sent, "nothing is sent yet")
    bench.wait(.seconds(2) + SecurityLimits.ownMargin, .central)
    #expect(bench.central.manager.security.isAuthenticated && bench.central.results.count == 2)
    var other = labelled()
    for _ in 0..<6 { other[.central].manager.attempts.failed(at: other.now.moment) }
    other.pair(PairRequest(enters: true))
    #expect(other.central.results == [.failed(.tooSoon(.seconds(64)))] && other.central.sent.isEmpty)
  }

  /// A device may remember an attempt of a process that was killed. It is asked again when its
  /// delay has ended, but not for ever.
  @Test func aDelayOfTheDeviceIsWaitedOut() {
    var bench = labelled()
    bench[.peripheral].manager.attempts.failed(at: bench.now.moment)
    bench.ends[0].answer = { _ in .passkey(Self.code) }
    bench.pair(PairRequest(enters: true))
    #expect(bench.central.results.isEmpty && bench.central.manager.isPairing)
    bench.wait(.seconds(2) + SecurityLimits.ownMargin, .central)
    #expect(bench.central.manager.security.isAuthenticated && bench.central.results.count == 1)
    var other = labelled()
    for _ in 0..<8 { other[.peripheral].manager.attempts.failed(at: other.now.moment) }
    other.pair(PairRequest(enters: true))
    for _ in 0..<60 { other.wait(.seconds(1), .central) }
    #expect(other.central.results == [.failed(.refusedByPeer(.repeatedAttempts))])
    #expect(other.central.sent.count == 4, "\(other.central.sent)")
  }

  /// An attempt that we cut off counts at the device, so it counts here.
  @Test func aCancelledPairingCounts() {
    var bench = PairingBench(acceptance: PairRequest(fixedPasskey: Self.code))
    bench.pair(PairRequest(enters: true))
    bench.feed(.cancelled, to: .central)
    #expect(bench.central.sent.last == .pairingFailed(.unspecified))
    #expect(bench.central.manager.attempts.remaining(at: bench.now.moment) == .seconds(2))
  }

  /// An answer to a closed question, and one answer too many.
  @Test func unexpectedAnswersChangeNothing() {
    var bench = labelled()
    bench.feed(.answered(.passkey(Self.code)), to: .central)
    bench.feed(.answered(.yes), to: .peripheral)
    #expect(bench.central.sent.isEmpty && bench.peripheral.sent.isEmpty)
    bench.pair(PairRequest(enters: true))
    let sent = bench.central.sent.count
    bench.feed(.answered(.passkey(1)), to: .central)
    #expect(bench.central.sent.count == sent && bench.central.manager.security.isEncrypted)
  }

  /// A comparison in which the peer does not wait for our yes: its check is held, and without our
  /// yes nothing is encrypted.
  @Test func aPeerThatConfirmsFirstWaits() {
    let both = PairRequest(displays: true, confirms: true)
    var bench = PairingBench(acceptance: both)
    bench.ends[0].answer = { _ in .yes }
    bench.pair(both)
    #expect(bench.central.sent.last?.code == SMPPDU.Code.dhKeyCheck)
    #expect(bench.peripheral.manager.pairing?.step == .confirmationAsked && bench.central.levels.isEmpty)
    bench.feed(.answered(.yes), to: .peripheral)
    #expect(bench.central.manager.security.isAuthenticated && bench.peripheral.manager.security.isAuthenticated)
    var refused = PairingBench(acceptance: both)
    refused.ends[0].answer = { _ in .yes }
    refused.pair(both)
    refused.feed(.answered(.no), to: .peripheral)
    #expect(refused.peripheral.sent.last == .pairingFailed(.numericComparisonFailed))
    expectNoBond(refused)
  }
}
