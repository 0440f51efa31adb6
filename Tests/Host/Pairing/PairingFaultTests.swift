import Exchange
import Foundation
import Packets
import Testing
import Vocabulary

@testable import Host

/// The messages of failed pairings; `Tests/Golden/pairing-failures.txt` has all of them.
@Suite struct PairingFaultTests {
  private static let peer = Address(bits: 0xC713_702D_CFC1, kind: .random)
  private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Golden/pairing-failures.txt")

  private static var all: [(name: String, fault: PairingFault)] {
    let reasons = (UInt8(1)...17).map { SMPReason($0) }
    return reasons.map { ("by peer 0x\(Hex.text($0.raw))", .refusedByPeer($0)) }
      + reasons.map { ("by us 0x\(Hex.text($0.raw))", .refusedByUs($0)) }
      + AuthenticationDemand.allCases.map { ("unproven, \($0)", .unproven($0)) }
      + PairingHandler.allCases.map { ("no handler, \($0)", .handlerMissing($0)) } + [
        ("timeout", .timeout), ("silent start", .silentStart), ("lost", .lost), ("key missing", .encryption(.keyMissing)),
        ("wrong key", .encryption(.micFailure)),
        ("new key refused", .newKey(.keyMissing)), ("new key wrong", .newKey(.micFailure)),
        ("new key without encryption", .newKey(.connectionTimeout)),
        ("no encryption", .encryption(.connectionTimeout)), ("busy", .busy),
        ("cancelled", .cancelled), ("declined", .declined),
        ("legacy only", .legacyOnly),
        ("data of another", .dataOfAnother(Address(bits: 1, kind: .public))),
        ("weakens", .weakens), ("too soon", .tooSoon(.milliseconds(63_500))),
        ("no toolbox", .noToolbox),
        ("not stored", .notStored), ("no place", .noPlace("saving a file in bonds: Permission denied")), ("no room", .noRoom),
        ("encryption stays off", .encryption(HCIStatus(0))),
        ("identity of another", .foreign(Address(bits: 1, kind: .public))),
        ("wrong check, Just Works", .wrongCheck(.justWorks, isPeers: true)),
        ("wrong check, comparison", .wrongCheck(.comparison, isPeers: true)),
        ("wrong check, out of band", .wrongCheck(.outOfBand, isPeers: false)),
      ]
  }

  /// `TOOTH_WRITE_GOLDEN=1` writes the texts; read every difference before a commit.
  @Test func faultTextsMatchTheGoldenFile() throws {
    var text = "What each failure of a pairing says, and what to do then.\n"
    for (name, fault) in Self.all {
      let failure = fault.failure(with: Self.peer)
      text +=
        "\n\(name) (exit \(failure.kind.exitCode)): \(failure.message)\n  \(failure.hint ?? "-")\n"
    }
    if ProcessInfo.processInfo.environment["TOOTH_WRITE_GOLDEN"] != nil {
      return try text.write(to: Self.golden, atomically: true, encoding: .utf8)
    }
    #expect(text == (try? String(contentsOf: Self.golden, encoding: .utf8)))
  }

  /// Each names the device and says what to do, unless the pairing was ended on purpose.
  @Test func eachFaultHasAHint() {
    for (name, fault) in Self.all where fault != .cancelled {
      for waiting in [nil, TimeSpan.seconds(64)] {
        let failure = fault.failure(with: Self.peer, waiting: waiting)
        #expect(failure.hint?.isEmpty == false, "\(name)")
        #expect(failure.message.contains("\(Self.peer)") || fault == .noToolbox, "\(name)")
        // what the user can provide is named by its option or handler
        if [.refused, .timeout, .staleBond].contains(failure.kind) {
          let words = ["--", "`", "again", "attempt", "wait", "bonds", "firmware", "confirm"]
          #expect(
            words.contains { failure.hint?.contains($0) == true }, "\(name): \(failure.hint ?? "")")
        }
      }
    }
  }

  /// The message names what would have helped, and blames the device only if it alone lacks a
  /// capability.
  @Test(arguments: PairingFeatures.Capability.allCases, [true, false])
  func theMissingCapabilityWouldHaveHelped(peer: PairingFeatures.Capability, isSecure: Bool) {
    func features(_ capability: PairingFeatures.Capability) -> PairingFeatures {
      PairingFeatures(
        capability: capability,
        requirements: isSecure ? [.authentication, .secureConnections] : [.authentication],
        initiatorKeys: [], responderKeys: [])
    }
    let requests: [PairRequest] = [
      PairRequest(), PairRequest(displays: true), PairRequest(enters: true),
      PairRequest(confirms: true),
      PairRequest(displays: true, confirms: true),
      PairRequest(displays: true, enters: true, confirms: true),
    ]
    for request in requests
    where PairingMethod.choose(features(request.capability), features(peer)) == .justWorks {
      let missing = PairingMethod.missing(at: request.capability, towards: peer, isSecure: isSecure)
      #expect((missing == nil) == (peer == .noInputNoOutput), "\(request.capability) and \(peer)")
      guard let missing else { continue }
      var better = request
      switch missing {
      case .request: better.enters = true
      case .display: better.displays = true
      case .confirm: better.confirms = true
      case .any: Issue.record("it is known which")
      }
      #expect(
        PairingMethod.choose(features(better.capability), features(peer)).isAuthenticated,
        "\(missing) for \(peer)")
      #expect(
        PairingMethod.choose(features(peer), features(better.capability)).isAuthenticated,
        "\(missing) for \(peer)")
    }
  }

  /// `use pairing strict` without a handler: nothing is sent, and the device is not blamed.
  @Test func strictWithoutAHandlerBlamesNoDevice() {
    var bench = PairingBench(acceptance: PairRequest(fixedPasskey: 1))
    bench.pair(PairRequest(isStrict: true))
    #expect(bench.central.results == [.failed(.handlerMissing(.any))] && bench.central.sent.isEmpty)
    // nor is one that can display a code, and is asked to confirm a displayed one
    var other = PairingBench(acceptance: PairRequest(displays: true))
    other.pair(PairRequest(displays: true, isStrict: true))
    #expect(other.central.results == [.failed(.handlerMissing(.request))])
    // as a peripheral we know it when the central asks
    var third = PairingBench(acceptance: PairRequest(isStrict: true))
    third.feed(.pair(PairRequest(isStrict: true), renews: false), to: .peripheral)
    third.pair(PairRequest(enters: true))
    #expect(third.peripheral.results == [.failed(.handlerMissing(.display))])
    // and a device that lacks the capability is blamed
    var last = PairingBench()
    last.pair(PairRequest(enters: true, isStrict: true))
    #expect(last.central.results == [.failed(.unproven(.strict))])
  }
}
