import Exchange
import Vocabulary

/// Matches the statements of two versions of a recipe in linear time. Statements match if their
/// blocks, branches and first parts match; identical statements are matched first.
struct StatementMap {
  private(set) var new: [Int?]
  private(set) var unmatched = 0
  /// The new unit of each old one. Handlers and procedures are matched by their statements.
  private(set) var units: [Int?] = []
  /// Whether a new statement is matched.
  private(set) var isTaken: [Bool]

  /// The key of statements with equal first parts in the same branch of the same block.
  private struct Key: Hashable {
    var blocks: [Int]
    var branch: String
    var text: String

    init(_ statement: StatementInfo, blocks: [Int]) {
      (self.blocks, branch, text) = (blocks, statement.branch, statement.normalized)
    }
  }

  init(from old: Program, to new: Program) {
    self.new = Array(repeating: nil, count: old.statements.count)
    isTaken = Array(repeating: false, count: new.statements.count)
    let (oldTexts, newTexts) = (wholeTexts(old), wholeTexts(new))
    let candidates = Self.alike(new)
    let groups = Self.alike(old)
    // Blocks come before the statements inside them, so their match is known by then.
    for (id, statement) in old.statements.enumerated() where statement.unit >= 0 {
      guard let group = groups[Key(statement, blocks: statement.blocks)], group[0] == id,
        case let blocks = statement.blocks.compactMap({ self.new[$0] }), blocks.count == statement.blocks.count,
        let equals = candidates[Key(statement, blocks: blocks)]
      else { continue }
      match(group, equals, oldTexts, newTexts)
    }
    let gone = old.statements.indices.count { old.statements[$0].unit >= 0 && self.new[$0] == nil }
    let added = new.statements.indices.count { new.statements[$0].unit >= 0 && !isTaken[$0] }
    unmatched = max(gone, added)
    matchUnits(old, new)
  }

  private static func alike(_ program: Program) -> [Key: [Int]] {
    var groups: [Key: [Int]] = [:]
    for (id, statement) in program.statements.enumerated() where statement.unit >= 0 {
      groups[Key(statement, blocks: statement.blocks), default: []].append(id)
    }
    return groups
  }

  /// Matches statements that are equal with everything inside them, then the others in order.
  private mutating func match(_ group: [Int], _ equals: [Int], _ oldTexts: [UInt64], _ newTexts: [UInt64]) {
    var places: [UInt64: ArraySlice<Int>] = [:]
    for id in equals { places[newTexts[id], default: []].append(id) }
    for id in group {
      guard let target = places[oldTexts[id]]?.popFirst() else { continue }
      self.new[id] = target
      isTaken[target] = true
    }
    let rest = equals.filter { !isTaken[$0] }
    for (id, target) in zip(group.filter { self.new[$0] == nil }, rest) {
      self.new[id] = target
      isTaken[target] = true
    }
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

/// A hash of each statement with everything inside it, including its `otherwise`.
private func wholeTexts(_ program: Program) -> [UInt64] {
  var result: [UInt64] = Array(repeating: FNV1a.start, count: program.statements.count)
  for (id, statement) in program.statements.enumerated() where statement.unit >= 0 {
    let text = FNV1a.hash("\(statement.branch)\n\(statement.normalized)".utf8)
    for (depth, block) in (statement.blocks + [id]).reversed().enumerated() {
      result[block] = FNV1a.mixed(FNV1a.mixed(result[block], text), UInt64(depth))
    }
  }
  return result
}
