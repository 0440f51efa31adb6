import Exchange
import Vocabulary

/// Matches the statements of two texts of a recipe: by what they say, the headers around them, and their number among equals.
struct StatementMap {
  private(set) var new: [Int?]
  private(set) var unmatched = 0

  init(from old: Program, to new: Program) {
    self.new = Array(repeating: nil, count: old.statements.count)
    var isTaken = Array(repeating: false, count: new.statements.count)
    let oldOrdinals = Self.ordinals(old)
    let newOrdinals = Self.ordinals(new)
    // Blocks come before what stands in them, so their match is known by then.
    for (id, statement) in old.statements.enumerated() where statement.unit >= 0 {
      let blocks = statement.blocks.map { self.new[$0] }
      guard !blocks.contains(nil) else { continue }
      for (candidate, other) in new.statements.enumerated()
      where !isTaken[candidate] && other.unit >= 0 && other.normalized == statement.normalized
        && oldOrdinals[id] == newOrdinals[candidate] && other.blocks == blocks.compactMap({ $0 })
      {
        self.new[id] = candidate
        isTaken[candidate] = true
        break
      }
    }
    let gone = old.statements.indices.count { old.statements[$0].unit >= 0 && self.new[$0] == nil }
    let added = new.statements.indices.count { new.statements[$0].unit >= 0 && !isTaken[$0] }
    unmatched = max(gone, added)
  }

  /// The number of each statement among those of its block that say the same.
  private static func ordinals(_ program: Program) -> [Int] {
    var seen: [(blocks: [Int], text: String, count: Int)] = []
    return program.statements.map { statement in
      if let place = seen.firstIndex(where: { $0.text == statement.normalized && $0.blocks == statement.blocks }) {
        seen[place].count += 1
        return seen[place].count
      }
      seen.append((statement.blocks, statement.normalized, 0))
      return 0
    }
  }
}
