import Exchange
import Testing
import Vocabulary

@testable import Runner

/// The three laws, for every durable type of a run: round trip, no truncation accepted, no trailing
/// bytes accepted.
@Suite struct StorageTests {
  static func hold<Stored: Durable>(_ value: Stored, _ name: String) throws {
    let bytes = value.encoded
    #expect(try Stored(encoded: bytes) == value, "\(name): round trip")
    for count in 0..<bytes.count {
      #expect(throws: DecodeError.self, "\(name): \(count) of \(bytes.count) bytes") {
        try Stored(encoded: Array(bytes[..<count]))
      }
    }
    #expect(throws: DecodeError.self, "\(name): trailing") { try Stored(encoded: bytes + [0]) }
  }

  static let path = AttributePath(
    form: .named(
      service: .init(UUID(0x180D), instance: 1), characteristic: .init(UUID(0x2A37)), descriptor: .init(UUID(0x2902), instance: nil)
    ),
    home: UUID(0x180D), text: "heart_rate/x")
  static let due = Instant(moment: Moment(nanoseconds: 123_456), wall: WallTime(nanoseconds: -5))
  static let limit = Limit(span: .seconds(3), due: Moment(nanoseconds: 99))

  static let waits: [Wait] = [
    .none, .span(due), .forever, .until(site: 3, limit), .event(site: 1, nil),
    .scan(ScanWait(site: 2, limit: limit)), .link(device: 4, limit),
    .reconnect(site: 0, devices: [1, 2]),
    .operation(
      OperationWait(
        device: 1, request: .write(path, [1, 2]), limit: limit, policy: .verify, sent: OperationID(300), isVerifying: true,
        lost: .reachedRadio)),
    .operation(OperationWait(device: 0, request: .discover([UUID(1)]), limit: nil, policy: .harmless)), .retry(due),
    .file(EffectID(7), repeats: true), .published(OperationID(1)), .closing(device: 2),
  ]

  @Test(arguments: waits.indices) func waitsAreStored(index: Int) throws {
    try Self.hold(Self.waits[index], "\(Self.waits[index])")
  }

  @Test func scanResultsAreStored() throws {
    let row = FoundRow(places: [.init(fiber: 1, place: 0, rssi: -70), .init(fiber: 1 << 40, place: 70_000, rssi: 20)])
    try Self.hold(row, "\(row)")
  }

  static let requests: [GattRequest] = [
    .discover([]), .read(AttributePath(form: .handle(AttributeHandle(9)), text: "handle")), .writeWithoutResponse(path, []),
    .subscribe(path), .unsubscribe(path), .readRSSI, .locate(path),
  ]

  @Test func requestsAreStored() throws { for request in Self.requests { try Self.hold(request, "\(request)") } }

  static let roles: [Fiber.Role] = [
    .body, .handler(unit: 3, device: -1), .connect(unit: 1, device: 2), .timer(unit: 5, number: 300), .restore(unit: 1),
    .stop(unit: 2),
    .failure(unit: 9),
  ]

  @Test func fibersAreStored() throws {
    for role in Self.roles {
      var fiber = Fiber(id: 500, role: role)
      var state = TryState(site: 1, attempt: 2, times: 3, every: .seconds(1), limit: Self.limit, handlers: 1, device: .device(0))
      fiber.frames = [
        Frame(
          unit: 0, pc: 70_000, base: 0, destination: 5, tries: [state],
          handlers: [ActiveHandler(unit: 2), ActiveHandler(unit: 3, owner: 500, device: 1)])
      ]
      state.times = nil
      fiber.frames.append(Frame(unit: 1, pc: 1, base: 4, destination: 0x8001, tries: [state]))
      fiber.slots = [
        .nothing, .device(1), .text("x"), .unset, .list([.int(-1)]), .record(["a": .real(0.5)]), .bool(true), .nothing,
      ]
      fiber.mark = 12
      fiber.hasWritten = true
      #expect(try Fiber(encoded: fiber.encoded) == fiber)
      let bytes = fiber.encoded
      for count in 0..<bytes.count { #expect(throws: DecodeError.self) { try Fiber(encoded: Array(bytes[..<count])) } }
    }
  }

  @Test func devicesTimersAndTheRestAreStored() throws {
    var device = Device(bits: 0xC47C_8D6A_120F, kind: .random)
    device.name = "Strap"
    device.services = [UUID(0x180D)]
    device.rssi = -60
    device.fields = ["count": .int(3)]
    device.isWanted = true
    device.wasLinked = true
    device.connector = 8
    device.wasReady = true
    device.setUp = [SetUpItem(request: .subscribe(Self.path), statement: 4, locals: [.int(7)])]
    device.policy = ReconnectPolicy(times: 4, wait: .seconds(1), ceiling: .seconds(8))
    device.step = 3
    device.failedAttempts = 2
    try Self.hold(device, "device")
    try Self.hold(Device(bits: 1, kind: nil), "device without a type")
    try Self.hold(
      TimerState(
        id: 4, handler: ActiveHandler(unit: 2, owner: 9, device: 70), due: Self.due, period: .days(1),
        at: TimeOfDay(hour: 6, minute: 0), isTickPending: true, pendingDue: Self.due),
      "timer")
    var header = Header()
    header.bootID = "boot"
    header.random = .max
    header.failureCode = -3
    header.reservedOperations = 70
    header.keeperIdentity = [1, 2, 3]
    header.keeperSession = .max
    header.covered = EventNumber(9)
    try Self.hold(header, "header")
    // After the reserved numbers, and those that an end may have used.
    #expect(HeaderRow(stored: header).newestOperation == 70 + Header.operationMargin)
    try Self.hold(
      PendingOutput(effect: EffectID(3), level: .warning, values: [.text("a")], ending: "\n", device: "Strap", line: 4), "output")
    try Self.hold(
      PendingOutput(
        effect: EffectID(4), level: nil, values: [.int(97)], ending: "\n", device: nil, line: .none,
        prompt: .echo(Echo(name: "it", octets: [0x61], unit: "%"))), "echo")
    let reference = AttributeReference(
      handle: AttributeHandle(3), service: UUID(1), serviceInstance: 1, characteristic: UUID(2), instance: 2, overallInstance: 3,
      descriptor: UUID(3), properties: 0x10, homeExists: true)
    for kind in [.notified(reference, [1]), .connected, .disconnected(.asked)] as [MachineEvent.Kind] {
      try Self.hold(MachineEvent(sequence: 5, device: 1, kind: kind, at: Self.due), "event")
    }
  }

  @Test func aRowUnderTheNumberOfAnotherIsRefused() throws {
    let bench = try LinkTests.connected()
    for kind in [RowKey.Kind.fiber, .timer] {
      guard let row = bench.rows.first(where: { $0.key.kind == kind }) else { continue }
      let rows = bench.rows.map { Commit.Row($0.key, $0.value) } + [Commit.Row(RowKey(kind, 77), row.value)]
      #expect(throws: RestoreFailure.self) { try Snapshot(rows: rows) }
    }
  }

  @Test(arguments: [RowKey.Kind.queuedEvent, .keptEvent, .heldEvent]) func anEventUnderTheNumberOfAnotherIsRefused(
    _ kind: RowKey.Kind
  ) throws {
    let event = MachineEvent(sequence: 5, device: 0, kind: .connected, at: Self.due)
    var writer = ByteWriter()
    if kind == .queuedEvent { writer.put(UInt16(3)) }
    event.write(to: &writer)
    let key = kind == .queuedEvent ? RowKey.queued(event, 3) : RowKey(kind, 5)
    #expect(throws: Never.self) { try Snapshot(rows: [Commit.Row(key, writer.bytes)]) }
    #expect(throws: RestoreFailure.self) { try Snapshot(rows: [Commit.Row(RowKey(kind, key.number + 1), writer.bytes)]) }
  }

  /// Each is in code that does not belong to its unit, or waits for a call that does not exist.
  @Test func aPlaceInAnotherUnitIsRefused() throws {
    let bench = try Bench(
      """
      let a = 1
      procedure slow(x, y, z)
        let sum = x + y + z
        wait 1min
        return sum
      end
      on stop: print "stopped"
      let b = slow(a, 2, 3) + 1
      print b
      """)
    let program = bench.machine.program
    let snapshot = try Snapshot(rows: bench.rows.map { Commit.Row($0.key, $0.value) })
    let body = try #require(snapshot.fibers.firstIndex { $0.role == .body })
    try #require(snapshot.fibers[body].frames.map(\.unit).first == Program.body && snapshot.fibers[body].frames.count == 2)
    try Machine.validate(snapshot, program)
    let called = try #require(snapshot.fibers[body].frames.last)
    // It has room for the locals of any of them, so that nothing else is wrong.
    var roomy = snapshot
    roomy.fibers[body].slots += Array(repeating: .unset, count: 100)
    try Machine.validate(roomy, program)
    let elsewhere = program.code.indices.filter { program.code[$0].code == .finish } + [program.units[Program.body].entry]
    try #require(elsewhere.count > 2)
    for pc in elsewhere {
      var damaged = roomy
      damaged.fibers[body].frames[1].pc = pc
      damaged.fibers[body].wait = .none
      #expect(throws: RestoreFailure.self, "the procedure at \(pc)") { try Machine.validate(damaged, program) }
    }
    let ends = program.code.indices.filter { program.code[$0].code == .finish }
    let own = ends.filter { pc in
      var alone = roomy
      alone.fibers[body].frames = [snapshot.fibers[body].frames[0]]
      alone.fibers[body].frames[0].pc = pc
      alone.fibers[body].wait = .none
      return (try? Machine.validate(alone, program)) != nil
    }
    #expect(own.count == 1, "the body may stand at its own end alone, of \(ends)")
    for wait in [Wait.published(OperationID(1)), .span(Self.due), .retry(Self.due)] {
      var waiting = roomy
      waiting.fibers[body].frames = [snapshot.fibers[body].frames[0]]
      waiting.fibers[body].frames[0].pc = own[0]
      waiting.fibers[body].wait = wait
      #expect(throws: RestoreFailure.self, "\(wait) where nothing follows") { try Machine.validate(waiting, program) }
    }
    for pc in [called.pc, snapshot.fibers[body].frames[0].pc + 1] {
      var damaged = roomy
      damaged.fibers[body].frames[0].pc = pc
      #expect(throws: RestoreFailure.self, "the body at \(pc)") { try Machine.validate(damaged, program) }
    }
  }

  /// Its body ends with a wait after which nothing follows.
  @Test func aPeripheralIsRestored() throws {
    let bench = try Bench(
      """
      peripheral strap
        let beats = 1
        advertise heart_rate
        every 1s: set beats to beats + 1
      end
      """, peripheral: "strap")
    let snapshot = try Snapshot(rows: bench.rows.map { Commit.Row($0.key, $0.value) })
    try #require(snapshot.fibers.contains { $0.role == .body && $0.wait == .forever })
    try Machine.validate(snapshot, bench.machine.program)
  }

  @Test func countersThatCannotBeCountedUpAreRefused() {
    var header = Header()
    header.nextFiber = 1 << 55
    #expect(throws: DecodeError.self) { try Header(encoded: header.encoded) }
    header.nextFiber = 1
    header.sequence = 1 << 41
    #expect(throws: DecodeError.self) { try Header(encoded: header.encoded) }
    header.sequence -= 1
    header.nextFiber = 1 << 55 - 1
    #expect(throws: Never.self) { try Header(encoded: header.encoded) }
  }

  @Test func aFiberBeyondTheCounterIsRefused() throws {
    let bench = try LinkTests.connected()
    var header = bench.machine.header.value
    header.nextFiber = 0
    let rows = bench.rows.map { Commit.Row($0.key, $0.key.kind == .header ? header.encoded : $0.value) }
    let snapshot = try Snapshot(rows: rows)
    #expect(throws: RestoreFailure.self) { try Machine.validate(snapshot, bench.machine.program) }
    #expect(throws: RestoreFailure.self) { try snapshot.aligned(from: bench.machine.program, to: bench.machine.program) }
  }

  @Test func garbageInTheRowsIsRefusedWithAMessage() throws {
    var generator = SplitMix(seed: 7)
    let bench = try LinkTests.connected()
    for _ in 0..<20_000 {
      var rows = bench.rows.map { Commit.Row($0.key, $0.value) }.sorted { $0.key < $1.key }
      let place = Int.random(in: 0..<rows.count, using: &generator)
      guard var bytes = rows[place].value, !bytes.isEmpty else { continue }
      bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      rows[place] = Commit.Row(rows[place].key, bytes)
      // It is refused or restored, and never traps.
      guard let snapshot = try? Snapshot(rows: rows) else { continue }
      var machine = try? Machine(
        program: bench.machine.program, restoring: snapshot, remembered: [], inputs: [],
        environment: MachineEnvironment(seed: 1, bootID: "boot"), past: PastRun(reason: .killed, at: bench.now), at: bench.now)
      for _ in 0..<20 where machine?.isDone == false { _ = machine?.turn(at: bench.now) }
    }
  }
}
