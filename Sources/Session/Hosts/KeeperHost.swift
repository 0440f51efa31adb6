package import Adapters
package import Exchange
package import Host
import Keeper
package import KeeperProcess
package import Linux
package import Packets
import Runner
package import Vocabulary

/// A host in a keeper: requests are sent as messages, and reports wait here until the run takes
/// them.
///
/// If the keeper is gone, this looks for another with growing pauses. If the new one still knows
/// the run, it continues as if nothing had happened; otherwise its links are reported as lost.
package final class KeeperHost: HostPort {
  private enum Phase: Equatable {
    case connected
    /// The hello was sent.
    case greeting(until: Moment, Search)
    case seeking(next: Moment, Search)
    /// The goodbye was sent, or the keeper has refused us.
    case over
  }

  /// How long it has looked for a keeper, and how patiently.
  private struct Search: Equatable {
    var since: Moment
    var pause: TimeSpan
  }

  private let port: any KeeperPort
  private let version: String
  private var client: KeeperClient
  private var identity: [UInt8] = []
  private var gate = EffectGate()
  private var phase = Phase.over
  /// The advice after the loss of the keeper, if it ends the run; `nil` looks for another keeper.
  private let hintOfLoss: String?
  private var inbox: [HostReport] = []
  private var taken = 0
  /// Why the keeper refuses us permanently.
  package private(set) var refusal: Failure?
  private var refusedAt: Instant?
  private var isRefusalReported = false
  /// Whether the adapter of a known keeper has worked.
  private var hasWorked = false
  /// Why the first adapter was given up for another.
  private var useless: Failure?
  /// Whether another keeper has welcomed us, which the run must store with its next commit.
  package private(set) var hasNewSession = false
  /// The number of waiting reports from the old keeper. The run meets the new one after them.
  private var reportsBeforeMeeting = 0

  /// - Parameter hintOfLoss: If given, the loss of the keeper ends the run, with this hint.
  package init(port: any KeeperPort, version: String, hintOfLoss: String? = nil) {
    self.port = port
    self.version = version
    self.hintOfLoss = hintOfLoss
    client = KeeperClient(version: version, identity: [], name: "")
  }

  package func meet(_ introduction: () -> HostIntroduction, at now: Instant) throws(AdapterRefusal) -> HostMeeting? {
    let introduced = introduction()
    identity = introduced.identity
    client = KeeperClient(
      version: version, identity: introduced.identity, name: introduced.name, session: introduced.session,
      covered: introduced.covered,
      isEphemeral: introduced.isEphemeral)
    let welcome = try greet(at: now)
    var kept: PastRun.Kept?
    if welcome.isReturning {
      kept = PastRun.Kept(
        links: welcome.links.map { ($0.peer, $0.info) }, missed: welcome.missed, isAdapterUp: welcome.adapter != nil,
        newest: welcome.newest)
      kept?.centrals = welcome.centrals.map { ($0.peer, $0.info) }
    }
    return HostMeeting(identity: identity, session: welcome.session, kept: kept)
  }

  package func begin(seed: UInt64, through gate: EffectGate, at now: Instant) { self.gate = gate }

  private static let silence = "the keeper does not answer"
  /// The time in which a keeper must answer a hello.
  private static let answer = TimeSpan.seconds(5)
  /// The time in which a keeper that is being started must be there. It takes the adapter first,
  /// which other processes may have to give up.
  private static let patience = TimeSpan.seconds(30)
  /// The time in which an older process of the same run should be gone.
  private static let busy = TimeSpan.seconds(2)
  /// The time in which a keeper may return without a report of its loss. If its socket accepts
  /// connections, a service manager is starting the next one, which has `patience`.
  private static let grace = TimeSpan.seconds(10)
  private static let shortestPause = TimeSpan.milliseconds(20)
  private static let longestPause = TimeSpan.seconds(2)

  // MARK: First connection

  /// Connects and waits for the keeper's answer.
  private func greet(at start: Instant) throws(AdapterRefusal) -> KeeperMessage.Welcome {
    var now = start
    let limit = start.moment + Self.patience
    var pause = Self.shortestPause
    var last: KeeperUnreachable?
    while now.moment < limit {
      do throws(KeeperUnreachable) {
        try port.connect(at: now)
        port.send(client.hello, at: now)
        if let welcome = try answer(&now, since: start.moment) {
          phase = .connected
          if welcome.isReturning || welcome.adapter != nil { hasWorked = true }
          return welcome
        }
      } catch {
        if !error.isTemporary {
          guard error.isAdapters, turn(because: Self.failure(error), at: now) else {
            throw AdapterRefusal(useless?.message ?? error.text, hint: useless == nil ? error.hint : useless?.hint)
          }
          pause = Self.shortestPause
        }
        last = error
      }
      let next = now.moment + pause
      pause = min(pause * 2, .milliseconds(200))
      port.wait(until: next)
      now = port.interest == nil && port.nextMoment == nil ? SystemClock.now() : later(now)
    }
    throw AdapterRefusal(last?.text ?? Self.silence, hint: last?.hint ?? "run `tooth doctor` for details")
  }

  private func later(_ now: Instant) -> Instant {
    let real = SystemClock.now()
    return real.moment > now.moment ? real : now
  }

  private func answer(_ now: inout Instant, since: Moment) throws(KeeperUnreachable) -> KeeperMessage.Welcome? {
    let limit = now.moment + Self.answer
    while true {
      port.flush()
      let messages = port.receive(at: now)
      for (place, message) in messages.enumerated() {
        switch client.take(message) {
        case .welcomed(let welcome):
          // Messages that arrived with it wait for the run.
          for message in messages[(place + 1)...] {
            guard case .report(let report)? = client.take(message) else { continue }
            if case .adapterReady = report.event { hasWorked = true }
            inbox.append(report)
          }
          return welcome
        case .refused(let refusal):
          let isTemporary = refusal.kind == .leaving || refusal.kind == .busy && now.moment - since < Self.busy
          throw KeeperUnreachable(
            refusal.text, hint: refusal.hint, isTemporary: isTemporary, isAdapters: refusal.kind == .adapter)
        case .malformed(let why): throw KeeperUnreachable(why, isTemporary: false)
        case .report, .statusReport, nil: break
        }
      }
      if port.ending != nil { throw KeeperUnreachable("the keeper closed the connection", isTemporary: true) }
      guard messages.isEmpty, now.moment < limit else {
        if now.moment >= limit { throw KeeperUnreachable(Self.silence, isTemporary: true) }
        continue
      }
      port.wait(until: limit)
      now = later(now)
    }
  }

  // MARK: Requests

  package func send(_ request: HostRequest, at now: Instant) {
    gate.perform(.request(request)) {
      // The run's acknowledgement is for events of the old keeper.
      if hasNewSession, case .acknowledge = request.command { return }
      let message = client.ask(request, isSentNow: phase == .connected)
      if phase == .connected { port.send(message, at: now) }
    }
  }

  package func release(at now: Instant) {}
  package var holdsPackets: Bool { false }

  package func resumed(upTo: OperationID, except: [OperationID], at now: Instant) {
    if phase == .connected { port.send(KeeperMessage.resumed(upTo: upTo, except: except).encoded, at: now) }
  }

  package var keepsLinks: Bool { true }
  package private(set) var isEnded = false

  /// Without a goodbye, the keeper holds the links for the next process.
  package func end(leavingLinks: Bool, at now: Instant) {
    if leavingLinks { phase = .over } else { gate.perform(.goodbye) { abandon(at: now) } }
    isEnded = true
  }

  package func abandon(at now: Instant) {
    if phase == .connected {
      port.send(KeeperMessage.goodbye.encoded, at: now)
      port.flush()
    }
    phase = .over
  }

  package func close() { port.close() }

  // MARK: Reports

  package func receive(at now: Instant) -> HostArrival {
    let messages = port.receive(at: now)
    for message in messages { take(message, at: now) }
    return messages.isEmpty ? .nothing : .some
  }

  package func take(_ message: [UInt8], at now: Instant) {
    switch client.take(message) {
    case nil, .statusReport: break
    case .report(let report):
      if case .adapterReady = report.event { hasWorked = true }
      if case .adapterLost(let failure) = report.event, turn(because: failure, at: now) { return }
      inbox.append(report)
    case .welcomed(let welcome):
      phase = .connected
      if welcome.isReturning {
        if client.isLossReported, let adapter = welcome.adapter {
          inbox.append(HostReport(number: EventNumber(0), at: now, event: .adapterReady(adapter)))
        }
      } else {
        // There is nothing to lose if none ever worked.
        if useless == nil || hasWorked { reportLoss("another one has its place; the log of the first says why", at: now) }
        hasNewSession = true
        reportsBeforeMeeting = inbox.count
      }
      if welcome.isReturning || welcome.adapter != nil { hasWorked = true }
      client.lossIsOver()
      for message in client.repeatMessages() { port.send(message, at: now) }
    case .refused(let refusal):
      switch refusal.kind {
      case .busy, .leaving: seekAgain(at: now)
      case .adapter:
        cannotBeHad(Failure(.adapter, refusal.text, blame: .adapter, layer: .os, hint: refusal.hint), at: now)
      case .version, .forbidden, .malformed:
        giveUp(because: Failure(.adapter, refusal.text, blame: .adapter, layer: .os, hint: refusal.hint), at: now)
      }
    case .malformed: lost(at: now)
    }
  }

  /// Returns the next report for the run, in order. Others stay here, and then with the keeper,
  /// which has room for many.
  package func next(atRest: Bool) -> HostReport? {
    guard atRest else { return nil }
    if let refusal, let refusedAt {
      guard !isRefusalReported else { return nil }
      isRefusalReported = true
      return HostReport(number: EventNumber(0), at: refusedAt, event: .adapterLost(refusal))
    }
    guard taken < inbox.count, !(hasNewSession && taken >= reportsBeforeMeeting) else { return nil }
    let report = inbox[taken]
    taken += 1
    if taken == inbox.count {
      inbox.removeAll(keepingCapacity: true)
      taken = 0
      reportsBeforeMeeting = 0
    }
    return report
  }

  package func newest(before moment: Moment) -> EventNumber {
    inbox[taken...].last { $0.number.raw > 0 && $0.at.moment < moment }?.number ?? EventNumber(0)
  }

  package func takeMeeting() -> HostMeeting? {
    guard hasNewSession, taken >= reportsBeforeMeeting else { return nil }
    hasNewSession = false
    return HostMeeting(identity: identity, session: client.session)
  }

  // MARK: Loss of the keeper

  /// The connection has ended.
  package func lost(at now: Instant) {
    switch phase {
    case .over, .seeking: return
    case .connected: phase = .seeking(next: now.moment, Search(since: now.moment, pause: Self.shortestPause))
    case .greeting: seekAgain(at: now)
    }
  }

  /// Tries again after a pause if a keeper refuses a hello or does not answer. The search counts
  /// from its start.
  private func seekAgain(at now: Instant) {
    let search: Search =
      switch phase {
      case .seeking(_, let search), .greeting(_, let search): search
      case .connected, .over: Search(since: now.moment, pause: Self.shortestPause)
      }
    phase = .seeking(next: now.moment + search.pause, Search(since: search.since, pause: min(search.pause * 2, Self.longestPause)))
  }

  /// - Parameter next: What is known of the next keeper.
  private func reportLoss(_ next: String, at now: Instant) { inbox += client.loss(next, at: now) }

  package var nextDeadline: Moment? {
    switch phase {
    case .connected, .over: nil
    case .greeting(let until, _): until
    case .seeking(let next, _): next
    }
  }

  package var nextMoment: Moment? { port.nextMoment }
  package var interest: Poll.Interest? { port.ending == nil ? port.interest : nil }
  package func flush() { port.flush() }
  package func tidy() {}

  package func wake(at now: Instant) {
    seek(at: now)
    guard let ending = port.ending else { return }
    if let hintOfLoss, !isTurning, phase != .over {
      giveUp(because: Failure(.adapter, ending, blame: .adapter, layer: .os, hint: hintOfLoss), at: now)
    } else {
      lost(at: now)
    }
  }

  private func seek(at now: Instant) {
    switch phase {
    case .connected, .over: return
    case .greeting(let until, _): if until <= now.moment { seekAgain(at: now) }
    case .seeking(let next, let search):
      guard next <= now.moment else { return }
      let away = now.moment - search.since
      do throws(KeeperUnreachable) {
        try port.connect(at: now)
        if away >= Self.patience { reportLoss("the next one does not answer yet; run `tooth doctor` for details", at: now) }
        port.send(client.hello, at: now)
        phase = .greeting(until: now.moment + Self.answer, search)
      } catch {
        if away >= Self.grace { reportLoss("no other one can be started: \(error.text)", at: now) }
        guard error.isAdapters else { return seekAgain(at: now) }
        cannotBeHad(Self.failure(error), at: now)
      }
    }
  }

  // MARK: Another adapter

  private static func failure(_ error: KeeperUnreachable) -> Failure {
    Failure(.adapter, error.text, blame: .adapter, layer: .os, hint: error.hint)
  }

  /// The adapter of this keeper has never worked. Switches to another if the user named none.
  private func turn(because failure: Failure, at now: Instant) -> Bool {
    guard !hasWorked, let name = port.turnToAnother() else { return false }
    if useless == nil { useless = failure }
    inbox.append(
      HostReport(number: EventNumber(0), at: now, event: .noted(.warning, "\(failure.message): trying \(name) instead")))
    phase = .seeking(next: now.moment, Search(since: now.moment, pause: Self.shortestPause))
    return true
  }

  /// Tries again with an adapter that has worked, because it may only be unplugged.
  private func cannotBeHad(_ failure: Failure, at now: Instant) {
    if hasWorked || useless == nil { return seekAgain(at: now) }
    guard !turn(because: failure, at: now) else { return }
    // Report the reason of the first adapter.
    giveUp(because: useless ?? failure, at: now)
  }

  private func giveUp(because failure: Failure, at now: Instant) {
    refusal = failure
    refusedAt = now
    phase = .over
  }

  /// Whether it is looking for another adapter.
  package var isTurning: Bool {
    switch phase {
    case .seeking, .greeting: useless != nil && !hasWorked
    case .connected, .over: false
    }
  }

  // MARK: Unavailable with a keeper

  package var lastPackets: [BtsnoopRecord] {
    port.lastPackets().map { BtsnoopRecord(isSent: $0.isSent, time: $0.time, bytes: $0.bytes) }
  }
  package var census: HostCensus { HostCensus() }
  package var firstPacketAt: TimeSpan? { nil }
}
