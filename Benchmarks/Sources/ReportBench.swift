import Exchange
import Vocabulary

/// The whole path of an advertising report: an HCI event is merged into what is known of its
/// sender, passes the filters of a scanning recipe, and the changes are committed.
enum ReportBench {
  /// Filters of every kind. The result shows that the last report of each sender was handled.
  static let scan = """
    scan for all heart_rate named "Belt *" stronger than -100dBm where it.connectable within 30s as found
    let matching = 0
    let signals = 0
    for each belt in found
      set matching to matching + 1
      set signals to signals + belt.rssi
    end
    wait forever

    """

  /// One report from each of this many advertisers in one burst, each with a new signal strength.
  static func burst(_ count: Int, of senders: Int) throws {
    let packets = (0..<count).map { packet($0 % senders, rssi: signal($0)) }
    let (world, time) = try scanning(after: [], packets)
    Report.microseconds("report_us", nanoseconds: time / max(count, 1))
    let told = try ListeningHost.reported(packets)
    Report.figure("reports_told", told)
    guard told == count else { throw BenchFailure("\(told) of \(count) reports were told") }
    let belts = (0..<senders).filter { isBelt($0) }
    try expect(world, belts.count, belts.map { last in signal((0..<count).last { $0 % senders == last } ?? 0) })
  }

  /// Reports of ten known devices beside this many others.
  static func beside(_ others: Int, _ count: Int) throws {
    let known = (0..<others).map { packet($0 * belts, rssi: -50) }
    let packets = (0..<count).map { packet(max(0, others - 1 - $0 % 10) * belts, rssi: signal($0)) }
    let (world, time) = try scanning(after: known, packets)
    Report.microseconds("report_us", nanoseconds: time / max(count, 1))
    let others = max(others, 1)
    let heard = min(others, min(count, 10))
    let signals = (0..<heard).map { place in signal((0..<count).last { $0 % 10 == place } ?? 0) }
    try expect(world, others, signals + [Int8](repeating: -50, count: others - heard))
  }

  /// Devices that were never heard before.
  static func unknownDevices(_ count: Int) throws {
    let packets = (0..<count).map { packet($0, rssi: signal($0)) }
    let (world, time) = try scanning(after: [], packets, passes: 1)
    Report.microseconds("report_us", nanoseconds: time / max(count, 1))
    let belts = (0..<count).filter { isBelt($0) }
    try expect(world, belts.count, belts.map(signal))
  }

  /// Introduces this many devices to a run that scans for belts, and to its host.
  static func makeKnown(_ count: Int, to world: BenchWorld) { inject(world, (0..<count).map { packet($0 * belts, rssi: -50) }) }

  private static func scanning(after known: [[UInt8]], _ packets: [[UInt8]], passes: Int? = nil) throws -> (BenchWorld, time: Int) {
    let world = try BenchWorld(devices: Devices.strap)
    try world.start(scan)
    try world.run(.seconds(1))
    inject(world, known)
    let time = Report.best(of: passes ?? (packets.count >= 10_000 ? 5 : 1)) { inject(world, packets) }
    return (world, time)
  }

  private static func expect(_ world: BenchWorld, _ matching: Int, _ signals: [Int8]) throws {
    try world.run(.seconds(40))
    let sum = signals.reduce(0) { $0 + Int64($1) }
    guard case .int(let found)? = try world.stored("matching"), case .int(let total)? = try world.stored("signals"),
      found == Int64(matching), total == sum
    else {
      throw BenchFailure("not every report was handled: \(matching) devices with signals of \(sum) together were to be found")
    }
  }

  private static func inject(_ world: BenchWorld, _ packets: [[UInt8]]) {
    for place in stride(from: 0, to: packets.count, by: NotificationBench.batch) {
      world.inject(Array(packets[place..<min(place + NotificationBench.batch, packets.count)]))
    }
  }

  // MARK: Packets

  /// Every fifth sender matches the filter.
  private static let belts = 5
  private static func isBelt(_ sender: Int) -> Bool { sender.isMultiple(of: belts) }
  private static func signal(_ number: Int) -> Int8 { Int8(-40 - (number &* 31 &+ 7) % 50) }

  /// LE Advertising Report (Vol 4, Part E, 7.7.65.2), connectable. The sender is a belt, a beacon,
  /// another device with a frame of its own, an unnamed heart rate sensor, or a lamp.
  static func packet(_ sender: Int, rssi: Int8) -> [UInt8] {
    var data: [UInt8] = [0x02, 0x01, 0x06]
    switch sender % 5 {
    case 0:
      let name = Array("Belt \(sender)".utf8)
      data += [0x03, 0x03, 0x0D, 0x18, UInt8(name.count + 1), 0x09] + name
    case 1: data += [0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15] + (0..<21).map { UInt8(truncatingIfNeeded: sender &+ $0) }
    case 2: data += [0x03, 0x03, 0xAA, 0xFE, 0x06, 0x16, 0xAA, 0xFE, 0x20, 0x00, UInt8(truncatingIfNeeded: sender)]
    case 3: data += [0x03, 0x03, 0x0D, 0x18]
    default: data += [0x07, 0x09] + Array("Lamp \(sender % 10)".utf8)
    }
    let address = (0..<4).map { UInt8(truncatingIfNeeded: sender >> (8 * $0)) } + [0x5E, 0xC0]
    return [0x04, 0x3E, UInt8(12 + data.count), 0x02, 0x01, 0x00, 0x01] + address + [UInt8(data.count)] + data
      + [UInt8(bitPattern: rssi)]
  }
}
