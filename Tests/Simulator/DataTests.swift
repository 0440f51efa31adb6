import Packets
import Simulator
import Testing
import Vocabulary

@Suite struct DataTests {
  private static let notification: [UInt8] = [0x1B, 3, 0, 0x06, 60]

  private static func completed(_ world: World, _ id: ControllerID) -> [(time: Moment, count: Int)] {
    world.arrivals[id.index].compactMap { arrival in
      guard case .event(.numberOfCompletedPackets(let list), _) = arrival.packet else { return nil }
      return (arrival.time, list.reduce(0) { $0 + Int($1.count) })
    }
  }

  @Test func dataCrossesAtTheNextConnectionEvent() throws {
    var world = World.linked()
    world.air.advance(to: world.event(7) + .milliseconds(1))
    world.att(world.peripheral, Self.notification)
    world.advance(by: .seconds(1))
    let arrival = try #require(world.arrivals[world.central.index].last)
    #expect(arrival.time == world.event(8))
    #expect(
      arrival.packet
        == .acl(ACLPacket(handle: world.centralHandle, boundary: .firstFlushable, data: World.frame(Self.notification))))
    #expect(Self.completed(world, world.peripheral).map(\.time) == [world.event(8)])
  }

  @Test func aRoundTripCostsOneInterval() throws {
    var world = World.linked()
    world.air.advance(to: world.event(7) + .milliseconds(1))
    world.att(world.central, [0x0A, 3, 0])
    world.air.advance(to: world.event(8))
    world.att(world.peripheral, [0x0B, 1])
    world.advance(by: .seconds(1))
    #expect(world.arrivals[world.central.index].last?.time == world.event(9))
  }

  @Test func aSleepingPeripheralIsReachedWhenItListens() throws {
    let connection = ConnectionParameters(intervalMinimum: 24, intervalMaximum: 24, latency: 4, supervisionTimeout: 500)
    var world = World.linked(connection: connection)
    world.air.advance(to: world.event(11) + .milliseconds(1))
    world.att(world.central, [0x0A, 3, 0])
    world.advance(by: .seconds(1))
    #expect(world.arrivals[world.peripheral.index].last?.time == world.event(15))
    // Its own data wakes it at any event.
    world.air.advance(to: world.event(51) + .milliseconds(1))
    world.att(world.peripheral, Self.notification)
    world.advance(by: .seconds(1))
    #expect(world.acl(world.central).count == 1)
    #expect(Self.completed(world, world.peripheral).map(\.time) == [world.event(52)])
  }

  @Test func anEventCarriesSixExchangesAtMost() throws {
    var world = World.linked(peripheral: ControllerModel(aclCount: 20))
    world.air.advance(to: world.event(1) + .milliseconds(1))
    for count in 0..<20 { world.att(world.peripheral, Self.notification + [UInt8(count)]) }
    world.advance(by: .seconds(1))
    #expect(Self.completed(world, world.peripheral).map(\.count) == [6, 6, 6, 2])
    #expect(world.acl(world.central).map { Int($0.data.last ?? 99) } == Array(0..<20))
  }

  @Test func dataBeyondTheCreditsAreDroppedAsAViolation() throws {
    var world = World.linked(peripheral: ControllerModel(aclCount: 2))
    world.air.advance(to: world.event(1) + .milliseconds(1))
    for _ in 0..<3 { world.att(world.peripheral, Self.notification) }
    #expect(world.air.violations == 1)
    #expect(world.events(world.peripheral).last == .dataBufferOverflow(linkType: 1))
    world.advance(by: .seconds(1))
    #expect(world.acl(world.central).count == 2)
    // The credits are back.
    for _ in 0..<2 { world.att(world.peripheral, Self.notification) }
    world.advance(by: .seconds(1))
    #expect(world.acl(world.central).count == 4)
    #expect(world.air.violations == 1)
  }

  @Test func aDeadLinkKeepsNoCredits() throws {
    var world = World.linked(peripheral: ControllerModel(aclCount: 2))
    world.air.advance(to: world.event(1) + .milliseconds(1))
    world.air.drop(world.peripheral, at: world.air.now)
    for _ in 0..<2 { world.att(world.peripheral, Self.notification) }
    world.advance(by: .seconds(6))
    #expect(world.end(world.peripheral) != nil)
    #expect(Self.completed(world, world.peripheral).isEmpty)
    world.advertise()
    world.initiate()
    world.advance(by: .seconds(1))
    for _ in 0..<2 { world.att(world.peripheral, Self.notification) }
    world.advance(by: .seconds(1))
    #expect(world.air.violations == 0)
    #expect(world.acl(world.central).count == 2)
    let log = world.air.takeLog().filter { $0.kind == .acl }
    #expect(log.map(\.delivered) == [false, false, true, true])
  }

  @Test(arguments: [
    ACLPacket(handle: ConnectionHandle(0x40), boundary: .firstNonFlushable, data: Array(repeating: 0, count: 252)),
    ACLPacket(handle: ConnectionHandle(0x40), boundary: .continuing, data: [1, 2, 3]),
    ACLPacket(handle: ConnectionHandle(0x40), boundary: .complete, data: World.frame([0x0A, 3, 0])),
    ACLPacket(handle: ConnectionHandle(0x40), boundary: .firstNonFlushable, broadcast: 1, data: World.frame([0x0A, 3, 0])),
    ACLPacket(handle: ConnectionHandle(0x40), boundary: .firstNonFlushable, data: [1, 0, 4, 0, 0x0A, 3, 0]),
  ])
  func hostViolationsAreLogged(_ packet: ACLPacket) {
    var world = World.linked()
    world.give(world.central, .acl(packet))
    #expect(world.air.violations == 1)
    #expect(world.air.takeLog().last?.kind == .violation)
  }

  @Test func aFrameStartedTwiceIsLogged() {
    var world = World.linked()
    for _ in 0..<2 {
      world.give(
        world.central, .acl(ACLPacket(handle: world.centralHandle, boundary: .firstNonFlushable, data: [9, 0, 4, 0, 0x0A])))
    }
    #expect(world.air.violations == 1)
  }

  @Test func dataForAClosedLinkAreNotAViolation() {
    var world = World.linked()
    world.give(world.central, .acl(ACLPacket(handle: ConnectionHandle(0x123), boundary: .firstNonFlushable, data: [0, 0, 4, 0])))
    #expect(world.air.violations == 0)
  }

  @Test func longPacketsComeInPiecesOf27Octets() throws {
    var world = World.linked()
    let pdu = [0x1B, 3, 0] + (0..<60).map { UInt8($0) }
    world.att(world.peripheral, pdu)
    world.advance(by: .seconds(1))
    let pieces = world.acl(world.central)
    #expect(pieces.map(\.data.count) == [27, 27, 13])
    #expect(pieces.map(\.boundary) == [.firstFlushable, .continuing, .continuing])
    #expect(pieces.flatMap(\.data) == World.frame(pdu))
    // One packet of the host is one credit; one frame is one log line.
    #expect(Self.completed(world, world.peripheral).map(\.count) == [1])
    let record = try #require(world.air.takeLog().filter { $0.kind == .acl }.first)
    #expect(record.bytes == pdu)
    #expect(record.channel == 4)
    #expect(record.delivered == true)
  }

  @Test func framesGivenInPiecesAreOneRecord() throws {
    var world = World.linked()
    let pdu = [0x12, 3, 0] + (0..<100).map { UInt8($0) }
    let frame = World.frame(pdu)
    for start in stride(from: 0, to: frame.count, by: 20) {
      let piece = Array(frame[start..<min(start + 20, frame.count)])
      world.give(
        world.central,
        .acl(ACLPacket(handle: world.centralHandle, boundary: start == 0 ? .firstNonFlushable : .continuing, data: piece)))
    }
    world.advance(by: .seconds(1))
    #expect(world.acl(world.peripheral).flatMap(\.data) == frame)
    let records = world.air.takeLog().filter { $0.kind == .acl }
    #expect(records.map(\.bytes) == [pdu])
  }

  @Test func aGreaterDataLengthIsAgreedAndUsed() throws {
    var world = World.linked()
    world.send(world.peripheral, .leSetDataLength(world.peripheralHandle, octets: 251, time: 2120))
    let told = world.wait(world.central) { if case .leDataLengthChange = $0 { true } else { false } }
    #expect(told == world.event(0))
    let change = DataLengthChange(
      handle: world.centralHandle, transmitOctets: 27, transmitTime: 328, receiveOctets: 251, receiveTime: 2120)
    #expect(world.events(world.central).last == .leDataLengthChange(change))
    world.att(world.peripheral, [0x1B, 3, 0] + [UInt8](repeating: 7, count: 200))
    world.advance(by: .seconds(1))
    #expect(world.acl(world.central).map(\.data.count) == [207])
  }

  @Test func theSuggestedDataLengthIsUsedOnNewLinks() throws {
    var world = World.ready()
    world.send(world.central, .leWriteSuggestedDefaultDataLength(octets: 251, time: 2120))
    world.advertise()
    world.initiate()
    let told = world.wait(world.peripheral) {
      if case .leDataLengthChange(let value) = $0 { value.receiveOctets == 251 } else { false }
    }
    #expect(told == world.event(1) || told == world.event(0))
  }

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func lossDelaysDataButLosesAndDoublesNone(seed: UInt64) throws {
    var world = World.linked(seed: seed)
    world.air.loss = 0.4
    var sent: [UInt8] = []
    var received: [UInt8] { world.acl(world.central).compactMap(\.data.last) }
    for count in 0..<100 as Range<UInt8> {
      world.att(world.peripheral, Self.notification + [count])
      world.att(world.central, [0x52, 9, 0, count])
      sent.append(count)
      world.advance(by: .seconds(1))
    }
    #expect(received == sent)
    #expect(world.acl(world.peripheral).compactMap(\.data.last) == sent)
    #expect(Self.completed(world, world.central).reduce(0) { $0 + $1.count } == 100)
    #expect(Self.completed(world, world.peripheral).reduce(0) { $0 + $1.count } == 100)
    #expect(world.air.violations == 0)
    #expect(world.air.takeLog().filter { $0.kind == .acl }.count == 200)
  }

  @Test func totalLossEndsTheLink() throws {
    var world = World.linked()
    world.air.advance(to: world.event(4))
    world.air.setLoss(world.peripheral, 1, at: world.event(4) + .milliseconds(1))
    world.att(world.central, [0x0A, 3, 0])
    world.advance(by: .seconds(6))
    #expect(world.end(world.central)?.time == world.event(4) + .seconds(5))
    #expect(world.air.takeLog().last { $0.kind == .acl }?.delivered == false)
  }

  @Test func dataQueuedBeforeDisconnectArrive() throws {
    var world = World.linked()
    world.att(world.peripheral, Self.notification)
    world.disconnect(world.peripheral)
    world.advance(by: .seconds(1))
    #expect(world.acl(world.central).count == 1)
    #expect(world.end(world.central)?.reason == .remoteUserTerminated)
  }
}
