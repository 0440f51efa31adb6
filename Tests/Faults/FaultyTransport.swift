import Adapters
import Linux
import Packets
import Simulator
import Vocabulary
import World

/// A transport to a virtual controller with the faults of a plan.
final class FaultyTransport: Transport {
  private let air: SimulatedAir
  private let controller: ControllerID
  private let peers: [ControllerID]
  private let start: Moment
  private var plan: FaultPlan
  private var random: SplitMix
  private var orders: ArraySlice<(at: TimeSpan, order: FaultPlan.Order)>
  /// Delayed packets, in the order in which they arrive.
  private var late: [(at: Moment, packet: [UInt8])] = []
  private var silentUntil: Moment?
  private var hasCeased = false
  /// Command Completes for resets that the host never requested.
  private var unaskedResets = 0
  /// The handle of the last data packet, and that packet.
  private var lastHandle: UInt16 = 0x0040
  private var lastPacket: [UInt8] = []

  /// How often the loop polled in the current second of virtual time, and the maximum so far.
  private var second: Int64 = -1
  private var looks = 0
  private(set) var mostLooks = 0
  /// A loop that polls this often without time passing is spinning.
  static let looksPerSecond = 20_000
  var isSpinning: Bool { mostLooks > Self.looksPerSecond }

  /// What reached the host.
  private(set) var delivered = 0
  /// Write Requests that left the host, by their value.
  private(set) var writes: [[UInt8]] = []
  private(set) var faults = 0

  /// Faults that test whether a trial detects them.
  enum Sabotage: Sendable, CaseIterable {
    /// The peers never return.
    case staysAway
    /// There is always something to do immediately.
    case spins
  }

  var sabotage: Sabotage?

  /// Whether host and controller may disagree about the state.
  var mayDisagree: Bool { plan.families.contains(.wire) || plan.families.contains(.controller) }

  /// False Disconnection Completes that the host received.
  private(set) var forgeries: [String] = []

  var isSilentForEver: Bool { plan.isSilentForEver }

  init(air: SimulatedAir, controller: ControllerID, plan: FaultPlan, at now: Instant) {
    self.air = air
    self.controller = controller
    self.plan = plan
    start = now.moment
    peers = air.peripheralNames.compactMap { air.controller(of: $0) }
    orders = plan.orders[...]
    random = SplitMix(seed: plan.seed ^ 0xDECA_FBAD)
  }

  // MARK: Transport

  func send(_ packet: [UInt8], at now: Instant) {
    if isSilent(now) { return hit() }
    if packet.count > 12, packet[0] == 0x02, packet[9] == 0x12 { writes.append(Array(packet[12...])) }
    if !hasCeased, random.chance(plan.wire.dropSent) { return hit() }
    air.send(packet, from: controller, at: now)
  }

  func receive(at now: Instant) -> [[UInt8]] {
    count(now)
    air.run(to: now)
    var packets: [[UInt8]] = []
    while let first = orders.first, start + first.at <= now.moment {
      orders.removeFirst()
      if !hasCeased { perform(first.order, now, &packets) }
    }
    for packet in air.take(for: controller) { pass(packet, now, &packets) }
    // A delayed packet goes after those that are there: they have overtaken it.
    while let first = late.first, first.at <= now.moment {
      late.removeFirst()
      if !isSilent(now) { packets.append(first.packet) }
    }
    delivered += packets.count
    return packets
  }

  func flush() {}
  var interest: Poll.Interest? { nil }
  var ending: String? { nil }
  var nextMoment: Moment? {
    sabotage == .spins ? .zero : earliest(air.nextMoment, orders.first.map { start + $0.at }, late.first?.at)
  }

  private func count(_ now: Instant) {
    let current = now.moment.nanoseconds / 1_000_000_000
    if current != second {
      second = current
      looks = 0
    }
    looks += 1
    mostLooks = max(mostLooks, looks)
  }

  private func hit() { faults += 1 }

  private func isSilent(_ now: Instant) -> Bool { silentUntil.map { now.moment < $0 } ?? false }

  /// No faults from now on.
  func cease(at now: Instant) {
    hasCeased = true
    orders = []
    if sabotage == .staysAway { return air.make { air in for peer in peers { air.vanish(peer, at: air.now) } } }
    if !plan.isSilentForEver { silentUntil = nil }
    air.make { air in
      air.loss = 0
      air.forgiveCommands(controller, at: air.now)
      for peer in peers {
        air.appear(peer, at: air.now)
        air.slow(peer, by: .zero, at: air.now)
        air.failNextConnections(peer, count: 0, at: air.now)
        air.failNextConnections(peer, count: 0, isHeard: true, at: air.now)
      }
    }
  }

  // MARK: Incoming packets

  private func pass(_ packet: [UInt8], _ now: Instant, _ packets: inout [[UInt8]]) {
    if isSilent(now) { return hit() }
    if unaskedResets > 0, packet.count >= 6, packet[0] == 0x04, packet[1] == 0x0E, packet[4] == 0x03, packet[5] == 0x0C {
      unaskedResets -= 1
      return
    }
    var packet = packet
    if packet.count >= 5, packet[0] == 0x02 { lastHandle = UInt16(packet[1]) | UInt16(packet[2] & 0x0F) << 8 }
    if hasCeased {
      packets.append(packet)
      return
    }
    if random.chance(0.1) { lastPacket = packet }
    if var pdu = Self.attributePDU(packet) {
      let isResponse = pdu[0] & 1 == 1 && pdu[0] != 0x1B && pdu[0] != 0x1D
      if isResponse, random.chance(plan.peer.silence) { return hit() }
      if isResponse, random.chance(plan.peer.twice) {
        hit()
        packets.append(packet)
      }
      if corrupt(&pdu, isResponse) {
        hit()
        packet = Self.data(on: lastHandle, channel: 4, pdu)
      }
    }
    let wire = plan.wire
    if random.chance(wire.drop) { return hit() }
    if random.chance(wire.alter), !packet.isEmpty {
      hit()
      for _ in 0..<1 + random.next(below: 3) {
        packet[Int(random.next(below: UInt64(packet.count)))] ^= UInt8(truncatingIfNeeded: 1 << random.next(below: 8))
      }
      if packet.count > 2, packet[0] == 0x04, packet[1] == 0x05 { forgeries.append("altered end") }
    }
    if random.chance(wire.cut) {
      hit()
      packet = Array(packet.prefix(Int(random.next(below: UInt64(packet.count + 1)))))
    }
    if random.chance(wire.extend) {
      hit()
      packet += bytes(upTo: 8)
    }
    if random.chance(wire.late) {
      hit()
      let at = now.moment + random.next(upTo: random.chance(0.2) ? .seconds(4) : .milliseconds(200))
      let place = late.firstIndex { $0.at > at } ?? late.count
      late.insert((at, packet), at: place)
      return
    }
    if random.chance(wire.double) {
      hit()
      packets.append(packet)
    }
    if random.chance(wire.overtake), !packets.isEmpty {
      hit()
      packets.insert(packet, at: packets.count - 1)
      return
    }
    packets.append(packet)
  }

  /// Changes what a peer sends.
  private func corrupt(_ pdu: inout [UInt8], _ isResponse: Bool) -> Bool {
    var isCorrupted = false
    if random.chance(plan.peer.otherOpcode) {
      pdu[0] = UInt8(truncatingIfNeeded: random.next())
      isCorrupted = true
    }
    if random.chance(plan.peer.otherValue), pdu.count > 1 {
      let place = 1 + Int(random.next(below: UInt64(pdu.count - 1)))
      pdu[place] = UInt8(truncatingIfNeeded: random.next())
      isCorrupted = true
    }
    if random.chance(plan.peer.otherLength) {
      if random.chance(0.5) {
        pdu = Array(pdu.prefix(Int(random.next(below: UInt64(pdu.count + 1)))))
      } else {
        pdu += bytes(upTo: 30)
      }
      isCorrupted = true
    }
    if isResponse, random.chance(plan.peer.error), let opcode = pdu.first {
      // A response has the opcode of its request plus one.
      pdu = [0x01, opcode == 1 && pdu.count > 1 ? pdu[1] : opcode &- 1, 1, 0, UInt8(truncatingIfNeeded: random.next())]
      isCorrupted = true
    }
    return isCorrupted
  }

  /// The ATT PDU of a packet that contains a whole frame.
  private static func attributePDU(_ packet: [UInt8]) -> [UInt8]? {
    guard packet.count > 9, packet[0] == 0x02, packet[2] >> 4 & 0b11 != 1, packet[7] == 4, packet[8] == 0,
      Int(packet[5]) + Int(packet[6]) << 8 + 9 == packet.count
    else { return nil }
    return Array(packet[9...])
  }

  private static func data(on handle: UInt16, channel: UInt16, _ payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.put(UInt8(0x02))
    writer.put(handle | 0x2000)
    writer.put(UInt16(payload.count + 4))
    writer.put(UInt16(payload.count))
    writer.put(channel)
    writer.put(payload)
    return writer.bytes
  }

  private func bytes(upTo most: Int) -> [UInt8] {
    (0..<random.next(below: UInt64(most + 1))).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  // MARK: Orders

  private func perform(_ order: FaultPlan.Order, _ now: Instant, _ packets: inout [[UInt8]]) {
    hit()
    func peer(_ index: Int) -> ControllerID { peers[index % peers.count] }
    switch order {
    case .loss(let chance): air.make { $0.loss = chance }
    case .vanish(let index): air.make { $0.vanish(peer(index), at: $0.now) }
    case .appear(let index): air.make { $0.appear(peer(index), at: $0.now) }
    case .drop(let index, let atOnce): air.make { $0.drop(peer(index), atOnce: atOnce, at: $0.now) }
    case .loseReply(let index, let how):
      air.make { $0.loseNextReply(peer(index), then: [.linkTimesOut, .linkDrops, .silence][how], at: $0.now) }
    case .refuseOperation(let index, let code): air.make { $0.refuseNextOperation(peer(index), error: code, at: $0.now) }
    case .refuseCommand(let code): air.make { $0.refuseNextCommand(controller, status: HCIStatus(code), at: $0.now) }
    case .failConnections(let index, let count, let isHeard):
      air.make { $0.failNextConnections(peer(index), count: count, isHeard: isHeard, at: $0.now) }
    case .slow(let index, let delay): air.make { $0.slow(peer(index), by: delay, at: $0.now) }
    case .silence(let span):
      silentUntil = max(silentUntil ?? now.moment, now.moment + span)
    case .surprise(let surprise): if !isSilent(now) { surprised(by: surprise, now, &packets) }
    }
  }

  private func surprised(by surprise: FaultPlan.Surprise, _ now: Instant, _ packets: inout [[UInt8]]) {
    let byte = UInt8(truncatingIfNeeded: random.next())
    let handle = random.chance(0.7) ? lastHandle : UInt16(random.next(below: 0x0F00))
    let low = UInt8(truncatingIfNeeded: handle)
    let high = UInt8(truncatingIfNeeded: handle >> 8)
    switch surprise {
    case .garbage: packets.append(bytes(upTo: 300))
    case .garbageEvent:
      let body = bytes(upTo: 60)
      packets.append([0x04, random.chance(0.5) ? 0x3E : byte, UInt8(body.count)] + body)
    case .garbageData:
      let body = bytes(upTo: 60)
      packets.append([0x02, low, high | UInt8(random.next(below: 4) << 4), UInt8(body.count), 0] + body)
    case .replay: if !lastPacket.isEmpty { packets.append(lastPacket) }
    case .strangeCompletion:
      let opcodes: [UInt16] = [0x0000, 0x0C03, 0x200B, 0x200C, 0x200D, 0x0406, 0x2011, 0xFC01]
      let opcode = opcodes[Int(random.next(below: UInt64(opcodes.count)))]
      let parts = [UInt8(truncatingIfNeeded: opcode), UInt8(truncatingIfNeeded: opcode >> 8)]
      let allowed: UInt8 = random.chance(0.3) ? 0 : 1
      packets.append(
        random.chance(0.5) ? [0x04, 0x0E, 4, allowed] + parts + [byte & 0x1F] : [0x04, 0x0F, 4, byte & 0x1F, allowed] + parts)
    case .strangeCredits: packets.append([0x04, 0x13, 5, 1, low, high, byte, byte & 0x80])
    case .strangeLink:
      let status: UInt8 = random.chance(0.3) ? byte & 0x3F : 0
      packets.append(
        [0x04, 0x3E, 19, 0x01, status, low, high, byte & 1, byte >> 1 & 1] + (0..<6).map { _ in byte } + [24, 0, 0, 0, 42, 0, 0])
    case .strangeDisconnection:
      if handle == lastHandle { forgeries.append("end") }
      packets.append([0x04, 0x05, 4, random.chance(0.2) ? byte : 0, low, high, byte & 0x3F])
    case .strangeReport:
      let body = bytes(upTo: 31)
      packets.append(
        [0x04, 0x3E, UInt8(12 + body.count), 0x02, 1, byte & 3, 1] + (0..<6).map { _ in UInt8(truncatingIfNeeded: random.next()) }
          + [UInt8(body.count)] + body + [0xC0])
    case .hardwareError: packets.append([0x04, 0x10, 1, byte])
    case .reset, .resetWithEvent, .resetWithError:
      unaskedResets += 1
      air.send([0x01, 0x03, 0x0C, 0x00], from: controller, at: now)
      if surprise == .resetWithEvent { packets.append([0x04, 0x0E, 3, 1, 0, 0]) }
      if surprise == .resetWithError { packets.append([0x04, 0x10, 1, byte]) }
    case .notification:
      packets.append(Self.data(on: lastHandle, channel: 4, [0x1B, UInt8(random.next(below: 40)), 0] + bytes(upTo: 20)))
    case .indication:
      packets.append(Self.data(on: lastHandle, channel: 4, [0x1D, UInt8(random.next(below: 40)), 0] + bytes(upTo: 20)))
    case .serviceChanged:
      packets.append(Self.data(on: lastHandle, channel: 4, [0x1D, 0x08, 0, 0x01, 0, 0xFF, 0xFF]))
    case .request:
      let opcodes: [UInt8] = [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20, 0x52, 0xD2]
      packets.append(
        Self.data(on: lastHandle, channel: 4, [opcodes[Int(random.next(below: UInt64(opcodes.count)))]] + bytes(upTo: 24)))
    case .signal:
      packets.append(
        random.chance(0.5)
          ? Self.data(on: lastHandle, channel: 5, [0x12, byte, 8, 0, 24, 0, 40, 0, 0, 0, 200, 0])
          : Self.data(on: lastHandle, channel: 5, bytes(upTo: 40)))
    case .pairing:
      packets.append(Self.data(on: lastHandle, channel: 6, random.chance(0.5) ? [0x0B, 0x01] : [0x01, 3, 0, 1, 16, 1, 1]))
    case .strangeChannel:
      packets.append(Self.data(on: lastHandle, channel: UInt16(truncatingIfNeeded: random.next()), bytes(upTo: 40)))
    case .flood:
      let attribute = UInt8(random.next(below: 40))
      for number in 0..<300 {
        packets.append(Self.data(on: lastHandle, channel: 4, [0x1B, attribute, 0, UInt8(number & 0x7F), 60, 0, 0]))
      }
    }
  }
}
