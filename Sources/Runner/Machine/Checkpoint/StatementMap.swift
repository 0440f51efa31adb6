import Exchange
import Vocabulary

/// Matches the statements of two versions of a recipe in nearly linear time. The statements of a
/// block are matched like the lines of two files; those that are left match if they were moved
/// within their block, or if their first parts are equal.
struct StatementMap {
  private(set) var new: [Int?]
  private(set) var unmatched = 0
  /// The new unit of each old one. Handlers and procedures are matched by their statements.
  private(set) var units: [Int?] = []
  /// Whether a new statement is matched.
  private(set) var isTaken: [Bool]
  /// Whether matched statements of a block are in another order now.
  private(set) var isReordered = false
  /// Old statements with equals in their block whose match does not have the same place among the
  /// equals, or past which another statement was moved.
  private var ambiguous: Set<Int> = []

  /// A branch of a block.
  private struct Branch: Hashable {
    var blocks: [Int]
    var name: String
  }

  init(from old: Program, to new: Program) {
    self.new = Array(repeating: nil, count: old.statements.count)
    isTaken = Array(repeating: false, count: new.statements.count)
    let (oldTexts, newTexts) = (wholeTexts(old), wholeTexts(new))
    let (oldStarts, newStarts) = (old.statements.map(\.normalized), new.statements.map(\.normalized))
    let (oldForms, newForms) = (forms(old), forms(new))
    let (oldBranches, newBranches) = (Self.branches(old), Self.branches(new))
    // Blocks come before the statements inside them, so their match is known by then.
    for (id, statement) in old.statements.enumerated() where statement.unit >= 0 {
      guard let siblings = oldBranches[Branch(blocks: statement.blocks, name: statement.branch)], siblings[0] == id,
        case let blocks = statement.blocks.compactMap({ self.new[$0] }), blocks.count == statement.blocks.count,
        let others = newBranches[Branch(blocks: blocks, name: statement.branch)]
      else { continue }
      var pairs = Self.pairs(siblings, others, oldTexts, newTexts, within: [])
      pairs = Self.pairs(siblings, others, oldForms, newForms, within: pairs)
      pairs = Self.pairs(siblings, others, oldStarts, newStarts, within: pairs)
      for pair in pairs { match(siblings[pair.old], others[pair.new]) }
      matchMoved(siblings, others, oldTexts, newTexts)
      matchMoved(siblings, others, oldStarts, newStarts)
      markAmbiguous(siblings, others, oldTexts, newTexts, oldStarts, newStarts)
    }
    let gone = old.statements.indices.count { old.statements[$0].unit >= 0 && self.new[$0] == nil }
    let added = new.statements.indices.count { new.statements[$0].unit >= 0 && !isTaken[$0] }
    unmatched = max(gone, added)
    matchUnits(old, new)
  }

  /// Unmatches a statement at which a run is if it, or a block around it, may be another one of
  /// several equal ones. The run could skip what follows, or do it twice.
  mutating func dropIfAmbiguous(_ live: Int, in old: Program) {
    guard old.statements.indices.contains(live) else { return }
    let doubtful = (old.statements[live].blocks + [live]).filter { ambiguous.contains($0) }
    if doubtful.isEmpty { return }
    for id in doubtful + [live] { new[id] = nil }
  }

  private mutating func markAmbiguous(
    _ siblings: [Int], _ others: [Int], _ oldTexts: [UInt64], _ newTexts: [UInt64], _ oldStarts: [String],
    _ newStarts: [String]
  ) {
    var (wholes, starts): ([UInt64: [Int]], [String: [Int]]) = ([:], [:])
    for target in others {
      wholes[newTexts[target], default: []].append(target)
      starts[newStarts[target], default: []].append(target)
    }
    var (wholesSeen, startsSeen): ([UInt64: Int], [String: Int]) = ([:], [:])
    let passed = passedByOthers(siblings)
    let startCounts = Dictionary(siblings.map { (oldStarts[$0], 1) }, uniquingKeysWith: +)
    for id in siblings {
      let (whole, start) = (oldTexts[id], oldStarts[id])
      let (wholePlace, startPlace) = (wholesSeen[whole, default: 0], startsSeen[start, default: 0])
      (wholesSeen[whole], startsSeen[start]) = (wholePlace + 1, startPlace + 1)
      guard let target = self.new[id] else { continue }
      let hasEquals = startCounts[start, default: 0] > 1 || (starts[start]?.count ?? 0) > 1
      if hasEquals, passed.contains(id) { ambiguous.insert(id) }
      let (equals, place) = newTexts[target] == whole ? (wholes[whole] ?? [], wholePlace) : (starts[start] ?? [], startPlace)
      if !equals.indices.contains(place) || equals[place] != target { ambiguous.insert(id) }
    }
  }

  /// The statements that a matched sibling was before and is after now, or the reverse.
  private mutating func passedByOthers(_ siblings: [Int]) -> Set<Int> {
    let matched = siblings.filter { new[$0] != nil }
    let places = matched.compactMap { new[$0] }
    var passed: Set<Int> = []
    var highest = Int.min
    for (id, place) in zip(matched, places) {
      if highest > place { passed.insert(id) }
      highest = max(highest, place)
    }
    var lowest = Int.max
    for (id, place) in zip(matched, places).reversed() {
      if lowest < place { passed.insert(id) }
      lowest = min(lowest, place)
    }
    if !passed.isEmpty { isReordered = true }
    return passed
  }

  private static func branches(_ program: Program) -> [Branch: [Int]] {
    var branches: [Branch: [Int]] = [:]
    for (id, statement) in program.statements.enumerated() where statement.unit >= 0 {
      branches[Branch(blocks: statement.blocks, name: statement.branch), default: []].append(id)
    }
    return branches
  }

  private mutating func match(_ old: Int, _ target: Int) {
    new[old] = target
    isTaken[target] = true
  }

  /// Pairs of places in the two lists.
  private static func pairs<Text: Hashable>(
    _ siblings: [Int], _ others: [Int], _ oldTexts: [Text], _ newTexts: [Text], within known: [PlacePair]
  ) -> [PlacePair] {
    SequenceAlignment(siblings.map { oldTexts[$0] }, others.map { newTexts[$0] }, within: known).pairs
  }

  /// Matches the statements that are left, in their order, by their texts.
  private mutating func matchMoved<Text: Hashable>(
    _ siblings: [Int], _ others: [Int], _ oldTexts: [Text], _ newTexts: [Text]
  ) {
    let left = siblings.filter { new[$0] == nil }
    if left.isEmpty { return }
    var places: [Text: ArraySlice<Int>] = [:]
    for target in others where !isTaken[target] { places[newTexts[target], default: []].append(target) }
    for id in left { if let target = places[oldTexts[id]]?.popFirst() { match(id, target) } }
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

/// The first part of each statement, and whether there are others inside it, as in its `otherwise`.
private func forms(_ program: Program) -> [String] {
  var result = program.statements.map(\.normalized)
  for statement in program.statements {
    if let block = statement.blocks.last, !result[block].hasSuffix("\n") { result[block] += "\n" }
  }
  return result
}
