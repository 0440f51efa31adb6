import Adapters
import Glibc
import KeeperProcess
import Linux
import Testing
import Vocabulary

/// The process on a keeper's socket may be another user's, and must receive no data of a run. If
/// these tests run as root, they use other users.
@Suite struct KeeperTrustTests {
  let folder = Folder()
  private var place: String { "\(folder.path)/keepers" }
  private static let isRoot = getuid() == 0

  init() {
    if !Self.isRoot { print("KeeperTrustTests: not root, so no other users take part") }
    chmod(folder.path, 0o755)
    folder.file("r.ble", "scan for heart_rate within 2s\n")
  }

  private func environment(_ more: [String: String] = [:]) -> [String: String] {
    ["TOOTH_STATE": "\(folder.path)/state", "TOOTH_KEEPER_DIRECTORY": place, "TOOTH_ADAPTER": "unix:\(folder.path)/air"]
      .merging(more) { $1 }
  }

  private func run(_ arguments: String...) -> Tooth.Result {
    Tooth.start(arguments, environment: environment(), directory: folder.path).wait()
  }

  /// The program, in a place where every user may run it.
  private var program: String {
    let copy = "\(folder.path)/tooth"
    return access(copy, X_OK) == 0 ? copy : folder.executable("tooth", copying: Tooth.path)
  }

  private func start(as user: UInt32, _ arguments: [String], _ more: [String: String] = [:]) -> Tooth.Process {
    Tooth.start(
      ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", program] + arguments, program: "/usr/bin/setpriv",
      environment: environment(more), directory: folder.path)
  }

  /// Otherwise two runs would take one controller for two, and each would start a keeper for it.
  @Test func aSocketHasOneName() throws {
    let base = try #require(realPath(folder.path))
    mkdir("\(base)/a", 0o755)
    mkdir("\(base)/a/b", 0o755)
    symlink("a/b", "\(base)/link")
    symlink("../x", "\(base)/a/there")
    symlink("circle", "\(base)/circle")
    func name(_ path: String, in folder: String? = nil) -> String? { AdapterChoice("unix:\(path)").keeperName(in: folder ?? base) }
    // Before the socket exists, and after.
    for isThere in [false, true] {
      if isThere { folder.file("x", "") }
      for path in ["x", "./x", ".//x", "a/../x", "link/../../x", "a/there", "\(base)/x", "\(base)/./a/b/../../x"] {
        #expect(name(path) == "unix:\(base)/x", "\(path)")
      }
      #expect(name("../x", in: "\(base)/a") == "unix:\(base)/x")
    }
    #expect(name("link/y") == "unix:\(base)/a/b/y")
    #expect(name("/x") == "unix:/x")
    #expect(name("none/./y") == "unix:\(base)/none/y")
    #expect(name("circle") == "unix:\(base)/circle")
    // A link can make a path short enough for a socket. Then its own name is used.
    let long = "\(base)/\(String(repeating: "n", count: 100))"
    mkdir(long, 0o755)
    symlink(long, "\(base)/short")
    #expect(name("short/x") == "unix:\(base)/short/x")
    // Messages show the path as typed.
    let choice = AdapterChoice("unix:./x")
    #expect(choice.shown("unix:./x", else: "unix:\(base)/x") == "unix:./x")
    #expect(AdapterChoice(nil).shown(nil, else: "hci0") == "hci0")
  }

  enum Trap: String, CaseIterable {
    case anothersFolder, openFolder, groupFolder, linkedFolder, anothersServer

    var needsRoot: Bool { self == .anothersFolder || self == .anothersServer }
  }

  /// The listener counts the bytes that it receives. In each case it listens where the keeper of
  /// this adapter would.
  @Test(arguments: Trap.allCases) func sendsNothingToAPlantedSocket(trap: Trap) throws {
    guard Self.isRoot || !trap.needsRoot else { return }
    let adapter = try #require(AdapterChoice("unix:\(folder.path)/air").keeperName(in: folder.path))
    let real = trap == .linkedFolder ? "\(folder.path)/real" : place
    let listener = "\(real)/\(KeeperPlace(adapter: adapter, folder: real).name).socket"
    mkdir(real, 0o777)
    chmod(real, 0o777)
    var air: Tooth.Process?
    var fake: LocalListener?
    if trap == .anothersServer {
      air = start(as: 60001, ["air", "\(Tooth.package)/recipes/devices/valve.ble", "--listen", "unix:\(listener)", "-v"])
      #expect(air?.read { $0.complaint.contains("on the air") } ?? false, "\(air?.complaint ?? "")")
    } else {
      fake = try LocalListener(at: listener, mode: 0o666)
    }
    switch trap {
    case .anothersFolder:
      chmod(real, 0o755)
      chown(real, 60001, 60001)
    case .openFolder: chmod(real, 0o777)
    case .groupFolder: chmod(real, 0o770)
    case .linkedFolder:
      chmod(real, 0o700)
      symlink(real, place)
    case .anothersServer: chmod(real, 0o755)
    }
    for command in [["run", "r.ble"], ["scan"], ["keeper", "status"]] {
      let result = Tooth.start(command, environment: environment(), directory: folder.path).wait()
      #expect(result.code == 9, "\(trap) \(command) \(result)")
      #expect(result.errors.contains("is not trusted"), "\(trap) \(command) \(result.errors)")
    }
    if let fake {
      // The client may try to connect but sends nothing.
      while case .stream(let connection) = fake.accept() {
        while let bytes = connection.receive() { #expect(bytes.isEmpty, "\(trap)") }
      }
    }
    if let air {
      air.signal(SIGTERM)
      // Every byte that arrived belongs to a packet.
      let end = air.wait()
      #expect(!end.errors.contains("out of step") && !end.errors.contains("0x"), "\(end.errors)")
    }
  }

  /// A keeper serves its own user, whatever the modes of folder and socket have become.
  @Test(.enabled(if: KeeperTrustTests.isRoot)) func threeUsersAndOneKeeper() throws {
    let air = Tooth.start(
      ["air", "\(Tooth.package)/recipes/devices/heart-rate-strap.ble", "--listen", "unix:\(folder.path)/air"],
      directory: folder.path)
    #expect(air.read { $0.complaint.contains("on the air") })
    chmod("\(folder.path)/air", 0o666)
    mkdir(place, 0o755)
    // In a separate process, because threads of other tests drop capabilities.
    _ = Tooth.start(["60001:60001", place], program: "/bin/chown").wait()
    let keeper = start(as: 60001, ["keeper", "run", "--adapter", "unix:\(folder.path)/air", "--keep", "60s"])
    #expect(keeper.read { $0.complaint.contains("is kept") }, "\(keeper.complaint)")
    chmod(place, 0o755)
    for name in Files.names(in: place) where name.hasSuffix(".socket") { chmod("\(place)/\(name)", 0o666) }
    func runs(as user: UInt32) -> Tooth.Result {
      start(as: user, ["run", "-e", "scan for heart_rate within 5s"], ["TOOTH_STATE": "\(folder.path)/state-\(user)"]).wait()
    }
    let own = runs(as: 60001)
    #expect(own.code == 0, "\(own)")
    // The client does not trust the keeper.
    let otherUser = runs(as: 60002)
    #expect(otherUser.code == 9 && otherUser.errors.contains("belongs to user 60001"), "\(otherUser)")
    let root = runs(as: 0)
    #expect(root.code == 9 && root.errors.contains("belongs to user 60001"), "\(root)")
    // Nor if root owns the folder.
    _ = Tooth.start(["0:0", place], program: "/bin/chown").wait()
    let refused = runs(as: 60002)
    #expect(refused.code == 9 && refused.errors.contains("is not trusted: it runs as user 60001"), "\(refused)")
    keeper.signal(SIGTERM)
    #expect(keeper.wait().code == 0)
  }
}
