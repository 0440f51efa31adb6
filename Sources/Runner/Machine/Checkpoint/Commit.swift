/// The rows that a turn changed. An empty commit can be skipped.
package struct Commit: Equatable, Sendable {
  /// A row to store, or to delete if `value` is `nil`.
  package struct Row: Equatable, Sendable {
    package var key: RowKey
    package var value: [UInt8]?

    package init(_ key: RowKey, _ value: [UInt8]?) {
      self.key = key
      self.value = value
    }
  }

  package var rows: [Row] = []
  /// Changed `remember`s by name, which outlive the run.
  package var remembered: [(name: String, value: [UInt8])] = []
  /// Whether the commit must be on disk before the effects of the turn are performed, as for an
  /// intent that must not repeat, an indication, or the end of the run.
  package var mustSync = false
  /// Whether all stored rows are deleted first (`restart`).
  package var clearsAll = false

  package init() {}

  /// Adds the deletion of the rows with these keys, and empties the list.
  mutating func takeDeleted(_ keys: inout [RowKey]) {
    if keys.isEmpty { return }
    for key in keys { rows.append(Row(key, nil)) }
    keys.removeAll(keepingCapacity: true)
  }

  package var isEmpty: Bool { rows.isEmpty && remembered.isEmpty && !clearsAll && !mustSync }

  package static func == (left: Commit, right: Commit) -> Bool {
    left.rows == right.rows && left.mustSync == right.mustSync && left.clearsAll == right.clearsAll
      && left.remembered.elementsEqual(right.remembered) { $0.name == $1.name && $0.value == $1.value }
  }
}
