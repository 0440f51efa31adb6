/// What to listen for. Only addresses narrow the radio's work.
package struct ScanRequest: Equatable, Sendable {
  package enum Duty: UInt8, Sendable {
    /// Every packet, window equal to interval, active: `scan for`, `on advertisement`.
    case full
    /// Low duty and coalesced: `whenever` and the wait for a wanted device.
    case gentle
    /// The same, and only while nothing else is asked of the radio: for the completion of a prompt.
    case spare
    /// As `full`, on the LE Coded PHY beside LE 1M: `use scan coded`. A controller without that PHY
    /// fails it with `adapter`.
    case coded

    /// Whether each packet is told, and not only what is new.
    package var tellsEach: Bool { self == .full || self == .coded }
  }

  package var duty: Duty
  /// Only advertisements from these (the 48 bits, whatever the type); all when empty.
  package var addresses: [UInt64]
  package var filter: ScanFilter
  /// Of devices that the filter keeps out it is told that they are there: each once, and once more
  /// when its name is known. Else it is told of advertisements that pass, and of a scan response
  /// only when that says something new.
  package var tellsOthers: Bool

  package init(duty: Duty, addresses: [UInt64] = [], filter: ScanFilter = ScanFilter(), tellsOthers: Bool = true) {
    self.duty = duty
    self.addresses = addresses
    self.filter = filter
    self.tellsOthers = tellsOthers
  }
}
