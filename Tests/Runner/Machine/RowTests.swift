import Exchange
import Testing
import Vocabulary

@testable import Runner

/// At each commit the rows of a run equal a fresh save of the whole state.
@Suite struct RowTests {
  private static func compared(_ text: String) throws -> Bench {
    var bench = try Bench(text)
    bench.isComparing = true
    return bench
  }

  @Test func aNestedTimerOfAfterSurvivesAKill() throws {
    var bench = try Self.compared(
      """
      wait 1s
      repeat 1 times
        after 10s: print "late"
        wait 1min
      end
      """)
    bench.advance(.seconds(3))
    try bench.kill()
    bench.advance(.seconds(30))
    #expect(bench.printed == ["late"])
  }

  @Test func everyKindOfRowFollowsItsState() throws {
    var bench = try Self.compared(
      """
      let count = 0
      let list = []
      remember total = 0
      every 700ms
        set count to count + 1
        set list to list + [count]
      end
      every 1s: wait 2500ms
      after 3s: set list to []
      try 2 times every 1s
        fail "no"
      otherwise
        set total to 7
      end
      repeat 3 times
        after 500ms: set count to count + 10
        wait until count > 20 within 5s
        print "now {count}"
        wait 1s
      end
      append "x" to "a.txt"
      wait 2s
      """)
    for round in 0..<30 {
      bench.advance(.milliseconds(410))
      if round == 9 || round == 18 { try bench.kill() }
    }
    bench.advance(.minutes(1))
    #expect(bench.exit?.code == 0, "\(bench.failures) \(bench.printed)")
    #expect(bench.commits.count > 20)
  }

  /// A list that grows writes only its new elements, whatever its length. After any other change it
  /// is written whole.
  @Test func theRowsOfAListFollowIt() throws {
    var bench = try Self.compared(
      """
      let list = []
      let other = [1, 2]
      let step = 0
      repeat forever
        set step to step + 1
        set list to list + [step]
        if step mod 50 is 0: set list to list + other + [0]
        if step is 300: set list[5] to "changed"
        if step is 310: set other to list
        if step is 320: set list to list[0 .. 100]
        if step is 330
          set list to "no list"
          wait 1ms
          set list to []
        end
        if step is 500: set list to other
        wait 10ms
      end
      """)
    for round in 0..<60 {
      bench.advance(.milliseconds(100))
      if round % 7 == 6 { try bench.kill() }
    }
    #expect(bench.failures.isEmpty && bench.rows.keys.contains { $0.kind == .listPart })
    // The octets of each commit while a list of thousands of elements grows.
    var long = try Self.compared("let list = []\nrepeat forever\n  set list to list + [1000000]\n  wait 1ms\nend\n")
    long.advance(.milliseconds(3000))
    let octets = long.commits.suffix(500).map { $0.rows.reduce(0) { $0 + ($1.value?.count ?? 0) } }
    #expect(long.commits.count > 2000 && octets.allSatisfy { $0 < 1000 }, "\(octets.max() ?? 0)")
  }

  /// A checkpoint from before lists had parts has them whole. The run continues and stores parts.
  @Test func aListThatWasStoredWholeIsContinued() throws {
    let text = "let list = []\nrepeat forever\n  set list to list + [count(list)]\n  wait 1ms\nend\n"
    var bench = try Bench(text)
    bench.advance(.milliseconds(300))
    let list = try #require(bench.machine.variables.first { if case .list = $0 { true } else { false } })
    let key = try #require(bench.rows.keys.first { $0.kind == .listPart }.map { RowKey(.variable, $0.number >> 32) })
    bench.rows = bench.rows.filter { $0.key.kind != .listPart }
    var writer = ByteWriter()
    writer.put(text: "list")
    list.write(to: &writer)
    bench.rows[key] = writer.bytes
    for _ in 0..<3 {
      try bench.kill()
      bench.isComparing = false
      bench.advance(.milliseconds(10))
    }
    let end = try #require(bench.machine.variables.first { if case .list = $0 { true } else { false } })
    guard case .list(let elements) = end else { return }
    #expect(elements.count > 300 && elements == (0..<elements.count).map { Value.int(Int64($0)) })
    #expect(bench.rows.keys.count { $0.kind == .listPart } == elements.count / Variables.part)
  }

  @Test func theRowsOfALinkFollowIt() throws {
    var bench = try LinkTests.connected(
      """
      scan for heart_rate within forever
      connect
      subscribe to heart_rate_measurement
      let beats = 0
      on notify heart_rate_measurement as beat
        set device.beats to beats
        set beats to beats + 1
        wait 100ms
      end
      on disconnect as reason: log "lost {reason}"
      on connect: read battery_level
      repeat forever
        wait for notify heart_rate_measurement
      end
      """)
    bench.isComparing = true
    for round in 0..<6 {
      bench.host(.notificationReceived(Bench.strap, LinkTests.measurement, [0, 60], .notify))
      bench.host(.completed(try LinkTests.gatt(bench).0, .success(.subscribed(LinkTests.measurement, .notify))))
      bench.host(.attributeCacheChanged(Bench.strap, AttributeCache()))
      for number in 0..<5 {
        bench.host(
          .notificationReceived(Bench.strap, LinkTests.measurement, [0, UInt8(number)], number == 4 ? .indicate : .notify))
      }
      bench.advance(.milliseconds(250))
      if round == 3 { try bench.kill() } else { bench.host(.disconnected(Bench.strap, DisconnectReason(code: 8, text: "lost"))) }
      bench.advance(.seconds(5))
      guard let connect = bench.last({ if case .connect = $0 { true } else { false } }) else { break }
      bench.host(.connected(connect.id, Bench.strap, Bench.link))
    }
    #expect(bench.rows.keys.contains { $0.kind == .device } && bench.commits.count > 10)
  }

  @Test func theRowsOfAScanFollowIt() throws {
    var bench = try Self.compared("scan for all heart_rate within 10s as found\nfor each d in found: print \"{d.name} {d.rssi}\"\n")
    for number in 0..<12 {
      let scan = try #require(bench.last { if case .scan = $0 { true } else { false } })
      var heard = LinkTests.advertisement()
      heard.address = Address(bits: UInt64(0xC0_00_00_00_00_00 + number % 7), kind: .random)
      bench.host(.advertisementReceived(scan.id, heard))
      bench.advance(.milliseconds(300))
      // Advertising data is saved after a second.
      if number == 6 {
        bench.advance(.milliseconds(1500))
        try bench.kill()
      }
    }
    bench.advance(.seconds(12))
    #expect(bench.printed == Array(repeating: "Strap -60", count: 7), "\(bench.failures)")
  }

  @Test func aFullQueueKeepsItsCount() throws {
    var bench = try LinkTests.connected(
      "scan for heart_rate within forever\nconnect\nsubscribe to heart_rate_measurement\non notify heart_rate_measurement: wait 1h\nwait forever\n"
    )
    bench.host(.completed(try LinkTests.gatt(bench).0, .success(.subscribed(LinkTests.measurement, .notify))))
    for number in 0..<EventQueues.limit + 20 {
      bench.isComparing = number >= EventQueues.limit - 2
      bench.host(.notificationReceived(Bench.strap, LinkTests.measurement, [0, 60], .notify))
    }
    bench.advance(.seconds(3))
    #expect(bench.rows.keys.filter { $0.kind == .queuedEvent }.count == EventQueues.limit)
  }
}
