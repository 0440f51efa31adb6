import Testing
import Vocabulary

/// Our host on Bumble's controllers with Bumble's peripheral, and Bumble's host as a central on our
/// air.
@Suite(.serialized, .traced, .timeLimit(.minutes(5)), .enabled(if: Bumble.isThere, Comment(rawValue: Bumble.howToGetIt)))
struct InteropTests {
  init() { Bumble.counted() }

  private func pattern(_ length: Int) -> String { hex((0..<length).map { UInt8(truncatingIfNeeded: 7 * $0 + length) }) }

  private func hex(_ bytes: [UInt8]) -> String { Hex.text(bytes, separator: "") }

  // MARK: Our host, Bumble's controllers and peripheral

  @Test(arguments: [false, true]) func aScanFindsTheBumblePeripheral(unix: Bool) throws {
    let bumble = try BumblePeripheral(unix: unix)
    let scan = try bumble.scan()
    #expect(scan.end() == 0, "\(scan.complaint)")
    let line = try #require(scan.lines.first)
    #expect(line.hasPrefix("C4:11:22:33:44:55/random\t-50\tStranger\t") && line.contains("heart_rate"), "\(line)")
    #expect(scan.lines.count == 1)
  }

  @Test(arguments: [(false, 517), (true, 23), (false, 64)]) func discoversTheWholeBumbleTable(unix: Bool, mtu: Int) throws {
    let bumble = try BumblePeripheral(unix: unix, mtu: mtu)
    let found = try bumble.lines("dump", "--name", "Stranger")
    #expect(found.count { $0.hasPrefix("tree characteristic ") } >= 40 && found == bumble.tree)
  }

  @Test(arguments: [23, 24, 100, 247, 517]) func writesAndReadsValuesOfAllSizes(mtu: Int) throws {
    let bumble = try BumblePeripheral(mtu: mtu)
    let lines = try bumble.lines("sizes")
    #expect(lines.first == "mtu \(mtu)")
    let values = lines.filter { $0.hasPrefix("value ") }
    let sizes = [
      0, 1, 19, 20, 21, 22, 23, 24, 44, 45, 100, 243, 244, 245, 246, 247, 250, 251, 252, 253, 254, 255, 256, 300, 509, 510, 511,
      512,
    ]
    #expect(
      values
        == sizes.map { size in
          "value 7001\(Hex.text(UInt16(0x1000 + size)).lowercased())-6b1d-4f6e-9d3a-2a4c1f0e5b77 \(pattern(size))"
        })
    let wrote = lines.filter { $0.hasPrefix("wrote ") }.map { String($0.dropFirst(6)) }
    let slot = "written 70010401-6b1d-4f6e-9d3a-2a4c1f0e5b77 "
    #expect(wrote.count >= 18 && lines.last == "quick 00ff")
    #expect(bumble.process.lines.filter { $0.hasPrefix(slot) }.map { String($0.dropFirst(slot.count)) } == wrote + ["2 00ff"])
  }

  /// All sizes. A small PDU needs many requests per value, so longer runs test it.
  @Test(arguments: Bumble.isFull ? [23, 24, 100, 185, 247, 517] : [247]) func writesAndReadsValuesOfEverySize(mtu: Int) throws {
    let bumble = try BumblePeripheral(mtu: mtu)
    #expect(try bumble.lines("every-size") == ["mtu \(mtu)", "513 sizes"])
    let written = bumble.process.lines.filter { $0.hasPrefix("written 70010401-") }.map {
      $0.split(separator: " ").dropFirst(2).first
    }
    #expect(written == (0...512).map { "\($0)" })
  }

  @Test func aBurstOfNotificationsLosesNone() throws {
    let bumble = try BumblePeripheral()
    let lines = try bumble.lines("control", "--n", "\(Bumble.burst)")
    #expect(lines == ["notified \(Bumble.burst) wrong 0", "indicated 20"])
    #expect(bumble.says("indications confirmed 20"))
  }

  @Test func aReconnectedLinkIsSubscribed() throws {
    let bumble = try BumblePeripheral()
    let lines = try bumble.lines("lossy")
    #expect(
      lines == ["link 1", "lost out of range", "link 2", "lost closed by the peer", "link 3", "got 30", "lost asked"])
  }

  @Test func duplicateAttributesAreAmbiguous() throws {
    let bumble = try BumblePeripheral()
    let lines = try bumble.lines("twins")
    let workshop = "70010400-6b1d-4f6e-9d3a-2a4c1f0e5b77[0]"
    #expect(
      lines == [
        "digital is ambiguous: \(workshop)/digital[0] (0x0063), \(workshop)/digital[1] (0x0065)", "first of two", "second of two",
        "digital is ambiguous: \(workshop)/digital[0] (0x0063), \(workshop)/digital[1] (0x0065)", "97 42",
        "battery_level is ambiguous: battery_service[0]/battery_level[0] (0x004f), battery_service[1]/battery_level[0] (0x006a)",
        "reading refuses: the device refuses it (0x80 application error)",
        "reading handle 0x0777: the device refuses it (0x01 invalid handle)",
      ])
  }

  @Test func requestsOfThePeripheralAreAnswered() throws {
    let bumble = try BumblePeripheral()
    #expect(try bumble.lines("question") == ["97 97"])
    for words in [
      "their mtu 517", "their services 2", "their handle 0x0777 0x01", "their answer to new parameters 0",
      "their answer to pairing 0x05", "echoed",
    ] { #expect(bumble.says(words), "\(words)") }
  }

  @Test func aTableThatGrowsIsDiscoveredAgain() throws {
    let bumble = try BumblePeripheral()
    #expect(try bumble.lines("change") == ["before: missing", "new", "1 more"])
    #expect(bumble.says("changed"))
  }

  /// After an absence, the cache is used only if the Database Hash is the same.
  @Test func aTableThatChangedMeanwhileIsDiscoveredAgain() throws {
    let bumble = try BumblePeripheral()
    let before = bumble.tree
    #expect(try bumble.lines("dump", "--name", "Stranger") == before)
    _ = try bumble.central("ask=change", "leave")
    #expect(bumble.says("changed"))
    let after = Array(bumble.tree.dropFirst(before.count))
    #expect(after.count == before.count + 2)
    #expect(try bumble.lines("dump", "--name", "Stranger") == after)
  }

  /// Killed again and again during `discover everything`, the run continues where it was.
  @Test func aKilledDiscoveryContinues() throws {
    let bumble = try BumblePeripheral(mtu: 23)
    for _ in 1...8 {
      // Each process gets to send a request, however far the previous one came.
      let enough = bumble.process.lines.count { $0.hasPrefix("request ") } + 4
      let run = try bumble.run("dump", "--name", "Stranger")
      #expect(
        bumble.process.read { $0.lines.count { $0.hasPrefix("request ") } >= enough }, "\(run.text)\(run.complaint)")
      run.kill9()
    }
    let last = try bumble.run("dump", "--name", "Stranger")
    last.companion = bumble.process
    #expect(last.end() == 0, "\(last.text)\(last.complaint)")
    #expect(last.lines == bumble.tree)
    // The kills are losses, 0x08; the last disconnection is requested.
    #expect(bumble.says("disconnected 0x13"))
    let requests = bumble.process.lines.filter { $0.hasPrefix("request ") }
    // Discovery requests: Find Information, Find By Type Value, Read By Type, Read By Group Type.
    // Each kill costs the pending request and one that confirms the cache (its start differs).
    var asked: [String: Int] = [:]
    for request in requests where ["04", "06", "08", "10"].contains(request.dropFirst(8).prefix(2)) {
      asked[request, default: 0] += 1
    }
    let repeated = asked.values.reduce(0) { $0 + $1 - 1 }
    #expect(asked.count > 50 && repeated <= 16, "\(requests)")
  }

  // MARK: Bumble's host on our air

  @Test(arguments: ["legacy", "extended"]) func aBumblePeripheralRunsOnOurControllers(_ controller: String) throws {
    let air = try AirForBumble("bare", controller: controller)
    let bumble = try BumblePeripheral(onOurs: air)
    let found = try bumble.lines("dump", "--name", "Stranger")
    #expect(found.count > 55 && found == bumble.tree)
    #expect(try bumble.lines("control", "--n", "400") == ["notified 400 wrong 0", "indicated 20"])
    #expect(bumble.says("indications confirmed 20"))
  }

  private static let declared = """
    tree service 1800
    tree characteristic 2a00 2
    tree characteristic 2a01 2
    tree service 1801
    tree characteristic 2a05 32
    tree descriptor 2902
    tree characteristic 2b29 10
    tree characteristic 2b2a 2
    tree service 180d
    tree characteristic 2a37 16
    tree descriptor 2902
    tree characteristic 2a38 2
    tree service 180f
    tree characteristic 2a19 18
    tree descriptor 2902
    tree service 9a5f0000-3c21-4d6c-8f13-d0f2b1c4a7e9
    tree include 180f
    tree characteristic 9a5f0001-3c21-4d6c-8f13-d0f2b1c4a7e9 10
    tree characteristic 9a5f0002-3c21-4d6c-8f13-d0f2b1c4a7e9 14
    tree descriptor 9a5f0008-3c21-4d6c-8f13-d0f2b1c4a7e9
    tree characteristic 9a5f0003-3c21-4d6c-8f13-d0f2b1c4a7e9 18
    tree descriptor 2902
    tree characteristic 9a5f0004-3c21-4d6c-8f13-d0f2b1c4a7e9 34
    tree descriptor 2902
    tree characteristic 9a5f0005-3c21-4d6c-8f13-d0f2b1c4a7e9 8
    tree characteristic 9a5f0006-3c21-4d6c-8f13-d0f2b1c4a7e9 4
    tree characteristic 9a5f0007-3c21-4d6c-8f13-d0f2b1c4a7e9 10
    tree characteristic 9a5f0009-3c21-4d6c-8f13-d0f2b1c4a7e9 2
    tree characteristic 9a5f0009-3c21-4d6c-8f13-d0f2b1c4a7e9 2
    """

  /// The declaration with its handles, which are assigned in order, one per attribute, with their
  /// types.
  static let handed: (tree: [String], attributes: [String]) = {
    var tree: [String] = []
    var attributes: [String] = []
    var services: [String: Int] = [:]
    func attribute(_ type: String) -> Int {
      attributes.append("attribute \(attributes.count + 1) \(type)")
      return attributes.count
    }
    for line in declared.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      var handle = attribute(["service": "2800", "include": "2802", "characteristic": "2803"][words[1]] ?? words[2])
      switch words[1] {
      case "service": services[words[2]] = handle
      case "include": handle = services[words[2]] ?? 0
      case "characteristic": handle = attribute(words[2])
      default: break
      }
      tree.append("tree \(words[1]) \(handle) \(words[2...].joined(separator: " "))")
    }
    return (tree, attributes)
  }()

  @Test(arguments: ["mtu=23", "mtu=517"]) func aBumbleCentralDiscoversTheTable(mtu: String) throws {
    let lines = try AirForBumble().central(mtu, "discover", "attributes", "by_uuid", "leave")
    #expect(lines.first == "found True 0d18")
    #expect(lines.filter { $0.hasPrefix("tree ") } == Self.handed.tree)
    #expect(lines.filter { $0.hasPrefix("attribute ") } == Self.handed.attributes && Self.handed.attributes.count == 46)
    #expect(lines.suffix(5) == ["service 24 46", "twin 01", "twin 02", "disconnected 0x16", "done"])
  }

  @Test(arguments: [23, 100, 517]) func aBumbleCentralReadsAndWritesAllSizes(mtu: Int) throws {
    let lines = try AirForBumble().central("mtu=\(mtu)", "discover", "sizes")
    #expect(lines.contains("sizes \(mtu)"))
    #expect(!lines.contains { $0.hasPrefix("differs") })
  }

  @Test(arguments: Bumble.isFull ? [23, 100, 247, 517] : [517]) func aBumbleCentralReadsAndWritesEverySize(mtu: Int) throws {
    #expect(try AirForBumble().central("mtu=\(mtu)", "discover", "every_size").contains("every size \(mtu) []"))
  }

  @Test func aBumbleCentralGetsAnswersByTheRules() throws {
    let lines = try AirForBumble().central("discover", "offsets", "refusals", "quick", "descriptors", "signed")
    // The last event is Bumble's own, when its transport closes.
    #expect(
      lines.filter { !$0.hasPrefix("tree ") && $0 != "disconnected 0x00" } == [
        "found True 0d18", "connected", "overlap b'012XYZ'", "given up b'012XYZ'", "gap ATT_ERROR_RESPONSE 0x07",
        "after b'012XYZ'", "refusal read 0x80", "refusal write 0x81", "refusal handle 0x01", "refusal zero 0x01",
        "refusal unreadable 0x02", "refusal unwritable 0x03", "refusal offset 0x07", "refusal group 0x10", "refusal range 0x01",
        "several ATT_READ_MULTIPLE_RESPONSE 0102", "variable ATT_READ_MULTIPLE_VARIABLE_RESPONSE ['01', '02']",
        "quick b'in a hurry'", "note 0102", "note b'changed'", "signed b'not signed'", "done",
      ])
  }

  /// On our air each connection event carries only so many.
  private static let served = Bumble.isFull ? 20_000 : 2_000

  @Test func aBumbleCentralGetsEveryValueInOrder() throws {
    let lines = try AirForBumble().central("discover", "notify=\(Self.served)", "indicate=50", "leave")
    #expect(lines.contains("notify \(Self.served) in order"))
    #expect(lines.contains("indicate 50 in order"))
  }

  @Test(arguments: ["legacy", "extended"]) func aBumbleCentralConnectsAndLeaves(_ controller: String) throws {
    let lines = try AirForBumble(controller: controller).central(
      "discover", "pair", "parameters", "indicate=2", "dismissed", "again", "discover", "leave")
    // Bumble logs it on the same stream, if it gets that far.
    let events = lines.filter { !$0.hasPrefix("tree ") && !$0.hasPrefix("pairing failure") }
    #expect(
      events == [
        "found True 0d18", "connected", "paired", "parameters 30.0", "indicate 2 in order",
        "disconnected 0x13", "found True 0d18", "connected", "disconnected 0x16", "done",
      ])
  }
}

/// Under CI a missing environment is a failure, because skipped tests go unnoticed.
@Test(.enabled(if: Bumble.isCI)) func bumbleIsInstalledInCI() {
  #expect(Bumble.isThere, Comment(rawValue: Bumble.howToGetIt))
  #expect(Bumble.isTsharkThere, "tshark is missing, which looks at every trace of these tests: `make setup` installs it")
}
