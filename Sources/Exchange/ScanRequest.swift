/// What to listen for. Names, services and formats are matched by whoever asked; only addresses narrow the radio's work.
package struct ScanRequest: Equatable, Sendable {
  package enum Duty: UInt8, Sendable {
    /// Every packet, window equal to interval, active: `scan for`, `on advertisement`.
    case full
    /// Low duty and coalesced: `whenever` and the wait for a wanted device.
    case gentle
  }

  package var duty: Duty
  /// Only advertisements from these (the 48 bits, whatever the type); all when empty.
  package var addresses: [UInt64]

  package init(duty: Duty, addresses: [UInt64] = []) {
    self.duty = duty
    self.addresses = addresses
  }
}
