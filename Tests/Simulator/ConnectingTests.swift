import Packets
import Simulator
import Testing
import Vocabulary

@Suite struct ConnectingTests {
  @Test func initiatingConnectsToAnyListedDevice() throws {
    var world = World.ready()
    let other = world.air.addController(address: Address(bits: 0xC0FF_EE00_0001, kind: .public), name: "other", at: world.air.now)
    world.arrivals.append([])
    world.send(other, .setEventMask(0x2000_9FFF_FFFF_FFFF))
    world.send(
      other, .leSetAdvertisingParameters(AdvertisingParameters(intervalMinimum: 32, intervalMaximum: 32)))
    world.send(other, .leSetAdvertisingEnable(true))
    world.advertise()
    world.send(world.central, .leAddToFilterAcceptList(World.strap))
    world.initiate(list: true)
    world.advance(by: .seconds(1))
    #expect(world.connected(world.central)?.value.peer == World.strap)
    #expect(world.connected(other) == nil)
  }

  @Test func aPendingConnectionWaitsForADay() throws {
    var world = World.ready()
    world.send(world.central, .leAddToFilterAcceptList(World.strap))
    world.initiate(list: true)
    #expect(world.air.nextMoment == nil)
    world.advance(by: .days(1))
    let start = world.air.now
    world.advertise()
    world.advance(by: .milliseconds(200))
    let connected = try #require(world.connected(world.central))
    // The first event comes within the random delay of ten milliseconds.
    #expect(connected.time - start <= .microseconds(10_878))
  }

  @Test func aDeviceThatIsLinkedAlreadyIsNotTakenAgain() throws {
    var world = World.linked()
    world.initiate()
    #expect(world.lastStatus(world.central) == .connectionExists)
    world.send(world.central, .leAddToFilterAcceptList(World.strap))
    world.initiate(list: true)
    #expect(world.lastStatus(world.central) == .success)
    world.advertise()
    world.advance(by: .seconds(5))
    #expect(world.air.liveLinks == 1)
  }

  @Test func aCancelledConnectionCompletesWithUnknownConnection() {
    var world = World.ready()
    world.initiate()
    world.send(world.central, .leCreateConnectionCancel)
    #expect(
      world.events(world.central).suffix(2) == [
        .commandComplete(CommandComplete(opcode: .leCreateConnectionCancel, status: .success)),
        .leConnectionComplete(ConnectionComplete(failed: .unknownConnection)),
      ])
    world.send(world.central, .leCreateConnectionCancel)
    #expect(world.lastStatus(world.central) == .commandDisallowed)
  }

  @Test func aLateCancelIsFollowedByASuccess() throws {
    var world = World.ready()
    world.advertise()
    world.initiate()
    var request: Moment?
    while request == nil, let next = world.air.nextMoment {
      world.air.advance(to: next)
      request = world.air.takeLog().last { $0.kind == .connectRequest }?.time
    }
    world.air.advance(to: try #require(request) + .microseconds(500))
    world.send(world.central, .leCreateConnectionCancel)
    #expect(world.lastStatus(world.central) == .success)
    #expect(world.connected(world.central) == nil)
    world.advance(by: .seconds(1))
    #expect(world.connected(world.central)?.value.status == .success)
    #expect(world.air.liveLinks == 1)
  }

  @Test func onlyOneConnectionIsMadeAtATime() {
    var world = World.ready()
    world.initiate()
    world.initiate()
    #expect(world.lastStatus(world.central) == .commandDisallowed)
  }

  @Test(arguments: [HCIStatus.connectionLimitExceeded, .limitedResources])
  func theLinkLimitIsReportedByItsStatus(_ status: HCIStatus) {
    var world = World.linked(central: ControllerModel(maximumLinks: 1, limitStatus: status))
    world.send(world.central, .leAddToFilterAcceptList(Address(bits: 1, kind: .public)))
    world.initiate(list: true)
    #expect(world.lastStatus(world.central) == status)
    world.disconnect(world.central)
    world.advance(by: .seconds(1))
    world.initiate(list: true)
    #expect(world.lastStatus(world.central) == .success)
  }

  @Test(arguments: [
    ConnectionParameters(intervalMinimum: 5, intervalMaximum: 24, supervisionTimeout: 500),
    ConnectionParameters(intervalMinimum: 24, intervalMaximum: 23, supervisionTimeout: 500),
    ConnectionParameters(intervalMinimum: 24, intervalMaximum: 24, latency: 500, supervisionTimeout: 500),
    ConnectionParameters(intervalMinimum: 24, intervalMaximum: 24, supervisionTimeout: 9),
    // The timeout must be longer than two effective intervals: 6 * 30 ms * 2 is 360 ms.
    ConnectionParameters(intervalMinimum: 24, intervalMaximum: 24, latency: 5, supervisionTimeout: 36),
  ])
  func wrongParametersAreRefused(_ parameters: ConnectionParameters) {
    var world = World.ready()
    world.initiate(connection: parameters)
    #expect(world.lastStatus(world.central) == .invalidParameters)
  }

  @Test func anUnsetRandomAddressIsAnInvalidParameter() {
    var world = World.ready()
    world.send(
      world.central,
      .leCreateConnection(
        CreateConnection(
          scanInterval: 96, scanWindow: 96, useFilterAcceptList: false, peer: World.strap, ownAddressType: .random,
          connection: World.connection)))
    #expect(world.lastStatus(world.central) == .invalidParameters)
  }

  @Test func directedAdvertisingIsForOneOnly() throws {
    var world = World.ready()
    world.advertise(type: .directedLowDuty, peer: Address(bits: 7, kind: .public))
    world.initiate()
    world.advance(by: .seconds(5))
    #expect(world.connected(world.central) == nil)
    world.send(world.peripheral, .leSetAdvertisingEnable(false))
    world.advertise(type: .directedLowDuty, peer: World.phone)
    world.advance(by: .seconds(1))
    #expect(world.connected(world.central) != nil)
  }

  @Test func highDutyDirectedAdvertisingEndsAfter1280Milliseconds() throws {
    var world = World.ready()
    let start = world.air.now
    world.advertise(type: .directedHighDuty)
    let end = world.wait(world.peripheral) {
      if case .leConnectionComplete(let value) = $0 { value.status == .advertisingTimeout } else { false }
    }
    #expect(end == start + .milliseconds(1280))
    #expect(world.air.nextMoment == nil)
  }

  @Test func advertisingStopsWithTheConnection() throws {
    var world = World.linked()
    world.send(world.central, .leSetScanEnable(true, filterDuplicates: false))
    world.advance(by: .seconds(2))
    #expect(!world.events(world.central).contains { if case .leAdvertisingReport = $0 { true } else { false } })
  }

  @Test func anAdvertiserMayTakeConnectionsFromItsListOnly() throws {
    var world = World.ready()
    world.send(
      world.peripheral,
      .leSetAdvertisingParameters(
        AdvertisingParameters(intervalMinimum: 32, intervalMaximum: 32, ownAddressType: .random, filterPolicy: .connectionsFromList)
      ))
    world.send(world.peripheral, .leSetAdvertisingEnable(true))
    world.initiate()
    world.advance(by: .seconds(1))
    #expect(world.end(world.central)?.reason == .establishmentFailed)
    world.send(world.peripheral, .leAddToFilterAcceptList(World.phone))
    #expect(world.lastStatus(world.peripheral) == .commandDisallowed)
    world.send(world.peripheral, .leSetAdvertisingEnable(false))
    world.send(world.peripheral, .leAddToFilterAcceptList(World.phone))
    world.send(world.peripheral, .leSetAdvertisingEnable(true))
    world.initiate()
    world.advance(by: .seconds(1))
    #expect(world.air.liveLinks == 1)
  }
}
