import Exchange
import Glibc
import Keeper
import KeeperProcess
import Linux
import Recipe
import Session
import Simulator
import Testing
import Vocabulary
import World
@testable import Runner

/// A keeper reports to a run only what its scan looks for, and of other devices that they exist.
/// The run notices no difference.
@Suite struct ScanFilterTests {
  fileprivate static let devices = """
    peripheral far named "Far"
      advertise battery_service every 10s
      service battery_service
      end
    end

    """

  /// A run, its keeper, and a radio that hears what the test says.
  struct Side {
    let air: SimulatedAir
    let controller: ControllerID
    /// The filter stays with the run.
    let isBlind: Bool
    let program: Program
    var keeper: Keeper
    var machine: Machine
    var client: KeeperClient
    var connection: UInt64 = 0
    var now = Instant.simulationStart
    var rows: [RowKey: [UInt8]] = [:]
    var lines: [String] = []
    var scan: ScanRequest?
    /// Reports of advertisements that the client received.
    var told = 0

    init(_ text: String, isBlind: Bool) throws {
      let loaded = RecipeLoader.parse(name: "far.ble", Array(ScanFilterTests.devices.utf8))
      let recipe = try #require(loaded.recipe)
      air = try SimulatedAir(recipe: recipe, sources: loaded.sources, seed: 1, at: now)
      controller = air.addController(name: "keeper", at: now)
      self.isBlind = isBlind
      let parsed = RecipeFile.parse(Array(text.utf8), name: "test.ble")
      let file = try #require(parsed.recipe, "\(parsed.diagnostics.map(\.message)) in\n\(text)")
      program = try Compiler.compile(file, sources: parsed.sources).get()
      keeper = Keeper(configuration: KeeperConfiguration(version: "1", adapter: "test", user: 0), seed: 5, at: now)
      client = KeeperClient(version: "1", identity: [UInt8](repeating: 7, count: 16), name: "test")
      machine = Machine(program: program, inputs: [], environment: MachineEnvironment(seed: 1, bootID: "boot"), at: now)
      feed(.started(seed: 1))
      settle()
      _ = enter()
      machine.start(at: now)
      run()
      settle()
    }

    private mutating func enter() -> KeeperMessage.Welcome? {
      connection += 1
      var welcome: KeeperMessage.Welcome?
      feed(.arrived(ConnectionID(connection), Credentials(process: 1, user: 0)))
      for message in feed(.messageReceived(ConnectionID(connection), client.hello)) {
        switch client.take(message) {
        case .welcomed(let one): welcome = one
        case .report(let report): waiting.append(report)
        default: break
        }
      }
      return welcome
    }

    private var waiting: [HostReport] = []

    @discardableResult
    private mutating func feed(_ input: KeeperInput) -> [[UInt8]] {
      var said: [[UInt8]] = []
      for output in keeper.handle(input, at: now) {
        switch output {
        case .send(let packet): air.send(packet, from: controller, at: now)
        case .deliver(ConnectionID(connection), let message): said.append(message)
        default: break
        }
      }
      return said
    }

    private mutating func hear(_ messages: [[UInt8]]) {
      for message in messages { if case .report(let report)? = client.take(message) { waiting.append(report) } }
      while !waiting.isEmpty {
        let report = waiting.removeFirst()
        if case .advertisementReceived = report.event { told += 1 }
        machine.handle(.host(report), at: now)
        run()
        say(HostRequest(id: OperationID(0), command: .acknowledge(report.number)))
      }
    }

    private mutating func say(_ request: HostRequest) {
      var request = request
      if case .scan(let wanted) = request.command {
        scan = wanted
        if isBlind { request.command = .scan(ScanRequest(duty: wanted.duty, addresses: wanted.addresses)) }
      }
      hear(feed(.messageReceived(ConnectionID(connection), client.ask(request))))
    }

    private mutating func run() {
      for _ in 0..<10_000 {
        let turn = machine.turn(at: now)
        for row in turn.commit.rows { rows[row.key] = row.value }
        for effect in turn.effects {
          switch effect {
          case .request(let request): say(request)
          case .resumed(let upTo, let except):
            hear(feed(.messageReceived(ConnectionID(connection), KeeperMessage.resumed(upTo: upTo, except: except).encoded)))
          case .print(let id, let line):
            lines.append(line.values.map { TextRendering.text(of: $0, machine.surroundings) }.joined(separator: " "))
            machine.handle(.outputWritten(id), at: now)
          case .log(let id, _, _): machine.handle(.outputWritten(id), at: now)
          case .failed(let report): lines.append("failed: \(report.failure.message)")
          case .finished(let status): lines.append("exit \(status.code)")
          default: break
          }
        }
        if !turn.hasMore, machine.nextDeadline.map({ $0 > now.moment }) ?? true { return }
      }
      Issue.record("the machine never comes to rest")
    }

    private mutating func settle() {
      for _ in 0..<1000 {
        air.run(to: now)
        let packets = air.take(for: controller)
        if packets.isEmpty { return }
        for packet in packets { hear(feed(.packet(packet))) }
      }
    }

    mutating func packet(_ bytes: [UInt8]) { hear(feed(.packet(bytes))) }

    mutating func pass(_ span: TimeSpan) {
      now = now + span
      settle()
      if let due = keeper.nextDeadline, due <= now.moment { hear(feed(.deadline)) }
      if isAlive, let due = machine.nextDeadline, due <= now.moment { run() }
      settle()
    }

    private(set) var isAlive = true

    mutating func kill() {
      isAlive = false
      feed(.gone(ConnectionID(connection)))
      connection += 1
    }

    mutating func comeBack() throws {
      let session = client.session
      let covered = client.covered
      client = KeeperClient(
        version: "1", identity: [UInt8](repeating: 7, count: 16), name: "test", session: session, covered: covered)
      waiting = []
      isAlive = true
      let welcome = try #require(enter())
      #expect(welcome.isReturning)
      var past = PastRun(reason: .killed, at: now)
      past.kept = PastRun.Kept(links: [], missed: 0, isAdapterUp: true)
      machine = try Machine(
        program: program, restoring: Snapshot(rows: rows.map { Commit.Row($0.key, $0.value) }), remembered: [], inputs: [],
        environment: MachineEnvironment(seed: 2, bootID: "boot"), past: past, at: now)
      run()
      hear([])
    }
  }

  private struct Dice {
    var state: UInt64
    mutating func roll(_ sides: Int) -> Int {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      return Int((mixed ^ mixed >> 31) % UInt64(sides))
    }
    mutating func one<T>(_ list: [T]) -> T { list[roll(list.count)] }
  }

  // MARK: Random scans

  private static func recipe(_ dice: inout Dice) -> String {
    let targets = [
      "heart_rate", "battery_service", "\"Belt *\"", "\"Belt 1\"", "\"*a?p*\"", "C0:5E:00:00:00:01/random", "C0:5E:00:00:00:02",
      "\"{wanted}\"", "0xFEAA", "shape",
    ]
    var text = """
      let wanted = "Belt *"
      let bound = -70
      let low = -80
      let shape = "L*"
      every 300ms
        set bound to bound \(dice.one(["- 7", "+ 5", "- 1"]))
        \(dice.roll(3) == 0 ? "set wanted to \(dice.one(["\"Lamp*\"", "\"?amp 1\""]))" : "")
      end

      """
    text += "scan for \(dice.one(["", "all ", "strongest "]))"
    text += (0...dice.roll(3)).map { _ in dice.one(targets) }.joined(separator: " or ")
    if dice.roll(3) == 0 { text += " named \"\(dice.one(["Belt*", "*1", "Lamp 2", "?e*"]))\"" }
    if dice.roll(3) == 0 { text += " stronger than \(dice.one(["-60dBm", "bound", "low", "-90dBm"]))" }
    if dice.roll(4) == 0 { text += " made by \(dice.one(["0x004C", "0x0059"]))" }
    if dice.roll(3) == 0 {
      text += " where \(dice.one(["it.rssi > bound", "it.connectable", "it.name is not nothing", "it.name.upper() is \"BELT 1\""]))"
    }
    text += " within \(dice.one(["1s", "2s", "3s"])) as found\nprint found\nprint \"done\"\n"
    return text
  }

  private static func packet(_ dice: inout Dice) -> [UInt8] {
    let sender = dice.roll(12)
    var data: [UInt8] = []
    let isResponse = dice.roll(4) == 0
    let name = Array("\(dice.one(["Belt", "Lamp", "Tamp"])) \(sender % 3)".utf8)
    if isResponse ? dice.roll(3) > 0 : sender % 4 == 0 { data += [UInt8(name.count + 1), 0x09] + name }
    if sender % 3 == 0 { data += [0x03, 0x03, 0x0D, 0x18] }
    if sender % 5 == 1, dice.roll(2) == 0 { data += [0x03, 0x03, 0x0F, 0x18] }
    if sender % 4 == 3 { data += [0x05, 0xFF, sender % 2 == 0 ? 0x4C : 0x59, 0x00, 1, 2] }
    if sender % 6 == 5 { data += [0x05, 0x16, 0xAA, 0xFE, 0x20, 0x00] }
    let address: [UInt8] = [UInt8(sender / 2), 0, 0, 0, 0x5E, 0xC0]
    let rssi = dice.roll(20) == 0 ? 127 : UInt8(bitPattern: Int8(-100 + dice.roll(60)))
    // LE Advertising Report (Vol 4, Part E, 7.7.65.2)
    return [0x04, 0x3E, UInt8(12 + data.count), 0x02, 0x01, isResponse ? 0x04 : 0x00, sender % 2 == 0 ? 1 : 0] + address
      + [UInt8(data.count)] + data + [rssi]
  }

  @Test func filteringInTheKeeperChangesNoResult() throws {
    var withFilter = 0
    var told = (blind: 0, filtered: 0)
    for seed in 0..<(getenv("FULL") == nil ? 150 : 10_000) as Range<UInt64> {
      var dice = Dice(state: seed)
      let text = Self.recipe(&dice)
      var blind = try Side(text, isBlind: true)
      var filtered = try Side(text, isBlind: false)
      let isKilled = dice.roll(3) == 0
      let (dies, returns) = (dice.roll(40), 40 + dice.roll(20))
      for step in 0..<80 {
        if isKilled, step == dies {
          blind.kill()
          filtered.kill()
        }
        if isKilled, step == returns {
          try blind.comeBack()
          try filtered.comeBack()
        }
        for _ in 0..<(1 + dice.roll(4)) {
          let packet = Self.packet(&dice)
          blind.packet(packet)
          filtered.packet(packet)
        }
        blind.pass(.milliseconds(50))
        filtered.pass(.milliseconds(50))
      }
      try #require(filtered.lines == blind.lines, "seed \(seed):\n\(text)")
      if let scan = filtered.scan, !scan.filter.isEmpty { withFilter += 1 }
      told.blind += blind.told
      told.filtered += filtered.told
    }
    #expect(withFilter > 30)
    #expect(told.filtered * 3 < told.blind * 2, "\(told)")
  }

  // MARK: What a scan requests

  private func filter(_ scan: String, before: String = "", inputs: [(String, Value)] = []) throws -> ScanFilter {
    let text = before + "\n\(scan)\nprint 1\n"
    let parsed = RecipeFile.parse(Array(text.utf8), name: "test.ble")
    let file = try #require(parsed.recipe, "\(parsed.diagnostics.map(\.message))")
    var machine = Machine(
      program: try Compiler.compile(file, sources: parsed.sources).get(), inputs: inputs.map { (name: $0.0, value: $0.1) },
      environment: MachineEnvironment(seed: 1, bootID: "boot"), at: .simulationStart)
    machine.start(at: .simulationStart)
    let adapter = AdapterInfo(
      address: Address(bits: 1, kind: .public), manufacturer: 0, version: 9, filterAcceptListSize: 8, extended: false)
    machine.handle(
      .host(HostReport(number: EventNumber(1), at: .simulationStart, event: .adapterReady(adapter))), at: .simulationStart)
    for _ in 0..<20 {
      for case .request(let request) in machine.turn(at: .simulationStart).effects {
        if case .scan(let wanted) = request.command { return wanted.filter }
      }
    }
    throw KeeperUnreachable("no scan was asked for", isTemporary: false)
  }

  @Test func aScanFilterFollowsTheStatement() throws {
    #expect(try filter("scan for anything").isEmpty)
    #expect(
      try filter("scan for heart_rate or \"Belt *\" named \"B*\" stronger than -70dBm made by 0x004C")
        == ScanFilter(
          targets: [.service(UUID(0x180D)), .name(Glob("Belt *"))], names: [Glob("B*")], strongerThan: -70, companies: [0x4C]))
    #expect(try filter("scan for C4:7C:8D:6A:12:0F") == ScanFilter(targets: [.address(bits: 0xC47C_8D6A_120F, nil)]))
    #expect(
      try filter("scan for where", before: "input where: text \"name\"", inputs: [("where", .text("Polar*"))])
        == ScanFilter(targets: [.name(Glob("Polar*"))]))
    #expect(try filter("scan for heart_rate where it.connectable") == ScanFilter(targets: [.service(UUID(0x180D))]))
  }

  @Test func changingConditionsAreNotInTheFilter() throws {
    let changing = "let bound = -70\nlet name = \"a\"\nevery 1s\n  set bound to bound - 1\n  set name to \"b\"\nend\n"
    #expect(
      try filter("scan for heart_rate stronger than bound made by 0x004C", before: changing)
        == ScanFilter(targets: [.service(UUID(0x180D))]))
    // A value that is computed once, before the scan begins, does not change with it.
    #expect(
      try filter("scan for \"{name}*\" named \"x\"", before: changing)
        == ScanFilter(targets: [.name(Glob("a*"))], names: [Glob("x")]))
  }

  /// Patterns too expensive to match with each report.
  @Test func longPatternsAreNotInTheFilter() throws {
    let long = String(repeating: "a?", count: 200)
    #expect(try filter("scan for \"\(long)\" named \"\(long)\" stronger than -50dBm") == ScanFilter(strongerThan: -50))
    let many = (0..<40).map { "\"device \($0)\"" }.joined(separator: " or ")
    #expect(try filter("scan for \(many)").isEmpty)
  }
}
