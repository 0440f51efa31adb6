import Glibc
import Host
import Packets
import Runner
import Session
import Simulator
import Testing
import Vocabulary

@testable import World

/// Devices with private addresses: a device is known by its identity, under any address.
@Suite struct PrivacyTests {
  private static let lamp = """
    peripheral lamp named "Lamp"
      advertise 0xFFF0 every 100ms
      let count = 0
      service 0xFFF0
        characteristic 0xFFF1 can read, notify needs encryption starts as "secret light"
      end
      every 100ms
        set count to count + 1
        notify 0xFFF1 with "{count}"
      end
    end

    """

  private static let identity = Address.simulated("lamp")

  private func hide(_ fixture: Fixture, for span: TimeSpan) {
    fixture.world.air.order("lamp", at: fixture.world.now) { node, now in node.hide(for: span, seed: 1, at: now) }
  }

  /// Addresses under which the lamp was heard since the log was read.
  private func addresses(_ log: [AirRecord]) -> Set<Address> {
    Set(log.filter { $0.kind == .advertisement }.compactMap(\.from))
  }

  /// After pairing under a private address, it is known by its identity, to the recipe, too.
  @Test func aPrivateDeviceIsIdentified() throws {
    let fixture = try Fixture(
      recipe: """
        scan for "Lamp" as lamp
        print "{lamp.address}"
        connect to lamp
        pair
        print "{lamp.address}"
        read 0xFFF1 as value
        disconnect
        wait 10min
        connect to lamp
        read 0xFFF1 as value
        print "{lamp.address} {lamp.encrypted} {count(devices())}"

        """, devices: Self.lamp)
    hide(fixture, for: .minutes(1))
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(30)) == .ended, "\(fixture.errors)")
    let lines = fixture.output.split(separator: "\n")
    #expect(lines.count == 3, "\(fixture.output) \(fixture.errors)")
    #expect(lines.first.map { $0 != "\(Self.identity)" } ?? false)
    #expect(lines.dropFirst().first.map { "\($0)" } == "\(Self.identity)")
    #expect(lines.last.map { "\($0)" } == "\(Self.identity) true 1", "\(fixture.errors)")
    let heard = addresses(fixture.world.air.takeLog())
    #expect(heard.count > 1 && !heard.contains(Self.identity))
    #expect(heard.allSatisfy { $0.isResolvablePrivate })
  }

  /// The run is killed, and the device returns under another address.
  @Test func aBondedDeviceComesBackUnderAnotherAddress() throws {
    let fixture = try Fixture(
      recipe: """
        use pairing automatic
        scan for "Lamp" as lamp
        connect to lamp
        subscribe to 0xFFF1
        on notify 0xFFF1 as value: print value.text()
        reconnect forever

        """, devices: Self.lamp)
    try fixture.start()
    _ = fixture.world.run(for: .seconds(20))
    #expect(!fixture.output.isEmpty, "\(fixture.errors)")
    fixture.world.drop()
    hide(fixture, for: .minutes(15))
    fixture.world.wait(.minutes(1))
    _ = fixture.world.air.takeLog()
    let before = fixture.output.utf8.count
    try fixture.start()
    _ = fixture.world.run(for: .seconds(20))
    let log = fixture.world.air.takeLog()
    #expect(fixture.output.utf8.count > before, "\(fixture.errors)")
    #expect(!addresses(log).contains(Self.identity))
    let requests = log.compactMap { $0.kind == .acl && $0.channel == 4 ? $0.bytes?.first : nil }
      .prefix { $0 != ATTOpcode.handleValueNotification }
      .filter { $0.isMultiple(of: 2) && $0 != ATTOpcode.exchangeMTURequest }
    #expect(requests == [], "\(fixture.errors)")
  }

  /// A new address every few seconds, for an hour; with FULL=1 for a week.
  @Test func aRotatingAddressIsOneDevice() throws {
    let fixture = try Fixture(
      recipe: """
        let heard = 0
        scan for "Lamp" as lamp
        connect to lamp
        pair
        disconnect
        on advertisement of 0xFFF0 as a: set heard to heard + 1
        every 30min: print "{count(devices())} {heard > 1000}"
        wait forever

        """,
      devices: """
        peripheral lamp named "Lamp"
          advertise 0xFFF0 every 1s
          service 0xFFF0
            characteristic 0xFFF1 can read needs encryption
          end
        end

        """)
    fixture.world.air.isLogging = false
    hide(fixture, for: .seconds(3))
    try fixture.start()
    let span: TimeSpan = getenv("FULL") == nil ? .minutes(66) : .hours(24 * 7)
    // Neither the host nor the run holds more with each address.
    var holdings: [(host: HostCensus, run: MachineCensus)] = []
    for _ in 0..<6 {
      _ = fixture.world.run(for: TimeSpan(nanoseconds: span.nanoseconds / 6))
      let session = try #require(fixture.world.session)
      session.tidy()
      holdings.append((session.hostCensus, session.machineCensus))
    }
    for holding in holdings.dropFirst() {
      #expect(holding.host.devices <= holdings[0].host.devices + 2, "\(holding.host) after \(holdings[0].host)")
      #expect(holding.run == holdings[0].run)
    }
    let counts = Set(fixture.output.split(separator: "\n"))
    #expect(counts == ["1 true"], "\(fixture.output.prefix(200)) \(fixture.errors.suffix(400))")
  }
}
