import Adapters
import Exchange
import Glibc
import Journal
import Linux
import Runner
import Session
import Simulator
import Vocabulary
import World

/// A simulated air and a checkpoint directory, on which recipes run one after the other under a
/// virtual clock. The parts are those of `tooth run --adapter sim:FILE --clock virtual`.
final class BenchWorld {
  let air: SimulatedAir
  let directory: String
  private let controller: ControllerID
  private(set) var now = Instant.simulationStart
  private(set) var session: RunSession?
  private(set) var transport: TapTransport
  private var loop: RunLoop?
  private let console: Console
  private var starts = 0

  init(devices: String, isLogging: Bool = false) throws {
    let loaded = RecipeLoader.parse(name: "devices.ble", Array(devices.utf8))
    guard let recipe = loaded.recipe, !loaded.hasErrors else { throw BenchFailure(loaded) }
    air = try SimulatedAir(recipe: recipe, sources: loaded.sources, seed: 1, at: .simulationStart, isLogging: isLogging)
    controller = air.addController(name: "run", at: .simulationStart)
    transport = TapTransport(SimulatedTransport(air: air, controller: controller))
    var template = Array("/tmp/tooth-bench-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw BenchFailure("no directory can be made in /tmp") }
    directory = template.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let sink = OutputPipe(descriptor: open("/dev/null", O_WRONLY | O_CLOEXEC))
    console = Console(style: Console.Style(loudness: .quiet), output: sink, errors: .standardError())
  }

  deinit {
    session = nil
    loop = nil
    Self.remove(directory)
  }

  private static func remove(_ directory: String) {
    guard let list = opendir(directory) else { return }
    while let entry = readdir(list) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != "..", unlink("\(directory)/\(name)") != 0 { remove("\(directory)/\(name)") }
    }
    closedir(list)
    rmdir(directory)
  }

  /// Starts a recipe from the beginning. `name` names the run. The directory keeps what runs learn
  /// about devices.
  func start(_ text: String, name: String = "bench", syncWithin: TimeSpan = .seconds(1)) throws {
    session = nil
    loop = nil
    if starts > 0 { air.hostGone(controller, at: now) }
    starts += 1
    let loaded = RecipeLoader.parse(name: "\(name).ble", Array(text.utf8))
    guard let recipe = loaded.recipe, !loaded.hasErrors else { throw BenchFailure(loaded) }
    var options = RunOptions(directory: directory)
    options.syncWithin = syncWithin
    var plan = RunPlan(
      loaded: loaded, path: "\(directory)/\(name).ble",
      identity: RunIdentity(owner: .name(name), inputs: []), inputs: try InputReader().read([], of: recipe, loaded.sources),
      options: options, state: StateDirectory(path: directory))
    plan.isFresh = true
    let session: RunSession
    do throws(StartRefusal) {
      let starter = try RunStarter(plan, console: console, bootID: "bench", zone: .utc, at: now)
      let surroundings = RunSurroundings(transport: transport, console: console, bootID: "bench", seed: 1)
      session = try starter.session(surroundings, at: now)
    } catch {
      throw BenchFailure(error)
    }
    self.session = session
    loop = RunLoop(session: session, clock: .virtual(now))
  }

  /// Advances virtual time by this much, or until the run ends.
  @discardableResult
  func run(_ span: TimeSpan) throws -> RunLoop.Outcome {
    guard let loop else { throw BenchFailure("nothing was started") }
    let outcome = loop.run(until: now.moment + span)
    now = loop.now
    if let failure = session?.journalFailure { throw BenchFailure(failure.message) }
    return outcome
  }

  /// Ends the run as a signal would, and waits for its end.
  func stop() throws {
    session?.stop(.stopped, at: now)
    guard try run(.seconds(10)) == .ended else { throw BenchFailure("the run does not end") }
  }

  /// Delivers packets to the session as if its controller had sent them all at once.
  func inject(_ packets: [[UInt8]]) {
    (session?.host as? LocalHost)?.inject(packets)
    _ = session?.receive(at: now)
  }

  /// A variable's value in the database.
  func stored(_ variable: String, name: String = "bench") throws -> Value? {
    let id = RunID(RunIdentity(owner: .name(name), inputs: []))
    guard let snapshot = try RunStore.peek(id, in: StateDirectory(path: directory)) else { return nil }
    for row in snapshot.rows where row.key.kind == .variable {
      guard let bytes = row.value else { continue }
      var reader = bytes.span.bytes
      if try reader.readText() == variable { return try Value(reading: &reader) }
    }
    return nil
  }
}

extension BenchWorld {
  /// How many devices the run knows, from the database.
  func deviceCount(name: String = "bench") throws -> Int {
    let id = RunID(RunIdentity(owner: .name(name), inputs: []))
    return try RunStore.peek(id, in: StateDirectory(path: directory))?.rows.count { $0.key.kind == .device } ?? 0
  }
}

/// A transport that keeps the last notification that passed through it.
final class TapTransport: Transport {
  private let inner: any Transport
  private(set) var notification: [UInt8]?
  private(set) var notifications = 0

  init(_ inner: any Transport) { self.inner = inner }

  func send(_ packet: [UInt8], at now: Instant) { inner.send(packet, at: now) }

  func receive(at now: Instant) -> [[UInt8]] {
    let packets = inner.receive(at: now)
    // H4 type, ACL header, L2CAP header, then ATT_HANDLE_VALUE_NTF (Vol 3, Part F, 3.4.7.1).
    for packet in packets where packet.count > 9 && packet[0] == 0x02 && packet[7] == 0x04 && packet[9] == 0x1B {
      notification = packet
      notifications += 1
    }
    return packets
  }

  func flush() { inner.flush() }
  var nextMoment: Moment? { inner.nextMoment }
  var interest: Poll.Interest? { inner.interest }
  var ending: String? { inner.ending }
}
