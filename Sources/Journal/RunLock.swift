import Glibc
package import Vocabulary

/// The lock of a run: `flock` on `ID.lock`, close-on-exec, which the kernel releases however the
/// process ends. The file contains the owner's process id as text.
package final class RunLock {
  private let descriptor: Int32
  private let path: String
  /// The locked file.
  let file: StoreFiles.File
  /// When the last holder was last known to be alive.
  let lastSign: WallTime?

  /// - Parameter pause: The time between two attempts while the holder is gone but its lock is not.
  package init(
    _ id: RunID, in directory: StateDirectory, pause: () -> Void = { usleep(5000) }
  ) throws(JournalFailure) {
    path = directory.lock(of: id)
    var before = stat()
    var attempts = 0
    while true {
      let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard opened >= 0 else {
        let why = String(cString: strerror(errno))
        throw JournalFailure(
          [ENOSPC, EDQUOT, EFBIG].contains(errno) ? .diskFull : .unwritable, "\(path) cannot be created: \(why)",
          hint: "choose another place with --state DIR")
      }
      guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
        let holder = Self.holder(opened)
        Glibc.close(opened)
        // A child that was forked before the lock was released holds the descriptor until its
        // `exec`.
        let isGone = holder.map { $0 == getpid() || $0 > 0 && Self.isEnding($0) } ?? false
        if isGone, attempts < 400 {
          attempts += 1
          pause()
          continue
        }
        throw JournalFailure(
          .locked(pid: holder), "this run is already active\(holder.map { " in process \($0)" } ?? "") (\(id))",
          hint: "wait for it, stop it\(holder.map { " (kill \($0))" } ?? ""), or start another run with --as NAME")
      }
      // `runs drop` may have removed the file after it was opened; then the lock protects nothing.
      var there = stat()
      if fstat(opened, &before) == 0, stat(path, &there) == 0, before.st_ino == there.st_ino, before.st_dev == there.st_dev {
        descriptor = opened
        file = StoreFiles.File(path, before)
        break
      }
      Glibc.close(opened)
    }
    lastSign = Self.lastSign(before)
    let text = Array("\(getpid())\n".utf8)
    // On a full disk only the process id in messages of other starts is lost.
    if before.st_size == 0 || ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.count, 0) }
    // Restore the time, which the write of the process id has changed.
    if before.st_size > 0 {
      var times = [before.st_atim, before.st_mtim]
      futimens(descriptor, &times)
    }
  }

  /// Records that the run is alive in the time of the lock file. This is cheaper than a commit and
  /// need not survive a power cut.
  package func sign(at time: WallTime) {
    let (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let stamp = timespec(tv_sec: Int(seconds), tv_nsec: Int(max(rest, 0)))
    var times = [stamp, stamp]
    futimens(descriptor, &times)
  }

  /// When a run was last known to be alive.
  static func lastSign(of id: RunID, in directory: StateDirectory) -> WallTime? {
    var found = stat()
    return stat(directory.lock(of: id), &found) == 0 ? lastSign(found) : nil
  }

  /// A file that was never locked has no such time.
  private static func lastSign(_ found: stat) -> WallTime? {
    guard found.st_size > 0 else { return nil }
    let (seconds, overflow) = Int64(found.st_mtim.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? nil : WallTime(nanoseconds: seconds) + TimeSpan(nanoseconds: Int64(found.st_mtim.tv_nsec))
  }

  deinit { Glibc.close(descriptor) }

  /// Removes the lock file. The caller holds the lock and is removing the run.
  package func remove() { unlink(path) }

  /// The process id of a run's holder, if there is one.
  package static func holder(of id: RunID, in directory: StateDirectory) -> Int32? {
    let opened = open(directory.lock(of: id), O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { return nil }
    defer { Glibc.close(opened) }
    guard flock(opened, LOCK_SH | LOCK_NB) != 0 else { return nil }
    return holder(opened) ?? 0
  }

  private static func holder(_ descriptor: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: bytes.prefix(count).prefix { $0 != 0x0A }, as: UTF8.self))
  }

  /// Whether a process is gone or about to go, because SIGKILL is pending or the kernel is ending
  /// it (Linux, proc(5)).
  static func isEnding(_ process: Int32) -> Bool {
    guard let file = fopen("/proc/\(process)/status", "re") else { return kill(process, 0) != 0 && errno == ESRCH }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = line.withUnsafeBufferPointer {
        String(decoding: $0.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
      let words = text.split { $0 == "\t" || $0 == " " || $0 == "\n" }
      guard words.count > 1 else { continue }
      switch words[0] {
      case "State:": if words[1] == "Z" || words[1] == "X" { return true }
      case "SigPnd:", "ShdPnd:": if let pending = UInt64(words[1], radix: 16), pending & 1 << 8 != 0 { return true }
      default: break
      }
    }
    return false
  }
}
