/// What a turn changed, as rows: only what was marked dirty. An empty commit need not be made.
package struct Commit: Equatable, Sendable {
  /// A row to store, or to delete when `value` is nothing.
  package struct Row: Equatable, Sendable {
    package var key: RowKey
    package var value: [UInt8]?

    package init(_ key: RowKey, _ value: [UInt8]?) {
      self.key = key
      self.value = value
    }
  }

  package var rows: [Row] = []
  /// `remember`s that were set, by name: they outlive the run.
  package var remembered: [(name: String, value: [UInt8])] = []
  /// Must be on the disk, not only committed, before the effects of the turn: an intent that must
  /// not repeat, an indication, the end.
  package var mustSync = false
  /// Everything stored before is deleted first (`restart`).
  package var clearsAll = false

  package init() {}

  package var isEmpty: Bool { rows.isEmpty && remembered.isEmpty && !clearsAll && !mustSync }

  package static func == (left: Commit, right: Commit) -> Bool {
    left.rows == right.rows && left.mustSync == right.mustSync && left.clearsAll == right.clearsAll
      && left.remembered.elementsEqual(right.remembered) { $0.name == $1.name && $0.value == $1.value }
  }
}
