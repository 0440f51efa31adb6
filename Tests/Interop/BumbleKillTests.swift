import Glibc
import Judgement
import Testing

/// The real program, killed with SIGKILL at random moments, with Bumble's controllers and server.
/// The judge is that of our own air.
extension InteropTests {
  @Suite struct BumbleKillTests {
    init() { Bumble.counted() }

    static let runs = Bumble.isFull ? 24 : 5
    static let killsARun = Bumble.isFull ? 10 : 4

    /// A counting strap of Bumble's, on a link of Bumble's on which each PDU takes a while.
    private static func strap(_ traces: String) -> RealRun.Air {
      RealRun.Air(program: Bumble.python) { socket, log in
        [
          "\(Bumble.root)/Tests/Interop/peripheral.py", socket, "--log", log, "--traces", traces, "--beats", "300", "--pace", "12",
        ]
      }
    }

    private static func run(_ moments: [RealRun.Moment], _ traces: String, forgets: Bool = false) throws -> RealRun {
      try #require(
        RealRun(
          recipe: "\(Bumble.root)/Tests/Kill/recipes/count.ble", air: strap(traces), moments: moments, values: 4, forgets: forgets))
    }

    /// The attribute table that the peripheral prints at its start.
    private static func handles(_ output: String) throws -> Facts.StrapHandles {
      func handle(_ uuid: String) throws -> Int {
        let line = output.split(separator: "\n").first { $0.hasPrefix("tree characteristic ") && $0.contains(" 0x\(uuid) ") }
        return try #require(line?.split(separator: " ").dropFirst(2).first.flatMap { Int($0) })
      }
      let beat = try handle("2A37")
      return Facts.StrapHandles(beat: beat, configuration: beat + 1, control: try handle("2A39"))
    }

    private static func judge(_ reference: RealRun) throws -> Judge {
      let strap = try #require(reference.evidence(files: []).firstConnected)
      return Judge(facts: .counting(strap: strap, handles: try handles(reference.airOutput), isVirtual: false))
    }

    @Test(.timeLimit(.minutes(Bumble.isFull ? 30 : 5))) func twentyKillsLeaveNoTrace() throws {
      var dice = Dice(state: getenv("TOOTH_KILL_SEED").flatMap { UInt64(String(cString: $0)) } ?? 20_261_121)
      let traces = Traces.folder()
      let reference = try Self.run([], traces)
      RealRun.finish([reference])
      #expect(reference.failure == nil)
      let judge = try Self.judge(reference)
      let whole = reference.evidence(files: ["beats.csv"])
      #expect(judge.findings(whole) == [])
      var inDiscovery = 0
      var number = 0
      while number < Self.runs {
        var some: [RealRun] = []
        for _ in 0..<min(6, Self.runs - number) {
          number += 1
          var moments: [RealRun.Moment] = []
          for kill in 0..<Self.killsARun {
            // One kill while it starts and connects, the others after the first request: discovery
            // takes about 200 ms here.
            switch (kill + number) % 4 {
            case 0: moments.append(.init(afterLink: false, milliseconds: dice.roll(0...150)))
            case 1, 2: moments.append(.init(afterLink: true, milliseconds: dice.roll(0...250)))
            default: moments.append(.init(afterLink: true, milliseconds: dice.roll(0...1500)))
            }
          }
          some.append(try Self.run(moments, traces))
        }
        RealRun.finish(some)
        for (index, run) in some.enumerated() {
          let title = "run \(number - some.count + index + 1) against Bumble"
          #expect(run.failure == nil, "\(title)")
          let evidence = run.evidence(files: ["beats.csv"])
          #expect(evidence.lives.count == Self.killsARun + 1)
          let findings = judge.findings(evidence, uninterrupted: whole)
          #expect(findings == [], "\(title)")
          if !findings.isEmpty { keep(evidence, title, files: ["beats.csv"]) }
          inDiscovery += evidence.killsInDiscovery
        }
      }
      // Otherwise no kill hit the discovery.
      #expect(inDiscovery > 0)
    }

    /// Each process finds nothing of what the one before it left; the judge must detect that.
    @Test func findsARunThatLosesItsState() throws {
      let traces = Traces.folder()
      let whole = try Self.run([], traces)
      // By then discovery is complete and the write is done.
      let forgets = try Self.run([.init(afterLink: true, milliseconds: 2500)], traces, forgets: true)
      let remembers = try Self.run([.init(afterLink: true, milliseconds: 2500)], traces)
      RealRun.finish([whole, forgets, remembers])
      for run in [whole, forgets, remembers] { #expect(run.failure == nil) }
      let judge = try Self.judge(whole)
      let reference = whole.evidence(files: ["beats.csv"])
      #expect(judge.findings(remembers.evidence(files: ["beats.csv"]), uninterrupted: reference) == [])
      let rules = Set(judge.findings(forgets.evidence(files: ["beats.csv"]), uninterrupted: reference).map(\.rule))
      #expect(rules.isSuperset(of: [.write, .output, .discovery]))
    }

    /// The same evidence with one change in the log or the file: each change is found under its
    /// rule.
    @Test func findsPlantedLines() throws {
      let run = try Self.run([.init(afterLink: true, milliseconds: 2500)], Traces.folder())
      let reference = try Self.run([], Traces.folder())
      RealRun.finish([run, reference])
      #expect(run.failure == nil && reference.failure == nil)
      let judge = try Self.judge(reference)
      let whole = reference.evidence(files: ["beats.csv"])
      let right = run.evidence(files: ["beats.csv"])
      #expect(judge.findings(right, uninterrupted: whole) == [])
      func rules(_ change: (inout Evidence) throws -> Void) throws -> Set<Finding.Rule> {
        var evidence = right
        try change(&evidence)
        return Set(judge.findings(evidence, uninterrupted: whole).map(\.rule))
      }
      let write = try #require(right.log.first { Self.isWrite($0, judge) })
      // Moved to the end of the log, though it was written long before.
      let last = try #require(right.log.last.flatMap { AirLine($0, number: 1) })
      let end = "{\"t\":\(last.time / 1_000_000_000 + 1).0,"
      let later = end + write.drop { $0 != "," }.dropFirst()
      #expect(try rules { $0.log.append(String(later.replacing("\"sent\"", with: "\"was\""))) }.contains(.write))
      #expect(
        try rules { evidence in
          var rows = try #require(evidence.files["beats.csv"]).split(separator: "\n")
          rows.remove(at: 2)
          evidence.files["beats.csv"] = rows.joined(separator: "\n") + "\n"
        }.contains(.output))
      #expect(try rules { $0.files["beats.csv"]?.removeLast() }.contains(.output))
      #expect(try rules { $0.exitCode = 7 }.contains(.ending))
    }

    private static func isWrite(_ line: String, _ judge: Judge) -> Bool {
      guard let air = AirLine(line, number: 1), let control = judge.facts.devices.first?.writes.first else { return false }
      let message = AttributeMessage(bytes: air.bytes)
      return message.opcode == 0x12 && message.handle == control.handle
    }
  }
}

extension Evidence {
  /// The number of kills after a discovery request and before any subscription.
  var killsInDiscovery: Int {
    var asked = false
    var subscribed = false
    var count = 0
    for (index, text) in log.enumerated() {
      guard let line = AirLine(text, number: index + 1) else { continue }
      let opcode = line.bytes.first
      if line.isAttribute, opcode == 0x06 || opcode == 0x08 || opcode == 0x04 { asked = true }
      if line.isAttribute, opcode == 0x12 { subscribed = true }
      if line.kind == "host_gone" {
        if asked, !subscribed { count += 1 }
        asked = false
        subscribed = false
      }
    }
    return count
  }
}
