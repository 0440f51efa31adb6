package import Glibc

/// A process of the built `tooth`, or of another program, whose output goes to files.
package final class ToothProcess {
  package let identifier: pid_t
  package let outputPath: String
  package let errorsPath: String
  package private(set) var status: Int32?

  /// Beside the test bundle.
  package static let path =
    CommandLine.arguments[0].split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/tooth"
  /// The directory of the project.
  package static let root = #filePath.split(separator: "/").dropLast(4).reduce(into: "") { $0 += "/" + $1 }

  /// - Parameter inheriting: descriptors that become 3, 4 … in the process, as service managers
  /// pass them.
  package init?(
    _ arguments: [String], program: String = path, in directory: String, name: String, environment more: [String] = [],
    inheriting: [Int32] = []
  ) {
    outputPath = "\(directory)/\(name).out"
    errorsPath = "\(directory)/\(name).err"
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o644)
    posix_spawn_file_actions_addopen(&actions, 2, errorsPath, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o644)
    // moved out of the way first: a descriptor may have the number that another needs
    let lifted = inheriting.map { fcntl($0, F_DUPFD_CLOEXEC, 100) }
    defer { for descriptor in lifted { close(descriptor) } }
    for (place, descriptor) in lifted.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(3 + place))
    }
    let environment =
      [
        "PATH=/usr/bin:/bin", "HOME=\(directory)", "LC_ALL=C.UTF-8", "TZ=UTC", "TOOTH_STATE=\(directory)/state", "NO_COLOR=1",
        "PYTHONDONTWRITEBYTECODE=1",
      ] + more
    // The shell changes the directory, sets the variable that says who gets the descriptors, and
    // becomes the program, so the process ID stays.
    let script = "cd \"$1\" && shift && export LISTEN_PID=$$ && exec \"$@\""
    var argv: [UnsafeMutablePointer<CChar>?] =
      (["/bin/sh", "-c", script, "sh", directory, program] + arguments).map { strdup($0) } + [nil]
    var envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
    defer { for text in argv + envp { free(text) } }
    var process: pid_t = 0
    guard posix_spawn(&process, "/bin/sh", &actions, nil, &argv, &envp) == 0 else { return nil }
    identifier = process
  }

  package func send(_ signal: Int32) { if status == nil { kill(identifier, signal) } }

  /// Whether it has ended.
  package func hasEnded() -> Bool {
    if status != nil { return true }
    var raw: Int32 = 0
    guard waitpid(identifier, &raw, WNOHANG) == identifier else { return false }
    status = raw
    return true
  }

  /// Waits for its end. A process that has not ended after a minute is killed, so that tests always
  /// end; its exit code shows that.
  package func wait() {
    var waited = 0
    while !hasEnded(), waited < 60_000 {
      usleep(1000)
      waited += 1
    }
    if status == nil { kill(identifier, SIGKILL) }
    while status == nil {
      var raw: Int32 = 0
      if waitpid(identifier, &raw, 0) == identifier { status = raw } else if errno != EINTR { status = -1 }
    }
  }

  /// The exit code, or 128 plus the signal, as in shells.
  package var exitCode: Int32 {
    guard let status else { return -1 }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  package var output: String { textOfFile(outputPath) ?? "" }
  package var errors: String { textOfFile(errorsPath) ?? "" }
}

package func textOfFile(_ path: String) -> String? {
  guard let file = fopen(path, "r") else { return nil }
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

/// A temporary directory, removed with its owner. It is in memory if possible, because databases
/// sync often.
package final class Place {
  package let path: String

  package init?() {
    let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(base)/tooth-kill.XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { return nil }
    path = String(cString: made)
  }

  deinit { if path.contains("/tooth-kill.") { removeTree(path) } }
}

/// A directory with everything in it.
package func removeTree(_ path: String) {
  for name in namesOfFiles(in: path) {
    let inner = "\(path)/\(name)"
    if unlink(inner) != 0 { removeTree(inner) }
  }
  rmdir(path)
}

package func namesOfFiles(in path: String) -> [String] {
  guard let handle = opendir(path) else { return [] }
  defer { closedir(handle) }
  var result: [String] = []
  while let entry = readdir(handle) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    if name != ".", name != ".." { result.append(name) }
  }
  return result
}
