import Exchange
import Packets
import Vocabulary

/// The last request on a link that its last owner releases: the Database Hash, which confirms for
/// later runs what was discovered. A run that ends within a second has never been idle, when the
/// hash is usually read.
extension LEHost {
  /// Whether the link stays open for one more request.
  mutating func beginClosingRead(at index: Int) -> Bool {
    guard phase == .ready, links[index].role == .central, let effects = links[index].gatt.askForHash(at: now) else { return false }
    let handle = links[index].handle
    links[index].closingReadEnds = now.moment + HostLimits.closingRead
    apply(effects, to: handle)
    return true
  }

  /// The peer has sent something on a link that is about to end.
  mutating func closingReadAnswered(_ handle: ConnectionHandle) {
    guard let index = isLive(handle), links[index].closingReadEnds != nil, !links[index].gatt.asksForHash else { return }
    closeLink(handle, nil)
  }

  /// A client wants a link that is about to end. The client that released it has lost it; it stays
  /// open only for another one.
  mutating func interruptClosingRead(at index: Int, for owner: OwnerID) {
    guard links[index].closingReadEnds != nil else { return }
    let handle = links[index].handle
    let left = links[index].owners
    guard !left.contains(owner) else { return closeLink(handle, nil) }
    let waiters = links[index].waiters
    links[index].closingReadEnds = nil
    links[index].waiters = []
    links[index].owners = [owner]
    for one in left {
      if let index = isLive(handle) { apply(links[index].gatt.forget(one, at: now), to: handle) }
      report(one, .disconnected(links[index].peer, .asked))
    }
    for waiter in waiters { complete(waiter.owner, waiter.id, .success(.done)) }
  }
}

extension GattPeer {
  /// Requests the Database Hash or continues to. `nil` if it is not needed or other work is in
  /// progress.
  mutating func askForHash(at now: Instant) -> [GattEffect]? {
    if asksForHash { return [] }
    guard hasIdleWork, needsHash, outstanding == nil, awaitedHandover == nil, current == nil, queue.isEmpty else { return nil }
    queue.append(Operation(.databaseHash))
    var effects: [GattEffect] = []
    advance(&effects, now)
    return effects
  }

  var asksForHash: Bool { !isDead && current?.work == .databaseHash }
}
