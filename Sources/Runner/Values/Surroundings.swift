package import Vocabulary

/// What rendering and reading values needs to know of the world around them.
package struct Surroundings: Sendable {
  /// Seconds east of Greenwich at a time, in the local time zone.
  package var secondsEast: @Sendable (WallTime) -> Int
  /// What each device of the machine's table is called when it is printed.
  package var deviceNames: [String]

  package init(secondsEast: @escaping @Sendable (WallTime) -> Int = { _ in 0 }, deviceNames: [String] = []) {
    self.secondsEast = secondsEast
    self.deviceNames = deviceNames
  }

  package func deviceName(_ index: Int) -> String { deviceNames.indices.contains(index) ? deviceNames[index] : "device \(index)" }
}
