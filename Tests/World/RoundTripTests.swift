import Packets
import Simulator
import Testing
import Vocabulary

/// ATT round trips on the air, except the MTU exchange.
@Suite struct RoundTripTests {
  /// It beats so often that its first notification arrives before the link is ever idle.
  private static let strap = """
    peripheral strap named "Strap 7"
      advertise heart_rate every 100ms
      service heart_rate
        characteristic heart_rate_measurement can notify
        characteristic body_sensor_location can read starts as "chest"
      end
      service battery_service
        characteristic battery_level can read starts as 97
      end
      every 100ms: notify heart_rate_measurement with {bpm: 60, contact: "good"}
    end

    """

  private static let beats = """
    scan for heart_rate
    connect
    subscribe to heart_rate_measurement
    on notify heart_rate_measurement as beat: print beat.bpm
    reconnect forever

    """

  /// The requests up to the first notification.
  private static func requests(_ records: [AirRecord]) -> [UInt8] {
    let opcodes = records.compactMap { $0.kind == .acl && $0.channel == 4 ? $0.bytes?.first : nil }
    return opcodes.prefix { $0 != ATTOpcode.handleValueNotification }
      .filter { $0.isMultiple(of: 2) && $0 != ATTOpcode.exchangeMTURequest }
  }

  @Test func coldItTakesFourAndCachedTwo() throws {
    let fixture = try Fixture(recipe: Self.beats, devices: Self.strap)
    try fixture.start()
    _ = fixture.world.run(for: .seconds(10))
    #expect(
      Self.requests(fixture.world.air.takeLog()) == [
        ATTOpcode.findByTypeValueRequest, ATTOpcode.readByTypeRequest, ATTOpcode.findInformationRequest, ATTOpcode.writeRequest,
      ])
    fixture.world.stop(.stopped)
    #expect(fixture.world.run(for: .seconds(10)) == .ended)
    _ = fixture.world.air.takeLog()

    var again = fixture.plan()
    again.isFresh = true
    try fixture.start(again)
    _ = fixture.world.run(for: .seconds(10))
    #expect(Self.requests(fixture.world.air.takeLog()) == [ATTOpcode.readByTypeRequest, ATTOpcode.writeRequest])
  }

  @Test func oneReadByUUIDTakesOne() throws {
    let fixture = try Fixture(
      recipe: "scan for heart_rate\nconnect\nread battery_level as level\nprint level\n", devices: Self.strap)
    try fixture.start()
    #expect(fixture.world.run(for: .seconds(20)) == .ended)
    #expect(Self.requests(fixture.world.air.takeLog()) == [ATTOpcode.readByTypeRequest])
    #expect(fixture.output == "97\n")
  }
}
