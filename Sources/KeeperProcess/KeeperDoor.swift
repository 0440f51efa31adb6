package import Adapters
import Keeper
package import Linux
package import Vocabulary

/// Answers the clients of a keeper that cannot start, if a service manager has already opened its
/// socket.
package enum KeeperDoor {
  /// Tells all clients at the socket why there is no keeper. Waits this long for their hello.
  package static func turnAway(
    at listener: LocalListener, because refusal: AdapterRefusal, within patience: TimeSpan = .seconds(2)
  ) {
    let message = KeeperMessage.refused(.init(.adapter, refusal.message, hint: refusal.hint))
    let limit = SystemClock.now().moment + patience
    var guests: [ByteStream] = []
    while true {
      while guests.count < KeeperLimits.strangers, case .stream(let guest) = listener.accept() { guests.append(guest) }
      guests.removeAll { guest in
        // Read the client's message first. If it is unread, closing the connection could lose the
        // answer.
        guard guest.receive() != nil else { return guest.ending != nil }
        guest.send(MessageFrames.framed(message.encoded))
        guest.flush()
        return true
      }
      guard !guests.isEmpty, SystemClock.now().moment < limit else { return }
      _ = Poll.wait(for: [Poll.Interest(listener.descriptor)] + guests.map { Poll.Interest($0.descriptor) }, until: limit)
    }
  }
}
