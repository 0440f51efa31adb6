package import Vocabulary

/// Facts about the outside world that a run needs.
package struct MachineEnvironment: Sendable {
  /// Seed of its random numbers.
  package var seed: UInt64
  /// Identifies the boot of the machine, because moments are not comparable across boots.
  package var bootID: String
  package var timeZone: TimeZoneRules
  /// `--strict`: whether a failure in a handler ends the run.
  package var isStrict: Bool
  /// Additional time for each `wait until`, for a test under faults.
  package var patience = TimeSpan.zero
  /// `--csv-escape`: whether text in CSV is protected from being read as a spreadsheet formula.
  package var escapesFormulas = false
  /// `--rebond`: whether to pair again with a device that has lost its bond.
  package var rebonds = false
  /// `--min-key-size`: the shortest key of a bond, in octets, 7 to 16.
  package var smallestKey: UInt8 = 16
  /// `--passkey` and `--confirm`.
  package var codes = PairingCodes()
  /// The environment of the process, for `env`. A resumed run uses that of its new process.
  package var variables: [(name: String, value: String)] = []

  package init(seed: UInt64, bootID: String, timeZone: TimeZoneRules = .utc, isStrict: Bool = false) {
    self.seed = seed
    self.bootID = bootID
    self.timeZone = timeZone
    self.isStrict = isStrict
  }
}
