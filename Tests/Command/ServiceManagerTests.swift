import Glibc
import Linux
import Testing
import Vocabulary

/// A run under a service manager, with notifications on a socket and signals. The test is the
/// manager.
@Suite struct ServiceManagerTests {
  let folder = Folder()

  /// The socket that `$NOTIFY_SOCKET` names.
  final class Manager {
    let path: String
    private let descriptor: Int32
    private(set) var heard: [String] = []

    init(_ path: String) {
      self.path = path
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let code = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      #expect(code == 0)
    }

    deinit { close(descriptor) }

    /// Lines of all messages so far.
    @discardableResult
    func listen(within limit: TimeSpan = .seconds(20), until done: ([String]) -> Bool) -> Bool {
      let deadline = SystemClock.now().moment + Tooth.Process.patient(limit)
      var block = [UInt8](repeating: 0, count: 4096)
      while true {
        while case let count = recv(descriptor, &block, block.count, 0), count > 0 {
          heard += String(decoding: block[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
        }
        if done(heard) { return true }
        if SystemClock.now().moment >= deadline { return false }
        _ = Poll.wait(for: [Poll.Interest(descriptor)], until: deadline)
      }
    }
  }

  var valve: String { "sim:\(Tooth.package)/recipes/devices/valve.ble" }

  func start(_ recipe: String, _ environment: [String: String]) -> Tooth.Process {
    let path = folder.file("r.ble", recipe)
    return Tooth.start(
      ["run", path, "--adapter", valve],
      environment: ["STATE_DIRECTORY": "\(folder.path)/state"].merging(environment) { $1 }, directory: folder.path)
  }

  @Test func theServiceManagerReceivesTheStateOfARun() throws {
    let manager = Manager("\(folder.path)/notify")
    let run = start(
      "let a = 1\nprint a\nwait 1200ms\nprint \"two\"\nwait 1h\n", ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "200000"])
    #expect(manager.listen { $0.contains("STATUS=line 5: wait 1h") }, "\(manager.heard) \(run.complaint)")
    let ready = try #require(manager.heard.firstIndex(of: "READY=1"))
    // The run is at its first wait and reports what it waits for.
    #expect(manager.heard[ready + 1] == "STATUS=line 3: wait 1200ms")
    #expect(manager.heard.filter { $0 == "READY=1" }.count == 1)
    // Half of the watchdog interval is 100 ms: in 1200 ms twelve signs are due, fewer on a busy
    // machine, and never one per millisecond.
    let signs = manager.heard.filter { $0 == "WATCHDOG=1" }.count
    #expect((2...60).contains(signs), "\(signs)")
    // A stopped process sends none.
    run.signal(SIGSTOP)
    manager.listen(within: .milliseconds(300)) { _ in false }
    let before = manager.heard.count
    manager.listen(within: .milliseconds(500)) { _ in false }
    #expect(manager.heard.count == before)
    run.signal(SIGCONT)
    #expect(manager.listen { $0.count > before })
    // A stop ends the process, and its next start resumes the run.
    run.signal(SIGTERM)
    #expect(manager.listen { $0.contains("STOPPING=1") })
    #expect(run.wait().code == 128 + SIGTERM)
    let again = start("let a = 1\nprint a\nwait 1200ms\nprint \"two\"\nwait 1h\n", ["NOTIFY_SOCKET": manager.path])
    #expect(again.read { $0.complaint.contains("continues at line 5") }, "\(again.complaint)")
    again.signal(SIGINT)
    #expect(again.wait().code == 128 + SIGINT)
  }

  @Test func aRunThatNeverWaitsWasReady() {
    let manager = Manager("\(folder.path)/notify")
    #expect(start("print 1\n", ["NOTIFY_SOCKET": manager.path]).wait().code == 0)
    #expect(manager.listen { $0 == ["READY=1", "STOPPING=1"] }, "\(manager.heard)")
  }

  @Test func aRunThatFailsAtOnceWasNeverReady() {
    let manager = Manager("\(folder.path)/notify")
    #expect(start("fail \"no\" with code 20\n", ["NOTIFY_SOCKET": manager.path]).wait().code == 20)
    #expect(manager.listen(within: .seconds(1)) { $0.contains("STOPPING=1") })
    #expect(!manager.heard.contains("READY=1"))
  }

  @Test func withoutAManagerTheStateDirectoryIsUsedSilently() {
    let run = start("print 1\n", ["WATCHDOG_USEC": "1000"]).wait()
    #expect(run == Tooth.Result(code: 0, output: "1\n", errors: ""))
    #expect(Files.names(in: "\(folder.path)/state").contains { $0.hasSuffix(".db") })
    // A manager that has exited is harmless.
    #expect(start("print 1\n", ["NOTIFY_SOCKET": "\(folder.path)/gone"]).wait().code == 0)
  }

  // MARK: cron

  func run(_ arguments: [String]) -> Tooth.Process {
    Tooth.start(
      ["run", "\(folder.path)/r.ble", "--adapter", valve] + arguments, environment: ["TOOTH_STATE": "\(folder.path)/state"],
      directory: folder.path)
  }

  @Test func overlappingRunsExcludeEachOther() throws {
    folder.file("r.ble", "print \"at work\"\nwait 1h\n")
    let first = run([])
    #expect(first.read { $0.text == "at work\n" })
    let refused = run(["--quiet"]).wait()
    #expect(refused.code == 11)
    #expect(refused.output == "")
    #expect(refused.errors.contains("process \(first.pid)"), "\(refused.errors)")
    let began = SystemClock.now().moment
    let waited = run(["--wait-lock", "300ms"]).wait()
    #expect(waited.code == 11)
    #expect(SystemClock.now().moment - began >= .milliseconds(300))
    #expect(waited.errors.contains("process \(first.pid)"), "\(waited.errors)")
    #expect(waited.errors.contains("did not end within 300ms"), "\(waited.errors)")
    // A waiting run can be stopped, and one that waits long enough resumes what a killed one left.
    let impatient = run(["--wait-lock", "1h"])
    impatient.read(within: .milliseconds(300))
    impatient.signal(SIGTERM)
    #expect(impatient.wait().code == 128 + SIGTERM)
    let heir = run(["--wait-lock", "1h"])
    heir.read(within: .milliseconds(300))
    #expect(heir.complaint == "")
    first.signal(SIGKILL)
    #expect(heir.read { $0.complaint.contains("continues at line 2") }, "\(heir.complaint)")
    heir.signal(SIGINT)
    #expect(heir.wait().code == 128 + SIGINT)
  }

  @Test func aQuietRunPrintsNothingOnSuccess() {
    folder.file("r.ble", "log \"something\"\nwait 1ms\n")
    #expect(run(["--quiet"]).wait() == Tooth.Result(code: 0, output: "", errors: ""))
    folder.file("r.ble", "fail \"it is broken\"\n")
    let failed = run(["--quiet"]).wait()
    #expect(failed.code == 1)
    #expect(failed.errors.contains("it is broken"))
    #expect(run(["--wait-lock", "soon"]).wait().code == 2)
  }
}
