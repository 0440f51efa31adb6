import Exchange
import Testing
import Vocabulary

@testable import Runner

@Suite struct LinkTests {
  static let heart = """
    scan for heart_rate within forever
    connect
    subscribe to heart_rate_measurement
    let beats = 0
    on notify heart_rate_measurement as beat
      set beats to beats + 1
      print "beat {beats}"
    end
    on connect: log "linked {device.resumed}"
    on disconnect as reason: log "lost {reason}"
    reconnect forever waiting 1s up to 1min
    """

  static let measurement = AttributeReference(
    handle: AttributeHandle(0x0012), service: UUID(0x180D), characteristic: UUID(0x2A37), properties: 0x10)

  static func advertisement(_ services: [UInt16] = [0x180D]) -> Advertisement {
    Advertisement(address: Bench.strap, rssi: -60, name: "Strap", services: services.map { UUID($0) })
  }

  /// Runs until the subscription is requested.
  static func connected(_ text: String = heart) throws -> Bench {
    var bench = try Bench(text)
    let scan = try #require(bench.last { if case .scan = $0 { true } else { false } })
    bench.host(.advertisementReceived(scan.id, advertisement([0x180F])))
    bench.host(.advertisementReceived(scan.id, advertisement()))
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
    return bench
  }

  static func gatt(_ bench: Bench) throws -> (OperationID, GattRequest) {
    let request = try #require(bench.last { if case .gatt = $0 { true } else { false } })
    guard case .gatt(_, let operation) = request.command else { throw Failure.value("no") }
    return (request.id, operation)
  }

  @Test func aHandlersEventNameShadowsTheRecipes() throws {
    let bench = try Bench(
      """
      let a = 1
      let b = 2
      let why = "mine"
      on stop as why: print "stopped {why}"
      try
        fail "once"
      otherwise as why
        print why.message
      end
      print why.kind
      """)
    #expect(bench.printed == ["once", "user", "stopped finished"])
  }

  @Test func aHeartRateRecipeGetsItsBeats() throws {
    var bench = try Self.connected()
    let (id, operation) = try Self.gatt(bench)
    guard case .subscribe = operation else {
      Issue.record("\(operation)")
      return
    }
    bench.host(.notificationReceived(Bench.strap, Self.measurement, [0, 70], .notify))
    #expect(bench.printed == [])
    bench.host(.completed(id, .success(.subscribed(Self.measurement, .notify))))
    #expect(bench.printed == ["beat 1"])
    #expect(bench.logged == ["linked false"])
    bench.host(.notificationReceived(Bench.strap, Self.measurement, [0, 71], .notify))
    #expect(bench.printed == ["beat 1", "beat 2"])
  }

  @Test func aLostLinkComesBackAndIsSetUpAgain() throws {
    var bench = try Self.connected()
    bench.host(.completed(try Self.gatt(bench).0, .success(.subscribed(Self.measurement, .notify))))
    bench.host(.notificationReceived(Bench.strap, Self.measurement, [0, 71], .notify))
    bench.requests = []
    bench.host(.disconnected(Bench.strap, DisconnectReason(code: 8, text: "supervision timeout")))
    #expect(bench.logged.last == "lost supervision timeout")
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    guard case .connect(let request) = connect.command else { return }
    #expect(request.pending)
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
    bench.host(.notificationReceived(Bench.strap, Self.measurement, [0, 72], .notify))
    #expect(bench.printed.count == 1)
    bench.host(.completed(try Self.gatt(bench).0, .success(.subscribed(Self.measurement, .notify))))
    #expect(bench.printed == ["beat 1", "beat 2"])
    #expect(bench.logged == ["linked false", "lost supervision timeout", "linked false"])
  }

  @Test func aKilledRunReconnectsSilently() throws {
    var bench = try Self.connected()
    bench.host(.completed(try Self.gatt(bench).0, .success(.subscribed(Self.measurement, .notify))))
    bench.host(.notificationReceived(Bench.strap, Self.measurement, [0, 71], .notify))
    try bench.kill()
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
    bench.host(.completed(try Self.gatt(bench).0, .success(.subscribed(Self.measurement, .notify))))
    bench.host(.notificationReceived(Bench.strap, Self.measurement, [0, 71], .notify))
    #expect(bench.printed == ["beat 1", "beat 2"])
    #expect(bench.logged == ["linked false", "linked true"])
  }

  @Test func aStatementKilledDuringDiscoveryContinues() throws {
    var bench = try Self.connected()
    var attributeCache = AttributeCache()
    attributeCache.databaseHash = Array(repeating: 7, count: 16)
    bench.host(.attributeCacheChanged(Bench.strap, attributeCache))
    try bench.kill()
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    guard case .connect(let request) = connect.command else { return }
    #expect(request.attributeCache == attributeCache)
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
    guard case .subscribe = try Self.gatt(bench).1 else {
      Issue.record("the subscription is not asked for again")
      return
    }
    bench.host(.completed(try Self.gatt(bench).0, .success(.subscribed(Self.measurement, .notify))))
    bench.host(.notificationReceived(Bench.strap, Self.measurement, [0, 71], .notify))
    #expect(bench.printed == ["beat 1"])
  }

  @Test func aLossDuringSetUpIsReportedOnce() throws {
    var bench = try Self.connected()
    bench.host(.completed(try Self.gatt(bench).0, .success(.subscribed(Self.measurement, .notify))))
    bench.host(.notificationReceived(Bench.strap, Self.measurement, [0, 71], .notify))
    let lost = DisconnectReason(code: 8, text: "supervision timeout")
    bench.host(.disconnected(Bench.strap, lost))
    for _ in 0..<3 {
      bench.advance(.seconds(70))
      let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
      bench.host(.connected(connect.id, Bench.strap, Bench.link))
      bench.host(.disconnected(Bench.strap, lost))
    }
    #expect(bench.logged == ["linked false", "lost supervision timeout"])
  }

  @Test func aLaterSetUpRefusalReachesOnFailure() throws {
    var bench = try Self.connected(Self.heart + "\non failure as p: print \"failure {p.kind}\"\n")
    bench.host(.completed(try Self.gatt(bench).0, .success(.subscribed(Self.measurement, .notify))))
    bench.host(.disconnected(Bench.strap, DisconnectReason(code: 8, text: "supervision timeout")))
    bench.advance(.seconds(70))
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
    bench.host(.completed(try Self.gatt(bench).0, .failure(Failure(.refused, "not now", code: 5))))
    #expect(bench.printed == ["failure refused"])
    #expect(bench.failures.map(\.kind) == [.refused])
    #expect(bench.requests.contains { if case .disconnect = $0.command { true } else { false } })
  }

  @Test func aResumedLinkThatFailsInItsSetUpIsStillResumed() throws {
    var bench = try Self.connected()
    bench.host(.completed(try Self.gatt(bench).0, .success(.subscribed(Self.measurement, .notify))))
    try bench.kill()
    for round in 0..<2 {
      let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
      bench.host(.connected(connect.id, Bench.strap, Bench.link))
      if round == 0 {
        bench.host(.disconnected(Bench.strap, DisconnectReason(code: 8, text: "supervision timeout")))
        bench.advance(.seconds(70))
      }
    }
    bench.host(.completed(try Self.gatt(bench).0, .success(.subscribed(Self.measurement, .notify))))
    #expect(bench.logged == ["linked false", "linked true"])
  }

  static let valve = """
    let control = a0b40001-926d-4d61-98df-8c5c62ee53b3
    try
      connect to C4:7C:8D:6A:12:0F/random when it appears
      write u8(1) to control within 10min
      print "written"
    otherwise if unsure
      print "unsure"
    end
    """

  static func written(_ text: String = valve) throws -> Bench {
    var bench = try Bench(text)
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
    try locate(&bench)
    return bench
  }

  /// The host finds the attribute of a write that must not be repeated.
  static func locate(_ bench: inout Bench) throws {
    if case (let id, .locate) = try gatt(bench) { bench.host(.completed(id, .success(.done))) }
  }

  /// A value that came before the set-up was complete is handled although its link ended with the
  /// process, once, and not while `on restore` runs, also if the recipe was edited and the run is
  /// killed again meanwhile.
  @Test(arguments: [false, true]) func aValueOfALostSetUpIsHandled(twice: Bool) throws {
    let recipe = """
      on restore as past
        log past.link
        wait 5s
      end
      on notify heart_rate_measurement as beat: print beat.bpm
      connect to C4:7C:8D:6A:12:0F/random
      subscribe to heart_rate_measurement
      wait forever

      """
    var bench = try Bench(recipe)
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
    bench.host(.notificationReceived(Bench.strap, Self.measurement, [0, 70], .notify))
    #expect(bench.printed == [])
    try bench.kill()
    #expect(bench.printed == [] && bench.logged.contains("lost"), "\(bench.logged)")
    if twice {
      bench.advance(.seconds(2))
      try bench.kill()
    }
    bench.advance(.seconds(6))
    #expect(bench.printed == ["70"])
    try bench.kill()
    bench.advance(.seconds(6))
    #expect(bench.printed == ["70"])
  }

  @Test func aWriteKilledDuringDiscoveryWasNotSent() throws {
    var bench = try Bench(Self.valve)
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
    guard case .locate = try Self.gatt(bench).1 else {
      Issue.record("it is written before it is located")
      return
    }
    try bench.kill()
    #expect(bench.printed == [])
    let again = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(again.id, Bench.strap, Bench.link))
    try Self.locate(&bench)
    bench.host(.completed(try Self.gatt(bench).0, .success(.done)))
    #expect(bench.printed == ["written"])
  }

  @Test func aWriteIsSyncedBeforeItIsSent() throws {
    let bench = try Self.written()
    guard case .write(_, let value) = try Self.gatt(bench).1 else {
      Issue.record("no write")
      return
    }
    #expect(value == [1])
    #expect(bench.commits.last { !$0.rows.isEmpty }?.mustSync == true)
  }

  @Test func aWriteInFlightAtTheKillIsUnsure() throws {
    var bench = try Self.written()
    try bench.kill()
    #expect(bench.printed == ["unsure"])
    #expect(bench.last { if case .gatt = $0 { true } else { false } } == nil)
  }

  @Test func aWriteWhoseLinkWasLostIsUnsureAndNotRepeatedByTry() throws {
    var bench = try Self.written(Self.valve.replacing("try\n", with: "try 5 times\n"))
    let id = try Self.gatt(bench).0
    bench.host(.completed(id, .failure(Failure(.disconnected, "gone", delivered: .maybe))))
    bench.host(.disconnected(Bench.strap, DisconnectReason(code: 8, text: "supervision timeout")))
    #expect(bench.printed == ["unsure"])
  }

  /// A device that changes its services again and again prolongs a read for 5 min at most.
  @Test func aDiscoveryWithoutAnEndEnds() throws {
    var bench = try Bench(
      "connect to C4:7C:8D:6A:12:0F/random when it appears\nread battery_level otherwise print it.kind\nwait 1h\n")
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
    var other = AttributeCache()
    other.services = [AttributeCache.Service(uuid: UUID(0x180F), start: AttributeHandle(1), end: AttributeHandle(9))]
    var seconds: Int64 = 0
    while bench.printed.isEmpty, seconds < 3600 {
      bench.host(.attributeCacheChanged(Bench.strap, seconds.isMultiple(of: 6) ? other : AttributeCache()))
      bench.advance(.seconds(3))
      seconds += 3
    }
    #expect(bench.printed == ["timeout"] && 290...320 ~= seconds, "\(bench.printed) after \(seconds) s")
  }

  /// What waits for a discovery gets more time, too, at any place in the queue.
  @Test func aReadAfterADiscoveryGetsMoreTime() throws {
    var bench = try Bench(
      "every 3s\n  read handle 3 otherwise print it.kind\nend\nconnect to C4:7C:8D:6A:12:0F/random\n"
        + "discover everything otherwise print it.kind\nwait 1h\n")
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
    var other = AttributeCache()
    other.services = [AttributeCache.Service(uuid: UUID(0x180F), start: AttributeHandle(1), end: AttributeHandle(9))]
    for turn in 0..<100 {
      bench.host(.attributeCacheChanged(Bench.strap, turn.isMultiple(of: 2) ? other : AttributeCache()))
      bench.advance(.seconds(1))
    }
    #expect(bench.printed == [])
  }

  @Test func anUnsentWriteIsSentAgain() throws {
    var bench = try Self.written()
    let id = try Self.gatt(bench).0
    bench.host(.completed(id, .failure(Failure(.disconnected, "gone", delivered: .notSent))))
    bench.host(.disconnected(Bench.strap, DisconnectReason(code: 8, text: "supervision timeout")))
    bench.advance(.seconds(5))
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
    try Self.locate(&bench)
    bench.host(.completed(try Self.gatt(bench).0, .success(.done)))
    #expect(bench.printed == ["written"])
  }

  @Test(arguments: [("repeat", true), ("skip", false)])
  func whenUnsureDecides(policy: String, isSentAgain: Bool) throws {
    var bench = try Self.written(Self.valve.replacing("within 10min", with: "within 10min when unsure \(policy)"))
    try bench.kill()
    if let connect = bench.last({ if case .connect = $0 { true } else { false } }) {
      bench.host(.connected(connect.id, Bench.strap, Bench.link))
    }
    let again = bench.last { if case .gatt = $0 { true } else { false } }
    #expect((again != nil) == isSentAgain)
    if let again { bench.host(.completed(again.id, .success(.done))) }
    #expect(bench.printed == ["written"])
  }

  @Test func verifyReadsBeforeItWritesAgain() throws {
    var bench = try Self.written(Self.valve.replacing("within 10min", with: "within 10min when unsure verify"))
    try bench.kill()
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
    guard case .read = try Self.gatt(bench).1 else {
      Issue.record("no read")
      return
    }
    bench.host(.completed(try Self.gatt(bench).0, .success(.value([0], Self.measurement))))
    guard case .write = try Self.gatt(bench).1 else {
      Issue.record("no write")
      return
    }
    bench.host(.completed(try Self.gatt(bench).0, .success(.done)))
    #expect(bench.printed == ["written"])
  }

  @Test func aPlainLinkThatIsLostStaysLost() throws {
    var bench = try Bench("connect to C4:7C:8D:6A:12:0F/random\nread battery_level as level\nwait 1min\nread battery_level\n")
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
    let level = AttributeReference(handle: AttributeHandle(9), service: UUID(0x180F), characteristic: UUID(0x2A19))
    bench.host(.completed(try Self.gatt(bench).0, .success(.value([50], level))))
    bench.host(.disconnected(Bench.strap, DisconnectReason(code: 8, text: "supervision timeout")))
    bench.advance(.minutes(2))
    #expect(bench.exit?.code == 6)
    #expect(bench.failures.first?.kind == .disconnected)
  }

  @Test func nothingFoundEndsWithFive() throws {
    var bench = try Bench("scan for heart_rate within 20s\n")
    bench.advance(.seconds(21))
    #expect(bench.exit?.code == 5)
  }

  @Test(
    arguments: [
      ("scan for \"strap\" within 5s", true), ("scan for \"Strap7\" within 5s", true),
      ("scan for heart_rate named \"Strat\" within 5s", true), ("scan for \"Polar*\" within 5s", false),
    ] as [(String, Bool)]) func aSimilarNameIsSuggested(recipe: String, isSuggested: Bool) throws
  {
    var bench = try Bench(recipe + "\n")
    let scan = try #require(bench.last { if case .scan = $0 { true } else { false } })
    bench.host(.advertisementReceived(scan.id, Self.advertisement()))
    bench.advance(.seconds(6))
    let hint = try #require(bench.failures.first?.hint)
    #expect(hint.hasPrefix("did you mean \"Strap\"?") == isSuggested, "\(hint)")
  }

  @Test func waitForTakesEventsAfterTheWrite() throws {
    var bench = try Bench(
      """
      let control = a0b40001-926d-4d61-98df-8c5c62ee53b3
      connect to C4:7C:8D:6A:12:0F/random
      subscribe to control
      write u8(9) to control
      log "a line costs nothing"
      wait for notify control within 5s as reply
      print reply[0]
      """)
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
    let reference = AttributeReference(
      handle: AttributeHandle(5), service: UUID(1), characteristic: try #require(UUID("a0b40001-926d-4d61-98df-8c5c62ee53b3")))
    bench.host(.completed(try Self.gatt(bench).0, .success(.subscribed(reference, .notify))))
    try Self.locate(&bench)
    bench.host(.notificationReceived(Bench.strap, reference, [42], .notify))
    bench.host(.completed(try Self.gatt(bench).0, .success(.done)))
    #expect(bench.printed == ["42"])
  }

  @Test func aPeripheralPublishesAndAnswers() throws {
    var bench = try Bench(
      """
      let valve_service = a0b40000-926d-4d61-98df-8c5c62ee53b3
      let valve_control = a0b40001-926d-4d61-98df-8c5c62ee53b3
      peripheral toy
        let opened = 0
        advertise valve_service every 200ms
        service valve_service
          characteristic valve_control can read, write starts as u8(7)
        end
        on write valve_control as asked
          if asked[0] is 9: refuse with 0x80
          set opened to opened + 1
          update valve_control to u8(5)
        end
      end
      """, peripheral: "toy")
    let publish = try #require(bench.last { if case .publish = $0 { true } else { false } })
    guard case .publish(let table) = publish.command else { return }
    #expect(table.services[0].characteristics[0].value == [7])
    #expect(table.services[0].characteristics[0].asksBeforeWrite)
    #expect(bench.last { if case .advertise = $0 { true } else { false } } != nil)
    bench.host(.centralConnected(Bench.strap, Bench.link))
    bench.host(.writeRequested(ServerRequestID(1), ServerAttributeID(0), Bench.strap, [9], withResponse: true))
    #expect(bench.requests.last?.command == .answer(ServerRequestID(1), .refuse(0x80)))
    bench.host(.writeRequested(ServerRequestID(2), ServerAttributeID(0), Bench.strap, [1], withResponse: true))
    #expect(
      bench.requests.suffix(2).map(\.command) == [
        .answer(ServerRequestID(2), .accept), .update(attribute: ServerAttributeID(0), value: [5]),
      ])
    #expect(bench.failures.isEmpty)
  }
}

@Suite struct SecretTests {
  static let text = """
    input pin: secret "the code"
    let control = a0b40001-926d-4d61-98df-8c5c62ee53b3
    let copy = "code {pin}"
    print copy, count(pin)
    connect to C4:7C:8D:6A:12:0F/random when it appears
    write pin to control when unsure repeat
    print "done"
    wait 1h
    """

  @Test func aSecretIsNeitherShownNorSaved() throws {
    var bench = try Bench(Self.text, inputs: [("pin", .text("314159"))])
    #expect(bench.printed == ["code ••• 6"])
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
    guard case .hidden(.write(_, let bytes)) = try LinkTests.gatt(bench).1 else {
      Issue.record("no write")
      return
    }
    #expect(bytes == Array("314159".utf8))
    for row in bench.rows { #expect(!String(decoding: row.value, as: UTF8.self).contains("314159"), "\(row.key)") }
    try bench.kill(inputs: [("pin", .text("314159"))])
    let again = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(again.id, Bench.strap, Bench.link))
    guard case .hidden(.write(_, let repeated)) = try LinkTests.gatt(bench).1 else {
      Issue.record("the write is not repeated")
      return
    }
    #expect(repeated == Array("314159".utf8))
  }
}
