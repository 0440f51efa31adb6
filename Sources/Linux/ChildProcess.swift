import Glibc

/// Runs another program to its end.
package enum ChildProcess {
  package struct Outcome: Equatable, Sendable {
    /// The exit code, or 128 plus the number of the signal that killed it.
    package var code: Int32
    /// Its output on stdout and stderr, interleaved.
    package var text: String
  }

  /// Runs a program of `$PATH` with an empty stdin. Keeps at most `limit` octets of its output.
  package static func run(_ command: [String], limit: Int = 1 << 20) throws(SystemFailure) -> Outcome {
    guard let name = command.first else { throw SystemFailure("starting nothing", code: EINVAL) }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemFailure("starting \(name)") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, name, &actions, nil, &words, environ)
    close(ends[1])
    defer { close(ends[0]) }
    guard code == 0 else { throw SystemFailure("starting \(name)", code: code) }
    let bytes: [UInt8]
    do throws(SystemFailure) {
      bytes = try readAll(ends[0], named: "what \(name) says", limit: limit)
    } catch {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
      throw error
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return Outcome(code: signal == 0 ? status >> 8 & 0xFF : 128 + signal, text: String(decoding: bytes, as: UTF8.self))
  }
}
