import Adapters
import Judgement
import Keeper
import Linux
import Recipe
import Runner
import Session
import Simulator
import Testing
import Vocabulary
import World

/// A keeper holds what a killed run leaves. On the air nothing changes: the requests are the same,
/// and no value is lost.
@Suite struct KeptKillTests {
  /// Ten beats a second, each with its own number.
  static let strap = """
    peripheral strap named "Counting strap"
      let beats = 0
      advertise heart_rate every 100ms with {name: "Counting strap"}
      service heart_rate
        characteristic heart_rate_measurement can notify
        characteristic body_sensor_location can read starts as u8(1)
        characteristic heart_rate_control_point can write
      end
      every 100ms
        set beats to beats + 1
        notify heart_rate_measurement with {bpm: beats, contact: "good"}
      end
    end

    """

  static func judge(_ reference: KeptTrial.TrialResult, handle: Int = 0x0010) -> (KeptTrial.TrialResult) -> [String] {
    let keeper = reference.world.air.address(of: reference.world.controller).map { "\($0)" } ?? "?"
    let strap = reference.world.air.controller(of: "strap").flatMap { reference.world.air.address(of: $0) }.map { "\($0)" } ?? "?"
    let wanted = reference.asked(by: keeper)
    return { result in
      var problems: [String] = []
      let asked = result.asked(by: keeper)
      if asked != wanted {
        let more = asked.difference(from: wanted).insertions.map { "\($0)" }
        let less = asked.difference(from: wanted).removals.map { "\($0)" }
        problems.append("asked more: \(more.prefix(5)), less: \(less.prefix(5)); \(result.errors.joined())")
      }
      // Beats that arrived before the very end were handled once, in order, with their times of
      // arrival.
      let values = result.values(from: strap, handle: handle)
      let numbers = values.map { Facts.beat($0.value).bpm }
      let rows = result.rows.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
      let handled = rows.compactMap { $0.count > 1 ? Int($0[1]) : nil }
      if handled.count != rows.count { problems.append("rows that are none: \(result.rows)") }
      let missing = numbers.count - handled.count
      if !(0...2).contains(missing) || Array(numbers.prefix(handled.count)) != handled {
        problems.append(
          "came \(numbers.count): \(brief(numbers)); handled \(handled.count): \(brief(handled)); \(result.errors.joined())")
      }
      for (row, value) in zip(rows, values) {
        guard let seconds = row.first.flatMap({ Self.milliseconds($0) }) else { continue }
        let late = seconds - value.at / 1_000_000
        if late < 0 || late > 60 {
          problems.append("a value of \(value.at / 1_000_000) ms has the time \(row[0])")
          break
        }
      }
      let lines = result.outputs.joined().split(separator: "\n").compactMap { $0.hasSuffix(" bpm") ? Int($0.dropLast(4)) : nil }
      var unique: [Int] = []
      var repeated = 0
      for line in lines { if unique.last == line { repeated += 1 } else { unique.append(line) } }
      if unique != handled && unique != Array(handled.dropLast()) || repeated > max(1, result.killedAt.count) {
        problems.append("printed \(brief(lines)), handled \(brief(handled))")
      }
      return problems
    }
  }

  static func brief(_ numbers: [Int]) -> String {
    numbers.count <= 12 ? "\(numbers)" : "\(numbers.prefix(6)) … \(numbers.suffix(6))"
  }

  /// Parses `2026-01-01T00:00:01.234Z` as time since the start of that day.
  static func milliseconds(_ text: String) -> Int64? {
    guard let clock = text.split(separator: "T").last?.dropLast(1) else { return nil }
    let parts = clock.split(separator: ":")
    guard parts.count == 3, let hours = Int64(parts[0]), let minutes = Int64(parts[1]) else { return nil }
    let seconds = parts[2].split(separator: ".")
    guard let whole = seconds.first.flatMap({ Int64($0) }) else { return nil }
    let fraction = seconds.count > 1 ? Int64((seconds[1] + "000").prefix(3)) ?? 0 : 0
    return ((hours * 60 + minutes) * 60 + whole) * 1000 + fraction
  }

  static func verdict(_ trial: KeptTrial, every step: Int = 1, handle: Int = 0x0010) throws -> [String] {
    let reference = try trial.uninterrupted()
    let judge = judge(reference, handle: handle)
    var problems = judge(reference)
    if reference.rows.count < 10 { problems.append("it did nothing: \(reference.errors)") }
    guard problems.isEmpty else { return ["uninterrupted"] + problems }
    return try trial.killEverywhere(every: step, judge)
  }

  static let counting = """
    scan for heart_rate within forever
    connect
    subscribe to heart_rate_measurement
    on notify heart_rate_measurement as beat
      append {time: beat.at, bpm: beat.bpm} to "beats.csv"
      print "{beat.bpm} bpm"
    end
    on connect
      if device.resumed: log "is back"
    end
    on disconnect as reason: log "lost: {reason}"
    on restore as past: log "restored: {past.link}, {past.missed} missed, {past.unsure} unsure"
    reconnect forever waiting 1s up to 10s

    """

  @Test func everyBeatIsWrittenOnceDespiteKills() throws {
    let trial = try KeptTrial(recipe: Self.counting, devices: Self.strap, file: "beats.csv", duration: .seconds(3))
    let problems = try Self.verdict(trial)
    #expect(problems == [])
    #expect(trial.kills > 100)
  }

  /// The address is written without its type, which is learned on the air just before the link.
  @Test func aLinkToAnUntypedAddressIsKeptDespiteKills() throws {
    let devices = RecipeLoader.parse(name: "strap.ble", Array(Self.strap.utf8))
    let air = try SimulatedAir(recipe: try #require(devices.recipe), sources: devices.sources, seed: 7, at: .simulationStart)
    let address = try #require(air.controller(of: "strap").flatMap { air.address(of: $0) })
    let bare = "\(address)".split(separator: "/")[0]
    let recipe = Self.counting.replacing("scan for heart_rate within forever\nconnect\n", with: "connect to \(bare) within 10s\n")
    try #require(recipe != Self.counting)
    let trial = try KeptTrial(recipe: recipe, devices: Self.strap, file: "beats.csv", duration: .seconds(2))
    let problems = try Self.verdict(trial)
    #expect(problems == [])
    #expect(trial.kills > 60)
  }

  /// The second life is killed as well, in its first twenty effects.
  @Test func aKillAfterAKillLosesNothing() throws {
    let trial = try KeptTrial(recipe: Self.counting, devices: Self.strap, file: "beats.csv", duration: .seconds(2))
    trial.againAt = { 1 + ($0 &* 7919) % 20 }
    let problems = try Self.verdict(trial, every: 2)
    #expect(problems == [])
    #expect(trial.kills > 40)
  }

  /// Killed anywhere, also in discovery and while it subscribes; the link ends before the next
  /// start.
  /// What had reached the keeper by then is handled.
  @Test func valuesOfALinkThatEndedMeanwhileAreHandled() throws {
    let trial = try KeptTrial(recipe: Self.counting, devices: Self.strap, file: "beats.csv", duration: .seconds(3))
    trial.pause = .seconds(20)
    trial.rest = .seconds(9)
    trial.faults = [
      (.seconds(6), { air in air.controller(of: "strap").map { strap in air.make { $0.drop(strap, at: $0.now) } } })
    ]
    let reference = try trial.uninterrupted()
    let strap = reference.world.air.controller(of: "strap").flatMap { reference.world.air.address(of: $0) }.map { "\($0)" } ?? "?"
    var most = 0
    let problems = try trial.killEverywhere(every: 2) { result in
      let came = result.values(from: strap, handle: 0x0010).map { Facts.beat($0.value).bpm }
      let handled = result.rows.dropFirst().compactMap { $0.split(separator: ",").last.flatMap { Int($0) } }
      most = max(most, came.count)
      // Those of the very end may be under way.
      let missing = came.dropLast(2).filter { !handled.contains($0) }
      if missing.isEmpty, handled == Array(Set(handled)).sorted() { return [] }
      return ["missing \(missing), handled \(Self.brief(handled)); \(result.errors.joined())"]
    }
    #expect(problems == [])
    #expect(trial.kills > 40 && most > 50)
  }

  /// A `wait` of the body comes due while the run is dead. It ends after the values that came
  /// meanwhile, as it does in a run that lives, and so does the run.
  @Test(arguments: [
    "wait 4s", "repeat 4 times: wait 1s", "for each x in [1, 2] at once: wait 4s",
    "let begun = now()\nwait until now() - begun > 4s", "rest()", "wait 4s\nexpect n > 0\nwait 100ms",
    "every 4s\n  print \"total {n}\"\n  stop\nend\nwait forever", "try within 1min\n  wait 4s\notherwise\n  fail \"cut off\"\nend",
  ])
  func aWaitThatCameDueEndsAfterTheValues(body: String) throws {
    let recipe = """
      let n = 0
      procedure rest(): wait 4s
      on notify heart_rate_measurement as beat
        append {bpm: beat.bpm} to "beats.csv"
        set n to n + 1
      end
      on restore: wait 2s
      scan for heart_rate
      connect
      subscribe to heart_rate_measurement
      \(body)
      print "total {n}"

      """
    let trial = try KeptTrial(recipe: recipe, devices: Self.strap, file: "beats.csv", duration: .seconds(7))
    trial.pause = .seconds(9)
    trial.rest = .seconds(9)
    let reference = try trial.uninterrupted()
    let strap = reference.world.air.controller(of: "strap").flatMap { reference.world.air.address(of: $0) }.map { "\($0)" } ?? "?"
    var judged = 0
    let problems = try trial.killEverywhere(every: 7) { result in
      // It had ended, or was about to.
      guard result.outputs[0].isEmpty, let killed = result.killedAt.first, killed < Instant.simulationStart.moment + .seconds(4)
      else {
        return []
      }
      // The values that come during `on restore` are handled as well.
      let back = (killed + trial.pause + .seconds(2) - Instant.simulationStart.moment).nanoseconds
      let came = result.values(from: strap, handle: 0x0010).filter { $0.at < back }.map { Facts.beat($0.value).bpm }
      let handled = result.rows.dropFirst().compactMap { Int($0) }
      judged += 1
      var problems: [String] = []
      let missing = came.filter { !handled.contains($0) }
      if !missing.isEmpty || handled != Array(Set(handled)).sorted() { problems.append("missing \(missing), handled \(handled)") }
      let total = result.outputs.joined().split(separator: " ").last.flatMap { Int($0.dropLast()) } ?? 0
      if total < came.count { problems.append("total \(total) of \(came.count); \(result.outputs)") }
      return problems.map { "\($0); \(result.errors.joined())" }
    }
    #expect(problems == [])
    #expect(judged > 10)
  }

  /// Held values are handled one after the other, as if they had just arrived: each by all that
  /// wait for it before the next one.
  @Test(arguments: ["", "on restore: wait 1s\n"]) func heldValuesAreHandledAsTheyCame(more: String) throws {
    let recipe = """
      \(more)on notify heart_rate_measurement as a: append {bpm: a.bpm} to "beats.csv"
      on notify heart_rate_measurement as b
        wait 1ms
        append {bpm: b.bpm} to "beats.csv"
      end
      scan for heart_rate
      connect
      subscribe to heart_rate_measurement
      wait for notify heart_rate_measurement where it.bpm is 35
      append {bpm: 35} to "beats.csv"
      stop

      """
    let trial = try KeptTrial(recipe: recipe, devices: Self.strap, file: "beats.csv", duration: .seconds(7))
    trial.pause = .seconds(9)
    trial.rest = .seconds(9)
    let reference = try trial.uninterrupted()
    let whole = reference.rows.dropFirst().compactMap { Int($0) }
    #expect(whole == whole.sorted() && whole.count > 50)
    var judged = 0
    let problems = try trial.killEverywhere(every: 9) { result in
      let handled = result.rows.dropFirst().compactMap { Int($0) }
      // It may not have subscribed before it was killed.
      let isWhole = handled.first ?? 99 > 35 || Set(handled) == Set(whole)
      if isWhole, Set(handled) == Set(whole) { judged += 1 }
      return handled == handled.sorted() && isWhole ? [] : ["\(handled); \(result.errors.joined())"]
    }
    #expect(problems == [] && judged > 10)
  }

  /// A slow handler holds up the handlers of other events by a tenth of a second at most.
  @Test(arguments: ["keeping latest", ""]) func aSlowHandlerHoldsUpNoOther(keeping: String) throws {
    let recipe = """
      on notify heart_rate_measurement as a \(keeping): wait 3s
      on notify heart_rate_measurement as b: append {bpm: b.bpm} to "beats.csv"
      scan for heart_rate
      connect
      subscribe to heart_rate_measurement
      wait forever

      """
    let trial = try KeptTrial(recipe: recipe, devices: Self.strap, file: "beats.csv", duration: .seconds(3))
    trial.pause = .seconds(9)
    trial.rest = .seconds(2)
    _ = try trial.uninterrupted()
    var most = 0
    let problems = try trial.killEverywhere(every: 9) { result in
      let handled = result.rows.dropFirst().compactMap { Int($0) }
      most = max(most, handled.count)
      let breaks = zip(handled, handled.dropFirst()).filter { $1 != $0 + 1 }
      let back = ((result.killedAt[0] + trial.pause) - Instant.simulationStart.moment).milliseconds
      // A value every 100 ms, of which one or two may be under way at the end.
      let wanted = handled.isEmpty ? 0 : (back + 2000) / 100 - Int64(handled[0]) - 4
      return breaks.isEmpty && handled.count >= wanted ? [] : ["\(handled.count) of \(wanted); \(result.errors.joined())"]
    }
    #expect(problems == [] && most > 80)
  }

  /// A handler that never ends does not hold up the body for longer than five seconds.
  @Test func aHandlerThatHangsHoldsUpNoBody() throws {
    let recipe = """
      on notify heart_rate_measurement as beat
        wait forever
      end
      scan for heart_rate
      connect
      subscribe to heart_rate_measurement
      wait 4s
      print "over"

      """
    let trial = try KeptTrial(recipe: recipe, devices: Self.strap, duration: .seconds(12))
    trial.pause = .seconds(9)
    trial.rest = .seconds(14)
    _ = try trial.uninterrupted()
    let problems = try trial.killEverywhere(every: 5) { result in
      result.outputs.joined() == "over\n" || result.outputs.joined() == "over\nover\n" && result.outputs[0] == "over\n"
        ? [] : ["\(result.outputs) \(result.errors.joined())"]
    }
    #expect(problems == [])
  }

  /// The backlog of a long absence is larger than the queue of a handler, and the handler is slower
  /// than its arrival.
  @Test func aLongAbsenceOverflowsNothing() throws {
    let recipe = """
      scan for heart_rate
      connect
      subscribe to heart_rate_measurement
      on notify heart_rate_measurement as beat
        wait 1ms
        append {bpm: beat.energy} to "beats.csv"
      end
      wait forever

      """
    let devices = Self.strap.replacing("every 100ms\n", with: "every 10ms\n")
      .replacing("{bpm: beats, contact: \"good\"}", with: "{bpm: 60, energy: beats}")
    let trial = try KeptTrial(recipe: recipe, devices: devices, file: "beats.csv", duration: .seconds(3))
    trial.pause = .seconds(20)
    trial.rest = .seconds(9)
    _ = try trial.uninterrupted()
    let problems = try trial.killEverywhere(at: trial.effects / 2) { result in
      let handled = result.rows.dropFirst().compactMap { $0.split(separator: ",").last.flatMap { Int($0) } }
      let breaks = zip(handled, handled.dropFirst()).filter { $1 != $0 + 1 }
      if breaks.isEmpty, handled.count > 2000 { return [] }
      return ["\(handled.count) handled, holes \(breaks.prefix(5)); \(result.errors.joined().suffix(400))"]
    }
    #expect(problems == [])
  }

  /// The link is lost and made again while the run is killed anywhere: what reached the host is
  /// written once, and no extra connection is made.
  @Test func lostLinksAndKillsTogether() throws {
    let trial = try KeptTrial(recipe: Self.counting, devices: Self.strap, file: "beats.csv", duration: .seconds(4))
    trial.rest = .seconds(9)
    trial.faults = [
      (.milliseconds(1500), { air in air.controller(of: "strap").map { strap in air.make { $0.drop(strap, at: $0.now) } } }),
      (
        .milliseconds(3010),
        { air in air.controller(of: "strap").map { strap in air.make { $0.drop(strap, atOnce: true, at: $0.now) } } }
      ),
    ]
    let reference = try trial.uninterrupted()
    let strap = reference.world.air.controller(of: "strap").flatMap { reference.world.air.address(of: $0) }.map { "\($0)" } ?? "?"
    let problems = try trial.killEverywhere(every: 3) { result in
      var problems: [String] = []
      let came = result.values(from: strap, handle: 0x0010).map { Facts.beat($0.value).bpm }
      let handled = result.rows.dropFirst().compactMap { $0.split(separator: ",").last.flatMap { Int($0) } }
      let missing = came.filter { !handled.contains($0) }
      // At the very end, and values at the instant in which a link was lost before its set-up was
      // complete.
      if handled != Array(Set(handled)).sorted() || missing.count > 3 {
        problems.append("missing \(missing), handled \(Self.brief(handled)); \(result.errors.joined())")
      }
      let connections = result.lines.count { $0.kind == "connect_ind" && $0.delivered != false }
      if connections > 3 { problems.append("\(connections) connections; \(result.errors.joined())") }
      return problems
    }
    #expect(problems == [])
  }

  /// Reads, and writes that must not repeat, in the body and in a handler.
  @Test func everyCommandIsPerformedOnceDespiteKills() throws {
    let recipe = """
      scan for heart_rate within forever
      connect
      read body_sensor_location as place
      write u8(1) to heart_rate_control_point
      subscribe to heart_rate_measurement
      write u8(2) to heart_rate_control_point
      on notify heart_rate_measurement as beat
        append {time: beat.at, bpm: beat.bpm} to "beats.csv"
        write u8(beat.bpm) to heart_rate_control_point
        read body_sensor_location as place
        print "{beat.bpm} bpm"
      end
      on connect
        write u8(201) to heart_rate_control_point
        read body_sensor_location as place
        write u8(202) to heart_rate_control_point
      end
      reconnect forever waiting 1s up to 10s

      """
    let devices = Self.strap.replacing("every 100ms\n    set", with: "every 400ms\n    set")
    let trial = try KeptTrial(recipe: recipe, devices: devices, file: "beats.csv", duration: .seconds(4))
    // The handler falls behind while the run is away, and needs time to catch up.
    trial.rest = .seconds(3)
    let reference = try trial.uninterrupted()
    #expect(reference.rows.count > 5, "\(reference.errors)")
    let keeper = reference.world.air.address(of: reference.world.controller).map { "\($0)" } ?? "?"
    let problems = try trial.killEverywhere { result in
      var problems: [String] = []
      if result.exitCode != reference.exitCode { problems.append("exit code \(result.exitCode)") }
      if result.errors.joined().contains("unsure") { problems.append("unsure: \(result.errors.joined())") }
      let asked = result.asked(by: keeper)
      let links = asked.count { $0.hasPrefix("connect") }
      if links != 1 { problems.append("\(links) connections") }
      // Write Request to the control point
      let writes = result.lines.filter { $0.isAttribute && $0.from == keeper && $0.bytes.first == 0x12 && $0.bytes.count == 4 }
        .compactMap { $0.bytes.last.map { Int($0) } }
      // `on connect` runs again for a run that is back, unless it was killed in the middle of it.
      for (value, most) in [(1, 1), (2, 1), (201, 2), (202, 2)] {
        let count = writes.count { $0 == value }
        if count < 1 || count > most { problems.append("\(value) was written: \(writes); \(result.errors.joined())") }
      }
      let handled = result.rows.dropFirst().compactMap { $0.split(separator: ",").last.flatMap { Int($0) } }
      for beat in Set(handled.dropLast()) where beat > 2 && beat < 200 {
        let count = writes.count { $0 == beat }
        if count != 1 { problems.append("beat \(beat) was written \(count) times; \(result.errors.joined())") }
      }
      if handled != Array(Set(handled)).sorted() { problems.append("handled \(handled)") }
      return problems
    }
    #expect(problems == [])
  }

  private static func stride(_ usual: Int) -> Int { environment("FULL") == "1" ? 1 : usual }

  private static func numbers(_ result: KeptTrial.TrialResult) -> [Int] {
    result.rows.dropFirst().compactMap { $0.split(separator: ",").last.flatMap { Double($0) }.map { Int($0) } }
  }

  /// The run confirms indications when they are on its disk; when it is away the keeper does. The
  /// peer gets one confirmation for each, and the recipe handles each once.
  @Test func indicationsAreConfirmedAndHandledOnceDespiteKills() throws {
    let recipe = """
      scan for health_thermometer within forever
      connect
      subscribe to temperature_measurement
      on notify temperature_measurement as reading
        append {time: reading.at, bpm: reading.celsius} to "beats.csv"
        print "{reading.celsius:.0} bpm"
      end
      reconnect forever waiting 1s up to 10s

      """
    let devices = """
      peripheral strap named "Thermometer"
        let count = 0
        advertise health_thermometer every 100ms
        service health_thermometer
          characteristic temperature_measurement can indicate
        end
        every 200ms
          set count to count + 1
          indicate temperature_measurement with {celsius: count}
        end
      end

      """
    let trial = try KeptTrial(recipe: recipe, devices: devices, file: "beats.csv", duration: .seconds(3))
    let reference = try trial.uninterrupted()
    #expect(Self.numbers(reference).count > 5, "\(reference.errors) \(reference.rows)")
    let keeper = reference.world.air.address(of: reference.world.controller).map { "\($0)" } ?? "?"
    let problems = try trial.killEverywhere(every: Self.stride(7)) { result in
      let numbers = Self.numbers(result)
      var problems: [String] = []
      let breaks = zip(numbers, numbers.dropFirst()).filter { $1 != $0 + 1 }
      if !breaks.isEmpty || numbers.count <= 5 { problems.append("\(Self.brief(numbers)): \(result.errors.joined())") }
      // As the peer sees it: indication, confirmation, indication …
      let talk = result.lines.filter { $0.isAttribute && $0.delivered == true }.compactMap { line -> String? in
        if line.from == keeper, line.bytes == [0x1E] { return "confirmed" }
        return line.from != keeper && line.bytes.first == 0x1D ? "indicated" : nil
      }
      for (place, word) in talk.enumerated() where word != (place % 2 == 0 ? "indicated" : "confirmed") {
        problems.append("message \(place) of \(talk.count) is \(word)")
        break
      }
      let connections = result.lines.count { $0.kind == "connect_ind" }
      if connections != 1 { problems.append("\(connections) connections") }
      return problems
    }
    #expect(problems == [])
    #expect(trial.kills > 6)
  }

  static let three = ["early", "other", "late"].map { name in
    """
    peripheral \(name) named "\(name)"
      advertise heart_rate every \(name == "late" ? "700ms" : "150ms") with {name: "\(name)"}
    end

    """
  }.joined(separator: "\n")

  /// A scan continues under its number: its results stay, and each of its devices is reported once.
  @Test func aScanContinuesDespiteKills() throws {
    let recipe = """
      scan for all heart_rate within 3s as found
      for each device in found
        append {name: device.name} to "beats.csv"
        print device.name
      end
      scan for "late" within 20s
      append {name: "again"} to "beats.csv"

      """
    let trial = try KeptTrial(recipe: recipe, devices: Self.three, file: "beats.csv", duration: .seconds(20))
    let reference = try trial.uninterrupted()
    #expect(reference.rows.count == 5 && reference.rows.last == "again", "\(reference.rows) \(reference.errors)")
    let problems = try trial.killEverywhere(every: Self.stride(3)) { result in
      result.rows.sorted() == reference.rows.sorted() && result.rows.last == "again" && result.exitCode == 0
        ? [] : ["\(result.rows) \(result.exitCode) \(result.errors.joined())"]
    }
    #expect(problems == [])
    #expect(trial.kills > 2)
  }

  /// A write that must not repeat is never on the air twice, whatever is lost and killed; one that
  /// may repeat is repeated until it is answered.
  @Test(arguments: ["fail", "skip", "repeat", "verify"]) func writesKeepTheirPolicyDespiteKills(_ policy: String) throws {
    let recipe = """
      scan for heart_rate within forever
      connect
      subscribe to heart_rate_measurement
      on notify heart_rate_measurement as beat
        append {time: beat.at, bpm: beat.bpm} to "beats.csv"
        write u8(beat.bpm) to heart_rate_control_point when unsure \(policy)
      end
      reconnect forever waiting 1s up to 10s

      """
    let devices = Self.strap.replacing("every 100ms\n    set", with: "every 300ms\n    set")
      .replacing("heart_rate_control_point can write", with: "heart_rate_control_point can read, write starts as u8(0)")
    let trial = try KeptTrial(recipe: recipe, devices: devices, file: "beats.csv", duration: .seconds(4))
    trial.rest = .seconds(9)
    trial.faults = [
      (
        .milliseconds(1500),
        { air in air.controller(of: "strap").map { strap in air.make { $0.drop(strap, atOnce: true, at: $0.now) } } }
      ),
      (
        .milliseconds(2720),
        { air in air.controller(of: "strap").map { strap in air.make { $0.drop(strap, atOnce: true, at: $0.now) } } }
      ),
    ]
    let reference = try trial.uninterrupted()
    #expect(reference.rows.count > 5, "\(reference.errors)")
    let keeper = reference.world.air.address(of: reference.world.controller).map { "\($0)" } ?? "?"
    let problems = try trial.killEverywhere(every: Self.stride(23)) { result in
      let writes = result.lines.filter { $0.isAttribute && $0.from == keeper && $0.delivered == true && $0.bytes.count == 4 }
        .compactMap { $0.bytes.first == 0x12 ? Int($0.bytes[3]) : nil }
      let handled = Self.numbers(result)
      var problems: [String] = []
      if handled != Array(Set(handled)).sorted() { problems.append("handled \(handled)") }
      for beat in handled {
        let count = writes.count { $0 == beat }
        if count > (policy == "repeat" ? 2 : 1) { problems.append("\(beat) was written \(count) times") }
        if policy == "repeat" || policy == "verify", count == 0, beat != handled.last { problems.append("\(beat) was not written") }
      }
      return problems.isEmpty ? [] : problems + ["handled \(handled), written \(writes); \(result.errors.joined())"]
    }
    #expect(problems == [])
    #expect(trial.kills > 3)
  }

  /// The adapter is unplugged and plugged in again while the run is killed anywhere: this is
  /// reported and waited for, and everything continues.
  @Test func anAbsentAdapterIsAwaitedDespiteKills() throws {
    let trial = try KeptTrial(recipe: Self.counting, devices: Self.strap, file: "beats.csv", duration: .seconds(20))
    trial.absences = [(.milliseconds(1500), .milliseconds(4200))]
    trial.rest = .seconds(14)
    let reference = try trial.uninterrupted()
    #expect(reference.errors.joined().contains("hci0 was unplugged"), "\(reference.errors)")
    #expect(reference.errors.joined().contains("lost: adapter lost"), "\(reference.errors)")
    #expect(reference.rows.count > 60, "\(reference.rows.count) \(reference.errors)")
    let problems = try trial.killEverywhere(every: Self.stride(131)) { result in
      let handled = Self.numbers(result)
      var problems: [String] = []
      if handled != Array(Set(handled)).sorted() { problems.append("handled \(Self.brief(handled))") }
      if result.exitCode != reference.exitCode { problems.append("exit code \(result.exitCode)") }
      if handled.count < 60 { problems.append("only \(handled.count)") }
      return problems.isEmpty ? [] : problems + [result.errors.joined()]
    }
    #expect(problems == [])
    #expect(trial.kills > 5)
  }
}

/// Other events of a run with a keeper.
@Suite struct KeptRunTests {
  private func world(hold: TimeSpan = .minutes(10), version: String = KeptWorld.version) throws -> KeptWorld {
    let loaded = RecipeLoader.parse(name: "strap.ble", Array(KeptKillTests.strap.utf8))
    let recipe = try #require(loaded.recipe)
    let air = try SimulatedAir(recipe: recipe, sources: loaded.sources, seed: 3, at: .simulationStart, isLogging: true)
    return KeptWorld(air: air, seed: 3, hold: hold, version: version, at: .simulationStart)
  }

  private func hello(_ world: KeptWorld, identity: UInt8 = 1) throws(AdapterRefusal) -> HostMeeting? {
    let host = KeeperHost(port: world.port(), version: KeptWorld.version)
    return try host.meet(
      { HostIntroduction(identity: [UInt8](repeating: identity, count: 16), name: "client") }, at: .simulationStart)
  }

  @Test func aKeeperOfAnotherVersionIsRefusedWithAFix() throws {
    let world = try world(version: "0.0.9")
    do throws(AdapterRefusal) {
      _ = try hello(world)
      Issue.record("it was let in")
    } catch {
      #expect(error.exitCode == 9)
      #expect(error.message == "this is the keeper of tooth 0.0.9, and you are tooth test")
      #expect(error.hint == "end it with tooth keeper stop; the next run starts one of its own version")
    }
  }

  /// Even two builds of one version may not understand each other.
  @Test func aKeeperOfAnotherBuildIsRefusedWithAFix() {
    let configuration = KeeperConfiguration(version: "1", adapter: "test", user: 0)
    var keeper = Keeper(configuration: configuration, seed: 1, at: .simulationStart)
    _ = keeper.handle(.arrived(ConnectionID(1), Credentials(process: 1, user: 0)), at: .simulationStart)
    var hello = ByteWriter()
    hello.put(UInt8(0))
    hello.put(KeeperLimits.revision - 1)
    hello.put(text: "1")
    let outputs = keeper.handle(.messageReceived(ConnectionID(1), hello.bytes), at: .simulationStart)
    let refusal = KeeperMessage.refused(
      .init(
        .version, "this is the keeper of another build of tooth 1",
        hint: "end it with tooth keeper stop; the next run starts one of its own version"))
    #expect(outputs.contains(.deliver(ConnectionID(1), refusal.encoded)))
  }

  /// Another process of the same run is connected: the client tries again with pauses, and the run
  /// gets a report that its keeper is lost.
  @Test func aRefusingKeeperIsRetriedAndReportedLost() throws {
    let world = try world()
    let port = world.port()
    let host = KeeperHost(port: port, version: KeptWorld.version)
    _ = try host.meet({ HostIntroduction(identity: [UInt8](repeating: 1, count: 16), name: "client") }, at: .simulationStart)
    if let connection = port.connection { world.gone(connection) }
    _ = try hello(world, identity: 1)
    var now = Instant.simulationStart
    let end = now.moment + .seconds(40)
    host.lost(at: now)
    var asked = 0
    while let due = host.nextDeadline, due < end, asked < 1000 {
      if due > now.moment { now = now + (due - now.moment) }
      asked += 1
      host.wake(at: now)
      _ = host.receive(at: now)
    }
    #expect(asked > 5 && asked < 40, "\(asked)")
    var isReported = false
    while let report = host.next(atRest: true) { if case .adapterAway = report.event { isReported = true } }
    #expect(isReported)
  }

  /// A trial whose run is killed at one moment; the events on the air during its absence vary.
  private func killedOnce(
    pause: TimeSpan, hold: TimeSpan = .minutes(10), faults: [(at: TimeSpan, order: @Sendable (SimulatedAir) -> Void)] = [],
    rest: TimeSpan = .seconds(10)
  ) throws -> KeptTrial.TrialResult {
    let trial = try KeptTrial(
      recipe: KeptKillTests.counting, devices: KeptKillTests.strap, file: "beats.csv", duration: .seconds(4))
    trial.pause = pause
    trial.hold = hold
    trial.faults = faults
    trial.rest = rest
    _ = try trial.uninterrupted()
    var result: KeptTrial.TrialResult?
    let at = trial.effects / 2
    _ = try trial.killEverywhere(at: at) {
      result = $0
      return []
    }
    return try #require(result)
  }

  private func connections(_ result: KeptTrial.TrialResult) -> Int { result.lines.count { $0.kind == "connect_ind" } }

  private func numbers(_ result: KeptTrial.TrialResult) -> [Int] {
    result.rows.dropFirst().compactMap { $0.split(separator: ",").last.flatMap { Int($0) } }
  }

  @Test func theEndOfALinkIsReportedWithItsTime() throws {
    // Away for ten seconds; the strap leaves in the third and returns in the eighth.
    let result = try killedOnce(
      pause: .seconds(20),
      faults: [
        (.seconds(5), { air in air.controller(of: "strap").map { strap in air.make { $0.vanish(strap, at: $0.now) } } }),
        (.seconds(15), { air in air.controller(of: "strap").map { strap in air.make { $0.appear(strap, at: $0.now) } } }),
      ])
    let errors = result.errors.joined()
    #expect(errors.contains("restored: lost, 0 missed"), "\(errors)")
    #expect(errors.contains("lost: out of range"), "\(errors)")
    #expect(connections(result) == 2)
    let numbers = numbers(result)
    #expect(numbers == Array(Set(numbers)).sorted())
    // Values from before it left were kept, and those after its return are there, too.
    let breaks = zip(numbers, numbers.dropFirst()).filter { $1 != $0 + 1 }
    #expect(breaks.count == 1, "\(breaks)")
  }

  @Test func afterTheHoldTimeARunContinuesAsWithoutAKeeper() throws {
    let result = try killedOnce(pause: .seconds(35), hold: .seconds(30))
    let errors = result.errors.joined()
    #expect(errors.contains("restored: lost, 0 missed"), "\(errors)")
    #expect(errors.contains("is back"), "\(errors)")
    #expect(connections(result) == 2)
    #expect(result.world.logged.contains { $0.contains("did not come back within 30s") })
  }

  @Test func aLongAbsenceReportsACountedGap() throws {
    // Ten beats a second for ten minutes: more than a keeper keeps.
    let result = try killedOnce(pause: .seconds(500), hold: .hours(1), rest: .seconds(20))
    let errors = result.errors.joined()
    let numbers = numbers(result)
    let breaks = zip(numbers, numbers.dropFirst()).filter { $1 != $0 + 1 }
    #expect(breaks.count == 1, "\(breaks)")
    let missed = breaks.first.map { $1 - $0 - 1 } ?? 0
    #expect(missed > 500)
    #expect(errors.contains("restored: kept, \(missed) missed"), "\(missed) \(errors)")
    #expect(errors.contains("gap: \(missed) values of Counting strap could not be kept"), "\(errors)")
    #expect(connections(result) == 1)
  }
}
