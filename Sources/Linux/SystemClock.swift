import CBluez
import Glibc
package import Vocabulary

/// The machine's two clocks, read once per turn.
package enum SystemClock {
  package static func now() -> Instant {
    Instant(moment: Moment(nanoseconds: read(CLOCK_BOOTTIME)), wall: WallTime(nanoseconds: read(CLOCK_REALTIME)))
  }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return nanoseconds(seconds: Int64(time.tv_sec), rest: Int64(time.tv_nsec))
  }

  /// Clamps times that 64 bits of nanoseconds cannot hold, because a clock may be set to any year.
  package static func nanoseconds(seconds: Int64, rest: Int64) -> Int64 {
    (TimeSpan.seconds(seconds) + TimeSpan(nanoseconds: rest)).nanoseconds
  }

  /// CPU time of this process so far.
  package static func processTime() -> TimeSpan { TimeSpan(nanoseconds: read(CLOCK_PROCESS_CPUTIME_ID)) }

  /// Identifies the boot of the machine. Moments of one boot mean nothing in another.
  ///
  /// A service may see no `/proc/sys`; then `TOOTH_BOOT_ID` from its unit is used, else the time of
  /// the boot, which changes when the clock is set. Without any of these, every process counts as a
  /// boot of its own, so that no two boots are mistaken for one.
  package static func bootID(proc: String = "/proc", named: (String) -> String? = environment) -> String {
    var given =
      (try? readFile("\(proc)/sys/kernel/random/boot_id", limit: 100, isShort: true)).map { String(decoding: $0, as: UTF8.self) }
      ?? ""
    if given.isEmpty { given = named("TOOTH_BOOT_ID") ?? "" }
    // systemd writes it without dashes.
    let text = String(decoding: given.utf8.filter { $0 != 0x2D && $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
    if !text.isEmpty { return text }
    if let bytes = try? readFile("\(proc)/stat", limit: 1 << 24) {
      let line = bytes.split(separator: 0x0A).first { $0.starts(with: "btime ".utf8) }
      if let line, let time = Int64(String(decoding: line.dropFirst(6), as: UTF8.self)) { return "btime\(time)" }
    }
    return "unknown\(String(seed(), radix: 16))"
  }

  /// An unpredictable seed.
  package static func seed() -> UInt64 {
    var seed: UInt64 = 0
    guard cbluez_random(&seed, 8) == 0 else { return UInt64(bitPattern: read(CLOCK_REALTIME)) ^ UInt64(getpid()) << 32 }
    return seed
  }
}

/// The memory that this process has used.
package enum SystemMemory {
  /// The largest resident size so far, in KiB.
  package static var peak: Int {
    guard let bytes = try? readFile("/proc/self/status", limit: 65536) else { return 0 }
    for line in bytes.split(separator: 0x0A) where line.starts(with: "VmHWM:".utf8) {
      return Int(String(decoding: line.filter { (0x30...0x39).contains($0) }, as: UTF8.self)) ?? 0
    }
    return 0
  }
}
