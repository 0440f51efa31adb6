/// The variables of a run by number. Writing one marks its row and counts as news; reading it does
/// not.
struct Variables: Sendable {
  private var values: [Value]
  private var isChanged: [Bool]
  /// Those that are marked, in the order in which they were.
  private var changed: [Int] = []
  /// One was written, which some `wait until` may have waited for.
  private var isNews = false

  init(count: Int) {
    values = Array(repeating: .unset, count: count)
    isChanged = Array(repeating: false, count: count)
  }

  /// An entry of a prompt has given new names.
  mutating func grow(to count: Int) {
    guard count > values.count else { return }
    values += Array(repeating: .unset, count: count - values.count)
    isChanged += Array(repeating: false, count: count - isChanged.count)
  }

  /// Gives a variable a value that its row has already, or that needs none.
  mutating func load(_ value: Value, at index: Int) {
    values[index] = value
    guard isChanged[index] else { return }
    isChanged[index] = false
    changed.removeAll { $0 == index }
  }

  /// Has the row of a variable written again.
  mutating func rewrite(_ index: Int) { mark(index) }

  /// Takes off all marks: the rows are deleted.
  mutating func dropChanges() {
    for index in changed { isChanged[index] = false }
    changed.removeAll()
  }

  /// Those whose rows must be written; the marks are taken off.
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
