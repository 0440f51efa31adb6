import Exchange
import Packets
import Vocabulary

@testable import Host

/// The whole host under a script of client requests, controller events, peer PDUs and time.
/// Whatever happens, each request ends with exactly one outcome, and the host comes to rest after
/// each event.
struct HostFuzz {
  static func run(_ bytes: [UInt8]) {
    var input = Input(bytes)
    var fuzz = HostFuzz(&input)
    fuzz.play(&input)
    fuzz.end()
  }

  private var host: LEHost
  private var controller: Controller
  private var now = Instant.simulationStart
  /// Packets on their way to the host.
  private var toHost: [[UInt8]] = []
  private var pending: [ComputationID] = []
  /// Whether the controller withholds its packets.
  private var isHolding = false
  private var isHoldingCredits = false
  private var isGone = false
  private var isClosed = false
  private var issued: [HostRequest] = []
  private var outcomes: [UInt64: Int] = [:]
  private var events: [UInt32: UInt64] = [:]
  private var asked: [ServerRequestID] = []
  private var nextID: UInt64 = 0
  private let ending: UInt8

  /// A link's peer: a well-behaved server, and the PDUs for it.
  private struct Station {
    var handle: ConnectionHandle
    var bearer: Bearer
    var reassembler = Reassembler(limit: 600)
    var pdus: [[UInt8]] = []
    /// How many links were reported with this handle.
    var links = 0
    /// The host knows of this link. Anything it sent to the handle earlier belongs to an older
    /// link.
    var isReported = false
  }

  private var stations: [Station] = []
  /// Marks the place among the packets where an order to reopen the transport is answered.
  private static let opened: [UInt8] = [0xFF]

  private init(_ input: inout Input) {
    ending = input.byte()
    controller = Controller(&input)
    host = LEHost(
      configuration: HostConfiguration(
        ownAddress: ending & 4 == 0 ? .automatic : .staticRandom(UInt64(ending)), preferredMTU: ending & 8 == 0 ? 517 : 23,
        maximumCentrals: ending & 16 == 0 ? 1 : 3, keptPackets: 4))
    give(.started(seed: 1))
    settle()
  }

  // MARK: The host

  private mutating func give(_ input: HostInput) {
    let outputs = host.handle(input, at: now)
    demand(outputs.count < 10_000, "\(outputs.count) outputs at once")
    demand(host.credits >= 0 && host.credits <= max(host.facts.aclCount, 0), "\(host.credits) credits of \(host.facts.aclCount)")
    demand(host.early.count <= HostLimits.earlyPackets, "early packets pile up")
    demand(host.links.allSatisfy { $0.outbox.waiting <= HostLimits.unsentFrames + 1 }, "frames pile up")
    for place in host.links.indices.dropFirst() {
      demand(host.links[place - 1].handle < host.links[place].handle, "links are not in the order of their handles")
    }
    if let end = outputs.firstIndex(of: .closed) { demand(end == outputs.count - 1, "\(outputs[end + 1]) comes behind the end") }
    for output in outputs { take(output) }
  }

  private mutating func take(_ output: HostOutput) {
    switch output {
    case .send(let packet), .sendHidden(let packet, _):
      if packet.first == H4Type.acl.rawValue { sent(packet) } else { toHost += isGone ? [] : controller.answer(packet) }
    case .report(let report): reported(report)
    case .compute(let id, _):
      pending.append(id)
      toHost.append([])
    case .reopen:
      // data in flight on the old connection is lost; the answer follows immediately
      toHost = [Self.opened]
      pending = []
      stations = []
      controller.handles = []
    case .closed:
      demand(!isClosed, "the host is closed twice")
      isClosed = true
    }
  }

  private mutating func reported(_ report: HostReport) {
    let last = events[report.owner.raw] ?? 0
    demand(report.number.raw == last + 1, "event \(report.number.raw) after \(last)")
    events[report.owner.raw] = report.number.raw
    switch report.event {
    case .completed(let id, let result): ended(id, "\(result)")
    case .connected(let id, _, _): ended(id, "connected")
    case .readRequested(let id, _, _), .writeRequested(let id, _, _, _, _):
      asked.append(id)
      if asked.count > 64 { asked.removeFirst() }
    default: break
    }
  }

  private mutating func ended(_ id: OperationID, _ how: String) {
    outcomes[id.raw, default: 0] += 1
    let command = issued.first { $0.id == id }?.command
    demand(outcomes[id.raw] == 1, "request \(id.raw) \(String(describing: command)) ended a second time: \(how)")
  }

  /// Runs until the controller has nothing more to send.
  private mutating func settle() {
    var rounds = 0
    while !isHolding, !toHost.isEmpty {
      rounds += 1
      demand(rounds < 5000, "host and controller never come to rest")
      let packet = toHost.removeFirst()
      if packet == Self.opened {
        give(isGone ? .transportLost("nobody listens there") : .started(seed: 3))
        continue
      }
      forgetPartialFrames(packet)
      if packet.isEmpty {
        // The controller may send an empty packet of its own.
        if !pending.isEmpty { give(.computed(pending.removeFirst(), .databaseHash(Array(repeating: 9, count: 16)))) }
      } else if !isGone {
        give(.packet(packet))
      }
    }
  }

  /// After a new link, or one that was reported as new, its handle means another link: partial
  /// frames need not be completed.
  private mutating func forgetPartialFrames(_ packet: [UInt8]) {
    guard packet.count > 6, packet[0] == 0x04, packet[1] == 0x3E, packet[3] == 0x01 || packet[3] == 0x0A else { return }
    let handle = ConnectionHandle(UInt16(packet[5]) | UInt16(packet[6]) << 8)
    for place in stations.indices where stations[place].handle == handle {
      stations[place].reassembler = Reassembler(limit: 600)
      stations[place].links += 1
      stations[place].isReported = true
    }
  }

  // MARK: Data

  private mutating func sent(_ packet: [UInt8]) {
    guard !isGone, case .acl(let acl)? = try? HCIPacket(encoded: packet) else { return }
    demand(acl.data.count <= host.facts.aclLength && !acl.data.isEmpty, "a fragment of \(acl.data.count) octets")
    guard let place = stations.firstIndex(where: { $0.handle == acl.handle }) else { return }
    if stations[place].isReported {
      if let frame = stations[place].reassembler.take(first: acl.boundary.isFirst, acl.data) {
        demand(frame.payload.count <= 517, "a frame of \(frame.payload.count) octets")
        if frame.channel == L2CAPChannel.attribute { stations[place].pdus.append(frame.payload) }
      }
      demand(
        stations[place].links > 1 || stations[place].reassembler.dropped == nil,
        "\(String(describing: stations[place].reassembler.dropped)) of our own frames")
    }
    if !isHoldingCredits {
      toHost.append(Controller.packet(.numberOfCompletedPackets([CompletedPackets(handle: acl.handle, count: 1)])))
    }
  }

  /// A frame of a peer, fragmented as the input says.
  private mutating func frame(_ channel: UInt16, _ payload: [UInt8], on handle: ConnectionHandle, _ input: inout Input) {
    let whole = L2CAPFrame(channel: channel, payload: payload).encoded
    let size = input.byte()
    let piece = size < 200 ? whole.count : max(1, Int(size) - 199)
    var place = 0
    while place < whole.count {
      let end = min(whole.count, place + piece)
      let acl = ACLPacket(handle: handle, boundary: place == 0 ? .firstFlushable : .continuing, data: Array(whole[place..<end]))
      toHost.append(HCIPacket.acl(acl).encoded)
      place = end
    }
  }

  private func handle(_ input: inout Input) -> ConnectionHandle {
    let choice = Int(input.byte())
    return choice & 0x80 != 0 || stations.isEmpty ? ConnectionHandle(UInt16(choice & 7)) : stations[choice % stations.count].handle
  }

  // MARK: The script

  private mutating func request(_ command: HostCommand, owner: UInt32 = 1) {
    nextID += 1
    let request = HostRequest(owner: OwnerID(owner), id: OperationID(nextID), command: command)
    issued.append(request)
    give(.request(request))
  }

  private mutating func play(_ input: inout Input) {
    var steps = 0
    while !input.isAtEnd, steps < 400, !isClosed {
      steps += 1
      step(&input)
      settle()
    }
  }

  private mutating func step(_ input: inout Input) {
    let choice = input.byte()
    let owner: UInt32 = choice & 0x80 == 0 ? 1 : 2
    switch choice & 0x3F {
    case 0, 1:
      request(
        .scan(ScanRequest(duty: choice & 0x40 == 0 ? .full : .gentle, addresses: input.flag() ? [Table.peers[0].bits] : [])),
        owner: owner)
    case 2, 3, 4:
      let peer = Table.peers[input.below(3)]
      request(.connect(ConnectRequest(peer: peer, pending: choice & 0x40 == 0, mtu: input.flag() ? 23 : nil)), owner: owner)
    case 5: request(.disconnect(Table.peers[input.below(3)]), owner: owner)
    case 6, 7, 8, 9, 10, 11: request(.gatt(Table.peers[input.below(3)], Table.request(&input)), owner: owner)
    case 12:
      let peer = Table.peers[input.below(3)]
      request(choice & 0x40 == 0 ? .gatt(peer, .readRSSI) : .forgetBond(peer), owner: owner)
    case 13, 14:
      guard !issued.isEmpty else { return }
      give(
        .request(
          HostRequest(
            owner: OwnerID(owner), id: OperationID(1_000_000 + nextID), command: .cancel(issued[input.below(issued.count)].id))))
    case 15:
      let number = EventNumber(events[owner] ?? 0)
      give(.request(HostRequest(owner: OwnerID(owner), id: OperationID(0), command: .acknowledge(number))))
    case 16: request(.publish(input.flag() ? Table.full : Table.small), owner: owner)
    case 17:
      let plan = AdvertisingPlan(
        services: [UUID(0x180D)], name: String(repeating: "n", count: input.below(80)),
        interval: .milliseconds(Int64(input.word())),
        connectable: choice & 0x40 == 0)
      request(.advertise(plan), owner: owner)
    case 18: request(choice & 0x40 == 0 ? .stopAdvertising : .offerOutOfBand, owner: owner)
    case 19: request(.update(attribute: ServerAttributeID(input.below(10)), value: input.blob()), owner: owner)
    case 20:
      let to = input.flag() ? Table.peers[input.below(3)] : nil
      request(
        .publishValue(
          attribute: ServerAttributeID(input.below(10)), value: input.blob(), kind: input.flag() ? .notify : .indicate, to: to),
        owner: owner)
    case 21:
      guard !asked.isEmpty else { return }
      let id = asked.remove(at: input.below(asked.count))
      let answers: [ServerAnswer] = [.accept, .value(input.blob()), .refuse(input.byte())]
      give(
        .request(
          HostRequest(
            owner: OwnerID(owner), id: OperationID(2_000_000 + UInt64(id.raw)), command: .answer(id, answers[input.below(3)]))))
    case 22:
      guard let again = issued.last else { return }
      give(.request(again))
    // the controller
    case 23, 24, 25: linkMade(&input, role: .central)
    case 26, 27: linkMade(&input, role: .peripheral)
    case 28:
      let handle = handle(&input)
      stations.removeAll { $0.handle == handle }
      controller.handles.removeAll { $0 == handle }
      toHost.append(
        Controller.packet(
          .disconnectionComplete(DisconnectionComplete(status: .success, handle: handle, reason: HCIStatus(input.byte())))))
    case 29:
      let report = AdvertisingReport(
        kind: AdvertisingReport.Kind(rawValue: input.byte() % 5) ?? .nonConnectable, address: Table.peers[input.below(3)],
        data: Array(input.blob().prefix(31)), rssi: Int8(bitPattern: input.byte()))
      toHost.append(Controller.packet(.leAdvertisingReport([report])))
    case 30:
      let report = ExtendedAdvertisingReport(
        properties: input.word(), address: input.flag() ? Table.peers[input.below(3)] : nil, rssi: Int8(bitPattern: input.byte()),
        data: Array(input.blob().prefix(229)))
      toHost.append(Controller.packet(.leExtendedAdvertisingReport([report])))
    case 31, 32:
      // any event, with the handle of a link in it where there is one
      let codes: [[UInt8]] = [
        [0x05], [0x08], [0x0C], [0x0E], [0x0F], [0x10], [0x13], [0x1A], [0x30], [0x3E, 0x01], [0x3E, 0x02], [0x3E, 0x03],
        [0x3E, 0x04],
        [0x3E, 0x05], [0x3E, 0x06], [0x3E, 0x07], [0x3E, 0x0A], [0x3E, 0x0C], [0x3E, 0x0D], [0x3E, 0x12], [0x3E, 0x14], [0xFF],
      ]
      let code = codes[input.below(codes.count)]
      var body = Array(code.dropFirst()) + (input.flag() ? [0] : [])
      if input.flag() { body += handle(&input).encoded }
      body += input.blob()
      body = Array(body.prefix(255))
      toHost.append([0x04, code[0], UInt8(body.count)] + body)
    case 33: toHost.append([0x04, 0x13, 0x05, 0x01] + handle(&input).encoded + [input.byte(), 0])
    case 34:
      controller.refusals.append(
        (HCIOpcode(refusable[input.below(refusable.count)].raw), HCIStatus(input.byte()), Int(input.byte() >> 4) + 1))
    case 35: isHolding.toggle()
    case 36: isHoldingCredits.toggle()
    case 37: if !toHost.isEmpty { toHost.append(toHost.remove(at: input.below(toHost.count))) }
    case 38: if !toHost.isEmpty { toHost[0] = input.corrupt(toHost[0]).isEmpty ? [0x04] : input.corrupt(toHost[0]) }
    case 39: controller.isSilent = choice & 0x40 != 0
    // the peers
    case 40, 41, 42, 43, 44, 45: answerWell(&input, spoils: choice & 0x40 != 0)
    case 46, 47: frame(L2CAPChannel.attribute, input.blob(), on: handle(&input), &input)
    case 48: frame(L2CAPChannel.signalling, input.blob(), on: handle(&input), &input)
    case 49: frame(L2CAPChannel.security, input.blob(), on: handle(&input), &input)
    case 50: frame(input.word(), input.blob(), on: handle(&input), &input)
    case 51:
      let acl = ACLPacket(
        handle: handle(&input), boundary: ACLPacket.Boundary(rawValue: input.byte() & 3) ?? .complete, data: input.blob())
      toHost.append(HCIPacket.acl(acl).encoded)
    case 52, 53:
      // a client that is not ours, over the same bearer
      let pdus: [[UInt8]] = [
        [0x02, 0x40, 0x00], [0x0A, input.byte(), 0], [0x12, input.byte(), 0, input.byte() & 3, 0],
        [0x10, 1, 0, 0xFF, 0xFF, 0, 0x28],
        [0x52, input.byte(), 0, 1], [0x1E], [0x16, input.byte(), 0, 0, 0, 1], [0x18, 1],
      ]
      frame(L2CAPChannel.attribute, pdus[input.below(pdus.count)], on: handle(&input), &input)
    case 54:
      frame(
        L2CAPChannel.attribute, [input.flag() ? 0x1B : 0x1D, UInt8(input.below(40)), 0] + input.blob(), on: handle(&input), &input)
    // time and ends
    case 55, 56, 57, 58: wait()
    case 59: now = now + .milliseconds(Int64(input.word()))
    case 60: toHost.append(input.blob() + [0])
    case 61:
      guard choice & 0xC0 == 0xC0 else { return wait() }
      isGone = true
      give(.transportLost("unplugged"))
      stations = []
      toHost = []
      controller.handles = []
    case 62:
      guard isGone || choice & 0xC0 == 0xC0 else { return wait() }
      isGone = false
      controller.isSilent = false
      give(.started(seed: 2))
    default: if choice & 0xC0 == 0xC0 { give(.closing) } else { wait() }
    }
  }

  private var refusable: [HCIOpcode] {
    [
      .reset, .readLocalSupportedCommands, .leReadBufferSize, .leSetEventMask, .readRSSI, .disconnect, .leSetScanParameters,
      .leSetScanEnable,
      .leCreateConnection, .leCreateConnectionCancel, .leAddToFilterAcceptList, .leRemoveFromFilterAcceptList,
      .leSetAdvertisingParameters,
      .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable, .leSetExtendedScanParameters,
      .leSetExtendedScanEnable,
      .leExtendedCreateConnection, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
      .leSetExtendedAdvertisingEnable,
      .leSetDefaultPHY, .leWriteSuggestedDefaultDataLength, .leConnectionUpdate, .leSetDataLength,
    ]
  }

  private mutating func linkMade(_ input: inout Input, role: LinkRole) {
    let how = input.byte()
    var peer = Table.peers[Int(how & 3) % 3]
    if role == .central {
      guard controller.isInitiating || how & 0x80 != 0 else { return }
      if let target = controller.target { peer = target } else if let first = controller.list.first { peer = first }
      controller.isInitiating = false
    }
    let status = how & 0x40 == 0 ? HCIStatus.success : HCIStatus(input.byte())
    let handle = ConnectionHandle(UInt16(how >> 2 & 7))
    let event = ConnectionComplete(
      status: status, handle: handle, role: role, peer: peer, interval: how & 0x20 == 0 ? 24 : input.word(), latency: 0,
      supervisionTimeout: how & 0x20 == 0 ? 500 : input.word())
    if status.isSuccess {
      let links = stations.contains { $0.handle == handle } ? 1 : 0
      stations.removeAll { $0.handle == handle }
      var bearer = Bearer(isCentral: false, mtu: 517)
      bearer.replace(Table.full)
      bearer.take(bearer.peer.start(at: now))
      stations.append(Station(handle: handle, bearer: bearer, links: links))
      if !controller.handles.contains(handle) { controller.handles.append(handle) }
    }
    toHost.append(
      Controller.packet(
        controller.isExtended && how & 0x10 != 0
          ? .leEnhancedConnectionComplete(EnhancedConnectionComplete(connection: event)) : .leConnectionComplete(event)))
  }

  /// The peer's server answers the host's oldest PDU, perhaps with a corrupted answer.
  private mutating func answerWell(_ input: inout Input, spoils: Bool) {
    guard let place = stations.firstIndex(where: { !$0.pdus.isEmpty }) else { return }
    stations[place].bearer.now = now
    stations[place].bearer.hear(stations[place].pdus.removeFirst())
    stations[place].bearer.acceptAll()
    let answers = stations[place].bearer.sent
    stations[place].bearer.sent = []
    let handle = stations[place].handle
    for pdu in answers { frame(L2CAPChannel.attribute, spoils ? input.corrupt(pdu) : pdu, on: handle, &input) }
  }

  /// Advances to the next deadline. A deadline that remains after it was served would make the loop
  /// spin.
  private mutating func wait() {
    guard let deadline = host.nextDeadline else {
      now = now + .milliseconds(100)
      return give(.deadline)
    }
    if deadline > now.moment { now = now + (deadline - now.moment) }
    for _ in 0..<64 {
      give(.deadline)
      settle()
      guard let next = host.nextDeadline, next <= now.moment else { return }
    }
    demand(
      false,
      """
      the host asks to be woken at a moment that is over, again and again: \(host.phase), command \(String(describing: host.queue.deadline)), \
      initiator \(host.arbiter.radio.initiator), turn \(String(describing: host.arbiter.radio.turnEnds)), rotation \(String(describing: host.arbiter.radio.rotationEnds)), \
      wishes \(host.arbiter.requestedConnections.map(\.deadline)), \
      links \(host.links.map { "\($0.stage) \(String(describing: $0.establishedBy)) \(String(describing: $0.closesBy)) \(String(describing: $0.gatt.nextDeadline))" })
      """)
  }

  // MARK: The end

  private mutating func end() {
    isHolding = false
    isHoldingCredits = false
    if ending & 1 == 1, !isGone, !isClosed {
      isGone = true
      give(.transportLost("unplugged"))
    }
    if ending & 2 == 2 {
      // pending requests end by themselves, as far as they can
      for _ in 0..<40 where host.nextDeadline != nil { wait() }
    }
    if !isClosed { give(.closing) }
    settle()
    var rounds = 0
    while !isClosed {
      rounds += 1
      demand(rounds < 100 && host.nextDeadline != nil, "the host does not close")
      wait()
    }
    for request in issued {
      switch request.command {
      case .cancel, .acknowledge, .answer: continue
      default: break
      }
      demand(
        outcomes[request.id.raw] == 1, "request \(request.id.raw) \(request.command) has \(outcomes[request.id.raw] ?? 0) outcomes")
    }
  }
}
