import Glibc

/// The seeds that run at this moment. They are printed to stderr when the process traps or hangs,
/// because no test can report them then.
enum SeedsInFlight {
  /// One for each share.
  private static let places = FaultTests.shares
  /// The previous handlers, which print Swift's backtraces.
  private nonisolated(unsafe) static let before: UnsafeMutablePointer<sigaction> = {
    let memory = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
    memory.initialize(repeating: sigaction(), count: 65)
    return memory
  }()
  private nonisolated(unsafe) static let seeds: UnsafeMutablePointer<UInt64> = {
    let memory = UnsafeMutablePointer<UInt64>.allocate(capacity: places)
    memory.initialize(repeating: .max, count: places)
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { SeedsInFlight.report($0) }
      sigaction(number, &action, &before[Int(number)])
    }
    return memory
  }()

  /// The deadline of each slot's run, in seconds of the monotonic clock.
  private nonisolated(unsafe) static let deadlines: UnsafeMutablePointer<Int> = {
    let memory = UnsafeMutablePointer<Int>.allocate(capacity: places)
    memory.initialize(repeating: .max, count: places)
    return memory
  }()
  /// Checks all slots every second while the process lives. It is a thread because a process has
  /// only one `alarm`, whose signal would interrupt waiting calls.
  private static let watchdog: Bool = {
    var thread = pthread_t()
    return pthread_create(
      &thread, nil,
      { _ in
        while true {
          sleep(1)
          SeedsInFlight.look()
        }
      }, nil) == 0
  }()

  /// A run takes a second. One that takes longer than this hangs.
  private static let patience = 120

  private static func second() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec
  }

  static func during<Result>(
    _ seed: UInt64, place: Int, patience: Int = Self.patience, _ work: () throws -> Result
  ) rethrows -> Result {
    precondition(watchdog && seeds[place] == .max)
    seeds[place] = seed
    deadlines[place] = second() + patience
    defer {
      deadlines[place] = .max
      seeds[place] = .max
    }
    return try work()
  }

  private static func look() {
    let now = second()
    guard (0..<places).contains(where: { deadlines[$0] < now }) else { return }
    report(0)
    sigaction(SIGABRT, &before[Int(SIGABRT)], nil)
    abort()
  }

  /// Prints the seeds; 0 is the call of the watchdog. It runs in a signal handler, so it only uses
  /// `write`.
  private static func report(_ number: Int32) {
    say(number == 0 ? "\nfaults: a run hangs; seeds under way:" : "\nfaults: the process dies; seeds under way:")
    for place in 0..<places where seeds[place] != .max {
      say(" ")
      var digits: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
      withUnsafeMutableBytes(of: &digits) { buffer in
        var rest = seeds[place]
        var index = buffer.count
        repeat {
          index -= 1
          buffer[index] = UInt8(48 + rest % 10)
          rest /= 10
        } while rest > 0 && index > 0
        _ = write(2, buffer.baseAddress.map { $0 + index }, buffer.count - index)
      }
    }
    say("\nrepeat one with: FAULT_SEED=N swift test --filter FaultsTests\n")
    if number == 0 { return }
    sigaction(number, &before[Int(number)], nil)
    // The faulting instruction runs again when this returns, and the backtrace handler catches it.
    if number == SIGABRT { raise(number) }
  }

  private static func say(_ text: StaticString) { _ = write(2, text.utf8Start, text.utf8CodeUnitCount) }
}
