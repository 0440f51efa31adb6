import Exchange
import Vocabulary

/// What a scan that is under way has heard; not saved. A report costs the same however many devices
/// were heard before.
struct Hearing: Sendable {
  var operation: OperationID
  /// Everybody heard, bounded, for the message when nothing is found.
  private(set) var heard: [Heard] = []
  private var places: [UInt64: Int] = [:]
  /// Where a device stands in the list of those found.
  var found: [Int: Int] = [:]
  /// So many of those found, from the first, have their rows.
  var stored: Int

  struct Heard: Sendable {
    var name: String?
    var rssi: Int?
    var services: [UUID]
  }

  init(_ operation: OperationID, found: [ScanWait.Found]) {
    self.operation = operation
    stored = found.count
    for (place, entry) in found.enumerated() { self.found[entry.device] = place }
  }

  /// Enough for the message; rotating addresses are endless.
  private static let limit = 256

  mutating func remember(_ advertisement: Advertisement) {
    if let place = places[advertisement.address.bits] {
      if heard[place].name == nil { heard[place].name = advertisement.name }
      return
    }
    guard heard.count < Self.limit else { return }
    places[advertisement.address.bits] = heard.count
    heard.append(Heard(name: advertisement.name, rssi: advertisement.rssi, services: advertisement.services))
  }
}
