import Vocabulary

/// Discovery of everything on a peripheral of 148 attributes, on the simulated air: both hosts,
/// both controllers and the air between them.
enum DiscoveryBench {
  /// With `isDiscovering` false, runs the same without the discovery. The difference is its cost.
  static func run(isDiscovering: Bool) throws {
    let world = try BenchWorld(devices: Devices.crowded)
    let discovery = """
      discover everything
      for each s in device.services
        set attributes to attributes + 1
        for each c in s.characteristics
          set attributes to attributes + 2 + count(c.descriptors)
        end
      end

      """
    let recipe = "let attributes = 0\nscan for \"Crowd\"\nconnect\n\(isDiscovering ? discovery : "")wait forever\n"
    try world.start(recipe)
    try world.run(.seconds(20))
    guard try world.stored("attributes") == (isDiscovering ? .int(148) : nil) else {
      throw BenchFailure("not 148 attributes were found: \(String(describing: try world.stored("attributes")))")
    }
    Report.figure("attributes", isDiscovering ? 148 : 0)
  }
}
