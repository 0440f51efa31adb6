import Packets
import Simulator
import Testing
import Vocabulary

@Suite struct LinkTimingTests {
  @Test func bothHostsLearnOfTheConnectionTogether() throws {
    var world = World.linked()
    let request = try #require(world.air.takeLog().first { $0.kind == .connectRequest })
    let central = try #require(world.connected(world.central))
    let peripheral = try #require(world.connected(world.peripheral))
    #expect(central.time == request.time + .microseconds(878))
    #expect(peripheral.time == central.time)
    #expect(central.value.role == .central)
    #expect(central.value.peer == World.strap)
    #expect(central.value.interval == 24)
    #expect(peripheral.value.role == .peripheral)
    #expect(peripheral.value.peer == World.phone)
    world.advance(by: .seconds(1))
    let heard = world.air.takeLog().filter { $0.kind == .established }
    #expect(heard.map(\.time) == [world.event(0), world.event(0)])
  }

  @Test func anUnheardPeerEndsTheLinkAfterSixIntervals() throws {
    var world = World.ready()
    world.advertise()
    world.air.failNextConnections(world.peripheral, isHeard: true, at: world.air.now)
    world.initiate()
    world.advance(by: .seconds(2))
    for id in [world.central, world.peripheral] {
      let connected = try #require(world.connected(id))
      let end = try #require(world.end(id))
      #expect(end.time == connected.time + .milliseconds(180))
      #expect(end.reason == .establishmentFailed)
    }
    #expect(world.air.liveLinks == 0)
  }

  @Test func anUnheardRequestFailsAtTheCentralOnly() throws {
    var world = World.ready()
    world.advertise()
    world.air.failNextConnections(world.peripheral, at: world.air.now)
    world.initiate()
    world.advance(by: .seconds(1))
    #expect(world.end(world.central)?.reason == .establishmentFailed)
    #expect(world.connected(world.peripheral) == nil)
    world.initiate()
    world.advance(by: .seconds(1))
    #expect(world.connected(world.peripheral) != nil)
    #expect(world.air.liveLinks == 1)
  }

  @Test(arguments: [0, 1, 29, 30, 31, 1000, 86_400_000] as [Int64])
  func aVanishedPeerEndsTheLinkAtTheSupervisionTimeout(after milliseconds: Int64) throws {
    var world = World.linked()
    world.air.advance(to: world.event(0) + .milliseconds(milliseconds) + .microseconds(1))
    let last = world.event(milliseconds / 30)
    world.air.vanish(world.peripheral, at: world.air.now)
    world.advance(by: .seconds(6))
    for id in [world.central, world.peripheral] {
      let end = try #require(world.end(id))
      #expect(end.time == last + .seconds(5))
      #expect(end.reason == .connectionTimeout)
    }
  }

  @Test func latencyCountsTheLastAttendedEvent() throws {
    let connection = ConnectionParameters(intervalMinimum: 24, intervalMaximum: 24, latency: 4, supervisionTimeout: 500)
    var world = World.linked(connection: connection)
    // The peripheral listens to events 0, 5, 10 and 15, and sleeps through 16 to 19.
    world.air.advance(to: world.event(19) + .microseconds(1))
    world.air.vanish(world.peripheral, at: world.air.now)
    world.advance(by: .seconds(6))
    #expect(world.end(world.central)?.time == world.event(15) + .seconds(5))
  }

  @Test func aLinkThatIsDroppedDoesNotComeBackButTheDeviceDoes() throws {
    var world = World.linked()
    world.air.advance(to: world.event(10))
    world.air.drop(world.peripheral, at: world.event(10) + .microseconds(1))
    world.advance(by: .seconds(6))
    #expect(world.end(world.central)?.time == world.event(10) + .seconds(5))
    world.advertise()
    world.initiate()
    world.advance(by: .seconds(1))
    #expect(world.air.liveLinks == 1)
  }

  @Test func afterAResetThePeerTimesOut() throws {
    var world = World.linked()
    world.air.advance(to: world.event(100) + .microseconds(1))
    world.send(world.central, .reset)
    #expect(world.air.liveLinks == 1)
    world.advance(by: .seconds(6))
    #expect(world.end(world.central) == nil)
    let end = try #require(world.end(world.peripheral))
    #expect(end.time == world.event(100) + .seconds(5))
    #expect(end.reason == .connectionTimeout)
    #expect(world.air.liveLinks == 0)
  }

  @Test func linksOutliveTheirHostUntilTheNextReset() throws {
    var world = World.linked()
    world.air.hostGone(world.central, at: world.event(5))
    world.air.advance(to: world.event(5) + .hours(1))
    #expect(world.air.liveLinks == 1)
    world.att(world.peripheral, [0x1B, 3, 0, 60])
    world.advance(by: .seconds(1))
    let lost = try #require(world.air.takeLog().last { $0.kind == .acl })
    #expect(lost.delivered == true)
    #expect(lost.toHost == false)
    #expect(world.acl(world.central).isEmpty)
    world.send(world.central, .reset)
    world.advance(by: .seconds(6))
    #expect(world.end(world.peripheral)?.reason == .connectionTimeout)
  }

  @Test func aHostThatComesBackFindsItsLink() throws {
    var world = World.linked()
    world.air.hostGone(world.central, at: world.event(5))
    world.advance(by: .seconds(2))
    world.att(world.central, [0x0A, 3, 0])
    world.advance(by: .seconds(1))
    #expect(world.acl(world.peripheral).count == 1)
  }

  @Test func disconnectReportsCorrectReasonsToBoth() throws {
    var world = World.linked()
    world.air.advance(to: world.event(3) + .milliseconds(1))
    world.disconnect(world.central)
    world.advance(by: .seconds(1))
    let central = try #require(world.end(world.central))
    let peripheral = try #require(world.end(world.peripheral))
    #expect(central.time == world.event(4))
    #expect(central.reason == .localHostTerminated)
    #expect(peripheral.time == world.event(4))
    #expect(peripheral.reason == .remoteUserTerminated)
    #expect(world.air.nextMoment == nil)
  }

  @Test func aPeripheralMayEndTheLinkBetweenTheEventsItListensTo() throws {
    let connection = ConnectionParameters(intervalMinimum: 24, intervalMaximum: 24, latency: 9, supervisionTimeout: 500)
    var world = World.linked(connection: connection)
    world.air.advance(to: world.event(13) + .milliseconds(1))
    world.disconnect(world.peripheral, reason: .remotePowerOff)
    world.advance(by: .seconds(1))
    #expect(world.end(world.central)?.time == world.event(14))
    #expect(world.end(world.central)?.reason == .remotePowerOff)
    #expect(world.end(world.peripheral)?.reason == .localHostTerminated)
  }

  @Test func aLostTerminationStillEndsTheLink() throws {
    var world = World.linked()
    world.air.advance(to: world.event(3))
    world.air.vanish(world.peripheral, at: world.air.now)
    world.disconnect(world.central)
    world.advance(by: .seconds(6))
    #expect(world.end(world.central)?.reason == .localHostTerminated)
    #expect(world.end(world.peripheral)?.reason == .connectionTimeout)
  }

  @Test func aNewIntervalBeginsSixEventsAfterItWasSent() throws {
    var world = World.linked()
    world.air.advance(to: world.event(9) + .milliseconds(1))
    let parameters = ConnectionParameters(intervalMinimum: 80, intervalMaximum: 80, latency: 1, supervisionTimeout: 300)
    world.send(world.central, .leConnectionUpdate(ConnectionUpdate(handle: world.centralHandle, connection: parameters)))
    let told = world.wait(world.peripheral) { if case .leConnectionUpdateComplete = $0 { true } else { false } }
    #expect(told == world.event(16))
    let value = ConnectionUpdateComplete(
      status: .success, handle: world.centralHandle, interval: 80, latency: 1, supervisionTimeout: 300)
    #expect(world.events(world.central).last == .leConnectionUpdateComplete(value))
    // From then on an event every 100 ms, and the new timeout.
    world.air.vanish(world.peripheral, at: world.event(16) + .milliseconds(250))
    world.advance(by: .seconds(4))
    #expect(world.end(world.central)?.time == world.event(16) + .milliseconds(200) + .seconds(3))
  }

  @Test func aParameterRequestReachesTheCentralHost() throws {
    var world = World.linked()
    let parameters = ConnectionParameters(intervalMinimum: 40, intervalMaximum: 40, supervisionTimeout: 300)
    let command = HCICommand.leConnectionUpdate(ConnectionUpdate(handle: world.peripheralHandle, connection: parameters))
    world.send(world.peripheral, command)
    let asked = world.wait(world.central) { if case .leConnectionParameterRequest = $0 { true } else { false } }
    #expect(asked == world.event(0))
    world.send(
      world.central, .leConnectionParameterRequestNegativeReply(world.centralHandle, reason: .unacceptableParameters))
    _ = world.wait(world.peripheral) {
      if case .leConnectionUpdateComplete(let value) = $0 { value.status == .unacceptableParameters } else { false }
    }
    world.send(world.peripheral, command)
    _ = world.wait(world.central) { if case .leConnectionParameterRequest = $0 { true } else { false } }
    world.send(
      world.central,
      .leConnectionParameterRequestReply(ConnectionParameterReply(handle: world.centralHandle, connection: parameters)))
    let done = world.wait(world.peripheral) {
      if case .leConnectionUpdateComplete(let value) = $0 { value.interval == 40 } else { false }
    }
    #expect(done != nil)
  }

  @Test func aRequestThatNoHostAnswersEndsTheLinkAfterFortySeconds() throws {
    var world = World.linked()
    let parameters = ConnectionParameters(intervalMinimum: 40, intervalMaximum: 40, supervisionTimeout: 300)
    world.send(world.peripheral, .leConnectionUpdate(ConnectionUpdate(handle: world.peripheralHandle, connection: parameters)))
    world.advance(by: .seconds(60))
    #expect(world.end(world.central)?.time == world.event(0) + .seconds(40))
    #expect(world.end(world.central)?.reason == .responseTimeout)
  }

  @Test func anIdleDayCostsNoSteps() throws {
    var world = World.linked()
    world.air.advance(to: world.event(1))
    #expect(world.air.nextMoment == nil)
    let before = world.air.now
    world.air.advance(to: before + .days(1))
    #expect(world.air.takeOutput().isEmpty)
    #expect(world.air.liveLinks == 1)
    // And afterwards the link works at once.
    world.att(world.central, [0x0A, 3, 0])
    world.advance(by: .milliseconds(30))
    #expect(world.acl(world.peripheral).count == 1)
  }

  @Test func unheardAdvertisingCostsNoSteps() {
    var world = World.ready()
    world.advertise()
    #expect(world.air.nextMoment == nil)
    world.initiate()
    #expect(world.air.nextMoment != nil)
    world.send(world.central, .leCreateConnectionCancel)
    #expect(world.air.nextMoment == nil)
    world.air.vanish(world.peripheral, at: world.air.now)
    world.initiate()
    #expect(world.air.nextMoment == nil)
  }
}
