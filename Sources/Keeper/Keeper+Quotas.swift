import Exchange
import Host
import Vocabulary

/// What one user may have of a keeper that others use too: links, and room for reports.
extension Keeper {
  /// Why a user gets no further link; nothing when there is one for it.
  enum LinkQuota: Equatable {
    case all(Int)
    /// Of so many links that the controller has, the last are for users without any.
    case last(Int, of: Int)

    /// - Parameters:
    ///   - own: peers that the user has links to, or waits for.
    ///   - open: links of everybody.
    ///   - limit: how many the controller has, once it has refused one.
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

  /// Where several users share a keeper, none of them takes every link.
  func refusal(ofLinkTo peer: Address, for index: Int) -> Failure? {
    guard configuration.letsGroupIn else { return nil }
    let user = clients[index].credentials.user
    var own: [Address] = []
    for client in clients where client.credentials.user == user {
      for peer in host.peers(of: client.owner) where !own.contains(peer) { own.append(peer) }
    }
    let open = host.openLinks
    // No further link of the controller is needed.
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

  /// Whether so much waits for the clients of a user that nothing is kept for them which may be
  /// dropped.
  func isCramped(_ user: UInt32) -> Bool {
    var sum = 0
    for index in clients.indices where clients[index].credentials.user == user { sum += clients[index].queue.allOctets }
    return sum > KeeperLimits.octetsOfUser
  }

  /// The client for which most waits that may not be dropped, of a user for whose clients too much
  /// of it waits.
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
