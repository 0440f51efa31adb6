import Glibc
import Synchronization
import Testing

/// The built `tooth`, run as a user would run it.
enum Program {
  struct Outcome {
    /// The exit code, or the negated signal if a signal ended it.
    var code: Int32
    var output: String
    var errors: String
  }

  /// The directory of the project.
  static let root = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 }

  /// Beside the bundle of the tests.
  static let path =
    CommandLine.arguments[0].split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/tooth"

  /// Runs a program (`tooth` by default) in the project's directory and waits at most `limit`
  /// seconds before it kills it. The program sees only this environment and a state directory of
  /// its own.
  static func run(_ arguments: [String], program: String = path, environment: [String] = [], limit: Int32 = 60) throws -> Outcome {
    var template = Array("/tmp/tooth-test.XXXXXX".utf8CString)
    let home = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer { remove(home) }

    let all =
      ["PATH=/usr/local/bin:/usr/bin:/bin", "HOME=\(home)", "LC_ALL=C.UTF-8", "TZ=UTC", "TOOTH_STATE=\(home)/state"] + environment
    // `env` changes the directory, which posix_spawn cannot do everywhere.
    let (process, output, errors) = try spawn(["/usr/bin/env", "-C", root, program] + arguments, environment: all)
    let texts = collect([output.start, errors.start], limit: limit) { kill(process, SIGKILL) }
    var status: Int32 = 0
    // A program that has closed its ends and still runs gets some more time.
    for attempt in 0... {
      if waitpid(process, &status, WNOHANG) != 0 { break }
      if attempt == 20_000 { kill(process, SIGKILL) }
      usleep(1000)
    }
    let signal = status & 0x7F
    return Outcome(code: signal == 0 ? status >> 8 & 0xFF : -signal, output: texts[0], errors: texts[1])
  }

  /// Held from creating a pipe until its program has started, so that programs started at the same
  /// time do not inherit each other's ends.
  static let starting = Mutex(())

  private static func spawn(_ arguments: [String], environment: [String]) throws -> (pid_t, Pipe, Pipe) {
    try starting.withLock { _ in
      let output = try Pipe()
      let errors = try Pipe()
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, output.end, 1)
      posix_spawn_file_actions_adddup2(&actions, errors.end, 2)
      var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
      var envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
      defer { for text in argv + envp { free(text) } }
      var process: pid_t = 0
      let result = posix_spawn(&process, arguments[0], &actions, nil, &argv, &envp)
      output.closeEnd()
      errors.closeEnd()
      try #require(result == 0, "cannot start \(arguments[0])")
      return (process, output, errors)
    }
  }

  private static func remove(_ directory: String) {
    guard let (process, _, _) = try? spawn(["/bin/rm", "-rf", directory], environment: []) else { return }
    waitpid(process, nil, 0)
  }

  /// Reads all descriptors to their ends. If that takes longer than the limit, it calls `late`
  /// once.
  private static func collect(_ descriptors: [Int32], limit: Int32, late: () -> Void) -> [String] {
    var polls = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var bytes = [[UInt8]](repeating: [], count: descriptors.count)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let end = ContinuousClock.now + .seconds(Int(limit))
    var killed = false
    while polls.contains(where: { $0.fd >= 0 }) {
      let left = killed ? 5000 : max(0, Int32((end - ContinuousClock.now) / .milliseconds(1)))
      let ready = poll(&polls, nfds_t(polls.count), left)
      if ready == 0 {
        if killed { break }
        killed = true
        late()
      }
      for index in polls.indices where polls[index].fd >= 0 && polls[index].revents != 0 {
        let count = read(polls[index].fd, &buffer, buffer.count)
        if count > 0 { bytes[index] += buffer[0..<count] } else { polls[index].fd = -1 }
      }
    }
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }

  private final class Pipe {
    let start: Int32
    private(set) var end: Int32

    init() throws {
      var ends: [Int32] = [-1, -1]
      let result = pipe(&ends)
      try #require(result == 0)
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      start = ends[0]
      end = ends[1]
    }

    func closeEnd() {
      if end >= 0 { close(end) }
      end = -1
    }

    deinit {
      close(start)
      closeEnd()
    }
  }
}

/// The contents of a text file of the project.
func projectFile(_ path: String) throws -> String {
  let file = try #require(fopen("\(Program.root)/\(path)", "r"), "there is no \(path)")
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = fread(&buffer, 1, buffer.count, file)
    if count == 0 { break }
    bytes += buffer[0..<count]
  }
  return String(decoding: bytes, as: UTF8.self)
}
