package import Adapters
package import Keeper
package import Linux
package import Vocabulary

/// The keeper's process: its value, the way to the controller, its socket and its clients. One
/// thread, one `poll`.
///
/// Every input goes through `handle`, in order; nothing else changes the value.
package final class KeeperLoop {
  private final class ClientConnection {
    let id: ConnectionID
    let stream: ByteStream
    var frames = MessageFrames()
    /// When the connection is closed at the latest, even if its output is not fully written.
    var leavesBy: Moment?
    /// Whether messages were left in `frames`, because the client does not read its answers.
    var hasMore = false

    init(id: ConnectionID, stream: ByteStream) {
      self.id = id
      self.stream = stream
    }
  }

  private let engine: KeeperEngine
  private let manager: ServiceManager?
  /// The socket of its clients; another one than at the start if that was removed.
  package private(set) var listener: LocalListener
  private let signals: Signals?
  private let log: (String) -> Void
  /// Listens at its place again, after its socket was removed; `nil` if another keeper is there.
  package var listenAgain: () -> LocalListener? = { nil }
  /// When to look next whether the socket is still there.
  private var looksAt: Moment
  /// Whether it has said that another keeper is at its place.
  private var isReported = false
  /// Whether another process will replace one that is asked to end.
  package var isReplaced: () -> Bool = { false }
  /// Whether it has left everything in place for the next process.
  package private(set) var hasMadeWay = false
  private var connections: [ClientConnection] = []
  private var nextConnection: UInt64 = 1
  /// When to accept connections again after a lack of descriptors.
  private var listensFrom: Moment?
  private var hasLeft = false
  /// When it exits at the latest after it was asked to end, whatever the state of its links.
  private var leavesBy: Moment?
  private var now: Instant

  /// The watchdog interval of a service manager, and the time of the next message.
  private let watchdog: TimeSpan?
  private var watchedAt: Moment
  private var seed: UInt64

  package convenience init(
    keeper: Keeper, transport: any Transport, listener: LocalListener, signals: Signals?, at now: Instant,
    log: @escaping (String) -> Void
  ) {
    self.init(
      engine: KeeperEngine(keeper: keeper, transport: transport), listener: listener, signals: signals, at: now, log: log)
  }

  package init(
    engine: KeeperEngine, listener: LocalListener, signals: Signals?, manager: ServiceManager? = nil, watchdog: TimeSpan? = nil,
    seed: UInt64 = SystemClock.seed(), at now: Instant, log: @escaping (String) -> Void
  ) {
    self.engine = engine
    self.manager = manager
    self.watchdog = watchdog
    watchedAt = now.moment
    looksAt = now.moment + Self.look
    self.seed = seed
    self.listener = listener
    self.signals = signals
    self.now = now
    self.log = log
  }

  /// The unread output of a client at which it is no longer read, and at which it is dropped.
  private static let patience = 1 << 18
  private static let limit = 8 << 20

  /// How often it looks whether its socket is still there.
  private static let look = TimeSpan.seconds(5)

  /// The time that closing the links may take.
  private static let closingRead = TimeSpan.seconds(3)

  package func start(seed: UInt64) {
    self.seed = seed
    handle(.started(seed: seed))
  }

  /// Serves until the keeper leaves.
  package func run() {
    while !hasLeft { round() }
    // Write the last messages, as far as the sockets accept them at once.
    for connection in connections { connection.stream.flush() }
    engine.flush()
    connections = []
  }

  private func round() {
    for connection in connections { connection.stream.flush() }
    dropLeaving()
    engine.flush()
    var interests: [Poll.Interest] = []
    var places: [Int] = []
    if let signals { interests.append(Poll.Interest(signals.descriptor)) }
    let listening = listensFrom == nil ? interests.count : nil
    if listening != nil { interests.append(Poll.Interest(listener.descriptor)) }
    if let interest = engine.interest { interests.append(interest) }
    for index in connections.indices {
      let stream = connections[index].stream
      places.append(interests.count)
      interests.append(
        Poll.Interest(stream.descriptor, reads: stream.backlog < Self.patience, writes: stream.hasPendingOutput))
    }
    let hasMore = connections.contains { $0.hasMore && $0.leavesBy == nil && $0.stream.backlog < Self.patience }
    let due = earliest(
      engine.nextDeadline, listensFrom, looksAt, connections.compactMap(\.leavesBy).min(), watchdog.map { watchedAt + $0 },
      leavesBy,
      hasMore ? now.moment : nil)
    let ready = Poll.wait(for: interests, until: due)
    now = SystemClock.now()

    while let kind = signals?.next() {
      if kind == .terminate, engine.canBeTakenOver, isReplaced() {
        (hasMadeWay, hasLeft) = (true, true)
        return
      }
      if leavesBy == nil { leavesBy = now.moment + Self.closingRead }
      handle(.closing)
    }
    if let leavesBy, leavesBy <= now.moment { hasLeft = true }
    receivePackets()
    receiveMessages()
    if let from = listensFrom, from <= now.moment { listensFrom = nil }
    if let listening, ready[listening].reads { accept() }
    if let deadline = engine.keeper.nextDeadline, deadline <= now.moment { handle(.deadline) }
    if let watchdog, watchedAt + watchdog <= now.moment {
      watchedAt = now.moment
      manager?.watchdog()
    }
    lookForSocket()
  }

  private func receivePackets() {
    for output in engine.receive(seed: seed, at: now) { perform(output) }
  }

  private func receiveMessages() {
    for connection in connections where connection.leavesBy == nil && connection.stream.backlog < Self.patience {
      receive(from: connection)
    }
    for connection in connections where connection.stream.backlog > Self.limit && connection.leavesBy == nil {
      log("a client does not read its messages; disconnecting it")
      forget(connection)
    }
    for connection in connections where connection.stream.ending != nil && connection.leavesBy == nil { forget(connection) }
  }

  private func receive(from connection: ClientConnection) {
    for _ in 0..<4 {
      if !connection.hasMore {
        guard let bytes = connection.stream.receive() else { break }
        connection.frames.push(bytes)
      }
      connection.hasMore = false
      do throws(MessageFrames.Garbled) {
        while let message = try connection.frames.next() {
          handle(.messageReceived(connection.id, message))
          if connection.leavesBy != nil { return }
          // A small question may have a long answer, so each message counts.
          if connection.stream.backlog >= Self.patience {
            connection.hasMore = true
            return
          }
        }
      } catch {
        handle(.malformed(connection.id, "a message of \(error.length) octets is not valid"))
        return
      }
    }
  }

  private func forget(_ connection: ClientConnection) {
    connections.removeAll { $0 === connection }
    handle(.gone(connection.id))
  }

  /// Creates its socket again if it was removed, so that runs find this keeper.
  private func lookForSocket() {
    guard looksAt <= now.moment else { return }
    looksAt = now.moment + Self.look
    guard listener.isLost else { return }
    if let again = listenAgain() {
      listener = again
      isReported = false
      log("the socket was removed and has been created again")
    } else if !isReported {
      isReported = true
      log(
        "the socket was removed and cannot be created again, perhaps because another keeper now listens there; "
          + "this keeper exits when it has no clients left")
    }
  }

  private func accept() {
    for _ in 0..<16 {
      switch listener.accept() {
      case .noConnection: return
      case .refused(let failure):
        log("\(failure)")
        listensFrom = now.moment + .milliseconds(100)
        return
      case .stream(let stream):
        guard let peer = stream.peer else { continue }
        let connection = ClientConnection(id: ConnectionID(nextConnection), stream: stream)
        nextConnection += 1
        connections.append(connection)
        handle(.arrived(connection.id, Credentials(process: peer.process, user: peer.user)))
      }
    }
  }

  /// Closes dropped connections whose output is written.
  private func dropLeaving() {
    connections.removeAll { connection in
      guard let by = connection.leavesBy else { return false }
      return !connection.stream.hasPendingOutput || by <= now.moment
    }
  }

  // MARK: Handling

  private func handle(_ input: KeeperInput) {
    for output in engine.handle(input, at: now) { perform(output) }
  }

  private func perform(_ output: KeeperOutput) {
    switch output {
    case .send, .compute, .reopen: break
    case .deliver(let connection, let message):
      connections.first { $0.id == connection }?.stream.send(MessageFrames.framed(message))
    case .drop(let connection): connections.first { $0.id == connection }?.leavesBy = now.moment + .seconds(1)
    case .log(let text): log(text)
    case .leave: hasLeft = true
    }
  }
}
