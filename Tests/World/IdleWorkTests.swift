import Exchange
import Glibc
import Journal
import Keeper
import Recipe
import Runner
import Session
import Simulator
import Testing
import Vocabulary
import World

/// What a prompt does between two entries: it scans, and discovers a device's attributes.
@Suite struct IdleWorkTests {
  private static let isFull = getenv("FULL") != nil

  private static let devices = """
    peripheral strap named "Strap 7"
      advertise heart_rate every 100ms
      service heart_rate
        characteristic heart_rate_measurement can notify
        characteristic body_sensor_location can read starts as hex "01"
      end
      service battery_service
        characteristic battery_level can read starts as 97
      end
      every 50ms: notify heart_rate_measurement with {bpm: 60, contact: "unsupported"}
    end
    peripheral lamp named "Lamp"
      advertise 0xFE95 every 100ms
    end

    """

  /// Packets to the controller by opcode; `scan on`, `scan off` and `connect` by name.
  private final class Packets {
    var names: [String] = []
    var number = 0
    var killed: (number: Int, side: EffectPoint.Side)?

    func note(_ point: EffectPoint) -> EffectVerdict {
      if let killed, point.number == killed.number, point.side == killed.side { return .kill }
      guard point.side == .before else { return .goOn }
      number = point.number
      guard case .packet(let bytes) = point.kind, bytes.count > 4, bytes[0] == 1 else { return .goOn }
      switch UInt16(bytes[1]) | UInt16(bytes[2]) << 8 {
      case 0x200C, 0x2042: names.append(bytes[4] == 1 ? "scan on" : "scan off")
      case 0x200D, 0x2043: names.append("connect")
      default: names.append("")
      }
      return .goOn
    }

    func count(_ name: String) -> Int { names.count { $0 == name } }
  }

  static func addresses(_ offered: [String]) -> [String] { offered.filter { $0.count { $0 == ":" } == 5 } }

  /// The same, with less to simulate.
  private static let slow = devices.replacing("every 50ms", with: "every 2s").replacing("every 100ms", with: "every 400ms")

  /// A prompt at which a user types.
  private final class Typed {
    let prompt: PromptFixture
    let packets = Packets()

    init(listens: Bool = true, devices: String = IdleWorkTests.devices) throws {
      prompt = try PromptFixture([], devices: devices)
      prompt.options.isScript = false
      prompt.options.listens = listens
      try start()
    }

    func start() throws {
      var plan = prompt.fixture.plan()
      plan.prompt = prompt.options
      plan.options.hasInput = false
      try prompt.fixture.start(plan, hook: { [packets] in packets.note($0) })
    }

    var world: SimulatedWorld { prompt.fixture.world }
    var errors: Comment { "\(prompt.fixture.errors)" }

    func session() throws -> RunSession { try #require(world.session) }

    @discardableResult
    func type(_ lines: String..., for span: TimeSpan = .seconds(5)) throws -> RunLoop.Outcome {
      let session = try session()
      session.keyPressed(at: world.now)
      session.type(lines)
      return world.run(for: span)
    }

    func offered(_ line: String) throws -> [String] { try session().completions(of: line, word: 0) }
    func addresses() throws -> [String] { IdleWorkTests.addresses(try offered("connect to ")) }
  }

  @Test func tabCompletesAdvertisingDevices() throws {
    let typed = try Typed()
    try typed.type("1 + 1")
    #expect(try typed.addresses().count == 2)
    #expect(try typed.offered("scan for ").contains("\"Lamp\""))
    // The session gets no device from it.
    typed.prompt.fixture.world.session?.type(["devices"])
    _ = typed.world.run(for: .seconds(1))
    #expect(typed.prompt.fixture.errors.contains("none yet"), typed.errors)
  }

  @Test func tabCompletesAttributesOfAConnectedDevice() throws {
    let typed = try Typed()
    try typed.type("scan for heart_rate", "connect")
    #expect(try typed.offered("read ").contains("body_sensor_location"), typed.errors)
    let off = try Typed(listens: false)
    try off.type("scan for heart_rate", "connect")
    #expect(try !off.offered("read ").contains("body_sensor_location"))
  }

  /// What Tab offers is what the statement can do there.
  @Test func tabOffersWhatFits() throws {
    let typed = try Typed()
    try typed.type("let rate = 5", "scan for heart_rate as strap", "connect", "discover everything")
    func offered(_ line: String) throws -> [String] {
      let word = line.utf8.reversed().prefix { $0 != 0x20 }.count
      return try typed.session().completions(of: line, word: word).filter { $0.hasPrefix(line.suffix(word)) }
    }
    #expect(try offered("on ").contains("notify") && !offered("on ").contains("rate"))
    #expect(try offered("wait for n") == ["notify"])
    #expect(try offered("help ").contains("read") && !offered("help ").contains("rate") && !offered("help ").contains("and"))
    #expect(try offered("events ") == ["on", "off"] && offered("undo ") == ["2"] && offered("save r").contains("recipe"))
    #expect(try offered("read battery_level of ").contains("strap") && !offered("read battery_level of ").contains("rate"))
    #expect(try offered("read heart").isEmpty && offered("read bat") == ["battery_level"])
    #expect(try offered("subscribe to body").isEmpty && offered("write 1 to bat").isEmpty)
    #expect(try offered("subscribe to heart") == ["heart_rate_measurement"])
    #expect(try offered("device.bat").isEmpty && offered("device.bo") == ["device.bonded"] && offered("strap.rs") == ["strap.rssi"])
    #expect(try offered("print cou").contains("count(") && offered("let y = mi").contains("min("))
    // Places at which no value can follow, or only some.
    #expect(try offered("request ") == ["phy", "speed", "interval", "mtu"])
    #expect(try offered("on ").allSatisfy { !["line", "read", "write", "subscribe"].contains($0) })
    #expect(try offered("wait for ").contains("notify") && !offered("wait for ").contains("restore"))
    for place in ["set rate to ", "save rate to ", "append 1 to "] {
      #expect(try offered(place).contains("rate") && !offered(place).contains("heart_rate_measurement"), "\(place)")
    }
    #expect(try !offered("append rate to fi").contains("first_name"))
    for place in ["stop with ", "let ", "use ", "on passkey ", "on connect ", "save recipe ", "scan for \""] {
      #expect(try !offered(place).contains("rate") && !offered(place).contains("strap"), "\(place)")
    }
    for place in ["read ", "subscribe to ", "on notify "] { #expect(try !offered(place).contains("strap"), "\(place)") }
    #expect(try offered("read ").contains("rssi") && offered("set device.rs").isEmpty)
    try typed.type("set device.note to 5", "procedure twice(n): return n * 2", "let zebra = 1", "undo")
    #expect(try offered("set device.") == ["device.note"] && offered("device.no") == ["device.note"])
    #expect(try offered("tw") == ["twice("] && offered("print tw") == ["twice("] && offered("print ze").isEmpty)
    #expect(try offered("let y = 5 * cou").contains("count(") && offered("expect cou").contains("count("))
  }

  @Test func idleListeningFollowsAKeyBriefly() throws {
    let quiet = try Typed(listens: false, devices: Self.slow)
    try quiet.type("1 + 1", for: .minutes(2))
    #expect(quiet.packets.count("scan on") == 0)
    let typed = try Typed(devices: Self.slow)
    _ = typed.world.run(for: .seconds(5))
    #expect(typed.packets.count("scan on") == 0)
    try typed.type("1 + 1", for: .seconds(50))
    #expect(typed.packets.count("scan on") == 1 && typed.packets.count("scan off") == 0)
    // Another key, and it continues without a packet.
    try typed.type("2", for: .seconds(59))
    #expect(typed.packets.count("scan on") == 1 && typed.packets.count("scan off") == 0)
    _ = typed.world.run(for: .seconds(2))
    #expect(typed.packets.count("scan off") == 1)
    _ = typed.world.run(for: .minutes(5))
    #expect(typed.packets.count("scan on") == 1)
    try typed.type("3")
    #expect(typed.packets.count("scan on") == 2)
  }

  @Test func idleWorkEndsWithThePrompt() throws {
    let typed = try Typed()
    try typed.type("1")
    try typed.type("quit")
    #expect(typed.prompt.code == 0 && typed.packets.names.last { !$0.isEmpty } == "scan off", "\(typed.packets.names)")
  }

  /// An attempt to connect has the radio to itself.
  @Test func anAttemptToConnectIsNotDisturbed() throws {
    let typed = try Typed()
    try typed.type("1")
    let address = try #require(try typed.addresses().first)
    #expect(typed.packets.names.last { !$0.isEmpty } == "scan on")
    let before = typed.packets.names.count
    try typed.type("connect to \(address)", for: .seconds(1))
    // A short scan for the type of the address, and then only the attempt.
    let named = typed.packets.names[before...].filter { !$0.isEmpty }
    #expect(named.prefix(4) == ["scan off", "scan on", "scan off", "connect"] && named.count { $0 == "connect" } == 1, "\(named)")
    // The awaited device is absent: no scan and no request until the attempt is given up.
    let away = try Typed()
    try away.type("1")
    let places = away.packets.names.count
    try away.type("connect to 11:22:33:44:55:66 when it appears within 20s", for: .seconds(15))
    #expect(away.packets.names[places...].filter { !$0.isEmpty }.first == "scan off")
  }

  /// A statement that scans finds the radio as it would without idle work.
  @Test func aStatementScansAtFullDuty() throws {
    var taken: [TimeSpan] = []
    for listens in [false, true] {
      let typed = try Typed(listens: listens)
      try typed.type("1", for: .seconds(10))
      let began = typed.world.now
      try typed.type("scan for \"Lamp\"", for: .seconds(0))
      while typed.prompt.states.last == .running, typed.world.now.moment - began.moment < .seconds(5) {
        _ = typed.world.run(for: .milliseconds(10))
      }
      #expect(typed.prompt.states.last == .done, typed.errors)
      taken.append(typed.world.now.moment - began.moment)
    }
    // 100 ms between two advertisements, with at most 10 ms of delay.
    #expect(taken[1] <= taken[0] + .milliseconds(120), "\(taken)")
  }

  /// Values of a link cost the same: as many commits, and all of them arrive.
  @Test func idleWorkAddsNoCommits() throws {
    var told: [(values: Int, commits: Int)] = []
    for listens in [false, true] {
      let typed = try Typed(listens: listens)
      try typed.type(
        "let n = 0", "scan for heart_rate", "connect", "on notify heart_rate_measurement: set n to n + 1",
        "discover everything", "subscribe to heart_rate_measurement")
      try typed.type("set n to 0", for: .seconds(1))
      let commits = try typed.session().commitCount
      _ = typed.world.run(for: .seconds(15))
      let made = try typed.session().commitCount - commits
      try typed.type("\"values {n}\"")
      let line = try #require(typed.prompt.output.last { $0.hasPrefix("values ") }, typed.errors)
      told.append((Int(line.dropFirst(7)) ?? 0, made))
    }
    #expect(told[0].values > 250 && abs(told[0].values - told[1].values) <= 2, "\(told)")
    #expect(told[1].commits <= told[0].commits + 2, "\(told)")
  }

  /// A read during a discovery waits for at most one answer of it.
  @Test func aReadDoesNotWaitForADiscovery() throws {
    let many = (0..<40).map {
      "  service 0x\(String(0xA000 + $0, radix: 16))\n    characteristic 0x\(String(0xB000 + $0, radix: 16)) can read\n  end\n"
    }
    let devices = "peripheral strap named \"Strap 7\"\n  advertise heart_rate every 100ms\n\(many.joined())end\n"
    var taken: [TimeSpan] = []
    for listens in [false, true] {
      let typed = try Typed(listens: listens, devices: devices)
      try typed.type("scan for heart_rate", "connect", for: .seconds(0))
      while typed.prompt.states.count(where: { $0 == .done }) < 2 { _ = typed.world.run(for: .milliseconds(10)) }
      _ = typed.world.run(for: .milliseconds(100))
      let began = typed.world.now
      try typed.type("read 0xB001", for: .seconds(0))
      while typed.prompt.states.last == .running { _ = typed.world.run(for: .milliseconds(10)) }
      #expect(typed.prompt.states.last == .done, typed.errors)
      taken.append(typed.world.now.moment - began.moment)
    }
    #expect(taken[1] <= taken[0] + .milliseconds(120), "\(taken)")
  }

  // MARK: Kills

  private static let lines = [
    "let n = 0", "scan for heart_rate", "connect", "on notify heart_rate_measurement: set n to n + 1",
    "subscribe to heart_rate_measurement", "append \"one\" to \"log.txt\"", "read battery_level as level",
    "append \"two {level}\" to \"log.txt\"", "level + 1",
  ]

  /// Types one line after the other, with pauses in which the prompt scans; after a kill, the
  /// remaining lines.
  private func play(_ typed: Typed) throws {
    while true {
      let done = try typed.session().entries.count
      let isBusy = try typed.session().entries.last?.state == .running
      if !isBusy, done == Self.lines.count { break }
      let outcome = isBusy ? typed.world.run(for: .seconds(2)) : try typed.type(Self.lines[done], for: .seconds(2))
      if outcome == .killed { return }
    }
  }

  @Test func aKillLeavesNoIdleWork() throws {
    let whole = try Typed(devices: Self.slow)
    try play(whole)
    let log = try #require(whole.prompt.fixture.playground.content("log.txt"))
    #expect(log == "one\ntwo 97\n", whole.errors)
    let count = whole.packets.number
    #expect(count > 60)
    for number in 1...count where Self.isFull || number % 23 == 5 {
      for side in [EffectPoint.Side.before, .after] {
        let typed = try Typed(devices: Self.slow)
        typed.packets.killed = (number, side)
        try play(typed)
        typed.packets.killed = nil
        guard typed.world.session == nil else { continue }
        let place: Comment = "effect \(number) \(side)"
        typed.world.wait(.seconds(2))
        typed.packets.names = []
        try typed.start()
        // No key was pressed in this process: it only reconnects a device.
        _ = typed.world.run(for: .seconds(10))
        #expect(try typed.addresses().count < 2, place)
        try play(typed)
        try typed.type("quit")
        #expect(typed.prompt.fixture.playground.content("log.txt") == log, place)
        #expect(typed.prompt.code == 0, "\(place): \(typed.prompt.fixture.errors)")
        #expect(typed.prompt.fixture.output.hasSuffix("98\n"), "\(place): \(typed.prompt.output)")
      }
    }
  }

  // MARK: A keeper

  /// With a keeper, idle work ends with the process that requested it, even if that is killed.
  @Test(arguments: [true, false]) func aKeeperStopsListeningForAnExitedClient(isKilled: Bool) throws {
    let loaded = RecipeLoader.parse(name: "devices.ble", Array(Self.devices.utf8))
    let air = try SimulatedAir(
      recipe: try #require(loaded.recipe), sources: loaded.sources, seed: 3, at: .simulationStart, isLogging: true)
    let world = World.KeptWorld(air: air, seed: 3, at: .simulationStart)
    var isScanning = false
    world.watch = { packet, isSent, _ in
      guard isSent, packet.count > 4, packet[0] == 1 else { return }
      if [0x200C, 0x2042].contains(UInt16(packet[1]) | UInt16(packet[2]) << 8) { isScanning = packet[4] == 1 }
    }
    let playground = Playground()
    let console = Console(style: Console.Style(), output: .collecting(), errors: .collecting())
    let prompt = RecipeLoader.parse(name: "prompt", [])
    var plan = RunPlan(
      loaded: prompt, path: "prompt", identity: RunIdentity(owner: .name("prompt"), inputs: []), inputs: RunInputs(),
      options: RunOptions(directory: playground.path), state: StateDirectory(path: "\(playground.path)/state"))
    plan.prompt = PromptOptions(isScript: false)
    plan.prompt?.listens = true
    plan.options.hasInput = false
    let port = world.port()
    let session = try RunStarter(plan, console: console, bootID: "virtual", zone: .utc, at: world.now).session(
      RunSurroundings(host: KeeperHost(port: port, version: World.KeptWorld.version), console: console, bootID: "virtual", seed: 1),
      at: world.now)
    let loop = RunLoop(session: session, clock: .virtual(world.now))
    _ = loop.run(until: world.now.moment + .seconds(2))
    session.keyPressed(at: loop.now)
    _ = loop.run(until: loop.now.moment + .seconds(5))
    #expect(isScanning)
    #expect(Self.addresses(session.completions(of: "connect to ", word: 0)).count == 2)
    if isKilled {
      world.allGone(at: loop.now)
    } else {
      // As when the terminal is lost: the links are left to the next prompt.
      session.makeWay(at: loop.now)
      _ = loop.run(until: loop.now.moment + .seconds(1))
    }
    world.run(to: loop.now + .seconds(5))
    #expect(!isScanning)
  }
}
