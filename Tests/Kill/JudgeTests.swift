import Judgement
import Testing

/// Tests of the judge: correct logs pass, and each planted defect is found under its rule.
struct JudgeTests {
  /// Beats 1 to 6 without a kill.
  static let whole: Evidence = {
    var builder = LogBuilder()
    builder.connect()
    builder.discover()
    builder.subscribe()
    builder.ask(LogBuilder.readHash)
    builder.write()
    for number in 1...6 { builder.beat(UInt8(number)) }
    builder.end()
    return Evidence(
      log: builder.lines, lives: [.init(output: LogBuilder.output(1...6, counted: 6))],
      files: ["beats.csv": LogBuilder.file([1, 2, 3, 4, 5, 6])],
      exitCode: 0)
  }()

  /// Beats 1 and 2, a kill, beats 5 and 6, after discovery was complete.
  static func killedBetweenBeats(hash: Bool = true, _ change: (inout LogBuilder) -> Void = { _ in }) -> Evidence {
    var builder = LogBuilder()
    builder.connect()
    builder.discover()
    builder.subscribe()
    if hash { builder.ask(LogBuilder.readHash) }
    builder.write()
    builder.beat(1)
    builder.beat(2)
    builder.pass(10)
    builder.kill()
    builder.connect()
    builder.ask(hash ? LogBuilder.readHash : LogBuilder.findDescriptor)
    builder.subscribe()
    change(&builder)
    builder.beat(5)
    builder.beat(6)
    builder.end()
    return Evidence(
      log: builder.lines, lives: [.init(output: LogBuilder.output(1...2)), .init(output: LogBuilder.output(5...6, counted: 4))],
      files: ["beats.csv": LogBuilder.file([1, 2, 5, 6])], exitCode: 0)
  }

  func rules(_ evidence: Evidence, _ facts: Facts = LogBuilder.facts()) -> [Finding.Rule] {
    Judge(facts: facts).findings(evidence, uninterrupted: Self.whole).map(\.rule)
  }

  @Test func anUninterruptedRunIsCorrect() {
    #expect(Judge(facts: LogBuilder.facts()).findings(Self.whole, uninterrupted: Self.whole) == [])
  }

  @Test(arguments: [true, false]) func aKilledRunThatContinuesIsCorrect(hash: Bool) {
    let findings = Judge(facts: LogBuilder.facts()).findings(Self.killedBetweenBeats(hash: hash), uninterrupted: Self.whole)
    #expect(findings == [])
  }

  @Test func theLastLineMayRepeatAfterAKill() {
    var evidence = Self.killedBetweenBeats()
    evidence.lives[1].output = "2 bpm\n" + evidence.lives[1].output
    #expect(rules(evidence) == [])
    evidence.lives[1].output = "2 bpm\n" + evidence.lives[1].output
    #expect(rules(evidence) == [.output])
  }

  @Test func anEarlierLineMayNotRepeat() {
    var evidence = Self.killedBetweenBeats()
    evidence.lives[1].output = "1 bpm\n" + evidence.lives[1].output
    #expect(rules(evidence) == [.output])
  }

  @Test(arguments: [
    ("a line twice", LogBuilder.output(1...2) + "2 bpm\n"), ("a line too few", LogBuilder.output(1...1)),
    ("half a line", LogBuilder.output(1...1) + "2 b"),
    ("a line without its end", LogBuilder.output(1...1) + "2 bpm"), ("lines in another order", "2 bpm\n1 bpm\n"),
    ("a line of nothing", LogBuilder.output(1...2) + "3 bpm\n"),
  ])
  func linesAreThoseOfTheNotifications(name: String, output: String) {
    var evidence = Self.killedBetweenBeats()
    evidence.lives[0].output = output
    #expect(rules(evidence).contains(.output), "\(name)")
  }

  @Test(arguments: [
    ("a row twice", LogBuilder.file([1, 2, 2, 5, 6])), ("a row too few", LogBuilder.file([1, 5, 6])),
    ("the last row too few", LogBuilder.file([1, 2, 5])),
    ("rows in another order", LogBuilder.file([2, 1, 5, 6])), ("half a row", LogBuilder.file([1, 2, 5, 6]) + "2026-0"),
    ("half a row inside", "time,bpm\n2026-01-01T00:00:01Z,1\n2026-01-012026-01-01T00:00:02Z,2,\n"),
    ("no header", "2026-01-01T00:00:01Z,1\n"),
    ("a header twice", LogBuilder.file([1, 2]) + LogBuilder.file([5, 6])),
  ])
  func rowsAreThoseOfTheNotifications(name: String, file: String) {
    var evidence = Self.killedBetweenBeats()
    evidence.files["beats.csv"] = file
    #expect(rules(evidence).contains(.output), "\(name)")
  }

  @Test func aFileThatIsMissingIsFound() {
    var evidence = Self.killedBetweenBeats()
    evidence.files = [:]
    #expect(rules(evidence).contains(.output))
  }

  @Test func valuesAtTheInstantOfTheKillMayBeLost() {
    var builder = LogBuilder()
    builder.connect()
    builder.discover()
    builder.subscribe()
    builder.ask(LogBuilder.readHash)
    builder.write()
    builder.beat(1)
    builder.beat(2)
    builder.kill()
    builder.connect()
    builder.ask(LogBuilder.readHash)
    builder.subscribe()
    builder.beat(5)
    builder.end()
    var evidence = Evidence(
      log: builder.lines, lives: [.init(output: LogBuilder.output(1...1)), .init(output: LogBuilder.output(5...5, counted: 2))],
      files: ["beats.csv": LogBuilder.file([1, 5])], exitCode: 0)
    #expect(rules(evidence) == [])
    evidence.lives[0].output = LogBuilder.output(1...2)
    #expect(rules(evidence) == [.output], "its row is missing, and its line is there")
    evidence.files["beats.csv"] = LogBuilder.file([1, 2, 5])
    evidence.lives[1].output = LogBuilder.output(5...5, counted: 3)
    #expect(rules(evidence) == [])
  }

  @Test func withARealClockTwoValuesMayBeLost() {
    var facts = LogBuilder.facts()
    facts.isVirtual = false
    var evidence = Self.killedBetweenBeats()
    evidence.lives = [.init(output: ""), .init(output: LogBuilder.output(5...6, counted: 2))]
    evidence.files["beats.csv"] = LogBuilder.file([5, 6])
    #expect(rules(evidence, facts) == [])
    #expect(rules(evidence).contains(.output))
  }

  @Test func aValueThatNeverReachedTheHostIsNotMissed() {
    let evidence = Self.killedBetweenBeats { builder in
      builder.beat(3, toHost: false)
      builder.beat(4, delivered: false)
      builder.add("supervision_timeout", from: LogBuilder.host, to: LogBuilder.strap, link: builder.link)
    }
    #expect(rules(evidence) == [])
  }

  @Test func aGapWithoutACauseIsFound() {
    var builder = LogBuilder()
    builder.connect()
    builder.discover()
    builder.subscribe()
    builder.write()
    builder.beat(1)
    builder.beat(3)
    builder.end()
    let evidence = Evidence(
      log: builder.lines, lives: [.init(output: "1 bpm\n3 bpm\ncounted 2\n")], files: ["beats.csv": LogBuilder.file([1, 3])],
      exitCode: 0)
    #expect(rules(evidence) == [.output])
  }

  @Test func aWrongCountIsFound() {
    var evidence = Self.killedBetweenBeats()
    evidence.lives[1].output = LogBuilder.output(5...6, counted: 5)
    #expect(rules(evidence) == [.ending])
  }

  @Test func anotherExitCodeIsFound() {
    var evidence = Self.killedBetweenBeats()
    evidence.exitCode = 1
    #expect(rules(evidence) == [.ending])
  }

  @Test func theExitCodeMayReportUnsure() {
    var evidence = Self.killedBetweenBeats()
    evidence.exitCode = 10
    #expect(rules(evidence) == [])
    #expect(rules(evidence, LogBuilder.facts(policy: .skip)) == [.ending])
  }

  @Test func findsADuplicateWrite() {
    let evidence = Self.killedBetweenBeats { $0.write() }
    #expect(rules(evidence) == [.write])
    #expect(rules(evidence, LogBuilder.facts(policy: .verify)) == [.write])
    #expect(rules(evidence, LogBuilder.facts(policy: .skip)) == [.write])
    #expect(rules(evidence, LogBuilder.facts(policy: .repeat)) == [])
  }

  @Test func aWriteCommandCountsAsAWriteToo() {
    #expect(rules(Self.killedBetweenBeats { $0.acl([0x52, 0x0F, 0, 1], fromHost: true) }) == [.write])
  }

  @Test func anExecutedLongWriteCountsOnce() {
    let evidence = Self.killedBetweenBeats { builder in
      builder.ask([0x16, 0x0F, 0, 0, 0, 1], [0x17, 0x0F, 0, 0, 0, 1])
      builder.ask([0x18, 1], [0x19])
    }
    #expect(rules(evidence) == [.write])
    let given = Self.killedBetweenBeats { builder in
      builder.ask([0x16, 0x0F, 0, 0, 0, 1], [0x17, 0x0F, 0, 0, 0, 1])
      builder.ask([0x18, 0], [0x19])
    }
    #expect(rules(given) == [])
  }

  @Test func aWriteThatWasLostOnTheAirDoesNotCount() {
    #expect(rules(Self.killedBetweenBeats { $0.acl([0x12, 0x0F, 0, 1], fromHost: true, delivered: false) }) == [])
  }

  @Test func anotherValueIsFound() {
    var facts = LogBuilder.facts()
    facts.devices[0].writes[0].value = [2]
    #expect(rules(Self.killedBetweenBeats(), facts) == [.write])
  }

  /// A run whose write was never sent.
  static let unwritten: Evidence = {
    var evidence = killedBetweenBeats()
    evidence.log = evidence.log.filter { !$0.contains("\"120f0001\"") && !$0.contains("\"bytes\":\"13\"") }
    return evidence
  }()

  @Test(arguments: [Facts.Policy.fail, .repeat, .verify]) func findsAMissingWrite(policy: Facts.Policy) {
    #expect(rules(Self.unwritten, LogBuilder.facts(policy: policy)).contains(.write))
  }

  @Test func aMissingWriteMayBeSkippedOrUnsure() {
    #expect(!rules(Self.unwritten, LogBuilder.facts(policy: .skip)).contains(.write))
    var told = Self.unwritten
    told.lives[1].errors = "error: the write's outcome is unknown (unsure)\n"
    #expect(!rules(told).contains(.write))
  }

  @Test func eachOccasionHasItsOwnWrite() {
    var facts = LogBuilder.facts()
    facts.devices[0].writes[0].occasions = [0, 6_000_000_000]
    var twiceLate = LogBuilder()
    twiceLate.connect()
    twiceLate.discover()
    for number in 1...6 { twiceLate.beat(UInt8(number)) }
    twiceLate.write()
    twiceLate.write()
    twiceLate.end()
    var evidence = Self.whole
    evidence.log = twiceLate.lines
    let texts = Judge(facts: facts).findings(evidence).filter { $0.rule == .write }.map(\.text)
    #expect(texts.count == 2)
    #expect(texts.contains { $0.contains("occasion 1 was never written") })
    #expect(texts.contains { $0.contains("occasion 2 was written 2 times") })
  }

  @Test func aForgottenSubscriptionIsFound() {
    var evidence = Self.killedBetweenBeats()
    let last = evidence.log.lastIndex { $0.contains("\"120d000100\"") } ?? 0
    evidence.log[last] = evidence.log[last].replacing("120d000100", with: "120d000000")
    #expect(rules(evidence) == [.ending])
    evidence.log.removeSubrange(last...last + 1)
    #expect(rules(evidence) == [.ending])
  }

  @Test func discoveryThatStartsOverIsFound() {
    let evidence = Self.killedBetweenBeats(hash: false) { $0.discover() }
    #expect(rules(evidence, LogBuilder.facts()) == [.discovery])
    let cunning = Self.killedBetweenBeats(hash: false) { builder in
      // The same requests over other ranges.
      builder.ask([0x08, 0x0A, 0, 0x0E, 0, 0x03, 0x28], LogBuilder.findCharacteristic.1)
      builder.ask([0x04, 0x0D, 0, 0x0E, 0], LogBuilder.findDescriptor.1)
    }
    #expect(rules(cunning, LogBuilder.facts()) == [.discovery])
  }

  @Test func withAHashNothingIsRequestedAgain() {
    let evidence = Self.killedBetweenBeats { $0.ask(LogBuilder.findDescriptor) }
    #expect(rules(evidence) == [.discovery])
  }

  @Test func aDeclarationMayBeReadBeforeItsFirstWrite() {
    let evidence = Self.killedBetweenBeats { builder in
      builder.ask([0x08, 0x0B, 0, 0x0B, 0, 0x03, 0x28], [0x09, 7, 0x0B, 0, 0x10, 0x0C, 0, 0x37, 0x2A])
      builder.subscribe()
    }
    #expect(rules(evidence) == [])
    let without = Self.killedBetweenBeats { builder in
      builder.ask([0x08, 0x0B, 0, 0x0B, 0, 0x03, 0x28], [0x09, 7, 0x0B, 0, 0x10, 0x0C, 0, 0x37, 0x2A])
    }
    #expect(rules(without) == [.discovery])
  }

  /// Killed after some discovery requests were answered.
  func killedInDiscovery(_ first: [([UInt8], [UInt8])], inFlight: [UInt8]? = nil, then second: [([UInt8], [UInt8])]) -> Evidence {
    var builder = LogBuilder()
    builder.connect()
    for pair in first { builder.ask(pair) }
    if let inFlight { builder.acl(inFlight, fromHost: true) }
    builder.pass(10)
    builder.kill()
    builder.connect()
    for pair in second { builder.ask(pair) }
    builder.subscribe()
    builder.write()
    builder.beat(1)
    builder.end()
    return Evidence(
      log: builder.lines, lives: [.init(output: ""), .init(output: LogBuilder.output(1...1, counted: 1))],
      files: ["beats.csv": LogBuilder.file([1])], exitCode: 0)
  }

  @Test func discoveryContinuesWhereItStopped() {
    let (service, characteristic, descriptor) = (LogBuilder.findService, LogBuilder.findCharacteristic, LogBuilder.findDescriptor)
    let facts = LogBuilder.facts()
    // The pending request is sent again, after the probe.
    #expect(
      rules(killedInDiscovery([service, characteristic], inFlight: descriptor.0, then: [characteristic, descriptor]), facts) == [])
    #expect(rules(killedInDiscovery([service], inFlight: characteristic.0, then: [characteristic, descriptor]), facts) == [])
    // The only answered request is the probe, at the first handle.
    #expect(rules(killedInDiscovery([service], then: [service, characteristic, descriptor]), facts) == [])
    // Nothing was answered, so everything is requested.
    #expect(rules(killedInDiscovery([], inFlight: service.0, then: [service, characteristic, descriptor]), facts) == [])
    // From the start, although it was further.
    #expect(
      rules(killedInDiscovery([service, characteristic], then: [service, characteristic, descriptor]), facts) == [
        .discovery, .discovery,
      ])
    #expect(rules(killedInDiscovery([service, characteristic], then: [service, descriptor]), facts) == [.discovery])
    // With another procedure.
    let groups: ([UInt8], [UInt8]) = ([0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28], [0x11, 6, 0x0A, 0, 0x0F, 0, 0x0D, 0x18])
    #expect(rules(killedInDiscovery([service, characteristic], then: [groups, descriptor]), facts) == [.discovery])
  }

  @Test func anAnswerInTheInstantOfTheKillMayBeUnknown() {
    var builder = LogBuilder()
    builder.connect()
    builder.ask(LogBuilder.findService)
    builder.ask(LogBuilder.findCharacteristic)
    builder.kill()
    builder.connect()
    builder.ask(LogBuilder.findService)
    builder.ask(LogBuilder.findCharacteristic)
    builder.ask(LogBuilder.findDescriptor)
    builder.subscribe()
    builder.write()
    builder.end()
    let evidence = Evidence(
      log: builder.lines, lives: [.init(output: ""), .init(output: "counted 0\n")], files: ["beats.csv": LogBuilder.file([])],
      exitCode: 0)
    #expect(rules(evidence, LogBuilder.facts()) == [])
  }

  @Test func aHostThatDoesNotWaitForAnswersIsFound() {
    let evidence = Self.killedBetweenBeats { builder in
      builder.acl([0x0A, 0x0C, 0], fromHost: true)
      builder.acl([0x0A, 0x0C, 0], fromHost: true)
    }
    #expect(rules(evidence) == [.log])
  }

  @Test func aViolationIsFound() {
    let evidence = Self.killedBetweenBeats {
      $0.add("violation", from: LogBuilder.host, rest: ",\"note\":\"more packets than credits\"")
    }
    #expect(rules(evidence) == [.log])
  }

  @Test func aLogThatCannotBeReadIsFound() {
    var evidence = Self.whole
    evidence.log.append("{\"t\":1,")
    #expect(rules(evidence) == [.log])
    evidence = Self.killedBetweenBeats()
    evidence.lives.removeLast()
    #expect(rules(evidence).contains(.log))
  }

  @Test func findsALifeWithoutItsContinuationLine() {
    var facts = LogBuilder.facts()
    facts.output.announcesContinuation = { $0.contains("continues at line") }
    var evidence = Self.killedBetweenBeats()
    #expect(rules(evidence, facts) == [.output])
    evidence.lives[1].errors = "resumed\nheart.ble continues at line 5\n"
    #expect(rules(evidence, facts) == [])
  }
}
