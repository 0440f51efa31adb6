import Packets
import Simulator
import Testing
import Vocabulary

@Suite struct FaultTests {
  @Test(arguments: [(LostReply.linkTimesOut, TimeSpan.seconds(5)), (.linkDrops, .zero)])
  func aLostReplyCanEndTheLink(_ then: LostReply, _ delay: TimeSpan) throws {
    var world = World.linked()
    world.air.loseNextReply(world.peripheral, then: then, at: world.air.now)
    world.air.advance(to: world.event(3) + .milliseconds(1))
    world.att(world.central, [0x12, 3, 0, 1])
    world.air.advance(to: world.event(4))
    world.collect()
    #expect(world.acl(world.peripheral).count == 1)
    // A notification is not a reply.
    world.att(world.peripheral, [0x1B, 3, 0, 1])
    world.att(world.peripheral, [0x13])
    world.advance(by: .seconds(6))
    for id in [world.central, world.peripheral] {
      let end = try #require(world.end(id))
      #expect(end.time == world.event(4) + delay)
      #expect(end.reason == .connectionTimeout)
    }
    #expect(world.acl(world.central).isEmpty)
    let log = world.air.takeLog().filter { $0.kind == .acl }
    #expect(log.map(\.bytes) == [[0x12, 3, 0, 1], [0x1B, 3, 0, 1], [0x13]])
    #expect(log.map(\.delivered) == [true, false, false])
  }

  @Test func aReplyCanBeLostSilently() throws {
    var world = World.linked()
    world.air.loseNextReply(world.peripheral, opcode: 0x13, then: .silence, at: world.air.now)
    world.att(world.peripheral, [0x0B, 9])
    world.att(world.peripheral, [0x13])
    world.att(world.peripheral, [0x13])
    world.advance(by: .seconds(60))
    #expect(world.acl(world.central).map(\.data) == [World.frame([0x0B, 9]), World.frame([0x13])])
    #expect(world.end(world.central) == nil)
    #expect(world.air.violations == 0)
  }

  @Test func aRefusedOperationIsAnsweredInTheDevicesName() throws {
    var world = World.linked()
    world.air.refuseNextOperation(world.peripheral, error: 0x0E, at: world.air.now)
    world.att(world.central, [0x12, 0x2A, 0x00, 1])
    world.advance(by: .seconds(1))
    #expect(world.acl(world.peripheral).isEmpty)
    #expect(world.acl(world.central).map(\.data) == [World.frame([0x01, 0x12, 0x2A, 0x00, 0x0E])])
    let records = world.air.takeLog().filter { $0.kind == .acl }
    #expect(records.map(\.toHost) == [false, true])
    world.att(world.central, [0x12, 0x2A, 0x00, 1])
    world.advance(by: .seconds(1))
    #expect(world.acl(world.peripheral).count == 1)
  }

  @Test func aRefusalMayWaitForItsOpcodeAndTakesLongRequestsWhole() throws {
    var world = World.linked()
    world.air.refuseNextOperation(world.peripheral, opcode: 0x16, error: 0x11, at: world.air.now)
    world.att(world.central, [0x0A, 3, 0])
    world.att(world.central, [0x52, 3, 0, 1])
    world.att(world.central, [0x16, 3, 0, 0, 0] + [UInt8](repeating: 1, count: 60))
    world.advance(by: .seconds(1))
    #expect(world.acl(world.peripheral).map { $0.data[4] } == [0x0A, 0x52])
    #expect(world.acl(world.central).map(\.data) == [World.frame([0x01, 0x16, 3, 0, 0x11])])
  }

  @Test func aRefusedCommandIsRefusedOnce() {
    var world = World.ready()
    world.air.refuseNextCommand(world.central, opcode: .leCreateConnection, status: .controllerBusy, at: world.air.now)
    world.send(world.central, .leRand)
    #expect(world.lastStatus(world.central) == .success)
    world.initiate()
    #expect(world.events(world.central).last == .commandStatus(CommandStatus(status: .controllerBusy, opcode: .leCreateConnection)))
    world.initiate()
    #expect(world.lastStatus(world.central) == .success)
  }

  @Test func aSlowDeviceAnswersLater() throws {
    var world = World.linked()
    world.air.slow(world.peripheral, by: .seconds(10), at: world.event(3) + .milliseconds(1))
    world.att(world.peripheral, [0x0B, 1])
    world.advance(by: .seconds(20))
    // 10.001 s are 333.4 intervals.
    #expect(world.arrivals[world.central.index].last?.time == world.event(3 + 334))
    #expect(world.end(world.central) == nil)
  }

  @Test func anImmediateDropIsReportedAtOnce() throws {
    var world = World.linked()
    world.air.drop(world.central, atOnce: true, at: world.event(3) + .milliseconds(1))
    world.collect()
    #expect(world.end(world.central)?.time == world.event(3) + .milliseconds(1))
    #expect(world.end(world.peripheral)?.reason == .connectionTimeout)
    #expect(world.air.liveLinks == 0)
  }

  @Test func aHardwareErrorIsReported() {
    var world = World.ready()
    world.air.hardwareError(world.central, code: 0x42, at: world.air.now)
    world.collect()
    #expect(world.events(world.central).last == .hardwareError(code: 0x42))
  }

  @Test func faultsOfUnknownControllersAreIgnored() {
    var other = Air(seed: 1)
    for count in 0..<5 { _ = other.addController(address: Address(bits: UInt64(count), kind: .public), name: "\(count)") }
    let foreign = other.addController(address: Address(bits: 9, kind: .public), name: "foreign")
    var world = World.ready()
    world.air.vanish(foreign, at: .zero)
    world.air.drop(foreign, at: .zero)
    world.air.hostGone(foreign, at: .zero)
    world.air.host(foreign, sends: .command(.reset), at: .zero)
    world.air.host(foreign, sends: [0xFF], at: .zero)
    #expect(world.air.takeOutput().isEmpty)
    #expect(world.air.name(of: foreign) == "")
  }
}
