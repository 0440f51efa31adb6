import Keeper
import Linux
import Stage
import Vocabulary

enum ScanCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    try arguments.noWords(command)
    let session = try CommandSession(arguments)
    let console = session.console
    var now = session.start
    let adapter: OpenAdapter
    let capture: Capture?
    let signals: Signals
    var remote: KeeperHost?
    let keeper = try session.keeper()
    do throws(AdapterRefusal) {
      if let keeper {
        let client = KeeperClient(
          version: HelpText.version, identity: identity(), name: "tooth scan", isEphemeral: true)
        var host = KeeperHost(port: keeper, client: client)
        _ = try host.greet(at: now)
        remote = host
      }
      if let keeper { adapter = OpenAdapter(transport: keeper, air: nil) } else { adapter = try session.open(at: now) }
      capture = try session.capture()
      do throws(SystemFailure) { signals = try Signals() } catch { throw AdapterRefusal("\(error)", exitCode: 12) }
    } catch { return session.complain(error) }

    let scan = ScanSession(
      transport: adapter.transport, console: console, zone: session.zone, capture: capture, dump: session.dump, remote: remote)
    let end = now.moment + (session.limit ?? .seconds(10))
    scan.begin(seed: session.seed, at: now)
    var signal: Signals.Kind?
    while true {
      scan.step(at: now)
      session.listen(to: adapter.air, at: now)
      if scan.isOver { break }
      if now.moment >= end { scan.close(at: now) }
      if scan.isOver { break }
      let next = [scan.nextDeadline, adapter.transport.nextMoment, now.moment < end ? end : nil].compactMap { $0 }.min() ?? end
      if session.isVirtual {
        if next > now.moment { now = now + (next - now.moment) }
        continue
      }
      adapter.transport.flush()
      capture?.flush()
      var interests = [Poll.Interest(signals.descriptor)]
      // A stream that has ended is always ready.
      if adapter.transport.ending == nil, let interest = adapter.transport.interest { interests.append(interest) }
      _ = Poll.wait(for: interests, until: next)
      now = SystemClock.now()
      if let kind = signals.next() {
        if signal != nil { break }
        signal = kind
        scan.close(byHand: true, at: now)
      }
    }
    adapter.transport.close()
    if let failure = scan.failure {
      console.complain(failure.message, hint: failure.hint)
      return failure.kind.exitCode
    }
    if let signal { Signals.die(of: signal) }
    if scan.count == 0 { console.note("no device was heard") }
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
