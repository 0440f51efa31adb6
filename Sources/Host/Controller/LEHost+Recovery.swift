import Exchange
import Packets
import Vocabulary

/// Recovery of the adapter (rule 21), and the detection of faults.
///
/// While the adapter is away, its links are gone and reported as lost. Scans, requested
/// connections, advertising and our server's table are kept and continue when it is back.
extension LEHost {
  mutating func trouble(_ trouble: AdapterTrouble) {
    let failure = trouble.failure(isKernels: configuration.isKernels)
    switch phase {
    case .off, .lost, .closed: return
    case .closing: return loseAdapter(failure)
    case .reopening:
      // Only a failure to open is new.
      guard case .transportLost = trouble else { return }
    case .initialising, .ready: break
    }
    let hasLinks = !links.isEmpty
    let level: LogLevel = if case .scanSilent = trouble { .log } else { .warning }
    switch ladder.climb(trouble, hasLinks: hasLinks, at: now.moment) {
    case .rest: return
    case .giveUp:
      // Report the original fault, not the lack of another adapter.
      guard configuration.mayBeAnother, !ladder.hasWorked, !needsAnotherAdapter else {
        let reported = needsAnotherAdapter ? gone ?? failure : failure
        needsAnotherAdapter = false
        return loseAdapter(reported)
      }
      note(.warning, "\(failure.message): trying another adapter")
      goAway(failure, DisconnectReason(text: "adapter lost"))
      gone = failure
      pendingResets = 0
      ladder = RecoveryLadder()
      needsAnotherAdapter = true
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
      pendingResets = 0
      phase = .reopening(at: after > .zero ? now.moment + after : nil)
      if after == .zero { out.append(.reopen) }
    }
  }

  /// Resets the controller at a client's request. Reopens it if it was given up or was about to be
  /// reopened.
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
      pendingResets = 0
      phase = .reopening(at: nil)
      out.append(.reopen)
    }
  }

  /// Reports the loss before that of the links, and again if an adapter that only failed is gone as
  /// well.
  private mutating func goAway(_ failure: Failure, _ reason: DisconnectReason) {
    if gone.map({ !$0.endsConnection && failure.endsConnection }) ?? true {
      gone = failure
      for owner in knownOwners { report(owner, .adapterAway(failure)) }
    }
    // A client that reads the RSSI has lost its link and may try again on the next one.
    forget(reason, Failure(.disconnected, "the link is gone: \(reason.text)", blame: .adapter, layer: .hci, delivered: .maybe))
  }

  /// Drops all state that the controller has forgotten.
  mutating func forget(_ reason: DisconnectReason, _ failure: Failure) {
    if queue.outstanding?.command.opcode == .reset { pendingResets += 1 }
    dropCommands(failure)
    arbiter.controllerLost()
    early = []
    dropLinks(reason)
    arbiter.forgetAllAttempts()
    apply(arbiter.endWaiting())
  }

  /// Restarts the scan unless another procedure is in progress.
  private mutating func restartScan() {
    guard arbiter.radio.scan != nil else { return }
    if heardAt != nil { heardAt = now.moment }
    arbiter.restartScan()
  }

  // MARK: Detection

  /// Whether the controller should be sending events.
  private var isOnAir: Bool { !links.isEmpty || arbiter.isOnAir }

  /// A pattern match, because a comparison would copy the payload of other phases.
  private var isReady: Bool { if case .ready = phase { true } else { false } }

  /// When to check that a silent controller is alive.
  var heartbeatDue: Moment? {
    guard configuration.asksSilentController, isReady, queue.isIdle, isOnAir else { return nil }
    return earliest(linkDue, earliest(attemptDue, packetDue))
  }

  /// When to check the quietest link, whose end may have been missed although others are busy.
  private var linkDue: Moment? { quietest.map { links[$0].heardAt + HostLimits.heartbeat } }

  /// When to check a connection attempt, whose Connection Complete may have been missed.
  private var attemptDue: Moment? {
    guard case .on = arbiter.radio.initiator, arbiter.radio.steps.isEmpty else { return nil }
    return arbiter.radio.initiatedAt.map { $0 + HostLimits.waitingHeartbeat }
  }

  private var packetDue: Moment? {
    guard linkDue == nil, let packetAt else { return nil }
    return packetAt + (arbiter.radio.scan == nil && links.isEmpty ? HostLimits.waitingHeartbeat : HostLimits.heartbeat)
  }

  /// When a scan that received something earlier counts as too silent. Scans for a few devices may
  /// be silent.
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

  /// The link that has been silent for the longest time.
  private var quietest: Int? {
    var place: Int?
    for index in links.indices where links[index].stage != .closing {
      if place.map({ links[index].heardAt < links[$0].heardAt }) ?? true { place = index }
    }
    return place
  }

  /// Sends a command that only shows whether the controller is alive and still knows its state.
  private mutating func probe() {
    if let index = quietest {
      links[index].heardAt = now.moment
      send(.readRSSI(links[index].handle), for: .probe(links[index].handle))
    } else if case .on = arbiter.radio.initiator, arbiter.radio.steps.isEmpty {
      arbiter.renewAttempt()
    } else {
      // The controller may have forgotten a scan that never received anything. `silenceDue` covers
      // the other scans.
      if heardAt == nil, let since = arbiter.radio.scannedSince, since + HostLimits.waitingHeartbeat <= now.moment { restartScan() }
      send(.readLocalVersion, for: .aside)
    }
  }

  /// The controller does not know one of our links. If it knows another, it only missed the end of
  /// this one; otherwise it has restarted.
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

  /// Handles a sign of a restart. Some controllers also send it at other times, so the restart is
  /// verified, but not often.
  mutating func suspectRestart(_ sign: String) {
    guard phase == .ready else { return }
    if let suspectedAt, now.moment - suspectedAt < HostLimits.settled { return }
    suspectedAt = now.moment
    if links.contains(where: { $0.stage != .closing }) { probe() } else { trouble(.restarted(sign)) }
  }

  /// Handles vendor event 0x02, which Intel's controllers send after booting and Zephyr's before.
  mutating func vendorEvent(_ bytes: [UInt8]) {
    if bytes.first == 0x02 { suspectRestart("it said so (vendor event \(Hex.text(Array(bytes.prefix(8)))))") }
  }
}
