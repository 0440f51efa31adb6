import Exchange
import Vocabulary

extension Machine {
  /// The rows of everything that was marked dirty since the last commit.
  mutating func takeCommit() -> Commit {
    var commit = Commit()
    commit.clearsAll = clearsAll
    clearsAll = false
    commit.mustSync = mustSync
    mustSync = false
    if isFrozen { return commit }
    pruneKept()
    for key in deadRows { commit.rows.append(Commit.Row(key, nil)) }
    deadRows.removeAll(keepingCapacity: true)
    for index in dirtyVariables {
      isVariableDirty[index] = false
      store(variable: index, in: &commit)
    }
    dirtyVariables.removeAll(keepingCapacity: true)
    for index in fibers.indices where fibers[index].isDirty && !fibers[index].isStop {
      fibers[index].isDirty = false
      fibers[index].isStored = true
      commit.rows.append(Commit.Row(RowKey(.fiber, fibers[index].id), fibers[index].withoutSecrets.encoded))
    }
    for (index, device, knowledge) in devices.takeDirty() {
      if device {
        commit.rows.append(Commit.Row(RowKey(.device, UInt64(index)), devices[index].encoded))
      }
      if knowledge {
        commit.rows.append(Commit.Row(RowKey(.knowledge, UInt64(index)), devices[index].knowledge?.encoded))
      }
    }
    for index in timers.indices where timers[index].isDirty {
      timers[index].isDirty = false
      timers[index].isStored = true
      commit.rows.append(Commit.Row(RowKey(.timer, timers[index].id), timers[index].encoded))
    }
    storeEvents(in: &commit)
    if isOutputDirty {
      isOutputDirty = false
      commit.rows.append(Commit.Row(RowKey(.output), output?.encoded))
    }
    for index in devices.active where !devices[index].held.isEmpty { storeHeld(index, in: &commit) }
    if !commit.isEmpty || heardDue.map({ $0 <= now.moment }) ?? false { storeHeard(in: &commit) }
    if isHeaderDirty, mustKeepHeader || !commit.isEmpty {
      isHeaderDirty = false
      mustKeepHeader = false
      commit.rows.append(Commit.Row(RowKey(.header), header.encoded))
    }
    return commit
  }

  /// While the run ends on request, its checkpoint stays as it was: the next start goes on from
  /// there.
  var isFrozen: Bool {
    guard exit.reason == .interrupted || exit.reason == .terminated else { return false }
    switch life {
    case .stopping, .closing, .done: return true
    case .running, .draining: return false
    }
  }

  /// What came before set-up was over is acknowledged like everything else, so it is kept like
  /// everything else.
  private mutating func storeHeld(_ index: Int, in commit: inout Commit) {
    for place in devices[index].held.indices where !devices[index].held[place].isStored {
      devices[index].held[place].isStored = true
      commit.rows.append(
        Commit.Row(RowKey(.heldEvent, devices[index].held[place].sequence), devices[index].held[place].encoded))
    }
  }

  private func store(variable index: Int, in commit: inout Commit) {
    let variable = program.variables[index]
    switch variable.kind {
    case .constant, .input, .secret: break
    case .remembered:
      if !variables[index].holdsSecret { commit.remembered.append((variable.name, variables[index].encoded)) }
    case .state:
      // By name, so that an edited recipe finds it again.
      var writer = ByteWriter()
      writer.put(text: variable.name)
      variables[index].write(to: &writer)
      commit.rows.append(Commit.Row(RowKey(.variable, UInt64(index)), writer.bytes))
    }
    if variable.kind == .remembered { commit.mustSync = true }
  }

  private mutating func storeEvents(in commit: inout Commit) {
    for place in lanes.indices where lanes[place].count > 0 {
      for index in lanes[place].head..<lanes[place].events.count where !lanes[place].events[index].isStored {
        lanes[place].events[index].isStored = true
        var writer = ByteWriter()
        writer.put(UInt16(truncatingIfNeeded: lanes[place].unit))
        lanes[place].events[index].write(to: &writer)
        commit.rows.append(Commit.Row(.queued(lanes[place].events[index], lanes[place].unit), writer.bytes))
      }
    }
    for index in kept.indices where !kept[index].isStored {
      kept[index].isStored = true
      commit.rows.append(Commit.Row(RowKey(.keptEvent, kept[index].sequence), kept[index].encoded))
    }
  }
}
