import Exchange
import Packets
import Vocabulary

@testable import Host

/// Our client against a well-behaved server whose answers are corrupted in transit. It ends by an
/// answer, by silence, or with a server that never finishes.
enum ClientFuzz {
  static func run(_ bytes: [UInt8]) {
    var input = Input(bytes)
    let mode = input.byte()
    let mtus: [UInt16] = [23, 64, 247, 517]
    var device = Bearer(isCentral: false, mtu: mtus[Int(mode >> 2 & 3)])
    device.replace(mode & 0x10 != 0 ? Table.small : Table.full)
    var client = Bearer(isCentral: true, mtu: mtus[Int(mode >> 5 & 3)], attributeCache: mode & 0x80 != 0 ? known(&input) : nil)
    client.take(client.peer.start(at: client.now))
    device.take(device.peer.start(at: device.now))
    var toClient: [[UInt8]] = []
    var isAsking = false

    func listen() {
      for pdu in client.sent where isRequest(pdu) {
        demand(!isAsking, "\(Hex.text(pdu)) was asked before the last answer")
        isAsking = true
      }
    }
    func hear(_ pdu: [UInt8]) {
      if let opcode = pdu.first, ATTOpcode.isResponse(opcode) { isAsking = false }
      let before = client.sent.count
      client.hear(pdu)
      demand(client.sent.count - before <= 80, "\(client.sent.count - before) PDUs came of one")
      listen(from: before)
    }
    func listen(from place: Int) {
      for pdu in client.sent[min(place, client.sent.count)...] where isRequest(pdu) {
        demand(!isAsking, "\(Hex.text(pdu)) was asked before the last answer")
        isAsking = true
      }
    }
    /// Delivers one PDU of the client to the device, and returns the device's PDUs.
    func deliver() {
      if !client.sent.isEmpty { device.hear(client.sent.removeFirst()) }
      device.acceptAll()
      toClient += device.sent
      device.sent = []
    }
    listen()

    var steps = 0
    while !input.isAtEnd, steps < 400 {
      steps += 1
      let before = client.sent.count
      switch input.below(16) {
      case 0, 1, 2:
        client.submit(Table.request(&input))
        listen(from: before)
      case 3, 4, 5, 6:
        deliver()
        if !toClient.isEmpty { hear(input.corrupt(toClient.removeFirst())) }
      case 7: hear(input.blob())
      case 8:
        // a well-formed answer to the request, with other content
        let opcode = client.sent.last?.first.flatMap { $0 & 1 == 0 ? $0 + 1 : nil } ?? 0x0B
        hear([opcode] + input.blob())
      case 9: hear([0x01, client.sent.last?.first ?? input.byte(), input.byte(), input.byte(), input.byte()])
      case 10:
        let id = OperationID(UInt64(input.below(client.issued.count + 1)))
        client.take(client.peer.cancel(.run, id, at: client.now))
        listen(from: before)
      case 11:
        client.wait()
        listen(from: before)
        device.now = client.now
      case 12: client.acknowledge()
      case 13:
        let value = input.blob()
        device.publish(
          UInt64(10_000 + steps), 1 + input.below(8), value, input.flag() ? .notify : .indicate, to: nil)
      case 14:
        client.flows.toggle()
        if client.flows { client.flow(client.unhanded) }
        listen(from: before)
      default: hear([input.flag() ? 0x1B : 0x1D, UInt8(input.below(40)), 0] + input.blob())
      }
    }

    // The end, which must come whatever the server does.
    client.flows = true
    client.flow(client.unhanded)
    switch mode & 3 {
    case 0: break
    case 1:
      var rounds = 0
      while !client.sent.isEmpty || !toClient.isEmpty {
        rounds += 1
        demand(rounds < 20_000, "a good server is asked without end")
        deliver()
        while !toClient.isEmpty { hear(toClient.removeFirst()) }
      }
    default:
      var rounds = 0
      while !client.sent.isEmpty {
        rounds += 1
        demand(rounds < 40_000, "a server that never comes to an end is asked without end")
        let pdu = client.sent.removeFirst()
        if let answer = endless(pdu, mtu: Int(client.peer.mtu)) { hear(answer) }
      }
    }
    var rounds = 0
    while client.peer.nextDeadline != nil, rounds < 200 {
      client.wait()
      rounds += 1
    }
    client.lose()
  }

  private static func isRequest(_ pdu: [UInt8]) -> Bool {
    guard let opcode = pdu.first else { return false }
    return opcode & 1 == 0 && opcode & 0x40 == 0 && opcode != ATTOpcode.handleValueConfirmation
  }

  /// An attribute cache from an earlier link, if the bytes of the input decode as one.
  private static func known(_ input: inout Input) -> AttributeCache? {
    var attributeCache = AttributeCache()
    var service = AttributeCache.Service(uuid: UUID(0x180D), start: AttributeHandle(10), end: AttributeHandle(UInt16(input.byte())))
    service.characteristics = [
      .init(uuid: UUID(0x2A37), declaration: AttributeHandle(11), value: AttributeHandle(12), properties: 0x10)
    ]
    _ = attributeCache.add(service)
    attributeCache.probe = input.flag() ? nil : .init(request: [0x08, 0x02, 0x00, 0xFF, 0xFF, 0x03, 0x28], expected: input.take(4))
    if input.flag() { attributeCache.databaseHash = Array(repeating: 7, count: 16) }
    return attributeCache
  }

  /// The longest path through every procedure: one entry per answer, and always one more.
  private static func endless(_ pdu: [UInt8], mtu: Int) -> [UInt8]? {
    guard let request = try? ATTPDU(encoded: pdu) else { return nil }
    func handle(_ raw: UInt16) -> AttributeHandle { AttributeHandle(raw) }
    let answer: ATTPDU
    switch request {
    case .exchangeMTURequest: answer = .exchangeMTUResponse(23)
    case .findInformationRequest(let range): answer = .findInformationResponse([HandleUUID(range.start, UUID(0x2901))])
    case .findByTypeValueRequest(let range, _, _): answer = .findByTypeValueResponse([HandleRange(range.start, range.start)])
    case .readByTypeRequest(let range, let type):
      let start = range.start
      let next = start.raw == .max ? start.raw : start.raw + 1
      let value: [UInt8] =
        type == UUID(0x2803)
        ? [0x02, UInt8(truncatingIfNeeded: next), UInt8(truncatingIfNeeded: next >> 8), 0x37, 0x2A]
        : type == UUID(0x2802)
          ? [UInt8(truncatingIfNeeded: next), UInt8(truncatingIfNeeded: next >> 8), 0xFF, 0xFF, 0x0F, 0x18] : [1, 2]
      answer = .readByTypeResponse([HandleValue(start, value)])
    case .readByGroupTypeRequest(let range, _):
      let end = handle(range.start.raw > 0xFFF0 ? 0xFFFF : range.start.raw + 3)
      answer = .readByGroupTypeResponse([GroupValue(HandleRange(range.start, end), [0x0D, 0x18])])
    case .readRequest: answer = .readResponse(Array(repeating: 1, count: mtu - 1))
    case .readBlobRequest: answer = .readBlobResponse(Array(repeating: 1, count: mtu - 1))
    case .prepareWriteRequest(let handle, let offset, let value): answer = .prepareWriteResponse(handle, offset: offset, value)
    case .executeWriteRequest: answer = .executeWriteResponse
    case .writeRequest: answer = .writeResponse
    default: return nil
    }
    return answer.encoded
  }
}

/// Our server under requests from any client.
enum ServerFuzz {
  static func run(_ bytes: [UInt8]) {
    var input = Input(bytes)
    let mode = input.byte()
    var bearer = Bearer(isCentral: false, mtu: [23, 64, 247, 517][Int(mode & 3)])
    if mode & 4 == 0 { bearer.replace(Table.full) }
    bearer.take(bearer.peer.start(at: bearer.now))
    var requests = 0
    var steps = 0

    func hear(_ pdu: [UInt8]) {
      if let opcode = pdu.first, opcode & 0x40 == 0 { requests += 1 }
      bearer.hear(pdu)
      look()
    }
    func look() {
      for pdu in bearer.sent {
        guard let opcode = pdu.first, ATTOpcode.isResponse(opcode) else { continue }
        requests -= 1
        demand(requests >= 0, "\(Hex.text(pdu)) answers nothing")
      }
      bearer.sent = []
      demand(bearer.peer.session.prepared.count <= AttributeLimits.preparedWrites, "prepared writes pile up")
      demand(bearer.peer.session.deferred.count <= 1024, "\(bearer.peer.session.deferred.count) requests pile up")
      demand(bearer.peer.session.commands.count <= 1024, "\(bearer.peer.session.commands.count) commands pile up")
    }

    while !input.isAtEnd, steps < 600 {
      steps += 1
      let handle = [UInt8(input.below(48)), 0]
      switch input.below(24) {
      case 0: hear(input.blob())
      case 1: hear([0x02] + input.take(2))
      case 2: hear([0x04] + handle + input.take(2))
      case 3: hear([0x06] + handle + [0xFF, 0xFF] + input.take(2) + input.blob())
      case 4: hear([0x08] + handle + [0xFF, 0xFF] + input.take(2))
      case 5: hear([0x08] + handle + [0xFF, 0xFF] + [0x03, 0x28])
      case 6, 7: hear([0x0A] + handle)
      case 8: hear([0x0C] + handle + [input.byte(), input.byte() & 3])
      case 9: hear([0x0E] + handle + input.blob())
      case 10: hear([0x20] + handle + input.blob())
      case 11: hear([0x10] + handle + [0xFF, 0xFF, 0x00, 0x28])
      case 12: hear([0x10] + handle + input.take(4))
      case 13: hear([0x12] + handle + input.blob())
      case 14: hear([0x52] + handle + input.blob())
      case 15: hear([0x12] + handle + [UInt8(input.below(4)), 0])
      case 16: hear([0x16] + handle + [input.byte(), input.byte() & 3] + input.blob())
      case 17: hear([0x18, input.byte()])
      case 18: hear([0x1E])
      case 19:
        guard !bearer.asked.isEmpty else { break }
        let id = bearer.asked.remove(at: input.below(bearer.asked.count))
        let answers: [ServerAnswer] = [
          .accept, .value(input.blob()), .refuse(input.byte()), .value(Array(repeating: 3, count: 600)),
        ]
        bearer.answer(id, answers[input.below(4)])
      case 20:
        bearer.publish(
          UInt64(steps), Int(input.below(10)), input.blob(), input.flag() ? .notify : .indicate,
          to: input.flag() ? Table.peers[0] : nil)
      case 21: bearer.replace(input.flag() ? Table.full : Table.small)
      case 22: bearer.wait()
      default:
        bearer.flows.toggle()
        if bearer.flows { bearer.flow(bearer.unhanded) }
      }
      look()
    }
    bearer.flows = true
    bearer.flow(bearer.unhanded)
    var rounds = 0
    while bearer.peer.nextDeadline != nil, rounds < 50 {
      bearer.wait()
      rounds += 1
    }
    look()
    // The owner has no open request any more, so no request may be left unanswered if the bearer
    // lives.
    while !bearer.asked.isEmpty {
      bearer.answer(bearer.asked.removeFirst(), .accept)
      look()
      demand(bearer.asked.count < 4096, "every answer leads to another question")
    }
    demand(bearer.peer.session.waiting == nil || bearer.isClosed, "the owner has answered everything, and the server still waits")
    bearer.lose()
  }
}
