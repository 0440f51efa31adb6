import Exchange
import Vocabulary

extension Machine {
  /// The rows that have changed since the last commit.
  mutating func takeCommit() -> Commit {
    var commit = Commit()
    commit.clearsAll = clearsAll
    clearsAll = false
    commit.mustSync = mustSync
    mustSync = false
    if isFrozen { return commit }
    pruneKept()
    fibers.takeDeleted(in: &commit)
    timers.takeDeleted(in: &commit)
    events.takeDeleted(in: &commit)
    devices.takeDeleted(in: &commit)
    runningScans.takeDeleted(in: &commit)
    listens.takeDeleted(in: &commit)
    seen.takeDeleted(in: &commit)
    for index in variables.takeChanged() { store(variable: index, in: &commit) }
    fibers.store(in: &commit)
    pieces.store(in: &commit) { id in
      if let index = fibers.index(of: id), case .operation(let operation) = fibers[index].wait {
        operation.pieces != nil
      } else {
        false
      }
    }
    devices.store(in: &commit)
    timers.store(in: &commit)
    events.store(in: &commit)
    listens.store(in: &commit)
    seen.store(in: &commit)
    entries.store(in: &commit)
    if !program.servers.isEmpty, !program.isPeripheral { server.store(in: &commit) }
    if output.takeChange() { commit.rows.append(Commit.Row(RowKey(.output), output.value?.encoded)) }
    devices.storeHeld(in: &commit)
    if !commit.isEmpty || runningScans.due.map({ $0 <= now.moment }) ?? false {
      devices.storeHeard(in: &commit)
      runningScans.store(fibers, in: &commit)
    }
    header.store(events.drops.entries, events.takeDropChanges(), in: &commit)
    return commit
  }

  /// Whether the checkpoint is frozen. While the run ends on request it does not change, so that
  /// the next start continues from there.
  var isFrozen: Bool {
    guard exit.reason == .interrupted || exit.reason == .terminated else { return false }
    switch life {
    case .stopping, .closing, .done: return true
    case .running, .draining: return false
    }
  }

  private mutating func store(variable index: Int, in commit: inout Commit) {
    let variable = program.variables[index]
    switch variable.kind {
    case .constant, .secret: break
    case .input where !variable.isKeptInput: break
    case .remembered:
      if !variables[index].holdsSecret { commit.remembered.append((variable.name, variables[index].encoded)) }
    case .state, .input:
      // By name, so that an edited recipe finds it again.
      var writer = ByteWriter()
      writer.put(text: variable.name)
      if case .list(let list) = variables[index] {
        store(list, of: index, in: &commit, &writer)
      } else {
        deleteParts(after: 0, of: index, variables.store(list: 0, of: index), in: &commit)
        variables[index].write(to: &writer)
      }
      commit.rows.append(Commit.Row(RowKey(.variable, UInt64(index)), writer.bytes))
    }
    if variable.kind == .remembered { commit.mustSync = true }
  }

  /// Stores the changed parts of a list in rows of their own, and the elements after them in the
  /// variable's row, with the number of parts.
  private mutating func store(_ list: [Value], of index: Int, in commit: inout Commit, _ writer: inout ByteWriter) {
    let old = variables.store(list: list.count, of: index)
    let parts = list.count / Variables.part
    for part in min(old.unchanged / Variables.part, parts)..<parts {
      var writer = ByteWriter()
      Value.write(list[part * Variables.part..<(part + 1) * Variables.part], to: &writer)
      commit.rows.append(Commit.Row(.listPart(part, of: index), writer.bytes))
    }
    deleteParts(after: parts, of: index, old, in: &commit)
    Value.write(list[(parts * Variables.part)...], to: &writer)
    if parts > 0 { writer.put(varint: UInt64(parts)) }
  }

  private func deleteParts(after parts: Int, of index: Int, _ old: Variables.StoredList, in commit: inout Commit) {
    guard old.parts > parts else { return }
    for part in parts..<old.parts { commit.rows.append(Commit.Row(.listPart(part, of: index), nil)) }
  }
}
