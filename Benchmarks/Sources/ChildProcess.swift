import Glibc

/// Runs a program to its end and returns `cpu_us` (user and system) and `peak_kib`, as wait4
/// reports them. The program writes to our output. Its peak counts only if it exceeds ours, because
/// a process begins as a copy.
enum ChildProcess {
  static func run(_ arguments: [String]) -> Int32 {
    guard !arguments.isEmpty else {
      Report.complain("bench process PROGRAM [ARGUMENT…]")
      return 2
    }
    var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for text in argv { free(text) } }
    var process: pid_t = 0
    let result = posix_spawnp(&process, arguments[0], nil, nil, &argv, environ)
    guard result == 0 else {
      Report.complain("\(arguments[0]) cannot be started: \(String(cString: strerror(result)))")
      return 127
    }
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
    let user = usage.ru_utime.tv_sec * 1_000_000 + Int(usage.ru_utime.tv_usec)
    let system = usage.ru_stime.tv_sec * 1_000_000 + Int(usage.ru_stime.tv_usec)
    Report.figure("cpu_us", user + system)
    Report.figure("peak_kib", usage.ru_maxrss)
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }
}
