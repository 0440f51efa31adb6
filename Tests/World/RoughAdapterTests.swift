import Exchange
import Glibc
import Journal
import Linux
import Packets
import Recipe
import Runner
import Session
import Simulator
import Testing
import Vocabulary
import World

/// Recipes on an adapter that misbehaves: each run recovers, or ends with a specific failure and
/// the right exit code in time.
@Suite struct RoughAdapterTests {
  final class Bench {
    let playground = Playground()
    let transport: RoughTransport
    let errors = OutputPipe.collecting()
    let output = OutputPipe.collecting()
    let session: RunSession
    let loop: RunLoop

    init(_ recipe: String, devices: String = "recipes/devices/heart-rate-strap.ble", prepare: (RoughTransport) -> Void = { _ in })
      throws
    {
      let now = Instant.simulationStart
      let loaded =
        recipe.contains("\n")
        ? RecipeLoader.parse(name: "test.ble", Array(recipe.utf8)) : try RecipeLoader.load(path: "\(projectFolder)/\(recipe)")
      #expect(!loaded.hasErrors, "\(loaded.findings.map(\.message))")
      let air = try AdapterOpener.air(of: "\(projectFolder)/\(devices)", seed: 1, at: now, zone: .utc)
      transport = try RoughTransport(air: air, controller: air.addController(name: "run", at: now))
      prepare(transport)
      let console = Console(style: Console.Style(), output: output, errors: errors)
      let plan = RunPlan(
        loaded: loaded, path: loaded.name, identity: RunIdentity(owner: .path(loaded.name), inputs: []), inputs: RunInputs(),
        options: RunOptions(directory: playground.path), state: StateDirectory(path: "\(playground.path)/state"))
      let starter = try RunStarter(plan, console: console, bootID: "1", zone: .utc, at: now)
      session = try starter.session(
        RunSurroundings(transport: transport, console: console, bootID: "1", seed: 1), at: now)
      loop = RunLoop(session: session, clock: .virtual(now))
    }

    func run(for span: TimeSpan) -> RunLoop.Outcome { loop.run(until: loop.now.moment + span) }
    var said: String { errors.collected }
    var lines: Int { output.collected.split(separator: "\n").count }
    var took: TimeSpan { loop.now.moment - Instant.simulationStart.moment }

    /// The files that a failure left beside the checkpoint.
    func dump() throws -> BtsnoopFile? {
      guard let name = said.split(separator: " ").first(where: { $0.hasSuffix(".btsnoop") }) else { return nil }
      let bytes = try readFile(String(name), limit: 1 << 20)
      return try BtsnoopFile(encoded: bytes, name: "btsnoop")
    }
  }

  static let forever = "recipes/heart-rate.ble"
  /// Reads once.
  static let once = "scan for heart_rate within 20s\nconnect\nwait 3s\nread battery_level as level\nprint level\n"

  static func at(_ seconds: Int64) -> Moment { Instant.simulationStart.moment + .seconds(seconds) }

  // MARK: A long run

  enum Trouble: String, CaseIterable, Sendable {
    case garbage, garbageThatLooksLikePackets, hangUp, hangUpForAMinute, halfPacket, silence, silentForAWhile, restart,
      restartReported,
      lateAnswers,
      lostCommand,
      hardwareError, brokenEvents, everyOctetAlone
  }

  private func plan(_ trouble: Trouble, _ line: RoughTransport) {
    func once(_ does: @escaping (RoughTransport, Instant) -> Void) { line.planned.append((Self.at(20), does)) }
    switch trouble {
    case .garbage: once { line, _ in line.say([0x77, 0x00, 0x04, 0xFF]) }
    case .garbageThatLooksLikePackets:
      // An event whose length swallows the following ones, then the rest of it.
      once { line, _ in line.say([0x04, 0x3E, 0xF0, 0x02, 0x02, 0x02]) }
    case .hangUp: once { line, _ in line.hangUp() }
    case .hangUpForAMinute:
      once { line, now in
        line.closedUntil = now.moment + .minutes(1)
        line.hangUp()
      }
    case .halfPacket:
      once { line, _ in
        var cutAt: Moment?
        line.onPacket = { packet, now in
          // Then a pause, after which everything is intact again.
          if let cutAt { return now < cutAt + .seconds(2) ? [] : [(packet, .zero)] }
          if packet[0] != 2 { return [(packet, .zero)] }
          cutAt = now
          return [(Array(packet.prefix(6)), .zero)]
        }
      }
    case .silence: once { line, _ in line.onPacket = { _, _ in [] } }
    case .silentForAWhile:
      once { line, _ in line.onPacket = { packet, now in now < Self.at(100) ? [] : [(packet, .zero)] } }
    case .restart:
      // A Reset that the host did not send; its answer is lost.
      once { line, now in
        line.onPacket = { packet, now in packet.starts(with: [0x04, 0x0E]) && now == Self.at(20) ? [] : [(packet, .zero)] }
        line.air.send([0x01, 0x03, 0x0C, 0x00], from: line.controller, at: now)
      }
    case .restartReported: once { line, now in line.air.send([0x01, 0x03, 0x0C, 0x00], from: line.controller, at: now) }
    case .lateAnswers:
      line.onPacket = { packet, now in
        [(packet, packet.starts(with: [0x04, 0x0E]) && now > Self.at(20) && now < Self.at(40) ? .seconds(3) : .zero)]
      }
      once { line, _ in line.say([0x04, 0x10, 0x01, 0x01]) }
    case .lostCommand:
      var left = 1
      line.loses = { packet in
        guard packet.starts(with: [0x01, 0x01, 0x10]), left > 0, line.sent.count > 20 else { return false }
        left -= 1
        return true
      }
      once { line, _ in line.say([0x04, 0x10, 0x01, 0x01]) }
    case .hardwareError: once { line, _ in line.say([0x04, 0x10, 0x01, 0x01]) }
    case .brokenEvents: once { line, _ in for _ in 0..<100 { line.say([0x04, 0x05, 0x01, 0x00]) } }
    case .everyOctetAlone: line.onPacket = { packet, _ in packet.map { ([$0], .zero) } }
    }
  }

  @Test(arguments: Trouble.allCases) func anEndlessRunRecovers(_ trouble: Trouble) throws {
    let bench = try Bench(Self.forever) { plan(trouble, $0) }
    #expect(bench.run(for: .seconds(19)) == .timeUp)
    let before = bench.lines
    #expect(before > 10, "\(bench.said)")
    if trouble == .silence {
      // Nothing will arrive any more: this is detected and reported.
      #expect(bench.run(for: .minutes(10)) == .ended)
      #expect(bench.session.exitStatus.code == 9)
      #expect(bench.said.contains("error[T320]: the controller did not answer Reset (0x0c03) within 2s"), "\(bench.said)")
      #expect(bench.took < .minutes(8))
      let dump = try #require(try bench.dump())
      #expect(dump.records.contains { $0.isSent } && dump.records.contains { !$0.isSent })
      return
    }
    #expect(bench.run(for: .minutes(4)) == .timeUp, "\(bench.said)")
    #expect(bench.lines > before + 60, "\(bench.lines) \(bench.said)")
    // and it works at the end
    let late = bench.lines
    #expect(bench.run(for: .seconds(20)) == .timeUp)
    #expect(bench.lines >= late + 15, "\(bench.said)")
    switch trouble {
    case .halfPacket:
      #expect(bench.said.contains("6 octets of a packet of"), "\(bench.said)")
      #expect(bench.said.contains("came from the controller, and no more followed within 1s: dropped"))
    case .garbage:
      #expect(
        bench.said.contains("the controller sent something that is not an HCI packet: no packet begins with 77: it is reset"),
        "\(bench.said)")
      #expect(bench.said.contains("octets were discarded"))
      #expect(bench.said.contains("lost Strap 7: adapter reset"))
    case .hangUp, .hangUpForAMinute:
      #expect(
        bench.said.contains(
          "the adapter is gone: the line closed the connection: reopening the connection to it in 250ms"), "\(bench.said)")
      #expect(bench.said.contains("the adapter is back after"))
    case .restartReported:
      #expect(bench.said.contains("the controller has restarted: it answered a Reset that was not sent: it is reset"))
    case .brokenEvents:
      #expect(bench.said.split(separator: "\n").count < 20, "\(bench.said)")
      #expect(bench.said.contains("an HCI event could not be read"))
    case .everyOctetAlone: #expect(!bench.said.contains("warning"))
    default: break
    }
    #expect(try bench.dump() == nil)
  }

  // MARK: A short run

  @Test func aShortLossOfTheAdapterIsNotAFailure() throws {
    let bench = try Bench("wait 20s\nscan for heart_rate within 10s\nprint \"there\"\n") { line in
      line.planned.append(
        (
          Self.at(5),
          { line, now in
            line.closedUntil = now.moment + .seconds(5)
            line.hangUp()
          }
        ))
    }
    #expect(bench.run(for: .minutes(2)) == .ended)
    #expect(bench.session.exitStatus.code == 0, "\(bench.said)")
    #expect(bench.output.collected == "there\n")
  }

  @Test func aLongLossOfTheAdapterEndsTheRun() throws {
    let bench = try Bench("wait 60s\nscan for heart_rate within 10s\n") { line in
      line.planned.append(
        (
          Self.at(5),
          { line, now in
            line.closedUntil = .distantFuture
            line.hangUp()
          }
        ))
    }
    #expect(bench.run(for: .minutes(2)) == .ended)
    #expect(bench.session.exitStatus.code == 9)
    #expect(bench.took <= .seconds(16))
    #expect(bench.said.contains("error[T320]: the adapter is gone: the line closed the connection"), "\(bench.said)")
    #expect(bench.said.contains("packets of the adapter are in \(bench.playground.path)/state/"))
    #expect(try bench.dump()?.records.isEmpty == false)
  }

  /// The run has neither scanned nor connected, so nothing can be said to be missing.
  @Test(arguments: ["scan for heart_rate within 3s\n", "connect to C4:11:22:33:44:55/random within 3s\n"])
  func endingBeforeTheAdapterIsReadyIsAnAdapterFailure(recipe: String) throws {
    // It answers only Reset.
    let bench = try Bench(recipe) { line in line.loses = { !$0.starts(with: [0x01, 0x03, 0x0C]) } }
    #expect(bench.run(for: .minutes(1)) == .ended)
    #expect(bench.session.exitStatus.code == 9, "\(bench.said)")
    #expect(bench.took <= .seconds(5))
    #expect(
      bench.said.contains("error[T320]: the controller did not answer Read Local Supported Commands (0x1002) within 2s"),
      "\(bench.said)")
  }

  @Test func aShortAnswerIsNotReportedAsARefusal() throws {
    let bench = try Bench("scan for heart_rate within 3s\n") { line in
      // Only the status is left of Read BD_ADDR and similar answers; LE Set Event Mask has no more.
      line.onPacket = { packet, _ in
        [(packet.starts(with: [0x04, 0x0E]) ? [0x04, 0x0E, 4] + packet[3...5] + [0] : packet, .zero)]
      }
    }
    #expect(bench.run(for: .minutes(1)) == .ended)
    #expect(bench.session.exitStatus.code == 9, "\(bench.said)")
    #expect(
      bench.said.contains("error[T320]: the controller's answer to Read Buffer Size (0x1005) during initialisation is invalid"),
      "\(bench.said)")
  }

  @Test func aReadInFlightFailsAsAnAdapterFailure() throws {
    let bench = try Bench(Self.once) { line in
      // Everything but the first answer to the read.
      line.onPacket = { packet, now in
        if packet[0] == 2, now > Self.at(3) {
          line.planned.append((now, { line, _ in line.hangUp() }))
          return []
        }
        return [(packet, .zero)]
      }
    }
    #expect(bench.run(for: .minutes(2)) == .ended)
    #expect(bench.session.exitStatus.code == 9, "\(bench.said)")
    #expect(bench.said.contains("error[T320]: the adapter is gone: the line closed the connection"), "\(bench.said)")
    #expect(bench.took < .seconds(30))
  }

  @Test func aTryOutlivesAReset() throws {
    let text =
      "try 3 times\n  scan for heart_rate within 20s\n  connect\n  wait 3s\n  read battery_level as level\n  print level\nend\n"
    let bench = try Bench(text) { line in
      var isDone = false
      line.onPacket = { packet, now in
        if !isDone, packet[0] == 2, now > Self.at(3) {
          isDone = true
          return [([0x04, 0x10, 0x01, 0x01], .zero)]
        }
        return [(packet, .zero)]
      }
    }
    #expect(bench.run(for: .minutes(2)) == .ended)
    #expect(bench.session.exitStatus.code == 0, "\(bench.said)")
    #expect(bench.output.collected == "97\n")
  }

  enum DeadAdapter: String, CaseIterable, Sendable { case silent, garbage, closes, closesLater, deaf }

  private func corrupt(_ line: RoughTransport, _ kind: DeadAdapter) {
    switch kind {
    case .silent: line.onPacket = { _, _ in [] }
    case .deaf: line.loses = { _ in true }
    case .garbage: line.onPacket = { packet, _ in [([0x55] + packet.map { $0 ^ 0x5A }, .zero)] }
    case .closes: line.hangUp()
    case .closesLater:
      var count = 0
      line.onPacket = { packet, now in
        count += 1
        if count == 3 { line.planned.append((now, { line, _ in line.hangUp() })) }
        return [(packet, .zero)]
      }
    }
  }

  private func words(_ kind: DeadAdapter) -> String {
    switch kind {
    case .silent, .deaf, .garbage: "the controller did not answer Reset (0x0c03) within 2s"
    case .closes, .closesLater: "the adapter is gone: the line closed the connection"
    }
  }

  @Test(arguments: DeadAdapter.allCases) func anAdapterThatNeverWorksEndsTheRunSoon(_ kind: DeadAdapter) throws {
    let bench = try Bench(Self.forever) { line in corrupt(line, kind) }
    #expect(bench.run(for: .minutes(2)) == .ended)
    #expect(bench.session.exitStatus.code == 9, "\(bench.said)")
    #expect(bench.took < .seconds(10))
    #expect(bench.said.contains("error[T320]: \(words(kind))"), "\(bench.said)")
  }

  @Test(arguments: DeadAdapter.allCases) func anUnnamedAdapterIsReplacedByTheNext(_ kind: DeadAdapter) throws {
    let bench = try Bench(Self.once) { line in
      line.others = ["hci1"]
      corrupt(line, kind)
    }
    #expect(bench.run(for: .minutes(2)) == .ended)
    #expect(bench.session.exitStatus.code == 0, "\(bench.said)")
    #expect(bench.output.collected == "97\n")
    #expect(bench.said.contains("\(words(kind)): trying another adapter"), "\(bench.said)")
    #expect(bench.said.contains("hci1 is used instead"), "\(bench.said)")
  }

  @Test(arguments: DeadAdapter.allCases) func withoutAnotherAdapterTheFailureIsReported(_ kind: DeadAdapter) throws {
    let bench = try Bench(Self.forever) { line in
      line.others = []
      corrupt(line, kind)
    }
    #expect(bench.run(for: .minutes(2)) == .ended)
    #expect(bench.session.exitStatus.code == 9, "\(bench.said)")
    #expect(bench.took < .seconds(10))
    #expect(bench.said.contains("error[T320]: \(words(kind))"), "\(bench.said)")
  }

  /// Each packet of a whole run is hit once, in a random way: the run recovers, or ends with a
  /// specific failure, and never hangs.
  @Test(arguments: 0..<UInt64(environment("FULL") == "1" ? 400 : 40)) func damagedPacketsHangNoRun(_ seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let bench = try Bench(Self.once) { line in
      line.onPacket = { packet, _ in
        var packet = packet
        switch random.next() % 64 {
        case 0:
          packet[Int(random.next() % UInt64(packet.count))] ^= UInt8(truncatingIfNeeded: random.next()) | 1
        case 1: packet.removeLast(Int(random.next() % UInt64(packet.count)))
        case 2: return []
        case 3: packet += [UInt8(truncatingIfNeeded: random.next())]
        case 4: return [(packet, .milliseconds(Int64(random.next() % 5000)))]
        default: break
        }
        return [(packet, .zero)]
      }
    }
    #expect(bench.run(for: .minutes(10)) == .ended, "\(bench.said)")
    #expect([0, 5, 6, 8, 9].contains(bench.session.exitStatus.code), "\(bench.session.exitStatus.code) \(bench.said)")
  }
}
