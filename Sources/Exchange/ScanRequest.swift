/// What to scan for. Only addresses make the radio's work less.
package struct ScanRequest: Equatable, Sendable {
  package enum Duty: UInt8, Sendable {
    /// Active, window equal to interval, reports every packet: `scan for`, `on advertisement`.
    case full
    /// Low duty, reports only news: `whenever`, and waiting for a device to connect to.
    case gentle
    /// As `gentle`, and only while the radio has nothing else to do: for completion at the prompt.
    case spare
    /// As `full`, on LE Coded as well as on LE 1M: `use scan coded`. On a controller without LE
    /// Coded the scan fails with `adapter`.
    case coded

    /// Whether every packet is reported, and not only news.
    package var reportsEachPacket: Bool { self == .full || self == .coded }
  }

  package var duty: Duty
  /// Accept advertisements only from these addresses (48 bits, any type); from all if empty.
  package var addresses: [UInt64]
  package var filter: ScanFilter
  /// Whether devices that the filter rejects are reported too: once, and again when the name
  /// becomes known. Otherwise only advertisements that pass are reported, and scan responses only
  /// with news.
  package var reportsOthers: Bool

  package init(duty: Duty, addresses: [UInt64] = [], filter: ScanFilter = ScanFilter(), reportsOthers: Bool = true) {
    self.duty = duty
    self.addresses = addresses
    self.filter = filter
    self.reportsOthers = reportsOthers
  }
}
