import Exchange
import Host
import Vocabulary

/// The limits of a user of a shared keeper: links, and memory for reports.
extension Keeper {
  /// Why a user gets no further link.
  enum LinkQuota: Equatable {
    case all(Int)
    /// The remaining links of the controller are reserved for users without any.
    case last(Int, of: Int)

    /// `nil` if the user may have another link.
    /// - Parameters:
    ///   - own: The peers that the user has links to or waits for.
    ///   - open: The number of links of all users.
    ///   - limit: The most links of the controller, once it has refused one.
    init?(own: Int, open: Int, limit: Int?) {
      if own >= KeeperLimits.linksOfUser {
        self = .all(own)
        return
      }
      guard let limit, own > 0 else { return nil }
      let reserved = min(KeeperLimits.reservedLinks, limit / 2)
      guard reserved > 0, open >= limit - reserved else { return nil }
      self = .last(reserved, of: limit)
    }
  }

  /// Refuses a link so that no user of a shared keeper takes all of them.
  func refusal(ofLinkTo peer: Address, for index: Int) -> Failure? {
    guard configuration.letsGroupIn else { return nil }
    let user = clients[index].credentials.user
    var own: [Address] = []
    for client in clients where client.credentials.user == user {
      for peer in host.peers(of: client.owner) where !own.contains(peer) { own.append(peer) }
    }
    let open = host.openLinks
    // This needs no further link of the controller.
    if own.contains(peer) || open.contains(where: { $0.peer == peer }) { return nil }
    guard let quota = LinkQuota(own: own.count, open: open.count, limit: host.knownLinkLimit) else { return nil }
    let why =
      switch quota {
      case .all(let count):
        "user \(user) has \(count) links of \(configuration.adapter) or is waiting for them, the most that a shared keeper gives to one user"
      case .last(let count, let limit):
        "\(open.count) of the \(limit) links of \(configuration.adapter) are in use, and the last \(count) are reserved for users who have none"
      }
    return Failure(
      .adapter, why, blame: .ours, layer: .os, hint: "disconnect another device first, or use another adapter (--adapter)",
      delivered: .notSent)
  }

  /// Whether the reports for a user's clients use so much memory that droppable ones are dropped.
  func isCramped(_ user: UInt32) -> Bool {
    var sum = 0
    for index in clients.indices where clients[index].credentials.user == user { sum += clients[index].queue.allOctets }
    return sum > KeeperLimits.octetsOfUser
  }

  /// The client with the most reports that must not be dropped, if its user has too many of those.
  var greediest: (owner: OwnerID, octets: Int)? {
    var best: (index: Int, sum: Int)?
    for index in clients.indices where clients[index].queue.plainOctets > KeeperLimits.freeOctets {
      var sum = 0
      for other in clients.indices where clients[other].credentials.user == clients[index].credentials.user {
        sum += clients[other].queue.plainOctets
      }
      guard sum > KeeperLimits.octetsOfUser else { continue }
      if let best, clients[best.index].queue.plainOctets >= clients[index].queue.plainOctets { continue }
      best = (index, sum)
    }
    return best.map { (clients[$0.index].owner, $0.sum) }
  }
}
