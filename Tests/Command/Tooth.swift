import Glibc
import Judgement
import Linux
import Testing
import Vocabulary

/// Runs the program that was built beside the tests, as a user would.
struct Tooth {
  struct Result: Equatable {
    /// The exit code, or 128 plus the signal that killed it.
    var code: Int32
    var output: String
    var errors: String
  }

  /// A process that keeps running.
  final class Process {
    let pid: pid_t
    fileprivate let output: Int32
    fileprivate let errors: Int32
    private var collected: [UInt8] = []
    private var complaints: [UInt8] = []
    private var code: Int32?
    private var areEndsClosed = false

    fileprivate init(pid: pid_t, output: Int32, errors: Int32) {
      self.pid = pid
      self.output = output
      self.errors = errors
    }

    deinit {
      if code == nil {
        kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
      }
      close(output)
      close(errors)
    }

    /// A limit of a second or more ends a test that hangs; it does not measure.
    static func patient(_ limit: TimeSpan) -> TimeSpan { limit < .seconds(1) ? limit : max(limit, .seconds(120)) }

    /// Everything on stdout so far.
    var text: String { String(decoding: collected, as: UTF8.self) }
    var complaint: String { String(decoding: complaints, as: UTF8.self) }

    private func drain(_ descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
      var block = [UInt8](repeating: 0, count: 65536)
      let count = Glibc.read(descriptor, &block, block.count)
      if count > 0 { bytes += block[..<count] }
      return count > 0
    }

    /// Reads until the condition holds, both ends are closed, or the time is over. What takes a
    /// second here may take a minute on a busy machine.
    @discardableResult
    func read(within limit: TimeSpan = .seconds(30), until done: (Process) -> Bool = { _ in false }) -> Bool {
      let deadline = SystemClock.now().moment + Self.patient(limit)
      var open = [output, errors]
      while !open.isEmpty, SystemClock.now().moment < deadline {
        if done(self) { return true }
        let ready = Poll.wait(for: open.map { Poll.Interest($0) }, until: deadline)
        for (index, descriptor) in open.enumerated().reversed() where ready[index].reads {
          let more = descriptor == output ? drain(output, into: &collected) : drain(errors, into: &complaints)
          if !more { open.remove(at: index) }
        }
      }
      areEndsClosed = open.isEmpty
      return done(self)
    }

    /// Reads only stderr or only stdout. Output on the other one stays unread.
    @discardableResult
    func readErrors(within limit: TimeSpan = .seconds(30), until done: (Process) -> Bool) -> Bool {
      read(errors, into: \.complaints, limit, done)
    }

    @discardableResult
    func readOutput(within limit: TimeSpan = .seconds(30), until done: (Process) -> Bool) -> Bool {
      read(output, into: \.collected, limit, done)
    }

    private func read(
      _ descriptor: Int32, into place: ReferenceWritableKeyPath<Process, [UInt8]>, _ limit: TimeSpan, _ done: (Process) -> Bool
    ) -> Bool {
      let deadline = SystemClock.now().moment + Self.patient(limit)
      while !done(self), SystemClock.now().moment < deadline {
        guard Poll.wait(for: [Poll.Interest(descriptor)], until: deadline)[0].reads else { continue }
        if !drain(descriptor, into: &self[keyPath: place]) { break }
      }
      return done(self)
    }

    /// The exit code, or 128 plus the signal, of a process whose output is not read; nil if it has
    /// not ended in time.
    func ending(by deadline: Moment) -> Int32? {
      if let code { return code }
      var status: Int32 = 0
      while waitpid(pid, &status, WNOHANG) == 0 {
        if SystemClock.now().moment > deadline { return nil }
        _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(5))
      }
      let signal = status & 0x7F
      code = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
      return code
    }

    /// Whether there can be no more output.
    var hasClosed: Bool {
      guard !areEndsClosed else { return true }
      read(within: .milliseconds(1)) { _ in false }
      return areEndsClosed
    }

    func signal(_ number: Int32) { kill(pid, number) }

    /// Waits for the end, and kills the process if it does not end in time.
    func wait(within limit: TimeSpan = .seconds(30)) -> Result {
      read(within: limit)
      var status: Int32 = 0
      if let code { return Result(code: code, output: text, errors: complaint) }
      let deadline = SystemClock.now().moment + .seconds(30)
      while waitpid(pid, &status, WNOHANG) == 0 {
        if SystemClock.now().moment > deadline {
          kill(pid, SIGKILL)
          waitpid(pid, &status, 0)
          break
        }
        _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(2))
      }
      let signal = status & 0x7F
      let ended = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
      code = ended
      return Result(code: ended, output: text, errors: complaint)
    }
  }

  /// `.build/debug/tooth`, beside the test bundle.
  static var path: String { parent(of: realPath("/proc/self/exe") ?? "") + "/tooth" }

  /// The package's folder.
  static var package: String {
    var folder = parent(of: path)
    while folder != "/", access("\(folder)/Package.swift", F_OK) != 0 { folder = parent(of: folder) }
    return folder
  }

  static func start(
    _ arguments: [String], program: String = path, input: String = "", environment: [String: String] = [:], directory: String? = nil
  )
    -> Process
  {
    var variables = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8", "TZ": "UTC"]
    for (name, value) in environment { variables[name] = value }
    // A folder of its own: posix_spawn of this glibc cannot change it, `env` can.
    let command = directory.map { ["/usr/bin/env", "-C", $0, program] } ?? [program]
    var argv: [UnsafeMutablePointer<CChar>?] = (command + arguments).map { strdup($0) } + [nil]
    var envp: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    signal(SIGPIPE, SIG_IGN)
    var ends: [[Int32]] = [[0, 0], [0, 0], [0, 0]]
    var pid: pid_t = 0
    // Programs started at the same time must not inherit each other's ends.
    let code = Program.starting.withLock { _ in
      for index in ends.indices {
        pipe(&ends[index])
        for end in ends[index] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      }
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, ends[0][0], 0)
      posix_spawn_file_actions_adddup2(&actions, ends[1][1], 1)
      posix_spawn_file_actions_adddup2(&actions, ends[2][1], 2)
      // Test threads have most signals blocked, and a program inherits the mask.
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      var nothing = sigset_t()
      sigemptyset(&nothing)
      posix_spawnattr_setsigmask(&attributes, &nothing)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
      let code = posix_spawn(&pid, command[0], &actions, &attributes, &argv, &envp)
      for descriptor in [ends[0][0], ends[1][1], ends[2][1]] { close(descriptor) }
      return code
    }
    #expect(code == 0, "\(path) cannot be started")
    let bytes = Array(input.utf8)
    var sent = 0
    signal(SIGPIPE, SIG_IGN)
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { write(ends[0][1], $0.baseAddress.map { $0 + sent }, bytes.count - sent) }
      if count <= 0 { break }
      sent += count
    }
    close(ends[0][1])
    return Process(pid: pid, output: ends[1][0], errors: ends[2][0])
  }

  static func run(_ arguments: String..., input: String = "", environment: [String: String] = [:], directory: String? = nil)
    -> Result
  {
    start(arguments, input: input, environment: environment, directory: directory).wait()
  }
}

/// A temporary directory for one test, which is removed afterwards.
final class Folder {
  let path: String

  init() {
    var template = Array("/tmp/tooth-command-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? "/nonexistent"
  }

  deinit { removeTree(path) }

  @discardableResult
  func file(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o644) -> String {
    let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    _ = try? writeAll(descriptor, bytes, named: name)
    close(descriptor)
    return "\(path)/\(name)"
  }

  @discardableResult
  func file(_ name: String, _ text: String) -> String { file(name, Array(text.utf8)) }

  /// A copy that every user may execute. Another process writes it: a file open for writing here
  /// could be inherited by children of other tests, which would make it fail with ETXTBSY.
  func executable(_ name: String, copying source: String) -> String {
    _ = Tooth.start(["-m", "755", source, "\(path)/\(name)"], program: "/usr/bin/install").wait()
    return "\(path)/\(name)"
  }

  func content(_ name: String) -> String? {
    (try? readFile("\(path)/\(name)", limit: 1 << 24)).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension String {
  /// The ID of the first run in the output of `tooth runs`, below its header.
  var newestRun: String { split(separator: "\n").dropFirst().first.map { String($0.prefix { $0 != " " }) } ?? "" }
}
