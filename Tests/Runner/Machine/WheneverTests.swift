import Exchange
import Glibc
import Testing
import Vocabulary

@testable import Runner

/// `whenever … appears`: a fiber for each device, once.
@Suite struct WheneverTests {
  private func beacon(_ number: Int, rssi: Int = -60) -> Advertisement {
    ListeningTests.heard(number, rssi: rssi, manufacturer: [.init(company: 0x4C, data: ListeningTests.beacon)])
  }

  private func deliver(_ bench: inout Bench, _ advertisement: Advertisement) {
    for scan in ListeningTests.scans(bench) { bench.host(.advertisementReceived(scan.id, advertisement)) }
  }

  private static let region = """
    whenever ibeacon stronger than -85dBm appears as b
      print "came", b.address
      wait until now() - b.heard > 30s
      print "left", b.address
    end
    wait forever
    """

  @Test func wheneverEntersAndLeavesOnce() throws {
    var bench = try Bench(Self.region)
    let scan = try #require(ListeningTests.scans(bench).first)
    #expect(scan.request.duty == .gentle)
    #expect(scan.request.filter == ScanFilter(targets: [.manufacturer(0x4C)], strongerThan: -85))
    deliver(&bench, beacon(1, rssi: -90))
    for _ in 0..<20 {
      for number in 1...2 { deliver(&bench, beacon(number)) }
      bench.advance(.seconds(10))
    }
    #expect(bench.printed == ["came C0:00:00:00:00:01", "came C0:00:00:00:00:02"])
    for _ in 0..<3 {
      deliver(&bench, beacon(2))
      bench.advance(.seconds(10))
    }
    #expect(bench.printed.dropFirst(2) == ["left C0:00:00:00:00:01"])
    // Once per device and run.
    deliver(&bench, beacon(1))
    bench.advance(.seconds(100))
    #expect(bench.printed.dropFirst(3) == ["left C0:00:00:00:00:02"])
  }

  @Test func aKillBetweenEnteringAndLeavingIsSurvived() throws {
    for (down, stays) in [(TimeSpan.seconds(2), true), (.minutes(10), true), (.minutes(10), false)] {
      var bench = try Bench(Self.region)
      for _ in 0..<12 {
        deliver(&bench, beacon(1))
        bench.advance(.seconds(5))
      }
      try bench.kill(downFor: down)
      #expect(ListeningTests.scans(bench).count == 1)
      for _ in 0..<4 {
        if stays { deliver(&bench, beacon(1)) }
        bench.advance(.seconds(5))
      }
      #expect(bench.printed == ["came C0:00:00:00:00:01"], "silent for \(down), stays: \(stays)")
      bench.advance(.seconds(40))
      #expect(bench.printed == ["came C0:00:00:00:00:01", "left C0:00:00:00:00:01"])
      try bench.kill()
      deliver(&bench, beacon(1))
      bench.advance(.seconds(5))
      #expect(bench.printed.count == 2, "once per device and run")
    }
  }

  @Test func againAfterCountsFromTheEndOfTheLast() throws {
    var bench = try Bench(
      """
      whenever 0x181A appears again after 1min as d
        print d.name
        wait 30s
      end
      wait forever
      """)
    let one = ListeningTests.heard(1, name: "A", services: [UUID(0x181A)])
    for _ in 0..<40 {
      deliver(&bench, one)
      bench.advance(.seconds(5))
    }
    // 0, 90 and 180 s
    #expect(bench.printed.count == 3)
    try bench.kill()
    for _ in 0..<12 {
      deliver(&bench, one)
      bench.advance(.seconds(5))
    }
    #expect(bench.printed.count == 3)
    for _ in 0..<12 {
      deliver(&bench, one)
      bench.advance(.seconds(5))
    }
    #expect(bench.printed.count == 4)
  }

  @Test func whereSeesTheAdvertisementAndAFailureEndsOneActivation() throws {
    var bench = try Bench(
      """
      whenever ibeacon where it.value.minor is 2 and it.rssi > -70 appears as d
        fail "no" if d.rssi < -65 else "never"
      end
      on failure as p: print "failed", p.message
      wait forever
      """)
    deliver(&bench, beacon(1, rssi: -80))
    deliver(&bench, beacon(2, rssi: -66))
    deliver(&bench, beacon(2, rssi: -66))
    #expect(bench.printed == ["failed no"])
    #expect(bench.failures.count == 1)
    #expect(bench.machine.census.fibers == 1)
  }

  @Test func onFailureThatFailsIsOnlyLogged() throws {
    var bench = try Bench("every 1s: fail \"no\"\non failure as p: print p.device.address\nwait forever\n")
    bench.advance(.milliseconds(1500))
    #expect(bench.failures.count == 2 && bench.printed == [])
  }

  @Test func theLinkEndsWithTheActivation() throws {
    var bench = try Bench(
      """
      whenever 0x181A appears as d
        connect within 5s
        wait 10s
      end
      wait forever
      """)
    let peer = ListeningTests.heard(1, services: [UUID(0x181A)]).address
    deliver(&bench, ListeningTests.heard(1, services: [UUID(0x181A)]))
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, peer, Bench.link))
    try bench.kill()
    let again = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(again.id, peer, Bench.link))
    #expect(bench.last { $0 == .disconnect(peer) } == nil)
    bench.advance(.seconds(11))
    #expect(bench.last { $0 == .disconnect(peer) } != nil)
    #expect(!bench.machine.devices[0].isWanted && bench.machine.devices[0].holders.isEmpty)
  }

  @Test func theBodyKeepsASharedLink() throws {
    var bench = try Bench(
      """
      connect to C0:00:00:00:00:01/random
      whenever 0x181A appears as d
        connect
      end
      wait forever
      """)
    let peer = ListeningTests.heard(1).address
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, peer, Bench.link))
    deliver(&bench, ListeningTests.heard(1, services: [UUID(0x181A)]))
    bench.advance(.seconds(1))
    #expect(bench.machine.census.seenDevices == 1 && bench.machine.census.fibers == 1)
    #expect(bench.last { $0 == .disconnect(peer) } == nil)
  }

  /// Every state is in its rows.
  @Test func wheneverStateIsSaved() throws {
    var bench = try Bench(
      """
      whenever 0x181A appears again after 5s
        wait 3s
      end
      wait forever
      """)
    bench.isComparing = true
    for second in 0..<40 {
      deliver(&bench, ListeningTests.heard(second % 3, services: [UUID(0x181A)]))
      bench.advance(.seconds(1))
      if second % 10 == 9 { try bench.kill() }
    }
    #expect(bench.machine.census.seenDevices == 3)
  }

  /// Fifty thermometers that change their addresses every 15 minutes: for a day, heard every two
  /// minutes, or for a month, heard every ten seconds.
  @Test func fiftyThermometersWithRotatingAddressesAreBounded() throws {
    var bench = try Bench(
      """
      let heard = 0
      on advertisement of bthome where "temperature" in it.value as a keeping latest
        set heard to heard + 1
      end
      whenever bthome appears again after 1h as d: debug d.address
      every 1d: print heard
      wait forever
      """)
    let isFull = getenv("FULL") != nil
    let (days, period) = isFull ? (30, 10) : (1, 120)
    let steps = days * 86_400 / period
    var most = MachineCensus()
    var mostRows = 0
    for step in 0..<steps {
      for number in 0..<50 {
        let address = step * period / 900 * 50 + number
        let data = Advertisement.ServiceData(service: UUID(0xFCD2), data: [0x40, 0x02, UInt8(truncatingIfNeeded: step), 0x09])
        deliver(&bench, ListeningTests.heard(address, data: [data]))
      }
      bench.advance(.seconds(Int64(period)))
      bench.commits = []
      bench.logged = []
      bench.requests = bench.requests.suffix(8)
      let census = bench.machine.census
      most.devices = max(most.devices, census.devices)
      most.seenDevices = max(most.seenDevices, census.seenDevices)
      most.fibers = max(most.fibers, census.fibers)
      most.queuedEvents = max(most.queuedEvents, census.queuedEvents)
      if step % 50 == 0 {
        bench.rows = bench.rows.filter { !$0.value.isEmpty }
        mostRows = max(mostRows, bench.rows.count)
      }
    }
    #expect(bench.printed.first == "\(86_400 / period * 50)")
    #expect(most.devices <= 2 * 4096, "\(most)")
    #expect(most.seenDevices <= SeenDevices.limit, "\(most)")
    #expect(most.fibers <= 60 && most.queuedEvents == 0, "\(most)")
    #expect(mostRows < 3 * 4096 + 100)
  }
}
