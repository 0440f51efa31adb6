import Exchange
import Foundation
import Keeper
import KeeperProcess
import Linux
import Packets
import Testing
import Vocabulary

/// A keeper whose adapter misbehaves: its client gets a report, and continues when the adapter
/// works again, wherever the keeper is killed meanwhile.
@Suite struct KeeperTroubleTests {
  private static let devices = """
    peripheral strap named "Strap"
      let beats = 0
      advertise heart_rate every 100ms with {name: "Strap"}
      service heart_rate
        characteristic heart_rate_measurement can notify
      end
      every 200ms
        set beats to beats + 1
        notify heart_rate_measurement with {bpm: beats, contact: "good"}
      end
    end

    """

  private static let value = AttributePath(
    form: .named(service: nil, characteristic: .init(UUID(0x2A37)), descriptor: nil), text: "0x2a37")

  /// Scans for the strap, and connects and subscribes again after every loss and every failed
  /// attempt.
  private static func script(_ world: KeptWorld) {
    var peer: Address?
    var attempt: OperationID?
    let scan = world.ask(.scan(ScanRequest(duty: .full)))
    world.reaction = { report, world in
      switch report.event {
      case .advertisementReceived(_, let advertisement) where peer == nil:
        peer = advertisement.address
        world.ask(.cancel(scan))
        attempt = world.ask(.connect(ConnectRequest(peer: advertisement.address, pending: true)))
      case .connected(_, let address, _): world.ask(.gatt(address, .subscribe(value)))
      case .disconnected(let address, _): attempt = world.ask(.connect(ConnectRequest(peer: address, pending: true)))
      case .completed(attempt, .failure):
        // As when the first request of the link was lost with the process.
        if let peer { attempt = world.ask(.connect(ConnectRequest(peer: peer, pending: true))) }
      default: break
      }
    }
  }

  enum Trouble: String, CaseIterable, Sendable {
    case hangUp, hangUpForAMinute, garbage, garbageThatLooksLikePackets, halfPacket, hardwareError, silentForAWhile
  }

  private static let start = Instant.simulationStart.moment
  private static let begins = TimeSpan.milliseconds(2500)

  private static func plan(_ trouble: Trouble, _ world: KeptWorld) {
    func once(_ does: @escaping (KeptWorld) -> Void) { world.planned.append((start + begins, does)) }
    func say(_ octets: [UInt8]) { once { world in world.rough.map { $0.say(octets) } ?? world.line.say(octets) } }
    switch trouble {
    case .hangUp: once { world in world.rough.map { $0.hangUp() } ?? world.line.hangUp() }
    case .hangUpForAMinute:
      once { world in
        world.line.closedUntil = world.now.moment + .minutes(1)
        world.rough?.closedUntil = world.now.moment + .minutes(1)
        world.rough.map { $0.hangUp() } ?? world.line.hangUp()
      }
    case .garbage: say([0x77, 0x00, 0x04, 0xFF])
    case .garbageThatLooksLikePackets: say([0x04, 0x3E, 0xF0, 0x02, 0x02, 0x02])
    case .halfPacket:
      // A value is truncated, and nothing follows for more than a second; then everything is intact
      // again.
      var cutAt: Moment?
      func part(_ packet: [UInt8], _ now: Moment) -> [UInt8]? {
        guard now >= start + begins else { return packet }
        if let cutAt { return now < cutAt + .milliseconds(1200) ? nil : packet }
        guard packet[0] == 2 else { return packet }
        cutAt = now
        return Array(packet.prefix(6))
      }
      world.line.onPacket = { [line = world.line] packet in part(packet, line.now.moment) }
      world.rough?.onPacket = { packet, now in part(packet, now).map { [($0, .zero)] } ?? [] }
    case .hardwareError: say([0x04, 0x10, 0x01, 0x01])
    case .silentForAWhile:
      let until = start + .seconds(12)
      world.line.onPacket = { [line = world.line] packet in
        line.now.moment >= start + begins && line.now.moment < until ? nil : packet
      }
      world.rough?.onPacket = { packet, now in now >= start + begins && now < until ? [] : [(packet, .zero)] }
    }
  }

  private static func span(_ trouble: Trouble) -> TimeSpan {
    switch trouble {
    case .hangUpForAMinute: .seconds(150)
    case .silentForAWhile: .seconds(100)
    default: .seconds(25)
    }
  }

  private static func world(
    _ trouble: Trouble, form: AdapterSocket.Form, kills: [Int] = [], isRough: Bool = false, for span: TimeSpan? = nil
  ) throws -> KeptWorld {
    let world = try KeptWorld(devices: devices, form: form, kills: kills, isRough: isRough)
    plan(trouble, world)
    script(world)
    world.run(span ?? Self.span(trouble))
    // A request that was lost with the process times out: then the link is made again.
    if world.killedAt.contains(where: { $0 == .giving || $0 == .given }) { world.run(.seconds(45)) }
    return world
  }

  /// Whether the client received every necessary report, and works at the end.
  private static func check(_ world: KeptWorld, _ trouble: Trouble, _ note: String) {
    let beats = world.reports.compactMap { report -> Int? in
      if case .notificationReceived(_, _, let value, _) = report.event, value.count > 1 { Int(value[1]) } else { nil }
    }
    #expect(zip(beats, beats.dropFirst()).allSatisfy { $0 < $1 || $0 > 250 }, "\(note): \(beats)")
    let last = world.reports.last { if case .notificationReceived = $0.event { true } else { false } }
    let quiet = last.map { world.now.moment - $0.at.moment }
    #expect(quiet.map { $0 < .milliseconds(800) } ?? false, "\(note): nothing for \(quiet.map { "\($0)" } ?? "ever") \(world.said)")
    #expect(world.refusals == [])
    var isAway = false
    var isLinked = false
    for report in world.reports {
      switch report.event {
      case .adapterAway: isAway = true
      case .adapterReady: isAway = false
      case .connected: isLinked = true
      case .disconnected: isLinked = false
      case .notificationReceived: if isAway || !isLinked { Issue.record("\(note): a value without a link") }
      default: break
      }
    }
    #expect(!isAway && isLinked, "\(note)")
    // A few seconds of silence do not matter, and a socket that preserves packets has skipped an
    // invalid one.
    let isUnseen =
      trouble == .halfPacket || trouble == .silentForAWhile || trouble == .garbageThatLooksLikePackets && note.hasSuffix("packets")
    if !isUnseen {
      #expect(world.reports.contains { if case .adapterAway = $0.event { true } else { false } }, "\(note)")
    }
  }

  @Test(arguments: Trouble.allCases) func aKeeperWithoutMemoryRecoversLikeARun(_ trouble: Trouble) throws {
    let world = try Self.world(trouble, form: .octets, isRough: true)
    Self.check(world, trouble, "\(trouble)")
    if trouble == .halfPacket {
      #expect(
        world.said.contains { $0.hasPrefix("6 octets of a packet of") && $0.hasSuffix("no more followed within 1s: dropped") },
        "\(world.said)")
    }
  }

  @Test(arguments: Trouble.allCases) func aKeeperWithMemoryRecoversLikeARun(_ trouble: Trouble) throws {
    for form in [AdapterSocket.Form.octets, .packets] {
      let world = try Self.world(trouble, form: form)
      Self.check(world, trouble, "\(trouble), \(form)")
      guard form == .octets else { continue }
      if trouble == .halfPacket {
        #expect(
          world.said.contains { $0.hasPrefix("6 octets of a packet of") && $0.hasSuffix("no more followed within 1s: dropped") },
          "\(world.said)")
      }
      if trouble == .garbage {
        #expect(world.said.contains { $0.hasPrefix("host and controller are in sync again; ") }, "\(world.said)")
      }
    }
  }

  private static var stride: Int { ProcessInfo.processInfo.environment["FULL"] == "1" ? 1 : 43 }

  /// Killed at any step, including while the port is reopened, a successor recovers as well and
  /// never waits forever.
  @Test(arguments: [Trouble.hangUp, .garbage, .halfPacket, .hardwareError]) func aKeeperKilledDuringRecoveryRecovers(
    _ trouble: Trouble
  )
    throws
  {
    let before = try Self.steps(trouble, until: Self.begins - .milliseconds(50))
    let after = try Self.steps(trouble, until: Self.begins + .seconds(4))
    var seen: [KeeperEngine.Step] = []
    for step in Swift.stride(from: before, through: after, by: Self.stride) {
      let world = try Self.world(trouble, form: .octets, kills: [step], for: .seconds(13))
      guard let at = world.killedAt.first else { continue }
      if !seen.contains(at) { seen.append(at) }
      Self.check(world, trouble, "\(trouble), killed at step \(step), \(at)")
    }
    #expect(seen.count >= 2, "\(seen)")
  }

  private static func steps(_ trouble: Trouble, until span: TimeSpan) throws -> Int {
    let world = try KeptWorld(devices: devices, form: .octets)
    plan(trouble, world)
    script(world)
    world.run(span)
    return world.steps
  }

  /// Every step between the order to reopen the port and what follows from it.
  @Test func aKeeperKilledWhileReopeningReopensAgain() throws {
    let whole = try KeptWorld(devices: Self.devices, form: .octets)
    Self.plan(.hangUp, whole)
    Self.script(whole)
    whole.run(Self.begins + .milliseconds(400))
    let opened = try #require(whole.trail.firstIndex(of: .reopened)) + 1
    var seen: [KeeperEngine.Step] = []
    for step in opened - 4...opened + 6 {
      let world = try KeptWorld(devices: Self.devices, form: .octets, kills: [step])
      Self.plan(.hangUp, world)
      Self.script(world)
      world.run(Self.begins + .milliseconds(400))
      let at = try #require(world.killedAt.first)
      if !seen.contains(at) { seen.append(at) }
      world.run(.seconds(at == .giving ? 50 : 12))
      Self.check(world, .hangUp, "killed at step \(step), \(at)")
    }
    #expect(seen.contains(.reopened) && seen.contains(.saved), "\(seen)")
  }

  @Test func anAdapterThatNeverAnswersEndsItsKeeper() throws {
    let world = try KeptWorld(devices: Self.devices, form: .octets)
    world.line.onPacket = { _ in nil }
    world.run(.seconds(30))
    #expect(world.hasLeft)
    #expect(world.engine.keeper.lostBecause?.message == "the controller did not answer Reset (0x0c03) within 2s")
    #expect(world.reports.contains { if case .adapterLost = $0.event { true } else { false } })
  }
}
