import Exchange
@testable import Host
import Packets
import Testing
import Vocabulary

private typealias Capability = PairingFeatures.Capability

/// Typed from Vol 3, Part H, table 2.8. Rows are the responder, columns the initiator, both in the
/// order DisplayOnly, DisplayYesNo, KeyboardOnly, NoInputNoOutput, KeyboardDisplay. J is Just
/// Works, N numeric comparison, i the initiator displays, r the responder displays, k both enter.
private let legacy = [
  "J J r J r",
  "J J r J r",
  "i i k J i",
  "J J J J J",
  "i i r J i",
]
private let secure = [
  "J J r J r",
  "J N r J N",
  "i i k J i",
  "J J J J J",
  "i N r J N",
]
private let order: [Capability] = [.displayOnly, .displayYesNo, .keyboardOnly, .noInputNoOutput, .keyboardDisplay]

private func letter(_ method: PairingMethod) -> String {
  switch method {
  case .justWorks: "J"
  case .comparison: "N"
  case .passkey(true, _): "i"
  case .passkey(_, true): "r"
  case .passkey: "k"
  case .outOfBand: "o"
  }
}

private func request(_ capability: Capability, secure: Bool, bonds: Bool = true) -> PairRequest {
  var request = PairRequest(bonds: bonds, offersSecureConnections: secure)
  switch capability {
  case .displayOnly: request.displays = true
  case .displayYesNo: (request.displays, request.confirms) = (true, true)
  case .keyboardOnly: request.enters = true
  case .noInputNoOutput: break
  case .keyboardDisplay: (request.enters, request.confirms, request.displays) = (true, true, true)
  }
  return request
}

@Suite struct PairingMatrixTests {
  /// Who requests authentication: neither, one of the two, both.
  @Test(arguments: [false, true], [(false, false), (false, true), (true, false), (true, true)])
  func theMethodIsThatOfTable2Point8(isSecure: Bool, proof: (initiator: Bool, responder: Bool)) {
    func features(_ capability: Capability, _ wantsProof: Bool) -> PairingFeatures {
      var flags: PairingFeatures.Requirements = isSecure ? [.secureConnections] : []
      if wantsProof { flags.insert(.authentication) }
      return PairingFeatures(capability: capability, requirements: flags, initiatorKeys: [], responderKeys: [])
    }
    for (row, responder) in order.enumerated() {
      let wanted = (isSecure ? secure : legacy)[row].split(separator: " ").map(String.init)
      for (column, initiator) in order.enumerated() {
        let method = PairingMethod.choose(features(initiator, proof.initiator), features(responder, proof.responder))
        let letter = letter(method)
        #expect(letter == (proof == (false, false) ? "J" : wanted[column]), "\(initiator) with \(responder)")
      }
    }
  }

  /// All combinations of capabilities, kinds and bonding: both ends have the same key.
  @Test(arguments: order) func everyPairOfHostsPairs(initiator: PairingFeatures.Capability) {
    for responder in order {
      for isSecure in [false, true] {
        for bonds in [(true, true), (true, false), (false, true), (false, false)] {
          var bench = PairingBench(acceptance: request(responder, secure: isSecure, bonds: bonds.1))
          // The user reads the code where it is displayed and types it where it is asked for.
          let both = initiator == .keyboardOnly && responder == .keyboardOnly
          func answer(_ question: PairingQuestion, _ shown: [PairingQuestion]) -> PairingAnswer {
            if case .passkey = question {
              for case .display(let code) in shown { return .passkey(code) }
              return .passkey(123_456)
            }
            return .yes
          }
          bench.ends[0].answer = { both ? answer($0, []) : $0 == .passkey ? nil : .yes }
          bench.ends[1].answer = { both ? answer($0, []) : $0 == .passkey ? nil : .yes }
          bench.pair(request(initiator, secure: isSecure, bonds: bonds.0))
          for side in PairingBench.Side.allCases where !both && bench[side].questions.contains(.passkey) {
            // The displaying end may start later than the entering one.
            bench.feed(.answered(answer(.passkey, bench[side.other].questions)), to: side)
          }
          let row = order.firstIndex(of: responder) ?? 0
          let column = order.firstIndex(of: initiator) ?? 0
          let wanted = (isSecure ? secure : legacy)[row].split(separator: " ")[column]
          let unproven = wanted == "J" && [initiator, responder].contains(.keyboardOnly)
          let label = "\(initiator) with \(responder), \(isSecure), \(bonds), \(bench.central.results) \(bench.peripheral.results)"
          if unproven {
            #expect(bench.central.results.count == 1 && bench.central.stored.isEmpty && bench.peripheral.stored.isEmpty, "\(label)")
            continue
          }
          let level = LinkSecurity(
            isEncrypted: true, isAuthenticated: wanted != "J", isSecureConnections: isSecure, keySize: 16)
          #expect(bench.central.results == [.secured(level)], "\(label)")
          #expect(bench.peripheral.results == [.secured(level)], "\(label)")
          let words: [Substring: String] = [
            "J": "Just Works", "N": "numbers compared", "i": "a passkey", "r": "a passkey", "k": "a passkey",
          ]
          for end in bench.ends {
            #expect(end.paired.count == 1 && end.paired[0].hasPrefix(words[wanted] ?? "?"), "\(label)")
            #expect(end.paired[0].hasSuffix("who listened can read this link") != isSecure)
          }
          let isBonded = bonds == (true, true)
          #expect(bench.central.stored.isEmpty != isBonded && bench.peripheral.stored.isEmpty != isBonded, "\(label)")
          #expect(bench.central.manager.pairing == nil && bench.peripheral.manager.pairing == nil)
          guard isBonded, let one = bench.central.stored.last, let other = bench.peripheral.stored.last else { continue }
          #expect(!one.isProvisional && !other.isProvisional)
          #expect(one.identity == PairingBench.addresses[1] && other.identity == PairingBench.addresses[0])
          #expect(
            one.identityKey == [UInt8](repeating: 0xA1, count: 16) && other.identityKey == [UInt8](repeating: 0xA0, count: 16))
          #expect(one.keys == other.keys || !isSecure)
          // The next link is encrypted without a pairing.
          var again = PairingBench(central: one, peripheral: other)
          again.pair()
          #expect(again.central.results == [.secured(level)] && again.central.sent.isEmpty && again.peripheral.sent.isEmpty)
        }
      }
    }
  }

  /// Both ends show the same number in the last comparison.
  @Test func bothSeeTheSameNumber() {
    var bench = PairingBench(acceptance: request(.displayYesNo, secure: true))
    bench.ends[0].answer = { _ in .yes }
    bench.ends[1].answer = { _ in .yes }
    bench.pair(request(.displayYesNo, secure: true))
    #expect(bench.central.questions.count == 1)
    #expect(bench.central.questions == bench.peripheral.questions)
  }

  @Test(arguments: [true, false]) func aWrongCodeIsRefusedAndNothingIsKept(isSecure: Bool) {
    var bench = PairingBench(acceptance: PairRequest(fixedPasskey: 42_137, offersSecureConnections: isSecure))
    bench.ends[0].answer = { _ in .passkey(42_138) }
    bench.pair(request(.keyboardOnly, secure: isSecure))
    let results = bench.central.results + bench.peripheral.results
    #expect(
      results.contains(.failed(.refusedByPeer(.confirmValueFailed))) && results.contains(.failed(.refusedByUs(.confirmValueFailed)))
    )
    #expect(bench.central.stored.isEmpty && bench.peripheral.stored.isEmpty)
    #expect(bench.central.levels.isEmpty)
  }

  @Test func numbersThatDifferEndThePairing() {
    var bench = PairingBench(acceptance: request(.displayYesNo, secure: true))
    bench.ends[0].answer = { _ in .no }
    bench.ends[1].answer = { _ in .yes }
    bench.pair(request(.displayYesNo, secure: true))
    #expect(bench.central.results == [.failed(.refusedByUs(.numericComparisonFailed))])
    #expect(bench.peripheral.results == [.failed(.refusedByPeer(.numericComparisonFailed))])
  }
}
