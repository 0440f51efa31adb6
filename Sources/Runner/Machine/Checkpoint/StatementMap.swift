import Exchange
import Vocabulary

/// Matches the statements of two texts of a recipe: by what they say, the headers around them, and
/// their number among equals.
///
/// Its cost grows linearly with both texts.
struct StatementMap {
  private(set) var new: [Int?]
  private(set) var unmatched = 0
  /// The new unit of each old one: the body, and handlers and procedures by their statement.
  private(set) var units: [Int?] = []
  /// Whether an old statement has become this new one.
  private(set) var isTaken: [Bool]

  /// Statements that say the same in the same block.
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
    // Blocks come before what stands in them, so their match is known by then.
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
  /// Handlers and procedures: what an edit can move.
  fileprivate var isMatched: Bool {
    switch role {
    case .handler, .procedure, .branch: true
    default: false
    }
  }
}
