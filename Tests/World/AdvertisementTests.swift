import Runner
import Session
import Testing
import Vocabulary

/// Sensors that only advertise, on simulated air, with the process dropped at its effects.
@Suite struct AdvertisementTests {
  static let sensor = """
    peripheral sensor named "Probe"
      let steps = 0
      advertise environmental_sensing every 500ms
      every 5s
        set steps to steps + 1
        advertise environmental_sensing every 500ms with {service_data: {service: environmental_sensing, data: u16(steps)}}
      end
    end

    """

  @Test func advertisementsAreHandledDespiteKills() throws {
    let recipe = """
      format probe for service_data environmental_sensing
        steps is u16
      end
      let last = 0
      on advertisement of probe as a
        if a.value.steps > last
          set last to a.value.steps
          append {steps: last, name: a.name} to "steps.csv"
          print last
        end
      end
      wait forever

      """
    let make = { try Fixture(recipe: recipe, devices: Self.sensor) }
    let whole = try make()
    try whole.start()
    _ = whole.world.run(for: .seconds(17))
    #expect(whole.output == "1\n2\n3\n", "\(whole.errors)")
    #expect(whole.playground.content("steps.csv") == "steps,name\n1,Probe\n2,Probe\n3,Probe\n")
    let count = whole.world.session?.effectCount ?? 0
    #expect((10...60).contains(count), "\(count)")
    for number in 1...count {
      for side in [EffectPoint.Side.before, .after] {
        let fixture = try make()
        try fixture.start(hook: { $0.number == number && $0.side == side ? .kill : .goOn })
        guard fixture.world.run(for: .seconds(17)) == .killed else { continue }
        fixture.world.wait(.milliseconds(300))
        try fixture.start()
        _ = fixture.world.run(for: .seconds(17))
        let rows = (fixture.playground.content("steps.csv") ?? "").split(separator: "\n").dropFirst()
        let steps = rows.compactMap { $0.split(separator: ",").first.flatMap { Int($0) } }
        #expect(steps.count >= 3 && steps == Array(1...steps.count), "effect \(number) \(side): \(steps) \(fixture.errors)")
        let lines = fixture.output.split(separator: "\n").count
        #expect((steps.count...steps.count + 1).contains(lines), "effect \(number) \(side): \(fixture.output)")
      }
    }
  }

  /// An advertisement of a beacon, as its controller reports it.
  private static func packet(_ sender: UInt8, _ data: [UInt8], isResponse: Bool = false) -> [UInt8] {
    [0x04, 0x3E, UInt8(12 + data.count), 0x02, 0x01, isResponse ? 0x04 : 0x02, 1, sender, 0, 0, 0, 0x5E, 0xC0, UInt8(data.count)]
      + data + [0xC4]
  }

  @Test func throughAKeeperEachPacketArrivesOnce() throws {
    var side = try ScanFilterTests.Side(
      """
      format counter for manufacturer 0xFFFF
        n is u8
      end
      on advertisement of counter as a: print a.value.n, a.name
      wait forever

      """, isBlind: false)
    // The run gets the report that the adapter is ready.
    side.packet(Self.packet(0xEE, []))
    side.pass(.milliseconds(20))
    for number in 0..<100 as Range<UInt8> {
      side.packet(Self.packet(1, [4, 0xFF, 0xFF, 0xFF, number]))
      // The scan response repeats the data, except the first time.
      side.packet(Self.packet(1, [3, 0x09, 0x41, 0x42], isResponse: true))
      // Other devices are not reported.
      side.packet(Self.packet(number, [4, 0xFF, 0xFE, 0xFF, number]))
      side.pass(.milliseconds(20))
    }
    #expect(side.lines == ["0 nothing", "0 AB"] + (1..<100).map { "\($0) AB" })
    #expect(side.told == 101)
    side.lines = []
    side.kill()
    for number in 100..<110 as Range<UInt8> {
      side.packet(Self.packet(1, [4, 0xFF, 0xFF, 0xFF, number]))
      side.pass(.milliseconds(20))
    }
    try side.comeBack()
    // After an absence the run hears of the device once.
    #expect(side.lines == ["100 AB"])
    for number in 110..<120 as Range<UInt8> {
      side.packet(Self.packet(1, [4, 0xFF, 0xFF, 0xFF, number]))
      side.pass(.milliseconds(20))
    }
    #expect(side.lines == ["100 AB"] + (110..<120).map { "\($0) AB" })
  }

  private func run(_ name: String, for span: TimeSpan) throws -> Fixture {
    let fixture = try Fixture(recipe: "recipes/\(name).ble", devices: "recipes/devices/\(name).ble")
    try fixture.start()
    _ = fixture.world.run(for: span)
    return fixture
  }

  @Test func aButtonPressIsReportedOnce() throws {
    let fixture = try run("button", for: .seconds(60))
    #expect(fixture.output == "Bell: press\nBell: double_press\nBell: long_press\n", "\(fixture.errors)")
    #expect(fixture.playground.content("presses.csv")?.split(separator: "\n").count == 4)
  }

  @Test func aDryPlantIsReported() throws {
    let fixture = try run("plant", for: .seconds(150))
    #expect(fixture.output == "Ficus needs water: 14 %\nFicus is fine again: 40 %\n", "\(fixture.errors)")
  }

  @Test func roomSensorsOfSeveralMakersAreRead() throws {
    let fixture = try run("room-sensors", for: .seconds(65))
    let lines = fixture.output.split(separator: "\n").map(String.init)
    #expect(lines.count == 6, "\(lines) \(fixture.errors)")
    #expect(Set(lines.prefix(3).map { $0.suffix(20) }).count == 3)
    #expect(lines.contains { $0.hasSuffix(": 24.3 °C, 53.49 %") }, "\(lines)")
    #expect(lines.contains { $0.hasSuffix(": 10.0 °C, nothing %") }, "\(lines)")
    #expect(
      lines.contains { $0.hasSuffix(": 25.06 °C, 50.55 %") } && lines.contains { $0.hasSuffix(": 25.66 °C, 50.55 %") }, "\(lines)")
  }

  /// Killed between arrival and departure, before and after effects: the output is the same.
  @Test func beaconsComeAndGoDespiteKills() throws {
    func events(_ fixture: Fixture) -> [String] {
      fixture.output.split(separator: "\n").map { String($0.split(separator: " ")[1].dropFirst(6)) }
    }
    let whole = try run("beacons", for: .minutes(4))
    #expect(events(whole) == ["came", "came", "left", "came"], "\(whole.output) \(whole.errors)")
    let count = whole.world.session?.effectCount ?? 0
    for number in stride(from: 1, through: count, by: max(1, count / 12)) {
      for side in [EffectPoint.Side.before, .after] {
        let fixture = try Fixture(recipe: "recipes/beacons.ble", devices: "recipes/devices/beacons.ble")
        try fixture.start(hook: { $0.number == number && $0.side == side ? .kill : .goOn })
        guard fixture.world.run(for: .minutes(4)) == .killed else { continue }
        fixture.world.wait(.seconds(3))
        try fixture.start()
        _ = fixture.world.run(for: .minutes(4))
        var told = events(fixture)
        // A kill may repeat the last line.
        if told.count > 4, let place = told.indices.dropFirst().first(where: { told[$0] == told[$0 - 1] && $0 > 1 }) {
          told.remove(at: place)
        }
        #expect(told.prefix(4) == ["came", "came", "left", "came"], "effect \(number) \(side): \(fixture.output)")
      }
    }
  }
}
