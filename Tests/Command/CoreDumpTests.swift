import Exchange
import Glibc
import Host
import Linux
import Testing
import Vocabulary
@testable import KeeperProcess

/// Real core dumps of processes that hold keys in memory.
@Suite(.serialized) struct CoreDumpTests {
  private let folder = Folder()

  private static let lamp = """
    peripheral lamp named "Lamp"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read needs encryption starts as "secret light"
      end
    end

    """

  private static let planted = (0..<16).map { UInt8(truncatingIfNeeded: 0xF3 - $0 * 11) }
  private static let plantedPeer = Address(bits: 0xC7AA_BBCC_DDEE, kind: .random)

  private var environment: [String: String] {
    ["TOOTH_KEEPER_DIRECTORY": "\(folder.path)/keeper", "XDG_STATE_HOME": "\(folder.path)/keeps"]
  }

  /// Starts it with the largest core limit that its user may have.
  private func start(_ arguments: [String]) -> Tooth.Process {
    Tooth.start(
      ["-c", "ulimit -c $(ulimit -Hc); exec \"$0\" \"$@\"", Tooth.path] + arguments, program: "/bin/sh", environment: environment,
      directory: folder.path)
  }

  private func holds(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { whole in
      guard let base = whole.baseAddress else { return false }
      var place = 0
      while place + part.count <= whole.count,
        let found = memchr(base + place, Int32(part[0]), whole.count - place - part.count + 1)
      {
        if memcmp(found, part, part.count) == 0 { return true }
        place = found - UnsafeMutableRawPointer(mutating: base) + 1
      }
      return false
    }
  }

  /// Whether the memory that a dump would contain has these bytes, or nil if it may not be read.
  private func isInMemory(of process: pid_t, _ part: [UInt8]) throws -> Bool? {
    let maps = String(decoding: try readFile("/proc/\(process)/maps", limit: 1 << 22), as: UTF8.self)
    let memory = open("/proc/\(process)/mem", O_RDONLY)
    guard memory >= 0 else { return nil }
    defer { close(memory) }
    for line in maps.split(separator: "\n") {
      let words = line.split(separator: " ")
      let bounds = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
      guard bounds.count == 2, words[1].hasPrefix("rw"), bounds[1] - bounds[0] <= 1 << 28 else { continue }
      var block = [UInt8](repeating: 0, count: Int(bounds[1] - bounds[0]))
      let count = pread(memory, &block, block.count, Int(bounds[0]))
      if count > 0, holds(Array(block.prefix(count)), part) { return true }
    }
    return false
  }

  /// The dump of a process that is killed by a signal which the Swift runtime does not catch, or
  /// nil if there is no dump.
  private func dump(of process: Tooth.Process) throws -> [UInt8]? {
    process.signal(SIGSYS)
    #expect(process.wait().code == 128 + SIGSYS)
    let files = Files.names(in: folder.path).filter { $0 == "core" || $0.hasPrefix("core.") }
    defer { for name in files { unlink("\(folder.path)/\(name)") } }
    return try files.first.map { try readFile("\(folder.path)/\($0)", limit: 1 << 30) }
  }

  private func limit(of process: pid_t) throws -> [String] {
    let limits = String(decoding: try readFile("/proc/\(process)/limits", limit: 1 << 16), as: UTF8.self)
    let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
    return core?.split(separator: " ").dropFirst(4).prefix(2).map(String.init) ?? []
  }

  /// A bond with a known key among those that the process reads.
  private func plant(in state: String) throws {
    var store = BondStore.folder(BondFolder(state: state))
    let own = try #require(BondFolder(state: state).all().bonds.first).own
    var entropy = Entropy.system
    guard case .bonds(let identity, _, _, _, _, _) = store.load(own, &entropy) else {
      Issue.record("there are no bonds")
      return
    }
    let bond = Bond(
      identity: Self.plantedPeer, keys: .secureConnections(Self.planted), isAuthenticated: true, keySize: 16,
      lastAddress: Self.plantedPeer,
      madeAt: SystemClock.now().wall)
    #expect(store.keep(bond, of: identity) == .done)
  }

  /// The process has the key in memory, and its dump, if there is one, does not.
  private func expectNoKey(in process: Tooth.Process, _ name: String) throws {
    if let isThere = try isInMemory(of: process.pid, Self.planted) { #expect(isThere, "\(name): there was nothing to be found") }
    #expect(try limit(of: process.pid) == ["0", "0"], "\(name)")
    if let core = try dump(of: process) {
      #expect(!holds(core, Self.planted), "\(name): a dump of \(core.count) octets holds a key")
    }
  }

  @Test func noDumpHoldsAKey() throws {
    let lamp = folder.file("air.ble", Self.lamp)
    // this machine writes dumps, and keys in memory appear in them: a simulation has no bonds on
    // disk and hides nothing
    folder.file("s.ble", "print \"planted words\"\nwait 1h\n")
    let open = start(["run", "s.ble", "--adapter", "sim:\(lamp)", "--state", "\(folder.path)/simulated"])
    #expect(open.read { $0.text.contains("planted words") }, "\(open.complaint)")
    let core = try dump(of: open)
    if let core { #expect(holds(core, Array("planted words".utf8))) }

    let air = Tooth.start(["air", lamp, "--listen", "unix:\(folder.path)/s"])
    try #require(air.readErrors { _ in access("\(folder.path)/s", F_OK) == 0 }, "\(air.complaint)")
    defer { air.signal(SIGTERM) }
    folder.file("r.ble", "scan for \"Lamp\"\nconnect\nread 0xFFF1 as value\nprint value.text()\nwait 1h\n")
    let adapter = ["--adapter", "unix:\(folder.path)/s"]
    let state = "\(folder.path)/state"
    let pair = start(["pair", "Lamp", "--direct", "--state", state] + adapter).wait()
    try #require(pair.code == 0, "\(pair)")
    try plant(in: state)
    let direct = start(["run", "r.ble", "--direct", "--state", state] + adapter)
    try #require(direct.read { $0.text.contains("secret light") }, "\(direct.complaint)")
    try expectNoKey(in: direct, "--direct")

    // the same bonds, loaded by a keeper
    mkdir("\(folder.path)/keeps", 0o700)
    try #require(rename(state, "\(folder.path)/keeps/tooth") == 0)
    let keeper = start(["keeper", "run"] + adapter)
    try #require(keeper.readErrors { $0.complaint.contains("is kept") }, "\(keeper.complaint)")
    let client = start(["run", "r.ble", "--keeper", "--state", "\(folder.path)/runs"] + adapter)
    try #require(client.read { $0.text.contains("secret light") }, "\(client.complaint) \(keeper.complaint)")
    try expectNoKey(in: keeper, "keeper")
    client.signal(SIGKILL)
  }
}
