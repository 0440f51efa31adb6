import Exchange
import Foundation
import Keeper
import KeeperProcess
import Linux
import Packets
import Testing
import Vocabulary

/// A keeper that is killed at every single step, and what its successor does.
@Suite struct KeeperEngineTests {
  private static let devices = """
    peripheral strap named "Strap"
      let beats = 0
      advertise heart_rate every 100ms with {name: "Strap"}
      service heart_rate
        characteristic heart_rate_measurement can notify
        characteristic body_sensor_location can read starts as u8(1)
        characteristic heart_rate_control_point can read, write starts as u8(0)
      end
      service 0x1815
        characteristic 0x2A56 can read, write starts as hex"00"
        characteristic 0x2A58 can indicate
      end
      every 70ms
        set beats to beats + 1
        notify heart_rate_measurement with {bpm: beats, contact: "good"}
      end
      every 110ms: indicate 0x2A58 with u16(beats)
    end

    """

  private static func path(_ short: UInt16) -> AttributePath {
    AttributePath(form: .named(service: nil, characteristic: .init(UUID(short)), descriptor: nil), text: "0x\(Hex.text(short))")
  }

  /// Scans for the strap, connects, subscribes, reads, writes a long value, and listens.
  private static func script(_ world: KeptWorld) {
    var peer: Address?
    var connecting: OperationID?
    let scan = world.ask(.scan(ScanRequest(duty: .full)))
    world.reaction = { report, world in
      switch report.event {
      case .advertisementReceived(_, let advertisement) where peer == nil:
        peer = advertisement.address
        world.ask(.cancel(scan))
        connecting = world.ask(.connect(ConnectRequest(peer: advertisement.address, pending: true)))
      case .connected(let id, let address, _) where id == connecting:
        world.ask(.gatt(address, .subscribe(path(0x2A37))))
        world.ask(.gatt(address, .subscribe(path(0x2A58))))
        world.ask(.gatt(address, .read(path(0x2A38))))
        world.ask(.gatt(address, .write(path(0x2A56), (0..<60).map { UInt8($0) })))
        world.ask(.gatt(address, .read(path(0x2A56))))
      default: break
      }
    }
  }

  private static let span = TimeSpan.milliseconds(2600)

  private static func world(_ form: AdapterSocket.Form, kills: [Int] = [], room: Int = .max, memory: Int = 1 << 20) throws
    -> KeptWorld
  {
    let world = try KeptWorld(devices: devices, form: form, kills: kills, memory: memory)
    world.line.room = room
    script(world)
    world.run(span)
    return world
  }

  /// Log lines, and advertisements of which an absent client hears once per device, are left out.
  private static func reports(_ world: KeptWorld) -> [HostReport] {
    world.reports.filter {
      switch $0.event {
      case .noted, .advertisementReceived: false
      default: true
      }
    }
  }

  private static func events(_ world: KeptWorld) -> [HostEvent] { reports(world).map(\.event) }

  private static func values(_ world: KeptWorld) -> [[UInt8]] {
    world.reports.compactMap { if case .notificationReceived(_, _, let value, _) = $0.event { value } else { nil } }
  }

  /// The first difference.
  private static func compare(_ world: KeptWorld, _ whole: KeptWorld, _ note: String) {
    let packets = zip(world.line.packets, whole.line.packets).enumerated().first { $0.element.0 != $0.element.1 }
    if let packets {
      Issue.record("\(note): packet \(packets.offset) is \(Hex.text(packets.element.0)), not \(Hex.text(packets.element.1))")
    } else if world.line.packets.count != whole.line.packets.count {
      Issue.record("\(note): \(world.line.packets.count) packets, not \(whole.line.packets.count)")
    }
    let (mine, others) = (events(world), events(whole))
    let event = zip(mine, others).enumerated().first { $0.element.0 != $0.element.1 }
    if let event {
      Issue.record("\(note): event \(event.offset) is \(event.element.0), not \(event.element.1)")
    } else if mine.count != others.count {
      Issue.record("\(note): \(mine.count) events, not \(others.count)")
    }
    #expect(reports(world).map(\.at) == reports(whole).map(\.at), "\(note): times")
  }

  /// Some steps of a life; the whole sweep with `FULL=1`.
  private static var stride: Int { ProcessInfo.processInfo.environment["FULL"] == "1" ? 1 : 7 }

  @Test(arguments: [AdapterSocket.Form.octets, .packets]) func aKeeperKilledAtAnyStepLosesAndRepeatsNothing(
    _ form: AdapterSocket.Form
  ) throws {
    let room = form == .octets ? 13 : Int.max
    let whole = try Self.world(form, room: room)
    #expect(Self.values(whole).count > 20)
    #expect(whole.resets == 1)
    var seen: [KeeperEngine.Step] = []
    for step in Swift.stride(from: 1, through: whole.steps, by: Self.stride) {
      let world = try Self.world(form, kills: [step], room: room)
      guard let at = world.killedAt.first else { continue }
      if !seen.contains(at) { seen.append(at) }
      #expect(world.deaths == 1)
      #expect(world.refusals == [])
      // A packet that may have been sent is not sent again, so its request times out. The same
      // holds if the process died before it could store that a part was sent.
      if at == .giving || at == .given && room < .max { continue }
      Self.compare(world, whole, "killed at step \(step), \(at)")
    }
    #expect(seen.count >= 6, "\(seen)")
  }

  /// If a keeper is killed at any step, out-of-band data is made once and stays the same.
  @Test func offeredDataOutliveTheKeeper() throws {
    func given(_ kills: [Int]) throws -> (world: KeptWorld, data: [OutOfBandData]) {
      let world = try KeptWorld(devices: Self.devices, form: .packets, kills: kills, memory: 1 << 20)
      var asked = 1
      world.ask(.offerOutOfBand)
      world.reaction = { report, world in
        guard case .completed(_, .success(.outOfBand)) = report.event, asked < 3 else { return }
        asked += 1
        world.ask(.offerOutOfBand)
      }
      world.run(.milliseconds(300))
      let data = world.reports.compactMap { report in
        if case .completed(_, .success(.outOfBand(let data))) = report.event { data } else { nil }
      }
      return (world, data)
    }
    let whole = try given([])
    #expect(whole.data.count == 3 && whole.world.steps > 20)
    for step in 1...whole.world.steps {
      let (world, data) = try given([step])
      #expect(data.allSatisfy { $0 == data.first }, "killed at step \(step), \(world.killedAt): \(data)")
      // A packet that may have been sent is not sent again: its request times out.
      if world.killedAt.first != .giving { #expect(data.count == 3, "killed at step \(step), \(world.killedAt): \(data)") }
    }
  }

  @Test func aKeeperContinuesAfterManyKills() throws {
    let whole = try Self.world(.packets)
    let world = try Self.world(.packets, kills: Array(Swift.stride(from: 20, to: 4 * whole.steps, by: 37)))
    #expect(world.deaths > 15)
    #expect(world.resets == 1)
    Self.compare(world, whole, "killed \(world.deaths) times")
  }

  @Test func aSmallMemoryIsCompactedWithoutLoss() throws {
    let whole = try Self.world(.octets)
    let steps = Swift.stride(from: 200, to: whole.steps, by: whole.steps / 12)
    for step in steps {
      let world = try Self.world(.octets, kills: [step], memory: 96 << 10)
      guard world.killedAt != [.giving] else { continue }
      #expect(Self.values(world) == Self.values(whole), "killed at step \(step)")
    }
  }

  @Test func foreignMemoryIsNotRead() throws {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 4096)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    #expect(KeeperMemory(memory, fingerprint: 1).takeOver() == nil)
    let first = KeeperMemory(memory, fingerprint: 1)
    #expect(first.save([1, 2, 3]))
    #expect(first.append([4]))
    #expect(first.append([]))
    let past = try #require(KeeperMemory(memory, fingerprint: 1).takeOver())
    #expect(past.image == [1, 2, 3])
    #expect(past.entries == [[4], []])
    #expect(KeeperMemory(memory, fingerprint: 2).takeOver() == nil)
    // a torn image
    memory[4096 + 64] ^= 1
    #expect(KeeperMemory(memory, fingerprint: 1).takeOver() == nil)
  }

  @Test func anyOctetsInTheMemoryAreSafe() throws {
    var state: UInt64 = 99
    func random() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 17
    }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 14, alignment: 4096)
    defer { memory.deallocate() }
    for _ in 0..<400 {
      memory.initializeMemory(as: UInt8.self, repeating: 0)
      let first = KeeperMemory(memory, fingerprint: 1)
      first.save((0..<100).map { UInt8($0) })
      _ = first.append([1, 2, 3, 4])
      for _ in 0..<3 { memory[Int(random() % 5200)] = UInt8(truncatingIfNeeded: random()) }
      if let past = KeeperMemory(memory, fingerprint: 1).takeOver() { #expect(past.image.count <= memory.count) }
    }
  }

  @Test func droppedPacketsMakeTheKeeperCheckItsLinks() throws {
    let world = try KeptWorld(devices: Self.devices, form: .packets)
    Self.script(world)
    world.run(.seconds(2))
    #expect(Self.values(world).count > 5)
    world.line.drops = 3
    world.run(.milliseconds(200))
    let events = world.reports.map(\.event)
    #expect(events.contains { if case .disconnected = $0 { true } else { false } })
    let away = events.compactMap { if case .adapterAway(let failure) = $0 { failure.message } else { nil } }
    #expect(away.count == 1 && away[0].hasPrefix("the kernel had to drop 3 packets of the controller"), "\(away)")
    #expect(world.resets == 2)
  }
}
