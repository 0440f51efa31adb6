import Exchange
import Recipe
import Vocabulary

extension Machine {
  func disconnected(_ index: Int) -> Failure {
    Failure(
      .disconnected, "\(devices[index].text) is not connected", blame: .radio, layer: .hci, hint: "`connect` first, or `reconnect`")
  }

  /// - Parameter at: when it was lost, if that was earlier than now.
  mutating func linkLost(_ index: Int, _ reason: DisconnectReason, at: Instant? = nil) {
    switch devices[link: index].phase {
    // The report concerns a link that ended before this attempt began.
    case .locating, .connecting, .gated: if reason == .asked { return }
    case .idle, .kept, .settingUp, .firstSetUp, .onConnect, .ready, .closing: break
    }
    let wasClosing: Bool
    if case .closing = devices[link: index].phase { wasClosing = true } else { wasClosing = false }
    if case .closing = life {
      // While the run ends, the checkpoint keeps its state of this link.
      devices[link: index].phase = .idle
      return
    }
    if isStopping { return linkLostAtStop(index, reason) }
    let asked = wasClosing && !devices[index].isWanted
    // Makes the link again, as after a kill of the run.
    let remakes = reason == .keeperEnded && devices[link: index].isLinked && !wasClosing && !devices[index].isWanted
    // If the set-up of a resumed link did not complete, the recipe still sees the old link until no
    // further attempt is made.
    let staysResumed = devices[index].isResumed && !devices[link: index].isUp && devices[index].isWanted
    let isReported = devices[link: index].isUp || devices[index].isResumed && !staysResumed
    devices[link: index].phase = .idle
    devices[link: index].info = nil
    devices[link: index].located = []
    devices[link: index].isUp = false
    devices[link: index].discoveryEnds = nil
    let wasSetUp = devices[index].isSetUp
    devices[index].isSetUp = false
    devices[index].wasLinked = staysResumed
    devices[index].hasLink = false
    devices[index].isResumed = staysResumed
    if remakes {
      devices[link: index].resumeLimit = now.moment + Self.connectTimeout
      devices[index].wasLinked = true
    }
    deliverHeld(index)
    effects.append(
      .progressed(
        ProgressReport(.disconnected, device: devices[index].text, text: "lost \(devices[index].text): \(reason.text)")))
    // Report this before any statement fails because of it.
    if isReported { deliver(.disconnected(asked ? .asked : reason), device: index, at: at) }
    cancelOnConnect(index)
    for id in fibers.map(\.id) {
      guard let place = fibers.index(of: id) else { continue }
      switch fibers[place].wait {
      case .closing(index): complete(place)
      case .operation(let operation) where operation.device == index: operationLostLink(place, operation, reason)
      case .link(index, _) where !devices[index].isWanted && !remakes:
        fail(
          place,
          Failure(
            .unreachable, "\(devices[index].text) was lost while it was set up: \(reason.text)", blame: .radio, layer: .hci,
            code: reason.code.map(UInt16.init)), device: index)
      case .event(let site, _) where !devices[index].isWanted && !remakes: failEventWait(place, site, index, reason)
      default: break
      }
    }
    if remakes { return scheduleAttempt(index, atOnce: true) }
    if devices[index].isWanted {
      let useful = devices[link: index].wasUseful
      // The loss of a link that was ready is no failed attempt.
      let isAttempt = !useful && !wasSetUp
      if isAttempt { devices[index].failedAttempts += 1 }
      if isAttempt, let times = devices[index].policy.times, devices[index].failedAttempts >= times {
        giveUp(index, Failure(.unreachable, reason.text, blame: .radio, layer: .hci, code: reason.code.map(UInt16.init)))
      } else {
        scheduleAttempt(index, atOnce: useful || !wasClosing && devices[index].step == 0, listens: !wasClosing)
      }
    }
  }

  /// While `on stop` runs, only its statements fail; the checkpoint keeps what a resumed run would
  /// connect.
  private mutating func linkLostAtStop(_ index: Int, _ reason: DisconnectReason) {
    devices[link: index].phase = .idle
    devices[link: index].info = nil
    devices[link: index].located = []
    devices[link: index].isUp = false
    for id in fibers.map(\.id) {
      guard let place = fibers.index(of: id), fibers[place].isStop else { continue }
      switch fibers[place].wait {
      case .closing(index): complete(place)
      case .operation(let operation) where operation.device == index: operationLostLink(place, operation, reason)
      case .event(let site, _) where !devices[index].isWanted: failEventWait(place, site, index, reason)
      default: break
      }
    }
    if devices[index].isWanted || devices[link: index].resumeLimit != nil { scheduleAttempt(index) }
  }

  /// Fails a `wait for notify` on a device that will not be reconnected.
  private mutating func failEventWait(_ place: Int, _ site: Int, _ index: Int, _ reason: DisconnectReason) {
    guard case .notify(let attribute, _) = program.eventWaits[site].event else { return }
    var meant: Int?
    askingFiber(place) { machine, fiber in
      meant = try? machine.device(attribute.device, fiber, fiber.frames[fiber.frames.count - 1].base)
    }
    guard meant == index else { return }
    fail(
      place,
      Failure(
        .disconnected, "the link to \(devices[index].text) was lost: \(reason.text)", blame: .radio, layer: .hci,
        code: reason.code.map(UInt16.init), hint: "`reconnect` makes it again"), device: index)
  }

  /// Ends `on connect` and a set-up `otherwise`, which belong to one link.
  private mutating func cancelOnConnect(_ index: Int) {
    for id in fibers.map(\.id) {
      guard let place = fibers.index(of: id), fibers[place].role.linkedDevice == index else { continue }
      if case .operation(let operation) = fibers[place].wait, operation.mayHaveLeft, operation.policy == .fail {
        let failure = Failure(
          .unsure, "the link was lost while a write was in progress", blame: .radio, delivered: operation.lost ?? .maybe)
        var problem: Problem?
        askingFiber(place) { machine, fiber in problem = machine.problem(failure, fiber, device: index) }
        if let problem { unhandled(place, problem) }
        continue
      }
      fibers.release(id)
      fiberEnded(place)
    }
  }
}
