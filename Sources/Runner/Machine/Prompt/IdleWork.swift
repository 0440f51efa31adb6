import Exchange
import Vocabulary

/// What a prompt does for completion between two entries: it scans for devices, and discovers the
/// attributes of a connected one.
///
/// It is not saved; a new process begins with its first key. Its operations use numbers of the run,
/// so a keeper learns when they are over.
struct IdleWork: Sendable {
  /// How long it continues after a key.
  static let span = TimeSpan.seconds(60)
  /// The maximum number of devices; the oldest is dropped first.
  static let most = 1024
  /// Devices that were not heard for this long are not offered any more.
  static let oldest = TimeSpan.minutes(10)

  /// When it ends; `nil` before the first key.
  var until: Moment?
  var scan: OperationID?
  /// Whether the controller refused to scan.
  var isRefused = false
  var discovery: (operation: OperationID, device: Int)?
  /// Devices whose attributes were discovered over the current link.
  var asked: [Int] = []
  /// The one that was heard last is the last one.
  private(set) var heard: [(address: Address, name: String?, signal: Int?, at: Moment)] = []

  var isUnderWay: Bool { scan != nil || discovery != nil }

  mutating func hear(_ advertisement: Advertisement, at now: Moment) {
    var name = advertisement.name
    if let place = heard.firstIndex(where: { $0.address == advertisement.address }) {
      name = name ?? heard[place].name
      heard.remove(at: place)
    } else if heard.count == Self.most {
      heard.removeFirst()
    }
    heard.append((advertisement.address, name, advertisement.rssi, now))
  }
}
