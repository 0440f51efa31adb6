import Packets
import Vocabulary

/// When a receiver listens: a window at the start of each interval.
struct ListeningDuty: Sendable {
  var since: Moment
  /// In 0.625 ms.
  var interval: UInt16
  var window: UInt16

  func isListening(at time: Moment) -> Bool {
    let interval = Int64(interval) * 625_000
    guard interval > 0 else { return false }
    return (time - since).nanoseconds % interval < Int64(window) * 625_000
  }
}

/// A controller that scans.
struct Scanning: Sendable {
  var duty: ListeningDuty
  var isActive: Bool
  /// Reports are extended ones, and extended PDUs are heard.
  var isExtended: Bool
  var filterPolicy: ScanFilterPolicy
  var address: Address
  var filtersDuplicates: Bool
  /// What was reported: looked up, never walked through. Bounded as in real controllers: a full list begins anew.
  var seen: [UInt64: Bool] = [:]

  /// Whether this is the first of its kind (Vol 6, Part B, 4.4.3.5: data are not looked at).
  mutating func isNew(_ address: Address, kind: UInt8) -> Bool {
    guard filtersDuplicates else { return true }
    let key = address.bits << 9 | UInt64(address.kind.rawValue) << 8 | UInt64(kind)
    if seen[key] != nil { return false }
    if seen.count >= 500 { seen.removeAll() }
    seen[key] = true
    return true
  }
}

/// A controller that waits for an advertiser to connect to.
struct Initiating: Sendable {
  var duty: ListeningDuty
  var isExtended: Bool
  var usesList: Bool
  var peer: Address
  var address: Address
  var connection: ConnectionParameters
  /// The CONNECT_IND is out: a cancel comes too late.
  var isSent = false
}
