import Exchange
import Host
import Packets
import Testing
import Vocabulary

/// One operation with the answers of a good peer, each of which the tests corrupt.
private struct Dialogue: Sendable, CustomTestStringConvertible {
  var name: String
  var request: GattRequest
  var answers: [String]
  var testDescription: String { name }

  static let value = Array(0..<40 as Range<UInt8>)
  static func echo(_ offset: UInt16, _ range: Range<Int>) -> String {
    Hex.text(ATTPDU.prepareWriteResponse(AttributeHandle(3), offset: offset, Array(value[range])).encoded)
  }

  static let all = [
    Dialogue(name: "read", request: .read(.test("handle 0003")), answers: ["0b 01 02"]),
    Dialogue(
      name: "long read", request: .read(.test("handle 0003")),
      answers: [Hex.text([0x0B] + value.prefix(22)), Hex.text([0x0D] + value.prefix(22)), "0d 01"]),
    Dialogue(
      name: "read by UUID", request: .read(.test("2a19 home 180f")),
      answers: ["09 03 12 00 10 21 00 58", "07 20 00 22 00"]),
    Dialogue(name: "write", request: .write(.test("handle 0003"), [1]), answers: ["13"]),
    Dialogue(
      name: "long write", request: .write(.test("handle 0003"), value),
      answers: [echo(0, 0..<18), echo(18, 18..<36), echo(36, 36..<40), "19"]),
    Dialogue(
      name: "subscribe", request: .subscribe(.test("2a37 home 180d")),
      answers: ["07 10 00 20 00", "09 07 11 00 10 12 00 37 2a 14 00 02 15 00 38 2a", "05 01 13 00 02 29", "13"]),
    Dialogue(
      name: "discover", request: .discover([UUID(0x180D)]),
      answers: [
        "07 10 00 16 00", "01 06 17 00 0a", "09 06 11 00 40 00 41 00", "01 08 12 00 0a",
        "0b 9e ca dc 24 0e e5 a9 e0 93 f3 a3 b5 01 00 40 6e",
        "09 07 12 00 10 13 00 37 2a 15 00 02 16 00 38 2a", "05 01 14 00 02 29",
      ]),
    Dialogue(
      name: "discover everything", request: .discover([]),
      answers: [
        "11 06 01 00 03 00 00 18 04 00 06 00 01 18", "01 10 07 00 0a", "01 08 01 00 0a", "09 07 02 00 02 03 00 00 2a",
        "09 07 05 00 02 06 00 05 2a",
      ]),
  ]
}

@Suite struct AttRefusalTests {
  private func play(_ dialogue: Dialogue, until step: Int) -> (AttBench, OperationID) {
    var bench = AttBench.ready(mtu: 23)
    let id = bench.submit(dialogue.request)
    for answer in dialogue.answers.prefix(step) { bench.hear(answer) }
    return (bench, id)
  }

  /// However it continues, the operation ends exactly once: by its answers, or after 30 s.
  private func ends(_ bench: inout AttBench, _ id: OperationID, _ why: String) {
    for _ in 0..<40 where bench.outcome(id) == nil { bench.wait(.seconds(31)) }
    #expect(bench.count(of: id) == 1, "\(why)")
    if let failure = bench.failure(id) {
      #expect(!failure.message.isEmpty && failure.layer == .att, "\(why)")
    }
  }

  @Test(arguments: Dialogue.all) fileprivate func correctAnswersSucceed(dialogue: Dialogue) throws {
    let (bench, id) = play(dialogue, until: dialogue.answers.count)
    let outcome = try #require(bench.outcome(id))
    #expect(throws: Never.self) { try outcome.get() }
  }

  @Test(arguments: Dialogue.all) fileprivate func everyTruncationIsRefusedOrIgnored(dialogue: Dialogue) {
    for step in dialogue.answers.indices {
      let good = Hex.bytes(dialogue.answers[step]) ?? []
      for length in 0..<good.count {
        var (bench, id) = play(dialogue, until: step)
        bench.hear(Array(good.prefix(length)))
        ends(&bench, id, "\(dialogue.name), answer \(step) cut to \(length)")
      }
    }
  }

  @Test(arguments: Dialogue.all) fileprivate func garbageOfEveryLengthIsRefusedOrIgnored(dialogue: Dialogue) {
    for step in dialogue.answers.indices {
      let good = Hex.bytes(dialogue.answers[step]) ?? []
      for length in 0...40 {
        for filler in [UInt8(0x00), 0x01, 0x7F, 0xFF] {
          for first in [good.first ?? 0, 0x01, filler] {
            var (bench, id) = play(dialogue, until: step)
            bench.hear([first] + Array(repeating: filler, count: length))
            ends(&bench, id, "\(dialogue.name), answer \(step), \(length) octets of \(filler)")
          }
        }
      }
    }
  }

  @Test(arguments: Dialogue.all) fileprivate func everyWrongOpcodeIsRefusedOrIgnored(dialogue: Dialogue) {
    for step in dialogue.answers.indices {
      let good = Hex.bytes(dialogue.answers[step]) ?? []
      for opcode in UInt8.min...UInt8.max where opcode != good.first {
        var (bench, id) = play(dialogue, until: step)
        bench.hear([opcode] + good.dropFirst())
        ends(&bench, id, "\(dialogue.name), answer \(step) as \(ATTOpcode.name(opcode))")
        // an unsolicited answer is never taken for an answer
        if ATTOpcode.isResponse(opcode), opcode != 0x01 {
          #expect(bench.failure(id) != nil, "\(dialogue.name), \(ATTOpcode.name(opcode))")
        }
      }
    }
  }

  @Test(arguments: Dialogue.all) fileprivate func everyErrorEndsIt(dialogue: Dialogue) {
    for step in dialogue.answers.indices {
      for code in UInt8.min...UInt8.max {
        var (bench, id) = play(dialogue, until: step)
        let request = bench.sent.last?.first ?? 0
        bench.hear([0x01, request, 0x03, 0x00, code])
        ends(&bench, id, "\(dialogue.name), error \(code) at \(step)")
      }
    }
  }

  @Test(arguments: Dialogue.all) fileprivate func silenceEndsItAtThirtySeconds(dialogue: Dialogue) {
    for step in dialogue.answers.indices {
      var (bench, id) = play(dialogue, until: step)
      bench.wait(.seconds(30) + TimeSpan(nanoseconds: -1))
      #expect(bench.outcome(id) == nil && bench.closed == nil)
      bench.wait(TimeSpan(nanoseconds: 1))
      #expect(bench.failure(id)?.kind == .timeout)
      #expect(bench.closed?.kind == .timeout)
      bench.hear(dialogue.answers[step])
      #expect(bench.count(of: id) == 1)
    }
  }

  @Test(arguments: Dialogue.all) fileprivate func aDropEndsItAtOnce(dialogue: Dialogue) {
    for step in dialogue.answers.indices {
      var (bench, id) = play(dialogue, until: step)
      bench.lose()
      #expect(bench.failure(id)?.kind == .disconnected)
      #expect(bench.failure(id)?.delivered != nil)
      #expect(bench.count(of: id) == 1)
      #expect(bench.peer.nextDeadline == nil)
    }
  }

  // MARK: Lists that do not advance

  @Test(arguments: [
    ("07 20 00 10 00", "ends before it begins"), ("07 00 00 10 00", "handle 0"), ("07 10 00 20 00 15 00 30 00", "overlap"),
    ("07 30 00 40 00 10 00 20 00", "backward"),
  ]) func badServicesAreThePeersFault(answer: String, why: String) {
    var bench = AttBench.ready()
    let id = bench.submit(.discover([UUID(0x180D)]))
    bench.hear(answer)
    #expect(bench.failure(id)?.blame == .peer, "\(why)")
    #expect(bench.peer.attributeCache.isEmpty, "a partial tree is not kept")
  }

  @Test(arguments: [
    "09 07 0f 00 10 12 00 37 2a", "09 07 21 00 10 22 00 37 2a", "09 07 11 00 10 11 00 37 2a", "09 07 11 00 10 21 00 37 2a",
    "09 07 14 00 10 15 00 37 2a 11 00 10 12 00 37 2a", "09 06 11 00 10 12 00 37", "09 02 11 00",
    "09 07 11 00 10 12 00 37 2a 12 00 10 13 00 37 2a",
  ]) func badCharacteristicsAreThePeersFault(answer: String) {
    var bench = AttBench.ready(mtu: 64)
    let id = bench.submit(.subscribe(.test("180d/2a37")))
    bench.hear("07 10 00 20 00")
    bench.hear(answer)
    #expect(bench.failure(id)?.blame == .peer)
    #expect(bench.failure(id)?.got == Hex.bytes(answer))
  }

  @Test(arguments: [
    "05 01 12 00 02 29", "05 01 15 00 02 29 14 00 01 29", "05 01 21 00 02 29", "05 01 00 00 02 29", "05 01 13 00 02 29 13 00 02 29",
  ])
  func badDescriptorsAreThePeersFault(answer: String) {
    var bench = AttBench.ready()
    let id = bench.submit(.subscribe(.test("180d/2a37")))
    bench.hear("07 10 00 20 00")
    bench.hear("09 07 11 00 10 12 00 37 2a")
    bench.hear(answer)
    #expect(bench.failure(id)?.blame == .peer)
  }

  /// A peer that always has another entry.
  @Test(arguments: [
    GattRequest.discover([]), .discover([UUID(0x180D)]), .subscribe(.test("180d/2a37[65535]")), .write(.test("2a39"), [1]),
  ])
  func endlessListsEnd(request: GattRequest) throws {
    var bench = AttBench.ready()
    let id = bench.submit(request)
    var asked = 0
    while !bench.sent.isEmpty, asked < 100_000 {
      asked += 1
      let pdu = try ATTPDU(encoded: bench.sent.removeFirst())
      bench.sent = []
      switch pdu {
      case .findByTypeValueRequest(let range, _, _):
        bench.hear(ATTPDU.findByTypeValueResponse([HandleRange(range.start, range.start)]).encoded)
      case .readByGroupTypeRequest(let range, _):
        bench.hear(ATTPDU.readByGroupTypeResponse([GroupValue(HandleRange(range.start, range.start), [0x0D, 0x18])]).encoded)
      case .readByTypeRequest(let range, let type) where type == UUID(0x2803):
        let value = range.start.next ?? .last
        bench.hear(ATTPDU.readByTypeResponse([HandleValue(range.start, [0x08] + value.encoded + [0x37, 0x2A])]).encoded)
      case .readByTypeRequest(let range, _):
        bench.hear(ATTPDU.readByTypeResponse([HandleValue(range.start, range.encoded)]).encoded)
      case .findInformationRequest(let range):
        bench.hear(ATTPDU.findInformationResponse([HandleUUID(range.start, UUID(0x2901))]).encoded)
      default: bench.hear("13")
      }
    }
    #expect(bench.count(of: id) == 1)
    #expect(asked < 10_000)
    #expect(bench.failure(id)?.blame == .peer)
  }

  @Test func anEndlessValueEnds() {
    var bench = AttBench.ready()
    let id = bench.submit(.read(.test("handle 0003")))
    var asked = 0
    while let pdu = bench.sent.first, asked < 1000 {
      bench.sent = []
      asked += 1
      bench.hear([pdu[0] + 1] + Array(repeating: 7, count: 22))
    }
    #expect(bench.failure(id)?.blame == .peer)
    #expect(asked == 24)
  }

  @Test func aValueOf512OctetsIsRead() throws {
    var bench = AttBench.ready(mtu: 517)
    let id = bench.submit(.read(.test("handle 0003")))
    bench.hear([0x0B] + Array(repeating: 7, count: 512))
    guard case .success(.value(let value, _))? = bench.outcome(id) else { return #expect(Bool(false)) }
    #expect(value.count == 512)
  }

  // MARK: Random

  private struct Generator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 24
    }
    mutating func bytes() -> [UInt8] {
      let count = Int(next() % 32)
      return (0..<count).map { _ in
        let value = next()
        // small numbers are opcodes, lengths and handles
        return UInt8(truncatingIfNeeded: value & 3 == 0 ? value >> 8 : (value >> 8) % 0x24)
      }
    }
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>) func randomPDUsToTheClientCrashNothing(seed: UInt64) {
    var random = Generator(state: seed)
    var bench = AttBench.ready(mtu: 64)
    var ids: [OperationID] = []
    for round in 0..<20_000 {
      if bench.peer.nextDeadline == nil || bench.closed != nil || bench.sent.count > 1000 {
        bench.lose()
        for id in ids { #expect(bench.count(of: id) == 1) }
        ids = []
        let attributeCache = round % 2 == 0 ? bench.peer.attributeCache : nil
        bench = AttBench.ready(mtu: 64, attributeCache: attributeCache)
      }
      if ids.count < 64, round % 5 == 0 {
        let paths = ["2a37 home 180d", "2a19", "180d/2a38", "handle 0003", "180d/2a37/2902", "2a19[1]"]
        let path = AttributePath.test(paths[Int(random.next() % 6)])
        switch random.next() % 6 {
        case 0: ids.append(bench.submit(.discover([])))
        case 1: ids.append(bench.submit(.read(path)))
        case 2: ids.append(bench.submit(.write(path, Array(repeating: 1, count: Int(random.next() % 100)))))
        case 3: ids.append(bench.submit(.subscribe(path)))
        case 4: ids.append(bench.submit(.unsubscribe(path)))
        default: ids.append(bench.submit(.writeWithoutResponse(path, [1])))
        }
      }
      if random.next() % 50 == 0, let id = ids.first { bench.cancel(id) }
      if random.next() % 30 == 0 { bench.wait(.milliseconds(Int64(random.next() % 2000))) }
      // half of them resemble an answer to the request
      var pdu = random.bytes()
      if random.next() % 2 == 0, let asked = bench.sent.last?.first {
        pdu = [asked == 0x52 ? 0x1B : asked &+ 1] + pdu
        if random.next() % 3 == 0 { pdu = [0x01, asked, 0x01, 0x00, UInt8(truncatingIfNeeded: random.next() % 0x14)] }
      }
      bench.hear(pdu)
      if bench.events.count > 4000 {
        for id in ids where bench.count(of: id) > 0 { #expect(bench.count(of: id) == 1) }
        ids.removeAll { bench.outcome($0) != nil }
        bench.events = []
        bench.owned = []
        bench.order = []
      }
    }
    bench.lose()
    for id in ids { #expect(bench.count(of: id) == 1) }
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>) func randomPDUsToTheServerCrashNothing(seed: UInt64) {
    var random = Generator(state: seed)
    var table = ServerTable.strap
    table.services[0].characteristics[1].asksBeforeRead = true
    table.services[0].characteristics[2].asksBeforeWrite = true
    table.services[0].characteristics[2].properties = [.write, .writeWithoutResponse]
    table.services[0].includes = [1, 7]
    var bench = AttBench(isCentral: false)
    _ = bench.server.publish(table, owner: .run)
    bench.start()
    for _ in 0..<20_000 {
      let pdu = random.bytes()
      let before = bench.sent.count
      bench.hear(pdu)
      if let opcode = pdu.first, ATTOpcode.isRequest(opcode), bench.sent.count == before {
        // forwarded to the owner, or queued after such a request
        #expect(
          bench.events.contains { if case .readRequested = $0 { true } else if case .writeRequested = $0 { true } else { false } })
      }
      for event in bench.events {
        switch event {
        case .readRequested(let id, _, _):
          bench.take(bench.peer.answer(id, .value([1, 2, 3]), server: &bench.server, at: bench.now))
        case .writeRequested(let id, _, _, _, _):
          bench.take(bench.peer.answer(id, random.next() % 2 == 0 ? .accept : .refuse(0x80), server: &bench.server, at: bench.now))
        default: break
        }
      }
      bench.events = []
      for sent in bench.sent { #expect(sent.count <= Int(bench.peer.mtu)) }
      bench.sent = []
      bench.owned = []
      bench.order = []
    }
  }
}
