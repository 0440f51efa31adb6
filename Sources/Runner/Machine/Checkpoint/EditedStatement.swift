import Exchange
import Vocabulary

/// Finds the counterpart, in the new text, of a statement that was changed, moved or removed.
struct EditedStatement {
  let old: Program
  let new: Program
  let map: StatementMap

  /// The reason why a run at this statement of the old text cannot continue.
  func conflict(at live: Int) -> AlignmentConflict {
    guard old.statements.indices.contains(live) else {
      return AlignmentConflict(edit: .removedAfter, oldPlace: "line 0", oldText: "", newRange: .none)
    }
    // Use the outermost removed block, because its contents were removed with it.
    let around = old.statements[live].blocks.first { map.new[$0] == nil }
    let edited = around ?? live
    var (edit, range) = place(of: edited)
    // The statement itself still exists, so point to it.
    if map.new[edited] != nil { edit = .changed }
    if range == .none { edit = .removedAfter }
    return AlignmentConflict(
      edit: edit, isAround: around != nil, oldPlace: old.lines.text(of: old.line(of: edited)),
      oldText: old.lines.quote(old.statements[edited].range), newRange: range)
  }

  private func place(of edited: Int) -> (AlignmentConflict.Edit, SourceRange) {
    if let same = map.new[edited] { return (.changed, new.statements[same].range) }
    let info = old.statements[edited]
    let blocks = info.blocks.compactMap { map.new[$0] }
    let siblings = new.statements.indices.filter {
      new.statements[$0].unit >= 0 && new.statements[$0].blocks == blocks && new.statements[$0].branch == info.branch
    }
    let before = old.statements.indices.filter {
      old.statements[$0].unit >= 0 && old.statements[$0].blocks == info.blocks && old.statements[$0].branch == info.branch
    }

    // One of several equal statements in the same block is gone; it does not matter which one.
    let left = siblings.count { new.statements[$0].normalized == info.normalized }
    if left > 0, let last = siblings.last(where: { new.statements[$0].normalized == info.normalized }) {
      let were = before.count { old.statements[$0].normalized == info.normalized }
      return (.fewerEquals(of: were, left: left), new.statements[last].range)
    }
    // It was moved to another block, or a new block encloses it.
    if let moved = new.statements.indices.first(where: { isNew($0) && new.statements[$0].normalized == info.normalized }) {
      let place = new.statements[moved].blocks.first { isNew($0) } ?? moved
      return (.changed, new.statements[place].range)
    }
    // Search between the nearest neighbours that still exist.
    let place = before.firstIndex(of: edited) ?? 0
    let previous = before[..<place].last { map.new[$0] != nil }.flatMap { map.new[$0] }
    let next = before[(place + 1)...].first { map.new[$0] != nil }.flatMap { map.new[$0] }
    let between = siblings.filter { isNew($0) && $0 > previous ?? -1 && $0 < next ?? .max }
    if !between.isEmpty {
      let gone = before[..<place].reversed().prefix { map.new[$0] == nil }.count
      let alike = between.filter { firstWord($0, new) == firstWord(edited, old) }
      let chosen = alike.isEmpty ? between[min(gone, between.count - 1)] : nearest(alike, to: edited, among: before[..<place])
      return (.changed, new.statements[chosen].range)
    }
    if let next { return (.removedBefore, new.statements[next].range) }
    if let previous { return (.removedAfter, new.statements[previous].range) }
    if let block = blocks.last { return (.removedAfter, new.statements[block].range) }
    return (.removedAfter, siblings.first.map { new.statements[$0].range } ?? .none)
  }

  private func isNew(_ id: Int) -> Bool { new.statements[id].unit >= 0 && !map.isTaken[id] }

  private func firstWord(_ id: Int, _ program: Program) -> Substring { program.statements[id].normalized.prefix { $0 != " " } }

  /// Chooses among statements with the same first word: skips as many as were changed before it.
  private func nearest(_ alike: [Int], to edited: Int, among before: ArraySlice<Int>) -> Int {
    let word = firstWord(edited, old)
    let passed = before.reversed().prefix { map.new[$0] == nil }.count { firstWord($0, old) == word }
    return alike[min(passed, alike.count - 1)]
  }
}
