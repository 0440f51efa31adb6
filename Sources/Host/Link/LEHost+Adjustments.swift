import Exchange
import Packets
import Vocabulary

/// A link parameter that a client requests.
struct LinkAdjustment: Equatable, Sendable {
  var owner: OwnerID
  var id: OperationID
  var wanted: LinkRequest
}

/// Changes of PHY and connection interval that clients request: one at a time on each link.
extension LEHost {
  mutating func adjust(_ owner: OwnerID, _ id: OperationID, _ peer: Address, _ wanted: LinkRequest) {
    guard let index = link(to: peer), links[index].stage == .ready, links[index].closingReadEnds == nil else {
      return complete(owner, id, .failure(disconnected(peer)))
    }
    if let lacking = lacking(wanted) {
      return complete(
        owner, id, .failure(Failure(.adapter, "this adapter has no \(lacking)", blame: .adapter, layer: .hci)))
    }
    guard links[index].adjustments.count < HostLimits.adjustments else {
      return complete(
        owner, id,
        .failure(
          Failure(
            .refused, "\(HostLimits.adjustments) other changes of this link's parameters are pending", blame: .ours, layer: .hci)))
    }
    links[index].adjustments.append(LinkAdjustment(owner: owner, id: id, wanted: wanted))
    if links[index].adjustments.count == 1 { sendAdjustment(at: index) }
  }

  private func lacking(_ wanted: LinkRequest) -> String? {
    switch wanted {
    case .phy(.le1M) where !facts.supports(.leSetPHY), .phy(.le2M) where !facts.supports(.leSetPHY): "PHY other than 1M"
    case .phy(.le2M) where !facts.features.has(.phy2M): "2M PHY"
    case .phy(.coded) where !facts.supports(.leSetPHY) || !facts.features.has(.phyCoded): "coded PHY"
    default: nil
    }
  }

  private mutating func sendAdjustment(at index: Int) {
    guard let first = links[index].adjustments.first else { return }
    let handle = links[index].handle
    switch first.wanted {
    case .phy(let phy):
      let mask = UInt8(1) << (phy.rawValue - 1)
      send(.leSetPHY(handle, PHYPreferences(transmit: mask, receive: mask), options: 0), for: .adjustment(handle))
    case .interval(let shortest, let longest, let latency):
      // The timeout must exceed two intervals with full latency (Vol 4, Part E, 7.8.18). In 10 ms.
      let least = (UInt32(longest) * UInt32(latency + 1) * 2 * 125 / 1000 + 1) * 2
      let parameters = ConnectionParameters(
        intervalMinimum: shortest, intervalMaximum: longest, latency: latency,
        supervisionTimeout: UInt16(clamping: min(3200, max(UInt32(links[index].supervisionTimeout), least))))
      guard parameters.isValid else { return adjusted(handle, .invalidParameters) }
      send(.leConnectionUpdate(ConnectionUpdate(handle: handle, connection: parameters)), for: .adjustment(handle))
    }
  }

  /// The controller has refused a parameter, or an event reports the result.
  /// - Parameter isMeant: Whether the event can be about this request.
  mutating func adjusted(_ handle: ConnectionHandle, _ status: HCIStatus, where isSelected: (LinkRequest) -> Bool = { _ in true }) {
    guard let index = link(handle), let first = links[index].adjustments.first, isSelected(first.wanted) else { return }
    links[index].adjustments.removeFirst()
    let peer = links[index].peer
    if status.isSuccess {
      complete(first.owner, first.id, .success(.done))
    } else {
      let kind: Failure.Kind = status == .unknownConnection ? .disconnected : .refused
      complete(
        first.owner, first.id,
        .failure(
          Failure(
            kind, "\(peer) keeps its \(first.wanted.words): \(status)", blame: .refused, layer: .hci, code: UInt16(status.raw))))
    }
    if let index = isLive(handle) { sendAdjustment(at: index) }
  }

  /// Cancels a request and returns whether there was one. The controller completes one that it
  /// already has.
  mutating func cancelAdjustment(_ owner: OwnerID, _ id: OperationID) -> Bool {
    for index in links.indices {
      guard let place = links[index].adjustments.firstIndex(where: { $0.owner == owner && $0.id == id }) else { continue }
      links[index].adjustments.remove(at: place)
      complete(owner, id, .failure(Failure(.cancelled, "the request was withdrawn", blame: .ours, layer: .hci)))
      if place == 0, links[index].stage != .closing { sendAdjustment(at: index) }
      return true
    }
    return false
  }
}

extension LinkRequest {
  fileprivate var words: String {
    switch self {
    case .phy: "PHY"
    case .interval: "connection interval"
    }
  }
}
