package import Adapters
import Keeper
package import Linux
package import Vocabulary

/// Answers the clients of a keeper that cannot start, if a service manager has already opened its
/// socket.
package enum UnavailableKeeper {
  /// Tells all clients at the socket why there is no keeper. Waits this long for their hello.
  package static func refuseClients(
    at listener: LocalListener, because refusal: AdapterRefusal, within patience: TimeSpan = .seconds(2)
  ) {
    let message = KeeperMessage.refused(.init(.adapter, refusal.message, hint: refusal.hint))
    let limit = SystemClock.now().moment + patience
    var connections: [ByteStream] = []
    while true {
      while connections.count < KeeperLimits.newConnections, case .stream(let connection) = listener.accept() {
        connections.append(connection)
      }
      connections.removeAll { connection in
        // Read the client's message first. If it is unread, closing the connection could lose the
        // answer.
        guard connection.receive() != nil else { return connection.ending != nil }
        connection.send(MessageFrames.framed(message.encoded))
        connection.flush()
        return true
      }
      guard !connections.isEmpty, SystemClock.now().moment < limit else { return }
      _ = Poll.wait(for: [Poll.Interest(listener.descriptor)] + connections.map { Poll.Interest($0.descriptor) }, until: limit)
    }
  }
}
