import Exchange
import Vocabulary

/// The value of each fiber's `write … in pieces`. It has its own row, so that each piece only saves
/// the offset.
struct PieceStore: Sendable {
  private struct Entry: Sendable {
    var fiber: UInt64
    var bytes: [UInt8]
    /// A secret has no row.
    var isSecret: Bool
    var isChanged: Bool
    var isStored: Bool
  }

  private var all: [Entry] = []
  private var deleted: [RowKey] = []

  init() {}

  init(stored: [(fiber: UInt64, bytes: [UInt8])]) {
    all = stored.map { Entry(fiber: $0.fiber, bytes: $0.bytes, isSecret: false, isChanged: false, isStored: true) }
  }

  func bytes(of fiber: UInt64) -> [UInt8]? { all.first { $0.fiber == fiber }?.bytes }

  mutating func set(_ bytes: [UInt8], of fiber: UInt64, isSecret: Bool) {
    remove { $0 == fiber }
    all.append(Entry(fiber: fiber, bytes: bytes, isSecret: isSecret, isChanged: true, isStored: false))
  }

  /// Does not delete rows; the caller deletes all of them.
  mutating func removeAll() { self = PieceStore() }

  mutating func rewrite() {
    deleted.removeAll()
    for index in all.indices { all[index].isChanged = true }
  }

  /// - Parameter isNeeded: whether a fiber is still at its write.
  mutating func store(in commit: inout Commit, where isNeeded: (UInt64) -> Bool) {
    if all.isEmpty, deleted.isEmpty { return }
    remove { !isNeeded($0) }
    for key in deleted { commit.rows.append(Commit.Row(key, nil)) }
    deleted.removeAll()
    for index in all.indices where all[index].isChanged && !all[index].isSecret {
      all[index].isChanged = false
      all[index].isStored = true
      commit.rows.append(Commit.Row(RowKey(.pieces, all[index].fiber), all[index].bytes))
    }
  }

  private mutating func remove(where isGone: (UInt64) -> Bool) {
    for entry in all where entry.isStored && isGone(entry.fiber) { deleted.append(RowKey(.pieces, entry.fiber)) }
    all.removeAll { isGone($0.fiber) }
  }
}
