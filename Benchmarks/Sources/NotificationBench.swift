import Runner
import Vocabulary

/// The whole path of a notification: an ACL packet is unpacked (H4, L2CAP, ATT), matched with its
/// subscription and decoded; its handler runs; the changes are committed.
enum NotificationBench {
  /// Other state that the recipe keeps.
  enum Rest {
    case elements(Int)
    case variables(Int)

    /// Declarations, each with a statement that makes it a variable and not a constant.
    var declarations: String {
      switch self {
      case .elements(let count):
        "let others = [\(repeatElement("0", count: count).joined(separator: ", "))]\nset others[0] to 7\n"
      case .variables(let count):
        (0..<count).map { "let other\($0) = 0\n" }.joined() + (0..<count).map { "set other\($0) to 7\n" }.joined()
      }
    }
  }

  /// Delivers at most this many packets in a turn.
  static let batch = 256

  private static func counting(_ rest: String = "", scan: String = "scan for heart_rate") -> String {
    """
    let beats = 0
    \(rest)
    \(scan)
    connect
    subscribe to heart_rate_measurement
    on notify heart_rate_measurement
      set beats to beats + 1
    end
    wait forever

    """
  }

  static func notifications(_ count: Int) throws {
    let (world, packet) = try connected(counting())
    try measure("notification_us", world, [[UInt8]](repeating: packet, count: batch), count)
  }

  /// The same beside this many other devices, which the run and its host know.
  static func notifications(_ count: Int, devices: Int) throws {
    let scan = "scan for all heart_rate named \"Belt *\" within 2s as found\nscan for heart_rate named \"Strap 7\""
    let (world, packet) = try connected(counting(scan: scan)) {
      try $0.run(.seconds(1))
      ReportBench.makeKnown(devices, to: $0)
    }
    guard try world.deviceCount() == devices + 1 else { throw BenchFailure("not \(devices) devices are known") }
    try measure("notification_us", world, [[UInt8]](repeating: packet, count: batch), count)
  }

  /// One notification per turn: the cost of a committed turn that changes one variable, beside
  /// other state.
  static func turns(_ count: Int, beside rest: Rest) throws {
    let (world, packet) = try connected(counting(rest.declarations))
    try measure("turn_us", world, [packet], count)
  }

  private static func connected(
    _ recipe: String, _ prepare: (BenchWorld) throws -> Void = { _ in }
  ) throws -> (BenchWorld, [UInt8]) {
    let world = try BenchWorld(devices: Devices.strap)
    try world.start(recipe)
    try prepare(world)
    for _ in 0..<100 {
      if let packet = world.transport.notification { return (world, packet) }
      try world.run(.milliseconds(100))
    }
    throw BenchFailure("no notification came within 10 s")
  }

  private static func measure(_ name: String, _ world: BenchWorld, _ packets: [[UInt8]], _ count: Int) throws {
    let passes = count >= 10_000 ? 5 : 1
    let before = world.transport.notifications
    let commits = world.session?.commitCount ?? 0
    let time = Report.best(of: passes) {
      var left = count
      while left > 0 {
        world.inject(left >= packets.count ? packets : Array(packets.prefix(left)))
        left -= packets.count
      }
    }
    Report.microseconds(name, nanoseconds: time / max(count, 1))
    Report.figure("commits", (world.session?.commitCount ?? 0) - commits)
    guard case .int(let beats)? = try world.stored("beats"), beats == Int64(before + passes * count) else {
      throw BenchFailure("the handler did not count every notification")
    }
  }
}
