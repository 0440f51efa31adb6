import Exchange
import Recipe
import Vocabulary

extension Machine {
  /// Starts to connect. If the address type is unknown, waits for an advertisement first.
  mutating func beginAttempt(_ index: Int) {
    switch devices[link: index].phase {
    case .idle, .gated: break
    case .kept, .locating, .connecting, .settingUp, .firstSetUp, .onConnect, .ready, .closing: return
    }
    stopListening(index)
    guard mayConnect else { return }
    let isPending = devices[index].isWanted
    let deadline = devices[index].policy.times != nil && isPending ? now.moment + Self.attemptTimeout : nil
    let operation = nextOperation()
    effects.append(
      .progressed(ProgressReport(.connecting, device: devices[index].text, text: "connecting to \(devices[index].text)")))
    guard let address = devices[index].address else {
      devices[link: index].phase = .locating(operation, deadline)
      request(operation, .scan(ScanRequest(duty: duty(isPending ? .gentle : .full), addresses: [devices[index].bits])))
      return
    }
    devices[link: index].phase = .connecting(operation, deadline)
    devices[link: index].isEncrypting = false
    request(
      operation,
      .connect(
        ConnectRequest(
          peer: address, pending: isPending, attributeCache: devices[cache: index], mtu: devices[index].mtu,
          pairing: pairing(with: index), coded: program.settings.scan == .coded, outOfBand: environment.codes.outOfBand,
          expectsBond: devices[index].setUp.contains(where: \.isPairing))))
  }

  var isStopping: Bool { if case .stopping = life { true } else { false } }

  /// Links may be made until they are closed, because `on stop` may need one.
  private var mayConnect: Bool {
    switch life {
    case .running, .draining, .stopping: true
    case .closing, .done: false
    }
  }

  mutating func withdrawAttempt(_ index: Int) {
    switch devices[link: index].phase {
    case .locating(let operation, _), .connecting(let operation, _): request(nextOperation(), .cancel(operation))
    case .gated: stopListening(index)
    default: return
    }
    devices[link: index].phase = .idle
  }

  mutating func stopListening(_ index: Int) {
    if case .gated(_, let listening?) = devices[link: index].phase { request(nextOperation(), .cancel(listening)) }
  }

  mutating func linkTimedOut(_ fiber: Int, _ index: Int, _ limit: Limit) {
    let failure = noAnswer(of: index, within: limit.span)
    withdrawAttempt(index)
    fail(fiber, adapter.trouble ?? failure, device: index)
    if devices[index].isWanted { scheduleAttempt(index) }
  }

  /// Why an attempt to connect has taken too long.
  private func noAnswer(of index: Int, within span: TimeSpan) -> Failure {
    let name = devices[index].text
    return unfinishedEncryption(index, within: span)
      ?? Failure(
        .unreachable, "\(name) did not answer within \(span)", blame: .radio, layer: .hci,
        hint: "is it on, near, and not connected to something else?")
  }

  /// The failure of a statement whose link is up and not yet encrypted with the bond.
  func unfinishedEncryption(_ index: Int, within span: TimeSpan, _ delivered: Failure.Delivery? = nil) -> Failure? {
    guard case .connecting = devices[link: index].phase, devices[link: index].isEncrypting, let peer = devices[index].address else {
      return nil
    }
    return Failure(
      .unreachable, "the link to \(devices[index].text) was made, but its bond did not encrypt it within \(span)", blame: .peer,
      layer: .smp, hint: PairingAdvice.silentStart(peer), delivered: delivered)
  }

  /// After a failed attempt, schedules the next one or fails the waiting statements.
  mutating func attemptFailed(_ index: Int, _ failure: Failure) {
    devices[link: index].phase = .idle
    devices[index].failedAttempts += 1
    if !devices[index].isWanted {
      if devices[link: index].resumeLimit != nil {
        // Retry the link of a killed run until its limit.
        scheduleAttempt(index)
        return
      }
      let waiting = linkWaiters(index)
      // The host ends an unheard attempt after ten minutes, but a statement may wait longer.
      if failure.kind == .unreachable, failure.blame == .radio, failure.code == nil, !waiting.isEmpty {
        return scheduleAttempt(index, atOnce: true)
      }
      for id in waiting { if let fiber = fibers.index(of: id) { fail(fiber, failure, device: index) } }
      return
    }
    linkRefused(index, failure)
    guard devices[index].isWanted else { return }
    if let times = devices[index].policy.times, devices[index].failedAttempts >= times {
      giveUp(index, failure)
      return
    }
    scheduleAttempt(index, listens: !failure.isRefusalOfLink)
  }

  func linkWaiters(_ index: Int) -> [UInt64] {
    fibers.compactMap { fiber in
      if case .link(index, _) = fiber.wait { fiber.id } else { nil }
    }
  }

  /// Gives up after the attempts of `reconnect N times`.
  mutating func giveUp(_ index: Int, _ failure: Failure) {
    devices[index].isWanted = false
    devices[index].policy = ReconnectPolicy()
    var reported = Failure(
      .unreachable,
      "\(devices[index].text) could not be reconnected in \(devices[index].failedAttempts) attempts: \(failure.message)",
      blame: failure.blame, layer: failure.layer, code: failure.code, hint: failure.hint)
    reported.sent = failure.sent
    reported.got = failure.got
    raiseAtWaiters(index, reported)
  }

  /// Fails all statements that wait for this device.
  mutating func raiseAtWaiters(_ index: Int, _ failure: Failure) {
    for id in fibers.map(\.id) {
      guard let place = fibers.index(of: id) else { continue }
      switch fibers[place].wait {
      case .reconnect(_, let wanted) where wanted.contains(index): fail(place, failure, device: index)
      case .link(index, _): fail(place, failure, device: index)
      case .operation(let operation) where operation.device == index: fail(place, failure, device: index)
      default: break
      }
    }
  }

  /// Schedules the next attempt: at once if the last link was useful, otherwise after a delay that
  /// doubles, with jitter.
  /// - Parameter listens: whether an advertisement ends the delay early. It does not help with a
  ///   device that was reached but refused the link.
  mutating func scheduleAttempt(_ index: Int, atOnce: Bool = false, listens: Bool = true) {
    guard devices[link: index].phase == .idle, mayConnect else { return }
    if atOnce { return beginAttempt(index) }
    let policy = devices[index].policy
    var delay = policy.wait
    for _ in 0..<min(devices[index].step, 40) where delay < policy.ceiling { delay = delay * 2 }
    delay = min(delay, policy.ceiling)
    // Between 75% and 100% of the delay, so that many recipes do not connect at the same time.
    let quarter = max(delay.nanoseconds / 4, 1)
    delay = delay - TimeSpan(nanoseconds: Int64(header.randomNumber() % UInt64(quarter)))
    devices[index].step = min(devices[index].step + 1, 200)
    var listening: OperationID?
    if listens, delay > .seconds(2) {
      let operation = nextOperation()
      listening = operation
      request(operation, .scan(ScanRequest(duty: duty(.gentle), addresses: [devices[index].bits])))
    }
    devices[link: index].phase = .gated(until: now.moment + delay, listening: listening)
    effects.append(
      .progressed(ProgressReport(.waiting, device: devices[index].text, text: "\(devices[index].text): next attempt in \(delay)")))
  }

  mutating func fireLinkDeadlines(_ moment: Moment) {
    guard mayConnect else { return }
    for index in devices.active {
      switch devices[link: index].phase {
      case .locating(_, let due?), .connecting(_, let due?):
        if due <= moment {
          let failure = noAnswer(of: index, within: Self.attemptTimeout)
          withdrawAttempt(index)
          attemptFailed(index, failure)
        }
      case .gated(let until, _): if until <= moment { beginAttempt(index) }
      default: break
      }
      if let limit = devices[link: index].resumeLimit, limit <= moment { goneWhileAway(index) }
    }
  }

  /// Reports a link of a killed run or keeper as lost, because it was not restored in time.
  mutating func goneWhileAway(_ index: Int) {
    devices[link: index].resumeLimit = nil
    withdrawAttempt(index)
    linkLost(index, devices[index].isResumed ? .goneWhileAway : .keeperEnded)
  }
}
