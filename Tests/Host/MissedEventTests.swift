import Exchange
import Packets
import Testing
import Vocabulary

@testable import Host

/// Lost and false events of the controller: what a host can find out by itself.
@Suite struct MissedEventTests {
  private static let rssi = HCIOpcode.readRSSI

  /// Two links, of which only the second sends data, every few seconds.
  private func twoLinks(_ refusals: [(opcode: HCIOpcode, status: HCIStatus, times: Int)]) -> LinkBench {
    var bench = LinkBench()
    bench.connect()
    bench.connect(LinkBench.meter, handle: 0x41)
    bench.controller.refusals = refusals
    bench.forget()
    for _ in 0..<13 {
      bench.pass(.seconds(5))
      bench.frame(0x41, [0x1B, 9, 0, 1])
    }
    return bench
  }

  @Test func aMissedDisconnectionIsFoundBesideABusyLink() {
    let bench = twoLinks([(Self.rssi, .unknownConnection, 1)])
    #expect(bench.commands == [.readRSSI(ConnectionHandle(0x40)), .readRSSI(ConnectionHandle(0x41))])
    #expect(bench.facts.contains(.disconnected(LinkBench.strap, DisconnectReason(text: "its end was missed"))))
    #expect(bench.host.links.map(\.handle) == [ConnectionHandle(0x41)])
    #expect(bench.host.phase == .ready)
  }

  @Test func aControllerThatKnowsNoneOfTheLinksHasRestarted() {
    let bench = twoLinks([(Self.rssi, .unknownConnection, 2)])
    #expect(bench.opcodes.starts(with: [Self.rssi, Self.rssi, .reset]))
    #expect(bench.host.links.isEmpty)
    #expect(bench.events.contains(.disconnected(LinkBench.meter, DisconnectReason(text: "adapter reset"))))
  }

  @Test func aLinkWithNewDataIsKept() {
    var bench = twoLinks([(Self.rssi, .unknownConnection, 1), (Self.rssi, .hardwareFailure, 1)])
    #expect(bench.host.links.count == 2)
    bench.frame(0x40, [0x1B, 9, 0, 1])
    #expect(bench.host.links.allSatisfy { !$0.isForgotten })
  }

  @Test func anUnknownConnectionOnReadRSSIRevealsTheLoss() {
    var bench = LinkBench()
    bench.connect()
    bench.controller.refusals = [(Self.rssi, .unknownConnection, 1)]
    bench.forget()
    let id = bench.request(.gatt(LinkBench.strap, .readRSSI))
    #expect(bench.failure(id)?.kind == .disconnected)
    #expect(bench.opcodes.starts(with: [Self.rssi, .reset]))
    #expect(bench.events.count { if case .completed(id, _) = $0 { true } else { false } } == 1)
  }

  @Test func dataOnAnUnreportedLinkEndsIt() {
    var bench = LinkBench()
    bench.request(.connect(ConnectRequest(peer: LinkBench.strap, pending: true)))
    bench.forget()
    bench.controller.refusals = [(.leCreateConnectionCancel, .commandDisallowed, 1)]
    bench.frame(0x40, [0x02, 23, 0])
    bench.pass(.milliseconds(1999))
    #expect(bench.commands.isEmpty)
    bench.pass(.milliseconds(1))
    #expect(bench.commands.first == .disconnect(ConnectionHandle(0x40), reason: .remoteUserTerminated))
    // the attempt had become that link: it is repeated, and nothing is reset for it
    bench.pass(HostLimits.cancellation)
    #expect(bench.opcodes.last == .leCreateConnection)
    #expect(!bench.opcodes.contains(.reset))
    #expect(bench.host.early.isEmpty)
  }

  @Test func disconnectingAnUnreportedLinkIsRetried() {
    var bench = LinkBench(ScriptedController(refusals: [(.disconnect, .hardwareFailure, 2)]))
    bench.frame(0x40, [0x02, 23, 0])
    bench.pass(.minutes(1))
    #expect(bench.opcodes.filter { $0 == .disconnect }.count == 3)
    #expect(bench.host.unexpectedLink == nil)
  }

  @Test func dataThatOvertakesItsConnectionCompleteEndsNothing() {
    var bench = LinkBench()
    bench.request(.connect(ConnectRequest(peer: LinkBench.strap, pending: true)))
    bench.forget()
    bench.frame(0x40, [0x02, 23, 0])
    bench.pass(.seconds(1))
    bench.connectionComplete(LinkBench.strap)
    bench.pass(.seconds(5))
    #expect(!bench.opcodes.contains(.disconnect))
    #expect(bench.host.links.count == 1)
  }

  @Test func anAttemptBesideALinkRestartsHourly() {
    var bench = LinkBench()
    bench.connect()
    bench.request(.connect(ConnectRequest(peer: LinkBench.meter, pending: true)))
    bench.forget()
    bench.controller.refusals = [(.leCreateConnectionCancel, .commandDisallowed, 1)]
    bench.pass(HostLimits.waitingHeartbeat + HostLimits.cancellation)
    #expect(bench.opcodes.contains(.leCreateConnectionCancel))
    #expect(bench.opcodes.contains(.reset))
    #expect(bench.opcodes.last == .leCreateConnection)
  }

  @Test func aScanThatNeverHeardAnythingIsRestarted() {
    var bench = LinkBench()
    let id = bench.request(.scan(ScanRequest(duty: .full)))
    bench.forget()
    bench.pass(HostLimits.waitingHeartbeat - .seconds(1))
    #expect(!bench.opcodes.contains(.leSetScanEnable))
    bench.pass(HostLimits.heartbeat)
    #expect(bench.opcodes.filter { $0 == .leSetScanEnable }.count == 2)
    #expect(bench.host.phase == .ready)
    #expect(bench.outcome(id) == nil)
  }

  @Test func missingCompletedPacketsLoseTheLink() {
    var bench = LinkBench()
    bench.connect()
    bench.forget()
    // data arrives all the time, and nothing is acknowledged
    bench.host.links[0].outbox.add(channel: L2CAPChannel.signalling, [0x01, 1, 2, 0, 0, 0])
    bench.input(.deadline)
    #expect(bench.data.count == 1)
    for _ in 0..<7 {
      bench.frame(0x40, [0x1B, 9, 0, 1])
      #expect(!bench.opcodes.contains(.disconnect))
      bench.pass(.seconds(5))
    }
    #expect(bench.opcodes.contains(.disconnect))
    bench.disconnectionComplete(0x40, .localHostTerminated)
    #expect(bench.host.credits == 4)
    guard case .disconnected(LinkBench.strap, let reason)? = bench.facts.last else { return #expect(Bool(false)) }
    #expect(reason.text.contains("acknowledged nothing that was sent"))
  }

  @Test func completedPacketsInTimeKeepTheLink() {
    var bench = LinkBench()
    bench.connect()
    bench.host.links[0].outbox.add(channel: L2CAPChannel.signalling, [0x01, 1, 2, 0, 0, 0])
    bench.input(.deadline)
    bench.pass(.seconds(34))
    bench.completed(0x40, 1)
    bench.forget()
    bench.pass(.minutes(3))
    #expect(!bench.opcodes.contains(.disconnect))
  }

  @Test func aControllerThatKeepsAnEndedLinkIsReset() {
    var bench = LinkBench()
    bench.controller.refusals = [(.leCreateConnection, .connectionExists, 1)]
    let id = bench.request(.connect(ConnectRequest(peer: LinkBench.strap, pending: false)))
    #expect(bench.opcodes.contains(.reset))
    #expect(bench.outcome(id) == nil)
    #expect(bench.opcodes.last == .leCreateConnection)
  }

  @Test(arguments: [1, 3]) func anUnknownAttemptIsCancelledOnce(_ refusals: Int) {
    var bench = LinkBench()
    bench.controller.refusals = [(.leCreateConnection, .commandDisallowed, refusals)]
    let id = bench.request(.connect(ConnectRequest(peer: LinkBench.strap, pending: false)))
    bench.pass(HostLimits.cancellation)
    #expect(bench.opcodes.filter { $0 == .leCreateConnectionCancel }.count == 1)
    #expect(bench.opcodes.filter { $0 == .reset }.count == 1)
    #expect((bench.failure(id)?.code == UInt16(HCIStatus.commandDisallowed.raw)) == (refusals > 1))
    #expect((bench.host.arbiter.radio.initiator == .idle) == (refusals > 1))
  }

  // MARK: The accept list of a controller that may have lost it

  /// Commands from the last Clear Filter Accept List on.
  private func refill(_ bench: LinkBench) -> [HCIOpcode] {
    Array(bench.opcodes[(bench.opcodes.lastIndex(of: .leClearFilterAcceptList) ?? bench.opcodes.endIndex)...])
  }

  private static let two: [HCIOpcode] = [
    .leClearFilterAcceptList, .leAddToFilterAcceptList, .leAddToFilterAcceptList, .leCreateConnection,
  ]

  /// The controller was reset silently while the air was empty, and no longer looks for any device.
  @Test func aCheckedAttemptRefillsTheAcceptList() {
    var bench = LinkBench()
    bench.request(.connect(ConnectRequest(peer: LinkBench.strap, pending: true)))
    bench.request(.connect(ConnectRequest(peer: LinkBench.meter, pending: true)))
    bench.pass(.seconds(10))
    bench.forget()
    bench.pass(HostLimits.waitingHeartbeat + HostLimits.cancellation + .seconds(1))
    #expect(bench.opcodes.first == .leCreateConnectionCancel)
    #expect(refill(bench) == Self.two)
    // Once its contents are known again, the list is changed instead of cleared.
    bench.forget()
    bench.request(.connect(ConnectRequest(peer: LinkBench.valve, pending: true)))
    bench.pass(HostLimits.cancellation + .seconds(1))
    #expect(!bench.opcodes.contains(.leClearFilterAcceptList))
    #expect(bench.opcodes.contains(.leAddToFilterAcceptList))
  }

  /// An empty list is refused with Command Disallowed.
  @Test func aDisallowedAttemptRefillsTheAcceptList() {
    var bench = LinkBench()
    bench.controller.refusals = [(.leCreateConnection, .commandDisallowed, 1)]
    bench.request(.connect(ConnectRequest(peer: LinkBench.strap, pending: true)))
    bench.request(.connect(ConnectRequest(peer: LinkBench.meter, pending: true)))
    bench.pass(HostLimits.cancellation + HostLimits.cancellation + .seconds(1))
    #expect(refill(bench) == Self.two)
  }

  /// The list is filled even if clearing it is refused.
  @Test(arguments: [0, 1]) func aRefusedRemovalRefillsTheAcceptList(_ refusals: Int) {
    var bench = LinkBench()
    let id = bench.request(.connect(ConnectRequest(peer: LinkBench.strap, pending: true)))
    bench.controller.refusals = [
      (.leRemoveFromFilterAcceptList, .commandDisallowed, 1), (.leClearFilterAcceptList, .commandDisallowed, refusals),
    ]
    bench.request(.cancel(id))
    bench.request(.connect(ConnectRequest(peer: LinkBench.meter, pending: true)))
    bench.forget()
    bench.pass(HostLimits.cancellation + .seconds(1))
    #expect(bench.opcodes.first == .leRemoveFromFilterAcceptList)
    let rest: [HCIOpcode] = [.leAddToFilterAcceptList, .leCreateConnection]
    #expect(Array(bench.opcodes.dropFirst()) == [.leClearFilterAcceptList] + rest)
    #expect(bench.host.phase == .ready)
  }
}
