import Session
import Testing
import Vocabulary

/// Whole worlds in which every host, ours and those of the peripherals, is restored from its bytes
/// again and again.
@Suite struct RemadeHostTests {
  private struct Observed: Equatable {
    var output: String
    var errors: String
    var air: [String]
  }

  /// - Parameter isLost: the peripherals are out of range for a while.
  private static func observe(_ recipe: String, _ devices: String, isLost: Bool) throws -> Observed {
    let fixture = try Fixture(recipe: recipe, devices: devices, seed: 3)
    try fixture.start()
    let world = fixture.world
    let controllers = world.air.peripheralNames.compactMap { world.air.controller(of: $0) }
    _ = world.run(for: .seconds(6))
    if isLost { for controller in controllers { world.air.make { $0.vanish(controller, at: world.now.moment) } } }
    _ = world.run(for: .seconds(9))
    if isLost { for controller in controllers { world.air.make { $0.appear(controller, at: world.now.moment) } } }
    _ = world.run(for: .seconds(15))
    return Observed(output: fixture.output, errors: fixture.errors, air: world.air.takeLog().map(\.line))
  }

  @Test(
    arguments: [
      ("recipes/heart-rate.ble", "recipes/devices/heart-rate-strap.ble"),
      ("recipes/thermometer.ble", "recipes/devices/thermometer.ble"),
      ("recipes/valve.ble", "recipes/devices/valve.ble"),
    ], [false, true]) func remakingTheHostChangesNothing(_ files: (recipe: String, devices: String), _ isLost: Bool) throws
  {
    let whole = try Self.observe(files.recipe, files.devices, isLost: isLost)
    let remade = try HostNode.$isRemade.withValue(true) { try Self.observe(files.recipe, files.devices, isLost: isLost) }
    #expect(whole.air.count > 10)
    #expect(remade == whole)
  }
}
