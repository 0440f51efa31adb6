import Exchange
import Packets
import Testing
import Vocabulary

@testable import Host

/// A bond that cannot be stored ends the pairing before the peer hears of it. Otherwise the peer
/// would keep a key that we do not have.
@Suite struct PairingRoomTests {
  private static let faults: [PairingFault] = [.noPlace("saving a file in bonds: Read-only file system"), .noRoom]

  /// How a pairing begins.
  enum Start: CaseIterable, Sendable {
    case pair, renewal, raise, lostBond, provisionalBond, afterDelay
    case request, securityRequest, answeredSecurityRequest

    var side: PairingBench.Side {
      switch self {
      case .pair, .renewal, .raise, .lostBond, .provisionalBond, .afterDelay: .central
      case .request, .securityRequest, .answeredSecurityRequest: .peripheral
      }
    }
  }

  private static func bond(_ side: PairingBench.Side) -> Bond {
    Bond(
      identity: PairingBench.addresses[side.other.rawValue], keys: .secureConnections([UInt8](repeating: 0x70, count: 16)),
      isAuthenticated: false, keySize: 16, identityKey: nil, hasOurs: true,
      lastAddress: PairingBench.addresses[side.other.rawValue], name: nil, madeAt: WallTime(nanoseconds: 0))
  }

  private func begin(_ start: Start, _ fault: PairingFault?) -> PairingBench {
    var old: Bond? = Self.bond(.central)
    var lost: Bond? = Self.bond(.peripheral)
    switch start {
    case .pair, .afterDelay, .request, .securityRequest, .answeredSecurityRequest: (old, lost) = (nil, nil)
    case .lostBond: lost = nil
    case .provisionalBond:
      old?.isProvisional = true
      lost = nil
    case .renewal, .raise: break
    }
    var bench = PairingBench(
      central: old, peripheral: lost, acceptance: start == .raise ? PairRequest(fixedPasskey: 7) : PairRequest())
    bench.ends[0].answer = { _ in .passkey(7) }
    bench[start.side].roomFault = fault
    switch start {
    case .pair, .request: bench.pair()
    case .renewal:
      bench.pair()
      bench.pair(renews: true)
    case .raise:
      bench.pair()
      bench.feed(.raise(PairRequest(enters: true)), to: .central)
    case .lostBond: bench.pair(PairRequest(replacesLost: true))
    case .provisionalBond: bench.pair()
    case .afterDelay:
      bench.meddle = { side, _ in side == .peripheral ? [[0x05, 0x08]] : [] }
      bench[.central].roomFault = nil
      bench.pair()
      bench.feed(.pdu([0x05, 0x08]), to: .central)
      bench.meddle = nil
      bench[.central].roomFault = fault
      bench[.central].sent = []
      bench.pair()
      bench.wait(.seconds(5), .central)
    case .securityRequest: bench.feed(.pair(PairRequest(), renews: false), to: .peripheral)
    case .answeredSecurityRequest:
      bench.feed(.pair(PairRequest(), renews: false), to: .peripheral)
      bench.pair()
    }
    return bench
  }

  @Test(arguments: Start.allCases, faults) func nothingIsSent(start: Start, fault: PairingFault) {
    let bench = begin(start, fault)
    let end = bench[start.side]
    #expect(end.results.last == .failed(fault), "\(end.results)")
    #expect(end.roomChecks >= 1 && end.stored.isEmpty && bench[start.side.other].stored.isEmpty)
    switch start {
    case .request, .answeredSecurityRequest:
      #expect(end.sent == [.pairingFailed(.pairingNotSupported)], "\(end.sent)")
      if start == .request { #expect(bench.central.results == [.failed(.refusedByPeer(.pairingNotSupported))]) }
    default: #expect(end.sent.isEmpty, "\(end.sent)")
    }
    #expect(end.manager.pairing == nil && !end.manager.isBusy && end.manager.nextDeadline == nil)
  }

  /// The next pairing works as soon as there is room, without the delay after a failed attempt.
  @Test(arguments: Start.allCases) func theNextPairingWorks(start: Start) {
    var bench = begin(start, .noRoom)
    bench[start.side].roomFault = nil
    // The peer has been refused, and waits before it tries again.
    if start.side == .peripheral { bench.now = bench.now + .seconds(5) }
    let checks = bench[start.side].roomChecks
    if start == .raise {
      bench.feed(.raise(PairRequest(enters: true)), to: .central)
    } else {
      bench.pair(renews: true)
    }
    if start == .request || start == .answeredSecurityRequest { bench.wait(.seconds(5), .central) }
    #expect(bench[start.side].roomChecks > checks)
    guard case .secured? = bench.central.results.last else {
      Issue.record("\(bench.central.results)")
      return
    }
    #expect(bench.central.stored.last?.isProvisional == false && bench.peripheral.stored.last?.isProvisional == false)
  }

  /// Without bonding nothing is stored, so no room is needed.
  @Test func aPairingWithoutABondNeedsNoRoom() {
    var bench = PairingBench(acceptance: PairRequest(bonds: false))
    for side in PairingBench.Side.allCases { bench[side].roomFault = .noRoom }
    bench.pair(PairRequest(bonds: false))
    guard case .secured? = bench.central.results.last else {
      Issue.record("\(bench.central.results)")
      return
    }
    #expect(bench.central.roomChecks == 0 && bench.peripheral.roomChecks == 0)
  }

  /// A central that asks again and again costs neither files nor lines of the log.
  @Test func aFloodOfRequestsAsksTheStoreRarely() {
    var bench = PairingBench()
    bench[.peripheral].roomFault = .noRoom
    let request = SMPPDU.pairingRequest(
      PairingFeatures(capability: .noInputNoOutput, requirements: [.bonding], initiatorKeys: [], responderKeys: [])
    ).encoded
    for _ in 0..<1000 {
      bench.feed(.pdu(request), to: .peripheral)
      bench.wait(.milliseconds(10), .peripheral)
    }
    #expect(bench.peripheral.roomChecks <= 6 && bench.peripheral.results.count <= 6 && bench.peripheral.sent.count <= 6)
    // The last request is answered, too.
    bench.wait(.seconds(3), .peripheral)
    #expect(bench.peripheral.manager.nextDeadline == nil)
  }
}
