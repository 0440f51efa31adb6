import Exchange
import Journal
import Linux
import Runner
import Terminal
import Vocabulary

/// Output for the user.
extension RunSession {
  func log(_ level: LogLevel, _ text: String, at now: Instant) { console.log(level, text, at: now.wall, in: zone) }

  /// Prints exchanges on the links, for `--verbose`.
  func announce(_ event: HostEvent, at now: Instant) {
    if let line = words?.line(event) { log(.debug, line, at: now) }
  }

  /// Adds events to the history that the run does not cause itself.
  func note(_ event: HostEvent, at now: Instant) {
    guard let store, !options.keepsOnlyRemembered else { return }
    switch event {
    case .notificationReceived: store.count(valueAt: now.wall)
    case .connected(_, let peer, _), .centralConnected(let peer, _):
      store.note(StoryLine(.linked, device: name(of: peer), at: now.wall))
    case .disconnected(let peer, let reason), .centralDisconnected(let peer, let reason):
      let code = reason.code.map { " (0x\(Hex.text([$0])))" } ?? ""
      let kind: StoryLine.Kind = reason.code == DisconnectReason.asked.code ? .closed : .lost
      store.note(StoryLine(kind, device: name(of: peer), reason.text + code, at: now.wall))
    case .adapterAway(let failure), .adapterLost(let failure): store.note(StoryLine(.away, failure.message, at: now.wall))
    default: return
    }
  }

  private func name(of peer: Address) -> String {
    machine.deviceName(peer) ?? "\(peer)"
  }

  func event(_ kind: String, device: String?, text: String, and more: (inout JSONObject) -> Void = { _ in }, at now: Instant) {
    guard console.style.events, console.style.format == .json else { return }
    console.print(eventText(kind, device: device, text: text, and: more, at: now) + "\n")
  }

  private func eventText(
    _ kind: String, device: String?, text: String, and more: (inout JSONObject) -> Void, at now: Instant
  ) -> String {
    var line = JSONObject()
    line.set("time", zone.civil(now.wall).description)
    line.set("event", kind)
    line.set("device", device)
    line.set("text", text)
    more(&line)
    return line.text
  }

  func show(_ report: ProgressReport, at now: Instant) {
    event(report.kind.rawValue, device: report.device, text: report.text, at: now)
    console.progress(report.text)
  }

  /// Shows `progress a of b`: drawn on a terminal, otherwise a line for each tenth.
  func show(_ done: String, of total: String, _ part: Double, at now: Instant) {
    let percent = Int((part * 100).rounded(.down))
    let text = "\(done) of \(total) (\(percent) %)"
    event("progress", device: nil, text: text, at: now)
    if console.style.progress { return console.progress(Self.meter(part, ascii: console.style.ascii) + " " + text) }
    guard total != meterTotal || percent / 10 != meterTenth else { return }
    (meterTotal, meterTenth) = (total, percent / 10)
    log(.log, text, at: now)
  }

  private static func meter(_ part: Double, ascii: Bool) -> String {
    let full = Int((part * 20).rounded(.down))
    return "[" + String(repeating: ascii ? "#" : "█", count: full) + String(repeating: ascii ? "." : "░", count: 20 - full) + "]"
  }

  /// Stores the text of a failure that ends the run before the end is committed, and adds it to the
  /// history with that commit, so that a run that is killed in between can still show it.
  func keepFailures(of effects: [RunnerEffect], at now: Instant) {
    for case .failed(var report) in effects where report.ends || report.parks {
      if let hint = options.hint { report.failure.hint = hint(report.failure) }
      let finding = FailureText.finding(report, line: sources.line(of: report.range))
      let renderer = DiagnosticRenderer(ascii: false, colour: false)
      store?.keepFailure(
        KeptFailure(
          text: renderer.text([finding], in: sources), diagnostic: renderer.json(finding, in: sources),
          event: eventText(
            "failure", device: report.device, text: report.failure.message, and: { addFailure(report, to: &$0) }, at: now)))
      store?.note(StoryLine(.failed, device: report.device, "\(sources.place(of: report.range)): \(finding.message)", at: now.wall))
    }
  }

  /// The fields of the event of a failure.
  private func addFailure(_ report: FailureReport, to object: inout JSONObject) {
    object.set("kind", report.failure.kind.word)
    if report.range != .none { object.set("line", sources.line(of: report.range)) }
    if report.range.file != 0 { object.set("file", sources[of: report.range].name) }
  }

  func show(_ report: FailureReport, at now: Instant) {
    var report = report
    if let hint = options.hint { report.failure.hint = hint(report.failure) }
    // A bond of another adapter is not this adapter's fault.
    if report.ends, report.failure.kind == .adapter, report.failure.layer != .smp { endsByAdapter = true }
    if report.ends,
      [.disconnected, .unreachable, .timeout, .refused, .missing, .needsPairing, .staleBond].contains(report.failure.kind)
    {
      endsByLink = true
    }
    // A program may be `unsure`, too, but has no device.
    if report.ends, report.failure.kind == .unsure, report.device != nil { endsByLink = true }
    let line = sources.line(of: report.range)
    event(
      "failure", device: report.device, text: report.failure.message,
      and: { addFailure(report, to: &$0) }, at: now)
    if report.range == .none, !report.ends {
      // No statement waits for it, so there is no line to show.
      let hint = report.failure.hint.map { "; \($0)" } ?? ""
      console.log(.error, "\(report.device.map { "\($0): " } ?? "")\(report.failure.message)\(hint)", at: now.wall, in: zone)
      store?.note(StoryLine(.failed, device: report.device, report.failure.message, at: now.wall))
      return
    }
    let finding = FailureText.finding(report, line: line)
    if report.isOfHandler, handlerFailure == nil { handlerFailure = finding }
    if let shown = lastFinding, shown.code == finding.code, shown.message == finding.message, shown.range == finding.range,
      !report.ends
    {
      // A repeated failure of a frequent handler needs only a line.
      console.log(.error, "again at \(sources.place(of: report.range)): \(finding.message)", at: now.wall, in: zone)
      return
    }
    if !report.ends, !report.parks {
      store?.note(StoryLine(.failed, device: report.device, "\(sources.place(of: report.range)): \(finding.message)", at: now.wall))
    }
    lastFinding = finding
    console.findings([finding], in: sources)
    if machine.isParked, !wasParked {
      console.note("retry repeats this statement; quit ends the run with the exit code of its failure")
    }
    wasParked = machine.isParked
  }

  // MARK: Attribute tree

  /// Draws the printed attributes as a tree at the end.
  package func draw(_ tree: AttributeTree) { self.tree = tree }

  func drawTree() {
    guard let tree else { return }
    self.tree = nil
    let lines = tree.lines(columns: terminalSize(1).columns)
    if !lines.isEmpty { console.print(lines.list(by: "\n") + "\n") }
  }

  // MARK: Plot

  /// The shortest time between two pictures.
  private static let plotEvery = TimeSpan.milliseconds(250)

  /// Draws a plot of the printed values on stderr: on a terminal at once, otherwise at the end.
  /// - Parameter inWords: whether it is only described, at the end.
  package func draw(_ plot: ValuePlot, inWords: Bool = false) {
    self.plot = plot
    isPlotInWords = inWords
    guard console.style.progress, !inWords else { return }
    console.beforeOutput = { [unowned console] in console.eraseDrawing(onErrors: true) }
  }

  var plotDue: Moment? { console.style.progress && !isPlotInWords && isPlotNew ? plottedAt.map { $0 + Self.plotEvery } : nil }

  func plot(_ line: PrintedLine, at now: Instant) {
    guard plot?.take(line, at: now.wall) ?? false else {
      if let reason = plot?.reason(line) { console.note(reason) }
      return
    }
    isPlotNew = true
    if plottedAt == nil { plottedAt = now.moment - Self.plotEvery }
  }

  func drawPlot(at now: Instant, isLast: Bool = false) {
    guard let plot, plot.count > 0, isLast || isPlotNew && console.style.progress && !isPlotInWords else { return }
    if isPlotInWords { return console.note(plot.head) }
    if !isLast, let plottedAt, now.moment - plottedAt < Self.plotEvery { return }
    (plottedAt, isPlotNew) = (now.moment, false)
    console.draw(plot.picture(columns: terminalSize(2).columns, zone: zone), onErrors: true)
    if isLast { console.beforeOutput = nil }
  }

  /// Ends the run quietly, because stdout has no reader or cannot be written. The program reports
  /// that at its end.
  func outputEnded(at now: Instant) {
    guard finishedWith == nil, !isOutputGone else { return }
    isOutputGone = true
    if !console.outputIsBroken, let failure = console.outputFailure {
      store?.log(StoryLine(.warned, "\(failure)", at: now.wall))
    }
    machine.handle(.stopRequested(.stopped), at: now)
  }
}
