import Journal
import Keeper
import KeeperProcess
import Linux
import Recipe
import Runner
import Session
import Terminal
import Vocabulary

/// `tooth runs`, `tooth runs show ID`, `tooth runs drop ID …`.
enum RunsCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    let console = Console(style: arguments.style())
    let zone = LocalTime.rules()
    return try console.exitCode {
      let state = try StateDirectory.choose(option: arguments.value("state"), environment: environment)
      // Listing must not create the directory, nor need to write there.
      guard try state.look() else {
        if arguments.words.isEmpty { return 0 }
        throw JournalFailure(.unknown, "there are no runs in \(state.path)")
      }
      if arguments.words.first == "drop" { try state.make(for: .removing) }
      switch arguments.words.first {
      case nil:
        list(KnownRun.all(in: state), arguments, state, console, zone)
        return 0
      case "show":
        guard arguments.words.count <= 2 else { throw UsageError("tooth runs show takes one run", hint: "tooth runs lists them") }
        // Without a name, use the newest run.
        guard
          let id = try arguments.words.count == 2 ? RunFinder.find(arguments.words[1], state) : KnownRun.all(in: state).first?.id
        else { throw JournalFailure(.unknown, "there are no runs in \(state.path)") }
        if arguments.has("link") { return LinkReport.show(id, in: state, console) }
        try show(id, state, console, zone, arguments)
        return 0
      case "drop":
        guard arguments.words.count > 1 else { throw UsageError("tooth runs drop needs an ID", hint: "tooth runs lists them") }
        var dropped: [String] = []
        defer { reportHeldLinks(of: dropped, console) }
        for word in arguments.words.dropFirst() {
          let id = try RunFinder.find(word, state)
          try KnownRun.drop(id, in: state)
          console.note("dropped \(id)")
          dropped.append(id.text)
        }
        return 0
      case let word?:
        if let near = Spelling.nearest(to: word, among: command.verbs) {
          throw UsageError("tooth runs has no \(word) — did you mean \(near)?")
        }
        throw UsageError("tooth runs has no \(word)", hint: HelpText.usage(command))
      }
    }
  }

  /// Reports links that keepers still hold for runs that are gone.
  private static func reportHeldLinks(of runs: [String], _ console: Console) {
    for place in runs.isEmpty ? [] : KeptAdapters.running() {
      guard case .statusReport(let status)? = try? KeeperLink.ask(.status, place, patience: .seconds(2)) else { continue }
      for client in status.clients where runs.contains(client.name) && !client.links.isEmpty {
        guard let left = client.heldFor else { continue }
        console.note(
          "the keeper holds its link to \(client.links.map(\.withKind).list(by: " and ")) for \(left.rough) more; "
            + "`tooth disconnect --all --adapter \(ShellText.word(status.adapter))` ends all links of the adapter now")
      }
    }
  }

  /// The number of listed runs without `--all`.
  private static let newest = 20

  private static func list(
    _ all: [KnownRun], _ arguments: Arguments, _ state: StateDirectory, _ console: Console, _ zone: TimeZoneRules
  ) {
    let isText = console.style.format == .text
    let shown = isText && !arguments.has("all") ? Array(all.prefix(newest)) : all
    let now = SystemClock.now().wall
    var rows: [[String]] = []
    if console.style.format == .csv { console.print("id,state,exit_code,process,started,last,clock,recipe,inputs\n") }
    for run in shown {
      guard let found = run.snapshot else {
        rows.append([run.id.text, "unreadable", "-", "-", "-"])
        if console.style.format == .json {
          var object = JSONObject()
          object.set("id", run.id.text)
          object.set("state", "unreadable")
          console.print(object.text + "\n")
        }
        if console.style.format == .csv { console.print("\(CSV.quoted(run.id.text)),unreadable,,,,,,,\n") }
        continue
      }
      let standing = RunStatus(found.record, run.id, state)
      let last = found.lastSeen(at: now)
      let took = (standing.isRunning ? now : last) - found.record.started
      switch console.style.format {
      case .json: console.print(object(run.id, found, standing, zone).text + "\n")
      case .csv:
        let record = found.record
        let zone = record.isVirtual ? TimeZoneRules.utc : zone
        let inputs = record.inputs.map { "\($0.name)=\(RunStatus.value($0))" }.joined(separator: " ")
        let cells = [
          run.id.text, standing.word, standing.exitCode.map { "\($0)" } ?? "", standing.process.map { "\($0)" } ?? "",
          zone.civil(record.started).description, zone.civil(last).description, record.isVirtual ? "virtual" : "real", record.path,
          inputs,
        ]
        console.print(cells.map { CSV.quoted($0) }.joined(separator: ",") + "\n")
      case .text:
        rows.append([
          run.id.text, standing.text, RunStatus.clock(last, of: found.record, zone), took.rough,
          Shown.text(RunStatus.recipe(found.record)),
        ])
      }
    }
    guard isText, !rows.isEmpty else { return }
    rows.insert(["RUN", "STATE", "LAST", "TOOK", "RECIPE"], at: 0)
    for line in lines(of: rows, console) { console.print(line + "\n") }
    if all.count > shown.count {
      let more = all.count - shown.count
      console.note("\(more) older run\(more == 1 ? "" : "s"): tooth runs --all")
    }
  }

  /// The width from which a long recipe is wrapped below its row instead.
  private static let usual = 80

  /// The rows in columns; on a terminal that is too narrow for them, in two lines each.
  private static func lines(of rows: [[String]], _ console: Console) -> [String] {
    let whole = TextTable.lines(rows, columns: console.columns)
    guard let columns = console.columns, columns < usual, whole.count > rows.count else { return whole }
    let firsts = rows.map { Array($0.prefix(2)) }
    let above = TextTable.lines(firsts, columns: nil)
    let isFitting = above.allSatisfy { Shown.width(of: $0) <= columns }
    let times = TextTable.lines(rows.map { Array($0[2...3]) + [""] }, columns: nil)
    let margin = (rows.map { 2 + Shown.width(of: $0[2]) }.max() ?? 0) + 2 + (rows.map { Shown.width(of: $0[3]) }.max() ?? 0) + 2
    return rows.indices.flatMap { index -> [String] in
      let row = rows[index]
      let head = isFitting ? [above[index]] : TextTable.stacked(firsts[index], columns: columns)
      let recipe = Shown.name(row[4], columns: max(8, columns - margin), ascii: console.style.ascii)
      return head + [Shown.padded("  " + times[index], margin) + recipe]
    }
  }

  /// The JSON object of a run, in the list and on its page.
  private static func object(_ id: RunID, _ found: RunSnapshot, _ standing: RunStatus, _ zone: TimeZoneRules) -> JSONObject {
    let record = found.record
    let zone = record.isVirtual ? TimeZoneRules.utc : zone
    var object = JSONObject()
    object.set("id", id.text)
    object.set("state", standing.word)
    object.set("exit_code", standing.exitCode.map { Int($0) })
    object.set("process", standing.process.map { Int($0) })
    object.set("started", zone.civil(record.started).description)
    object.set("last", zone.civil(found.lastSeen(at: SystemClock.now().wall)).description)
    object.set("clock", record.isVirtual ? "virtual" : "real")
    object.set("recipe", record.path)
    var inputs = JSONObject()
    for input in record.inputs { inputs.set(input.name, RunStatus.value(input)) }
    object.set("inputs", inputs)
    return object
  }

  private static func show(
    _ id: RunID, _ state: StateDirectory, _ console: Console, _ zone: TimeZoneRules, _ arguments: Arguments
  ) throws {
    guard let found = try RunStore.peek(id, in: state) else {
      throw JournalFailure(.unknown, "there is no run \(id)", hint: "tooth runs lists them")
    }
    let record = found.record
    let standing = RunStatus(record, id, state)
    let summary = found.rows.isEmpty ? nil : RunSummary(found, zone)
    let failure = record.ending == .failed && !standing.isRunning ? RunStore.failure(of: id, in: state)?.text : nil
    var next = standing.nextCommand(record, id)
    // Its entries can only be continued at a prompt.
    if record.path != ReplCommand.path, (try? Snapshot(rows: found.rows))?.isPrompt ?? false {
      next?.command += " --repl-on-failure"
    }
    let own = record.isVirtual ? TimeZoneRules.utc : zone
    let now = standing.isRunning && !record.isVirtual ? SystemClock.now().wall : found.lastSeen(at: SystemClock.now().wall)
    let timeline = RunTimeline(
      RunStore.story(of: id, in: state), started: record.started,
      end: standing.isRunning ? nil : (standing.text, ![.finished, .stopped].contains(record.ending)), now: now, own)
    if let path = arguments.value("html") {
      let facts = [
        ("recipe", record.path), ("state", standing.text), ("started", "\(own.civil(record.started))"),
        ("last work", "\(own.civil(found.lastCommit))"), ("took", (now - record.started).rough),
      ]
      let page = timeline.page(
        title: "\(RunStatus.recipe(record)) \(id)", facts: facts + (failure.map { [("failure", $0)] } ?? []))
      do throws(SystemFailure) { try saveFile(path, Array(page.utf8)) } catch {
        throw UsageError("\(error)", hint: "choose another file for --html")
      }
      console.note("wrote \(path)")
      return
    }
    if console.style.format == .json {
      var object = Self.object(id, found, standing, zone)
      object.set("directory", record.directory)
      for title in ["at", "device", "timer"] {
        object.set(title == "at" ? "at" : "\(title)s", summary?.lines.filter { $0.title == title }.map { $0.text } ?? [])
      }
      object.set("unsure", summary?.lines.contains { $0.title == "unsure" } ?? false)
      object.set("failure", failure)
      object.set("next", next?.command)
      object.set("timeline", json: timeline.json)
      object.set("earlier", json: timeline.earlierJSON)
      object.set("log", json: timeline.logJSON)
      console.print(object.text + "\n")
      return
    }
    let took = found.lastSeen(at: SystemClock.now().wall) - record.started
    var text = "\(id): \(standing.text)\n"
    text += "recipe     \(Shown.text(record.path))\n"
    for input in record.inputs { text += "input      \(input.name) = \(Shown.text(RunStatus.value(input)))\n" }
    text += "directory  \(Shown.text(record.directory))\n"
    if record.isVirtual { text += "clock      virtual: the times are simulated\n" }
    text += "started    \(own.civil(record.started))\n"
    text += "last work  \(own.civil(found.lastCommit))\n"
    text += "took       \(took.rough)\n"
    for (title, line) in summary?.lines ?? [] { text += "\(HelpText.padded(title, 10)) \(Shown.text(line))\n" }
    for append in found.appends { text += "pending    \(append.bytes.count) bytes for \(Shown.text(append.path))\n" }
    if !timeline.story.lines.isEmpty || !timeline.story.values.isEmpty {
      let limit = arguments.has("all") ? RunStory.most : newest
      text += timeline.text(ascii: console.style.ascii, columns: terminalSize().columns, limit: limit)
    }
    text += timeline.logText
    text += timeline.earlierText(limit: arguments.has("all") ? RunStory.mostEarlier : 3)
    console.printFolded(text)
    text = ""
    if let failure {
      let shown = Shown.lines(failure) + (failure.utf8.last == 0x0A ? "" : "\n")
      text += folded(console.style.ascii ? DiagnosticRenderer.asciiFrame(shown) : shown, console.columns)
    }
    if let next {
      let (command, does) = ("next       \(Shown.text(next.command))", "(\(next.does))")
      let isShort = console.columns.map { Shown.width(of: command) + 2 + does.count <= $0 } ?? true
      // Keep the command on its own line, so that it can be copied.
      let below = TextTable.lines([["", does]], columns: console.columns, widths: [9])
      text += isShort ? "\(command)  \(does)\n" : ([command] + below).map { $0 + "\n" }.joined()
    }
    console.print(text)
  }

  /// Wraps the message and the notes of a failure; marks stay below what they mark.
  private static func folded(_ failure: String, _ columns: Int?) -> String {
    let lines = failure.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().flatMap { place, line in
      place == 0 || line.drop { $0 == " " }.hasPrefix("=") ? TextTable.folded(String(line), columns: columns) : [String(line)]
    }.joined(separator: "\n")
  }
}
