package import Adapters
import Exchange
import Glibc
import Journal
import Keeper
import Linux
package import Recipe
package import Runner
package import Vocabulary

/// Opens a run: takes its lock, decides whether it continues or starts, and restores or starts its
/// machine.
///
/// It has two steps, so that a locked or unreadable checkpoint is reported before the adapter is
/// touched.
package struct RunStarter {
  private let plan: RunPlan
  /// The database; `nil` if it does not exist, in which case it is created once the adapter is
  /// ready.
  private var store: RunStore?
  private let place: Place?
  private let shared: LazySharedStore?
  private var loaded: LoadedRecipe
  private let console: Console
  private let zone: TimeZoneRules
  private var restoring: RunSnapshot?
  private var remembered: [(name: String, value: [UInt8])] = []
  private let program: Program
  /// The entries of a prompt.
  private var book: PromptBook?
  private var snapshot: Snapshot?
  private var past: PastRun?
  /// The host's answer, once it was met.
  private var met: HostMeeting??
  private let bootID: String
  /// Whether the recipe has `use checkpoint off`.
  private let keepsOnlyRemembered: Bool

  /// The adapter that a command line of this run named last; empty if none did, or if the run is
  /// new.
  package var keptAdapter: String { restoring?.record.adapter ?? "" }

  /// The locked place of a run's checkpoint.
  private struct Place {
    var id: RunID
    var state: StateDirectory
    var lock: RunLock
    var others: OpenRuns
  }

  package init(_ plan: RunPlan, console: Console, bootID: String, zone: TimeZoneRules, at now: Instant) throws(StartRefusal) {
    self.plan = plan
    self.console = console
    self.zone = zone
    self.bootID = bootID
    loaded = plan.loaded
    keepsOnlyRemembered = plan.prompt == nil && plan.loaded.recipe?.keepsNoCheckpoint ?? false
    var now = now
    do throws(JournalFailure) {
      if keepsOnlyRemembered, plan.isResume {
        throw JournalFailure(.missing, "this recipe keeps no checkpoint: `use checkpoint off`", hint: "start it with tooth run")
      }
      if let state = plan.state, let id = plan.id ?? plan.identity.map({ RunID($0) }) {
        if let warning = try state.make(for: plan.isResume ? .continuing : .saving) { console.note("warning: \(warning)") }
        let (lock, hasWaited) = try Self.wait(for: id, in: state, plan)
        let place = Place(id: id, state: state, lock: lock, others: OpenRuns(in: state, bootID: bootID))
        self.place = place
        shared = LazySharedStore(in: state)
        if hasWaited { now = SystemClock.now() }
        store = try Self.open(place, plan)
        if !keepsOnlyRemembered { restoring = try Self.decide(store, id, plan, bootID, console, now) }
      } else {
        if plan.isResume {
          throw JournalFailure(.missing, "a recipe from stdin or -e keeps no checkpoint", hint: "name the run with --as NAME")
        }
        place = nil
        shared = nil
      }
    } catch { throw .journal(error) }

    // The meaning of entries depends on the text before them.
    if let restoring, plan.prompt != nil, plan.loaded.name != "prompt", restoring.record.text != plan.loaded.stored {
      console.note("\(plan.loaded.name) was edited; this session continues with the old text")
    }
    if let restoring, plan.isAsStarted || plan.prompt != nil {
      loaded = RecipeLoader.parse(name: plan.loaded.name, stored: restoring.record.text)
    }
    if plan.prompt != nil {
      loaded = loaded.atPrompt
      let book = try Self.book(loaded, restoring)
      self.book = book
      program = book.program
    } else if let compiled = plan.program {
      program = compiled
    } else {
      program = try Self.compile(loaded)
    }

    do throws(JournalFailure) {
      if let place, let shared, let identity = plan.identity, program.variables.contains(where: { $0.kind == .remembered }) {
        let store: RunStore
        if let opened = self.store { store = opened } else { store = try Self.make(place) }
        self.store = store
        remembered = try store.newestRemembered(of: identity.owner, among: place.others, shared).map { ($0.name, $0.value) }
      } else if let restoring, restoring.record.text != loaded.stored, let store = self.store {
        // An edit may have turned a `remember` into a `let`.
        remembered = try store.remembered().map { ($0.name, $0.value) }
      }
    } catch { throw .journal(error) }

    if let restoring { try restore(restoring, at: now) }
  }

  /// Whether the run makes requests of a host now or later.
  package var needsHost: Bool { plan.prompt != nil || program.needsHost }

  /// The session as earlier processes left it.
  private static func book(_ loaded: LoadedRecipe, _ restoring: RunSnapshot?) throws(StartRefusal) -> PromptBook {
    guard let recipe = loaded.recipe, !loaded.hasErrors else {
      throw .recipe(RecipeRefusal(findings: loaded.findings, sources: loaded.sources))
    }
    var book: PromptBook
    do throws(RecipeRefusal) { book = try PromptBook(recipe, sources: loaded.sources) } catch { throw .recipe(error) }
    guard let restoring else { return book }
    do throws(RestoreFailure) {
      let entries = try Snapshot(rows: restoring.rows).entries
      guard book.fold(entries) else { throw RestoreFailure("an entry of this session cannot be read by this version") }
      return book
    } catch {
      throw .journal(JournalFailure(.unreadable, error.message, hint: "start over with --fresh"))
    }
  }

  private static func compile(_ loaded: LoadedRecipe) throws(StartRefusal) -> Program {
    guard let recipe = loaded.recipe, !loaded.hasErrors else {
      throw .recipe(RecipeRefusal(findings: loaded.findings, sources: loaded.sources))
    }
    switch Compiler.compile(recipe, sources: loaded.sources) {
    case .success(let program): return program
    case .failure(let error): throw .recipe(RecipeRefusal(error, loaded.sources))
    }
  }

  /// Opens the existing database.
  private static func open(_ place: Place, _ plan: RunPlan) throws(JournalFailure) -> RunStore? {
    guard place.state.has(place.id) else { return nil }
    do throws(JournalFailure) {
      let store = try make(place)
      // A database with an intact start may be damaged further on.
      if plan.isFresh { _ = try store.snapshot() }
      return store
    } catch {
      guard plan.isFresh, error.kind == .unreadable || error.kind == .newer else { throw error }
      return try RunStore.replace(place.id, in: place.state, lock: place.lock)
    }
  }

  private static func make(_ place: Place) throws(JournalFailure) -> RunStore {
    try RunStore(place.id, in: place.state, lock: place.lock)
  }

  /// Takes the lock of a run, and waits for another process to end as long as the plan permits.
  /// Does not delay signals.
  private static func wait(for id: RunID, in state: StateDirectory, _ plan: RunPlan) throws(JournalFailure)
    -> (RunLock, hasWaited: Bool)
  {
    var deadline: Moment?
    while true {
      do throws(JournalFailure) { return (try RunLock(id, in: state), deadline != nil) } catch {
        guard case .locked = error.kind, let patience = plan.lockPatience else { throw error }
        let now = SystemClock.now().moment
        let end = deadline ?? now + patience
        deadline = end
        guard now < end else {
          throw JournalFailure(error.kind, "\(error.message), and did not end within \(patience)", hint: error.hint)
        }
        _ = Poll.wait(for: [], until: min(end, now + .milliseconds(50)))
      }
    }
  }

  /// Decides how to continue from how the last run ended.
  private static func decide(
    _ store: RunStore?, _ id: RunID, _ plan: RunPlan, _ bootID: String, _ console: Console, _ now: Instant
  ) throws(JournalFailure) -> RunSnapshot? {
    if plan.isFresh { return nil }
    guard let found = try store?.snapshot() else {
      if plan.isResume || plan.isAsStarted {
        throw JournalFailure(.missing, "there is nothing to resume", hint: "start it with tooth run")
      }
      return nil
    }
    if let identity = plan.identity, found.record.identity != identity.canonical {
      throw JournalFailure(
        .changed, "the checkpoint \(id) belongs to another run", hint: "give this one a name with --as NAME")
    }
    let hasState = !found.rows.isEmpty
    let isRequested = plan.isResume || plan.isAsStarted
    let goesOn = [.none, .terminated].contains(found.record.ending) || isRequested
    if plan.prompt == nil, goesOn, ![.finished, .stopped].contains(found.record.ending), hasState,
      (try? Snapshot(rows: found.rows))?.isPrompt ?? false
    {
      throw JournalFailure(
        .changed, "this run waits at its prompt",
        hint: "continue it at a terminal with --repl-at-end or --repl-on-failure, or start over with --fresh")
    }
    let continues = found.continues(isRequested: isRequested, within: plan.checkpointAge, at: now.wall)
    switch found.record.ending {
    case .finished, .stopped:
      if isRequested { throw JournalFailure(.missing, "the run has finished; there is nothing to resume") }
    case .failed, .interrupted:
      if isRequested, !hasState {
        throw JournalFailure(.missing, "the run ended before it had done anything; there is nothing to resume")
      }
    case .none, .terminated:
      // It was killed before its first commit, so it has done nothing.
      guard hasState else { return nil }
      if continues { break }
      let age = TimeSpan.seconds((now.wall - found.lastSeen(at: now.wall)).milliseconds / 1000)
      if (try? Snapshot(rows: found.rows))?.isUnsure ?? true {
        throw JournalFailure(
          .changed, "the checkpoint is \(age) old, and the outcome of an effect is unknown",
          hint: "continue it with tooth resume, or start over with --fresh")
      }
      console.note("the checkpoint is \(age) old and is not used; tooth resume would continue it")
    }
    guard continues else { return nil }
    // The times of one clock mean nothing to the other.
    let isVirtual = bootID.hasPrefix(RunRecord.virtualBoot)
    guard found.record.isVirtual == isVirtual else {
      throw JournalFailure(
        .changed, isVirtual ? "this run was started with the real clock" : "this run was started with the clock of a simulation",
        hint:
          "continue it with\(isVirtual ? "out --clock virtual" : " --clock virtual and a --time-limit"), or start over with --fresh"
      )
    }
    return found
  }

  private mutating func restore(_ found: RunSnapshot, at now: Instant) throws(StartRefusal) {
    let reason: PastRun.Reason
    switch found.record.ending {
    case .none: reason = found.record.isOfEarlierBoot(than: bootID) ? .rebooted : .killed
    case .finished, .stopped, .failed, .interrupted, .terminated: reason = .stopped
    }
    let lastWall = found.lastSeen(at: now.wall)
    let lastMoment = found.record.bootID == bootID ? now.moment - (now.wall - lastWall) : now.moment
    let isEdited = found.record.text != loaded.stored
    past = PastRun(reason: reason, at: Instant(moment: lastMoment, wall: lastWall), isEdited: isEdited)
    do throws(RestoreFailure) {
      snapshot = try Snapshot(rows: found.rows)
    } catch {
      throw .journal(JournalFailure(.unreadable, error.message, hint: "start over with --fresh"))
    }
    for pin in found.record.pins {
      guard let now = plan.inputs.pins.first(where: { $0.name == pin.name }), now.value != pin.value else { continue }
      throw .journal(
        JournalFailure(
          .changed, "the file of the input \(pin.name) has changed since the run began",
          hint: "restore the old one, or start over with --fresh"))
    }
    try keepInputs(found, isEdited: isEdited)
    if isEdited { try align(found) }
  }

  /// Refuses to continue a run with other values of its inputs, or after an edit that removed one.
  private func keepInputs(_ found: RunSnapshot, isEdited: Bool) throws(StartRefusal) {
    for name in plan.inputs.given {
      guard let kept = snapshot?.value(of: name), let given = plan.inputs.values.first(where: { $0.name == name })?.value,
        !InputReader.isSame(kept, given)
      else { continue }
      throw .journal(
        JournalFailure(
          .changed, "this run was started with another \(name)",
          hint: "leave it out to continue that run, or start over with tooth run and --fresh"))
    }
    guard isEdited, let recipe = loaded.recipe else { return }
    let old =
      recipe.inputs.isEmpty ? [] : RecipeLoader.parse(name: plan.loaded.name, stored: found.record.text).recipe?.inputs ?? []
    for input in recipe.inputs {
      guard let before = old.first(where: { $0.name.text == input.name.text }), before.type.text != input.type.text else {
        continue
      }
      throw .journal(
        JournalFailure(
          .changed,
          "this run was started when the input \(input.name.text) was of the type \(before.type.text), and now it is \(input.type.text)",
          hint: "continue the old text with tooth resume and --as-started, or start over with tooth run and --fresh"))
    }
    for input in found.record.inputs where !recipe.inputs.contains(where: { $0.name.text == input.name }) {
      throw .journal(
        JournalFailure(
          .changed, "this run was started with a value for \(input.name), but the recipe no longer has that input",
          hint: "continue the old text with tooth resume and --as-started, or start over with tooth run and --fresh"))
    }
  }

  /// The recipe was edited since: its statements are found again, or the run is refused.
  private mutating func align(_ found: RunSnapshot) throws(StartRefusal) {
    let old: Program
    let before = RecipeLoader.parse(name: plan.loaded.name, stored: found.record.text)
    guard let recipe = before.recipe, case .success(let compiled) = Compiler.compile(recipe, sources: before.sources),
      let state = snapshot
    else {
      throw .journal(
        JournalFailure(
          .changed, "the recipe changed, and its old text cannot be read by this version", hint: "start over with --fresh"))
    }
    old = compiled
    let result: Result<Alignment, AlignmentConflict>
    do throws(RestoreFailure) {
      result = try state.aligned(from: old, to: program)
    } catch {
      throw .journal(JournalFailure(.unreadable, error.message, hint: "start over with --fresh"))
    }
    switch result {
    case .success(let alignment):
      snapshot = alignment.snapshot
      let count = alignment.changedLines
      var what = count == 0 ? "no statement changed" : "\(count) line\(count == 1 ? "" : "s") changed, none of them running"
      if count == 0, alignment.isReordered { what = "only the order of statements changed" }
      var text = "resumed with your edits (\(what))"
      if alignment.oldPlace != alignment.newPlace { text += "; \(alignment.oldPlace) is now \(alignment.newPlace)" }
      console.note(text)
      if alignment.droppedEvents > 0 { console.note("\(alignment.droppedEvents) events are dropped: their handler is gone") }
    case .failure(let conflict): throw .changed(RecipeRefusal(findings: [finding(conflict, found)], sources: loaded.sources))
    }
  }

  private func finding(_ conflict: AlignmentConflict, _ found: RunSnapshot) -> Diagnostic {
    let clock = zone.civil(past?.at.wall ?? found.lastCommit)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let ended = "the run (\(past?.reason.rawValue ?? "killed") \(two(clock.hour)):\(two(clock.minute)))"
    let said = "\(conflict.oldPlace) said:  \(conflict.oldText)"
    let was = conflict.isAround ? "inside" : "here"
    var facts: [Diagnostic.Fact] = []
    let label: String
    switch conflict.edit {
    case .changed: label = "\(ended) was \(was), when \(said)"
    case .removedBefore: label = "\(ended) was \(conflict.isAround ? "inside a block " : "")before this, when \(said)"
    case .removedAfter: label = "\(ended) was \(conflict.isAround ? "inside a block " : "")after this, when \(said)"
    case .fewerEquals(let count, let left):
      label = "\(ended) was \(was), when \(said)"
      facts.append(
        Diagnostic.Fact(
          count == left
            ? "note: it is not certain which of the \(count) such lines in its block it was"
            : "note: its block had \(count) such lines, but has \(left) now"))
    }
    if let command = plan.resumeCommand(["--as-started"]) { facts.append(Diagnostic.Fact("continue the old text:  \(command)")) }
    facts.append(Diagnostic.Fact("start over:             \(plan.freshCommand ?? "the same command with --fresh")"))
    return Diagnostic(
      "T410", "the recipe changed where the last run was working", at: conflict.newRange, label, facts: facts)
  }

  /// Gives up, because there is no adapter. A missing database is not created, and its lock is
  /// removed.
  package func giveUp() {
    if store == nil { place?.lock.remove() }
  }

  /// Meets the host, which may take time. The run has not done anything yet.
  package mutating func meet(_ host: any HostPort, seed: UInt64, at now: Instant) throws(AdapterRefusal) {
    met = .some(try host.meet({ introduction(seed) }, at: now))
  }

  /// Creates the session, with its machine restored or started. Then `RunSession.begin` starts the
  /// host.
  package func session(_ surroundings: RunSurroundings, at now: Instant) throws(StartRefusal) -> RunSession {
    var environment = MachineEnvironment(
      seed: surroundings.seed, bootID: bootID, timeZone: zone, isStrict: plan.options.isStrict || program.settings.strict)
    environment.escapesFormulas = plan.options.escapesFormulas
    environment.rebonds = plan.options.rebonds
    environment.smallestKey = plan.options.smallestKey
    environment.codes = plan.options.codes
    if program.readsEnvironment || plan.prompt != nil { environment.variables = processVariables() }
    var machine: Machine
    var isFresh = false
    var options = plan.options
    options.keepsOnlyRemembered = keepsOnlyRemembered
    // Before the machine starts, because `on restore` reports what a keeper has held.
    var past = past
    let met: HostMeeting?
    do throws(AdapterRefusal) {
      if let earlier = self.met {
        met = earlier
      } else {
        met = try surroundings.host.meet({ introduction(surroundings.seed) }, at: now)
      }
    } catch { throw .adapter(error) }
    if let kept = met?.kept { past?.kept = kept }
    var store = store
    do throws(JournalFailure) {
      if store == nil, let place, !keepsOnlyRemembered { store = try Self.make(place) }
      if let store, let place, let identity = plan.identity { try store.enter(place.others, owner: identity.owner.text) }
      if let restoring, let snapshot, let past {
        options.directory = restoring.record.directory
        do throws(RestoreFailure) {
          machine = try Machine(
            program: program, restoring: snapshot, remembered: remembered, inputs: plan.inputs.values, environment: environment,
            past: past,
            at: now)
        } catch {
          throw JournalFailure(.unreadable, error.message, hint: "start over with --fresh")
        }
        machine.meetKeeper(met?.identity ?? [], session: met?.session ?? 0)
        var record = restoring.record
        record.pid = getpid()
        if !plan.adapter.isEmpty { record.adapter = plan.adapter }
        record.bootID = bootID
        record.ending = .none
        record.exitCode = nil
        record.text = loaded.stored
        if let store { note(machine, past, store, at: now) }
        if past.isEdited { store?.takeOverWithNextCommit(record) } else { try store?.takeOver(record) }
        announce(machine, past, at: now)
        // It was killed after it had failed, perhaps before it could say so.
        if machine.isFailing, let store, let state = plan.state, let kept = RunStore.failure(of: store.id, in: state) {
          tellAgain(kept)
        }
      } else {
        machine = Machine(program: program, inputs: plan.inputs.values, environment: environment, at: now)
        if let met { machine.meetKeeper(met.identity, session: met.session) }
        machine.start(at: now, remembered: remembered)
        if let store, let identity = plan.identity {
          var record = RunRecord(
            identity: identity.canonical, owner: identity.owner.text, path: plan.path, text: loaded.stored,
            inputs: plan.inputs.identity.map { RunRecord.Input(name: $0.name, value: $0.value) }, directory: options.directory,
            started: now.wall, bootID: bootID, pid: getpid())
          record.adapter = plan.adapter
          record.pins = plan.inputs.pins.map { RunRecord.Input(name: $0.name, value: $0.value) }
          if store.isBlank { store.startWithNextCommit(record) } else { try store.startFresh(record) }
          isFresh = true
        }
      }
    } catch { throw .journal(error) }
    machine.parksOnFailure = plan.prompt?.onFailure ?? false
    var dump = plan.dump
    if let store, let state = plan.state { dump = PacketDump(of: store.id, in: state) }
    // A new run that is killed must not show the link of an earlier one.
    if isFresh { dump?.forget() }
    var prompt = plan.prompt
    prompt?.inputs = plan.inputWords
    let session = RunSession(
      machine: machine, host: surroundings.host, store: store, shared: shared, console: surroundings.console, options: options,
      sources: loaded.sources, zone: zone, hook: surroundings.hook, watch: surroundings.watch, dump: dump,
      prompt: book.flatMap { book in prompt.map { (book, $0) } })
    if let past { session.describe(past) }
    session.take(surroundings.script)
    surroundings.made?(session)
    do throws(JournalFailure) {
      try session.begin(unfinished: restoring?.appends ?? [], seed: surroundings.seed, at: now) {
        if isFresh, !keepsOnlyRemembered, let place, let identity = plan.identity { reportOtherRuns(identity, place) }
      }
    } catch { throw .journal(error) }
    return session
  }

  /// The identity of the run for a keeper, with the keeper's session number.
  private func introduction(_ seed: UInt64) -> HostIntroduction {
    let old = restoring == nil ? nil : snapshot?.keeper
    // A run that starts again uses the identity under which a keeper may still hold things, so that
    // the keeper releases them.
    let left =
      plan.isFresh || keepsOnlyRemembered ? ((try? store?.snapshot()).flatMap { try? Snapshot(rows: $0.rows) })?.keeper : nil
    return HostIntroduction(
      identity: old?.identity ?? left?.identity ?? keeperIdentity(seed),
      name: plan.identity.map { RunID($0).text } ?? plan.loaded.name, session: old?.session ?? 0,
      covered: old?.covered ?? EventNumber(0), isEphemeral: place == nil || keepsOnlyRemembered)
  }

  /// Half of it is random, half identifies the run.
  private func keeperIdentity(_ seed: UInt64) -> [UInt8] {
    let own = (plan.state?.path ?? "") + "\0" + (plan.identity?.canonical ?? "\(getpid())")
    var writer = ByteWriter()
    writer.put(seed)
    writer.put(FNV1a.hash(own.utf8))
    return writer.bytes
  }

  /// Adds the restart to the history. Its device is the number of links that a keeper has held.
  private func note(_ machine: Machine, _ past: PastRun, _ store: RunStore, at now: Instant) {
    let point = machine.restorePoint
    let place = point.line != .none ? "\(program.lines.text(of: point.line)): \(point.text)" : "its handlers"
    var text = "continues at \(place)"
    if let kept = past.kept {
      let count = kept.links.count
      text += ", \(count) link\(count == 1 ? "" : "s") kept, \(kept.missed) value\(kept.missed == 1 ? "" : "s") missed"
    }
    store.note(StoryLine(.died, hadFailed ? "failed, waited" : past.reason.rawValue, at: past.at.wall))
    store.note(StoryLine(.restored, device: past.kept.map { "\($0.links.count)" }, text, at: now.wall))
  }

  private var hadFailed: Bool { restoring?.record.ending == .failed }

  /// How the run ended before, for a person.
  private func word(_ past: PastRun) -> String { hadFailed ? "failed" : past.reason.rawValue }

  /// Reports the failure of a killed process in the forms that this one was asked for.
  private func tellAgain(_ failure: KeptFailure) {
    let isJSON = console.style.jsonDiagnostics && !failure.diagnostic.isEmpty
    console.say(isJSON ? failure.diagnostic + "\n" : failure.text)
    guard console.style.events, console.style.format == .json, !failure.event.isEmpty else { return }
    console.print(failure.event + "\n")
  }

  private func announce(_ machine: Machine, _ past: PastRun, at now: Instant) {
    let point = machine.restorePoint
    let ago = TimeSpan.seconds(max(0, (now.wall - past.at.wall).milliseconds / 1000))
    if plan.prompt != nil {
      let count = machine.entries.list.count
      if let place = machine.parkedText, count == 0 {
        return console.note(
          "\(plan.loaded.name) waits where it failed, at \(place) (\(word(past)) \(ago) ago; retry repeats it)")
      }
      let under = machine.entryUnderWay == nil ? "" : ", entry \(machine.entries.list.last?.number ?? count) in progress"
      return console.note(
        "\(plan.loaded.name) continues after \(count) entr\(count == 1 ? "y" : "ies")\(under) (\(word(past)) \(ago) ago; --fresh starts another)"
      )
    }
    let place = point.line != .none ? "\(program.lines.text(of: point.line)): \(point.text)" : "its handlers"
    console.note("\(plan.loaded.name) continues at \(place) (\(word(past)) \(ago) ago)")
  }

  /// Reports other killed runs of the same recipe that wait with other inputs. A few are named.
  private func reportOtherRuns(_ identity: RunIdentity, _ place: Place) {
    guard let (others, more) = try? place.others.others(than: place.id, of: identity.owner, limit: 8) else { return }
    for other in others {
      guard RunLock.holder(of: other.id, in: place.state) == nil, let record = other.snapshot?.record,
        record.ending == .none || record.ending == .terminated
      else { continue }
      let inputs = record.inputs.map { "\(RunPlan.option($0.name)) \(ShellText.word($0.value))" }.joined(separator: " ")
      console.note(
        "note: another run of this recipe\(inputs.isEmpty ? "" : " (\(inputs))") is waiting to continue: \(plan.resumeCommand(of: other.id.text))"
      )
    }
    if more > 0 {
      console.note("note: \(more) more runs of this recipe may be waiting to continue: tooth runs lists them")
    }
  }
}

extension RecipeRefusal {
  package init(_ error: CompileError, _ sources: [SourceText]) {
    self.init(findings: [Diagnostic("T299", error.message, at: error.range)], sources: sources)
  }
}
