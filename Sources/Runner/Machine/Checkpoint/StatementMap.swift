import Exchange
import Vocabulary

/// Matches the statements of two texts of a recipe by their text, the headers of their blocks, and
/// their position among equal statements.
///
/// Takes linear time.
struct StatementMap {
  private(set) var new: [Int?]
  private(set) var unmatched = 0
  /// The new unit of each old one. Handlers and procedures are matched by their statements.
  private(set) var units: [Int?] = []
  /// Whether a new statement is matched.
  private(set) var isTaken: [Bool]

  /// Identifies equal statements in the same block.
  private struct Key: Hashable {
    var blocks: [Int]
    var text: String
  }

  init(from old: Program, to new: Program) {
    self.new = Array(repeating: nil, count: old.statements.count)
    isTaken = Array(repeating: false, count: new.statements.count)
    var candidates: [Key: [Int]] = [:]
    for (id, statement) in new.statements.enumerated() where statement.unit >= 0 {
      candidates[Key(blocks: statement.blocks, text: statement.normalized), default: []].append(id)
    }
    var ordinals: [Key: Int] = [:]
    // Blocks come before their contents, so they are already matched.
    for (id, statement) in old.statements.enumerated() where statement.unit >= 0 {
      let ordinal = ordinals[Key(blocks: statement.blocks, text: statement.normalized), default: 0]
      ordinals[Key(blocks: statement.blocks, text: statement.normalized)] = ordinal + 1
      let blocks = statement.blocks.compactMap { self.new[$0] }
      guard blocks.count == statement.blocks.count,
        let equals = candidates[Key(blocks: blocks, text: statement.normalized)], equals.indices.contains(ordinal)
      else { continue }
      self.new[id] = equals[ordinal]
      isTaken[equals[ordinal]] = true
    }
    let gone = old.statements.indices.count { old.statements[$0].unit >= 0 && self.new[$0] == nil }
    let added = new.statements.indices.count { new.statements[$0].unit >= 0 && !isTaken[$0] }
    unmatched = max(gone, added)
    matchUnits(old, new)
  }

  func unit(_ old: Int) -> Int? { units.indices.contains(old) ? units[old] : nil }

  private mutating func matchUnits(_ old: Program, _ new: Program) {
    var owned: [Int: Int] = [:]
    for (index, unit) in new.units.enumerated() {
      if let owner = unit.owner, unit.isMatched, owned[owner] == nil { owned[owner] = index }
    }
    units = old.units.enumerated().map { index, unit in
      guard let owner = unit.owner else { return index == Program.body ? Program.body : nil }
      guard self.new.indices.contains(owner), let target = self.new[owner], let found = owned[target] else { return nil }
      switch (unit.role, new.units[found].role) {
      case (.handler, .handler), (.procedure, .procedure), (.branch, .branch): return found
      default: return nil
      }
    }
  }
}

extension Unit {
  /// Whether it is a handler or procedure, which an edit may move.
  fileprivate var isMatched: Bool {
    switch role {
    case .handler, .procedure, .branch: true
    default: false
    }
  }
}
