import Packets
import Simulator
import Testing
import Vocabulary

/// Six controllers with random commands of their hosts: all counts must agree.
@Suite struct StormTests {
  /// What a well-behaved host knows of one controller.
  private struct Book {
    var links: [(handle: ConnectionHandle, role: LinkRole, outstanding: Int)] = []
    var isInitiating = false
    var credits = 8

    mutating func reset() { self = Book() }

    /// Nil if the event agrees with what was known.
    mutating func enter(_ event: HCIEvent) -> String? {
      switch event {
      case .leConnectionComplete(let value):
        if value.role == .central { isInitiating = false }
        guard value.status.isSuccess else { return nil }
        if links.contains(where: { $0.handle == value.handle }) { return "handle \(value.handle) twice" }
        links.append((value.handle, value.role, 0))
      case .disconnectionComplete(let value):
        guard let place = links.firstIndex(where: { $0.handle == value.handle }) else { return "end of no link \(value.handle)" }
        credits += links[place].outstanding
        links.remove(at: place)
      case .numberOfCompletedPackets(let list):
        for entry in list {
          guard let place = links.firstIndex(where: { $0.handle == entry.handle }) else { return "credits for no link" }
          links[place].outstanding -= Int(entry.count)
          credits += Int(entry.count)
          if links[place].outstanding < 0 || credits > 8 { return "too many credits" }
        }
      default: break
      }
      return nil
    }
  }

  private static func storm(seed: UInt64) -> (log: [String], problems: [String], violations: Int) {
    var air = Air(seed: seed)
    var random = SplitMix(seed: seed ^ 0xABCD)
    var ids: [ControllerID] = []
    var books: [Book] = []
    var problems: [String] = []
    var log: [String] = []
    func address(_ index: Int) -> Address { Address(bits: UInt64(0xA0_0000 + index), kind: .public) }
    for index in 0..<6 {
      ids.append(air.addController(address: address(index), name: "\(index)", model: ControllerModel(maximumLinks: 3)))
      books.append(Book())
    }
    func collect() {
      for output in air.takeOutput() {
        switch output.packet {
        case .event(let event, _):
          if let problem = books[output.controller.index].enter(event) { problems.append("\(output.time): \(problem)") }
        case .acl(let packet):
          if !books[output.controller.index].links.contains(where: { $0.handle == packet.handle }) {
            problems.append("data for no link")
          }
        default: problems.append("\(output.packet)")
        }
      }
    }
    func send(_ index: Int, _ command: HCICommand) {
      air.host(ids[index], sends: .command(command), at: air.now)
      collect()
    }
    func begin(_ index: Int) {
      books[index].reset()
      send(index, .reset)
      send(index, .setEventMask(0x2000_9FFF_FFFF_FFFF))
    }
    for index in ids.indices { begin(index) }
    for _ in 0..<3000 {
      air.advance(to: air.now + .microseconds(Int64(random.next(below: 60_000))))
      collect()
      let index = Int(random.next(below: 6))
      let other = Int(random.next(below: 6))
      let handle =
        books[index].links.isEmpty ? nil : books[index].links[Int(random.next(below: UInt64(books[index].links.count)))].handle
      switch random.next(below: 24) {
      case 0...2:
        send(index, .leSetAdvertisingParameters(AdvertisingParameters(intervalMinimum: 32, intervalMaximum: 64)))
        send(index, .leSetAdvertisingEnable(true))
      case 3: send(index, .leSetAdvertisingEnable(false))
      case 4...6:
        let timeout = UInt16(50 + random.next(below: 200))
        send(
          index,
          .leCreateConnection(
            CreateConnection(
              scanInterval: 96, scanWindow: 96, useFilterAcceptList: false, peer: address(other),
              connection: ConnectionParameters(
                intervalMinimum: 6, intervalMaximum: UInt16(6 + random.next(below: 40)), latency: UInt16(random.next(below: 3)),
                supervisionTimeout: timeout))))
      case 7: send(index, .leCreateConnectionCancel)
      case 8: send(index, .leSetScanEnable(random.next(below: 2) == 0, filterDuplicates: false))
      case 9: if let handle { send(index, .disconnect(handle, reason: .remoteUserTerminated)) }
      case 10: if let handle { send(index, .leReadRemoteFeatures(handle)) }
      case 11: if let handle { send(index, .leSetDataLength(handle, octets: 100, time: 2120)) }
      case 12:
        if let handle {
          let parameters = ConnectionParameters(intervalMinimum: 12, intervalMaximum: 12, latency: 1, supervisionTimeout: 200)
          send(index, .leConnectionUpdate(ConnectionUpdate(handle: handle, connection: parameters)))
        }
      case 13: air.drop(ids[index], atOnce: random.next(below: 2) == 0, at: air.now)
      case 14: if random.next(below: 8) == 0 { begin(index) }
      case 15: air.setLoss(ids[index], random.next(below: 4) == 0 ? 0.3 : 0, at: air.now)
      case 16: random.next(below: 3) == 0 ? air.vanish(ids[index], at: air.now) : air.appear(ids[index], at: air.now)
      case 17: air.loseNextReply(ids[index], then: [.linkTimesOut, .linkDrops, .silence][Int(random.next(below: 3))], at: air.now)
      case 18: air.failNextConnections(ids[index], isHeard: random.next(below: 2) == 0, at: air.now)
      default:
        guard let place = books[index].links.firstIndex(where: { $0.handle == handle }), let handle, books[index].credits > 0 else {
          break
        }
        let opcode: UInt8 = [0x1B, 0x0B, 0x52][Int(random.next(below: 3))]
        let pdu = [opcode, 3, 0] + [UInt8](repeating: 5, count: Int(random.next(below: 80)))
        books[index].credits -= 1
        books[index].links[place].outstanding += 1
        air.host(
          ids[index],
          sends: .acl(
            ACLPacket(handle: handle, boundary: .firstNonFlushable, data: [UInt8(pdu.count), 0, 4, 0] + pdu)), at: air.now)
      }
      collect()
      log += air.takeLog().map(\.line)
    }
    // In the end every remaining link times out.
    for id in ids { air.vanish(id, at: air.now) }
    air.advance(to: air.now + .minutes(2))
    collect()
    if air.liveLinks != 0 { problems.append("\(air.liveLinks) links live on") }
    for book in books where !book.links.isEmpty || book.credits != 8 { problems.append("\(book)") }
    return (log, problems, air.violations)
  }

  @Test(arguments: 1...24 as ClosedRange<UInt64>)
  func everyPacketIsAccountedFor(seed: UInt64) {
    let result = Self.storm(seed: seed)
    #expect(result.problems == [])
    #expect(result.violations == 0)
    #expect(result.log.contains { $0.contains(#""kind":"acl""#) })
  }

  @Test func aStormIsDeterministic() { #expect(Self.storm(seed: 77).log == Self.storm(seed: 77).log) }

  @Test func theEndOfTimeDoesNotTrap() {
    var world = World.linked()
    world.air.advance(to: .distantFuture)
    world.att(world.central, [0x0A, 3, 0])
    world.disconnect(world.peripheral)
    world.air.vanish(world.central, at: .distantFuture)
    world.air.advance(to: .distantFuture)
    #expect(world.air.now == .distantFuture)
  }
}
