import Exchange
import Vocabulary

/// A name with what is known about it before anything runs.
struct NameEntry {
  var name: String
  var kind: DeclaredName.Kind
  var range: SourceRange
  /// The statement that gives it; -1 for what is there from the start.
  var id: Int
  /// The binary format of its value, if it is known.
  var format: String?
  /// What its value is, if that is certain.
  var value: Checker.Kind?
  /// The keys of its value, when that is a record.
  var keys: [String]?
  /// Its index in the table of symbols.
  var symbol: Int
}

/// What an activation sees of itself. Loops, `if`, `try` and `with` make no scope.
struct Scope {
  /// Its index in the table of symbols.
  var id = 0
  private(set) var entries: [NameEntry] = []
  /// Where each name stands: looking through the list would make long recipes slow.
  private var places: [String: Int] = [:]

  init(id: Int = 0) { self.id = id }

  func find(_ name: String) -> NameEntry? { places[name].map { entries[$0] } }

  mutating func add(_ entry: NameEntry) {
    if let place = places[entry.name] {
      // Given twice, perhaps with values of two kinds.
      if entries[place].format != entry.format { entries[place].format = nil }
      if entries[place].value != entry.value { entries[place].value = nil }
      if entries[place].keys != entry.keys { entries[place].keys = nil }
      return
    }
    places[entry.name] = entries.count
    entries.append(entry)
  }

  /// Forgets names, wherever they stand.
  mutating func remove(_ names: Set<String>) {
    entries.removeAll { names.contains($0.name) }
    places = [:]
    for (place, entry) in entries.enumerated() { places[entry.name] = place }
  }

  mutating func merge(_ other: Scope) { merge(other.entries) }

  mutating func merge(_ others: some Sequence<NameEntry>) {
    let before = entries.count
    for entry in others where places[entry.name].map({ $0 >= before }) ?? true { add(entry) }
  }

  /// Forgets the names that were added behind the first so many, and gives them back.
  mutating func takeBack(to count: Int) -> [NameEntry] {
    let taken = Array(entries[min(count, entries.count)...])
    for entry in taken { places[entry.name] = nil }
    entries.removeLast(taken.count)
    return taken
  }
}
