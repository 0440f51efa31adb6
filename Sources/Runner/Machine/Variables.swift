/// The variables of a run by number. Writing one marks its row and counts as news; reading does
/// not.
struct Variables: Sendable {
  /// A list is stored in parts, so that a long one that grows is not written whole each time.
  struct StoredList: Sendable {
    /// So many of the first elements have not changed since the last commit.
    var unchanged = 0
    /// The number of rows with parts; the elements after them are in the variable's own row.
    var parts = 0
  }

  /// The elements of a part.
  static let part = 64

  private var values: [Value]
  private var isChanged: [Bool]
  /// What the rows of each variable have of its list.
  private var stored: [StoredList]
  /// Marked variables, in the order of their changes.
  private var changed: [Int] = []
  /// Whether a variable was written, for which some `wait until` may be waiting.
  private var isNews = false

  init(count: Int) {
    values = Array(repeating: .unset, count: count)
    isChanged = Array(repeating: false, count: count)
    stored = Array(repeating: StoredList(), count: count)
  }

  /// Adds variables for new names of a prompt's entry.
  mutating func grow(to count: Int) {
    guard count > values.count else { return }
    values += Array(repeating: .unset, count: count - values.count)
    isChanged += Array(repeating: false, count: count - isChanged.count)
    stored += Array(repeating: StoredList(), count: count - stored.count)
  }

  /// Sets a value from the variable's rows.
  /// - Parameter parts: How many of the rows have parts of the list. An older checkpoint has a long
  ///   list whole, so its next change must write all parts.
  mutating func restore(_ value: Value, at index: Int, parts: Int) {
    load(value, at: index)
    stored[index].parts = parts
    if case .list(let list) = value, list.count / Self.part == parts { stored[index].unchanged = list.count }
  }

  /// Sets a value that needs no row, or whose row is deleted.
  mutating func load(_ value: Value, at index: Int) {
    values[index] = value
    stored[index].unchanged = 0
    guard isChanged[index] else { return }
    isChanged[index] = false
    changed.removeAll { $0 == index }
  }

  /// Marks the row of a variable to be rewritten.
  mutating func rewrite(_ index: Int) {
    mark(index)
    stored[index].unchanged = 0
  }

  /// Clears all marks, because the rows are deleted.
  mutating func dropChanges() {
    for index in changed { isChanged[index] = false }
    changed.removeAll()
    for index in stored.indices { stored[index] = StoredList() }
  }

  /// Sets what the rows have of a list of this many elements; 0 for any other value.
  /// - Returns: what they had before.
  mutating func store(list count: Int, of index: Int) -> StoredList {
    defer { stored[index] = StoredList(unchanged: count, parts: count / Self.part) }
    return stored[index]
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
      stored[index].unchanged = 0
      yield &values[index]
    }
  }

  /// A variable to which elements are appended, if it is a list, and that changes in no other way.
  subscript(growing index: Int) -> Value {
    @inline(__always) _read { yield values[index] }
    @inline(__always) _modify {
      mark(index)
      yield &values[index]
    }
  }
}
