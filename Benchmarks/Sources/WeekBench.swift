import Glibc
import Runner
import Simulator
import Vocabulary

/// Days of heartbeats with a lost link every twenty minutes. It fails if the memory or the files of
/// the run grow.
enum WeekBench {
  /// Limit for resident memory after the first day, as largest hour over smallest hour: ± 5 %.
  static let spread = 1.10
  /// Limit in bytes for the database, log and shared memory of a run with a few rows of state.
  /// SQLite moves the log into the database every thousand commits.
  static let database = 6 << 20

  static func run(days: Int) throws {
    let days = max(days, 2)
    let start = Report.processTime()
    let world = try BenchWorld(devices: Devices.strap)
    try world.start(DayBench.recipe, syncWithin: .hours(1000))
    guard let strap = world.air.controller(of: "strap") else { throw BenchFailure("there is no strap") }
    let losses = 500
    // The interval between losses, including half a minute out of range.
    let period = TimeSpan.milliseconds(Int64(days) * 86_400_000 / Int64(losses))
    var lowest = Int.max
    var highest = 0
    var largest = 0
    var sampled = TimeSpan.zero
    var elapsed = TimeSpan.zero
    for loss in 0..<losses {
      let before = world.transport.notifications
      // In range, out of range at once or gradually, and back.
      try world.run(period - .seconds(30))
      guard world.transport.notifications > before else {
        throw BenchFailure("after loss \(loss) the strap is not connected again")
      }
      if loss % 2 == 0 {
        world.air.make { $0.vanish(strap, at: $0.now) }
      } else {
        world.air.make { $0.drop(strap, atOnce: true, at: $0.now) }
        world.air.make { $0.vanish(strap, at: $0.now) }
      }
      try world.run(.seconds(30))
      world.air.make { $0.appear(strap, at: $0.now) }
      elapsed = elapsed + period
      guard elapsed - sampled >= .hours(1) else { continue }
      sampled = elapsed
      largest = max(largest, world.stateSize())
      guard elapsed >= .hours(24) else { continue }
      let resident = Report.resident()
      (lowest, highest) = (min(lowest, resident), max(highest, resident))
    }
    let end = Report.processTime()
    guard case .int(let stored)? = try world.stored("beats"), stored == Int64(world.transport.notifications) else {
      throw BenchFailure("not every heartbeat was counted")
    }
    Report.figure("week_days", days)
    Report.figure("week_ms", (end - start) / 1_000_000)
    Report.figure("week_beats", world.transport.notifications)
    Report.figure("week_reconnections", losses)
    Report.figure("week_memory_lowest_kib", lowest / 1024)
    Report.figure("week_memory_highest_kib", highest / 1024)
    Report.figure("week_database_kib", largest / 1024)
    guard Double(highest) <= Double(lowest) * spread else {
      throw BenchFailure("memory is not flat: \(lowest / 1024) to \(highest / 1024) KiB after the first day")
    }
    guard largest <= database else { throw BenchFailure("the database has grown to \(largest / 1024) KiB") }
  }
}

extension BenchWorld {
  /// Bytes of the databases with their logs and shared memory.
  func stateSize() -> Int {
    var sum = 0
    guard let list = opendir(directory) else { return 0 }
    defer { closedir(list) }
    while let entry = readdir(list) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      var status = stat()
      guard !name.hasSuffix(".csv"), lstat("\(directory)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        continue
      }
      sum += Int(status.st_size)
    }
    return sum
  }
}

extension Report {
  /// Resident memory of this process in bytes, from the second field of `statm`, which counts
  /// pages.
  static func resident() -> Int {
    let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &buffer, buffer.count)
    let words = String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self).split(separator: " ")
    return words.count > 1 ? (Int(words[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
  }
}
