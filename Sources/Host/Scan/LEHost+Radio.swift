import Exchange
import Packets
import Vocabulary

/// Connects the radio arbiter and the rest of the host.
extension LEHost {
  private var surroundings: RadioSurroundings {
    let isClosing = if case .closing = phase { true } else { false }
    return RadioSurroundings(
      facts: facts, configuration: configuration, isClosing: isClosing, now: now.moment, privatePeers: privatePeers)
  }

  mutating func arbitrate() {
    // Devices may use private addresses that only their bonds can resolve.
    if phase == .ready, !arbiter.scans.isEmpty || !arbiter.requestedConnections.isEmpty { loadBonds() }
    switch phase {
    case .ready where awaitsOwnAddress: return
    case .ready, .closing: apply(arbiter.arbitrate(surroundings))
    case .off, .initialising, .reopening, .lost, .closed: return
    }
  }

  mutating func radioAnswered(_ status: HCIStatus) { apply(arbiter.answered(status, surroundings)) }

  mutating func wakeRadio() { apply(arbiter.wake(surroundings)) }

  mutating func apply(_ effects: [RadioEffect]) {
    for effect in effects {
      switch effect {
      case .send(let command): send(command, for: .radio)
      case .complete(let owner, let id, let result): complete(owner, id, result)
      case .note(let level, let text): note(level, text)
      case .trouble(let trouble): self.trouble(trouble)
      // A pause does not count as silence.
      case .scanBegan: if heardAt != nil { heardAt = now.moment }
      case .ownAddressChanged(let address): facts.privateAddress = address
      case .unwanted(let peer): closeUnwanted(peer)
      case .linksAreFull(let status): refuseMoreLinks(status)
      }
    }
  }

  /// Closes an unready link that no client requests any more.
  mutating func closeUnwanted(_ peer: Address) {
    if let index = link(to: peer), links[index].role == .central, links[index].stage == .establishing {
      closeLink(links[index].handle, nil)
    }
  }

  // MARK: The link limit (rule 16)

  private mutating func refuseMoreLinks(_ status: HCIStatus) {
    note(.warning, fullMessage)
    for request in arbiter.requestedConnections where !request.request.pending {
      apply(arbiter.failRequestedConnections(of: request.peer, where: { !$0.request.pending }, fullFailure(status)))
    }
  }

  private var fullMessage: String {
    let holders = links.map { link in
      let owners = link.owners.map { "owner \($0.raw)" }.joined(separator: ", ")
      return "\(link.peer) (\(link.role == .peripheral ? "a central of ours" : owners.isEmpty ? "closing" : owners))"
    }
    return
      "the controller supports no more than \(links.count) link\(links.count == 1 ? "" : "s"); held by \(holders.joined(separator: ", "))"
  }

  func fullFailure(_ status: HCIStatus) -> Failure {
    Failure(
      .adapter, fullMessage, blame: .adapter, layer: .hci, code: UInt16(status.raw),
      hint: "disconnect one of them, or use another adapter")
  }
}
