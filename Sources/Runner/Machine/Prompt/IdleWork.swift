import Exchange
import Vocabulary

/// What a prompt does for Tab between two entries: it listens for devices that could be named, and
/// discovers the attributes of a connected one.
///
/// Of this process only: no row of a checkpoint has it, and a process that goes on begins with its
/// first key. Its operations have numbers of the run, so a keeper is told that they are over.
struct IdleWork: Sendable {
  /// How long after a key it goes on.
  static let span = TimeSpan.seconds(60)
  /// So many devices are known at most; the oldest goes first.
  static let most = 1024
  /// Who was not heard since then is not offered any more.
  static let oldest = TimeSpan.minutes(10)

  /// Until then; nothing before the first key.
  var until: Moment?
  var scan: OperationID?
  /// The controller refused to listen.
  var isRefused = false
  var discovery: (operation: OperationID, device: Int)?
  /// Devices whose attributes were asked for over the link that they have.
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
