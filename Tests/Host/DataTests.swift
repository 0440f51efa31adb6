import Exchange
import Packets
import Testing
import Vocabulary

@testable import Host

@Suite struct DataTests {
  private let strap = LinkBench.strap

  // MARK: Rule 7

  @Test func rule07NoMoreFragmentsThanTheControllerHolds() {
    var bench = LinkBench(ScriptedController(aclLength: 27, aclCount: 2))
    bench.connect()
    bench.forget()
    let handle = ConnectionHandle(0x40)
    let payload = (0..<100).map { UInt8($0) }
    bench.host.sendFrame(4, payload, on: handle)
    bench.input(.deadline)
    #expect(bench.data.count == 2)
    #expect(bench.host.credits == 0)
    bench.completed(0x40, 1)
    #expect(bench.data.count == 3)
    bench.completed(0x40, 2)
    #expect(bench.data.map(\.boundary) == [.firstNonFlushable, .continuing, .continuing, .continuing])
    #expect(bench.data.map(\.data.count) == [27, 27, 27, 23])
    #expect(bench.data.flatMap(\.data) == L2CAPFrame(channel: 4, payload: payload).encoded)
    bench.completed(0x40, 1)
    #expect(bench.host.credits == 2)
    // a count above that in flight is ignored
    bench.completed(0x40, 100)
    #expect(bench.host.credits == 2)
  }

  /// Whether both links are there already, or the second one comes when the first is dead.
  @Test(arguments: [1, 2, 3, 4, 8, 20] as [UInt8], [false, true])
  func rule07ADeadLinkLeavesABufferForAnotherOne(count: UInt8, isLater: Bool) {
    var bench = LinkBench(ScriptedController(aclCount: count))
    bench.connect()
    if !isLater { bench.connect(LinkBench.meter, handle: 0x41) }
    bench.forget()
    for _ in 0..<30 { bench.host.sendFrame(4, [1], on: ConnectionHandle(0x40)) }
    bench.input(.deadline)
    if isLater { bench.connect(LinkBench.meter, handle: 0x41) }
    bench.host.sendFrame(4, [2], on: ConnectionHandle(0x41))
    bench.input(.deadline)
    let isReserved = count > (isLater ? 3 : 1)
    #expect(bench.data.contains { $0.handle == ConnectionHandle(0x41) } == isReserved)
    // The first has all the others.
    #expect(bench.data.count { $0.handle == ConnectionHandle(0x40) } == Int(count) - (isReserved ? 1 : 0))
  }

  @Test func rule07ADeadLinkKeepsNoCredits() {
    var bench = LinkBench(ScriptedController(aclCount: 1))
    bench.connect()
    bench.connect(LinkBench.meter, handle: 0x41)
    bench.forget()
    bench.host.sendFrame(4, [UInt8](repeating: 1, count: 200), on: ConnectionHandle(0x40))
    bench.input(.deadline)
    #expect(bench.host.credits == 0)
    bench.host.sendFrame(4, [2], on: ConnectionHandle(0x41))
    bench.input(.deadline)
    #expect(bench.data.allSatisfy { $0.handle == ConnectionHandle(0x40) })
    bench.disconnectionComplete(0x40, .connectionTimeout)
    #expect(bench.data.last?.handle == ConnectionHandle(0x41))
    #expect(bench.host.credits == 0)
    // its own late completions grant nothing
    bench.completed(0x40, 2)
    #expect(bench.host.credits == 0)
  }

  @Test func rule07LinksTakeTurns() {
    var bench = LinkBench(ScriptedController(aclCount: 1))
    bench.connect()
    bench.connect(LinkBench.meter, handle: 0x41)
    bench.forget()
    for handle in [0x40, 0x41] as [UInt16] {
      bench.host.sendFrame(4, [UInt8](repeating: 1, count: 60), on: ConnectionHandle(handle))
    }
    bench.input(.deadline)
    for _ in 0..<5 { bench.completed(bench.data.last?.handle.raw ?? 0, 1) }
    #expect(bench.data.count == 6)
    for index in 1..<6 { #expect(bench.data[index].handle != bench.data[index - 1].handle) }
  }

  // MARK: Reassembly

  @Test func fragmentsAreGatheredAtEveryCut() {
    let frame = L2CAPFrame(channel: 4, payload: (0..<40).map { UInt8($0) })
    let bytes = frame.encoded
    for cut in 1..<bytes.count {
      var reassembler = Reassembler(limit: 100)
      #expect(reassembler.take(first: true, Array(bytes.prefix(cut))) == nil)
      #expect(reassembler.take(first: false, Array(bytes.dropFirst(cut))) == frame)
      #expect(reassembler.dropped == nil)
      #expect(reassembler.pending == 0)
    }
  }

  @Test func brokenFramesAreDroppedByName() {
    var reassembler = Reassembler(limit: 20)
    #expect(reassembler.take(first: false, [1, 2, 3]) == nil)
    #expect(reassembler.dropped == .unexpectedContinuation)
    #expect(reassembler.take(first: true, [17, 0, 4, 0]) == nil)
    #expect(reassembler.dropped == .tooLong(21))
    reassembler.dropped = nil
    // the rest of the frame is skipped silently
    #expect(reassembler.take(first: false, [UInt8](repeating: 0, count: 17)) == nil)
    #expect(reassembler.dropped == nil)
    #expect(reassembler.take(first: true, [2, 0, 4, 0, 9]) == nil)
    #expect(reassembler.take(first: true, [1, 0, 4, 0, 9]) == L2CAPFrame(channel: 4, payload: [9]))
    #expect(reassembler.dropped == .unfinished(5))
    #expect(reassembler.take(first: true, [1, 0, 4, 0, 9, 9]) == nil)
    #expect(reassembler.dropped == .overrun(6))
  }

  @Test func rule24ALinkKeepsNoMoreThanOneFrame() {
    var bench = LinkBench()
    bench.connect()
    for _ in 0..<1000 {
      bench.acl(0x40, .firstFlushable, [0xFF, 0xFF, 4, 0] + [UInt8](repeating: 0, count: 23))
      bench.acl(0x40, .continuing, [UInt8](repeating: 0, count: 27))
    }
    #expect(bench.host.links.first?.inbound.pending == 0)
    // it is reported once
    #expect(bench.events.count { if case .noted(.warning, _) = $0 { true } else { false } } == 1)
  }

  /// Pairing Requests this fast are not all answered; see `RepeatedAttemptTests`.
  @Test(arguments: [(4, [0x0A, 0x01, 0x00]), (5, [0x77, 0x01, 0x00, 0x00])] as [(UInt16, [UInt8])])
  func rule24DropsAPeerThatAcceptsNoAnswers(_ channel: UInt16, _ question: [UInt8]) {
    var bench = LinkBench(ScriptedController(aclLength: 251, aclCount: 2))
    bench.connect()
    bench.forget()
    var most = 0
    for _ in 0..<2000 {
      bench.frame(0x40, channel: channel, question)
      most = max(most, bench.host.links.first?.outbox.waiting ?? 0)
    }
    #expect(most == HostLimits.unsentFrames + 1)
    #expect(bench.commands == [.disconnect(ConnectionHandle(0x40), reason: .remoteUserTerminated)])
    bench.disconnectionComplete(0x40, .localHostTerminated)
    guard case .disconnected(strap, let reason)? = bench.facts.first else {
      Issue.record("\(bench.facts)")
      return
    }
    #expect(reason.text.contains("accepts no answers"))
    #expect(bench.host.credits == 2)
  }

  @Test func rule24KeepsAPeerThatAcceptsTheAnswers() {
    var bench = LinkBench(ScriptedController(aclLength: 251, aclCount: 2))
    bench.connect()
    bench.forget()
    for _ in 0..<2000 {
      bench.frame(0x40, [0x0A, 0x01, 0x00])
      bench.completed(0x40, 1)
    }
    #expect(bench.data.count == 2000)
    #expect(bench.commands.isEmpty)
  }

  @Test func dataThatOvertakesItsConnectionCompleteIsKept() {
    var bench = LinkBench()
    let id = bench.request(.connect(ConnectRequest(peer: strap, pending: false)))
    bench.mtuResponse()
    bench.connectionComplete(strap)
    guard case .connected(id, strap, _) = bench.facts.last else {
      Issue.record("\(bench.facts)")
      return
    }
    // and data of links that never appear is kept up to a limit
    for _ in 0..<1000 { bench.frame(0x0EEE, [1]) }
    #expect(bench.host.early.isEmpty)
    bench.request(.connect(ConnectRequest(peer: LinkBench.meter, pending: true)))
    for _ in 0..<1000 { bench.frame(0x0EEE, [1]) }
    #expect(bench.host.early.count == HostLimits.earlyPackets)
  }

  // MARK: Rule 9

  private func answers(_ bench: LinkBench, channel: UInt16) -> [[UInt8]] {
    bench.data.compactMap { try? L2CAPFrame(encoded: $0.data) }.filter { $0.channel == channel }.map(\.payload)
  }

  private func connected() -> LinkBench {
    var bench = LinkBench(ScriptedController(aclLength: 251, aclCount: 200))
    bench.connect()
    bench.forget()
    return bench
  }

  @Test func rule09AConnectionParameterUpdateIsAcceptedAndDone() {
    var bench = connected()
    // 25 to 50 ms, latency 3, 4 s
    bench.frame(0x40, channel: 5, [0x12, 0x09, 0x08, 0x00, 20, 0, 40, 0, 3, 0, 0x90, 0x01])
    #expect(answers(bench, channel: 5) == [[0x13, 0x09, 0x02, 0x00, 0x00, 0x00]])
    #expect(
      bench.commands == [
        .leConnectionUpdate(
          ConnectionUpdate(
            handle: ConnectionHandle(0x40),
            connection: ConnectionParameters(intervalMinimum: 20, intervalMaximum: 40, latency: 3, supervisionTimeout: 400)))
      ])
  }

  @Test(
    arguments: [
      [0x12, 1, 8, 0, 40, 0, 20, 0, 0, 0, 0x90, 1], [0x12, 1, 8, 0, 1, 0, 20, 0, 0, 0, 0x90, 1],
      [0x12, 1, 8, 0, 20, 0, 40, 0, 0xFF, 0xFF, 0x90, 1], [0x12, 1, 8, 0, 20, 0, 40, 0, 0, 0, 0, 0],
      [0x12, 1, 8, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
    ] as [[UInt8]])
  func rule09BadParametersAreRejected(_ request: [UInt8]) {
    var bench = connected()
    bench.frame(0x40, channel: 5, request)
    #expect(answers(bench, channel: 5) == [[0x13, 0x01, 0x02, 0x00, 0x01, 0x00]])
    #expect(bench.commands.isEmpty)
  }

  @Test(
    arguments: [
      // unknown code; echo request of BR/EDR; a truncated request; credit based connection; a
      // channel that is not there; MTU exceeded
      ([0x77, 0x05, 0x00, 0x00], [0x01, 0x05, 0x02, 0x00, 0x00, 0x00]),
      ([0x08, 0x06, 0x00, 0x00], [0x01, 0x06, 0x02, 0x00, 0x00, 0x00]),
      ([0x12, 0x07, 0x08, 0x00, 0x01], [0x01, 0x07, 0x02, 0x00, 0x00, 0x00]),
      (
        [0x14, 0x08, 0x0A, 0x00, 0x80, 0, 0x40, 0, 0x17, 0, 0x17, 0, 1, 0], [0x15, 0x08, 0x0A, 0x00, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
      ),
      ([0x17, 0x09, 0x0A, 0x00, 0x80, 0, 0x40, 0, 0x40, 0, 1, 0, 0x40, 0], [0x18, 0x09, 0x08, 0x00, 0, 0, 0, 0, 0, 0, 2, 0]),
      ([0x06, 0x0A, 0x04, 0x00, 0x41, 0x00, 0x42, 0x00], [0x01, 0x0A, 0x06, 0x00, 0x02, 0x00, 0x41, 0x00, 0x42, 0x00]),
      ([0x77, 0x0B, 0x14, 0x00] + [UInt8](repeating: 0, count: 20), [0x01, 0x0B, 0x04, 0x00, 0x01, 0x00, 23, 0]),
    ] as [([UInt8], [UInt8])])
  func rule09UnknownSignalsAreRejected(_ request: [UInt8], _ answer: [UInt8]) {
    var bench = connected()
    bench.frame(0x40, channel: 5, request)
    #expect(answers(bench, channel: 5) == [answer])
  }

  @Test(
    arguments: [
      [], [0x01], [0x01, 0x01, 0x02, 0x00, 0x00, 0x00], [0x01, 0x01], [0x13, 0x01, 0x02, 0x00, 0x00, 0x00],
      [0x77, 0x00, 0x00, 0x00],
    ] as [[UInt8]])
  func rule09ResponsesAndGarbageAreNotAnswered(_ payload: [UInt8]) {
    var bench = connected()
    bench.frame(0x40, channel: 5, payload)
    #expect(answers(bench, channel: 5).isEmpty)
  }

  @Test(
    arguments: [
      ([0x01, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00], [[0x05, 0x07]]), ([0x0B, 0x01], []), ([0x03], [[0x05, 0x0A]]),
      ([0x05, 0x08], []), ([], []), ([0x0F], [[0x05, 0x07]]),
    ] as [([UInt8], [[UInt8]])])
  func rule09PairingIsRefusedNotIgnored(_ request: [UInt8], _ answer: [[UInt8]]) {
    var bench = connected()
    bench.frame(0x40, channel: 6, request)
    #expect(answers(bench, channel: 6) == answer)
  }

  @Test func rule09TheControllersQuestionsAreAnswered() {
    var bench = connected()
    let handle = ConnectionHandle(0x40)
    bench.event(.leLongTermKeyRequest(LongTermKeyRequest(handle: handle, random: 0, diversifier: 0)))
    bench.event(
      .leConnectionParameterRequest(
        ConnectionParameterRequest(handle: handle, intervalMinimum: 20, intervalMaximum: 40, latency: 0, supervisionTimeout: 500)))
    bench.event(
      .leConnectionParameterRequest(
        ConnectionParameterRequest(handle: handle, intervalMinimum: 20, intervalMaximum: 40, latency: 499, supervisionTimeout: 500))
    )
    #expect(
      bench.commands == [
        .leLongTermKeyRequestNegativeReply(handle),
        .leConnectionParameterRequestReply(
          ConnectionParameterReply(
            handle: handle, connection: ConnectionParameters(intervalMinimum: 20, intervalMaximum: 40, supervisionTimeout: 500))),
        .leConnectionParameterRequestNegativeReply(handle, reason: .unacceptableParameters),
      ])
  }

  @Test func rule09APeripheralRejectsAParameterRequest() {
    var bench = LinkBench(ScriptedController(aclLength: 251, aclCount: 200))
    bench.request(.advertise(AdvertisingPlan(services: [])))
    bench.connectionComplete(strap, role: .peripheral)
    bench.forget()
    bench.frame(0x40, channel: 5, [0x12, 0x09, 0x08, 0x00, 20, 0, 40, 0, 3, 0, 0x90, 0x01])
    #expect(answers(bench, channel: 5) == [[0x01, 0x09, 0x02, 0x00, 0x00, 0x00]])
  }

  // MARK: Garbage

  @Test func seededGarbageFromTheControllerIsSurvived() {
    for seed in 1...40 as ClosedRange<UInt64> {
      var state = seed
      func random() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
      }
      var bench = LinkBench(ScriptedController(isExtended: seed % 2 == 0, aclCount: 8))
      bench.request(.scan(ScanRequest(duty: .full)))
      bench.request(.advertise(AdvertisingPlan(services: [UUID(0x180D)])))
      bench.request(.connect(ConnectRequest(peer: LinkBench.meter, pending: true)))
      bench.connect()
      for round in 0..<400 {
        var bytes: [UInt8] = []
        switch random() % 4 {
        case 0:
          // an event of a known code with random content
          let body = (0..<Int(random() % 40)).map { _ in UInt8(random() & 0xFF) }
          let codes: [UInt8] = [0x05, 0x08, 0x0C, 0x0E, 0x0F, 0x13, 0x1A, 0x30, 0x3E]
          bytes = [0x04, codes[Int(random()) % codes.count], UInt8(body.count)] + body
        case 1:
          let body = (0..<Int(random() % 60)).map { _ in UInt8(random() & 0xFF) }
          bytes = [0x04, 0x3E, UInt8(body.count + 1), UInt8(random() % 0x16)] + body
        case 2:
          // data on the link, often a plausible frame
          let channel = [4, 4, 5, 6, 0x40][Int(random() % 5)]
          let body = (0..<Int(random() % 30)).map { _ in UInt8(random() & 0xFF) }
          let frame = [UInt8(body.count), 0, UInt8(channel), 0] + body
          let flags = UInt8(random() & 0b11) << 4
          bytes = [0x02, 0x40, flags, UInt8(frame.count), 0] + frame
        default: bytes = (0..<Int(random() % 50)).map { _ in UInt8(random() & 0xFF) }
        }
        bench.input(.packet(bytes))
        if round % 50 == 0 { bench.pass(.seconds(3)) }
        if case .lost = bench.host.phase { bench.input(.started(seed: seed)) }
        bench.forget()
      }
      #expect(bench.host.links.count < 64)
    }
  }
}
