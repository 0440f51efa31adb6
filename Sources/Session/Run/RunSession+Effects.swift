import Exchange
import Journal
import Linux
import Runner
import Vocabulary

/// Performs the machine's effects in order.
extension RunSession {
  /// Numbers an effect, and lets the watcher decide.
  func perform(_ kind: @autoclosure () -> EffectKind, _ action: () -> Void) { gate.perform(kind(), action) }

  func perform(_ effect: RunnerEffect, intents: [AppendIntent], at now: Instant) {
    switch effect {
    case .request(let request):
      let request = withCache(request)
      watch?(.request(request))
      words?.note(request)
      host.send(request, at: now)
      attend(at: now)
    case .resumed(let upTo, let except): perform(.resumed) { host.resumed(upTo: upTo, except: except, at: now) }
    case .print(let id, let line):
      onPrint?(line)
      if tree?.take(line, of: machine) ?? false { return machine.handle(.outputWritten(id), at: now) }
      let (text, warning) = formatter.text(line, machine.surroundings, at: now.wall)
      perform(.print(text)) { console.print(text) }
      if isKilled { return }
      plot(line, at: now)
      if let warning { console.log(.warning, warning, at: now.wall, in: zone) }
      // Incomplete output stays pending, so a run that continues prints it again.
      if console.outputIsCut { return }
      machine.handle(.outputWritten(id), at: now)
      if case .ended(let end)? = line.prompt { entryEnded(end, at: now) }
      if console.outputFailure != nil { outputEnded(at: now) }
    case .log(let id, let level, let text):
      perform(.log(text)) { log(level, text, at: now) }
      if isKilled { return }
      if !options.keepsOnlyRemembered { store?.log(StoryLine(level == .warning ? .warned : .logged, text, at: now.wall)) }
      if id.raw != 0, !console.errorsAreCut { machine.handle(.outputWritten(id), at: now) }
    case .append(let id, _, _):
      guard let intent = intents.first(where: { $0.id == id }) else { return }
      var failure: Failure?
      var isInterrupted = false
      perform(.append(path: intent.path)) {
        do throws(SystemFailure) {
          try appender.append(intent.path, offset: intent.offset, intent.bytes)
        } catch {
          failure = Self.failure(error)
          isInterrupted = error.isInterrupted
        }
      }
      // It was interrupted before it started. The intent stays, and a run that continues performs
      // it.
      if isKilled || isInterrupted { return }
      settled.append(id)
      machine.handle(.fileWritten(id, failure), at: now)
    case .save(let id, let path, let bytes):
      let target = absolute(path, in: options.directory)
      var failure = refusal(target)
      if failure == nil {
        perform(.save(path: target)) {
          do throws(SystemFailure) {
            try saveFile(target, bytes, within: fence)
          } catch {
            failure = Self.failure(error)
          }
        }
      }
      if isKilled { return }
      machine.handle(.fileWritten(id, failure), at: now)
    case .offerMade(let bytes):
      guard let path = options.codes.offerFile else { return }
      perform(.save(path: path)) {
        do throws(SystemFailure) {
          try saveFile(path, bytes, mode: 0o600)
          log(.log, "\(path) has out-of-band data for one pairing", at: now)
        } catch {
          log(.error, "--give-oob: \(error); the run cannot use it to prove who it is", at: now)
        }
      }
    case .ask(let id, let question, let isSecret): ask(id, question, isSecret: isSecret, at: now)
    case .run(let id, let order): run(id, order, at: now)
    case .withdrawn(let id):
      withdraw(id)
      withdrawCommand(id, at: now)
    case .metered(let done, let total, let part): show(done, of: total, part, at: now)
    case .readFile(let id, let path, let limit):
      let result: Result<[UInt8], Failure>
      do throws(SystemFailure) {
        result = .success(try OrdinaryFile(reading: absolute(path, in: options.directory), limit: limit).bytes)
      } catch {
        result = .failure(Self.failure(error))
      }
      machine.handle(.fileRead(id, result), at: now)
    case .order(let id, _):
      machine.handle(.fileWritten(id, Failure(.user, "this belongs in a `test`", blame: .recipe)), at: now)
    case .failed(let report): show(report, at: now)
    case .progressed(let report): show(report, at: now)
    case .finished(let status):
      var status = status
      if isHungUp, status.reason == .terminated { status.code = Self.hangUpCode }
      if status.reason == .interrupted || status.reason == .stopped {
        if isTimeUp, status.reason == .interrupted { status = ExitStatus(code: 8, reason: .failed) }
        if isOutputGone { status = ExitStatus(code: console.outputIsBroken ? 0 : 1, reason: .stopped) }
      }
      // A `stop` that is typed ends the prompt as `quit` does.
      if status.code == 0, let prompt, prompt.options.isScript, let code = prompt.failureCode {
        status = ExitStatus(code: code, reason: .failed)
      }
      finishedWith = status
      exitStatus = status
      close(at: now)
    }
  }

  /// Determines what the appends of a turn will write and where. This is stored with the turn, so
  /// that they can be completed after a kill.
  func plan(_ effects: [RunnerEffect], at now: Instant) -> (intents: [AppendIntent], failures: [(EffectID, Failure)]) {
    var intents: [AppendIntent] = []
    var failures: [(EffectID, Failure)] = []
    for case .append(let id, let path, let content) in effects {
      let target = absolute(path, in: options.directory)
      if let refused = refusal(target) {
        failures.append((id, refused))
        continue
      }
      do throws(SystemFailure) {
        let offset = try appender.size(of: target, begins: content.hasHeader)
        var bytes: [UInt8]
        switch content {
        case .bytes(let given), .line(let given): bytes = given
        case .csv(let columns, let cells):
          var row = cells
          if offset > 0, let there = header(of: target), there != columns {
            if columns.isEmpty {
              guard there.count == cells.count else {
                failures.append((id, otherCount(target, there, cells.count)))
                continue
              }
            } else {
              guard let moved = Self.cells(cells, of: columns, under: there) else {
                failures.append((id, otherColumns(target, there, columns)))
                continue
              }
              row = moved
            }
          }
          let line = row.joined(separator: ",") + "\n"
          let isNew = offset == 0 && !columns.isEmpty
          bytes = Array(((isNew ? columns.map(CSV.quoted).joined(separator: ",") + "\n" : "") + line).utf8)
          // Of a row without names, the number of fields counts.
          if offset == 0 { remember(isNew ? columns : (try? CSV.rows(Array(line.utf8)))?.first ?? cells, of: target) }
        }
        // An editor may have left the last line without an end.
        if content.isLine,
          let ending = intents.last(where: { $0.path == target })?.bytes.last ?? appender.lastByte(of: target, at: offset),
          ending != UInt8(ascii: "\n")
        {
          bytes.insert(UInt8(ascii: "\n"), at: 0)
        }
        appender.plan(target, offset: offset, count: bytes.count)
        intents.append(AppendIntent(id: id, path: target, offset: offset, bytes: bytes))
      } catch {
        failures.append((id, Self.failure(error)))
      }
    }
    return (intents, failures)
  }

  func remember(_ columns: [String], of path: String) {
    knownColumns.removeAll { $0.path == path }
    knownColumns.append((path, columns))
  }

  /// The columns of an existing file; `nil` if its first line cannot be a header.
  private func header(of path: String) -> [String]? {
    if let known = knownColumns.first(where: { $0.path == path }) { return known.columns }
    guard let head = appender.head(of: path, limit: 65536), let rows = try? CSV.rows(head), let first = rows.first else {
      return nil
    }
    remember(first, of: path)
    return first
  }

  /// The cells in the order of a header with the same columns; `nil` if it has others or
  /// duplicates.
  static func cells(_ cells: [String], of columns: [String], under header: [String]) -> [String]? {
    guard header.count == columns.count, cells.count == columns.count else { return nil }
    var moved: [String] = []
    for name in header {
      guard let place = columns.firstIndex(of: name) else { return nil }
      moved.append(cells[place])
    }
    return Set(header).count == header.count ? moved : nil
  }

  /// The failure for a row under a header with other columns, where it would be misread.
  private func otherColumns(_ path: String, _ there: [String], _ columns: [String]) -> Failure {
    Failure(
      .file, "\(path) has the columns \(there.joined(separator: ", ")), but this record has \(columns.joined(separator: ", "))",
      blame: .recipe,
      hint: "append to another file, or give the record the same fields")
  }

  /// The failure for a row without names that has another number of fields than the first line.
  private func otherCount(_ path: String, _ there: [String], _ count: Int) -> Failure {
    Failure(
      .file,
      "\(path) has the columns \(there.joined(separator: ", ")), but this row has \(count) field\(count == 1 ? "" : "s")",
      blame: .recipe, hint: "append a record with these fields, or to another file")
  }

  /// How a message calls text that may change little, and what allows it more.
  var isolated: String { isTypedAt ? "what is typed at this prompt" : "a recipe that is not a file" }
  var toAllow: String { isTypedAt ? "start the prompt with" : "allow it with" }

  /// Refuses paths outside the working directory for recipes from elsewhere.
  func refusal(_ path: String) -> Failure? {
    guard let fence, !fence.holds(path) else { return nil }
    let folder = realPath(parent(of: path)) ?? parent(of: path)
    return Failure(
      .file, "\(isolated) may not write to \(path)", blame: .recipe, hint: "\(toAllow) --allow write-files=\(folder)")
  }

  static func failure(_ failure: SystemFailure) -> Failure {
    // Root without its capabilities has no more privileges than other users, so say so.
    let hint =
      failure.isDenied && Privileges.isRoot
      ? "tooth gives up root's privileges when it takes the adapter: start it as the owner of the folder, after sudo setcap cap_net_admin+ep \(Privileges.program)"
      : nil
    return Failure(.file, "\(failure)", blame: .ours, layer: .os, code: UInt16(clamping: failure.code), hint: hint)
  }
}
