import Exchange
import Vocabulary

/// The devices that a running scan has heard; not saved. A report takes constant time, however many
/// devices were heard before.
struct RunningScan: Sendable {
  var operation: OperationID
  /// All heard devices up to a limit, for the message if nothing is found.
  private(set) var heard: [Heard] = []
  private var places: [UInt64: Int] = [:]
  /// The index of each device in the list of found devices.
  var found: [Int: Int] = [:]
  /// The number of found devices, from the first, that have rows.
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

  /// Enough for the message. Rotating addresses would exceed any memory.
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
