import Packets
import Vocabulary

/// An agreement on a key in progress (Vol 6, Part B, 5.1.3).
struct KeyAgreement: Sendable {
  let request: EnableEncryption
  /// Whether the link is already encrypted, so that encryption pauses and restarts with another
  /// key.
  let isRenewal: Bool
  /// Whether the peripheral's host was asked for its key.
  var isKeyWanted = false
  /// When the link layer gives up (Vol 6, Part B, 5.2).
  var ends: Moment
}

/// Encryption of links: who may start it, its PDUs, and the events for both hosts.
extension Air {
  mutating func performEncryption(_ command: HCICommand, _ index: Int, _ role: LinkRole) {
    let controller = links[index][role].controller
    switch command {
    case .leEnableEncryption(let request):
      guard role == .central, links[index].encryption == nil else { return refuse(command, controller, .commandDisallowed) }
      status(command.opcode, controller)
      let isRenewal = links[index][role].isEncrypted
      links[index].encryption = KeyAgreement(request: request, isRenewal: isRenewal, ends: now + Self.procedureTimeout)
      start(isRenewal ? .pauseRequest : .encryption(request), index, role)
      links[index][role].hold()
    case .leLongTermKeyRequestReply(let handle, let key):
      guard role == .peripheral, let agreement = links[index].encryption, agreement.isKeyWanted else {
        return refuse(command, controller, .commandDisallowed)
      }
      complete(command.opcode, controller, .success, HandleReturn(handle: handle))
      links[index].encryption?.isKeyWanted = false
      links[index].encryption?.ends = now + Self.procedureTimeout
      if key == agreement.request.longTermKey {
        start(.startRequest, index, role)
      } else {
        // The peer cannot verify the first encrypted PDU (Vol 6, Part B, 5.1.3).
        links[index].catchUp(to: now)
        end(index, .central, .micFailure)
        end(index, .peripheral, .micFailure)
      }
    case .leLongTermKeyRequestNegativeReply(let handle):
      guard role == .peripheral, let agreement = links[index].encryption, agreement.isKeyWanted else {
        return refuse(command, controller, .commandDisallowed)
      }
      complete(command.opcode, controller, .success, HandleReturn(handle: handle))
      links[index].encryption?.isKeyWanted = false
      if agreement.isRenewal {
        // The old key cannot be used again (Vol 6, Part B, 5.1.3.1).
        links[index][role].isTerminating = true
        start(.terminate(reason: .keyMissing), index, role)
      } else {
        links[index][role].append(LinkItem(content: .control(.encryptionRejected(.keyMissing)), readyAt: now))
        links[index][role].release()
        reschedule(index)
      }
    default: refuse(command, controller, .commandDisallowed)
    }
  }

  /// `role` has received this PDU from its peer.
  mutating func receivedEncryption(_ procedure: LinkProcedure, _ index: Int, at role: LinkRole) {
    guard let agreement = links[index].encryption else { return }
    func answer(_ procedures: LinkProcedure...) {
      for procedure in procedures { links[index][role].append(LinkItem(content: .control(procedure), readyAt: now)) }
    }
    let half = links[index][role]
    switch procedure {
    case .pauseRequest:
      answer(.pauseResponse)
      links[index][role].hold()
    case .pauseResponse: if role == .central { answer(.pauseResponse, .encryption(agreement.request)) }
    case .encryption(let request):
      answer(.encryptionResponse)
      links[index][role].hold()
      links[index].encryption?.isKeyWanted = true
      links[index].encryption?.ends = now + Self.procedureTimeout
      if controllers[half.controller].faults.encryption == .keyRequestLost {
        controllers[half.controller].faults.encryption = nil
        return
      }
      emit(
        .leLongTermKeyRequest(
          LongTermKeyRequest(handle: half.handle, random: request.random, diversifier: request.diversifier)), half.controller)
    case .startRequest: answer(.startResponse)
    case .startResponse:
      if role == .peripheral { answer(.startResponse) }
      encryptionStarted(agreement, index, role)
    case .encryptionRejected(let reason):
      links[index].encryption = nil
      links[index][role].release()
      recordEncryption(index, refused: reason)
      emit(.encryptionChange(EncryptionChange(status: reason, handle: half.handle, enabled: 0)), half.controller)
    default: break
    }
  }

  private mutating func recordEncryption(_ index: Int, refused: HCIStatus? = nil) {
    let half = links[index][.central]
    record(
      AirRecord(
        time: now, kind: .encryption, from: half.address, to: links[index][.peripheral].address, link: links[index].number,
        encryption: refused == nil ? half.encryptions : nil, reason: refused))
  }

  /// This side has received the last PDU of the agreement. The central is the last.
  private mutating func encryptionStarted(_ agreement: KeyAgreement, _ index: Int, _ role: LinkRole) {
    links[index][role].encryptions += 1
    links[index][role].payloadSince = now
    links[index][role].release()
    if role == .central { links[index].encryption = nil }
    let half = links[index][role]
    if role == .central { recordEncryption(index) }
    let event =
      agreement.isRenewal
      ? HCIEvent.encryptionKeyRefreshComplete(status: .success, half.handle)
      : .encryptionChange(EncryptionChange(status: .success, handle: half.handle, enabled: 1))
    switch controllers[half.controller].faults.encryption {
    case .changeLost: controllers[half.controller].faults.encryption = nil
    case .changeLate(let delay):
      controllers[half.controller].faults.encryption = nil
      controllers[half.controller].faults.heldEvents.append(event)
      agenda.add(.heldEvents(controller: half.controller), at: now + delay, generation: 0)
    case .keyRequestLost, nil: emit(event, half.controller)
    }
  }
}
