package import Vocabulary

/// The context for rendering and parsing values.
package struct Surroundings: Sendable {
  package var zone: TimeZoneRules
  /// The displayed name of each device in the machine's table.
  package var deviceNames: [String]
  /// Whether texts in CSV are protected from being read as spreadsheet formulas.
  package var escapesFormulas = false

  package init(zone: TimeZoneRules = .utc, deviceNames: [String] = []) {
    self.zone = zone
    self.deviceNames = deviceNames
  }

  package func deviceName(_ index: Int) -> String { deviceNames.indices.contains(index) ? deviceNames[index] : "device \(index)" }
}
