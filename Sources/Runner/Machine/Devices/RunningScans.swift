import Exchange
import Vocabulary

/// The running scans and what each has heard. Found devices have rows, which are written with the
/// next commit or after a second, because devices will be heard again.
struct RunningScans: Sendable {
  private var all: [RunningScan] = []
  /// The deadline for saving what was heard.
  private(set) var due: Moment?
  private var deleted: [RowKey] = []

  private static let patience = TimeSpan.seconds(1)

  var devices: some Sequence<Int> { all.lazy.flatMap(\.found.keys) }

  func heard(by operation: OperationID?) -> [RunningScan.Heard] { all.first { $0.operation == operation }?.heard ?? [] }

  func index(of operation: OperationID) -> Int? { all.firstIndex { $0.operation == operation } }

  /// Does not delete rows; the caller deletes all of them.
  mutating func removeAll() { self = RunningScans() }

  /// Begins a scan, or renumbers one that is repeated.
  mutating func begin(_ operation: OperationID, insteadOf last: OperationID?, found: [ScanWait.Found]) {
    if let last, let index = index(of: last) {
      all[index].operation = operation
    } else {
      all.append(RunningScan(operation, found: found))
    }
  }

  /// Resumes a scan of a checkpoint. Its found devices have rows if `isStored`.
  @discardableResult
  mutating func resume(_ operation: OperationID, found: [ScanWait.Found], isStored: Bool) -> Int {
    all.append(RunningScan(operation, found: found))
    if !isStored { all[all.count - 1].stored = 0 }
    return all.count - 1
  }

  mutating func remember(_ advertisement: Advertisement, at scan: Int) { all[scan].remember(advertisement) }

  /// Sets the deadline for saving after something was heard.
  mutating func note(_ now: Moment) { if due == nil { due = now + Self.patience } }

  /// Adds a device to `scan for all` or updates its strength; `strongest` keeps a single device.
  mutating func note(
    _ device: Int, _ rssi: Int, at scan: Int, in list: inout [ScanWait.Found], isOne: Bool, _ now: Moment
  ) {
    if let known = all[scan].found[device], list.indices.contains(known) {
      if list[known].rssi < rssi { list[known].rssi = rssi }
    } else if !isOne {
      all[scan].found[device] = list.count
      list.append(ScanWait.Found(device: device, rssi: rssi))
      note(now)
    } else if list.allSatisfy({ $0.rssi < rssi }) {
      forgetRows(scan)
      all[scan].found = [device: 0]
      list = [ScanWait.Found(device: device, rssi: rssi)]
      note(now)
    }
  }

  /// Ends a scan. Found devices are now its value, or no longer needed.
  mutating func end(_ operation: OperationID) {
    guard let index = index(of: operation) else { return }
    forgetRows(index)
    all.remove(at: index)
  }

  /// Deletes the rows of a scan's found devices with the next commit.
  private mutating func forgetRows(_ scan: Int) {
    guard all[scan].stored > 0 else { return }
    let stored = all[scan].stored
    all[scan].stored = 0
    for device in all[scan].found.filter({ $0.value < stored }).keys.sorted() {
      // If another scan has found it, too, write its row again without this scan.
      for other in all.indices where other != scan {
        if let place = all[other].found[device] { all[other].stored = min(all[other].stored, place) }
      }
      deleted.append(RowKey(.found, UInt64(device)))
    }
  }

  // MARK: Rows

  /// Marks the rows of all found devices to be rewritten.
  mutating func rewrite() {
    deleted.removeAll()
    for index in all.indices { all[index].stored = 0 }
  }

  mutating func takeDeleted(in commit: inout Commit) { commit.takeDeleted(&deleted) }

  /// - Parameter fibers: the fibers that run the scans.
  mutating func store(_ fibers: Scheduler, in commit: inout Commit) {
    due = nil
    guard all.contains(where: { $0.stored < $0.found.count }) else { return }
    let scans = all.map { scan in
      fibers.first { $0.wait.scanOperation == scan.operation }.map { ($0.id, $0.wait.found) } ?? (0, [])
    }
    for (scan, (_, found)) in scans.enumerated() where all[scan].stored < found.count {
      for entry in found[all[scan].stored...] {
        var row = FoundRow(places: [])
        for (other, (fiber, list)) in scans.enumerated() {
          guard let place = all[other].found[entry.device], list.indices.contains(place) else { continue }
          row.places.append(FoundRow.Place(fiber: fiber, place: place, rssi: list[place].rssi))
        }
        commit.rows.append(Commit.Row(RowKey(.found, UInt64(entry.device)), row.encoded))
      }
      all[scan].stored = found.count
    }
  }
}
