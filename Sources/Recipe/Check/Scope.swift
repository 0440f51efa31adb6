import Exchange
import Vocabulary

/// A name with what is known about it before anything runs.
struct NameEntry {
  enum Kind {
    case input, remembered, variable, result, element, parameter, peripheral
  }

  var name: String
  var kind: Kind
  var range: SourceRange
  /// The statement that gives it; -1 for what is there from the start.
  var id: Int
  /// The binary format of its value, if it is known.
  var format: String?
}

/// What an activation sees of itself. Loops, `if`, `try` and `with` make no scope.
struct Scope {
  var entries: [NameEntry] = []

  func find(_ name: String) -> NameEntry? { entries.last { $0.name == name } }

  mutating func add(_ entry: NameEntry) {
    if let place = entries.lastIndex(where: { $0.name == entry.name }) {
      // Given twice, perhaps with values of two kinds.
      if entries[place].format != entry.format { entries[place].format = nil }
      return
    }
    entries.append(entry)
  }

  mutating func merge(_ other: Scope) {
    for entry in other.entries where find(entry.name) == nil { entries.append(entry) }
  }
}
