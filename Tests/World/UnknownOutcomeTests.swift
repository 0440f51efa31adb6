import Exchange
import Glibc
import Judgement
import Packets
import Runner
import Session
import Simulator
import Testing
import Vocabulary

/// Every way in which the outcome of a write can stay unknown, with every `when unsure`, wherever
/// the write is.
///
/// The judge reads only how often the write crossed the air, the output of the recipe and its exit
/// code.
@Suite struct UnknownOutcomeTests {
  /// The device obeys and its answer never arrives; then this happens.
  enum Way: String, CaseIterable, Sendable {
    case linkLost, linkLostTwice, attTimeout, adapterReset, kill, within, tryWithin
    case attTimeoutNotDone

    var leavesLink: Bool { self == .within || self == .tryWithin }
    /// The device answers too late instead of never, and acts only when it answers.
    var isUndone: Bool { self == .attTimeoutNotDone }
  }

  enum Policy: String, CaseIterable, Sendable {
    case fail, `repeat`, verify, skip
  }

  enum Place: String, CaseIterable, Sendable {
    case body, handler, onConnect, `try`, otherwise
  }

  enum Link: String, CaseIterable, Sendable {
    /// `connect`: a lost link stays lost.
    case plain
    /// `connect when it appears`: it returns.
    case wanted
    /// The recipe waits for it, and it cannot be connected again.
    case gone
  }

  /// What is written, and how far it came: the answer to this step is the missing one.
  enum Form: String, CaseIterable, Sendable {
    case short
    /// A long value, part of which is in the device's queue.
    case prepared
    /// A long value whose execution was requested.
    case executed

    var lostReply: UInt8 {
      switch self {
      case .short: 0x13
      case .prepared: 0x17
      case .executed: 0x19
      }
    }

    var value: String { self == .short ? "u8(7)" : "hex \"\(String(repeating: "07", count: 400))\"" }

    /// The device does what was requested.
    func isDone(_ line: AirLine) -> Bool {
      guard line.isAttribute, line.delivered == true else { return false }
      return self == .short ? line.bytes.count == 4 && line.bytes[0] == 0x12 && line.bytes[3] == 7 : line.bytes == [0x18, 1]
    }

    /// The request whose answer is missing has arrived.
    func hasArrived(_ line: AirLine) -> Bool {
      self == .prepared ? line.isAttribute && line.delivered == true && line.bytes.first == 0x16 : isDone(line)
    }
  }

  struct Case: CustomStringConvertible, Sendable {
    var form = Form.short
    var way: Way
    var policy: Policy
    var place: Place
    var link: Link
    var description: String { "\(form) \(way) \(policy) \(place) \(link)" }

    static func all(_ form: Form) -> [Case] {
      var cases: [Case] = []
      for way in Way.allCases {
        if form != .short, way == .linkLostTwice { continue }
        if form == .prepared, way == .attTimeoutNotDone { continue }
        for policy in Policy.allCases {
          for place in Place.allCases {
            for link in Link.allCases {
              if way.leavesLink, link == .gone { continue }
              if way == .linkLostTwice, link != .wanted { continue }
              if place == .onConnect, link != .wanted { continue }
              if way == .tryWithin, place == .try || place == .otherwise { continue }
              cases.append(Case(form: form, way: way, policy: policy, place: place, link: link))
            }
          }
        }
      }
      return cases
    }
  }

  // MARK: What must happen

  struct Verdict: Equatable, CustomStringConvertible {
    var writes: Int
    var lines: [String]
    var code: Int32
    var description: String { "\(writes) writes, \(lines), exit code \(code)" }
  }

  /// The result of the statement: done, or a kind of failure; and how often the device got the
  /// write.
  static func statement(_ it: Case) -> (kind: String?, writes: Int) {
    if it.form == .prepared, it.way != .kill { return notExecuted(it) }
    // Nothing shows whether the killed process had requested the execution.
    if it.form == .prepared {
      switch it.policy {
      case .fail: return ("unsure", 0)
      case .skip: return (nil, 0)
      case .repeat, .verify: return it.link == .gone ? ("unreachable", 0) : (nil, 1)
      }
    }
    if it.way.leavesLink {
      switch it.policy {
      case .fail: return ("unsure", 1)
      case .skip: return (it.way == .within ? nil : "timeout", 1)
      case .repeat, .verify: return ("timeout", 1)
      }
    }
    switch it.policy {
    case .fail: return ("unsure", 1)
    case .skip: return (nil, 1)
    case .repeat, .verify:
      // A killed run makes the link of `connect` again.
      let comesBack = it.link == .wanted || it.link == .plain && it.way == .kill
      guard comesBack else { return ("unreachable", 1) }
      return (nil, it.policy == .repeat || it.way.isUndone ? 2 : 1)
    }
  }

  /// A queue that was never executed had no effect: the outcome is known, whatever the policy.
  static func notExecuted(_ it: Case) -> (kind: String?, writes: Int) {
    if it.way.leavesLink { return ("timeout", 0) }
    switch it.link {
    case .wanted: return (nil, 1)
    case .plain:
      // The following attempts find no link.
      if it.place == .try || it.place == .otherwise { return ("disconnected", 0) }
      return (it.way == .attTimeout ? "timeout" : it.way == .adapterReset ? "adapter" : "disconnected", 0)
    case .gone: return ("unreachable", 0)
    }
  }

  static func verdict(_ it: Case) -> Verdict {
    var (kind, writes) = statement(it)
    if it.place == .onConnect, !it.way.leavesLink {
      // The queue belongs to the lost link: nothing more is sent, and only `fail` reports it.
      if it.form == .prepared, it.way != .kill { return Verdict(writes: 0, lines: ["over"], code: 0) }
      writes = it.form == .prepared ? 0 : 1
      return it.policy == .fail
        ? Verdict(writes: writes, lines: ["failed unsure", "over"], code: 1) : Verdict(writes: writes, lines: ["over"], code: 0)
    }
    let code: Int32 =
      switch kind {
      case nil: 0
      case "unsure": 10
      case "timeout": 8
      case "adapter": 9
      default: 6
      }
    switch it.place {
    case .body: return Verdict(writes: writes, lines: [kind.map { "failed \($0)" } ?? "done"], code: code)
    case .handler, .onConnect:
      return Verdict(writes: writes, lines: [kind.map { "failed \($0)" } ?? "done", "over"], code: kind == nil ? 0 : 1)
    case .try, .otherwise:
      // The following attempts find no link: after `connect` it stays lost.
      if kind == "unreachable", it.link == .plain { kind = "disconnected" }
      writes = min(writes, 2)
      if it.place == .try { return Verdict(writes: writes, lines: [kind.map { "failed \($0)" } ?? "done"], code: code) }
      return Verdict(writes: writes, lines: [kind.map { "caught \($0)" } ?? "done"], code: 0)
    }
  }

  // MARK: What happens

  static func device(_ it: Case) -> String {
    """
    peripheral thing named "Thing"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read, write starts as u8(0)
      end
    \(it.way.isUndone ? "  let asked = 0\n  on write 0xFFF1\n    set asked to asked + 1\n    if asked is 1: wait 40s\n  end" : "")
    end

    """
  }

  static func recipe(_ it: Case) -> String {
    let limit = it.way == .within ? "within 5s" : "within 70s"
    var text = ["write \(it.form.value) to 0xFFF1 \(limit) when unsure \(it.policy)", "print \"done\""]
    if it.way == .tryWithin { text = ["try within 5s"] + text.map { "  \($0)" } + ["end"] }
    func indented(_ head: String, _ lines: [String]) -> [String] { [head] + lines.map { "  \($0)" } }
    let connect = ["scan for 0xFFF0", it.link == .plain ? "connect" : "connect when it appears"]
    let failures = ["on failure as p: print \"failed {p.kind}\""]
    switch it.place {
    case .body: text = failures + connect + text
    case .handler: text = failures + indented("after 2s", text) + ["end"] + connect + ["wait 3min", "print \"over\""]
    case .onConnect:
      text =
        ["let tried = 0"] + failures
        + indented("on connect", indented("if tried is 0", ["set tried to 1"] + text) + ["end"]) + ["end"] + connect
        + ["wait 3min", "print \"over\""]
    case .try: text = failures + connect + indented("try 3 times", text) + ["end"]
    case .otherwise:
      text =
        failures + connect + indented("try 3 times", text) + indented("otherwise as p", ["print \"caught {p.kind}\""]) + ["end"]
    }
    return text.joined(separator: "\n") + "\n"
  }

  /// How often the device did what was requested.
  static func writes(_ form: Form, in log: [AirLine]) -> Int { log.count(where: form.isDone) }

  static func outcome(_ it: Case) throws -> Verdict {
    let fixture = try Fixture(recipe: recipe(it), devices: device(it), mtu: it.form == .short ? 517 : 247)
    let air = fixture.world.air
    let thing = try #require(air.controller(of: "thing"))
    if !it.way.isUndone { air.make { $0.loseNextReply(thing, opcode: it.form.lostReply, then: .silence, at: $0.now) } }
    try fixture.start()
    var log: [AirLine] = []
    var hasEnded = false
    func run(_ span: TimeSpan, until isMet: () -> Bool = { false }) {
      let end = fixture.world.now + span
      while !hasEnded, fixture.world.now.moment < end.moment, !isMet() {
        hasEnded = fixture.world.run(for: .milliseconds(50)) == .ended
        for record in air.takeLog() { AirLine(record.line, number: log.count).map { log.append($0) } }
      }
    }
    run(.seconds(20)) { log.contains(where: it.form.hasArrived) }
    if it.link == .gone {
      air.make { $0.failNextConnections(thing, count: 1_000_000, at: $0.now) }
    }
    switch it.way {
    case .linkLost: air.make { $0.drop(thing, atOnce: true, at: $0.now) }
    case .linkLostTwice:
      // The second link is lost under the first request that it carries.
      air.make { air in
        air.drop(thing, atOnce: true, at: air.now)
        air.loseNextReply(thing, opcode: it.policy == .verify ? 0x0B : 0x13, then: .linkDrops, at: air.now)
      }
    case .adapterReset:
      let controller = fixture.world.controller
      air.make { $0.hardwareError(controller, code: 1, at: $0.now) }
    case .kill:
      fixture.world.drop()
      fixture.world.wait(.seconds(2))
      try fixture.start()
    case .attTimeout, .attTimeoutNotDone, .within, .tryWithin: break
    }
    run(.minutes(6))
    #expect(hasEnded, "\(it) does not end: \(fixture.errors)")
    return Verdict(
      writes: writes(it.form, in: log), lines: fixture.output.split(separator: "\n").map(String.init),
      code: fixture.world.session?.exitStatus.code ?? -1)
  }

  /// A third of the table, with fewer of the long values; the whole with `FULL=1`.
  static let cases = Form.allCases.flatMap { form in
    let all = Case.all(form)
    let step = getenv("FULL") != nil ? 1 : form == .short ? 3 : 11
    return all.enumerated().filter { $0.offset % step == 0 }.map(\.element)
  }

  @Test(arguments: cases) func unknownOutcomesFollowThePolicy(_ it: Case) throws {
    var expected = Self.verdict(it)
    if it.way == .linkLostTwice, it.policy == .repeat, it.place != .onConnect { expected.writes = 3 }
    let found = try Self.outcome(it)
    #expect(found == expected, "\(it): \(found) instead of \(expected)")
  }

  // MARK: Without response

  /// There is no answer to lose: it counts as done once it was sent, and is never sent again.
  @Test(arguments: Place.allCases) func writesWithoutResponseAreNeverRepeated(_ place: Place) throws {
    for way in [Way.linkLost, .adapterReset, .kill] {
      for side in [EffectPoint.Side.before, .after] where way == .kill || side == .after {
        for link in [Link.plain, .wanted] where place != .onConnect || link == .wanted {
          let it = Case(way: way, policy: .skip, place: place, link: link)
          let text = Self.recipe(it).split(separator: "\n").map { line in
            line.contains("write ") ? "\(line.prefix { $0 == " " })write u8(7) to 0xFFF1 without response" : String(line)
          }
          let fixture = try Fixture(
            recipe: text.joined(separator: "\n") + "\n",
            devices: """
              peripheral thing named "Thing"
                advertise 0xFFF0 every 100ms
                service 0xFFF0
                  characteristic 0xFFF1 can read, write without response starts as u8(0)
                end
              end

              """)
          let air = fixture.world.air
          let thing = try #require(air.controller(of: "thing"))
          func isCommand(_ point: EffectPoint) -> Bool {
            guard point.side == side, case .packet(let bytes) = point.kind else { return false }
            return bytes.count == 13 && bytes[9] == 0x52 && bytes[12] == 7
          }
          try fixture.start { point in way == .kill && isCommand(point) ? .kill : .goOn }
          var log: [AirLine] = []
          var hasEnded = false
          func run(_ span: TimeSpan, until isMet: () -> Bool = { false }) {
            let end = fixture.world.now + span
            while !hasEnded, fixture.world.now.moment < end.moment, !isMet() {
              hasEnded = [.ended, .killed].contains(fixture.world.run(for: .milliseconds(50)))
              for record in air.takeLog() { AirLine(record.line, number: log.count).map { log.append($0) } }
            }
          }
          func written() -> Int { log.count { $0.isAttribute && $0.delivered == true && $0.bytes.first == 0x52 } }
          run(.seconds(20)) { written() > 0 }
          switch way {
          case .linkLost: air.make { $0.drop(thing, atOnce: true, at: $0.now) }
          case .adapterReset:
            let controller = fixture.world.controller
            air.make { $0.hardwareError(controller, code: 1, at: $0.now) }
          default:
            fixture.world.drop()
            fixture.world.wait(.seconds(2))
            hasEnded = false
            try fixture.start()
          }
          run(.minutes(6))
          let told: Comment = "\(it) \(side): \(written()) writes, \(fixture.output) \(fixture.errors)"
          // Killed before it was sent, it may be lost: `skip` means at most once.
          #expect(written() <= 1 && (written() == 1 || side == .before), told)
          #expect(hasEnded && fixture.world.session?.exitStatus.code == 0, told)
          if place != .onConnect { #expect(fixture.output.hasPrefix("done\n"), told) }
        }
      }
    }
  }

  // MARK: In a branch that is cancelled

  /// The device obeys, its answer never arrives, and another branch leaves. Only `fail` reports it.
  @Test(arguments: Policy.allCases) func aCancelledWriteFollowsItsPolicy(_ policy: Policy) throws {
    for place in [Place.body, .handler] {
      let it = Case(way: .within, policy: policy, place: place, link: .plain)
      var text = """
        for each n in [1, 2] at once
          if n is 1
            write u8(7) to 0xFFF1 within 70s when unsure \(policy)
            print "done"
          else
            wait 5s
            leave
          end
        end
        print "left"

        """
      let failures = "on failure as p: print \"failed {p.kind}\"\n"
      let connect = "scan for 0xFFF0\nconnect\n"
      text = place == .body ? failures + connect + text : failures + "after 2s\n\(text)end\n\(connect)wait 3min\n"
      let fixture = try Fixture(recipe: text, devices: Self.device(it))
      let air = fixture.world.air
      let thing = try #require(air.controller(of: "thing"))
      air.make { $0.loseNextReply(thing, opcode: 0x13, then: .silence, at: $0.now) }
      try fixture.start()
      #expect(fixture.world.run(for: .minutes(6)) == .ended, "\(it)")
      let log = fixture.world.air.takeLog().enumerated().compactMap { AirLine($1.line, number: $0) }
      #expect(Self.writes(.short, in: log) == 1, "\(it): \(fixture.output)")
      let lines = Set(fixture.output.split(separator: "\n").map(String.init))
      #expect(lines == (policy == .fail ? ["failed unsure", "left"] : ["left"]), "\(it): \(fixture.output)")
      #expect(fixture.world.session?.exitStatus.code == (policy == .fail ? 1 : 0), "\(it): \(fixture.errors)")
    }
  }

  // MARK: After a request that hangs

  /// The device takes 8 s for its first write: a queued request whose time is over was never sent.
  @Test(arguments: [
    "write u8(8) to 0xFFF1 within 2s", "write u8(8) to 0xFFF1 within 2s when unsure skip",
    "try within 2s\n    write u8(8) to 0xFFF1\n  end",
  ])
  func unsentWritesAreNotUnsure(_ statement: String) throws {
    let fixture = try Fixture(
      recipe: """
        scan for 0xFFF0
        connect
        try
          write u8(7) to 0xFFF1 within 2s
        otherwise as p
          print p.kind
        end
        try
          \(statement)
        otherwise as p
          print p.kind
        end
        write u8(9) to 0xFFF1 within 20s
        print "done"
        """,
      devices: """
        peripheral thing named "Thing"
          advertise 0xFFF0 every 100ms
          service 0xFFF0
            characteristic 0xFFF1 can read, write starts as u8(0)
          end
          let asked = 0
          on write 0xFFF1
            set asked to asked + 1
            if asked is 1: wait 8s
          end
        end

        """)
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(1)) == .ended)
    #expect(fixture.output == "unsure\ntimeout\ndone\n")
    let log = fixture.world.air.takeLog().enumerated().compactMap { AirLine($1.line, number: $0) }
    let written = log.filter { $0.isAttribute && $0.bytes.count == 4 && $0.bytes[0] == 0x12 }.map { $0.bytes[3] }
    #expect(written == [7, 9])
    #expect(fixture.errors.contains("came for a cancelled operation and is dropped"))
  }

  /// `on disconnect` runs before the failures that the loss causes.
  @Test func onDisconnectPrecedesTheFailure() throws {
    let fixture = try Fixture(
      recipe: """
        on disconnect: print "gone"
        on failure as p: print "failed {p.kind}"
        let tried = 0
        on connect
          if tried is 0
            set tried to 1
            write u8(7) to 0xFFF1 within 1min
          end
        end
        scan for 0xFFF0
        connect when it appears
        wait 2min
        """, devices: Self.device(Case(way: .attTimeout, policy: .fail, place: .onConnect, link: .wanted)))
    let air = fixture.world.air
    let thing = try #require(air.controller(of: "thing"))
    air.make { $0.loseNextReply(thing, opcode: 0x13, then: .silence, at: $0.now) }
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(3)) == .ended)
    #expect(fixture.output == "gone\nfailed unsure\n")
  }

  @Test(
    arguments: [
      (Failure.Layer.os, "Lamp", "the program may have done its work"),
      (Failure.Layer.att, "Lamp", "it may have reached the device"),
      (Failure.Layer.att, nil, "it may have been done"),
    ] as [(Failure.Layer, String?, String)])
  func anUnsureProgramIsNotReportedAsADevice(layer: Failure.Layer, device: String?, note: String) {
    let failure = Failure(.unsure, "nobody knows", blame: .recipe, layer: layer, delivered: .maybe)
    let report = FailureReport(failure: failure, range: .none, device: device, attempts: 1, ends: true)
    #expect(FailureText.finding(report, line: 1).notes == [note])
  }
}
