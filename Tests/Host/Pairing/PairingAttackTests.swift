import Exchange
@testable import Host
import Packets
import Testing
import Vocabulary

private let zeros = [UInt8](repeating: 0, count: 32)

/// Published attacks, each with its response: Pairing Failed with a certain reason, nothing
/// encrypted, nothing stored.
@Suite struct PairingAttackTests {
  private func expectNoBond(_ bench: PairingBench, at place: SourceLocation = #_sourceLocation) {
    for end in bench.ends {
      #expect(end.stored.isEmpty && end.levels.isEmpty && end.keysGiven.isEmpty, sourceLocation: place)
      #expect(end.manager.pairing == nil && !end.manager.security.isEncrypted, sourceLocation: place)
    }
  }

  /// CVE-2018-5383: a point that is not on the curve.
  @Test(arguments: [true, false]) func anInvalidCurveIsRefused(atCentral: Bool) {
    for bend in 0..<3 {
      var bench = PairingBench()
      bench.meddle = { side, pdu in
        guard (side == .peripheral) == atCentral, case .publicKey(let x, var y) = pdu else { return [pdu.encoded] }
        switch bend {
        case 0: return [SMPPDU.publicKey(x: x, y: zeros).encoded]
        case 1:
          y[3] ^= 0x10
          return [SMPPDU.publicKey(x: x, y: y).encoded]
        default: return [SMPPDU.publicKey(x: zeros, y: zeros).encoded]
        }
      }
      bench.pair()
      let attacked = atCentral ? bench.central : bench.peripheral
      #expect(attacked.sent.contains(.pairingFailed(.dhKeyCheckFailed)))
      expectNoBond(bench)
    }
  }

  /// CVE-2020-26558: our own public key is reflected.
  @Test func aReflectedKeyIsRefused() {
    var bench = PairingBench()
    var own: SMPPDU?
    bench.meddle = { side, pdu in
      guard case .publicKey = pdu else { return [pdu.encoded] }
      if side == .central { own = pdu } else if let own { return [own.encoded] }
      return [pdu.encoded]
    }
    bench.pair()
    #expect(bench.central.sent.contains(.pairingFailed(.dhKeyCheckFailed)))
    expectNoBond(bench)
  }

  /// Our key with a negated Y coordinate has the same X.
  @Test func aKeyWithOurXIsRefused() {
    var bench = PairingBench()
    var x: [UInt8] = []
    bench.meddle = { side, pdu in
      guard case .publicKey(let coordinate, let y) = pdu else { return [pdu.encoded] }
      if side == .central { x = coordinate }
      return [side == .central ? pdu.encoded : SMPPDU.publicKey(x: x, y: y.reversed()).encoded]
    }
    bench.pair()
    #expect(bench.central.sent.contains(.pairingFailed(.dhKeyCheckFailed)))
    expectNoBond(bench)
  }

  /// Our own confirm value is reflected in legacy pairing.
  @Test func aReflectedConfirmIsRefused() {
    var bench = PairingBench(acceptance: PairRequest(offersSecureConnections: false))
    var own: SMPPDU?
    bench.meddle = { side, pdu in
      guard case .pairingConfirm = pdu else { return [pdu.encoded] }
      if side == .central { own = pdu } else if let own { return [own.encoded] }
      return [pdu.encoded]
    }
    bench.pair()
    #expect(bench.central.sent.last == .pairingFailed(.confirmValueFailed))
    expectNoBond(bench)
  }

  /// KNOB: a key that is too short, and invalid sizes.
  @Test(arguments: [(7, 0x06), (15, 0x06), (0, 0x0A), (6, 0x0A), (17, 0x0A), (255, 0x0A)])
  func aKeySizeIsRefused(size: Int, reason: Int) {
    for attacker in PairingBench.Side.allCases {
      var bench = PairingBench()
      bench.meddle = { side, pdu in
        guard side == attacker else { return [pdu.encoded] }
        switch pdu {
        case .pairingRequest(var features):
          features.keySize = UInt8(size)
          return [SMPPDU.pairingRequest(features).encoded]
        case .pairingResponse(var features):
          features.keySize = UInt8(size)
          return [SMPPDU.pairingResponse(features).encoded]
        default: return [pdu.encoded]
        }
      }
      bench.pair()
      #expect(bench[attacker.other].sent.contains(.pairingFailed(SMPReason(UInt8(reason)))))
      expectNoBond(bench)
    }
  }

  /// `--min-key-size`: the key of both ends, and of the bond, is zero in its most significant
  /// bytes.
  @Test(arguments: [7, 11, 15] as [UInt8]) func aShorterKeyIsAcceptedIfAllowed(size: UInt8) throws {
    let request = PairRequest(smallestKey: size)
    var bench = PairingBench(acceptance: request)
    bench.meddle = { _, pdu in
      switch pdu {
      case .pairingRequest(var features):
        features.keySize = size
        return [SMPPDU.pairingRequest(features).encoded]
      case .pairingResponse(var features):
        features.keySize = size
        return [SMPPDU.pairingResponse(features).encoded]
      default: return [pdu.encoded]
      }
    }
    bench.pair(request)
    let level = LinkSecurity(isEncrypted: true, isAuthenticated: false, isSecureConnections: true, keySize: size)
    #expect(bench.central.results == [.secured(level)] && bench.peripheral.results == [.secured(level)])
    for side in PairingBench.Side.allCases {
      let bond = try #require(bench[side].stored.last)
      guard case .secureConnections(let key) = bond.keys else {
        Issue.record("\(bond)")
        continue
      }
      #expect(bond.keySize == size && key[Int(size)...].allSatisfy { $0 == 0 } && !key[..<Int(size)].allSatisfy { $0 == 0 })
    }
  }

  /// CVE-2019-19194: encryption is started before there is a key. No all-zero key is used.
  @Test func aKeyRequestBeforeTheKeyIsRefused() {
    for last in [SMPPDU.Code.publicKey, SMPPDU.Code.pairingRandom] {
      var bench = PairingBench()
      bench.meddle = { side, pdu in side == .central && pdu.code == last ? [] : [pdu.encoded] }
      bench.pair()
      #expect(bench.peripheral.manager.pairing != nil)
      bench.feed(.keyAsked(diversifier: 0, random: 0), to: .peripheral)
      #expect(bench.peripheral.refusedKeys == 1)
      #expect(bench.peripheral.sent.last == .pairingFailed(.unspecified))
      #expect(bench.peripheral.keysGiven.isEmpty && bench.peripheral.stored.isEmpty)
    }
  }

  /// CVE-2020-13593: the check of the key is skipped.
  @Test func aSkippedCheckIsNoticed() {
    var bench = PairingBench()
    bench.meddle = { side, pdu in side == .central && pdu.code == SMPPDU.Code.dhKeyCheck ? [] : [pdu.encoded] }
    bench.pair()
    bench.feed(.keyAsked(diversifier: 0, random: 0), to: .peripheral)
    #expect(bench.peripheral.refusedKeys == 1 && bench.peripheral.keysGiven.isEmpty)
    var other = PairingBench()
    other.meddle = { side, pdu in
      guard case .dhKeyCheck(var value) = pdu, side == .peripheral else { return [pdu.encoded] }
      value[0] ^= 1
      return [SMPPDU.dhKeyCheck(value).encoded]
    }
    other.pair()
    #expect(other.central.sent.last == .pairingFailed(.dhKeyCheckFailed))
    #expect(other.central.levels.isEmpty && other.central.stored.isEmpty)
  }

  /// Keys before the link is encrypted end the pairing.
  @Test(arguments: [0x06, 0x08]) func earlyKeysAreRefused(code: Int) {
    for stop in [SMPPDU.Code.publicKey, SMPPDU.Code.pairingConfirm, SMPPDU.Code.pairingRandom, SMPPDU.Code.dhKeyCheck] {
      var bench = PairingBench()
      bench.meddle = { side, pdu in
        side == .peripheral && pdu.code == stop ? [[UInt8(code)] + [UInt8](repeating: 9, count: 16)] : [pdu.encoded]
      }
      bench.pair()
      #expect(bench.central.sent.last == .pairingFailed(.unspecified))
      #expect(bench.central.stored.isEmpty && bench.central.levels.isEmpty)
    }
  }

  private static func bond(_ address: Address, authenticated: Bool = true) -> Bond {
    Bond(
      identity: address, keys: .secureConnections([UInt8](repeating: 0x5A, count: 16)), isAuthenticated: authenticated, keySize: 16,
      lastAddress: address, madeAt: .simulationStart)
  }

  /// BLERP: a bonded device requests higher security again and again. The link is encrypted, and no
  /// pairing starts.
  @Test func aSecurityRequestNeverReplacesABond() {
    var bench = PairingBench(central: Self.bond(PairingBench.addresses[1]))
    for _ in 0..<3 { bench.feed(.pdu(SMPPDU.securityRequest([.bonding, .authentication]).encoded), to: .central) }
    #expect(bench.central.sent.isEmpty)
    #expect(bench.central.closes == [.encryption(.keyMissing)])
    #expect(bench.central.manager.bond != nil)
  }

  /// An authenticated bond is not replaced by an unauthenticated one over an unencrypted link.
  @Test func aBondIsNotWeakened() {
    let old = Self.bond(PairingBench.addresses[0])
    var bench = PairingBench(peripheral: old)
    bench.pair()
    #expect(bench.peripheral.sent == [.pairingFailed(.authenticationRequirements)])
    #expect(bench.peripheral.manager.bond == old)
    var other = PairingBench(central: Self.bond(PairingBench.addresses[1]))
    other.pair(renews: true)
    #expect(other.central.sent.last == .pairingFailed(.authenticationRequirements))
    #expect(other.central.manager.bond == Self.bond(PairingBench.addresses[1]))
    #expect(other.central.stored.isEmpty)
  }

  /// BLURtooth: keys for BR/EDR are neither sent nor accepted.
  @Test func keysForAnotherTransportAreCleared() {
    var bench = PairingBench()
    bench.meddle = { side, pdu in
      guard side == .central, case .pairingRequest(var features) = pdu else { return [pdu.encoded] }
      features.initiatorKeys.insert(.link)
      features.responderKeys.insert(.link)
      features.requirements.insert(.crossTransport2)
      return [SMPPDU.pairingRequest(features).encoded]
    }
    bench.pair()
    guard case .pairingResponse(let response)? = bench.peripheral.sent.first else {
      Issue.record("no response")
      return
    }
    #expect(!response.initiatorKeys.contains(.link) && !response.responderKeys.contains(.link))
    #expect(!response.requirements.contains(.crossTransport2))
  }

  /// A device that refuses the key of the pairing in progress, or has another one, has no stale
  /// bond, because there is none.
  @Test(arguments: [HCIStatus.keyMissing, .micFailure, .connectionTimeout]) func aNewKeyMayBeRefused(status: HCIStatus) {
    var bench = PairingBench()
    bench.ending = .some(status)
    bench.pair()
    #expect(bench.central.results == [.failed(.newKey(status))] && bench.central.stored.isEmpty)
    let failure = PairingFault.newKey(status).failure(with: PairingBench.addresses[1])
    #expect(failure.kind == (status == .connectionTimeout ? .timeout : .refused))
    // If the link ends instead, its status gives the reason.
    var silent = PairingBench()
    silent.ending = .some(nil)
    silent.pair()
    #expect(silent.central.manager.fault(of: status) == (status == .micFailure ? .newKey(status) : .lost))
    #expect(silent.central.results.isEmpty)
  }

  /// Whatever arrives in whatever phase, one pairing ends once and nothing of it remains.
  @Test func aFloodIsBounded() {
    var bench = PairingBench()
    let wrong = SMPPDU.pairingRequest(
      PairingFeatures(capability: .noInputNoOutput, requirements: [.bonding], keySize: 7, initiatorKeys: [], responderKeys: []))
    for _ in 0..<1000 { bench.feed(.pdu(wrong.encoded), to: .peripheral) }
    #expect(bench.peripheral.sent == [.pairingFailed(.encryptionKeySize)])
    #expect(bench.peripheral.manager.attempts.remaining(at: bench.now.moment) == .seconds(2))
    for _ in 0..<1000 { bench.feed(.pdu([0x05, 0x08]), to: .peripheral) }
    #expect(bench.peripheral.sent.count == 1)
  }

  /// A PDU of another length, and unknown codes.
  @Test func lengthsAndCodesAreRefused() {
    for code in UInt8(1)...14 where code != SMPPDU.Code.pairingFailed {
      var bench = PairingBench()
      bench.feed(.pdu([code]), to: .peripheral)
      #expect(bench.peripheral.sent == [.pairingFailed(.invalidParameters)], "code \(code)")
    }
    var bench = PairingBench()
    bench.feed(.pdu([0x0F, 1, 2]), to: .peripheral)
    #expect(bench.peripheral.sent == [.pairingFailed(.commandNotSupported)])
  }

  /// Every code in every phase, at both ends: the pairing ends, and nothing is stored.
  @Test func everyCodeInEveryPhaseEndsInOrder() {
    let codes: [SMPPDU] = [
      .pairingConfirm([UInt8](repeating: 1, count: 16)), .pairingRandom([UInt8](repeating: 2, count: 16)),
      .dhKeyCheck([UInt8](repeating: 3, count: 16)), .publicKey(x: zeros, y: zeros),
      .encryptionInformation(Array(zeros.prefix(16))),
      .identityInformation(Array(zeros.prefix(16))), .signingInformation(Array(zeros.prefix(16))), .keypressNotification(1),
      .unknown(code: 0x33, []),
    ]
    for intruder in codes {
      for phase in UInt8(1)...13 where phase != 5 {
        for victim in PairingBench.Side.allCases {
          var bench = PairingBench()
          var isDone = false
          bench.meddle = { side, pdu in
            guard side == victim.other, pdu.code == phase, !isDone, pdu.code != intruder.code else { return [pdu.encoded] }
            isDone = true
            return [intruder.encoded]
          }
          bench.pair()
          guard isDone, phase < 6 || phase > 11 else { continue }
          #expect(bench[victim].stored.isEmpty, "\(intruder.code) for \(phase) at \(victim)")
          #expect(bench[victim].results.count <= 1)
          #expect(bench[victim].manager.pairing == nil, "\(intruder.code) for \(phase) at \(victim)")
        }
      }
    }
  }
}

@Suite struct PairingTimeTests {
  @Test func aSilentPeerLosesTheLink() {
    var bench = PairingBench()
    bench.meddle = { side, pdu in side == .peripheral && pdu.code == SMPPDU.Code.pairingConfirm ? [] : [pdu.encoded] }
    bench.pair()
    bench.wait(.seconds(29), .central)
    #expect(bench.central.results.isEmpty)
    bench.wait(.seconds(1), .central)
    #expect(bench.central.results == [.failed(.timeout)])
    #expect(bench.central.closes == [.timeout])
    // A late PDU is not answered (3.4).
    let count = bench.central.sent.count
    bench.feed(.pdu(SMPPDU.pairingConfirm(Array(zeros.prefix(16))).encoded), to: .central)
    #expect(bench.central.sent.count == count)
  }

  /// A peer cannot hold a pairing open with PDUs that change nothing.
  @Test func securityRequestsDoNotProlongAPairing() {
    var bench = PairingBench()
    bench.meddle = { side, pdu in side == .peripheral && pdu.code == SMPPDU.Code.pairingConfirm ? [] : [pdu.encoded] }
    bench.pair()
    bench.wait(.seconds(20), .central)
    bench.feed(.pdu(SMPPDU.securityRequest([.bonding]).encoded), to: .central)
    bench.wait(.seconds(10), .central)
    #expect(bench.central.results == [.failed(.timeout)])
  }

  /// A pairing that fails in phase 3 leaves the link encrypted, but makes no bond. The next `pair`
  /// must not take the encryption for one.
  @Test(arguments: [false, true]) func aPairingThatFailsInItsLastPhaseIsRepeated(isSecure: Bool) {
    let request = PairRequest(offersSecureConnections: isSecure)
    var bench = PairingBench(acceptance: request)
    let key = isSecure ? SMPPDU.Code.identityInformation : SMPPDU.Code.encryptionInformation
    bench.meddle = { side, pdu in
      side == .peripheral && pdu.code == key ? [SMPPDU.pairingFailed(.unspecified).encoded] : [pdu.encoded]
    }
    bench.pair(request)
    #expect(bench.central.manager.security.isEncrypted && bench.central.manager.bond == nil)
    #expect(bench.central.results == [.failed(.refusedByPeer(.unspecified))])
    bench.meddle = nil
    bench.feed(.pdu(SMPPDU.pairingFailed(.unspecified).encoded), to: .peripheral)
    bench.pair(request)
    // Both delay a new attempt after a failed one.
    for _ in 0..<5 where bench.central.results.count < 2 { bench.wait(.seconds(2), .central) }
    #expect(bench.central.results.count == 2)
    if case .secured? = bench.central.results.last {} else { Issue.record("\(bench.central.results)") }
    #expect(bench.central.manager.bond != nil && bench.peripheral.manager.bond != nil)
  }

  /// Missing consent differs from a number that does not match.
  @Test(arguments: [true, false]) func aMissingConfirmationIsDeclined(compares: Bool) {
    var bench = PairingBench(acceptance: compares ? PairRequest(displays: true, confirms: true) : PairRequest())
    bench.ends[1].answer = { _ in .yes }
    bench.pair(PairRequest(displays: true, confirms: true))
    #expect(bench.central.questions.count == 1)
    bench.wait(.seconds(28), .central)
    let (reason, fault): (SMPReason, PairingFault) =
      compares ? (.numericComparisonFailed, .refusedByUs(.numericComparisonFailed)) : (.authenticationRequirements, .declined)
    #expect(bench.central.sent.last == .pairingFailed(reason) && bench.central.results == [.failed(fault)])
  }

  @Test func anUnansweredQuestionEndsAfter28Seconds() {
    var bench = PairingBench(acceptance: PairRequest(fixedPasskey: 1))
    bench.pair(PairRequest(enters: true))
    #expect(bench.central.questions == [.passkey])
    bench.wait(.seconds(28), .central)
    #expect(bench.central.results == [.failed(.refusedByUs(.passkeyEntryFailed))])
  }

  @Test func aSecurityRequestWithoutABondIsRefusedAfter5Seconds() {
    var bench = PairingBench()
    bench.feed(.pdu(SMPPDU.securityRequest([.bonding]).encoded), to: .central)
    #expect(bench.central.sent.isEmpty)
    bench.wait(.seconds(5), .central)
    #expect(bench.central.sent == [.pairingFailed(.pairingNotSupported)])
  }

  @Test func aTimelyPairAnswersASecurityRequest() {
    var bench = PairingBench()
    bench.feed(.pair(PairRequest(), renews: false), to: .peripheral)
    #expect(bench.peripheral.sent == [.securityRequest([.bonding, .secureConnections])])
    bench.pair()
    #expect(bench.central.results.count == 1 && bench.peripheral.results.count == 1)
    #expect(bench.central.manager.security.isEncrypted && bench.peripheral.manager.security.isEncrypted)
  }

  /// A central that has a bond and does not use it is asked once, and then encrypts.
  @Test func aBondedCentralIsAskedToEncrypt() {
    func bond(with place: Int) -> Bond {
      Bond(
        identity: PairingBench.addresses[place], keys: .secureConnections([UInt8](repeating: 1, count: 16)), isAuthenticated: true,
        keySize: 16, lastAddress: PairingBench.addresses[place], madeAt: .simulationStart)
    }
    var bench = PairingBench(central: bond(with: 1), peripheral: bond(with: 0))
    bench.feed(.centralHeard, to: .peripheral)
    bench.wait(.milliseconds(499), .peripheral)
    #expect(bench.peripheral.sent.isEmpty)
    bench.wait(.milliseconds(1), .peripheral)
    #expect(bench.peripheral.sent == [.securityRequest([.bonding, .secureConnections, .authentication])])
    #expect(bench.central.manager.security.isEncrypted && bench.peripheral.manager.security.isEncrypted)
    // an encrypted or unknown one is not asked
    var other = PairingBench()
    other.feed(.centralHeard, to: .peripheral)
    other.wait(.seconds(1), .peripheral)
    #expect(other.peripheral.sent.isEmpty)
  }

  /// The peer has forgotten us.
  @Test func aBondThatThePeerLacksIsStale() {
    let bond = Bond(
      identity: PairingBench.addresses[1], keys: .secureConnections([UInt8](repeating: 1, count: 16)), isAuthenticated: false,
      keySize: 16, lastAddress: PairingBench.addresses[1], madeAt: .simulationStart)
    var bench = PairingBench(central: bond)
    bench.pair()
    #expect(bench.central.results == [.failed(.encryption(.keyMissing))])
    #expect(bench.central.closes == [.encryption(.keyMissing)])
    #expect(bench.central.dropped.isEmpty && bench.central.manager.bond == bond)
    // A provisional bond was never reported: it is deleted, and the devices are paired.
    var provisional = bond
    provisional.isProvisional = true
    var other = PairingBench(central: provisional)
    other.pair()
    #expect(other.central.dropped == [bond.identity])
    #expect(other.central.manager.security.isEncrypted && other.central.stored.count == 2)
  }

  /// The bond is written before our last key is sent, and confirmed when the peer has it.
  @Test func aBondIsProvisionalUntilThePeerHasOurKeys() {
    var bench = PairingBench()
    bench.ends[0].holdsAcknowledgements = true
    bench.pair()
    #expect(bench.central.stored.map(\.isProvisional) == [true])
    #expect(bench.central.results.isEmpty)
    for _ in 0..<bench.central.sent.count { bench.feed(.acknowledged, to: .central) }
    #expect(bench.central.stored.map(\.isProvisional) == [true, false])
    #expect(bench.central.results.count == 1)
  }

  @Test func aBondThatCannotBeWrittenEndsThePairing() {
    var bench = PairingBench()
    bench.ends[0].isStoreBroken = true
    bench.pair()
    #expect(bench.central.results == [.failed(.notStored)])
    #expect(bench.central.manager.bond == nil)
  }

  @Test func theEndOfTheLinkEndsThePairing() {
    var bench = PairingBench()
    bench.meddle = { side, pdu in side == .peripheral && pdu.code == SMPPDU.Code.pairingConfirm ? [] : [pdu.encoded] }
    bench.pair()
    bench.feed(.lost, to: .central)
    #expect(bench.central.results == [.failed(.lost)])
  }
}

/// What a packet capture shows of keys.
@Suite struct PairingSecretTests {
  @Test func noKeyIsInAKeptPacket() {
    let key = [UInt8](repeating: 0xC5, count: 16)
    let secrets: [SMPPDU] = [.pairingRandom(key), .encryptionInformation(key), .identityInformation(key), .signingInformation(key)]
    for pdu in secrets {
      let frame = pdu.encoded
      let packet = [0x02, 0x40, 0x20, UInt8(frame.count + 4), 0, UInt8(frame.count), 0, 0x06, 0] + frame
      var redaction = PacketRedaction()
      let shown = redaction.redacted(packet, isSent: false)
      #expect(!shown.contains(0xC5) && shown.count == packet.count && shown.prefix(10) == packet.prefix(10))
    }
    let handle = ConnectionHandle(0x40)
    for command in [
      HCICommand.leEnableEncryption(EnableEncryption(handle: handle, random: 0, diversifier: 0, longTermKey: key)),
      .leLongTermKeyRequestReply(handle, key: key),
    ] {
      var ring = PacketRing(capacity: 2)
      ring.add(HCIPacket.command(command).encoded, isSent: true, at: .simulationStart)
      #expect(ring.records.count == 1 && !ring.encoded.contains(0xC5))
    }
  }

  /// A peer may split a PDU anywhere, also in its headers, with packets of other links, of the
  /// other direction and of a keeper's successor in between.
  @Test(arguments: 1...20) func noKeyIsInAFragment(first: Int) {
    let key = [UInt8](repeating: 0xC5, count: 16)
    let frame = L2CAPFrame(channel: 6, payload: SMPPDU.identityInformation(key).encoded).encoded
    let other = L2CAPFrame(channel: 4, payload: [0x1B, 0x12, 0, 0x77, 0x78]).encoded
    func packet(_ data: some Collection<UInt8>, handle: UInt8 = 0x40, isFirst: Bool) -> [UInt8] {
      [0x02, handle, isFirst ? 0x20 : 0x10, UInt8(data.count), 0] + data
    }
    for second in stride(from: first + 1, through: frame.count, by: 3) {
      var ring = PacketRing(capacity: 16)
      func add(_ bytes: [UInt8], isSent: Bool = false) { ring.add(bytes, isSent: isSent, at: .simulationStart) }
      add(packet(frame[..<first], isFirst: true))
      add(packet(other[..<6], handle: 0x41, isFirst: true))
      add(packet(other, isFirst: true), isSent: true)
      ring = (try? PacketRing(encoded: ring.encoded)) ?? PacketRing(capacity: 16)
      add(packet(frame[first..<second], isFirst: false))
      add(packet(other[6...], handle: 0x41, isFirst: false))
      add(packet(frame[second...], isFirst: false))
      // After the end of the PDU nothing may follow, so it is not shown.
      add(packet([0xC5, 0xC5], isFirst: false))
      add(packet(other, isFirst: true))
      // What a lost link left unfinished is of no concern to the next one with its handle.
      add(packet(frame[..<first], isFirst: true))
      add(packet(other, isFirst: true))
      add(packet([0xC5], isFirst: false))
      let shown = ring.records.map(\.bytes)
      #expect(shown.count == 11 && shown[9] == shown[7] && !shown.joined().contains(0xC5), "\(shown)")
      #expect(shown[0] == packet(frame[..<first], isFirst: true).prefix(10) + [UInt8](repeating: 0, count: max(0, first - 5)))
      #expect(shown[1] == packet(other[..<6], handle: 0x41, isFirst: true))
      #expect(shown[2] == packet(other, isFirst: true) && shown[7] == shown[2])
      #expect(shown[4] == packet(other[6...], handle: 0x41, isFirst: false))
    }
  }
}
