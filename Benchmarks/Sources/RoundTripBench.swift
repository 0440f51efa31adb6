import Packets
import Simulator
import Vocabulary

/// Counts ATT round trips in the log of the air.
enum RoundTripBench {
  static let beats = """
    scan for heart_rate
    connect
    subscribe to heart_rate_measurement
    on notify heart_rate_measurement as beat: print beat.bpm
    reconnect forever

    """

  static let reading = """
    scan for heart_rate
    connect
    read battery_level as level
    print level

    """

  static func run() throws {
    // It beats so often that its first notification arrives before the link is ever idle.
    let world = try BenchWorld(devices: Devices.strap(every: "100ms"), isLogging: true)
    try world.start(beats, name: "cold")
    try announce("cold", try untilNotified(world))
    // The host reads the hash when the link is idle.
    try world.run(.seconds(5))
    try world.stop()
    try world.start(beats, name: "cached")
    try announce("cached", try untilNotified(world))
    try world.stop()
    let other = try BenchWorld(devices: Devices.strap, isLogging: true)
    try other.start(reading, name: "reading")
    guard try other.run(.seconds(20)) == .ended else { throw BenchFailure("the reading run does not end") }
    try announce("one_read", other.air.takeLog())
  }

  private static func untilNotified(_ world: BenchWorld) throws -> [AirRecord] {
    _ = world.air.takeLog()
    let before = world.transport.notifications
    var records: [AirRecord] = []
    for _ in 0..<100 where world.transport.notifications == before {
      try world.run(.milliseconds(100))
      records += world.air.takeLog()
    }
    guard world.transport.notifications > before else { throw BenchFailure("no notification came") }
    return records
  }

  /// Requests are even opcodes from 0x02 to 0x18 (Vol 3, Part F, 3.4.8). The MTU exchange is
  /// counted separately.
  private static func announce(_ name: String, _ records: [AirRecord]) throws {
    var requests: [UInt8] = []
    for record in records where record.kind == .acl && record.channel == 4 {
      guard let opcode = record.bytes?.first else { continue }
      if opcode == 0x1B { break }
      if opcode.isMultiple(of: 2), (0x02...0x18).contains(opcode) { requests.append(opcode) }
    }
    Report.figure("round_trips_\(name)", requests.count { $0 != 0x02 })
    Report.figure("mtu_exchanges_\(name)", requests.count { $0 == 0x02 })
    Report.text("requests_\(name)", requests.map(word).joined(separator: ","))
  }

  /// `Find By Type Value`, as one word for the script.
  private static func word(_ opcode: UInt8) -> String {
    let name = ATTOpcode.name(opcode)
    let short = name.hasSuffix(" Request") ? String(name.dropLast(" Request".count)) : name
    return String(short.map { $0 == " " ? "-" : $0 })
  }
}
