import Glibc
import Testing

/// A run continues on the adapter on which it was started, unless the command line names another.
@Suite struct KeptAdapterTests {
  private let folder = Folder()

  private func start(_ words: String..., input: String? = nil) -> Tooth.Process {
    Tooth.start(
      words, input: input ?? "", environment: ["TOOTH_STATE": "\(folder.path)/state", "HOME": folder.path], directory: folder.path)
  }

  private func air(_ name: String) -> Tooth.Process {
    folder.file("\(name).ble", "peripheral p named \"\(name)\"\n  advertise 0xFFF0 every 50ms\nend\n")
    let air = start("air", "\(name).ble", "--listen", "unix:\(folder.path)/\(name)")
    #expect(air.read { $0.complaint.contains("on the air") })
    return air
  }

  private let recipe = """
    on restore as past: print past.reason
    scan for 0xFFF0 as d
    print d.name
    wait 200ms
    scan for 0xFFF0 as e
    print "again {e.name}"
    wait forever

    """

  @Test func aKilledRunContinuesOnItsAdapter() {
    let airs = [air("first"), air("second")]
    defer { for air in airs { air.signal(SIGKILL) } }
    folder.file("r.ble", recipe)
    // The path of the socket is relative to the folder of the first command.
    let run = start("run", "r.ble", "--adapter", "unix:first")
    #expect(run.readOutput { $0.text.contains("first") })
    run.signal(SIGKILL)
    _ = run.wait()
    let resumed = start("resume", "r.ble", "--time-limit", "1min")
    #expect(resumed.readOutput { $0.text.contains("again first\n") }, "\(resumed.text) \(resumed.complaint)")
    #expect(resumed.text.contains("killed\n") && !resumed.complaint.contains("continues on"), "\(resumed.complaint)")
    resumed.signal(SIGKILL)
    _ = resumed.wait()
    let moved = start("run", "r.ble", "--adapter", "unix:second", "--time-limit", "300ms").wait()
    #expect(moved.errors.contains("this run continues on unix:second; until now it was on unix:\(folder.path)/first"), "\(moved)")
    // The adapter that was named last is kept.
    let last = start("resume", "r.ble", "--time-limit", "300ms").wait()
    #expect(last.code == 8 && !last.errors.contains("first"), "\(last)")
    airs[1].signal(SIGKILL)
    let alone = start("resume", "r.ble", "--time-limit", "1s").wait()
    #expect(alone.errors.contains("this run was on unix:\(folder.path)/second until now; --adapter names another"), "\(alone)")
    // Another run is not bound to it.
    folder.file("other.ble", recipe)
    let other = start("run", "other.ble", "--time-limit", "1s").wait()
    #expect(other.code == 10 || other.code == 9, "\(other)")
    // Neither is a new start of the same one.
    let fresh = start("run", "r.ble", "--fresh", "--time-limit", "1s").wait()
    #expect(fresh.code == 10 || fresh.code == 9, "\(fresh)")
  }

  @Test func aPromptContinuesOnItsAdapter() throws {
    let first = air("first")
    defer { first.signal(SIGKILL) }
    let environment = ["TOOTH_STATE": "\(folder.path)/state", "HOME": folder.path]
    func typed(_ words: String...) throws -> TerminalSession {
      try TerminalSession(["repl"] + words, environment: environment, directory: folder.path)
    }
    let session = try typed("--adapter", "unix:first")
    session.type("let a = 41\n")
    #expect(session.read { $0.contains("tooth unix:first > ") }, "\(session.text)")
    session.type("a + 1\n")
    #expect(session.read { $0.contains("  42 ") }, "\(session.text)")
    kill(session.pid, SIGKILL)
    let next = try typed()
    #expect(next.read { $0.contains("tooth first > ") }, "\(next.text)")
    next.type("scan for 0xFFF0\na + 2\n")
    #expect(next.read { $0.contains("  43 ") && $0.contains("device = first") }, "\(next.text)")
    next.type("quit\n")
    #expect(next.wait() == 0, "\(next.text)")
  }
}
