import Exchange
import Packets
import Testing
import Vocabulary

@testable import Host

/// Repeated Pairing Requests and other PDUs: which of them are answered, and how often.
@Suite struct RepeatedAttemptTests {
  private static let request = SMPPDU.pairingRequest(
    PairingFeatures(
      capability: .keyboardOnly, requirements: [.bonding, .authentication], keySize: 16,
      initiatorKeys: [.encryption],
      responderKeys: [.encryption]))

  private static func bench(_ acceptance: PairRequest?) -> PairingBench {
    var bench = PairingBench(acceptance: acceptance)
    bench.meddle = { _, _ in [] }
    return bench
  }

  /// Every Pairing Request that comes alone gets one answer at once, whatever came before; one
  /// during the waiting time does not extend it (Vol 3, Part H, 2.3.6).
  @Test(arguments: 0..<30) func eachPairingRequestHasOneAnswer(seed: Int) {
    var dice = SplitMix(seed: UInt64(seed))
    let kinds: [PairRequest?] = [
      PairRequest(fixedPasskey: 42_137), PairRequest(enters: true), PairRequest(),
      PairRequest(isStrict: true), nil,
    ]
    let acceptance = kinds[seed % kinds.count]
    var bench = Self.bench(acceptance)
    var hasWaited = false
    for step in 0..<300 {
      let before = bench.peripheral.sent.count
      let manager = bench.peripheral.manager
      let waits = [manager.attempts, manager.guesses]
      let remaining = waits.compactMap { $0.remaining(at: bench.now.moment) }.max()
      let isPairing = bench.peripheral.manager.pairing != nil
      bench.feed(.pdu(Self.request.encoded), to: .peripheral)
      let answers = Array(bench.peripheral.sent.dropFirst(before))
      guard answers.count == 1 else {
        Issue.record("request \(step) has \(answers.count) answers: \(answers)")
        return
      }
      if answers == [.pairingFailed(.repeatedAttempts)] { hasWaited = true }
      if acceptance == nil {
        #expect(answers == [.pairingFailed(.pairingNotSupported)])
      } else if isPairing {
        #expect(
          answers == [.pairingFailed(.unspecified)] && bench.peripheral.manager.pairing == nil)
      } else if remaining != nil {
        #expect(answers == [.pairingFailed(.repeatedAttempts)])
        #expect([bench.peripheral.manager.attempts, bench.peripheral.manager.guesses] == waits)
      } else {
        #expect(answers != [.pairingFailed(.repeatedAttempts)])
      }
      switch dice.next() % 3 {
      case 0: bench.feed(.pdu(SMPPDU.pairingFailed(.confirmValueFailed).encoded), to: .peripheral)
      case 1:
        bench.feed(
          .pdu(SMPPDU.pairingConfirm([UInt8](repeating: 1, count: 16)).encoded), to: .peripheral)
        bench.feed(
          .pdu(SMPPDU.pairingRandom([UInt8](repeating: 2, count: 16)).encoded), to: .peripheral)
      default:
        let manager = bench.peripheral.manager
        let waits = [manager.attempts, manager.guesses].compactMap { $0.remaining(at: bench.now.moment) }
        bench.now = bench.now + (waits.max() ?? .zero)
      }
      bench.wait(.milliseconds(Int64(2000 + dice.next() % 4000)), .peripheral)
    }
    #expect(acceptance == nil || hasWaited)
  }

  /// Of a flood, the first request is answered at once, and one after each further 2 s. When it
  /// ends, no request of it stays without an answer.
  @Test(arguments: [nil, PairRequest(isStrict: true)] as [PairRequest?]) func aFloodGetsOneAnswerAWait(acceptance: PairRequest?) {
    var bench = Self.bench(acceptance)
    let start = bench.now.moment
    for _ in 0..<9500 {
      bench.feed(.pdu(Self.request.encoded), to: .peripheral)
      bench.wait(.milliseconds(1), .peripheral)
    }
    let answers = bench.peripheral.sent.count
    #expect(answers == 5, "\(answers) answers in \(bench.now.moment - start)")
    bench.wait(.seconds(2), .peripheral)
    #expect(bench.peripheral.sent.count == answers + 1)
    bench.wait(.seconds(30), .peripheral)
    #expect(bench.peripheral.sent.count == answers + 1)
  }

  /// The held request takes little room, however long it is, and a wrong one stays wrong.
  @Test(arguments: [1, 6, 8, 65, 4000]) func aHeldRequestIsBounded(length: Int) {
    var bench = Self.bench(PairRequest())
    let request = [SMPPDU.Code.pairingRequest] + [UInt8](repeating: 3, count: length - 1)
    bench.feed(.pdu(request), to: .peripheral)
    let before = bench.peripheral.manager.encoded.count
    bench.feed(.pdu(request), to: .peripheral)
    #expect(bench.peripheral.manager.encoded.count <= before + 16)
    bench.wait(.seconds(2), .peripheral)
    #expect(bench.peripheral.sent == [SMPPDU](repeating: .pairingFailed(.invalidParameters), count: 2))
  }

  /// The central that asks again during the delay is paired with when the delay is over.
  @Test func aRequestThatWaitsIsAcceptedLater() {
    var bench = Self.bench(PairRequest(fixedPasskey: 42_137))
    bench.feed(.pdu(Self.request.encoded), to: .peripheral)
    bench.feed(.pdu(SMPPDU.pairingFailed(.confirmValueFailed).encoded), to: .peripheral)
    bench.feed(.pdu(Self.request.encoded), to: .peripheral)
    #expect(bench.peripheral.sent.last == .pairingFailed(.repeatedAttempts))
    bench.feed(.pdu(Self.request.encoded), to: .peripheral)
    #expect(bench.peripheral.sent.count == 2)
    bench.wait(.seconds(2), .peripheral)
    #expect(bench.peripheral.sent.last?.code == SMPPDU.Code.pairingResponse)
  }

  /// A wrong code, then many requests at once: the attempt two seconds later is accepted.
  @Test func requestsDuringTheDelayDoNotExtendIt() {
    var bench = Self.bench(PairRequest(fixedPasskey: 42_137))
    bench.feed(.pdu(Self.request.encoded), to: .peripheral)
    bench.feed(.pdu(SMPPDU.pairingFailed(.confirmValueFailed).encoded), to: .peripheral)
    for _ in 0..<19 {
      bench.now = bench.now + .milliseconds(100)
      bench.feed(.pdu(Self.request.encoded), to: .peripheral)
      #expect(bench.peripheral.sent.last == .pairingFailed(.repeatedAttempts))
    }
    bench.now = bench.now + .milliseconds(100)
    bench.feed(.pdu(Self.request.encoded), to: .peripheral)
    #expect(bench.peripheral.sent.last?.code == SMPPDU.Code.pairingResponse)
    #expect(bench.peripheral.sent.count == 3)
  }

  /// A malformed one counts as a request.
  @Test func aMalformedRequestIsAnsweredEachTime() {
    var bench = Self.bench(PairRequest())
    for _ in 0..<100 {
      bench.feed(.pdu([0x01, 0x03]), to: .peripheral)
      bench.wait(.seconds(2), .peripheral)
    }
    #expect(
      bench.peripheral.sent == [SMPPDU](repeating: .pairingFailed(.invalidParameters), count: 100))
  }

  /// Any other PDU outside a pairing, well-formed or not, is answered at most once a second.
  @Test(arguments: PairingBench.Side.allCases) func strayPDUsAreAnsweredOnceASecond(
    side: PairingBench.Side
  ) {
    for code in (UInt8(0)...20) + [0x80, 0xFF] {
      // these two are requests
      if code == (side == .peripheral ? SMPPDU.Code.pairingRequest : SMPPDU.Code.securityRequest) {
        continue
      }
      for length in [0, 1, 6, 16] {
        var bench = Self.bench(PairRequest())
        for _ in 0..<100 {
          bench.feed(.pdu([code] + [UInt8](repeating: 3, count: length)), to: side)
          bench.now = bench.now + .milliseconds(30)
        }
        #expect(
          bench[side].sent.count <= 3,
          "code \(code) of \(length + 1) octets: \(bench[side].sent.count)")
        #expect(bench[side].sent.allSatisfy { $0.code == SMPPDU.Code.pairingFailed })
        if code == SMPPDU.Code.pairingFailed { #expect(bench[side].sent.isEmpty) }
      }
    }
  }

  /// A Security Request is held for 5 s, however often it is repeated; a malformed one is answered
  /// once a second.
  @Test func securityRequestsAreBounded() {
    for bytes in [SMPPDU.securityRequest([.bonding]).encoded, [0x0B], [0x0B, 1, 2]] {
      var bench = Self.bench(nil)
      for _ in 0..<1000 {
        bench.feed(.pdu(bytes), to: .central)
        bench.now = bench.now + .milliseconds(10)
        if let deadline = bench.central.manager.nextDeadline, deadline <= bench.now.moment {
          bench.feed(.deadline, to: .central)
        }
      }
      #expect(
        bench.central.sent.count <= (bytes.count == 2 ? 2 : 10),
        "\(bytes): \(bench.central.sent.count)")
    }
  }

  /// PDUs in flight when the pairing ended are not answered: a burst of bad PDUs gets one answer.
  @Test(arguments: PairingBench.Side.allCases) func aBurstHasOneAnswer(side: PairingBench.Side) {
    for code in UInt8(1)...14 where code != SMPPDU.Code.pairingFailed {
      var bench = PairingBench(acceptance: PairRequest(fixedPasskey: 1))
      bench.pair(PairRequest(enters: true))
      #expect(bench[side].manager.pairing != nil)
      let before = bench[side].sent.count
      for _ in 0..<50 { bench.feed(.pdu([code, 9]), to: side) }
      let answers = bench[side].sent.dropFirst(before)
      if side == .peripheral, code == SMPPDU.Code.pairingRequest {
        #expect(answers.count == 2, "the first ends the pairing, the second is a request of its own")
      } else {
        #expect(
          answers.count(where: { $0.code == SMPPDU.Code.pairingFailed }) <= 1,
          "code \(code): \(answers.count)")
      }
    }
  }
}
