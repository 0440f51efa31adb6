import Exchange
import Vocabulary

/// A name and what is known about it before the run.
struct NameEntry {
  var name: String
  var kind: DeclaredName.Kind
  var range: SourceRange
  /// The statement that declares it; -1 if it exists from the start.
  var id: Int
  /// The binary format of its value, if known.
  var format: String?
  /// The kind of its value, if certain.
  var value: Checker.Kind?
  /// The keys of its value, if that is a record.
  var keys: [String]?
  /// Its index in the symbol table.
  var symbol: Int
}

/// The names of an activation. Loops, `if`, `try` and `with` have no scope of their own.
struct Scope {
  /// Its index in the symbol table.
  var id = 0
  private(set) var entries: [NameEntry] = []
  /// Index of each name in `entries`, because searching the list would be slow in long recipes.
  private var places: [String: Int] = [:]

  init(id: Int = 0) { self.id = id }

  func find(_ name: String) -> NameEntry? { places[name].map { entries[$0] } }

  mutating func add(_ entry: NameEntry) {
    if let place = places[entry.name] {
      // The name may be given twice, with values of two kinds.
      if entries[place].format != entry.format { entries[place].format = nil }
      if entries[place].value != entry.value { entries[place].value = nil }
      if entries[place].keys != entry.keys { entries[place].keys = nil }
      return
    }
    places[entry.name] = entries.count
    entries.append(entry)
  }

  /// Forgets the kinds of all values.
  mutating func forgetValues() {
    for place in entries.indices { (entries[place].format, entries[place].value, entries[place].keys) = (nil, nil, nil) }
  }

  /// Removes names, wherever they are in the list.
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

  /// Removes and returns the names after the first `count`.
  mutating func takeBack(to count: Int) -> [NameEntry] {
    let taken = Array(entries[min(count, entries.count)...])
    for entry in taken { places[entry.name] = nil }
    entries.removeLast(taken.count)
    return taken
  }
}
