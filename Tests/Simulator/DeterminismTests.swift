import Packets
import Simulator
import Testing
import Vocabulary

@Suite struct DeterminismTests {
  /// A busy minute, with loss and faults.
  private static func run(seed: UInt64) -> (log: [String], output: [AirOutput]) {
    var world = World.ready(seed: seed)
    var output: [AirOutput] = []
    world.advertise()
    world.send(world.central, .leSetScanParameters(ScanParameters(active: true, interval: 96, window: 48)))
    world.send(world.central, .leSetScanEnable(true, filterDuplicates: false))
    world.air.loss = 0.1
    for second in 0..<60 as Range<Int64> {
      world.air.advance(to: .zero + .seconds(second))
      if second == 10 { world.initiate() }
      if second > 12, second < 40 { world.att(world.peripheral, [0x1B, 3, 0, UInt8(second)]) }
      if second == 30 { world.air.slow(world.peripheral, by: .milliseconds(700), at: world.air.now) }
      if second == 41 { world.air.vanish(world.peripheral, at: world.air.now) }
      output += world.air.takeOutput()
    }
    return (world.air.takeLog().map(\.line), output)
  }

  @Test func theSameSeedGivesTheSameBytes() {
    let first = Self.run(seed: 42)
    let second = Self.run(seed: 42)
    #expect(first.log == second.log)
    #expect(first.output == second.output)
    #expect(first.log.count > 100)
  }

  @Test func anotherSeedGivesAnotherRun() { #expect(Self.run(seed: 42).log != Self.run(seed: 43).log) }

  @Test func stepSizeDoesNotMatter() {
    func run(step: TimeSpan) -> [String] {
      var world = World.ready(seed: 5)
      world.advertise()
      world.initiate()
      while world.air.now < .zero + .seconds(10) { world.air.advance(to: world.air.now + step) }
      return world.air.takeLog().map(\.line)
    }
    #expect(run(step: .milliseconds(1)) == run(step: .seconds(10)))
  }

  @Test func timeNeverGoesBack() {
    var world = World.linked()
    let now = world.air.now
    world.air.advance(to: .zero)
    #expect(world.air.now == now)
    world.air.host(world.central, sends: .command(.leRand), at: .zero)
    #expect(world.air.takeOutput().map(\.time) == [now])
  }

  @Test func controllersDrawFromStreamsOfTheirOwn() {
    func first(_ count: Int) -> Moment? {
      var world = World.ready(seed: 9)
      for extra in 0..<count {
        let id = world.air.addController(
          address: Address(bits: UInt64(extra + 50), kind: .public), name: "extra", at: world.air.now)
        world.air.host(id, sends: .command(.leRand), at: world.air.now)
      }
      _ = world.air.takeOutput()
      world.send(world.central, .leSetScanEnable(true, filterDuplicates: false))
      world.advertise()
      return world.air.nextMoment
    }
    #expect(first(0) == first(3))
  }

  @Test func recordsAreLinesOfJSON() {
    let record = AirRecord(
      time: Moment(nanoseconds: 12_000_000_345), kind: .acl, from: World.strap, to: World.phone, link: 3, channel: 4,
      bytes: [0x1B, 3, 0, 60], sent: Moment(nanoseconds: 11_999_999_999), delivered: true, toHost: true)
    #expect(
      record.line
        == #"{"t":12.000000345,"kind":"acl","from":"C4:7C:8D:6A:12:0F","to":"00:00:5E:00:53:01","link":3,"cid":4,"bytes":"1b03003c","sent":11.999999999,"delivered":true,"host":true}"#
    )
    #expect(
      AirRecord(time: .zero, kind: .linkEnded, from: World.strap, reason: .remoteUserTerminated, note: "reset").line
        == #"{"t":0.000000000,"kind":"link_ended","from":"C4:7C:8D:6A:12:0F","reason":19,"note":"reset"}"#)
  }

  @Test func aDayOfHeartbeatsIsOneStepEach() {
    var world = World.linked()
    let anchor = world.anchor
    let heartbeat = HCIPacket.acl(
      ACLPacket(handle: world.peripheralHandle, boundary: .firstNonFlushable, data: World.frame([0x1B, 3, 0, 60])))
    world.air.isLogging = false
    world.air.advance(to: anchor)
    _ = world.air.takeOutput()
    var steps = 0
    var arrived = 0
    for second in 1...86_400 as ClosedRange<Int64> {
      world.air.host(world.peripheral, sends: heartbeat, at: anchor + .seconds(second))
      while let next = world.air.nextMoment {
        world.air.advance(to: next)
        steps += 1
      }
      arrived += world.air.takeOutput().count { $0.controller == world.central }
    }
    #expect(steps == 86_400)
    #expect(arrived == 86_400)
    #expect(world.air.violations == 0)
  }
}
