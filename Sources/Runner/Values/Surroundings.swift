package import Vocabulary

/// What rendering and reading values needs to know of the world around them.
package struct Surroundings: Sendable {
  package var zone: TimeZoneRules
  /// What each device of the machine's table is called when it is printed.
  package var deviceNames: [String]
  /// Texts in CSV that a spreadsheet would take for formulas are made harmless.
  package var escapesFormulas = false

  package init(zone: TimeZoneRules = .utc, deviceNames: [String] = []) {
    self.zone = zone
    self.deviceNames = deviceNames
  }

  package func deviceName(_ index: Int) -> String { deviceNames.indices.contains(index) ? deviceNames[index] : "device \(index)" }
}
