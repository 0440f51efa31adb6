import Exchange
import Recipe
import Testing
import Vocabulary

@testable import Runner

/// Runs a recipe step by step: events in, effects out, with a clock that the test advances.
struct Bench {
  var machine: Machine
  var now = Instant.simulationStart
  var printed: [String] = []
  var logged: [String] = []
  var requests: [HostRequest] = []
  var failures: [Failure] = []
  var reports: [FailureReport] = []
  var exit: Runner.ExitStatus?
  /// The rows that the database would hold.
  var rows: [RowKey: [UInt8]] = [:]
  var remembered: [(name: String, value: [UInt8])] = []
  var files: [String: String] = [:]
  /// File requests, and the answers to them.
  var questions: [String] = []
  var replies: [String] = []
  /// Requests for out-of-band data.
  var offers: [[UInt8]] = []
  var codes = PairingCodes()
  /// Programs that were run, and their results.
  var orders: [CommandOrder] = []
  var results: [CommandResult] = []
  var commits: [Commit] = []
  var number: UInt64 = 0
  var turns = 0
  /// Whether each commit is compared with one that rewrites every row.
  var isComparing = false

  static func program(_ text: String, peripheral: String? = nil) throws -> Program {
    let parsed = RecipeFile.parse(Array(text.utf8), name: "test.ble")
    let file = try #require(parsed.recipe, "\(parsed.diagnostics.map(\.message))")
    switch Compiler.compile(file, sources: parsed.sources, peripheral: peripheral) {
    case .success(let program): return program
    case .failure(let error):
      Issue.record("\(error)")
      throw error
    }
  }

  init(
    _ text: String, inputs: [(name: String, value: Value)] = [], peripheral: String? = nil, isReady: Bool = true,
    files: [String: String] = [:], replies: [String] = [], results: [CommandResult] = [],
    variables: [(name: String, value: String)] = [], codes: PairingCodes = PairingCodes()
  ) throws {
    let program = try Self.program(text, peripheral: peripheral)
    var environment = MachineEnvironment(seed: 1, bootID: "boot")
    environment.variables = variables
    environment.codes = codes
    self.codes = codes
    machine = Machine(program: program, inputs: inputs, environment: environment, at: .simulationStart)
    self.files = files
    self.replies = replies
    self.results = results
    machine.start(at: now)
    if isReady { host(.adapterReady(Self.adapter)) }
    run()
  }

  static let adapter = AdapterInfo(
    address: Address(bits: 0xC0_00_00_00_00_01, kind: .random), manufacturer: 0xFFFF, version: 12, filterAcceptListSize: 8,
    extended: false)
  static let strap = Address(bits: 0xC4_7C_8D_6A_12_0F, kind: .random)
  static let link = LinkInfo(mtu: 247, interval: .milliseconds(30), latency: 0, supervisionTimeout: .seconds(5))

  mutating func host(_ event: HostEvent) {
    number += 1
    machine.handle(.host(HostReport(number: EventNumber(number), at: now, event: event)), at: now)
    run()
  }

  mutating func advance(_ span: TimeSpan) {
    let end = now + span
    while let next = machine.nextDeadline, next <= end.moment {
      if next > now.moment { now = now + (next - now.moment) }
      run()
      if let after = machine.nextDeadline, after <= now.moment, machine.nextDeadline == next { break }
    }
    now = end
    run()
  }

  mutating func run() {
    for _ in 0..<200_000 {
      let turn = machine.turn(at: now)
      turns += 1
      perform(turn)
      if !turn.hasMore { return }
    }
    Issue.record("the machine never comes to rest")
  }

  mutating func perform(_ turn: Turn) {
    if !turn.commit.isEmpty { commits.append(turn.commit) }
    if turn.commit.clearsAll { rows = [:] }
    for row in turn.commit.rows { rows[row.key] = row.value }
    if isComparing, !turn.commit.isEmpty { compareRows() }
    for entry in turn.commit.remembered {
      remembered.removeAll { $0.name == entry.name }
      remembered.append(entry)
    }
    var answers: [RunnerEvent] = []
    for effect in turn.effects {
      switch effect {
      case .request(let request):
        if case .acknowledge = request.command { continue }
        requests.append(request)
      case .print(let id, let line):
        printed.append(line.values.map { TextRendering.text(of: $0, machine.surroundings) }.joined(separator: " "))
        answers.append(.outputWritten(id))
      case .log(let id, _, let text):
        logged.append(text)
        answers.append(.outputWritten(id))
      case .append(let id, let path, let content):
        switch content {
        case .csv(let columns, let cells):
          if files[path] == nil { files[path] = columns.joined(separator: ",") + "\n" }
          files[path]! += cells.joined(separator: ",") + "\n"
        case .bytes(let bytes), .line(let bytes): files[path, default: ""] += String(decoding: bytes, as: UTF8.self)
        }
        answers.append(.fileWritten(id, nil))
      case .save(let id, let path, let bytes):
        files[path] = String(decoding: bytes, as: UTF8.self)
        answers.append(.fileWritten(id, nil))
      case .offerMade(let bytes): offers.append(bytes)
      case .run(let id, let order):
        orders.append(order)
        if !results.isEmpty { answers.append(.commandEnded(id, .success(results.removeFirst()))) }
      case .ask(let id, let question, let isSecret):
        questions.append(question + (isSecret ? " (secret)" : ""))
        if !replies.isEmpty { answers.append(.answered(id, .success(replies.removeFirst()))) }
      case .withdrawn: questions.append("withdrawn")
      case .metered(let done, let total, _): logged.append("\(done)/\(total)")
      case .readFile(let id, let path, let limit):
        if let text = files[path], text.utf8.count <= limit {
          answers.append(.fileRead(id, .success(Array(text.utf8))))
        } else {
          answers.append(.fileRead(id, .failure(Failure(.file, "reading \(path): no such file", blame: .ours, layer: .os))))
        }
      case .order(let id, _): answers.append(.fileWritten(id, nil))
      case .failed(let report):
        failures.append(report.failure)
        reports.append(report)
      case .progressed, .resumed: break
      case .finished(let status): exit = status
      }
    }
    for answer in answers { machine.handle(answer, at: now) }
    if !answers.isEmpty { run() }
  }

  /// Requires that the rows equal a fresh save of the state: no change was left out.
  private func compareRows() {
    if machine.isFrozen { return }
    var copy = machine
    copy.rewriteEverything()
    let whole = Dictionary(copy.takeCommit().rows.map { ($0.key, $0.value) }) { _, last in last }.compactMapValues { $0 }
    for key in Set(whole.keys).union(rows.keys).sorted() {
      #expect(rows[key] == whole[key], "\(key.kind) \(key.number) after turn \(turns)")
    }
  }

  /// The newest request that satisfies the condition.
  func last(_ test: (HostCommand) -> Bool) -> HostRequest? { requests.last { test($0.command) } }

  /// Drops the machine and restores it from its rows.
  mutating func kill(downFor: TimeSpan = .seconds(2), inputs: [(name: String, value: Value)] = []) throws {
    let stored = rows.map { Commit.Row($0.key, $0.value) }
    let program = machine.program
    let past = PastRun(reason: .killed, at: now)
    now = now + downFor
    requests = []
    var environment = MachineEnvironment(seed: 2, bootID: "boot")
    environment.codes = codes
    machine = try Machine(
      program: program, restoring: Snapshot(rows: stored), remembered: remembered, inputs: inputs, environment: environment,
      past: past, at: now)
    host(.adapterReady(Self.adapter))
  }
}
