package import Packets
package import Vocabulary

/// What can be made to go wrong, at once or next. A fault that nothing triggers stays armed; Reset
/// does not clear it.
extension Air {
  private mutating func fault(_ id: ControllerID, _ time: Moment, _ note: String) -> Bool {
    guard controllers.indices.contains(id.index) else { return false }
    advance(to: time)
    record(AirRecord(time: now, kind: .fault, from: controllers[id.index].identity, note: note))
    return true
  }

  /// Out of range of everybody: neither hears nor is heard. Its links die by the timers of both
  /// ends.
  package mutating func vanish(_ id: ControllerID, at time: Moment) {
    guard fault(id, time, "vanish"), !controllers[id.index].isVanished else { return }
    controllers[id.index].isVanished = true
    for index in controllers[id.index].links { sever(index) }
    listenersChanged()
    dropStaleEntries()
  }

  /// Back in range. Links that were severed stay so.
  package mutating func appear(_ id: ControllerID, at time: Moment) {
    guard fault(id, time, "appear"), controllers[id.index].isVanished else { return }
    controllers[id.index].isVanished = false
    listenersChanged()
    dropStaleEntries()
  }

  package func isVanished(_ id: ControllerID) -> Bool {
    controllers.indices.contains(id.index) && controllers[id.index].isVanished
  }

  /// Whether what `other` does with this controller, a link or listening, suffers from a fault now.
  package func isDisturbed(_ id: ControllerID, for other: ControllerID) -> Bool {
    guard controllers.indices.contains(id.index), controllers.indices.contains(other.index) else { return false }
    let own = controllers[id.index]
    let shared = own.links.filter { controllers[other.index].links.contains($0) }
    if shared.contains(where: { links[$0].severed != nil }) { return true }
    guard own.isVanished || own.loss > 0 || own.delay > .zero || own.faults.lostReply != nil else { return false }
    return !shared.isEmpty || controllers[other.index].isListening
  }

  /// Every link of this controller breaks: by the timers of both ends, or told to both at once.
  package mutating func drop(_ id: ControllerID, atOnce: Bool = false, at time: Moment) {
    guard fault(id, time, atOnce ? "drop at once" : "drop") else { return }
    for index in controllers[id.index].links {
      if atOnce { drop(index) } else { sever(index) }
    }
    dropStaleEntries()
  }

  mutating func drop(_ index: Int) {
    // Hosts that were not yet told of the link cannot be told of its end.
    guard links[index].isAnnounced else { return sever(index) }
    links[index].catchUp(to: now)
    end(index, .central, .connectionTimeout)
    end(index, .peripheral, .connectionTimeout)
    reschedule(index)
  }

  /// The next ATT response that this controller's host sends (with this opcode, if one is given)
  /// never arrives.
  package mutating func loseNextReply(_ id: ControllerID, opcode: UInt8? = nil, then: LostReply = .linkTimesOut, at time: Moment) {
    guard fault(id, time, "lose the next reply") else { return }
    controllers[id.index].faults.lostReply = (opcode, then)
  }

  /// The next ATT request to this controller (with this opcode, if one is given) is answered with
  /// this error; its host learns nothing of it.
  package mutating func refuseNextOperation(_ id: ControllerID, opcode: UInt8? = nil, error: UInt8 = 0x0E, at time: Moment) {
    guard fault(id, time, "refuse the next operation") else { return }
    controllers[id.index].faults.refusal = (opcode, error)
  }

  /// The next command (with this opcode, if one is given) of this controller's host is refused.
  package mutating func refuseNextCommand(_ id: ControllerID, opcode: HCIOpcode? = nil, status: HCIStatus, at time: Moment) {
    guard fault(id, time, "refuse the next command") else { return }
    controllers[id.index].faults.refusedCommand = (opcode, status)
  }

  /// The next command of this controller's host is not refused after all.
  package mutating func forgiveCommands(_ id: ControllerID, at time: Moment) {
    guard fault(id, time, "refuse no command") else { return }
    controllers[id.index].faults.refusedCommand = nil
  }

  /// The next so many requests to connect to this controller fail: unheard, or heard and then
  /// nothing more.
  package mutating func failNextConnections(_ id: ControllerID, count: Int = 1, isHeard: Bool = false, at time: Moment) {
    guard fault(id, time, "fail the next \(count) connections") else { return }
    if isHeard {
      controllers[id.index].faults.failedEstablishments = count
    } else {
      controllers[id.index].faults.missedConnections = count
    }
  }

  /// Everything that this controller's host sends waits so much longer before it goes on the air.
  package mutating func slow(_ id: ControllerID, by delay: TimeSpan, at time: Moment) {
    guard fault(id, time, "slow by \(delay)") else { return }
    controllers[id.index].delay = delay
  }

  /// How likely a PDU from or to this controller is lost, 0 to 1. At 1 it is as if out of range,
  /// but a link with nothing to do is not counted against its timers: use `vanish` for that.
  package mutating func setLoss(_ id: ControllerID, _ probability: Double, at time: Moment) {
    guard fault(id, time, "loss \(probability)") else { return }
    controllers[id.index].loss = min(max(probability, 0), 1)
  }

  /// The controller says that it has a defect (Vol 4, Part E, 7.7.16).
  package mutating func hardwareError(_ id: ControllerID, code: UInt8, at time: Moment) {
    guard fault(id, time, "hardware error") else { return }
    emit(.hardwareError(code: code), id.index)
  }
}
