import Glibc
import Linux
import Testing
import Vocabulary

/// `tooth` on a pseudo terminal of its own, as a person runs it, with every byte that it writes
/// there.
final class TerminalSession {
  let pid: pid_t
  private let master: Int32
  private(set) var bytes: [UInt8] = []
  private var isWaitedFor = false
  /// The settings of the terminal before the program started.
  let firstMode: [UInt32]
  /// Whether the program has ended or closed its end.
  private(set) var isClosed = false
  /// TIOCSPTLCK, TIOCGPTN and POSIX_SPAWN_SETSID, which the Glibc module lacks.
  private static let unlock: UInt = 0x4004_5431
  private static let number: UInt = 0x8004_5430
  private static let session: Int16 = 0x80

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// - Parameter program: runs instead of `tooth`.
  /// - Parameter columns: of the terminal; it has no size without.
  init(
    _ arguments: [String], program: String = Tooth.path, environment: [String: String] = [:], directory: String,
    columns: UInt16? = nil
  ) throws {
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var number: UInt32 = 0
    var locked: Int32 = 0
    try #require(master >= 0 && ioctl(master, Self.unlock, &locked) == 0 && ioctl(master, Self.number, &number) == 0)
    self.master = master
    let device = "/dev/pts/\(number)"
    // Raw output: no line end is turned into two characters.
    var mode = termios()
    tcgetattr(master, &mode)
    cfmakeraw(&mode)
    tcsetattr(master, TCSANOW, &mode)
    firstMode = Self.numbers(of: mode)
    if let columns {
      var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
      _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }
    var variables = ["PATH": "/usr/bin:/bin", "HOME": "\(directory)/home", "LANG": "C.UTF-8", "TZ": "UTC", "TERM": "xterm"]
    for (name, value) in environment { variables[name] = value }
    var argv: [UnsafeMutablePointer<CChar>?] =
      (["/usr/bin/env", "-C", directory, program] + arguments).map { strdup($0) } + [nil]
    var envp: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var pid: pid_t = 0
    let code = Program.starting.withLock { _ in
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_addopen(&actions, 0, device, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, 0, 1)
      posix_spawn_file_actions_adddup2(&actions, 0, 2)
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      var nothing = sigset_t()
      sigemptyset(&nothing)
      posix_spawnattr_setsigmask(&attributes, &nothing)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Self.session)
      return posix_spawn(&pid, "/usr/bin/env", &actions, &attributes, &argv, &envp)
    }
    self.pid = pid
    try #require(code == 0)
  }

  deinit {
    if !isWaitedFor {
      kill(pid, SIGKILL)
      var status: Int32 = 0
      waitpid(pid, &status, 0)
    }
    close(master)
  }

  /// Resizes the terminal, and the program gets SIGWINCH.
  func resize(columns: UInt16, lines: UInt16) {
    var size = winsize(ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// Reads until a condition holds for the output, or the program has ended.
  @discardableResult
  func read(within limit: TimeSpan = .seconds(30), until isEnough: (String) -> Bool = { _ in false }) -> Bool {
    let end = SystemClock.now().moment + Tooth.Process.patient(limit)
    while !isClosed, SystemClock.now().moment < end {
      if isEnough(text) { return true }
      guard Poll.wait(for: [Poll.Interest(master)], until: end).first?.reads ?? false else { continue }
      var block = [UInt8](repeating: 0, count: 65536)
      let count = Glibc.read(master, &block, block.count)
      isClosed = count <= 0
      if isClosed { break }
      bytes += block[..<count]
    }
    return isEnough(text)
  }

  /// Hangs up, as when a window is closed.
  func vanish() {
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    dup2(nothing, master)
    close(nothing)
  }

  /// Types as a person would.
  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(master, bytes, bytes.count)
  }

  /// Sends a lot at once, like a paste, while it reads the program's output.
  func pour(_ octets: [UInt8], within limit: TimeSpan = .seconds(60)) {
    let end = SystemClock.now().moment + limit
    var place = 0
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
    defer { _ = fcntl(master, F_SETFL, 0) }
    while place < octets.count, SystemClock.now().moment < end {
      var entry = pollfd(fd: master, events: Int16(POLLIN | POLLOUT), revents: 0)
      _ = poll(&entry, 1, 1000)
      if entry.revents & Int16(POLLIN) != 0 {
        var block = [UInt8](repeating: 0, count: 65536)
        let count = Glibc.read(master, &block, block.count)
        if count > 0 { bytes += block[..<count] }
      }
      guard entry.revents & Int16(POLLOUT) != 0 else { continue }
      let count = octets[place...].prefix(512).withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
      if count > 0 { place += count } else if errno != EAGAIN { break }
    }
  }

  /// The terminal settings.
  var mode: [UInt32] {
    var mode = termios()
    tcgetattr(master, &mode)
    return Self.numbers(of: mode)
  }

  private static func numbers(of mode: termios) -> [UInt32] { [mode.c_iflag, mode.c_oflag, mode.c_cflag, mode.c_lflag] }

  /// Its exit code, or 128 and the signal that it died of.
  @discardableResult
  func wait() -> Int32 {
    read()
    kill(pid, SIGKILL)
    var status: Int32 = 0
    waitpid(pid, &status, 0)
    isWaitedFor = true
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  /// Finds what foreign text must not do to a terminal. It shares no code with the program's
  /// escaping.
  ///
  /// - Parameter tabs: whether TAB is allowed, as in printed text.
  static func breaches(in bytes: [UInt8], tabs: Bool = false) -> [String] {
    guard let text = String(validating: bytes, as: UTF8.self) else { return ["not UTF-8"] }
    let scalars = Array(text.unicodeScalars)
    var found: [String] = []
    var place = 0
    while place < scalars.count {
      let scalar = scalars[place]
      if let length = ownSequence(scalars[place...]) {
        place += length
        continue
      }
      let isForbidden =
        switch scalar.value {
        case 0x0A: false
        case 0x09: !tabs
        case ..<0x20, 0x7F..<0xA0, 0x200B, 0x2028, 0x2029, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        case 0xE0000...0xE007F: true
        default: false
        }
      if isForbidden {
        let around = String(String.UnicodeScalarView(scalars[max(0, place - 30)..<min(scalars.count, place + 10)]))
        found.append("U+\(String(scalar.value, radix: 16)) in \(around.debugDescription)")
      }
      place += 1
    }
    return found
  }

  /// Colours, and the sequences that clear the progress line and a redrawn picture.
  private static func ownSequence(_ scalars: ArraySlice<UnicodeScalar>) -> Int? {
    let head = Array("\r\u{1B}[".unicodeScalars)
    if scalars.starts(with: head) {
      let digits = scalars.dropFirst(head.count).prefix { ("0"..."9").contains($0) }
      if !digits.isEmpty, scalars.dropFirst(head.count + digits.count).first == "A" { return head.count + digits.count + 1 }
    }
    let start = String(String.UnicodeScalarView(scalars.prefix(8)))
    let colours = ["0", "1", "2", "31", "33", "34", "36", "1;31", "1;33", "1;36"].map { "\u{1B}[\($0)m" }
    return (["\r\u{1B}[K", "\u{1B}[K\n", "\u{1B}[K\r\n", "\u{1B}[J"] + colours).first {
      start.unicodeScalars.starts(with: $0.unicodeScalars)
    }?
    .unicodeScalars.count
  }
}
