import Glibc

/// The seeds that run at this moment, told on stderr when the process traps or hangs: then no test can say it.
enum SeedsInFlight {
  private static let places = 16
  /// Who was to be told before us: Swift's backtraces.
  private nonisolated(unsafe) static let before: UnsafeMutablePointer<sigaction> = {
    let memory = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
    memory.initialize(repeating: sigaction(), count: 65)
    return memory
  }()
  private nonisolated(unsafe) static let seeds: UnsafeMutablePointer<UInt64> = {
    let memory = UnsafeMutablePointer<UInt64>.allocate(capacity: places)
    memory.initialize(repeating: .max, count: places)
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGALRM] {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { SeedsInFlight.tell($0) }
      sigaction(number, &action, &before[Int(number)])
    }
    return memory
  }()

  /// A run takes a second; one that is under way after this hangs.
  private static let patience: UInt32 = 120

  static func during<Result>(_ seed: UInt64, place: Int, _ work: () throws -> Result) rethrows -> Result {
    seeds[place % places] = seed
    alarm(patience)
    defer {
      seeds[place % places] = .max
      alarm(0)
    }
    return try work()
  }

  /// In a signal handler: only `write`.
  private static func tell(_ number: Int32) {
    say(number == SIGALRM ? "\nfaults: a run hangs; seeds under way:" : "\nfaults: the process dies; seeds under way:")
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
    sigaction(number, &before[Int(number)], nil)
    if number == SIGALRM { abort() }
    // What trapped traps again when this returns, and is seen by whoever makes backtraces.
    if number == SIGABRT { raise(number) }
  }

  private static func say(_ text: StaticString) { _ = write(2, text.utf8Start, text.utf8CodeUnitCount) }
}
