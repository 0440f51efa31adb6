package import Adapters
import Keeper
package import Linux
package import Vocabulary

/// The socket of a keeper that cannot be: a service manager has opened it before, and clients wait
/// there.
package enum KeeperDoor {
  /// Tells everybody who is at the socket now why there is no keeper. Who says nothing within this
  /// time is not waited for.
  package static func turnAway(
    at listener: LocalListener, because refusal: AdapterRefusal, within patience: TimeSpan = .seconds(2)
  ) {
    let message = KeeperMessage.refused(.init(.adapter, refusal.message, hint: refusal.hint))
    let limit = SystemClock.now().moment + patience
    var guests: [ByteStream] = []
    while true {
      while guests.count < KeeperLimits.strangers, case .stream(let guest) = listener.accept() { guests.append(guest) }
      guests.removeAll { guest in
        // What a client says is read first: an answer beside it could be lost when the connection
        // is closed.
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
