/// A durable value that knows whether its row is out of date: every write marks it, and reading it
/// does not.
struct Tracked<Value: Sendable>: Sendable {
  private var stored: Value
  private(set) var isChanged: Bool

  /// - Parameter isChanged: whether no row has this value yet.
  init(_ value: Value, isChanged: Bool) {
    stored = value
    self.isChanged = isChanged
  }

  var value: Value {
    _read { yield stored }
    _modify {
      isChanged = true
      yield &stored
    }
  }

  /// Whether the row must be written; the mark is taken off.
  mutating func takeChange() -> Bool {
    defer { isChanged = false }
    return isChanged
  }

  /// Has the row written again although the value is the same.
  mutating func rewrite() { isChanged = true }
}
