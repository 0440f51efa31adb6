import Exchange
import Packets
import Testing
import Vocabulary

@testable import Host

@Suite struct LinkTests {
  private let strap = LinkBench.strap
  private let meter = LinkBench.meter
  private let valve = LinkBench.valve

  private func isConnected(_ bench: LinkBench, _ id: OperationID) -> Bool {
    bench.events.contains { if case .connected(id, _, _) = $0 { true } else { false } }
  }

  // MARK: Rule 1

  @Test func rule01ConnectedMeansThatAPacketArrived() {
    var bench = LinkBench()
    let id = bench.request(.connect(ConnectRequest(peer: strap, pending: false)))
    bench.connectionComplete(strap)
    #expect(!isConnected(bench, id))
    bench.completed(0x40, 1)
    #expect(!isConnected(bench, id))
    bench.mtuResponse()
    #expect(
      bench.facts.last
        == .connected(id, strap, LinkInfo(mtu: 247, interval: .milliseconds(30), latency: 0, supervisionTimeout: .seconds(5))))
  }

  @Test func rule01EstablishmentFailuresAreRetriedThenReportedOnce() {
    var bench = LinkBench()
    let scan = bench.request(.scan(ScanRequest(duty: .full)))
    bench.event(.leAdvertisingReport([AdvertisingReport(kind: .connectableUndirected, address: strap, data: [], rssi: -93)]))
    bench.forget()
    let id = bench.request(.connect(ConnectRequest(peer: strap, pending: false)))
    for attempt in 1...4 {
      #expect(bench.opcodes.count { $0 == .leCreateConnection } == attempt)
      #expect(bench.outcome(id) == nil)
      bench.connectionComplete(strap)
      bench.disconnectionComplete(0x40, .establishmentFailed)
    }
    #expect(bench.opcodes.count { $0 == .leCreateConnection } == 4)
    // scanning paused from before the first attempt until after the last
    let enables = bench.commands.indices.filter { bench.opcodes[$0] == .leSetScanEnable }
    let last = bench.commands.lastIndex { $0.opcode == .leCreateConnection } ?? 0
    #expect(enables.count == 2)
    #expect(bench.commands[enables[0]] == .leSetScanEnable(false, filterDuplicates: false))
    #expect(enables[1] > last)
    let failure = bench.failure(id)
    #expect(failure?.kind == .unreachable)
    #expect(failure?.blame == .radio)
    #expect(failure?.code == 0x3E)
    #expect(
      failure?.message
        == "C4:7C:8D:6A:12:0F did not answer: 4 attempts, 4 × Connection Failed to be Established (0x3e); last heard at -93 dBm"
    )
    #expect(bench.facts.count == 1)
    bench.request(.cancel(scan))
  }

  @Test func rule01AControllerThatReportsTheFailureAsConnectionCompleteIsTheSame() {
    var bench = LinkBench()
    let id = bench.request(.connect(ConnectRequest(peer: strap, pending: false)))
    for _ in 1...3 {
      bench.connectionComplete(strap, status: .establishmentFailed)
      #expect(bench.outcome(id) == nil)
    }
    bench.connectionComplete(strap, handle: 0x41)
    bench.completed(0x41, 1)
    bench.mtuResponse(0x41)
    #expect(isConnected(bench, id))
    #expect(bench.host.arbiter.attempts.isEmpty)
  }

  @Test func rule01AReadyLinkResetsTheFailureCount() {
    var bench = LinkBench()
    bench.connect()
    bench.disconnectionComplete(0x40, .connectionTimeout)
    let id = bench.request(.connect(ConnectRequest(peer: strap, pending: true)))
    for _ in 1...3 {
      bench.connectionComplete(strap)
      bench.disconnectionComplete(0x40, .establishmentFailed)
    }
    #expect(bench.outcome(id) == nil)
  }

  // MARK: Rule 2

  @Test func rule02NoScanStartsBetweenCreateConnectionAndEstablishment() {
    var bench = LinkBench()
    bench.request(.connect(ConnectRequest(peer: strap, pending: false)))
    bench.forget()
    bench.request(.scan(ScanRequest(duty: .full)))
    #expect(bench.commands.isEmpty)
    bench.connectionComplete(strap)
    #expect(!bench.opcodes.contains(.leSetScanEnable))
    bench.completed(0x40, 1)
    #expect(bench.opcodes.contains(.leSetScanEnable))
  }

  @Test func rule02AScanThatWaitsForALinkDoesNotDisturbTheOtherPeers() {
    var bench = LinkBench()
    bench.request(.connect(ConnectRequest(peer: strap, pending: true)))
    bench.request(.connect(ConnectRequest(peer: meter, pending: true)))
    bench.connectionComplete(strap, status: .unknownConnection)
    bench.connectionComplete(strap)
    bench.forget()
    bench.request(.scan(ScanRequest(duty: .full)))
    #expect(bench.commands.isEmpty)
    bench.completed(0x40, 1)
    #expect(bench.opcodes == [.leCreateConnectionCancel])
    bench.connectionComplete(meter, status: .unknownConnection)
    #expect(bench.opcodes == [.leCreateConnectionCancel, .leSetScanParameters, .leSetScanEnable, .leCreateConnection])
  }

  @Test func rule02APendingConnectionPausesForAScan() {
    var bench = LinkBench()
    bench.request(.connect(ConnectRequest(peer: strap, pending: true)))
    bench.forget()
    bench.request(.scan(ScanRequest(duty: .gentle)))
    #expect(bench.opcodes == [.leCreateConnectionCancel])
    bench.connectionComplete(Address(bits: 0, kind: .public), status: .unknownConnection)
    #expect(bench.opcodes == [.leCreateConnectionCancel, .leSetScanParameters, .leSetScanEnable, .leCreateConnection])
  }

  @Test func rule02AControllerThatCannotScanAndInitiateAtOnceTakesTurns() {
    var bench = LinkBench(ScriptedController(refusals: [(.leCreateConnection, .commandDisallowed, 1)]))
    bench.request(.scan(ScanRequest(duty: .gentle)))
    bench.forget()
    let id = bench.request(.connect(ConnectRequest(peer: strap, pending: true)))
    #expect(bench.outcome(id) == nil)
    // refused, then the scan stops and the host initiates for two seconds
    #expect(bench.opcodes.suffix(2) == [.leSetScanEnable, .leCreateConnection])
    bench.forget()
    bench.pass(.milliseconds(1999))
    #expect(bench.commands.isEmpty)
    bench.pass(.milliseconds(1))
    #expect(bench.opcodes == [.leCreateConnectionCancel])
    bench.connectionComplete(strap, status: .unknownConnection)
    #expect(bench.opcodes == [.leCreateConnectionCancel, .leSetScanParameters, .leSetScanEnable])
    bench.pass(.seconds(2))
    #expect(bench.opcodes.suffix(2) == [.leSetScanEnable, .leCreateConnection])
  }

  // MARK: Rule 3

  @Test func rule03ACancelledAttemptMayStillSucceedAndIsThenClosed() {
    var bench = LinkBench()
    let id = bench.request(.connect(ConnectRequest(peer: strap, pending: false)))
    bench.forget()
    bench.request(.cancel(id))
    #expect(bench.opcodes == [.leCreateConnectionCancel])
    #expect(bench.failure(id)?.kind == .cancelled)
    bench.connectionComplete(strap)
    #expect(bench.commands.last == .disconnect(ConnectionHandle(0x40), reason: .remoteUserTerminated))
    bench.disconnectionComplete(0x40, .localHostTerminated)
    #expect(bench.host.links.isEmpty)
    #expect(bench.facts.count == 1)
  }

  @Test func rule03ALateSuccessServesANewRequest() {
    var bench = LinkBench()
    let first = bench.request(.connect(ConnectRequest(peer: strap, pending: false)))
    bench.request(.cancel(first))
    let second = bench.request(.connect(ConnectRequest(peer: strap, pending: true)))
    bench.forget()
    bench.connectionComplete(strap)
    bench.mtuResponse()
    #expect(isConnected(bench, second))
    #expect(!bench.opcodes.contains(.disconnect))
  }

  @Test func rule03WaitsForTheCompletionOfACancel() {
    var bench = LinkBench()
    let first = bench.request(.connect(ConnectRequest(peer: strap, pending: false)))
    bench.request(.cancel(first))
    bench.request(.connect(ConnectRequest(peer: meter, pending: false)))
    bench.forget()
    bench.pass(.milliseconds(1999))
    #expect(bench.commands.isEmpty)
    // a controller that forgets the event is not waited for longer
    bench.pass(.milliseconds(1))
    #expect(bench.opcodes == [.leCreateConnection])
  }

  @Test func rule03AnUnrequestedLinkIsClosed() {
    var bench = LinkBench()
    bench.forget()
    bench.connectionComplete(valve, handle: 0x99)
    #expect(bench.commands == [.disconnect(ConnectionHandle(0x99), reason: .remoteUserTerminated)])
  }

  @Test func rule03AHandleGivenTwiceEndsTheFirstLink() {
    var bench = LinkBench()
    bench.connect()
    bench.forget()
    bench.request(.connect(ConnectRequest(peer: meter, pending: false)))
    bench.connectionComplete(meter)
    #expect(bench.facts.first == .disconnected(strap, DisconnectReason(text: "its end was missed")))
    #expect(bench.host.links.count == 1)
  }

  // MARK: Rule 4

  @Test func rule04ResetsOnceAndNeverWithLiveLinks() {
    var bench = LinkBench()
    bench.connect()
    bench.input(.started(seed: 3))
    bench.disconnectionComplete(0x40, .connectionTimeout)
    bench.connect()
    #expect(bench.opcodes.count { $0 == .reset } == 1)
    #expect(bench.host.links.count == 1)
  }

  // MARK: Rule 8

  @Test(
    arguments: [
      (HostConfiguration.LinkProfile.fast, 4000), (.balanced, 5000), (.lowPower, 6000),
    ] as [(HostConfiguration.LinkProfile, Int64)])
  func rule08TheSupervisionTimeoutIsFourToSixSeconds(_ profile: HostConfiguration.LinkProfile, _ milliseconds: Int64) {
    var bench = LinkBench(ScriptedController(), HostConfiguration(profile: profile))
    bench.request(.connect(ConnectRequest(peer: strap, pending: false)))
    guard case .leCreateConnection(let command) = bench.commands.last else {
      Issue.record("\(bench.commands)")
      return
    }
    #expect(Int64(command.connection.supervisionTimeout) * 10 == milliseconds)
    #expect(command.connection.isValid)
  }

  @Test func rule08ExplicitParametersAreUsedAndReported() {
    let wanted = ConnectionParameters(intervalMinimum: 400, intervalMaximum: 800, latency: 1, supervisionTimeout: 3200)
    var bench = LinkBench(ScriptedController(isExtended: true), HostConfiguration(profile: .explicit(wanted)))
    bench.connect()
    guard case .leExtendedCreateConnection(let command) = bench.commands.first(where: { $0.opcode == .leExtendedCreateConnection })
    else {
      Issue.record("\(bench.opcodes)")
      return
    }
    #expect(command.le1M?.connection == wanted)
    bench.forget()
    bench.event(
      .leConnectionUpdateComplete(
        ConnectionUpdateComplete(
          status: .success, handle: ConnectionHandle(0x40), interval: 80, latency: 2, supervisionTimeout: 600)))
    #expect(
      bench.facts == [
        .linkChanged(strap, LinkInfo(mtu: 247, interval: .milliseconds(100), latency: 2, supervisionTimeout: .seconds(6)))
      ])
    bench.forget()
    bench.event(.lePHYUpdateComplete(PHYUpdateComplete(status: .success, handle: ConnectionHandle(0x40), transmit: 2, receive: 2)))
    guard case .linkChanged(_, let info) = bench.facts.first else {
      Issue.record("\(bench.facts)")
      return
    }
    #expect(info.phy == "2M")
  }

  // MARK: Rule 14

  @Test func rule14PendingPeersShareTheAcceptList() {
    var bench = LinkBench()
    bench.request(.connect(ConnectRequest(peer: strap, pending: true)))
    bench.forget()
    bench.request(.connect(ConnectRequest(peer: meter, pending: true)))
    #expect(bench.opcodes == [.leCreateConnectionCancel])
    bench.connectionComplete(strap, status: .unknownConnection)
    #expect(bench.commands.contains(.leAddToFilterAcceptList(meter)))
    guard case .leCreateConnection(let command) = bench.commands.last else {
      Issue.record("\(bench.commands)")
      return
    }
    #expect(command.useFilterAcceptList)
    #expect(command.scanWindow * 4 < command.scanInterval)
    // no time limit: for a day nothing happens, except that once an hour the attempt is renewed
    bench.forget()
    bench.pass(.minutes(59))
    #expect(bench.commands.isEmpty)
    bench.pass(.hours(24) - .minutes(59))
    #expect(bench.opcodes.filter { $0 == .leCreateConnectionCancel }.count <= 24)
    let looking: [HCIOpcode] = [
      .leCreateConnectionCancel, .leClearFilterAcceptList, .leAddToFilterAcceptList, .leCreateConnection,
    ]
    #expect(bench.opcodes.allSatisfy { looking.contains($0) })
    bench.connectionComplete(strap, status: .unknownConnection)
    // one connects: the other is still awaited
    bench.connectionComplete(meter, handle: 0x41)
    #expect(bench.commands.contains(.leRemoveFromFilterAcceptList(meter)))
    #expect(bench.opcodes.contains(.leCreateConnection))
  }

  @Test func rule14MorePeersThanTheListHoldsTakeTurns() {
    var bench = LinkBench(ScriptedController(acceptListSize: 2))
    let peers = (1...5).map { Address(bits: 0xC0_00_00_00_00_00 | UInt64($0), kind: .random) }
    for peer in peers { bench.request(.connect(ConnectRequest(peer: peer, pending: true))) }
    bench.connectionComplete(strap, status: .unknownConnection)
    #expect(bench.host.arbiter.radio.acceptList == [peers[0], peers[1]])
    var seen = Set(bench.host.arbiter.radio.acceptList)
    // each stage has ten seconds
    bench.forget()
    bench.pass(.milliseconds(9999))
    #expect(bench.commands.isEmpty)
    bench.pass(.milliseconds(1))
    #expect(bench.opcodes == [.leCreateConnectionCancel])
    bench.connectionComplete(strap, status: .unknownConnection)
    seen.formUnion(bench.host.arbiter.radio.acceptList)
    for _ in 0..<4 {
      bench.pass(HostLimits.rotation)
      bench.connectionComplete(strap, status: .unknownConnection)
      #expect(bench.host.arbiter.radio.acceptList.count == 2)
      seen.formUnion(bench.host.arbiter.radio.acceptList)
    }
    #expect(seen == Set(peers))
  }

  @Test func rule14AFullListIsLearnt() {
    var bench = LinkBench(ScriptedController(refusals: [(.leAddToFilterAcceptList, .memoryExceeded, 0)]))
    bench.request(.connect(ConnectRequest(peer: strap, pending: true)))
    bench.controller.refusals = [(.leAddToFilterAcceptList, .memoryExceeded, 1)]
    let id = bench.request(.connect(ConnectRequest(peer: meter, pending: true)))
    bench.connectionComplete(strap, status: .unknownConnection)
    #expect(bench.host.arbiter.radio.acceptListLimit == 1)
    #expect(bench.outcome(id) == nil)
    #expect(bench.opcodes.last == .leCreateConnection)
  }

  // MARK: Rule 15

  @Test func rule15TheSlotIsFreeBeforeTheLossIsReported() {
    var bench = LinkBench()
    bench.connect()
    bench.forget()
    bench.disconnectionComplete(0x40, .connectionTimeout)
    #expect(bench.facts == [.disconnected(strap, DisconnectReason(code: 0x08, text: "out of range"))])
    #expect(bench.host.links.isEmpty)
    // the fast path is never removed: the host's next attempt starts immediately
    bench.request(.connect(ConnectRequest(peer: strap, pending: true)))
    #expect(bench.opcodes.last == .leCreateConnection)
  }

  // MARK: Rule 16

  @Test(arguments: [HCIStatus.connectionLimitExceeded, .limitedResources])
  func rule16TheLinkLimitErrorNamesTheHolders(_ status: HCIStatus) {
    var bench = LinkBench()
    bench.connect(strap, handle: 0x40)
    bench.connect(meter, handle: 0x41, owner: OwnerID(2))
    bench.controller.refusals = [(.leCreateConnection, status, 1)]
    let id = bench.request(.connect(ConnectRequest(peer: valve, pending: false)))
    #expect(bench.failure(id)?.kind == .adapter)
    #expect(
      bench.failure(id)?.message
        == "the controller supports no more than 2 links; held by C4:7C:8D:6A:12:0F (owner 1), D0:11:22:33:44:55 (owner 2)")
    #expect(bench.failure(id)?.code == UInt16(status.raw))
    // while it is full no command is sent; a pending connection waits for a slot
    bench.forget()
    let direct = bench.request(.connect(ConnectRequest(peer: valve, pending: false)))
    #expect(bench.failure(direct)?.kind == .adapter)
    let pending = bench.request(.connect(ConnectRequest(peer: valve, pending: true)))
    #expect(bench.commands.isEmpty)
    bench.disconnectionComplete(0x41, .remoteUserTerminated)
    #expect(bench.opcodes.last == .leCreateConnection)
    #expect(bench.outcome(pending) == nil)
  }

  // MARK: Rule 19

  @Test func rule19DataLengthIsRequestedOnceOnEveryLink() {
    var bench = LinkBench()
    bench.connect()
    #expect(bench.commands.contains(.leWriteSuggestedDefaultDataLength(octets: 251, time: 2120)))
    #expect(bench.commands.contains(.leSetDataLength(ConnectionHandle(0x40), octets: 251, time: 2120)))
    bench.forget()
    bench.connect(meter, handle: 0x41)
    #expect(!bench.opcodes.contains(.leWriteSuggestedDefaultDataLength))
    #expect(bench.commands.contains(.leSetDataLength(ConnectionHandle(0x41), octets: 251, time: 2120)))
    var old = LinkBench(ScriptedController(hasDataLength: false))
    old.connect()
    #expect(!old.opcodes.contains(.leSetDataLength))
  }

  // MARK: Rule 23

  @Test func rule23ADirectAttemptTimesOutAfterTenMinutes() {
    var bench = LinkBench()
    let id = bench.request(.connect(ConnectRequest(peer: strap, pending: false)))
    bench.pass(HostLimits.directAttempt - .milliseconds(1))
    #expect(bench.outcome(id) == nil)
    bench.pass(.milliseconds(1))
    #expect(bench.failure(id)?.kind == .unreachable)
    #expect(bench.opcodes.last == .leCreateConnectionCancel)
  }

  @Test func rule23AnUnreportedDisconnectionTimesOut() {
    var bench = LinkBench()
    bench.connect()
    bench.forget()
    let id = bench.request(.disconnect(strap))
    #expect(bench.commands == [.disconnect(ConnectionHandle(0x40), reason: .remoteUserTerminated)])
    bench.pass(.milliseconds(6999))
    #expect(bench.outcome(id) == nil)
    bench.pass(.milliseconds(1))
    #expect(bench.outcome(id) == .success(.done))
    #expect(bench.facts.contains(.disconnected(strap, .asked)))
    #expect(bench.host.nextDeadline == nil)
  }

  @Test func aRefusedDisconnectIsSentAgain() {
    var bench = LinkBench()
    bench.connect()
    bench.controller.refusals = [(.disconnect, .unspecifiedError, 2)]
    bench.forget()
    let id = bench.request(.disconnect(strap))
    #expect(bench.opcodes == [.disconnect, .disconnect, .disconnect])
    bench.disconnectionComplete(0x40, .localHostTerminated)
    #expect(bench.outcome(id) == .success(.done))
  }

  @Test func aRefusedDisconnectIsRetriedALimitedNumberOfTimes() {
    var bench = LinkBench()
    bench.connect()
    bench.controller.refusals = [(.disconnect, .unspecifiedError, 100)]
    bench.forget()
    let id = bench.request(.disconnect(strap))
    #expect(bench.opcodes.count == 1 + HostLimits.disconnectRetries)
    bench.pass(.seconds(7))
    #expect(bench.outcome(id) == .success(.done))
  }

  // MARK: Owners

  @Test func aLinkClosesWhenItsLastOwnerDisconnects() {
    var bench = LinkBench()
    bench.connect()
    let second = bench.request(.connect(ConnectRequest(peer: strap, pending: false)), owner: OwnerID(2))
    #expect(isConnected(bench, second))
    bench.forget()
    let first = bench.request(.disconnect(strap))
    #expect(bench.outcome(first) == .success(.done))
    #expect(bench.commands.isEmpty)
    #expect(bench.reports.first?.owner == .run)
    let last = bench.request(.disconnect(strap), owner: OwnerID(2))
    #expect(bench.opcodes == [.disconnect])
    #expect(bench.outcome(last) == nil)
    bench.disconnectionComplete(0x40, .localHostTerminated)
    #expect(bench.outcome(last) == .success(.done))
    let told = bench.reports.filter { $0.event == .disconnected(strap, .asked) }
    #expect(told.map(\.owner) == [.run, OwnerID(2)])
  }

  @Test func eachOwnerHasSeparateEventNumbers() {
    var bench = LinkBench()
    bench.connect()
    bench.connect(meter, handle: 0x41, owner: OwnerID(2))
    for owner in [OwnerID.run, OwnerID(2)] {
      let numbers = bench.reports.filter { $0.owner == owner }.map(\.number.raw)
      #expect(numbers == Array(1...UInt64(numbers.count)))
    }
  }

  @Test func disconnectingWithoutALinkIsDoneAtOnce() {
    var bench = LinkBench()
    let id = bench.request(.disconnect(strap))
    #expect(bench.outcome(id) == .success(.done))
  }

  @Test func disconnectClosesAnUnfinishedLink() {
    var bench = LinkBench()
    let connect = bench.request(.connect(ConnectRequest(peer: strap, pending: true)))
    bench.connectionComplete(strap)
    let id = bench.request(.disconnect(strap))
    #expect(bench.failure(connect)?.kind == .cancelled)
    #expect(bench.outcome(id) == nil)
    bench.disconnectionComplete(0x40, .localHostTerminated)
    #expect(bench.outcome(id) == .success(.done))
  }

  @Test func aPeerThatLeavesDuringTheSetUpIsAFailure() {
    var bench = LinkBench()
    let id = bench.request(.connect(ConnectRequest(peer: strap, pending: true)))
    bench.connectionComplete(strap)
    bench.completed(0x40, 1)
    bench.disconnectionComplete(0x40, .remoteUserTerminated)
    #expect(bench.failure(id)?.kind == .unreachable)
    #expect(bench.failure(id)?.code == 0x13)
  }

  @Test func theSignalStrengthOfALink() {
    var bench = LinkBench()
    let before = bench.request(.gatt(strap, .readRSSI))
    #expect(bench.failure(before)?.kind == .disconnected)
    bench.connect()
    let id = bench.request(.gatt(strap, .readRSSI))
    #expect(bench.outcome(id) == .success(.rssi(-57)))
    bench.controller.refusals = [(.readRSSI, .unknownConnection, 1)]
    let refused = bench.request(.gatt(strap, .readRSSI))
    #expect(bench.failure(refused)?.kind == .disconnected)
  }

  // MARK: The end

  @Test func closingEndsEverythingAndWaits() {
    var bench = LinkBench()
    bench.connect()
    let scan = bench.request(.scan(ScanRequest(duty: .full)))
    bench.request(.advertise(AdvertisingPlan(services: [UUID(0x180D)])))
    let pending = bench.request(.connect(ConnectRequest(peer: meter, pending: true)))
    bench.connectionComplete(meter, status: .unknownConnection)
    bench.forget()
    bench.input(.closing)
    #expect(bench.failure(scan)?.kind == .cancelled)
    #expect(bench.failure(pending)?.kind == .cancelled)
    #expect(!bench.isClosed)
    #expect(bench.opcodes.contains(.disconnect))
    bench.connectionComplete(meter, status: .unknownConnection)
    #expect(bench.commands.contains(.leSetScanEnable(false, filterDuplicates: false)))
    #expect(bench.commands.contains(.leSetAdvertisingEnable(false)))
    #expect(!bench.isClosed)
    bench.disconnectionComplete(0x40, .localHostTerminated)
    #expect(bench.isClosed)
    #expect(bench.facts.contains(.disconnected(strap, .asked)))
    #expect(bench.host.nextDeadline == nil)
    let late = bench.request(.scan(ScanRequest(duty: .full)))
    #expect(bench.failure(late)?.kind == .cancelled)
  }

  @Test func closingTakesFiveSecondsAtMost() {
    var bench = LinkBench()
    bench.connect()
    bench.input(.closing)
    bench.pass(.milliseconds(4999))
    #expect(!bench.isClosed)
    bench.pass(.milliseconds(1))
    #expect(bench.isClosed)
  }

  @Test func withoutAnAdapterClosingIsImmediate() {
    var bench = LinkBench(start: false)
    bench.input(.closing)
    #expect(bench.isClosed)
  }

  @Test func closingGivesPendingRequestsAnOutcome() {
    var bench = LinkBench()
    bench.connect()
    bench.controller.silent = [.readRSSI]
    let rssi = bench.request(.gatt(strap, .readRSSI))
    let advertise = bench.request(.advertise(AdvertisingPlan(services: [UUID(0x180D)])))
    let stop = bench.request(.stopAdvertising)
    let again = bench.request(.advertise(AdvertisingPlan(services: [])))
    bench.input(.closing)
    bench.pass(.seconds(5))
    #expect(bench.isClosed)
    #expect(bench.outcome(advertise) == .success(.done))
    #expect(bench.outcome(stop) == .success(.done))
    #expect(bench.failure(rssi) != nil)
    #expect(bench.outcome(again) != nil)
    #expect(bench.host.nextDeadline == nil)
  }

  @Test func closingBeforeReadyGivesOutcomesAndNoDeadline() {
    var bench = LinkBench(start: false)
    bench.controller.silent = [.reset]
    bench.input(.started(seed: 1))
    let advertise = bench.request(.advertise(AdvertisingPlan(services: [])))
    bench.input(.closing)
    #expect(bench.isClosed)
    #expect(bench.failure(advertise)?.kind == .cancelled)
    #expect(bench.host.nextDeadline == nil)
  }

  @Test func readRSSIEndsWithTheAdapter() {
    var bench = LinkBench()
    bench.connect()
    bench.controller.silent = [.readRSSI]
    let rssi = bench.request(.gatt(strap, .readRSSI))
    let second = bench.request(.gatt(strap, .readRSSI))
    bench.input(.transportLost("unplugged"))
    #expect(bench.failure(rssi) != nil)
    #expect(bench.failure(second) != nil)
  }
}
