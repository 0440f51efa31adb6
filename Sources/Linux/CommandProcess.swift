import CBluez
import Glibc
package import Vocabulary

/// A program that a recipe has started, in a process group of its own. Its output is read at once,
/// so it never waits for us, and a bounded part is kept.
package final class CommandProcess {
  package let name: String
  private let pid: pid_t
  /// Readable when the process has ended; -1 if the kernel lacks pidfds.
  private var watch: Int32
  /// The helper that ends the group when this process dies; -1 for none.
  private var guardian: Int32
  /// Whether it was asked to end. Then it is gone when its whole group is.
  private var isEnding = false
  private var output: Int32
  private var errors: Int32
  private var status: Int32?

  package private(set) var out: [UInt8] = []
  package private(set) var err: [UInt8] = []
  /// Whether there was more output than is kept.
  package private(set) var isCut = false
  /// Output that was not taken yet, in whole lines until the end.
  private var unreported: [UInt8] = []
  private let isRelayed: Bool

  /// The most octets to keep of each output.
  package static let most = 1 << 20
  /// The interval at which to check for the end if no descriptor reports it.
  package static let glance = TimeSpan.milliseconds(20)

  /// - Parameter isRelayed: Whether `takeMessages` returns its output.
  package init(_ arguments: [String], variables: [(name: String, value: String)], in directory: String, isRelayed: Bool)
    throws(SystemFailure)
  {
    name = arguments.first ?? ""
    self.isRelayed = isRelayed
    var ends: [[Int32]] = [[-1, -1], [-1, -1]]
    for index in ends.indices {
      guard pipe(&ends[index]) == 0 else {
        for end in ends.joined() where end >= 0 { close(end) }
        throw SystemFailure("starting \(name)")
      }
      for end in ends[index] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      _ = fcntl(ends[index][0], F_SETFL, O_NONBLOCK)
    }
    var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    var envp: [UnsafeMutablePointer<CChar>?] = Self.environment(variables).map { strdup($0) } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var process: Int32 = 0
    var guardian: Int32 = -1
    let failure = cbluez_command(directory, &argv, &envp, ends[0][1], ends[1][1], &process, &guardian)
    close(ends[0][1])
    close(ends[1][1])
    guard failure == 0 else {
      close(ends[0][0])
      close(ends[1][0])
      throw SystemFailure("starting \(name)", code: failure)
    }
    pid = process
    output = ends[0][0]
    errors = ends[1][0]
    watch = cbluez_watch_process(process)
    self.guardian = guardian
  }

  deinit {
    if !isGone { kill(-pid, SIGKILL) }
    dismiss()
    if status == nil {
      while waitpid(pid, nil, 0) < 0, errno == EINTR {}
    }
    for descriptor in [watch, output, errors] where descriptor >= 0 { close(descriptor) }
  }

  /// Children do not inherit secrets and the variables of a service manager.
  private static func environment(_ variables: [(name: String, value: String)]) -> [String] {
    let own = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"]
    let given = variables.map(\.name)
    let inherited = processVariables().filter {
      !own.contains($0.name) && !$0.name.hasPrefix("TOOTH_SECRET_") && !given.contains($0.name)
    }
    return (inherited + variables).map { "\($0.name)=\($0.value)" }
  }

  package var interests: [Poll.Interest] { [watch, output, errors].filter { $0 >= 0 }.map { Poll.Interest($0) } }

  /// Whether its end must be polled because no descriptor reports it.
  package var needsGlances: Bool { !isGone && (watch < 0 || status != nil) }

  /// Whether it has ended and, if it was asked to, its group too. The kernel does not reuse the id
  /// of a group with members.
  package var isGone: Bool { status != nil && !(isEnding && kill(-pid, 0) == 0) }

  /// The group need not be ended any more if this process dies.
  private func dismiss() {
    guard guardian >= 0 else { return }
    var octet: UInt8 = 0
    _ = write(guardian, &octet, 1)
    close(guardian)
    guardian = -1
  }

  /// The exit code, or 128 plus the number of the signal that killed it; `nil` while it runs.
  package var code: Int? {
    guard let status else { return nil }
    let signal = Int(status & 0x7F)
    return signal == 0 ? Int(status >> 8 & 0xFF) : 128 + signal
  }

  /// Reads its output and checks whether it has ended. Does not wait for processes that it left
  /// running.
  package func serve() {
    guard status == nil else { return }
    let before = waitpid(pid, &found, WNOHANG)
    drain(&output, into: &out)
    drain(&errors, into: &err)
    guard before == pid || before < 0 && errno == ECHILD else { return }
    status = before == pid ? found : 0
    if !isEnding { dismiss() }
    for descriptor in [watch, output, errors] where descriptor >= 0 { close(descriptor) }
    (watch, output, errors) = (-1, -1, -1)
  }

  private var found: Int32 = 0

  private func drain(_ descriptor: inout Int32, into kept: inout [UInt8]) {
    guard descriptor >= 0 else { return }
    var block = [UInt8](repeating: 0, count: 65536)
    // An endless output continues in the next turn.
    for _ in 0..<32 {
      let count = read(descriptor, &block, block.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { return }
      if count == 0 {
        close(descriptor)
        descriptor = -1
        return
      }
      let room = min(count, Self.most - kept.count)
      kept.append(contentsOf: block[..<room])
      if room < count { isCut = true }
      if isRelayed { unreported.append(contentsOf: block[..<count]) }
    }
  }

  /// Returns whole lines of its output; at its end, and beyond 64 KiB, everything.
  package func takeMessages() -> String {
    var end = unreported.count
    if status == nil, end < 65536 { end = (unreported.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1 }
    guard end > 0 else { return "" }
    defer { unreported.removeFirst(end) }
    return String(decoding: unreported[..<end], as: UTF8.self)
  }

  /// Asks it and its group to end.
  package func terminate() {
    guard status == nil else { return }
    isEnding = true
    kill(-pid, SIGTERM)
  }

  /// Kills it and its group.
  package func destroy() { if !isGone { kill(-pid, SIGKILL) } }
}
