import Exchange
import Glibc
import Journal
import Session
import Vocabulary

/// How costs grow. Each cost is measured at two sizes; its exponent is the logarithm of the ratio
/// of costs over that of the sizes. 0 is flat, 1 is linear.
enum GrowthBench {
  /// A start beside ended runs of the same recipe.
  static func starts(_ most: Int) throws {
    let world = try BenchWorld(devices: Devices.strap)
    try world.start("wait forever\n")
    try world.stop()
    try exponent("start_beside", of: [10, max(most, 20)]) { count in
      try others(count, in: world)
      var best = Int.max
      for _ in 0..<9 {
        let start = Report.processTime()
        try world.start("wait forever\n")
        best = min(best, Report.processTime() - start)
        try world.stop()
      }
      return best
    }
  }

  /// `tooth runs` without its printing.
  static func runs(_ most: Int) throws {
    let world = try BenchWorld(devices: Devices.strap)
    try world.start("wait forever\n")
    try world.stop()
    try exponent("runs", of: [max(most, 20) / 10, max(most, 20)]) { count in
      try others(count - 1, in: world)
      return try Report.best(of: 3) {
        let found = KnownRun.all(in: StateDirectory(path: world.directory))
        for run in found { _ = RunLock.holder(of: run.id, in: StateDirectory(path: world.directory)) }
        guard found.count == count, found.allSatisfy({ $0.snapshot?.record.ending == .stopped }) else {
          throw BenchFailure("\(found.count) of \(count) runs were found")
        }
      }
    }
  }

  /// Gives the database of the ended run other names.
  private static func others(_ count: Int, in world: BenchWorld) throws {
    let directory = StateDirectory(path: world.directory)
    guard let first = directory.runs().first else { throw BenchFailure("there is no run") }
    let base = first.text.prefix { $0 != "-" }
    for number in 0..<count {
      let digits = String(0x1000_0000 + number, radix: 16)
      let name = "\(world.directory)/\(base)-\(digits).db"
      guard link("\(world.directory)/\(first.text).db", name) == 0 || errno == EEXIST else {
        throw BenchFailure("no link can be made")
      }
    }
  }

  /// `tooth scan` among devices that were never heard before.
  static func scan(_ count: Int) {
    let time = Report.best(of: 1) {
      var sightings = Sightings()
      for number in 0..<count {
        let now = Moment(nanoseconds: Int64(number) * 100_000)
        _ = sightings.hear(Advertisement(address: Address(bits: UInt64(number) * 7919, kind: .random)), at: now)
        _ = sightings.due(at: now)
      }
    }
    Report.microseconds("scan_us", nanoseconds: time)
  }

  /// Bytes that `scan for all` writes at a thousand new addresses a second, over all writes of this
  /// process.
  static func found(_ most: Int) throws {
    let sizes = [max(most, 2000) / 10, max(most, 2000)]
    let counts = try sizes.map { count in
      let world = try BenchWorld(devices: Devices.strap)
      try world.start("scan for all anything within 10h as found\nlet n = 0\nset n to count(found)\nwait forever\n")
      try world.run(.seconds(1))
      let start = try written()
      for place in stride(from: 0, to: count, by: 100) {
        world.inject((place..<min(place + 100, count)).map { ReportBench.packet($0, rssi: -50) })
        try world.run(.milliseconds(100))
      }
      try world.run(.seconds(2))
      let octets = try written() - start
      guard try world.deviceCount() >= count else { throw BenchFailure("not every device is in the checkpoint") }
      return octets
    }
    Report.figure("found_octets", counts[1] / sizes[1])
    put("found", sizes, counts)
  }

  private static func written() throws -> Int {
    let file = open("/proc/self/io", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = read(file, &bytes, bytes.count)
    for line in String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n") where line.hasPrefix("wchar: ")
    {
      if let number = Int(line.dropFirst(7)) { return number }
    }
    throw BenchFailure("/proc/self/io does not say what was written")
  }

  private static func exponent(_ name: String, of sizes: [Int], _ cost: (Int) throws -> Int) throws {
    let costs = try sizes.map(cost)
    Report.microseconds("\(name)_few_us", nanoseconds: costs[0])
    Report.microseconds("\(name)_many_us", nanoseconds: costs[1])
    put(name, sizes, costs)
  }

  private static func put(_ name: String, _ sizes: [Int], _ costs: [Int]) {
    let exponent = log(Double(max(costs[1], 1)) / Double(max(costs[0], 1))) / log(Double(sizes[1]) / Double(sizes[0]))
    // A falling cost counts as flat.
    let hundredths = max(0, Int((exponent * 100).rounded()))
    Report.text("\(name)_exponent", "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)")
  }
}
