/// A durable value that records whether its row is out of date. Writing marks it; reading does not.
struct Tracked<Value: Sendable>: Sendable {
  private var stored: Value
  private(set) var isChanged: Bool

  /// - Parameter isChanged: whether there is no row with this value yet.
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

  /// Whether the row must be written; clears the mark.
  mutating func takeChange() -> Bool {
    defer { isChanged = false }
    return isChanged
  }

  /// Marks the row although the value has not changed.
  mutating func rewrite() { isChanged = true }
}
