import Exchange
import Recipe
import Runner
import Terminal
import Vocabulary

/// The text of a recipe: read, checked, shown, and run for a while with a kill in between.
enum RecipeFuzz {
  static func run(_ bytes: [UInt8]) {
    let parsed = RecipeFile.parseAndCheck(bytes, name: "fuzz.ble")
    for finding in parsed.diagnostics {
      demand(!finding.message.isEmpty && !finding.code.isEmpty, "a finding without a message or a code")
      for range in [finding.range] + finding.labels.map(\.range) + finding.fixes.flatMap({ $0.edits.map(\.range) })
      where range.file == 0 {
        demand(
          range.start <= range.end && Int(range.end) <= bytes.count,
          "\(finding.code) stands at \(range.start)..<\(range.end) in a text of \(bytes.count)")
        let line = parsed.source.line(of: range.start)
        demand(line >= 1 && line <= parsed.source.lineCount, "\(finding.code) stands in line \(line)")
        let width = parsed.source.lineSpan(line)?.count ?? 0
        demand(parsed.source.column(of: range.start) <= width + 2, "\(finding.code) stands in a column that its line does not have")
      }
      for fix in finding.fixes where fix.edits.allSatisfy({ $0.range.file == 0 }) {
        guard let mended = parsed.source.applying(fix) else {
          demand(false, "a fix of \(finding.code) cannot be applied")
          continue
        }
        demand(textErrors(mended) <= textErrors(bytes), "a fix of \(finding.code) makes more errors")
      }
    }
    if let formatted = RecipeFormatter.formatted(bytes) {
      demand(RecipeFormatter.hasSameMeaning(bytes, formatted), "formatting changes a word")
      demand(RecipeFormatter.formatted(formatted) == formatted, "formatting twice changes the text again")
    }
    if !parsed.diagnostics.isEmpty {
      demand(!DiagnosticRenderer().text(parsed.diagnostics, in: [parsed.source]).isEmpty, "nothing is shown")
    }
    guard let recipe = parsed.recipe else {
      demand(parsed.diagnostics.contains { $0.severity == .error }, "refused without an error")
      return
    }
    demand(!parsed.diagnostics.contains { $0.severity == .error }, "an error, and not refused")
    var decisions: UInt64 = 1
    for byte in bytes { decisions = decisions &* 31 &+ UInt64(byte) }
    if case .success(let program) = Compiler.compile(recipe, sources: parsed.sources) { play(program, decisions) }
    for peripheral in recipe.peripherals.prefix(2) {
      if case .success(let program) = Compiler.compile(recipe, sources: parsed.sources, peripheral: peripheral.name.text) {
        play(program, decisions)
      }
    }
  }

  /// The number of errors at which reading a text stops.
  private static func textErrors(_ bytes: [UInt8]) -> Int {
    RecipeFile.parse(bytes, name: "fuzz.ble").diagnostics.count { $0.severity == .error }
  }

  private static func play(_ program: Program, _ decisions: UInt64) {
    var world = RunWorld(program, decisions: decisions)
    world.run(turns: 40)
    guard !world.isFinished else { return }
    world.kill()
    world.run(turns: 40)
    guard !world.isFinished else { return }
    world.kill(downFor: .hours(30))
    world.machine.handle(.stopRequested(.interrupted), at: world.now)
    world.run(turns: 40)
  }
}

/// A damaged checkpoint is refused or resumed, and never traps. What is resumed is committed so
/// that it can be read again.
enum CheckpointFuzz {
  static func run(_ bytes: [UInt8]) {
    var input = Input(bytes)
    let program = programs[input.below(programs.count)]
    var world = RunWorld(program, decisions: UInt64(input.byte()))
    world.run(turns: Int(input.byte()))
    if world.isFinished { return }
    var rows = world.rows.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) }
    while !input.isAtEnd, !rows.isEmpty {
      let place = input.below(rows.count)
      switch input.below(8) {
      case 0: rows.remove(at: place)
      case 1: rows.append((RowKey(rows[place].key.kind, UInt64(input.byte())), rows[place].value))
      case 2:
        guard let key = RowKey(integer: Int64(input.below(11)) << 55 | Int64(input.below(4))) else { break }
        rows.append((key, input.blob()))
      case 3: rows[place].value = rows[input.below(rows.count)].value
      default: rows[place].value = input.corrupt(rows[place].value)
      }
    }
    let damaged = [RowKey: [UInt8]](rows.map { ($0.key, $0.value) }, uniquingKeysWith: { _, last in last })
    if let snapshot = try? Snapshot(rows: damaged.map { Commit.Row($0.key, $0.value) }) {
      _ = (snapshot.isEmpty, snapshot.isUnsure, snapshot.deviceLines)
      for edited in programs.prefix(2) { _ = try? snapshot.aligned(from: program, to: edited) }
    }
    guard
      var resumed = try? RunWorld(
        program, restoring: damaged, downFor: .seconds(Int64(bytes.count)), at: world.now, decisions: UInt64(bytes.count))
    else { return }
    resumed.run(turns: 60)
    if resumed.isFinished { return }
    // Damage may persist, but anything that was read once can be read again.
    _ = try? Snapshot(rows: resumed.rows.map { Commit.Row($0.key, $0.value) })
  }

  private static let programs: [Program] = texts.map { text in
    let parsed = RecipeFile.parseAndCheck(Array(text.utf8), name: "fuzz.ble")
    guard let recipe = parsed.recipe, let program = try? Compiler.compile(recipe, sources: parsed.sources).get() else {
      demand(false, "a recipe of the fuzzer's own is refused: \(parsed.diagnostics.map(\.message))")
      preconditionFailure()
    }
    return program
  }

  private static let texts = [
    """
    let beats = 0
    let seen = [1, {a: "b"}]
    scan for heart_rate
    connect
    subscribe to heart_rate_measurement
    on notify heart_rate_measurement
      set beats to beats + 1
      print beats
    end
    every 10s
      log "alive {beats}"
    end
    wait forever

    """,
    """
    let beats = 0
    scan for heart_rate
    connect
    subscribe to heart_rate_measurement
    on notify heart_rate_measurement
      set beats to beats + 2
      print beats
    end
    on disconnect
      log "gone"
    end
    wait forever

    """,
    """
    procedure deeper(n)
      let level = 0
      try
        wait 2s
        read battery_level as got
        set level to got
      otherwise as problem
        log problem.message
      end
      return n + level
    end
    connect to C4:7C:8D:6A:12:0F/random when it appears
    let total = 0
    repeat 5 times
      for each x in [1, 2, 3]
        set total to deeper(x)
        wait until total > 100 within 3s otherwise log "late"
      end
    end

    """,
    """
    let found = []
    for each n in [1, 2]
      try 3 times every 10s within 1min
        connect to C4:7C:8D:6A:12:0F/random
        read battery_level as battery otherwise let battery = nothing
        set found to found + [battery]
      end
    end
    after 1h
      stop
    end
    on restore as past
      log "{past.reason}"
    end
    wait forever

    """,
  ]
}

/// Values of characteristics in the built-in formats: decoding, encoding and decoding again gives
/// the same value.
enum FormatFuzz {
  private static let plans: [(name: String, plan: FormatPlan)] = FormatCatalog.names.compactMap { name in
    FormatCatalog.plan(named: name).map { (name, $0) }
  }

  static func run(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let (name, plan) = plans[Int(first) % plans.count]
    let value = Array(bytes.dropFirst())
    let explained = plan.explain(value, zone: .utc)
    demand((explained.value == nil) == (explained.fault != nil), "\(name) neither decodes nor says why")
    for entry in explained.trace.entries {
      demand(
        entry.offset >= 0 && entry.count >= 0 && entry.offset + entry.count <= value.count,
        "\(name): \(entry.name) is outside of the value")
    }
    if let fault = explained.fault {
      demand(fault.offset <= value.count && !fault.message.isEmpty, "\(name): a fault outside of the value")
    }
    guard let decoded = try? plan.decode(value, zone: .utc) else {
      demand(explained.value == nil, "\(name) decodes only when it is explained")
      return
    }
    demand(isSame(explained.value, decoded), "\(name) decodes in two ways")
    roundTrip(Value.self, decoded.encoded)
    guard let encoded = try? plan.encode(decoded, zone: .utc), let again = try? plan.decode(encoded, zone: .utc),
      let written = try? plan.encode(again, zone: .utc)
    else { return }
    demand(written == encoded, "\(name): \(Hex.text(value)) is written as \(Hex.text(encoded)), then as \(Hex.text(written))")
  }

  /// Compares by bytes, in which NaN equals itself.
  private static func isSame(_ left: Value?, _ right: Value) -> Bool { left?.encoded == right.encoded }
}

/// All other readers of text and of other programs' files: numbers, times, addresses, UUIDs, hex,
/// JSON, CSV, time zones.
enum TextFuzz {
  static func run(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    let text = String(decoding: rest, as: UTF8.self)
    switch first % 8 {
    case 0: zones(rest, text)
    case 1:
      if let number = DecimalText.parse(text) {
        switch number {
        case .integer(let value): demand(DecimalText.parse(String(value)) == number, "\(text) is \(value)")
        case .real(let value):
          demand(value.isFinite && DecimalText.parse(DecimalText.text(value)) == number, "\(text) is \(DecimalText.text(value))")
          _ = DecimalText.text(value, digits: rest.count)
        }
      }
    case 2:
      if let time = CivilTime(rfc3339: text) {
        guard let wall = time.wallTime else { return }
        let again = CivilTime(rfc3339: CivilTime(wall).description)
        demand(again?.unix == time.unix, "\(text) is \(CivilTime(wall))")
      }
      if let time = TimeOfDay(text) { demand(TimeOfDay(time.description) == time, "\(text) is \(time)") }
    case 3:
      if let address = Address(text) { demand(Address(address.withKind) == address, "\(text) is \(address.withKind)") }
      if let uuid = UUID(text) { demand(UUID(uuid.description) == uuid, "\(text) is \(uuid)") }
      if let hex = Hex.bytes(text) { demand(Hex.bytes(Hex.text(hex)) == hex, "\(text) is \(hex)") }
    case 4:
      guard let value = try? JSON.parse(rest) else { return }
      let written = JSON.text(of: value, Surroundings())
      guard let again = try? JSON.parse(Array(written.utf8)) else {
        return demand(false, "\(text) is written as \(written), which is no JSON")
      }
      demand(JSON.text(of: again, Surroundings()) == written, "\(text) is written as \(written)")
    case 5:
      guard let rows = try? CSV.rows(rest) else { return }
      let written = rows.map { $0.map { CSV.quoted($0) }.joined(separator: ",") }.joined(separator: "\n")
      let again = try? CSV.rows(Array(written.utf8))
      demand(
        again == rows || rows.contains { $0 == [""] }, "\(rows) is written as \(written) and reads \(String(describing: again))")
      _ = try? CSV.parse(rest)
    case 6:
      let parts = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { _ = Glob.matches(String(parts[0]), String(parts[1])) }
    default: roundTrip(Value.self, rest)
    }
  }

  private static func zones(_ bytes: [UInt8], _ text: String) {
    let rules = TimeZoneRules(tzif: bytes) ?? TimeZoneRules(posix: text)
    guard let rules else { return }
    for unix in [Int64.min / 2_000_000_000, -1, 0, 951_782_400, 1_774_746_000, 4_102_444_800, Int64.max / 2_000_000_000] {
      let time = WallTime(unix: unix)
      let civil = rules.civil(time)
      demand(abs(civil.offset) <= 200_000, "an offset of \(civil.offset) s")
      guard let noon = TimeOfDay("02:30") else { return }
      demand(rules.next(noon, after: time) > time, "the next 02:30 after \(unix) is before it")
      _ = rules.wallTime(local: civil)
    }
  }
}
