import Glibc
import Keeper
import Linux
import Testing
import Vocabulary

/// `tooth disconnect --all` and `tooth adapter reset` with links that a killed process left, and
/// with keepers.
@Suite(.serialized) struct AdapterCommandTests {
  let folder = Folder()

  var environment: [String: String] {
    [
      "TOOTH_STATE": "\(folder.path)/state", "TOOTH_KEEPER_DIRECTORY": "\(folder.path)/keeper",
      "TOOTH_ADAPTER": "unix:\(folder.path)/air",
    ]
  }

  private func start(_ arguments: String...) -> Tooth.Process {
    Tooth.start(arguments, environment: environment, directory: folder.path)
  }

  private func run(_ arguments: String...) -> Tooth.Result {
    Tooth.start(arguments, environment: environment, directory: folder.path).wait()
  }

  private func air() -> Tooth.Process {
    folder.file("devices.ble", KeeperCommandTests.strap)
    folder.file("one.ble", KeeperCommandTests.counting("one.csv"))
    let air = Tooth.start(
      ["air", "devices.ble", "--listen", "unix:\(folder.path)/air", "--log", "air.log"], environment: environment,
      directory: folder.path)
    air.read(within: .seconds(20)) { $0.complaint.contains("on the air") }
    return air
  }

  /// Lines of the air's log that contain these words.
  private func logged(_ words: String) -> Int {
    guard let text = folder.content("air.log") else { return -1 }
    return text.split(separator: "\n").count { $0.contains(words) }
  }

  private func wait(within limit: TimeSpan = .seconds(20), until done: () -> Bool) -> Bool {
    let end = SystemClock.now().moment + Tooth.Process.patient(limit)
    while !done() {
      if SystemClock.now().moment > end { return false }
      _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(20))
    }
    return true
  }

  private func beats() -> Int { (folder.content("one.csv") ?? "").split(separator: "\n").count }

  private var name: String { "unix:\(folder.path)/air" }

  /// A run without a keeper, killed: its link stays in the controller.
  private func leaveALink() {
    let run = start("run", "one.ble", "--direct")
    let before = beats()
    #expect(wait { beats() > before + 5 }, "\(run.complaint)")
    run.signal(SIGKILL)
    _ = run.wait()
  }

  @Test func disconnectEndsLinksOfKilledProcesses() {
    let air = air()
    leaveALink()
    let ended = run("disconnect", "--all")
    #expect(ended.code == 0, "\(ended)")
    let lines = ended.output.split(separator: "\n")
    #expect(lines.count == 1 && lines[0].hasPrefix("\(name): link ended: handle 0x"), "\(ended)")
    #expect(ended.errors == "")
    // The peripheral was notified and did not wait for its supervision timeout: it advertises.
    #expect(wait { logged("\"disconnect\"") > 0 })
    #expect(run("scan", "--time-limit", "400ms").output.contains("Counting strap"))
    let nothing = run("disconnect", "--all")
    #expect(nothing == Tooth.Result(code: 0, output: "", errors: "\(name) has no links\n"))
    leaveALink()
    let asJSON = run("disconnect", "--all", "--output", "json")
    #expect(asJSON.code == 0)
    #expect(asJSON.output.hasPrefix("{\"adapter\":\"\(name)\",\"links\":[{\"handle\":"), "\(asJSON)")
    #expect(asJSON.output.hasSuffix(",\"peer\":null}],\"keeper\":false,\"listed\":true,\"reset\":true}\n"), "\(asJSON)")
    air.signal(SIGKILL)
  }

  @Test func resetEndsRemainingLinks() {
    let air = air()
    leaveALink()
    let reset = run("adapter", "reset")
    #expect(reset.code == 0, "\(reset)")
    #expect(reset.output.hasPrefix("\(name): reset, and it answered; ") && reset.output.contains(", Bluetooth 4.2\n"), "\(reset)")
    #expect(reset.errors == "")
    #expect(run("disconnect", "--all").errors == "\(name) has no links\n")
    let asJSON = run("adapter", "reset", "--output", "json")
    #expect(asJSON.output.hasPrefix("{\"adapter\":\"\(name)\",\"keeper\":null,\"address\":\""), "\(asJSON)")
    #expect(asJSON.output.contains("\"bluetooth\":\"4.2\",\"reopened\":false,\"answered_ms\":"), "\(asJSON)")
    air.signal(SIGKILL)
  }

  @Test func keeperDisconnectsAndProtectsItsClients() throws {
    let air = air()
    let client = start("run", "one.ble", "--keeper", "--keep", "1s")
    #expect(wait { beats() > 5 }, "\(client.complaint)")
    for command in [["disconnect", "--all"], ["adapter", "reset"]] {
      let refused = Tooth.start(command, environment: environment, directory: folder.path).wait()
      #expect(refused.code == 9)
      #expect(refused.output == "")
      #expect(
        refused.errors
          == "error: a client is connected: \(clientName) (pid \(client.pid))\n  = fix: stop it first, or add --force\n",
        "\(refused)")
      try GoldenCommand.expect(
        command == ["adapter", "reset"] ? "adapter-reset-client-connected" : "disconnect-client-connected", command, refused,
        replacing: [(clientName, "NAME"), ("pid \(client.pid)", "pid PID")])
    }
    // A scan that shares the adapter and holds no link does not prevent the links from being
    // closed.
    let forced = run("disconnect", "--all", "--force")
    #expect(forced.output.hasPrefix("\(name): link ended: ") && forced.output.hasSuffix("/random\n"), "\(forced)")
    #expect(client.read(within: .seconds(10)) { $0.complaint.contains("lost: the end of every link") }, "\(client.complaint)")
    let before = beats()
    #expect(wait { beats() > before + 5 }, "\(client.complaint)")
    let reset = run("adapter", "reset", "--force")
    #expect(reset.code == 0, "\(reset)")
    #expect(reset.output.hasPrefix("\(name): reset by its keeper; links ended: "), "\(reset)")
    #expect(
      client.read(within: .seconds(10)) { $0.complaint.contains("a reset of the adapter was requested") }, "\(client.complaint)")
    let again = beats()
    #expect(wait { beats() > again + 5 }, "\(client.complaint)")
    // A client that is away is not asked. Its link is closed, and it finds out when it returns.
    client.signal(SIGKILL)
    _ = client.wait()
    let gone = run("disconnect", "--all", "--output", "json")
    #expect(gone.code == 0, "\(gone)")
    #expect(gone.output.contains("\"keeper\":true,\"listed\":true,\"reset\":false"), "\(gone)")
    let back = start("run", "one.ble")
    let last = beats()
    #expect(wait { beats() > last + 5 }, "\(back.complaint)")
    #expect(back.read(within: .seconds(10)) { $0.complaint.contains("lost: the end of every link") }, "\(back.complaint)")
    back.signal(SIGINT)
    _ = back.wait()
    #expect(run("keeper", "stop", "--force").code == 0)
    air.signal(SIGKILL)
  }

  // MARK: A keeper that breaks its promise

  private static let peer = Address(bits: 0xC47C_8D6A_120F, kind: .random)

  private func fake() throws -> FakeKeeper { try FakeKeeper(name, in: "\(folder.path)/keeper") }

  @Test func linksOfAnExitedKeeperHaveEnded() throws {
    let fake = try fake()
    let asking = start("disconnect", "--all")
    var hasOrdered = false
    try fake.serve(asking) { message in
      guard case .disconnectAll = message else { return nil }
      hasOrdered = true
      return .ending([Self.peer])
    }
    fake.leave()
    #expect(hasOrdered)
    #expect(asking.wait() == Tooth.Result(code: 0, output: "\(name): link ended: \(Self.peer.withKind)\n", errors: ""))
  }

  @Test func aReconnectedLinkCountsAsANewLink() throws {
    let fake = try fake()
    let before = FakeKeeper.link(to: Self.peer, since: SystemClock.now().moment)
    let asking = start("disconnect", "--all", "--force")
    var questions = 0
    try fake.serve(asking) { message in
      if case .disconnectAll = message { return .ending([Self.peer]) }
      questions += 1
      // As long as it is the same process, it has not ended.
      let link = questions < 5 ? before : FakeKeeper.link(to: Self.peer, since: SystemClock.now().moment)
      return .statusReport(FakeKeeper.status(name, [link]))
    }
    #expect(asking.wait() == Tooth.Result(code: 0, output: "\(name): link ended: \(Self.peer.withKind)\n", errors: ""))
    #expect(questions == 5)
  }

  /// The command waits for 15 s.
  @Test(.enabled(if: Linux.environment("FULL") != nil)) func aLinkThatDoesNotEndIsNotReportedAsEnded() throws {
    let fake = try fake()
    let asking = start("disconnect", "--all", "--output", "json")
    try fake.serve(asking) { message in
      if case .disconnectAll = message { return .ending([Self.peer]) }
      return .statusReport(FakeKeeper.status(name, [FakeKeeper.link(to: Self.peer, since: Moment(nanoseconds: 0))]))
    }
    let result = asking.wait()
    #expect(result.code == 9)
    #expect(result.output == "{\"adapter\":\"\(name)\",\"links\":[],\"keeper\":true,\"listed\":true,\"reset\":false}\n")
    #expect(result.errors.hasPrefix("error: a link did not end within 15s: \(Self.peer.withKind)\n"), "\(result)")
  }

  /// The name that the keeper has for the run.
  private var clientName: String {
    let status = run("keeper").output
    return status.split(separator: "\n").first { $0.hasPrefix("  client") }
      .map { String($0.dropFirst(12).prefix { $0 != "," }) } ?? "?"
  }

  @Test func reportsAControllerThatDoesNotAnswer() throws {
    let listener = try LocalListener(at: "\(folder.path)/air", mode: 0o600)
    let silent = start("adapter", "reset")
    let result = silent.wait(within: .seconds(20))
    withExtendedLifetime(listener) {}
    #expect(result.code == 9)
    #expect(
      result.errors == """
        error: the controller of \(name) did not answer Reset (0x0c03) within 2s
          = fix: is it a controller that speaks H4? (a serial port: at this speed, with RTS and CTS connected) If so, unplug it and plug it back in

        """, "\(result)")
  }

  @Test(arguments: [
    (["disconnect"], "--all confirms that"), (["disconnect", "now"], "takes no now"),
    (["adapter"], "tooth adapter needs an action"),
    (["adapter", "rest"], "has no rest"), (["adapter", "reset", "--adapter", "sim:x.ble"], "a simulated adapter exists only in"),
    (["disconnect", "--all", "--adapter", "sim:x.ble"], "a simulated adapter exists only in"),
  ])
  func aWrongCommandLineIsExplained(arguments: [String], words: String) {
    let result = Tooth.start(arguments, environment: environment, directory: folder.path).wait()
    #expect(result.code == 2)
    #expect(result.errors.contains(words), "\(result)")
    #expect(result.output == "")
  }

  @Test func anAdapterIsNamed() {
    var environment = environment
    environment["TOOTH_ADAPTER"] = nil
    let result = Tooth.run("disconnect", "--all", environment: environment)
    #expect(result.code == 2)
    #expect(result.errors == "error: name the adapter with --adapter\n  = fix: tooth adapters lists them\n", "\(result)")
    let missing = Tooth.run("adapter", "reset", "--adapter", "unix:/nonexistent/air", environment: environment)
    #expect(missing.code == 9)
    #expect(missing.errors.contains("there is no such socket"))
  }
}
