import Glibc
import Judgement
import Testing

/// A keeper that is killed under a service manager, again and again, while values arrive a hundred
/// times a second. Processes and sockets are real.
@Suite struct KeeperKillTests {
  static let kills = 20

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Polls until it holds, for at most half a minute.
  private func wait(_ what: String, until holds: () -> Bool) -> Bool {
    let limit = Self.now + 30_000
    while Self.now < limit {
      if holds() { return true }
      usleep(1000)
    }
    Issue.record("it did not come to that: \(what)")
    return false
  }

  @Test(.timeLimit(.minutes(3))) func noValueIsLostWithAKeeper() throws {
    let place = try #require(Place())
    let recipes = "\(ToothProcess.root)/Tests/Kill/recipes"
    let folder = ["TOOTH_KEEPER_DIRECTORY=\(place.path)/keepers"]
    let adapter = ["--adapter", "unix:\(place.path)/air"]
    let air = try #require(
      ToothProcess(
        ["air", "\(recipes)/hundred.ble", "--listen", "unix:\(place.path)/air", "--log", "\(place.path)/air.log"], in: place.path,
        name: "air"))
    defer {
      air.send(SIGKILL)
      air.wait()
    }
    guard wait("the air listens", until: { access("\(place.path)/air", F_OK) == 0 }) else { return }
    let manager = try #require(ServiceStandIn(["keeper", "run"] + adapter, in: place.path, environment: folder))
    func ready() -> Bool {
      manager.listen()
      return manager.isReady
    }
    try #require(manager.start())
    guard wait("the keeper is ready", until: ready) else { return }
    #expect(Set(manager.stored.map(\.name)) == ["adapter", "listener", "memory"])
    let run = try #require(
      ToothProcess(["run", "\(recipes)/pulse.ble"] + adapter, in: place.path, name: "run", environment: folder))
    defer {
      run.send(SIGKILL)
      run.wait()
    }
    func values() -> [Substring] { run.output.split(separator: "\n") }
    guard wait("the first values", until: { values().count > 20 }) else { return }

    var state: UInt64 = getenv("TOOTH_KILL_SEED").flatMap { UInt64(String(cString: $0)) } ?? 20_261_121
    for kill in 1...Self.kills {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let pause = Self.now + 20 + Int64(state >> 33) % 300
      while Self.now < pause { usleep(500) }
      manager.kill()
      let began = Self.now
      try #require(manager.start())
      guard wait("keeper \(kill + 1) is ready", until: ready) else {
        Issue.record("\(manager.process?.errors ?? "")")
        return
      }
      #expect(manager.process?.errors.contains("kept on") == true, "keeper \(kill + 1) began anew")
      if getenv("TOOTH_FIGURES") != nil { print("ready after \(Self.now - began) ms") }
    }
    let before = values().count
    guard wait("values behind the last kill", until: { values().count > before + 100 }) else { return }
    run.send(SIGINT)
    run.wait()
    #expect(run.exitCode == 128 + SIGINT, "\(run.errors)")
    let numbers = values().map { Int($0) }
    #expect(!numbers.contains(nil), "\(run.output)")
    let got = numbers.compactMap { $0 }
    let first = try #require(got.first)
    let last = try #require(got.last)
    #expect(got == Array(first...last), "lost, twice or out of order: \(zip(got, got.dropFirst()).filter { $1 != $0 + 1 })")
    // one link for all of it, and one reset: the controller noticed nothing
    let log = textOfFile("\(place.path)/air.log") ?? ""
    #expect(!log.contains("lost"), "\(run.errors)")
    manager.process?.send(SIGTERM)
    manager.process?.wait()
    #expect(manager.process?.exitCode == 0, "\(manager.process?.errors ?? "")")
    manager.listen()
    #expect(manager.stored.isEmpty, "an orderly end leaves nothing behind")
  }
}
