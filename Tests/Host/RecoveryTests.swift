import Exchange
import Packets
import Testing
import Vocabulary

@testable import Host

/// The recovery of a failing adapter, step by step.
@Suite struct RecoveryTests {
  typealias Step = RecoveryLadder.Step

  struct RecoverySequence: CustomTestStringConvertible, Sendable {
    var name: String
    var hasWorked = true
    var troubles: [AdapterTrouble]
    var every = TimeSpan.seconds(2)
    /// Whether it works again after each step.
    var works = false
    var steps: [Step]
    var testDescription: String { name }
  }

  static let lost = AdapterTrouble.transportLost("gone")
  static let silent = AdapterTrouble.unanswered(.reset)
  static let quiet = AdapterTrouble.scanSilent(.minutes(2))

  static let sequences: [RecoverySequence] = [
    RecoverySequence(
      name: "one that never worked gets one more Reset", hasWorked: false, troubles: [silent, silent], steps: [.reset, .giveUp]),
    RecoverySequence(
      name: "one whose connection goes before it worked is given up", hasWorked: false, troubles: [lost], steps: [.giveUp]),
    RecoverySequence(
      name: "one that refuses what all must do is given up", hasWorked: false,
      troubles: [.refused(Failure(.adapter, "no buffers"))], steps: [.giveUp]),
    RecoverySequence(
      name: "reset, connections for five minutes, the end", troubles: [.hardwareError(1)] + Array(repeating: silent, count: 5),
      every: .minutes(1),
      steps: [.reset] + [250, 500, 1000, 2000].map { .reopen(after: .milliseconds($0)) } + [.giveUp]),
    RecoverySequence(
      name: "one that works for a while each time and fails again climbs on",
      troubles: [.blocked, .restarted(""), .outOfStep(""), .hardwareError(2)], works: true,
      steps: [
        .reset, .reopen(after: .milliseconds(250)), .reopen(after: .milliseconds(500)), .reopen(after: .seconds(1)),
      ]),
    RecoverySequence(
      name: "one that has worked for long begins at the foot", troubles: [silent, silent, silent], every: .minutes(2), works: true,
      steps: [.reset, .reset, .reset]),
    RecoverySequence(
      name: "a connection that cannot be made is tried for ever, less and less often",
      troubles: Array(repeating: lost, count: 10), every: .seconds(31),
      steps: [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000].map { .reopen(after: .milliseconds($0)) }),
    RecoverySequence(
      name: "silence ends nothing", troubles: Array(repeating: quiet, count: 5), every: .minutes(2),
      steps: [.restartScan, .reset, .reopen(after: .zero), .rest, .rest]),
  ]

  @Test(arguments: sequences) func recoveryStepsFollowInOrder(_ sequence: RecoverySequence) {
    var ladder = RecoveryLadder()
    var now = Moment.zero
    if sequence.hasWorked { _ = ladder.works(at: now) }
    for (trouble, step) in zip(sequence.troubles, sequence.steps) {
      #expect(ladder.climb(trouble, hasLinks: false, at: now) == step)
      if sequence.works { _ = ladder.works(at: now) }
      now = now + sequence.every
    }
  }

  @Test func noControllerWithLinksIsResetForSilence() {
    var ladder = RecoveryLadder()
    _ = ladder.works(at: .zero)
    #expect(ladder.climb(Self.quiet, hasLinks: true, at: .zero) == .restartScan)
    for _ in 0..<5 { #expect(ladder.climb(Self.quiet, hasLinks: true, at: .zero) == .rest) }
    #expect(ladder.isResting)
    ladder.heard()
    #expect(ladder.climb(Self.quiet, hasLinks: true, at: .zero) == .restartScan)
  }

  // MARK: The host

  /// A link, a scan and two requests, on a host that then gets into trouble.
  private func busy(_ controller: ScriptedController = ScriptedController()) -> LinkBench {
    var bench = LinkBench(controller)
    bench.connect()
    bench.request(.scan(ScanRequest(duty: .gentle)))
    bench.request(.connect(ConnectRequest(peer: LinkBench.meter, pending: true)))
    bench.forget()
    return bench
  }

  private func isAway(_ event: HostEvent?) -> Failure? { if case .adapterAway(let failure)? = event { failure } else { nil } }
  private func isLost(_ event: HostEvent?) -> Failure? { if case .adapterLost(let failure)? = event { failure } else { nil } }

  /// Everything is restored: the scan, the pending connection.
  private func expectBack(_ bench: LinkBench) {
    #expect(bench.host.phase == .ready)
    #expect(bench.opcodes.first == .reset)
    #expect(bench.opcodes.contains(.leSetScanEnable))
    #expect(bench.opcodes.contains(.leCreateConnection))
    #expect(bench.facts.contains { if case .adapterReady = $0 { true } else { false } })
  }

  @Test func aHardwareErrorResetsAndRequestsContinue() {
    var bench = busy()
    bench.event(.hardwareError(code: 0x0C))
    let failure = isAway(bench.facts.first)
    #expect(failure?.code == 0x0C)
    #expect(failure?.message == "the controller reports a hardware error (0x0c)")
    #expect(bench.facts.dropFirst().first == .disconnected(LinkBench.strap, DisconnectReason(text: "adapter reset")))
    expectBack(bench)
    #expect(bench.reopenings.isEmpty)
    #expect(bench.events.contains(.noted(.warning, "the controller reports a hardware error (0x0c): it is reset")))
    #expect(bench.events.contains(.noted(.log, "the adapter is back after 0s")))
  }

  /// An adapter that first fails and is then unplugged causes both reports, each once.
  @Test func aFailedThenUnpluggedAdapterIsReportedTwice() {
    var bench = busy(ScriptedController())
    bench.controller.silent = [.reset]
    bench.event(.hardwareError(code: 0x0C))
    bench.input(.transportLost("hci0 was unplugged"))
    bench.input(.transportLost("hci0 was unplugged"))
    let told = bench.events.compactMap { isAway($0) }
    #expect(told.map(\.endsConnection) == [false, true])
    #expect(told.last?.message == "the adapter is gone: hci0 was unplugged")
  }

  @Test func rule23AnUnansweredCommandResetsAfterTwoSeconds() {
    var bench = LinkBench(ScriptedController(silent: [.leSetScanParameters]))
    bench.request(.scan(ScanRequest(duty: .full)))
    bench.forget()
    bench.pass(.milliseconds(1999))
    #expect(bench.facts.isEmpty)
    bench.controller.silent = []
    bench.pass(.milliseconds(1))
    #expect(isAway(bench.facts.first)?.message == "the controller did not answer LE Set Scan Parameters (0x200b) within 2s")
    #expect(bench.opcodes.first == .reset)
    #expect(bench.opcodes.last == .leSetScanEnable)
  }

  @Test func abandonsAControllerThatNeverAnswersOneCommand() {
    var bench = LinkBench(ScriptedController(silent: [.leSetScanParameters]))
    bench.request(.scan(ScanRequest(duty: .full)))
    bench.forget()
    bench.pass(.minutes(6))
    #expect((10...20).contains(bench.reopenings.count))
    #expect(bench.facts.filter { isAway($0) != nil }.count >= 1)
    #expect(isLost(bench.facts.last)?.message == "the controller did not answer LE Set Scan Parameters (0x200b) within 2s")
    #expect(bench.host.phase == .lost)
    #expect(bench.host.nextDeadline == nil)
  }

  @Test func quicklyAbandonsAControllerThatNeverAnswers() {
    var bench = LinkBench(ScriptedController(silent: [.reset]))
    bench.pass(.seconds(2))
    #expect(bench.opcodes == [.reset, .reset])
    bench.pass(.seconds(2))
    #expect(isLost(bench.facts.last)?.message == "the controller did not answer Reset (0x0c03) within 2s")
    #expect(isLost(bench.facts.last)?.hint?.contains("speaks H4") == true)
    #expect(bench.host.nextDeadline == nil)
  }

  @Test func rule23TwoSecondsWithoutCommandCreditReset() {
    var bench = LinkBench()
    bench.controller.allowedPackets = 0
    bench.request(.scan(ScanRequest(duty: .full)))
    bench.forget()
    bench.controller.allowedPackets = 1
    bench.pass(.seconds(2))
    #expect(isAway(bench.facts.first)?.message == "the controller allowed no command for 2s")
    #expect(bench.opcodes.last == .leSetScanEnable)
  }

  @Test func aLateAnswerMatchesNoOtherCommand() {
    var bench = LinkBench(ScriptedController(silent: [.leSetScanEnable]))
    bench.request(.scan(ScanRequest(duty: .full)))
    bench.controller.silent = [.reset]
    bench.pass(.seconds(2))
    bench.forget()
    // the answer to the command before the Reset arrives first and starts nothing
    bench.event(.commandComplete(CommandComplete(opcode: .leSetScanEnable, status: .success)))
    #expect(bench.commands.isEmpty)
    #expect(bench.host.phase == .initialising(.reset))
    bench.controller.silent = []
    bench.event(.commandComplete(CommandComplete(opcode: .reset, status: .success)))
    #expect(bench.opcodes.last == .leSetScanEnable)
    #expect(bench.host.arbiter.radio.scan != nil)
  }

  @Test func aLateResetAnswerIsNotARestart() {
    var bench = LinkBench(ScriptedController(silent: [.reset]))
    bench.pass(.seconds(2))
    #expect(bench.opcodes == [.reset, .reset])
    // both answers arrive late
    bench.controller.silent = []
    bench.event(.commandComplete(CommandComplete(opcode: .reset, status: .success)))
    #expect(bench.host.phase == .ready)
    bench.forget()
    bench.event(.commandComplete(CommandComplete(opcode: .reset, status: .success)))
    #expect(bench.facts.isEmpty)
    #expect(bench.commands.isEmpty)
    // a third one is
    bench.event(.commandComplete(CommandComplete(opcode: .reset, status: .success)))
    #expect(isAway(bench.facts.first)?.message == "the controller has restarted: it answered a Reset that was not sent")
  }

  @Test func aRestartedControllerIsInitialisedAgain() {
    var bench = busy()
    bench.event(.commandComplete(CommandComplete(opcode: .reset, status: .success)))
    #expect(isAway(bench.facts.first)?.message == "the controller has restarted: it answered a Reset that was not sent")
    #expect(bench.facts.contains(.disconnected(LinkBench.strap, DisconnectReason(text: "adapter reset"))))
    expectBack(bench)
  }

  @Test(arguments: [
    HCIEvent.commandComplete(CommandComplete(opcode: HCIOpcode(0), parameters: [])),
    .commandStatus(CommandStatus(status: .success, allowedPackets: 1, opcode: HCIOpcode(0))),
    .unknown(code: 0xFF, [0x02, 0x01]),
  ])
  func startupEventsOfAControllerAreChecked(_ sign: HCIEvent) {
    // With a link, the host asks the controller about it, which knows it.
    var linked = busy()
    linked.event(sign)
    #expect(linked.opcodes == [.readRSSI])
    #expect(linked.facts.isEmpty)
    // It does not know it.
    var stale = busy()
    stale.controller.refusals = [(.readRSSI, .unknownConnection, 1)]
    stale.event(sign)
    #expect(stale.commands.removeFirst().opcode == .readRSSI)
    #expect(
      isAway(stale.facts.first)?.message == "the controller has restarted: it does not know the link to \(LinkBench.strap)")
    expectBack(stale)
    // Without a link, the controller is initialised again, but not each time.
    var idle = LinkBench()
    idle.request(.scan(ScanRequest(duty: .gentle)))
    idle.forget()
    idle.event(sign)
    #expect(idle.opcodes.first == .reset)
    #expect(idle.opcodes.last == .leSetScanEnable)
    idle.forget()
    idle.event(sign)
    #expect(idle.commands.isEmpty)
    idle.pass(HostLimits.settled + .seconds(1))
    idle.forget()
    idle.event(sign)
    #expect(idle.opcodes.first == .reset)
  }

  @Test func otherVendorEventsAreIgnored() {
    var bench = busy()
    bench.event(.unknown(code: 0xFF, [0x17, 0x02]))
    bench.event(.unknown(code: 0xFF, []))
    #expect(bench.commands.isEmpty)
    #expect(bench.events.isEmpty)
  }

  @Test func aLostConnectionIsReopenedAndRequestsContinue() {
    var bench = LinkBench()
    bench.connect()
    let scan = bench.request(.scan(ScanRequest(duty: .gentle)))
    let pending = bench.request(.connect(ConnectRequest(peer: LinkBench.meter, pending: true)))
    let direct = bench.request(.connect(ConnectRequest(peer: LinkBench.valve, pending: false)))
    bench.forget()
    bench.refusesToOpen = "connecting to unix:air: Connection refused"
    bench.input(.transportLost("unplugged"))
    #expect(isAway(bench.facts.first)?.message == "the adapter is gone: unplugged")
    #expect(bench.facts.dropFirst().first == .disconnected(LinkBench.strap, DisconnectReason(text: "adapter lost")))
    bench.pass(.seconds(3))
    #expect(bench.reopenings.count == 3)
    #expect(bench.commands.isEmpty)
    #expect(bench.facts.count == 2)
    for id in [scan, pending, direct] { #expect(bench.outcome(id) == nil) }
    bench.refusesToOpen = nil
    bench.forget()
    bench.pass(.seconds(2))
    #expect(bench.host.phase == .ready)
    #expect(bench.opcodes.first == .reset)
    // the direct attempt has the radio to itself
    #expect(bench.opcodes.last == .leCreateConnection)
    #expect(
      bench.events.contains { if case .noted(.log, let text) = $0 { text == "the adapter is back after 3s750ms" } else { false } })
  }

  @Test func reopeningBacksOff() {
    var bench = LinkBench()
    bench.refusesToOpen = "no"
    bench.input(.transportLost("unplugged"))
    bench.pass(.minutes(10))
    #expect((20...30).contains(bench.reopenings.count))
    #expect(isLost(bench.facts.last) == nil)
  }

  @Test func aConnectionLostDuringInitialisationIsReopened() {
    var bench = LinkBench(ScriptedController())
    bench.controller.silent = [.readLocalVersion]
    bench.event(.hardwareError(code: 1))
    #expect(bench.host.phase == .initialising(.version))
    bench.controller.silent = []
    bench.input(.transportLost("unplugged"))
    bench.input(.transportLost("unplugged"))
    bench.pass(.seconds(1))
    #expect(bench.reopenings.count == 1)
    #expect(bench.host.phase == .ready)
  }

  @Test func octetsThatAreNotAPacketResetTheController() {
    var bench = busy()
    bench.input(.outOfStep("no packet begins with 77"))
    #expect(
      isAway(bench.facts.first)?.message == "the controller sent something that is not an HCI packet: no packet begins with 77")
    expectBack(bench)
  }

  @Test(arguments: [(1, "1 packet of"), (300, "300 packets of")]) func packetsThatTheKernelDroppedResetTheController(
    count: Int, words: String
  ) {
    var bench = busy()
    bench.input(.packetsDropped(count))
    let failure = isAway(bench.facts.first)
    #expect(
      failure?.message
        == "the kernel had to drop \(words) the controller, because tooth did not read them in time and their queue was full")
    #expect(failure?.hint?.hasPrefix("was tooth stopped, or the machine overloaded?") ?? false)
    expectBack(bench)
  }

  // MARK: An adapter that was not named

  private func unnamed() -> LinkBench { LinkBench(ScriptedController(silent: [.reset]), HostConfiguration(mayBeAnother: true)) }

  @Test func aControllerThatNeverAnsweredIsReplaced() {
    var bench = unnamed()
    bench.request(.scan(ScanRequest(duty: .gentle)))
    bench.pass(.seconds(2))
    #expect(bench.reopenings.isEmpty, "it is reset once more before")
    bench.controller.silent = []
    bench.pass(.milliseconds(1999))
    #expect(bench.reopenings.isEmpty)
    bench.pass(.milliseconds(1))
    #expect(bench.reopenings.count == 1)
    #expect(
      bench.events.contains(
        .noted(.warning, "the controller did not answer Reset (0x0c03) within 2s: trying another adapter")))
    #expect(bench.host.phase == .ready)
    #expect(!bench.host.needsAnotherAdapter)
    #expect(!bench.facts.contains { isLost($0) != nil })
    #expect(bench.opcodes.contains(.leSetScanEnable))
    // Once one works, it is kept.
    bench.controller.silent = [.leSetScanParameters, .reset]
    bench.request(.scan(ScanRequest(duty: .full)))
    bench.pass(.seconds(5))
    #expect(bench.reopenings.count > 1)
    #expect(!bench.host.needsAnotherAdapter)
  }

  @Test func withoutAnotherAdapterReportsTheFirstFailure() {
    var bench = unnamed()
    bench.refusesToOpen = "there is no Bluetooth adapter in this machine"
    bench.pass(.seconds(4))
    #expect(bench.reopenings.count == 1)
    #expect(bench.host.phase == .lost)
    #expect(isLost(bench.facts.last)?.message == "the controller did not answer Reset (0x0c03) within 2s")
    #expect(isLost(bench.facts.last)?.hint != nil)
  }

  @Test func aSecondSilentControllerIsReplacedToo() {
    var bench = unnamed()
    bench.pass(.seconds(8))
    #expect(bench.reopenings.count == 2)
    bench.controller.silent = []
    bench.pass(.seconds(2))
    #expect(bench.reopenings.count == 2)
    #expect(bench.host.phase == .ready)
  }

  @Test func aNamedControllerIsNotReplaced() {
    var bench = LinkBench(ScriptedController(silent: [.reset]), HostConfiguration(isKernels: true))
    bench.pass(.seconds(4))
    #expect(bench.reopenings.isEmpty)
    let failure = isLost(bench.facts.last)
    #expect(failure?.message == "the controller did not answer Reset (0x0c03) within 2s")
    #expect(failure?.hint == AdapterHint.kernel)
  }

  @Test func garbageBeforeTheFirstAnswerRetriesOnce() {
    var bench = LinkBench(ScriptedController(silent: [.reset]))
    bench.controller.silent = []
    bench.input(.outOfStep("no packet begins with 42"))
    #expect(bench.host.phase == .ready)
    #expect(bench.opcodes.prefix(2) == [.reset, .reset])
    // the answer to the first one is late
    bench.forget()
    bench.event(.commandComplete(CommandComplete(opcode: .reset, status: .success)))
    #expect(bench.facts.isEmpty)
  }

  @Test func readRSSIFailsWhenTheControllerIsLost() {
    var bench = LinkBench(ScriptedController(silent: [.readRSSI]))
    bench.connect()
    let first = bench.request(.gatt(LinkBench.strap, .readRSSI))
    let second = bench.request(.gatt(LinkBench.strap, .readRSSI))
    bench.pass(.seconds(2))
    #expect(bench.failure(first)?.kind == .disconnected)
    #expect(bench.failure(second)?.kind == .disconnected)
  }

  // MARK: Silence

  @Test func probesASilentControllerWithALink() {
    var bench = LinkBench()
    bench.connect()
    bench.forget()
    bench.pass(.seconds(59))
    #expect(bench.commands.isEmpty)
    bench.pass(.seconds(1))
    #expect(bench.opcodes == [.readRSSI])
    bench.controller.silent = [.readRSSI]
    bench.forget()
    bench.pass(.seconds(62))
    #expect(isAway(bench.facts.first)?.message == "the controller did not answer Read RSSI (0x1405) within 2s")
    #expect(bench.facts.dropFirst().first == .disconnected(LinkBench.strap, DisconnectReason(text: "adapter reset")))
  }

  @Test func anIdleControllerIsLeftAlone() {
    var bench = LinkBench()
    bench.forget()
    bench.pass(.hours(1))
    #expect(bench.commands.isEmpty)
    #expect(bench.host.nextDeadline == nil)
  }

  @Test func findsAForgottenPendingConnection() {
    var bench = LinkBench()
    bench.request(.connect(ConnectRequest(peer: LinkBench.meter, pending: true)))
    bench.controller.refusals = [(.leCreateConnectionCancel, .commandDisallowed, 1)]
    bench.forget()
    bench.pass(.minutes(61))
    #expect(bench.opcodes.first == .leCreateConnectionCancel)
    #expect(isAway(bench.facts.first)?.message == "the controller has restarted: it does not know about the attempt to connect")
    #expect(bench.opcodes.last == .leCreateConnection)
  }

  @Test func aSilentScanClimbsTheRecoverySteps() {
    var bench = LinkBench()
    bench.request(.scan(ScanRequest(duty: .full)))
    bench.forget()
    // where nothing was ever heard, nothing is missing
    bench.pass(.minutes(10))
    #expect(!bench.opcodes.contains(.leSetScanEnable))
    bench.event(
      .leAdvertisingReport([
        AdvertisingReport(kind: .connectableUndirected, address: LinkBench.strap, data: [2, 1, 6], rssi: -60)
      ]))
    bench.forget()
    bench.pass(.minutes(2))
    #expect(bench.opcodes.suffix(3) == [.leSetScanEnable, .leSetScanParameters, .leSetScanEnable])
    #expect(!bench.opcodes.contains(.reset))
    bench.forget()
    bench.pass(.minutes(2))
    #expect(bench.opcodes.contains(.reset))
    #expect(bench.reopenings.isEmpty)
    bench.pass(.minutes(2) + .seconds(1))
    #expect(bench.reopenings.count == 1)
    bench.forget()
    bench.pass(.hours(1))
    #expect(!bench.opcodes.contains(.reset))
    #expect(isLost(bench.facts.last) == nil)
  }

  // MARK: The end

  @Test func closingWithoutTheAdapterIsImmediate() {
    var bench = busy()
    bench.refusesToOpen = "no"
    bench.input(.transportLost("unplugged"))
    bench.input(.closing)
    #expect(bench.isClosed)
    #expect(bench.host.nextDeadline == nil)
  }

  @Test func aFailureWhileClosingEndsIt() {
    var bench = LinkBench()
    bench.connect()
    bench.controller.silent = [.disconnect]
    bench.input(.closing)
    #expect(!bench.isClosed)
    bench.input(.outOfStep("no packet begins with 77"))
    #expect(bench.isClosed)
    #expect(bench.host.nextDeadline == nil)
  }

  @Test func reportsAFloodOfBrokenEventsSparsely() {
    var bench = LinkBench()
    for _ in 0..<1000 { bench.input(.packet([0x04, 0x05, 0x01, 0x00])) }
    #expect(bench.events.filter { if case .noted = $0 { true } else { false } }.count == 10)
  }
}
