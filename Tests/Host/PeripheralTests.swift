import Exchange
import Packets
import Testing
import Vocabulary

@testable import Host

@Suite struct PeripheralTests {
  private let central = LinkBench.valve
  private let plan = AdvertisingPlan(services: [UUID(0x180D)], name: "strap")

  @Test func advertisingIsLegacyOnALegacyController() {
    var bench = LinkBench(ScriptedController(hasDataLength: false))
    bench.forget()
    let id = bench.request(.advertise(plan))
    #expect(
      bench.commands == [
        .leSetAdvertisingParameters(AdvertisingParameters(intervalMinimum: 0xA0, intervalMaximum: 0xA0)),
        .leSetAdvertisingData([2, 1, 6, 3, 3, 0x0D, 0x18, 6, 9] + Array("strap".utf8)), .leSetScanResponseData([]),
        .leSetAdvertisingEnable(true),
      ])
    #expect(bench.outcome(id) == .success(.done))
    bench.forget()
    let stop = bench.request(.stopAdvertising)
    #expect(bench.commands == [.leSetAdvertisingEnable(false)])
    #expect(bench.outcome(stop) == .success(.done))
    let again = bench.request(.stopAdvertising)
    #expect(bench.outcome(again) == .success(.done))
  }

  @Test func advertisingIsExtendedWhereTheControllerHasIt() {
    var bench = LinkBench(ScriptedController(publicAddress: nil, isExtended: true, hasDataLength: false))
    bench.forget()
    bench.request(.advertise(plan))
    #expect(
      bench.opcodes == [
        .leSetExtendedAdvertisingParameters, .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingData,
        .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable,
      ])
  }

  @Test(arguments: [(TimeSpan.milliseconds(1), 0x20), (.seconds(60), 0x4000), (.milliseconds(200), 0x140)] as [(TimeSpan, UInt16)])
  func intervalsAreKeptInTheirRange(_ interval: TimeSpan, _ expected: UInt16) {
    var bench = LinkBench()
    bench.request(.advertise(AdvertisingPlan(services: [], interval: interval, connectable: false)))
    #expect(
      bench.commands.contains(
        .leSetAdvertisingParameters(
          AdvertisingParameters(intervalMinimum: expected, intervalMaximum: expected, type: .nonConnectable))))
  }

  @Test func oversizedAdvertisingIsRefusedUnsent() {
    var bench = LinkBench()
    bench.forget()
    let id = bench.request(
      .advertise(AdvertisingPlan(services: [], manufacturer: [.init(company: 1, data: [UInt8](repeating: 0, count: 40))])))
    #expect(bench.failure(id)?.kind == .value)
    #expect(bench.failure(id)?.message == "too much to advertise: no room for manufacturer data")
    #expect(bench.commands.isEmpty)
  }

  @Test func aCentralIsReportedOnItsFirstPacket() {
    var bench = LinkBench()
    bench.request(.advertise(plan))
    bench.forget()
    bench.connectionComplete(central, role: .peripheral)
    #expect(bench.facts.isEmpty)
    bench.frame(0x40, [0x02, 0x05, 0x02])
    guard case .centralConnected(central, let info) = bench.facts.first else {
      Issue.record("\(bench.facts)")
      return
    }
    #expect(info.supervisionTimeout == .seconds(5))
    bench.forget()
    bench.disconnectionComplete(0x40, .remoteUserTerminated)
    #expect(bench.facts == [.centralDisconnected(central, DisconnectReason(code: 0x13, text: "closed by the peer"))])
  }

  @Test func aSilentCentralIsReportedAfterSevenEvents() {
    var bench = LinkBench()
    bench.request(.advertise(plan))
    bench.forget()
    bench.connectionComplete(central, role: .peripheral)
    bench.pass(.milliseconds(209))
    #expect(bench.facts.isEmpty)
    bench.pass(.milliseconds(1))
    #expect(bench.facts.count == 1)
  }

  @Test func aFailedEstablishmentIsNotReported() {
    var bench = LinkBench()
    bench.request(.advertise(plan))
    bench.forget()
    bench.connectionComplete(central, role: .peripheral)
    bench.disconnectionComplete(0x40, .establishmentFailed)
    #expect(bench.facts.isEmpty)
    #expect(bench.opcodes.last == .leSetAdvertisingEnable)
  }

  @Test func aLinkWithoutAdvertisingIsClosed() {
    var bench = LinkBench()
    bench.forget()
    bench.connectionComplete(central, role: .peripheral)
    #expect(bench.commands.last == .disconnect(ConnectionHandle(0x40), reason: .remoteUserTerminated))
    bench.frame(0x40, [0x02, 0x05, 0x02])
    bench.disconnectionComplete(0x40, .localHostTerminated)
    #expect(bench.facts.isEmpty, "nobody was told that it is there")
    bench.request(.advertise(AdvertisingPlan(services: [], name: "beacon", connectable: false)))
    bench.forget()
    bench.connectionComplete(central, role: .peripheral)
    #expect(bench.commands.contains(.disconnect(ConnectionHandle(0x40), reason: .remoteUserTerminated)))
  }

  @Test func aReusedHandleEndsBothLinks() {
    // The controller reports a second link under the handle of the first, which is still open. Both
    // must end before the device can be connected again.
    var bench = LinkBench()
    bench.connect()
    bench.connectionComplete(central, role: .peripheral)
    #expect(bench.commands.last == .disconnect(ConnectionHandle(0x40), reason: .remoteUserTerminated))
  }

  @Test func advertisingGoesOnAfterALink() {
    var bench = LinkBench()
    bench.request(.advertise(plan))
    bench.connectionComplete(central, role: .peripheral)
    bench.frame(0x40, [0x02, 0x05, 0x02])
    bench.completed(0x40, 1)
    bench.forget()
    bench.pass(.minutes(1))
    #expect(!bench.opcodes.contains(.leSetAdvertisingEnable))
    bench.disconnectionComplete(0x40, .connectionTimeout)
    #expect(bench.commands.last == .leSetAdvertisingEnable(true))
    bench.request(.stopAdvertising)
    bench.forget()
    bench.connectionComplete(central, role: .peripheral)
    bench.disconnectionComplete(0x40, .connectionTimeout)
    #expect(!bench.opcodes.contains(.leSetAdvertisingEnable))
  }

  @Test func advertisingGoesOnWhileThereIsRoomForCentrals() {
    var bench = LinkBench(ScriptedController(), HostConfiguration(maximumCentrals: 2))
    bench.request(.advertise(plan))
    bench.forget()
    bench.connectionComplete(central, role: .peripheral)
    #expect(bench.commands.last == .leSetAdvertisingEnable(true))
    bench.forget()
    bench.connectionComplete(LinkBench.strap, handle: 0x41, role: .peripheral)
    #expect(!bench.opcodes.contains(.leSetAdvertisingEnable))
  }

  @Test func aControllerWithoutRoomIsAskedAgainWhenALinkEnds() {
    var bench = LinkBench(ScriptedController(), HostConfiguration(maximumCentrals: 2))
    bench.request(.advertise(plan))
    bench.controller.refusals = [(.leSetAdvertisingEnable, .commandDisallowed, 1)]
    bench.connectionComplete(central, role: .peripheral)
    bench.forget()
    bench.pass(.seconds(59))
    #expect(bench.commands.isEmpty)
    bench.disconnectionComplete(0x40, .connectionTimeout)
    #expect(bench.commands.last == .leSetAdvertisingEnable(true))
  }

  @Test func aRefusalAtTheStartIsAFailure() {
    var bench = LinkBench(ScriptedController(refusals: [(.leSetAdvertisingData, .invalidParameters, 1)]))
    let id = bench.request(.advertise(plan))
    #expect(bench.failure(id)?.code == 0x12)
    #expect(bench.host.arbiter.radio.advertising == nil)
  }

  @Test func aNewPlanReplacesTheOldOne() {
    var bench = LinkBench()
    bench.request(.advertise(plan))
    bench.forget()
    let id = bench.request(.advertise(AdvertisingPlan(services: [UUID(0x1809)])))
    #expect(bench.commands.first == .leSetAdvertisingEnable(false))
    #expect(bench.commands.last == .leSetAdvertisingEnable(true))
    #expect(bench.commands.contains(.leSetAdvertisingData([2, 1, 6, 3, 3, 0x09, 0x18])))
    #expect(bench.outcome(id) == .success(.done))
  }

  @Test func anIncomingCentralMeetsAConnectRequest() {
    var bench = LinkBench()
    bench.request(.advertise(plan))
    let id = bench.request(.connect(ConnectRequest(peer: central, pending: true)))
    bench.connectionComplete(central, role: .peripheral)
    bench.frame(0x40, [0x02, 0x05, 0x02])
    #expect(bench.facts.contains { if case .connected(id, central, _) = $0 { true } else { false } })
    bench.forget()
    bench.disconnectionComplete(0x40, .connectionTimeout)
    let reason = DisconnectReason(code: 0x08, text: "out of range")
    #expect(bench.facts == [.disconnected(central, reason), .centralDisconnected(central, reason)])
  }

  @Test func advertisingThatFailsToConnectGoesOn() {
    var bench = LinkBench()
    bench.request(.advertise(plan))
    bench.forget()
    bench.connectionComplete(central, role: .peripheral, status: .establishmentFailed)
    #expect(bench.commands.last == .leSetAdvertisingEnable(true))
  }

  @Test func anExtendedSetThatEndsByItselfIsStartedAgain() {
    var bench = LinkBench(ScriptedController(isExtended: true))
    bench.request(.advertise(plan))
    bench.forget()
    bench.event(
      .leAdvertisingSetTerminated(
        AdvertisingSetTerminated(status: .advertisingTimeout, set: 0, handle: ConnectionHandle(0), completedEvents: 0)))
    #expect(bench.opcodes.last == .leSetExtendedAdvertisingEnable)
  }
}
