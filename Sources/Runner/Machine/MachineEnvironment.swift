package import Vocabulary

/// What a run must know of the world that it cannot see.
package struct MachineEnvironment: Sendable {
  /// Of its random numbers.
  package var seed: UInt64
  /// Which boot of the machine this is: moments mean nothing across boots.
  package var bootID: String
  package var timeZone: TimeZoneRules
  /// `--strict`: a failure in a handler ends the run.
  package var isStrict: Bool
  /// So much longer than it says a `wait until` waits: a test under faults.
  package var patience = TimeSpan.zero
  /// `--csv-escape`: no text in CSV begins like a formula of a spreadsheet.
  package var escapesFormulas = false
  /// `--rebond`: a device that has forgotten its bond is paired with anew.
  package var rebonds = false
  /// `--min-key-size`: the shortest key of a bond, in octets, 7 to 16.
  package var smallestKey: UInt8 = 16
  /// `--passkey` and `--confirm`.
  package var codes = PairingCodes()
  /// The environment of the process, for `env`. A resumed run has that of its new process.
  package var variables: [(name: String, value: String)] = []

  package init(seed: UInt64, bootID: String, timeZone: TimeZoneRules = .utc, isStrict: Bool = false) {
    self.seed = seed
    self.bootID = bootID
    self.timeZone = timeZone
    self.isStrict = isStrict
  }
}
