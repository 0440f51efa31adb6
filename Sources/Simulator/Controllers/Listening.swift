import Packets
import Vocabulary

/// When a receiver listens: a window at the start of each interval and, for a scan with a period,
/// only at the start of the period.
struct ListeningDuty: Sendable {
  /// A scan that is repeated periodically.
  struct Cycle: Sendable {
    var duration: TimeSpan
    var period: TimeSpan
  }

  var since: Moment
  /// In 0.625 ms.
  var interval: UInt16
  var window: UInt16
  var cycle: Cycle?

  /// The number of completed periods.
  func period(at time: Moment) -> Int64 { cycle.map { (time - since).nanoseconds / max(1, $0.period.nanoseconds) } ?? 0 }

  func isListening(at time: Moment) -> Bool {
    if time < since { return false }
    if let cycle, (time - since).nanoseconds % max(1, cycle.period.nanoseconds) >= cycle.duration.nanoseconds { return false }
    let interval = Int64(interval) * 625_000
    guard interval > 0 else { return false }
    return (time - since).nanoseconds % interval < Int64(window) * 625_000
  }
}

/// When a controller listens on each primary PHY; `nil` if it does not.
struct ListeningPHYs: Sendable {
  var le1M: ListeningDuty?
  var leCoded: ListeningDuty?

  /// A single receiver listens on one PHY after the other.
  init(le1M: ListeningDuty?, leCoded: ListeningDuty? = nil) {
    self.le1M = le1M
    self.leCoded = leCoded
    if let le1M, let leCoded { self.leCoded?.since = leCoded.since + .microseconds(625) * Int64(le1M.window) }
  }

  /// The number of completed periods of the scan.
  func period(at time: Moment) -> Int64 { (le1M ?? leCoded)?.period(at: time) ?? 0 }

  func isListening(on phy: UInt8, at time: Moment) -> Bool { (phy == 3 ? leCoded : le1M)?.isListening(at: time) ?? false }
}

/// The state of a scanning controller.
struct Scanning: Sendable {
  var duty: ListeningPHYs
  /// Whether it sends scan requests.
  var isActive: Bool
  /// Whether it receives extended PDUs and sends extended reports.
  var isExtended: Bool
  var filterPolicy: ScanFilterPolicy
  var address: Address
  var filtersDuplicates: Bool
  /// Whether the filter is cleared at the start of each period.
  var forgetsEachPeriod = false
  private var lastPeriod: Int64 = 0
  /// The reported devices, only used for look-ups. Bounded as in real controllers: a full list is
  /// cleared.
  var seen: [UInt64: Bool] = [:]

  init(
    duty: ListeningPHYs, isActive: Bool, isExtended: Bool, filterPolicy: ScanFilterPolicy, address: Address, filtersDuplicates: Bool
  ) {
    self.duty = duty
    self.isActive = isActive
    self.isExtended = isExtended
    self.filterPolicy = filterPolicy
    self.address = address
    self.filtersDuplicates = filtersDuplicates
  }

  /// Whether this is the first of its kind (Vol 6, Part B, 4.4.3.5: the data are not compared).
  mutating func isNew(_ address: Address, kind: UInt8, at time: Moment) -> Bool {
    guard filtersDuplicates else { return true }
    if forgetsEachPeriod, duty.period(at: time) != lastPeriod {
      lastPeriod = duty.period(at: time)
      seen.removeAll()
    }
    let key = address.bits << 9 | UInt64(address.kind.rawValue) << 8 | UInt64(kind)
    if seen[key] != nil { return false }
    if seen.count >= 500 { seen.removeAll() }
    seen[key] = true
    return true
  }
}

/// The state of a controller that waits for an advertiser to connect to.
struct Initiating: Sendable {
  var duty: ListeningPHYs
  var isExtended: Bool
  var usesList: Bool
  var peer: Address
  var address: Address
  /// With a resolvable type, the private address depends on the peer.
  var ownAddressType: OwnAddressType
  /// The parameters of a link on LE 1M, and on LE Coded.
  var le1M: ConnectionParameters?
  var leCoded: ConnectionParameters?
  /// Whether CONNECT_IND was sent, so that a cancel comes too late.
  var isSent = false
}
