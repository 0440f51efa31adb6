import Exchange
import Packets
import Vocabulary

/// What is still asked on a link that its last owner lets go: the Database Hash, which proves to
/// later runs what was found here. A run that ends within a second has never been idle, when it is
/// asked for otherwise.
extension LEHost {
  /// Whether the link stays for one more question.
  mutating func beginFarewell(at index: Int) -> Bool {
    guard phase == .ready, links[index].role == .central, let effects = links[index].gatt.askForHash(at: now) else { return false }
    let handle = links[index].handle
    links[index].farewellBy = now.moment + HostLimits.farewell
    apply(effects, to: handle)
    return true
  }

  /// The peer has said something on a link that is to end.
  mutating func farewellHeard(_ handle: ConnectionHandle) {
    guard let index = isLive(handle), links[index].farewellBy != nil, !links[index].gatt.asksForHash else { return }
    closeLink(handle, nil)
  }

  /// Somebody wants a link that was about to end. Whoever has let go of it has lost it; it stays
  /// only for another one.
  mutating func interruptFarewell(at index: Int, for owner: OwnerID) {
    guard links[index].farewellBy != nil else { return }
    let handle = links[index].handle
    let left = links[index].owners
    guard !left.contains(owner) else { return closeLink(handle, nil) }
    let waiters = links[index].waiters
    links[index].farewellBy = nil
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
  /// Asks for the Database Hash, or goes on asking; nothing where nobody has use for it, or
  /// something else is under way.
  mutating func askForHash(at now: Instant) -> [GattEffect]? {
    if asksForHash { return [] }
    guard hasIdleWork, wantsHash, outstanding == nil, awaitedHandover == nil, current == nil, queue.isEmpty else { return nil }
    queue.append(Operation(.databaseHash))
    var effects: [GattEffect] = []
    advance(&effects, now)
    return effects
  }

  var asksForHash: Bool { !isDead && current?.work == .databaseHash }
}
