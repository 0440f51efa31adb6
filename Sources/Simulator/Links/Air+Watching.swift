import Packets
import Vocabulary

/// The authenticated payload timeout (Vol 6, Part B, 5.1.12 and 5.4), and the channels of a link.
extension Air {
  mutating func performPayloadTimeout(_ command: HCICommand, _ index: Int, _ role: LinkRole) {
    let half = links[index][role]
    switch command {
    case .writeAuthenticatedPayloadTimeout(_, let timeout):
      let shortest = links[index].interval * (Int64(links[index].latency) + 1)
      guard timeout > 0, .milliseconds(10) * Int64(timeout) >= shortest else {
        return refuse(command, half.controller, .invalidParameters)
      }
      links[index][role].payloadTimeout = timeout
      links[index][role].payloadSince = now
      reschedule(index)
      complete(command.opcode, half.controller, .success, HandleReturn(handle: half.handle))
    default:
      complete(
        command.opcode, half.controller, .success, AuthenticatedPayloadTimeout(handle: half.handle, timeout: half.payloadTimeout))
    }
  }

  /// `role` has received a PDU with a valid MIC.
  mutating func payloadHeard(_ index: Int, _ role: LinkRole) { links[index][role].payloadSince = now }

  /// Pings a peer that has been silent for long, and informs the host if it does not answer.
  mutating func watchPayload(_ index: Int) {
    guard links[index].isEncrypted else { return }
    for role in [LinkRole.central, .peripheral] where links[index].isWatched(role) {
      let half = links[index][role]
      if links[index].payloadDeadline(role) <= now {
        links[index][role].payloadSince = now
        emit(.authenticatedPayloadTimeoutExpired(half.handle), half.controller)
      } else if !half.isPinging, links[index].pingTime(role) <= now {
        links[index][role].isPinging = true
        links[index][role].append(LinkItem(content: .control(.pingRequest), readyAt: now))
      }
    }
  }

  mutating func classify(_ map: ChannelMap, _ controller: Int) {
    guard map.bits != 0 else { return complete(.leSetHostChannelClassification, controller, .invalidParameters) }
    // A link uses at least two channels (Vol 6, Part B, 4.5.8.1).
    let usable = map.bits.nonzeroBitCount > 1 ? map : ChannelMap(bits: map.bits | map.bits << 1 | map.bits >> 1)
    controllers[controller].channelMap = usable
    complete(.leSetHostChannelClassification, controller)
    for index in controllers[controller].links where links[index].isAnnounced && links[index].role(of: controller) == .central {
      start(.channelMap(usable), index, .central)
    }
  }
}

extension AirLink {
  /// Whether the timeout applies to this side: only while both sides are encrypted.
  func isWatched(_ role: LinkRole) -> Bool { encryption == nil && self[role].isEncrypted && self[role].isAlive }

  /// Whether either side is encrypted.
  var isEncrypted: Bool { central.isEncrypted || peripheral.isEncrypted }

  /// When a side must ping its peer or report the timeout.
  var nextWatch: Moment? {
    guard isEncrypted else { return nil }
    let moments = [LinkRole.central, .peripheral].filter { isWatched($0) }
      .map { self[$0].isPinging ? payloadDeadline($0) : pingTime($0) }
    return moments.min()
  }

  func payloadDeadline(_ role: LinkRole) -> Moment {
    self[role].payloadSince + .milliseconds(10) * Int64(self[role].payloadTimeout)
  }

  /// Early enough for the answer of a peer that sleeps or is missed a few times.
  func pingTime(_ role: LinkRole) -> Moment {
    let span = TimeSpan.milliseconds(10) * Int64(self[role].payloadTimeout)
    let margin = interval * (Int64(latency) + 6)
    return self[role].payloadSince + (margin * 2 < span ? span - margin : TimeSpan(nanoseconds: span.nanoseconds / 2))
  }

  /// When the link layer stops waiting for a host (Vol 6, Part B, 5.2).
  var procedureDeadline: Moment? {
    guard let encryption else { return procedureEnds }
    return procedureEnds.map { min($0, encryption.ends) } ?? encryption.ends
  }
}
