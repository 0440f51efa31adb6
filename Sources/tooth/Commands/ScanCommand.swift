import Adapters
import Linux
import Session
import Vocabulary
import World

enum ScanCommand {
  /// What opening an adapter, or meeting a keeper, may take beyond the limit.
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
    // A limit counts scanning, but a keeper may accept and stay silent for ever.
    if !session.isVirtual { Signals.limit(to: limit + Self.openingTime) }
    let opened: OpenHost
    let signals: Signals
    // What a keeper has found so far is not worth waiting for another.
    let way = try session.wayToHost(hintOfLoss: "tooth scan again starts another one")
    do throws(AdapterRefusal) {
      opened = try way.open(at: now)
      _ = try opened.host.meet({ HostIntroduction(identity: identity(), name: "tooth scan", isEphemeral: true) }, at: now)
      do throws(SystemFailure) { signals = try Signals() } catch { throw AdapterRefusal("\(error)", exitCode: 12) }
    } catch { return session.complain(error) }

    console.watch(signals)
    let host = opened.host
    let isPlain = arguments.has("plain") || environment("TERM") == "dumb" || environment("ACCESSIBLE") == "1"
    let order = arguments.value("sort").flatMap { ScanTable.Order(rawValue: $0) } ?? .signal
    let isLive = isTerminal(1) && !isPlain && console.style.format == .text && !session.isVirtual
    if arguments.has("sort"), !isLive {
      throw UsageError("--sort orders the table on a terminal", hint: "sort(1) orders lines in a pipe")
    }
    let survey = arguments.value("survey")
    if let survey, realPath(parent(of: survey)) == nil {
      throw UsageError("the survey cannot be written: there is no folder \(parent(of: survey))")
    }
    let latest = now.moment + limit + Self.openingTime
    if !session.isVirtual { now = SystemClock.now() }
    let end = min(now.moment + limit, latest)
    let layout: ScanSession.Layout =
      isLive
      ? .live(order, adapter: ReplCommand.title(arguments.value("adapter")), until: end)
      : arguments.has("plain") ? .words : !isTerminal(1) ? .fields : isPlain ? .words : .table
    let scan = ScanSession(host: host, console: console, zone: session.zone, dump: session.dump, layout: layout)
    scan.what = what
    if survey != nil { scan.survey = SignalSurvey() }
    if case .words = layout { console.note("listening for \(limit)") }
    if !session.isVirtual { Signals.limit(to: end - now.moment) }
    scan.begin(seed: session.seed, at: now)
    var signal: Signals.Kind?
    while true {
      scan.step(at: now)
      session.listen(to: opened.air, at: now)
      if scan.isOver { break }
      if now.moment >= end {
        scan.close(at: now)
        // What closing has sent may be answered already.
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
    host.close()
    // A simulated device is nowhere else.
    if !session.choice.isSimulated { AliasBook.hear(scan.named, arguments, at: now.wall) }
    if let survey, let heard = scan.survey {
      let adapter = ReplCommand.title(arguments.value("adapter"))
      do throws(SystemFailure) {
        try saveFile(survey, Array(heard.page(adapter: adapter, until: now, session.zone).utf8))
        console.note("wrote \(survey)")
      } catch {
        console.complain("\(error)", hint: "choose another file for --survey")
        return 2
      }
    }
    if let failure = scan.failure {
      console.complain(failure.message, hint: failure.hint)
      return failure.kind.exitCode
    }
    if let signal { Signals.die(of: signal) }
    if scan.count == 0 { console.note(what == nil ? "no device was heard" : "no device was heard that fits \(arguments.words[0])") }
    return scan.count == 0 ? 5 : 0
  }

  /// Nobody comes back under it.
  private static func identity() -> [UInt8] {
    var writer = ByteWriter()
    writer.put(SystemClock.seed())
    writer.put(SystemClock.seed())
    return writer.bytes
  }
}
