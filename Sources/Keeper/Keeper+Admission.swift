import Exchange
import Vocabulary

/// Admission of clients when there is little room, so that no user locks out another, and no dead
/// run a living one.
extension Keeper {
  enum Admission: Equatable {
    case free
    /// A client that is away and has no link is removed for it.
    case inPlaceOf(OwnerID)
    case refused(String)
  }

  /// The client with this identity and user. The user is compared too, so that a copied state
  /// directory takes nothing over.
  func known(_ identity: [UInt8], of user: UInt32) -> Int? {
    clients.indices.first { clients[$0].identity == identity && clients[$0].credentials.user == user }
  }

  /// Whether there is room for another client of this user.
  func admission(of user: UInt32) -> Admission {
    let own = clients.count { $0.credentials.user == user }
    guard own < KeeperLimits.clientsOfUser else {
      if let idle = idle(where: { $0 == user }) { return .inPlaceOf(idle) }
      return .refused("user \(user) already has \(own) clients")
    }
    let places = KeeperLimits.clients - clients.count
    if places > KeeperLimits.reservedClients || places > 0 && own < KeeperLimits.fewClients { return .free }
    if let idle = idle(where: { _ in true }) { return .inPlaceOf(idle) }
    return .refused("\(clients.count) clients are already connected")
  }

  /// The most expendable client: it is away and has no link; preferably it has no requests in
  /// progress, its user has many clients, and it has been away for the longest.
  private func idle(where isUser: (UInt32) -> Bool) -> OwnerID? {
    var best: (client: KeptClient, count: Int)?
    for client in clients
    where client.connection == nil && isUser(client.credentials.user) && host.links(of: client.owner).isEmpty
      && host.servingOwner != client.owner
    {
      let count = clients.count { $0.credentials.user == client.credentials.user }
      if let (other, most) = best {
        let left = (client.requests.isEmpty ? 0 : 1, -count, client.heldUntil ?? .distantFuture)
        guard left < (other.requests.isEmpty ? 0 : 1, -most, other.heldUntil ?? .distantFuture) else { continue }
      }
      best = (client, count)
    }
    return best?.client.owner
  }

  /// If too many connections have sent no hello, the oldest one of the user with the most of them.
  var surplusConnection: NewConnection? {
    var counts: [(user: UInt32, count: Int)] = []
    for newConnection in newConnections {
      if let place = counts.firstIndex(where: { $0.user == newConnection.credentials.user }) {
        counts[place].count += 1
      } else {
        counts.append((newConnection.credentials.user, 1))
      }
    }
    guard let most = counts.max(by: { $0.count < $1.count }) else { return nil }
    guard most.count > KeeperLimits.newConnectionsOfUser || newConnections.count > KeeperLimits.newConnections else { return nil }
    return newConnections.first { $0.credentials.user == most.user }
  }
}
