/// The variables of a run by number. Writing one marks its row and counts as news; reading does
/// not.
struct Variables: Sendable {
  private var values: [Value]
  private var isChanged: [Bool]
  /// Marked variables, in the order of their changes.
  private var changed: [Int] = []
  /// Whether a variable was written, for which some `wait until` may be waiting.
  private var isNews = false

  init(count: Int) {
    values = Array(repeating: .unset, count: count)
    isChanged = Array(repeating: false, count: count)
  }

  /// Adds variables for new names of a prompt's entry.
  mutating func grow(to count: Int) {
    guard count > values.count else { return }
    values += Array(repeating: .unset, count: count - values.count)
    isChanged += Array(repeating: false, count: count - isChanged.count)
  }

  /// Sets a value that is already in the variable's row, or that needs no row.
  mutating func load(_ value: Value, at index: Int) {
    values[index] = value
    guard isChanged[index] else { return }
    isChanged[index] = false
    changed.removeAll { $0 == index }
  }

  /// Marks the row of a variable to be rewritten.
  mutating func rewrite(_ index: Int) { mark(index) }

  /// Clears all marks, because the rows are deleted.
  mutating func dropChanges() {
    for index in changed { isChanged[index] = false }
    changed.removeAll()
  }

  /// The variables whose rows must be written; clears their marks.
  mutating func takeChanged() -> [Int] {
    if changed.isEmpty { return [] }
    var list: [Int] = []
    swap(&list, &changed)
    for index in list { isChanged[index] = false }
    return list
  }

  var hasNews: Bool { isNews }

  mutating func takeNews() -> Bool {
    defer { isNews = false }
    return isNews
  }

  @inline(__always)
  private mutating func mark(_ index: Int) {
    isNews = true
    if !isChanged[index] {
      isChanged[index] = true
      changed.append(index)
    }
  }
}

extension Variables: RandomAccessCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { values.count }

  subscript(index: Int) -> Value {
    @inline(__always) _read { yield values[index] }
    @inline(__always) _modify {
      mark(index)
      yield &values[index]
    }
  }
}
