import Glibc
import Linux
import Testing
import Vocabulary

/// A program that runs beside the tests: our `tooth`, or one of Bumble's sides in Python. It is
/// killed when its last reference is released.
final class Child {
  let pid: pid_t
  private var open: [(descriptor: Int32, isOutput: Bool)]
  private var output: [UInt8] = []
  private var errors: [UInt8] = []
  private var code: Int32?
  /// Another program whose output is read, too, so that it never blocks on a full pipe.
  var companion: Child?

  /// All of stdout so far.
  var text: String { String(decoding: output, as: UTF8.self) }
  var complaint: String { String(decoding: errors, as: UTF8.self) }
  /// The complete lines of stdout so far.
  var lines: [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    lines.removeLast()
    return lines
  }

  init(_ arguments: [String], in directory: String = "/") throws {
    let variables = ["PATH=/usr/bin:/bin", "HOME=/nonexistent", "LANG=C.UTF-8", "TZ=UTC", "PYTHONDONTWRITEBYTECODE=1"]
    var argv: [UnsafeMutablePointer<CChar>?] = (["/usr/bin/env", "-C", directory] + arguments).map { strdup($0) } + [nil]
    var envp: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
    defer { for text in argv + envp { free(text) } }
    var out: [Int32] = [-1, -1]
    var err: [Int32] = [-1, -1]
    // Sockets instead of pipes, because they can be created so that programs started meanwhile do
    // not inherit them.
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let made = socketpair(AF_UNIX, kind, 0, &out) == 0 && socketpair(AF_UNIX, kind, 0, &err) == 0
    try #require(made)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, out[1], 1)
    posix_spawn_file_actions_adddup2(&actions, err[1], 2)
    var process: pid_t = 0
    let result = posix_spawn(&process, "/usr/bin/env", &actions, nil, &argv, &envp)
    close(out[1])
    close(err[1])
    open = [(out[0], true), (err[0], false)]
    pid = process
    try #require(result == 0, "\(arguments[0]) cannot be started")
  }

  deinit {
    if code == nil {
      kill(pid, SIGKILL)
      var status: Int32 = 0
      waitpid(pid, &status, 0)
    }
    for entry in open { close(entry.descriptor) }
  }

  /// Reads until the condition holds, both ends are closed, or the time is over. Returns whether
  /// the condition holds.
  @discardableResult
  func read(within limit: TimeSpan = .seconds(60), until isEnough: (Child) -> Bool = { _ in false }) -> Bool {
    let deadline = SystemClock.now().moment + max(limit, .seconds(120))
    while true {
      if isEnough(self) { return true }
      guard !open.isEmpty, SystemClock.now().moment < deadline else { return false }
      let others = companion?.open ?? []
      let ready = Poll.wait(for: (open + others).map { Poll.Interest($0.descriptor) }, until: deadline)
      let own = open.count
      take(ready[..<own].map(\.reads))
      companion?.take(ready[own...].map(\.reads))
    }
  }

  /// Reads what is available.
  private func take(_ reads: [Bool]) {
    var block = [UInt8](repeating: 0, count: 65536)
    for index in open.indices.reversed() where reads[index] {
      let count = Glibc.read(open[index].descriptor, &block, block.count)
      guard count > 0 else {
        close(open.remove(at: index).descriptor)
        continue
      }
      if open[index].isOutput { output += block[..<count] } else { errors += block[..<count] }
    }
  }

  /// Waits for a line of stdout with this prefix, and returns the rest of the line.
  func line(beginning start: String, within limit: TimeSpan = .seconds(60)) -> String? {
    func found(_ child: Child) -> String? { child.lines.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) } }
    read(within: limit) { found($0) != nil }
    return found(self)
  }

  /// Sends SIGKILL, and waits until the process is gone.
  func kill9() {
    kill(pid, SIGKILL)
    _ = end(within: .seconds(10))
  }

  /// Waits for the end, and kills the process if it does not end in time. Returns the exit code or
  /// the negated signal.
  func end(within limit: TimeSpan = .seconds(60)) -> Int32 {
    if let code { return code }
    // The pipes of an ended program are closed, but a running program may close them, too.
    if !read(within: limit), !open.isEmpty { kill(pid, SIGKILL) }
    var status: Int32 = 0
    let deadline = SystemClock.now().moment + .seconds(20)
    while waitpid(pid, &status, WNOHANG) == 0 {
      if SystemClock.now().moment > deadline { kill(pid, SIGKILL) }
      _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(2))
    }
    let signal = status & 0x7F
    let ended = signal == 0 ? (status >> 8) & 0xFF : -signal
    code = ended
    return ended
  }
}
