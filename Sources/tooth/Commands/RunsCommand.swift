import Journal
import Linux
import Recipe
import Runner
import Session
import Vocabulary

/// `tooth runs`, `tooth runs show ID`, `tooth runs drop ID …`.
enum RunsCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    let console = Console(style: arguments.style())
    let zone = LocalTime.rules()
    do {
      let state = try StateDirectory.choose(option: arguments.value("state"), environment: environment)
      // Looking must not make a directory.
      guard realPath(state.path) != nil else {
        if arguments.words.isEmpty { return 0 }
        throw JournalFailure(.missing, "there are no runs in \(state.path)")
      }
      try state.make()
      switch arguments.words.first {
      case nil:
        for run in KnownRun.all(in: state) { list(run, state, console, zone) }
        return 0
      case "show":
        guard arguments.words.count == 2 else { throw UsageError("tooth runs show needs one ID", hint: "tooth runs lists them") }
        try show(try find(arguments.words[1], state), state, console, zone)
        return 0
      case "drop":
        guard arguments.words.count > 1 else { throw UsageError("tooth runs drop needs an ID", hint: "tooth runs lists them") }
        for word in arguments.words.dropFirst() {
          let id = try find(word, state)
          try KnownRun.drop(id, in: state)
          console.note("dropped \(id)")
        }
        return 0
      case let word?:
        if let near = Spelling.nearest(to: word, among: command.verbs) {
          throw UsageError("tooth runs has no \(word) — did you mean \(near)?")
        }
        throw UsageError("tooth runs has no \(word)", hint: HelpText.usage(command))
      }
    } catch let failure as JournalFailure {
      console.complain(failure.message, hint: failure.hint)
      return 11
    } catch let failure as UsageError {
      throw failure
    } catch {
      console.complain("\(error)")
      return 12
    }
  }

  /// An ID, or a beginning of one that fits only once.
  private static func find(_ word: String, _ state: StateDirectory) throws -> RunID {
    let all = state.runs()
    if let id = RunID(word), all.contains(id) { return id }
    let fitting = all.filter { $0.text.hasPrefix(word) }
    if fitting.count == 1 { return fitting[0] }
    if fitting.count > 1 { throw JournalFailure(.missing, "\(word) may be \(fitting.map(\.text).joined(separator: " or "))") }
    guard let id = RunID(word) else { throw JournalFailure(.missing, "\(word) is no ID of a run", hint: "tooth runs lists them") }
    return id
  }

  /// How a run stands, in a word.
  private static func standing(_ record: RunRecord, _ id: RunID, _ state: StateDirectory) -> String {
    if let pid = RunLock.holder(of: id, in: state) { return pid > 0 ? "running (process \(pid))" : "running" }
    switch record.ending {
    case .none: return record.bootID == SystemClock.bootID() ? "killed" : "rebooted"
    case .failed: return "failed (\(record.exitCode ?? 1))"
    case .finished, .stopped, .interrupted, .terminated: return record.ending.rawValue
    }
  }

  private static func list(_ run: KnownRun, _ state: StateDirectory, _ console: Console, _ zone: TimeZoneRules) {
    guard let found = run.snapshot else {
      var object = JSONObject()
      object.set("id", run.id.text)
      object.set("state", "unreadable")
      console.print(console.style.format == .json ? "\(object.text)\n" : "\(run.id)  unreadable\n")
      return
    }
    let stands = standing(found.record, run.id, state)
    let last = zone.civil(found.lastSeen(at: SystemClock.now().wall)).description
    switch console.style.format {
    case .json:
      var object = JSONObject()
      object.set("id", run.id.text)
      object.set("state", stands)
      object.set("last", last)
      object.set("recipe", found.record.path)
      console.print(object.text + "\n")
    case .csv: console.print([run.id.text, stands, last, found.record.path].map { CSV.quoted($0) }.joined(separator: ",") + "\n")
    case .text:
      console.print(
        "\(HelpText.padded(run.id.text, 28))  \(HelpText.padded(stands, 24))  \(last)  \(Shown.text(found.record.path))\n")
    }
  }

  private static func show(_ id: RunID, _ state: StateDirectory, _ console: Console, _ zone: TimeZoneRules) throws {
    guard let found = try RunStore.peek(id, in: state) else {
      throw JournalFailure(.missing, "there is no run \(id)", hint: "tooth runs lists them")
    }
    let record = found.record
    var text = "\(id): \(standing(record, id, state))\n"
    text += "recipe     \(Shown.text(record.path))\n"
    for input in record.inputs {
      text += "input      \(input.name) = \(Shown.text(input.value.split(separator: "\u{1E}").joined(separator: ", ")))\n"
    }
    text += "directory  \(Shown.text(record.directory))\n"
    text += "started    \(zone.civil(record.started))\n"
    text += "last work  \(zone.civil(found.lastCommit))\n"
    if !found.rows.isEmpty {
      let summary = RunSummary(found, zone)
      for (title, line) in summary.lines { text += "\(HelpText.padded(title, 10)) \(Shown.text(line))\n" }
    }
    for append in found.appends { text += "pending    \(append.bytes.count) bytes for \(Shown.text(append.path))\n" }
    console.print(text)
  }
}
