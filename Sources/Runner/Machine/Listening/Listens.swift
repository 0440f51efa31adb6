import Exchange
import Vocabulary

/// The scans of handlers and of `wait for advertisement`, each with a row. Their number is bounded
/// by the active handlers and waiting fibers.
struct Listens: Sendable {
  private var all: [Listen] = []
  /// Whether each scan has its row.
  private var isStored: [Bool] = []
  private var deleted: [RowKey] = []
  /// After the host has ended a scan by itself: no scan begins before this moment.
  private(set) var pausedUntil: Moment?
  private static let pause = TimeSpan.seconds(5)

  init() {}

  /// The scans of a checkpoint; all are marked to be rewritten.
  init(stored listens: [Listen]) {
    all = listens
    isStored = Array(repeating: false, count: listens.count)
  }

  var operations: [OperationID] { all.map(\.operation) }

  func owner(of operation: OperationID) -> Listen.Owner? { all.first { $0.operation == operation }?.owner }

  func contains(_ owner: Listen.Owner) -> Bool { all.contains { $0.owner == owner } }

  mutating func begin(_ owner: Listen.Owner, _ operation: OperationID) {
    all.append(Listen(owner: owner, operation: operation))
    isStored.append(false)
  }

  mutating func end(_ operation: OperationID) {
    guard let index = all.firstIndex(where: { $0.operation == operation }) else { return }
    all.remove(at: index)
    isStored.remove(at: index)
    deleted.append(RowKey(.listen, operation.raw))
  }

  /// Removes a scan that the host has ended, for example because the controller refused a command.
  mutating func ended(_ operation: OperationID, at now: Moment) {
    end(operation)
    pausedUntil = now + Self.pause
  }

  mutating func endPause(at now: Moment) { if let until = pausedUntil, until <= now { pausedUntil = nil } }

  /// Does not delete rows; the caller deletes all of them.
  mutating func removeAll() { self = Listens() }

  // MARK: Rows

  mutating func rewrite() {
    deleted.removeAll()
    for index in isStored.indices { isStored[index] = false }
  }

  mutating func takeDeleted(in commit: inout Commit) { commit.takeDeleted(&deleted) }

  mutating func store(in commit: inout Commit) {
    for index in all.indices where !isStored[index] {
      isStored[index] = true
      commit.rows.append(Commit.Row(RowKey(.listen, all[index].operation.raw), all[index].encoded))
    }
  }
}
