import Adapters
import Linux
import Session
import Vocabulary
import World

enum ScanCommand {
  /// The time allowed for opening an adapter or connecting to a keeper, in addition to the limit.
  private static let openingTime = TimeSpan.seconds(4)

  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    guard arguments.words.count < 2 else {
      throw UsageError("tooth scan takes one name, address or service", hint: "put a name with spaces in quotes")
    }
    let what = arguments.words.first.map { ScanWhat($0, aliases: AliasBook(arguments, among: [$0]).all) }
    let session = try CommandSession(arguments)
    let console = session.console
    var now = session.start
    let limit = session.limit ?? .seconds(10)
    // The limit applies to scanning, but a keeper may accept the connection and never answer.
    if !session.isVirtual { Signals.limit(to: limit + Self.openingTime) }
    let opened: OpenHost
    let signals: Signals
    // If the keeper is lost, the user should scan again instead of waiting for another keeper.
    let access = try session.hostAccess(hintOfLoss: "tooth scan again starts another one")
    do throws(AdapterRefusal) {
      opened = try access.open(at: now)
      _ = try opened.host.meet({ HostIntroduction(identity: identity(), name: "tooth scan", isEphemeral: true) }, at: now)
      do throws(SystemFailure) { signals = try Signals() } catch { throw AdapterRefusal("\(error)", exitCode: 12) }
    } catch { return session.complain(error) }

    console.watch(signals)
    let latest = now.moment + limit + Self.openingTime
    if !session.isVirtual { now = SystemClock.now() }
    let end = min(now.moment + limit, latest)
    let layout = try layout(session, until: end)
    let survey = arguments.value("survey")
    if let survey, realPath(parent(of: survey)) == nil {
      throw UsageError("the survey cannot be written: there is no folder \(parent(of: survey))")
    }
    let scan = ScanSession(host: opened.host, console: console, zone: session.zone, dump: session.dump, layout: layout)
    scan.what = what
    scan.escapesFormulas = arguments.has("csv-escape")
    scan.listensCoded = arguments.has("coded")
    if survey != nil { scan.survey = SignalSurvey() }
    if case .words = layout { console.note("listening for \(limit)") }
    if !session.isVirtual { Signals.limit(to: end - now.moment) }
    scan.begin(seed: session.seed, at: now)
    let signal = listen(scan, opened, session, signals, at: &now, until: end)
    opened.host.close()
    // Do not save simulated devices, because they exist nowhere else.
    if !session.choice.isSimulated { AliasBook.hear(scan.named, arguments, at: now.wall) }
    if let survey, let heard = scan.survey, !save(heard, to: survey, session, until: now) { return 2 }
    if let failure = scan.failure {
      console.complain(failure.message, hint: failure.hint)
      return failure.kind.exitCode
    }
    if let signal { Signals.die(of: signal) }
    if scan.count == 0 {
      console.note(what == nil ? "no device was heard" : "no device was heard that matches \(arguments.words[0])")
    }
    return scan.count == 0 ? 5 : 0
  }

  /// The output layout: a live table or lines.
  private static func layout(_ session: CommandSession, until end: Moment) throws(UsageError) -> ScanSession.Layout {
    let arguments = session.arguments
    let isPlain = arguments.isPlain
    let order = arguments.value("sort").flatMap { ScanTable.Order(rawValue: $0) } ?? .signal
    let isLive = isTerminal(1) && !isPlain && session.console.style.format == .text && !session.isVirtual
    if arguments.has("sort"), !isLive {
      throw UsageError("--sort orders the table on a terminal", hint: "sort(1) orders lines in a pipe")
    }
    return isLive
      ? .live(order, adapter: ReplCommand.title(arguments.value("adapter")), until: end)
      : arguments.has("plain") ? .words(until: end) : !isTerminal(1) ? .fields : isPlain ? .words(until: end) : .table
  }

  /// Scans until the end, a failure or the second signal. Returns the first signal.
  private static func listen(
    _ scan: ScanSession, _ opened: OpenHost, _ session: CommandSession, _ signals: Signals, at now: inout Instant, until end: Moment
  ) -> Signals.Kind? {
    let host = opened.host
    var signal: Signals.Kind?
    while true {
      scan.step(at: now)
      session.listen(to: opened.air, at: now)
      if scan.isOver { break }
      if now.moment >= end {
        scan.close(at: now)
        // The requests sent by closing may already be answered.
        scan.step(at: now)
      }
      if scan.isOver { break }
      let next = [scan.nextDeadline, host.nextMoment, now.moment < end ? end : nil].compactMap { $0 }.min() ?? end
      if session.isVirtual {
        if next > now.moment { now = now + (next - now.moment) }
        continue
      }
      host.flush()
      host.tidy()
      var interests = [Poll.Interest(signals.descriptor)]
      if let interest = host.interest { interests.append(interest) }
      _ = Poll.wait(for: interests, until: next)
      now = SystemClock.now()
      if let kind = signals.next() {
        if signal != nil { break }
        signal = kind
        scan.close(byHand: true, at: now)
      }
    }
    return signal
  }

  /// Saves the survey. Returns false after reporting an error.
  private static func save(_ survey: SignalSurvey, to path: String, _ session: CommandSession, until now: Instant) -> Bool {
    let adapter = ReplCommand.title(session.arguments.value("adapter"))
    do throws(SystemFailure) {
      try saveFile(path, Array(survey.page(adapter: adapter, until: now, session.zone).utf8))
      session.console.note("wrote \(path)")
      return true
    } catch {
      session.console.complain("\(error)", hint: "choose another file for --survey")
      return false
    }
  }

  /// A random identity, because a scan never reconnects to its keeper.
  private static func identity() -> [UInt8] {
    var writer = ByteWriter()
    writer.put(SystemClock.seed())
    writer.put(SystemClock.seed())
    return writer.bytes
  }
}
