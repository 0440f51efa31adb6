import Exchange
import Packets
import Vocabulary

/// The ladder of recovery (rule 21), and the signs that something is wrong.
///
/// While the adapter is away its links are gone, and told as lost; scans, connections that are
/// wished for, advertising and the table of our server stay and go on when it is back.
extension LEHost {
  mutating func trouble(_ trouble: AdapterTrouble) {
    let failure = trouble.failure(isKernels: configuration.isKernels)
    switch phase {
    case .off, .lost, .closed: return
    case .closing: return loseAdapter(failure)
    case .reopening:
      // only the answer to opening says something new
      guard case .transportLost = trouble else { return }
    case .initialising, .ready: break
    }
    let hasLinks = !links.isEmpty
    let level: LogLevel = if case .scanSilent = trouble { .log } else { .warning }
    switch ladder.climb(trouble, hasLinks: hasLinks, at: now.moment) {
    case .rest: return
    case .giveUp:
      // That there is no other one is not what is wrong.
      guard configuration.mayBeAnother, !ladder.hasWorked, !wantsAnother else {
        let told = wantsAnother ? gone ?? failure : failure
        wantsAnother = false
        return loseAdapter(told)
      }
      note(.warning, "\(failure.message): trying another adapter")
      goAway(failure, DisconnectReason(text: "adapter lost"))
      gone = failure
      resetsOwed = 0
      ladder = RecoveryLadder()
      wantsAnother = true
      phase = .reopening(at: nil)
      out.append(.reopen)
    case .restartScan:
      note(.log, "\(failure.message): the scan is restarted")
      restartScan()
    case .reset:
      note(level, "\(failure.message): it is reset")
      goAway(failure, DisconnectReason(text: "adapter reset"))
      reset()
    case .reopen(let after):
      note(
        level,
        "\(failure.message): reopening the connection to it\(after > .zero ? " in \(after)" : "")")
      goAway(failure, DisconnectReason(text: "adapter lost"))
      resetsOwed = 0
      phase = .reopening(at: after > .zero ? now.moment + after : nil)
      if after == .zero { out.append(.reopen) }
    }
  }

  /// Somebody wants the controller to be reset. One that was given up, or whose connection is to be
  /// opened anew, is opened anew.
  mutating func resetAsWanted() {
    let failure = Failure(.adapter, "a reset of the adapter was requested", blame: .ours, layer: .hci)
    switch phase {
    case .off, .closing, .closed: return
    case .initialising, .ready:
      note(.warning, failure.message)
      goAway(failure, DisconnectReason(text: "adapter reset"))
      reset()
    case .lost, .reopening:
      note(.warning, failure.message)
      resetsOwed = 0
      phase = .reopening(at: nil)
      out.append(.reopen)
    }
  }

  /// Told before the links that go with it, and again when what only failed is gone too.
  private mutating func goAway(_ failure: Failure, _ reason: DisconnectReason) {
    if gone.map({ !$0.endsConnection && failure.endsConnection }) ?? true {
      gone = failure
      for owner in knownOwners { report(owner, .adapterAway(failure)) }
    }
    // whoever asked for the strength of a signal has lost a link, and may ask again on the next one
    forget(reason, Failure(.disconnected, "the link is gone: \(reason.text)", blame: .adapter, layer: .hci, delivered: .maybe))
  }

  /// Everything that is worth nothing once the controller has forgotten it.
  mutating func forget(_ reason: DisconnectReason, _ failure: Failure) {
    if queue.outstanding?.command.opcode == .reset { resetsOwed += 1 }
    dropCommands(failure)
    arbiter.controllerLost()
    early = []
    dropLinks(reason)
    arbiter.forgetAllAttempts()
    apply(arbiter.endWaiting())
  }

  /// Off and on again, if nothing else is under way; the arbiter does the rest.
  private mutating func restartScan() {
    guard arbiter.radio.scan != nil else { return }
    if heardAt != nil { heardAt = now.moment }
    arbiter.restartScan()
  }

  // MARK: Signs

  /// Whether the controller should be doing something by itself.
  private var isOnAir: Bool { !links.isEmpty || arbiter.isOnAir }

  /// The same as a comparison, which would copy what other phases hold.
  private var isReady: Bool { if case .ready = phase { true } else { false } }

  /// When a controller that says nothing is asked whether it lives.
  var heartbeatDue: Moment? {
    guard configuration.asksSilentController, isReady, queue.isIdle, isOnAir else { return nil }
    return earliest(linkDue, earliest(attemptDue, packetDue))
  }

  /// Each link for itself: others may be busy while the end of this one was missed.
  private var linkDue: Moment? { quietest.map { links[$0].heardAt + HostLimits.heartbeat } }

  /// So too an attempt to connect: its Connection Complete may have been missed.
  private var attemptDue: Moment? {
    guard case .on = arbiter.radio.initiator, arbiter.radio.steps.isEmpty else { return nil }
    return arbiter.radio.initiatedAt.map { $0 + HostLimits.waitingHeartbeat }
  }

  private var packetDue: Moment? {
    guard linkDue == nil, let packetAt else { return nil }
    return packetAt + (arbiter.radio.scan == nil && links.isEmpty ? HostLimits.waitingHeartbeat : HostLimits.heartbeat)
  }

  /// When a scan that heard something once has been silent for too long. One that listens for few
  /// devices has a right to be.
  var silenceDue: Moment? {
    guard isReady, let scan = arbiter.radio.scan, scan.listed == nil, let heardAt, !ladder.isResting else { return nil }
    return heardAt + HostLimits.scanSilence
  }

  mutating func wakeRecovery() {
    if case .reopening(let at?) = phase, at <= now.moment {
      phase = .reopening(at: nil)
      out.append(.reopen)
      return
    }
    if let due = silenceDue, due <= now.moment {
      heardAt = now.moment
      trouble(.scanSilent(HostLimits.scanSilence))
    }
    guard let due = heartbeatDue, due <= now.moment else { return }
    if let attemptDue, attemptDue <= now.moment {
      arbiter.attemptProbed(at: now.moment)
      arbiter.renewAttempt()
    } else {
      packetAt = now.moment
      probe()
    }
  }

  /// The link that was not heard for the longest time.
  private var quietest: Int? {
    var place: Int?
    for index in links.indices where links[index].stage != .closing {
      if place.map({ links[index].heardAt < links[$0].heardAt }) ?? true { place = index }
    }
    return place
  }

  /// A command that only shows whether the controller lives, and knows what it should.
  private mutating func probe() {
    if let index = quietest {
      links[index].heardAt = now.moment
      send(.readRSSI(links[index].handle), for: .probe(links[index].handle))
    } else if case .on = arbiter.radio.initiator, arbiter.radio.steps.isEmpty {
      arbiter.renewAttempt()
    } else {
      // one that never heard anything may have forgotten its scan; where something was heard,
      // silence is looked into for itself
      if heardAt == nil, let since = arbiter.radio.scannedSince, since + HostLimits.waitingHeartbeat <= now.moment { restartScan() }
      send(.readLocalVersion, for: .aside)
    }
  }

  /// A link that we hold and the controller does not know: its end was missed when the controller
  /// knows another of our links, else it has forgotten everything.
  mutating func probed(_ handle: ConnectionHandle, _ status: HCIStatus) {
    guard let index = isLive(handle) else { return }
    guard status == .unknownConnection else {
      guard status.isSuccess else { return }
      while let gone = links.firstIndex(where: { $0.isForgotten && $0.stage != .closing }) {
        note(.warning, "the controller did not report the end of the link to \(links[gone].peer)")
        removeLink(at: gone, DisconnectReason(text: "its end was missed"))
      }
      return
    }
    links[index].isForgotten = true
    if let other = links.first(where: { !$0.isForgotten && $0.stage != .closing }) {
      return send(.readRSSI(other.handle), for: .probe(other.handle))
    }
    trouble(.restarted("it does not know the link to \(links[index].peer)"))
  }

  /// Something that a controller says when it has started. Some say it at other times too: looked
  /// into, but not often.
  mutating func suspectRestart(_ sign: String) {
    guard phase == .ready else { return }
    if let suspectedAt, now.moment - suspectedAt < HostLimits.settled { return }
    suspectedAt = now.moment
    if links.contains(where: { $0.stage != .closing }) { probe() } else { trouble(.restarted(sign)) }
  }

  /// Intel's controllers say 0x02 when they have booted, Zephyr's when they are about to.
  mutating func vendorEvent(_ bytes: [UInt8]) {
    if bytes.first == 0x02 { suspectRestart("it said so (vendor event \(Hex.text(Array(bytes.prefix(8)))))") }
  }
}
