import Glibc
import Linux
import Packets
import Vocabulary

/// A keeper and its clients as separate processes on an air of their own, with a tap between them
/// and their controller: `bench kept PROGRAM FOLDER COUNT`.
///
/// The tap counts the commands that pass and gives the host bursts of notifications that no radio
/// could carry. At most `window` are in flight, so none is lost and both cases do the same work.
final class KeptBench {
  private static let window = 1000
  private static let batch = 250

  private let program: String
  private let folder: String
  private let air: Program
  private let listener: H4Listener
  private var host: H4Stream?
  private var controller: H4Stream?
  private var notification: [UInt8]?
  private var commands: [HCIOpcode] = []

  static func run(_ arguments: [String]) throws {
    guard arguments.count == 3, let count = Int(arguments[2]) else { throw BenchFailure("bench kept PROGRAM FOLDER COUNT") }
    let bench = try KeptBench(program: arguments[0], folder: arguments[1])
    try bench.burst(count)
    try bench.scan()
    try bench.reports(count, clients: 8)
    try bench.reports(count, clients: 64)
    try bench.resume()
    try bench.links()
  }

  private init(program: String, folder: String) throws {
    self.program = program
    self.folder = folder
    try saveFile("\(folder)/belts.ble", Array((1...8).map(Self.belt).joined().utf8))
    air = try Program([program, "air", "\(folder)/belts.ble", "--listen", "unix:\(folder)/belts"], [:])
    guard let inside = H4Address("unix:\(folder)/tap") else { throw BenchFailure("\(folder) is no folder for sockets") }
    listener = try H4Listener(at: inside)
    try pump("the air") { access("\(folder)/belts", F_OK) == 0 }
  }

  private static func belt(_ number: Int) -> String {
    """
    peripheral belt\(number) named "Belt \(number)"
      let beats = 0
      advertise heart_rate every 50ms
      service heart_rate
        characteristic heart_rate_measurement can notify
      end
      every 50ms
        set beats to beats + 1
        notify heart_rate_measurement with {bpm: 60, contact: "unsupported", energy: beats mod 65536}
      end
    end

    """
  }

  private var environment: [String: String] {
    [
      "TOOTH_STATE": "\(folder)/state", "TOOTH_KEEPER_DIRECTORY": "\(folder)/keeper", "TOOTH_ADAPTER": "unix:\(folder)/tap",
      "HOME": folder, "LC_ALL": "C.UTF-8",
    ]
  }

  private func start(_ arguments: String...) throws -> Program { try Program([program] + arguments, environment) }

  private func keeper() throws -> Program {
    let keeper = try start("keeper", "run", "--keep", "60s", "--quiet")
    // The tap creates its socket last.
    try pump("the keeper") { host != nil && !Files.names(in: "\(folder)/keeper").filter { $0.hasSuffix(".socket") }.isEmpty }
    return keeper
  }

  private func stop(_ keeper: Program) throws {
    keeper.signal(SIGTERM)
    try pump("the keeper's end") { keeper.hasEnded }
    try pump("the tap's end") { host == nil }
  }

  // MARK: The tap

  private func pump(_ what: String, within limit: TimeSpan = .seconds(60), until done: () throws -> Bool) throws {
    let end = SystemClock.now().moment + limit
    while !(try done()) {
      guard SystemClock.now().moment < end else { throw BenchFailure("\(what) did not come within \(limit)") }
      forward()
      host?.flush()
      controller?.flush()
      var interests = [Poll.Interest(listener.descriptor)] + Program.running.compactMap(\.output).map { Poll.Interest($0) }
      for stream in [host, controller] {
        if let stream, stream.ending == nil { interests.append(Poll.Interest(stream.descriptor, writes: stream.hasPendingOutput)) }
      }
      _ = Poll.wait(for: interests, until: SystemClock.now().moment + .milliseconds(20))
      for program in Program.running { program.read() }
    }
  }

  private func forward() {
    while let arrived = listener.accept() {
      host = arrived
      controller = H4Address("unix:\(folder)/belts").flatMap { try? H4Stream(connectingTo: $0) }
    }
    let now = SystemClock.now().moment
    for packet in host?.receive(at: now) ?? [] {
      if packet.count > 2, packet[0] == H4Type.command.rawValue {
        commands.append(HCIOpcode(UInt16(packet[1]) | UInt16(packet[2]) << 8))
      }
      controller?.send(packet)
    }
    for packet in controller?.receive(at: now) ?? [] {
      // ATT_HANDLE_VALUE_NTF in one fragment (Vol 3, Part F, 3.4.7.1).
      if packet.count > 9, packet[0] == H4Type.acl.rawValue, packet[7] == 0x04, packet[9] == 0x1B { notification = packet }
      host?.send(packet)
    }
    if host?.ending != nil {
      host = nil
      controller = nil
    }
  }

  // MARK: A burst

  private static let counting = """
    let beats = 0
    scan for heart_rate named "Belt 1"
    connect
    subscribe to heart_rate_measurement
    print "ready"
    on notify heart_rate_measurement
      set beats to beats + 1
      if beats mod 250 is 0
        print beats
      end
    end
    wait forever

    """

  /// CPU time per notification of a burst, over every process between the controller and the
  /// handler.
  private func burst(_ count: Int) throws {
    try writeFile("\(folder)/counting.ble", Self.counting)
    func measure(_ processes: [Program], _ run: Program) throws -> Int {
      try pump("the run") { run.lines.contains("ready") && notification != nil }
      guard let notification else { throw BenchFailure("no notification came") }
      func reported() -> Int { run.lines.last { Int($0) != nil }.flatMap { Int($0) } ?? 0 }
      var best = Int.max
      for _ in 0..<5 {
        let base = reported()
        let start = try processes.map { try $0.cpu() }
        var sent = 0
        try pump("what a burst of \(count) makes") {
          while sent < count, sent - (reported() - base) <= Self.window - Self.batch {
            for _ in 0..<Self.batch { host?.send(notification) }
            sent += Self.batch
          }
          return reported() - base >= count
        }
        let took = try zip(processes, start).map { try ($0.0.cpu() - $0.1) / count }
        if getenv("BENCH_TALKS") != nil { Report.complain("a burst: \(took) ns in each process") }
        best = min(best, took.reduce(0, +))
      }
      run.signal(SIGINT)
      try pump("the run's end") { run.hasEnded }
      return best
    }
    let alone = try start("run", "\(folder)/counting.ble", "--as", "alone", "--direct")
    let direct = try measure([alone], alone)
    try pump("the tap's end") { host == nil }
    notification = nil
    let keeper = try keeper()
    let client = try start("run", "\(folder)/counting.ble", "--as", "client")
    let kept = try measure([keeper, client], client)
    Report.microseconds("direct_burst_us", nanoseconds: direct)
    Report.microseconds("kept_burst_us", nanoseconds: kept)
    Report.figure("kept_per_direct_percent", kept * 100 / max(direct, 1))
    try stop(keeper)
  }

  // MARK: A scan beside others

  /// The commands that a one-shot scan sends to the controller to set up, start and stop its scan.
  private func scan() throws {
    let keeper = try keeper()
    let client = try start("run", "\(folder)/counting.ble", "--as", "scanned")
    try pump("the run") { client.lines.contains("ready") }
    commands = []
    let scan = try start("scan", "--time-limit", "500ms")
    try pump("the scan's end") { scan.hasEnded }
    let later = SystemClock.now().moment + .milliseconds(200)
    try pump("later") { SystemClock.now().moment >= later }
    guard scan.lines.contains(where: { $0.contains("Belt 2") }) else { throw BenchFailure("the scan heard nothing: \(scan.lines)") }
    let scanning: [HCIOpcode] = [
      .leSetScanParameters, .leSetScanEnable, .leSetExtendedScanParameters, .leSetExtendedScanEnable,
    ]
    Report.figure("kept_scan_commands", commands.count)
    Report.figure("kept_scan_initialisation_commands", commands.count { !scanning.contains($0) })
    client.signal(SIGINT)
    try pump("the run's end") { client.hasEnded }
    try stop(keeper)
  }

  // MARK: Reports that no client looks for

  private static let looking = """
    scan for "Scale *" or 0xFE01 named "S*" stronger than -90dBm within forever
    print "found"

    """

  /// CPU time of the keeper and all its clients per report of a burst that no filter lets through.
  private func reports(_ count: Int, clients: Int) throws {
    try writeFile("\(folder)/looking.ble", Self.looking)
    let keeper = try keeper()
    let runs = try (0..<clients).map { try start("run", "\(folder)/looking.ble", "--as", "looking\($0)", "--quiet") }
    func status() throws -> Int {
      let status = try start("keeper", "status")
      try pump("the keeper's status") { status.hasEnded }
      return status.lines.count { $0.hasPrefix("  client ") }
    }
    try pump("\(clients) clients") { try status() == clients }
    func send(_ packets: [[UInt8]]) throws {
      for place in stride(from: 0, to: packets.count, by: Self.batch) {
        for packet in packets[place..<min(place + Self.batch, packets.count)] { host?.send(packet) }
        try pump("what was sent") { !(host?.hasPendingOutput ?? false) }
      }
      _ = try status()
    }
    // By now every client has heard every sender.
    for _ in 0..<3 { try send((0..<200).map { ReportBench.packet($0, rssi: -60) }) }
    let packets = (0..<count).map { ReportBench.packet($0 % 200, rssi: Int8(-40 - ($0 &* 31 &+ 7) % 50)) }
    let processes = [keeper] + runs
    var best = Int.max
    for _ in 0..<3 {
      let start = try processes.map { try $0.cpu() }
      try send(packets)
      let took = try zip(processes, start).map { try ($0.0.cpu() - $0.1) / count }
      if getenv("BENCH_TALKS") != nil { Report.complain("a report: \(took) ns in each process") }
      best = min(best, took.reduce(0, +))
    }
    Report.microseconds("kept_report_us_beside_\(clients)", nanoseconds: best)
    for run in runs { run.signal(SIGKILL) }
    try pump("the runs' end") { runs.allSatisfy(\.hasEnded) }
    try stop(keeper)
  }

  // MARK: A run that is resumed

  private static let telling = """
    scan for heart_rate named "Belt 1"
    connect
    subscribe to heart_rate_measurement
    on notify heart_rate_measurement as beat: print beat.energy
    wait forever

    """

  /// Time from the start of the process until its handler prints the first notification, which the
  /// keeper had queued.
  private func resume() throws {
    try writeFile("\(folder)/telling.ble", Self.telling)
    let keeper = try keeper()
    var wall = Int.max
    var processor = Int.max
    var run = try start("run", "\(folder)/telling.ble")
    for _ in 0..<10 {
      try pump("a beat") { run.lines.count > 3 }
      run.signal(SIGKILL)
      try pump("the run's end") { run.hasEnded }
      let later = SystemClock.now().moment + .milliseconds(200)
      try pump("later") { SystemClock.now().moment >= later }
      let begun = SystemClock.now().moment
      run = try start("run", "\(folder)/telling.ble")
      try pump("a beat") { !run.lines.isEmpty }
      wall = min(wall, Int((SystemClock.now().moment - begun).nanoseconds))
      processor = min(processor, try run.cpu())
    }
    Report.microseconds("kept_resume_us", nanoseconds: wall)
    Report.microseconds("kept_resume_cpu_us", nanoseconds: processor)
    run.signal(SIGINT)
    try pump("the run's end") { run.hasEnded }
    try stop(keeper)
  }

  // MARK: Eight links

  private static let every = """
    let beats = 0
    scan for all heart_rate within 1s as belts
    for each belt in belts
      connect to belt
      with belt
        subscribe to heart_rate_measurement
      end
    end
    print "ready"
    on notify heart_rate_measurement: set beats to beats + 1
    wait 3s
    print "beats {beats}"
    wait forever

    """

  private func links() throws {
    try writeFile("\(folder)/every.ble", Self.every)
    let keeper = try keeper()
    let run = try start("run", "\(folder)/every.ble")
    try pump("eight links") { run.lines.contains { $0.hasPrefix("beats") } || run.hasEnded }
    let status = try start("keeper", "status")
    try pump("the keeper's status") { status.hasEnded }
    Report.figure("keeper_links", status.lines.count { $0.hasPrefix("  link ") })
    Report.figure("keeper_peak_kib", try keeper.kibibytes("status", "VmHWM"))
    Report.figure("keeper_rss_kib", try keeper.kibibytes("status", "VmRSS"))
    Report.figure("keeper_own_kib", try keeper.kibibytes("status", "RssAnon"))
    Report.figure("keeper_pss_kib", try keeper.kibibytes("smaps_rollup", "Pss"))
    run.signal(SIGINT)
    try pump("the run's end") { run.hasEnded }
    try stop(keeper)
  }

  private func writeFile(_ path: String, _ text: String) throws { try saveFile(path, Array(text.utf8)) }
}

/// A process whose output is read line by line as it arrives.
final class Program {
  nonisolated(unsafe) private(set) static var running: [Program] = []

  private let pid: pid_t
  private(set) var output: Int32?
  private(set) var lines: [String] = []
  private var rest: [UInt8] = []
  private var isReaped = false

  init(_ arguments: [String], _ environment: [String: String]) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw BenchFailure("no pipe can be made") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    if getenv("BENCH_TALKS") == nil { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
    var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    var envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    var process: pid_t = 0
    let result = posix_spawn(&process, arguments[0], &actions, nil, &argv, &envp)
    close(ends[1])
    guard result == 0 else { throw BenchFailure("\(arguments[0]) cannot be started: \(String(cString: strerror(result)))") }
    pid = process
    output = ends[0]
    Self.running.append(self)
  }

  func read() {
    guard let output else { return }
    while let bytes = CurrentProcess.readAvailable(output) {
      guard !bytes.isEmpty else { return }
      rest += bytes
      while let end = rest.firstIndex(of: 0x0A) {
        lines.append(String(decoding: rest[..<end], as: UTF8.self))
        rest.removeFirst(end + 1)
      }
    }
    close(output)
    self.output = nil
  }

  var hasEnded: Bool {
    if isReaped { return true }
    var status: Int32 = 0
    guard waitpid(pid, &status, WNOHANG) == pid else { return false }
    read()
    isReaped = true
    Self.running.removeAll { $0 === self }
    return true
  }

  func signal(_ number: Int32) { if !isReaped { kill(pid, number) } }

  /// Kills whatever still runs when the benchmark ends.
  static func endAll() { for program in running { program.signal(SIGKILL) } }

  /// Nanoseconds of CPU time of its only thread.
  func cpu() throws -> Int {
    let words = try readFile("/proc/\(pid)/schedstat", limit: 256).split(separator: 0x20)
    guard let text = words.first, let time = Int(String(decoding: text, as: UTF8.self)) else { throw BenchFailure("no schedstat") }
    return time
  }

  /// A line of one of the process's files in /proc.
  func kibibytes(_ file: String, _ name: String) throws -> Int {
    for line in try readFile("/proc/\(pid)/\(file)", limit: 1 << 16).split(separator: 0x0A) where line.starts(with: "\(name):".utf8)
    {
      if let number = Int(String(decoding: line.filter { (0x30...0x39).contains($0) }, as: UTF8.self)) { return number }
    }
    throw BenchFailure("\(file) has no \(name)")
  }
}
