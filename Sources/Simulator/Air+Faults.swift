package import Packets
package import Vocabulary

/// Faults that can be injected, at once or for the next event. An untriggered fault stays armed,
/// even after Reset.
extension Air {
  private mutating func fault(_ id: ControllerID, _ time: Moment, _ note: String) -> Bool {
    guard controllers.indices.contains(id.index) else { return false }
    advance(to: time)
    record(AirRecord(time: now, kind: .fault, from: controllers[id.index].identity, note: note))
    return true
  }

  /// Takes a controller out of range of all others. Its links end by the timers of both sides.
  package mutating func vanish(_ id: ControllerID, at time: Moment) {
    guard fault(id, time, "vanish"), !controllers[id.index].isVanished else { return }
    controllers[id.index].isVanished = true
    for index in controllers[id.index].links { sever(index) }
    listenersChanged()
    dropStaleEntries()
  }

  /// Brings a controller back into range. Severed links stay severed.
  package mutating func appear(_ id: ControllerID, at time: Moment) {
    guard fault(id, time, "appear"), controllers[id.index].isVanished else { return }
    controllers[id.index].isVanished = false
    listenersChanged()
    dropStaleEntries()
  }

  package func isVanished(_ id: ControllerID) -> Bool {
    controllers.indices.contains(id.index) && controllers[id.index].isVanished
  }

  /// Whether a fault affects what `other` does with this controller, on a link or while listening.
  package func isDisturbed(_ id: ControllerID, for other: ControllerID) -> Bool {
    guard controllers.indices.contains(id.index), controllers.indices.contains(other.index) else { return false }
    let own = controllers[id.index]
    let shared = own.links.filter { controllers[other.index].links.contains($0) }
    if shared.contains(where: { links[$0].severed != nil }) { return true }
    guard own.isVanished || own.loss > 0 || own.delay > .zero || own.faults.lostReply != nil else { return false }
    return !shared.isEmpty || controllers[other.index].isListening
  }

  /// Breaks every link of this controller: by the timers of both sides, or reported to both at
  /// once.
  package mutating func drop(_ id: ControllerID, atOnce: Bool = false, at time: Moment) {
    guard fault(id, time, atOnce ? "drop at once" : "drop") else { return }
    for index in controllers[id.index].links {
      if atOnce { drop(index) } else { sever(index) }
    }
    dropStaleEntries()
  }

  mutating func drop(_ index: Int) {
    // Hosts that do not know of the link yet cannot get an event for its end.
    guard links[index].isAnnounced else { return sever(index) }
    links[index].catchUp(to: now)
    end(index, .central, .connectionTimeout)
    end(index, .peripheral, .connectionTimeout)
    reschedule(index)
  }

  /// Loses the next ATT response that this controller's host sends (with this opcode, if given).
  package mutating func loseNextReply(_ id: ControllerID, opcode: UInt8? = nil, then: LostReply = .linkTimesOut, at time: Moment) {
    guard fault(id, time, "lose the next reply") else { return }
    controllers[id.index].faults.lostReply = (opcode, then)
  }

  /// Answers the next ATT request to this controller (with this opcode, if given) with this error.
  /// Its host does not see the request.
  package mutating func refuseNextOperation(_ id: ControllerID, opcode: UInt8? = nil, error: UInt8 = 0x0E, at time: Moment) {
    guard fault(id, time, "refuse the next operation") else { return }
    controllers[id.index].faults.refusal = (opcode, error)
  }

  /// Loses or refuses the next PDU of pairing that this controller's host sends (with this code, if
  /// given).
  package mutating func disturbPairing(
    _ id: ControllerID, code: UInt8? = nil, _ disturbance: PairingDisturbance, at time: Moment
  ) {
    guard fault(id, time, "disturb the pairing: \(disturbance)") else { return }
    controllers[id.index].faults.pairing = (code, disturbance)
  }

  /// Loses or delays the next event of encryption for this controller's host.
  package mutating func disturbEncryption(_ id: ControllerID, _ disturbance: EncryptionDisturbance, at time: Moment) {
    guard fault(id, time, "disturb the encryption: \(disturbance)") else { return }
    controllers[id.index].faults.encryption = disturbance
  }

  /// Disarms both.
  package mutating func leavePairing(_ id: ControllerID, at time: Moment) {
    guard fault(id, time, "disturb no pairing") else { return }
    controllers[id.index].faults.pairing = nil
    controllers[id.index].faults.encryption = nil
  }

  /// Gives the host the events of encryption that a fault has delayed.
  mutating func releaseHeldEvents(_ controller: Int) {
    let events = controllers[controller].faults.heldEvents
    controllers[controller].faults.heldEvents = []
    for event in events { emit(event, controller) }
  }

  /// Refuses the next command of this controller's host (with this opcode, if given).
  package mutating func refuseNextCommand(_ id: ControllerID, opcode: HCIOpcode? = nil, status: HCIStatus, at time: Moment) {
    guard fault(id, time, "refuse the next command") else { return }
    controllers[id.index].faults.refusedCommand = (opcode, status)
  }

  /// Disarms the refusal of a command.
  package mutating func forgiveCommands(_ id: ControllerID, at time: Moment) {
    guard fault(id, time, "refuse no command") else { return }
    controllers[id.index].faults.refusedCommand = nil
  }

  /// Makes this many connection requests to this controller fail: not received, or received and
  /// then silent.
  package mutating func failNextConnections(_ id: ControllerID, count: Int = 1, isHeard: Bool = false, at time: Moment) {
    guard fault(id, time, "fail the next \(count) connections") else { return }
    if isHeard {
      controllers[id.index].faults.failedEstablishments = count
    } else {
      controllers[id.index].faults.missedConnections = count
    }
  }

  /// Delays everything that this controller's host sends before it goes on the air.
  package mutating func slow(_ id: ControllerID, by delay: TimeSpan, at time: Moment) {
    guard fault(id, time, "slow by \(delay)") else { return }
    controllers[id.index].delay = delay
  }

  /// Sets the probability that a PDU from or to this controller is lost, 0 to 1. At 1 it is like
  /// out of range, but an idle link does not time out; use `vanish` for that.
  package mutating func setLoss(_ id: ControllerID, _ probability: Double, at time: Moment) {
    guard fault(id, time, "loss \(probability)") else { return }
    controllers[id.index].loss = min(max(probability, 0), 1)
  }

  /// Sends a Hardware Error event (Vol 4, Part E, 7.7.16).
  package mutating func hardwareError(_ id: ControllerID, code: UInt8, at time: Moment) {
    guard fault(id, time, "hardware error") else { return }
    emit(.hardwareError(code: code), id.index)
  }
}
