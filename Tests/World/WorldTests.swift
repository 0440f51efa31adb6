import Journal
import Linux
import Runner
import Session
import Testing
import Vocabulary

@Suite struct WorldTests {
  @Test func theThermometerIsReadOnce() throws {
    let fixture = try Fixture(recipe: "recipes/thermometer.ble", devices: "recipes/devices/thermometer.ble")
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(1)) == .ended)
    #expect(fixture.world.session?.exitStatus.code == 0)
    #expect(fixture.output.contains("sensor=Room 3 celsius=21.3"))
    #expect(fixture.errors == "")
  }

  @Test func tooWarmIsExitCode20() throws {
    let fixture = try Fixture(
      recipe: "recipes/thermometer.ble", devices: "recipes/devices/thermometer.ble", inputs: [("limit", "20")])
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(1)) == .ended)
    #expect(fixture.world.session?.exitStatus.code == 20)
  }

  @Test func nothingFoundIsExitCode5() throws {
    let fixture = try Fixture(recipe: "recipes/thermometer.ble", devices: "recipes/devices/valve.ble")
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(1)) == .ended)
    #expect(fixture.world.session?.exitStatus.code == 5)
    #expect(fixture.errors.contains("error[T301]"))
  }

  @Test func everyBeatIsWrittenDown() throws {
    let fixture = try Fixture(recipe: "recipes/heart-rate.ble", devices: "recipes/devices/heart-rate-strap.ble")
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(2)) == .timeUp)
    let rows = (fixture.playground.content("beats.csv") ?? "").split(separator: "\n")
    #expect(rows.first == "time,bpm,number")
    let numbers = rows.dropFirst().compactMap { $0.split(separator: ",").last.flatMap { Int($0) } }
    #expect(numbers.count > 110)
    #expect(numbers == Array((numbers.first ?? 0)..<(numbers.first ?? 0) + numbers.count))
    #expect(fixture.output.split(separator: "\n").count == numbers.count)
  }

  @Test func theSameSeedGivesTheSameRun() throws {
    func log(_ seed: UInt64) throws -> [String] {
      let fixture = try Fixture(recipe: "recipes/heart-rate.ble", devices: "recipes/devices/heart-rate-strap.ble", seed: seed)
      try fixture.start()
      _ = fixture.world.run(for: .seconds(20))
      return fixture.world.air.takeLog().map(\.line)
    }
    let first = try log(7)
    #expect(first.count > 20)
    #expect(try log(7) == first)
    #expect(try log(8) != first)
  }

  @Test func jsonLinesHaveTimeDeviceAndLine() throws {
    let fixture = try Fixture(recipe: "recipes/thermometer.ble", devices: "recipes/devices/thermometer.ble", format: .json)
    try fixture.start()
    _ = fixture.world.run(for: .minutes(1))
    let lines = fixture.output.split(separator: "\n")
    #expect(lines.allSatisfy { $0.hasPrefix("{\"time\":\"2026-01-01T00:00:") && $0.hasSuffix("}") })
    #expect(lines.last?.contains("\"device\":\"Room 3\",\"line\":13,\"value\":{") == true)
    #expect(!lines.contains { $0.contains("\"event\":") })
  }

  @Test func recordsAsCSVHaveOneHeader() throws {
    let fixture = try Fixture(
      recipe: "print {a: 1, b: \"x,y\"}\nprint {a: 2, b: 3}\nprint {a: 4}\nwait 1s\n", devices: "recipes/devices/valve.ble",
      format: .csv)
    try fixture.start()
    _ = fixture.world.run(for: .minutes(1))
    #expect(fixture.output == "a,b\n1,\"x,y\"\n2,3\n4,\n")
    #expect(fixture.errors.contains("this record has no b"))
  }

  @Test func aSecondStartIsRefused() throws {
    let fixture = try Fixture(recipe: "recipes/heart-rate.ble", devices: "recipes/devices/heart-rate-strap.ble")
    let store = try {
      let plan = fixture.plan()
      try plan.state?.make()
      return try RunStore(RunID(try #require(plan.identity)), in: try #require(plan.state))
    }()
    do {
      try fixture.start()
      Issue.record("it started")
    } catch {
      guard case .journal(let failure) = error as? StartRefusal, case .locked = failure.kind else {
        Issue.record("\(error)")
        return
      }
    }
    withExtendedLifetime(store) {}
  }

  // MARK: How the last run ended decides what the next one does

  func ended(by reason: StopReason?, devices: String = "recipes/devices/heart-rate-strap.ble") throws -> Fixture {
    let fixture = try Fixture(recipe: "recipes/heart-rate.ble", devices: devices)
    try fixture.start()
    _ = fixture.world.run(for: .seconds(10))
    if let reason {
      fixture.world.stop(reason)
      #expect(fixture.world.run(for: .seconds(20)) == .ended)
    }
    fixture.world.drop()
    fixture.world.wait(.seconds(2))
    return fixture
  }

  @Test func aKilledRunContinues() throws {
    let fixture = try ended(by: nil)
    try fixture.start()
    _ = fixture.world.run(for: .seconds(20))
    #expect(fixture.lastErrors.contains("continues at line"))
    #expect(fixture.lastErrors.contains("(killed 2s ago)"))
    #expect(fixture.lastErrors.contains("Strap 7 is back after"))
  }

  @Test func aTerminatedRunContinues() throws {
    let fixture = try ended(by: .terminated)
    try fixture.start()
    _ = fixture.world.run(for: .seconds(20))
    #expect(fixture.lastErrors.contains("(stopped"))
    #expect(fixture.lastErrors.contains("continues at line"))
  }

  @Test func anInterruptedRunRestartsUnlessResumed() throws {
    let fixture = try ended(by: .interrupted)
    var plan = fixture.plan()
    plan.isResume = true
    try fixture.start(plan)
    _ = fixture.world.run(for: .seconds(20))
    #expect(fixture.lastErrors.contains("continues at line"))
    fixture.world.stop(.interrupted)
    _ = fixture.world.run(for: .seconds(20))
    try fixture.start()
    #expect(!fixture.lastErrors.contains("goes on"))
  }

  @Test func freshMeansFresh() throws {
    let fixture = try ended(by: nil)
    var plan = fixture.plan()
    plan.isFresh = true
    try fixture.start(plan)
    #expect(!fixture.lastErrors.contains("goes on"))
  }

  /// Advertises once every 10 s, because a day of a strap's advertising takes a minute to simulate.
  private static let quietDevice = "peripheral quiet\n  advertise heart_rate every 10s\n  service heart_rate\n  end\nend\n"

  @Test func anOldCheckpointIsNotUsedByDefault() throws {
    let fixture = try ended(by: nil, devices: Self.quietDevice)
    fixture.world.wait(.hours(25))
    try fixture.start()
    #expect(fixture.lastErrors.contains("is not used; tooth resume would continue it"))
    fixture.world.drop()
  }

  @Test func anOldCheckpointIsUsedIfAllowed() throws {
    let fixture = try ended(by: nil, devices: Self.quietDevice)
    fixture.world.wait(.hours(25))
    var plan = fixture.plan()
    plan.checkpointAge = .days(7)
    try fixture.start(plan)
    #expect(fixture.lastErrors.contains("continues at line"))
  }

  /// A run that failed because its link was lost connects again when it is resumed.
  @Test func aRunThatLostItsLinkIsResumed() throws {
    let device = """
      peripheral drop named "Drop"
        let n = 0
        advertise 0xFFF0 every 100ms
        service 0xFFF0
          characteristic 0xFFF1 can notify
        end
        on connect
          wait 2s
          disconnect from device
        end
        every 500ms
          set n to n + 1
          notify 0xFFF1 with u8(n)
        end
      end

      """
    let recipe =
      "scan for \"Drop\"\nconnect\nsubscribe to 0xFFF1\nrepeat 7 times\n  wait for notify 0xFFF1 as v\n  print \"one\"\nend\n"
    let fixture = try Fixture(recipe: recipe, devices: device)
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(1)) == .ended)
    #expect(fixture.world.session?.exitStatus.code == 6, "\(fixture.errors)")
    let first = fixture.output.split(separator: "\n").count
    #expect((1...4).contains(first), "\(fixture.output)")
    var plan = fixture.plan()
    plan.isResume = true
    for _ in 0..<6 where fixture.world.session?.exitStatus.code == 6 {
      try fixture.start(plan)
      #expect(fixture.world.run(for: .minutes(1)) == .ended)
    }
    #expect(fixture.world.session?.exitStatus.code == 0, "\(fixture.errors)")
    #expect(fixture.output.split(separator: "\n").count == 7, "\(fixture.output)")
  }

  @Test func aFinishedRunCannotBeResumed() throws {
    let fixture = try Fixture(recipe: "recipes/thermometer.ble", devices: "recipes/devices/thermometer.ble")
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(1)) == .ended)
    var plan = fixture.plan()
    plan.isResume = true
    do {
      try fixture.start(plan)
      Issue.record("it started")
    } catch {
      guard case .journal(let failure) = error as? StartRefusal else {
        Issue.record("\(error)")
        return
      }
      #expect(failure.message.contains("nothing to resume"))
    }
  }

  // MARK: Files

  @Test func aRowUnderOtherColumnsIsRefused() throws {
    let fixture = try Fixture(recipe: "append {b: 1} to \"f.csv\"\nwait 1s\n", devices: "recipes/devices/valve.ble")
    try saveFile("\(fixture.playground.path)/f.csv", Array("a\n0\n".utf8))
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(1)) == .ended)
    #expect(fixture.world.session?.exitStatus.code == 1)
    #expect(fixture.errors.contains("has the columns a, but this record has b"))
    #expect(fixture.playground.content("f.csv") == "a\n0\n")
  }

  @Test(arguments: [nil, "b,a,c\n0,0,0\n", "a,b\n0,0\n"] as [String?]) func rowsFollowTheirHeader(_ there: String?) throws {
    let recipe = "append {a: 1, b: \"x,y\", c: 3} to \"f.csv\"\nappend {c: 6, b: 5, a: 4} to \"f.csv\"\nwait 1s\n"
    let fixture = try Fixture(recipe: recipe, devices: "recipes/devices/valve.ble")
    if let there { try saveFile("\(fixture.playground.path)/f.csv", Array(there.utf8)) }
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(1)) == .ended)
    let content = fixture.playground.content("f.csv")
    switch there {
    case nil: #expect(content == "a,b,c\n1,\"x,y\",3\n4,5,6\n")
    case "b,a,c\n0,0,0\n"?: #expect(content == "b,a,c\n0,0,0\n\"x,y\",1,3\n5,4,6\n")
    default:
      #expect(content == there)
      #expect(fixture.errors.contains("has the columns a, b, but this record has a, b, c"))
    }
  }

  @Test(
    arguments: [
      (
        "append {a: 1, b: 2} to \"f.csv\"\nappend \"x,y\" to \"f.csv\"", "a,b\n1,2\n",
        "has the columns a, b, but this row has 1 field"
      ),
      ("append [1] to \"f.csv\"\nappend [1, 2] to \"f.csv\"", "1\n", "has the columns 1, but this row has 2 fields"),
      ("append {a: 1, b: 2} to \"f.csv\"\nappend [3, \"x,y\"] to \"f.csv\"", "a,b\n1,2\n3,\"x,y\"\n", nil),
      ("append \"a\" to \"f.csv\"\nappend 7 to \"f.csv\"", "a\n7\n", nil),
      ("append {a: 1, b: 2} to \"f.jsonl\"\nappend 7 to \"f.jsonl\"", nil, nil),
    ] as [(String, String?, String?)])
  func aRowHasAsManyFieldsAsTheFirst(_ recipe: String, _ content: String?, _ error: String?) throws {
    let fixture = try Fixture(recipe: "\(recipe)\nwait 1s\n", devices: "recipes/devices/valve.ble")
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(1)) == .ended)
    #expect(fixture.playground.content("f.csv") == content)
    #expect(fixture.world.session?.exitStatus.code == (error == nil ? 0 : 1))
    if let error { #expect(fixture.errors.contains(error)) }
  }

  @Test(arguments: [true, false]) func formulasAreEscapedOnRequest(_ escapes: Bool) throws {
    let recipe =
      "append {a: \"=1+1\", b: \"+49 40\", c: \"-5.5\", d: -7, e: \"@x\", f: \"plain\", g: \"-a,b\"} to \"f.csv\"\nwait 1s\n"
    let fixture = try Fixture(recipe: recipe, devices: "recipes/devices/valve.ble")
    var plan = fixture.plan()
    plan.options.escapesFormulas = escapes
    try fixture.start(plan)
    #expect(fixture.world.run(for: .minutes(1)) == .ended)
    let row = escapes ? "'=1+1,'+49 40,-5.5,-7,'@x,plain,\"'-a,b\"" : "=1+1,+49 40,-5.5,-7,@x,plain,\"-a,b\""
    #expect(fixture.playground.content("f.csv") == "a,b,c,d,e,f,g\n\(row)\n")
  }

  @Test func aForeignRecipeWritesBelowItsFolderOnly() throws {
    let fixture = try Fixture(
      recipe: "append \"x\" to \"in.txt\"\nsave \"x\" to \"/tmp/tooth-must-not-exist\" otherwise print it.message\n",
      devices: "recipes/devices/valve.ble")
    var plan = fixture.plan()
    plan.options.writableFolders = [fixture.playground.path]
    try fixture.start(plan)
    #expect(fixture.world.run(for: .minutes(1)) == .ended)
    #expect(fixture.playground.content("in.txt") == "x\n")
    #expect(fixture.output.contains("may not write to /tmp/tooth-must-not-exist"))
  }

  @Test func aMissingFolderIsAFileFailure() throws {
    let fixture = try Fixture(recipe: "append \"x\" to \"no/such/f\"\n", devices: "recipes/devices/valve.ble")
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(1)) == .ended)
    #expect(fixture.world.session?.exitStatus.code == 1)
    #expect(fixture.errors.contains("error[T360]"))
    #expect(fixture.errors.contains("No such file or directory"))
  }
}
