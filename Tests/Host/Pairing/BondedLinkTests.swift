import Exchange
import Packets
import Testing
import Vocabulary

@testable import Host

/// A link to a device that is bonded, or may be, as its clients see it: in the clear only when it
/// is certain that there is no bond.
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
    // where bonds have no place there is none
    let (other, second) = connect(.refused("there is no state directory"))
    #expect(isConnected(other, second))
    // the trouble of another device is none of this one
    let damaged = UnusableBond(identity: LinkBench.meter, reason: "bonds/D0.r is damaged")
    let (third, last) = connect(.bonds(Self.identity, [], unusable: [damaged], remarks: []))
    #expect(isConnected(third, last))
  }

  /// Nothing is asked of the device: the link is closed, and the failure names the file.
  @Test(arguments: [
    ComputationResult.bonds(identity, [], unusable: [UnusableBond(identity: peer, reason: "bonds/C4.r is damaged")], remarks: []),
    .unreadable("bonds/C4.r is damaged"),
  ]) func aBondThatCannotBeUsedEndsTheLink(bonds: ComputationResult) {
    var (bench, id) = connect(bonds)
    #expect(!isConnected(bench, id) && bench.opcodes.last == .disconnect)
    bench.disconnectionComplete(0x40, .localHostTerminated)
    #expect(bench.failure(id)?.kind == .file)
    #expect(bench.failure(id)?.message == "the bond with \(Self.peer) cannot be used: bonds/C4.r is damaged")
    // what cures it
    let isWhole = if case .unreadable = bonds { true } else { false }
    #expect(bench.failure(id)?.hint?.contains(isWhole ? "moved away" : "tooth forget") ?? false)
    let attributes = bench.data.filter { $0.data.dropFirst(2).prefix(2) == [4, 0] }.map { $0.data.dropFirst(4).first }
    #expect(attributes == [0x02] || attributes.isEmpty, "only the MTU was asked for")
  }

  /// Two sets of bonds, of a keeper and of a run without one, have two keys.
  @Test func aKeyThatDoesNotFitIsAStaleBond() {
    var (bench, id) = connect(.bonds(Self.identity, [Self.bond], unusable: [], remarks: []))
    #expect(!isConnected(bench, id) && bench.opcodes.last == .leEnableEncryption)
    bench.disconnectionComplete(0x40, .micFailure)
    #expect(bench.failure(id)?.kind == .staleBond)
    #expect(bench.failure(id)?.hint?.contains("`tooth forget \(Self.peer)` and pair again") ?? false)
  }

  /// Then it is as if the device had never been met.
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
