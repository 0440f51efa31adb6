import Exchange
import Host
import Testing
import Vocabulary

@testable import Keeper

@Suite struct MessageTests {
  static let peer = Address(bits: 0xC47C_8D6A_120F, kind: .random)
  static let reference = AttributeReference(
    handle: AttributeHandle(0x0010), service: UUID(0x180D), characteristic: UUID(0x2A37), properties: 0x10)
  static let info = LinkInfo(mtu: 247, interval: .milliseconds(30), latency: 0, supervisionTimeout: .seconds(5))
  static let path = AttributePath(
    form: .named(service: nil, characteristic: .init(UUID(0x2A37)), descriptor: nil), home: UUID(0x180D),
    text: "heart_rate_measurement")
  static let failure = Failure(
    .timeout, "no answer", blame: .peer, layer: .att, code: 7, sent: [1], got: [2], hint: "?", delivered: .maybe)
  static let advertisement = Advertisement(
    address: peer, rssi: -60, name: "Strap 7", services: [UUID(0x180D)], manufacturer: [.init(company: 76, data: [1, 2])],
    serviceData: [.init(service: UUID(0xFEAA), data: [0])], txPower: -4, appearance: 833, connectable: false)

  static let commands: [HostCommand] = [
    .scan(ScanRequest(duty: .gentle, addresses: [1, 2])),
    .scan(
      ScanRequest(
        duty: .full,
        filter: ScanFilter(
          targets: [
            .service(UUID(0x180D)), .advertised(UUID(0xFEAA)), .name(Glob("Belt *")), .address(bits: 5, nil),
            .address(bits: 6, .random),
          ], names: [Glob("?")], strongerThan: -70, companies: [0x4C, 0x59]))),
    .connect(ConnectRequest(peer: peer, pending: true, attributeCache: AttributeCache(), mtu: 185)),
    .disconnect(peer), .gatt(peer, .discover([UUID(0x180D)])), .gatt(peer, .read(path)), .gatt(peer, .write(path, [1, 2])),
    .gatt(peer, .writeWithoutResponse(path, [])), .gatt(peer, .hidden(.write(path, [1]))), .gatt(peer, .subscribe(path)),
    .gatt(peer, .unsubscribe(path)),
    .gatt(peer, .locate(path)),
    .gatt(peer, .readRSSI), .cancel(OperationID(300)), .acknowledge(EventNumber(1 << 40)),
    .publish(
      ServerTable(
        name: "x",
        services: [
          .init(
            uuid: UUID(0x1800),
            characteristics: [
              .init(
                id: ServerAttributeID(1), uuid: UUID(0x2A00), properties: [.read, .notify], protection: .encryption, value: [1],
                asksBeforeRead: true,
                descriptors: [.init(id: ServerAttributeID(2), uuid: UUID(0x2901), properties: .read, value: [2])])
            ], includes: [0])
        ])), .advertise(AdvertisingPlan(services: [UUID(0x180D)], name: "a", appearance: 1, txPower: 0)), .stopAdvertising,
    .update(attribute: ServerAttributeID(3), value: [9]),
    .publishValue(attribute: ServerAttributeID(3), value: [9], kind: .indicate, to: peer), .answer(ServerRequestID(5), .accept),
    .offerOutOfBand, .answer(ServerRequestID(5), .value([1])), .answer(ServerRequestID(5), .refuse(0x80)),
  ]

  static let events: [HostEvent] = [
    .adapterReady(AdapterInfo(address: peer, manufacturer: 1, version: 12, filterAcceptListSize: 16, extended: true)),
    .adapterLost(failure), .adapterAway(failure),
    .completed(OperationID(1), .success(.done)), .completed(OperationID(1), .success(.value([1, 2], reference))),
    .completed(OperationID(1), .success(.subscribed(reference, .indicate))), .completed(OperationID(1), .success(.rssi(-70))),
    .completed(
      OperationID(1),
      .success(.outOfBand(OutOfBandData(address: peer, secure: .init(confirmation: [1], random: [2]))))),
    .completed(OperationID(1), .failure(failure)), .advertisementReceived(OperationID(2), advertisement),
    .connected(OperationID(1), peer, info), .disconnected(peer, .asked), .attributeCacheChanged(peer, AttributeCache()),
    .attributeCacheDropped(peer, "why"), .notificationReceived(peer, reference, [1, 2, 3], .notify), .gap(peer, 7),
    .encrypting(peer),
    .linkChanged(peer, info),
    .centralConnected(peer, info), .centralDisconnected(peer, .asked),
    .readRequested(ServerRequestID(1), ServerAttributeID(2), peer),
    .writeRequested(ServerRequestID(1), ServerAttributeID(2), peer, [1], withResponse: true),
    .subscribed(ServerAttributeID(2), peer, .notify), .unsubscribed(ServerAttributeID(2), peer), .noted(.warning, "text"),
  ]

  static let messages: [KeeperMessage] =
    commands.map { .request(HostRequest(owner: OwnerID(2), id: OperationID(9), command: $0)) }
    + events.map { .report(HostReport(owner: OwnerID(3), number: EventNumber(5), at: .simulationStart, event: $0)) } + [
      .hello(
        .init(version: "1.0", identity: Array(0..<16), name: "heart-rate", session: 7, covered: EventNumber(3), isEphemeral: true)),
      .resumed(upTo: OperationID(9), except: [OperationID(1), OperationID(2)]), .goodbye, .status, .stop(force: true),
      .welcome(
        .init(
          session: 9, isReturning: true,
          adapter: AdapterInfo(address: peer, manufacturer: 1, version: 12, filterAcceptListSize: 16, extended: true),
          links: [.init(peer: peer, info: info)], missed: 3)), .refused(.init(.busy, "text", hint: "hint")),
      .refused(.init(.adapter, "text")), .disconnectAll(force: true), .resetAdapter(force: false), .ending([peer]), .packets,
      .kept([]), .kept([KeptPacket(isSent: true, time: WallTime(nanoseconds: 5), bytes: [1, 2, 3])]),
      .statusReport(
        KeeperStatus(
          revision: KeeperLimits.revision, version: "1", adapter: "hci0", process: 7, since: WallTime(nanoseconds: 9),
          address: peer, info: nil,
          hold: .seconds(1), keep: .seconds(2), clients: [],
          links: [LEHost.OpenLink(peer: peer, info: info, since: Moment(nanoseconds: 5), isEnding: true)])),
    ]

  /// Round trip; every truncation is refused, and so are extra bytes.
  @Test(arguments: messages) func aMessageKeepsTheLaws(message: KeeperMessage) throws {
    let bytes = message.encoded
    #expect(try KeeperMessage(encoded: bytes) == message)
    for length in 0..<bytes.count {
      let cut = Array(bytes.prefix(length))
      #expect(throws: DecodeError.self, "cut to \(length)") { try KeeperMessage(encoded: cut) }
    }
    #expect(throws: DecodeError.self) { try KeeperMessage(encoded: bytes + [0]) }
  }

  @Test(arguments: messages) func noDamageToAMessageTraps(message: KeeperMessage) {
    let bytes = message.encoded
    for place in bytes.indices {
      for value in [0x00, 0x01, 0x7F, 0x80, 0xFF] as [UInt8] {
        var damaged = bytes
        damaged[place] = value
        if let read = try? KeeperMessage(encoded: damaged) { #expect((try? KeeperMessage(encoded: read.encoded)) == read) }
      }
    }
  }

  @Test func framesAreFoundInAnyPieces() throws {
    let messages = Self.messages.map(\.encoded)
    let stream = messages.flatMap { MessageFrames.framed($0) }
    for size in [1, 2, 3, 7, 64, stream.count] {
      var frames = MessageFrames()
      var got: [[UInt8]] = []
      var start = 0
      while start < stream.count {
        frames.push(stream[start..<min(start + size, stream.count)])
        start += size
        while let message = try frames.next() { got.append(message) }
      }
      #expect(got == messages)
    }
  }

  @Test(arguments: [0, KeeperLimits.message + 1, 0xFFFF_FFFF]) func aLengthThatNoMessageHasIsRefused(length: Int) {
    var frames = MessageFrames()
    frames.push((0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + [1, 2, 3])
    #expect(throws: MessageFrames.Garbled.self) { try frames.next() }
  }

  @Test func aHelloOfAnotherRevisionIncludesItsVersion() throws {
    var writer = ByteWriter()
    writer.put(UInt8(0))
    writer.put(KeeperLimits.revision + 1)
    writer.put(text: "9.9")
    writer.put([0xDE, 0xAD])
    guard case .hello(let hello) = try KeeperMessage(encoded: writer.bytes) else {
      Issue.record("no hello")
      return
    }
    #expect(hello.version == "9.9")
    #expect(hello.revision == KeeperLimits.revision + 1)
  }

  /// Each report is matched with every client's filter, so filters are short.
  @Test func aFilterThatIsTooLongIsRefused() {
    let long = String(repeating: "a", count: ScanFilter.patternOctets + 1)
    let many = [UInt16](repeating: 7, count: ScanFilter.parts + 1)
    for filter in [
      ScanFilter(names: [Glob(long)]), ScanFilter(targets: [.name(Glob(long))]), ScanFilter(companies: many),
      ScanFilter(targets: many.map { .service(UUID($0)) }),
    ] {
      #expect(throws: DecodeError.self) { try ScanFilter(encoded: filter.encoded) }
    }
  }
}
