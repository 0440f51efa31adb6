import Crypto
package import Keeper
package import Linux
package import Vocabulary

/// The keeper's process: its value, the way to the controller, its socket, and the clients on it. One thread, one `poll`.
///
/// Everything that happens goes through `handle`, in order; nothing else touches the value.
package final class KeeperLoop {
  private final class Guest {
    let id: ConnectionID
    let stream: ByteStream
    var frames = MessageFrames()
    /// It is let go when what it was told is written, at the latest then.
    var leavesBy: Moment?

    init(id: ConnectionID, stream: ByteStream) {
      self.id = id
      self.stream = stream
    }
  }

  private var keeper: Keeper
  private let transport: any Transport
  private let listener: LocalListener
  private let signals: Signals?
  private let log: (String) -> Void
  private var guests: [Guest] = []
  private var nextConnection: UInt64 = 1
  /// No connection is taken before, because there was no descriptor for one.
  private var listensFrom: Moment?
  private var isTransportLost = false
  private var hasLeft = false
  private var seed: UInt64 = 0
  private var now: Instant

  package init(
    keeper: Keeper, transport: any Transport, listener: LocalListener, signals: Signals?, at now: Instant,
    log: @escaping (String) -> Void
  ) {
    self.keeper = keeper
    self.transport = transport
    self.listener = listener
    self.signals = signals
    self.now = now
    self.log = log
  }

  /// Octets that a client may leave unread before nothing more is read of it, and before it is given up.
  private static let patience = 1 << 18
  private static let limit = 8 << 20

  package func start(seed: UInt64) {
    self.seed = seed
    handle(.started(seed: seed))
  }

  /// Serves until the keeper leaves.
  package func run() {
    while !hasLeft { round() }
    // What was said last still goes out, as far as it is taken at once.
    for guest in guests { guest.stream.flush() }
    transport.flush()
    guests = []
  }

  private func round() {
    for guest in guests { guest.stream.flush() }
    letGo()
    transport.flush()
    var interests: [Poll.Interest] = []
    var places: [Int] = []
    if let signals { interests.append(Poll.Interest(signals.descriptor)) }
    let listening = listensFrom == nil ? interests.count : nil
    if listening != nil { interests.append(Poll.Interest(listener.descriptor)) }
    if transport.ending == nil, let interest = transport.interest { interests.append(interest) }
    for index in guests.indices where guests[index].stream.backlog < Self.patience || guests[index].stream.wantsToWrite {
      places.append(interests.count)
      interests.append(Poll.Interest(guests[index].stream.descriptor, writes: guests[index].stream.wantsToWrite))
    }
    let due = earliest(keeper.nextDeadline, transport.nextMoment, listensFrom, guests.compactMap(\.leavesBy).min())
    let ready = Poll.wait(for: interests, until: due)
    now = SystemClock.now()

    while let kind = signals?.next() {
      _ = kind
      handle(.closing)
    }
    receivePackets()
    receiveMessages()
    if let from = listensFrom, from <= now.moment { listensFrom = nil }
    if let listening, ready[listening].reads { accept() }
    if let deadline = keeper.nextDeadline, deadline <= now.moment { handle(.deadline) }
  }

  private func receivePackets() {
    // Bounded, so that a flood on the air leaves the clients their turn.
    for _ in 0..<64 {
      let packets = transport.receive(at: now)
      let faults = transport.takeFaults()
      if packets.isEmpty, faults.isEmpty { break }
      for packet in packets { handle(.packet(packet)) }
      for fault in faults {
        if case .outOfStep = fault { handle(.outOfStep(fault.text)) } else { log(fault.text) }
      }
    }
    if let ending = transport.ending, !isTransportLost {
      isTransportLost = true
      handle(.transportLost(ending))
    }
  }

  private func receiveMessages() {
    for guest in guests where guest.leavesBy == nil && guest.stream.backlog < Self.patience { receive(from: guest) }
    for guest in guests where guest.stream.backlog > Self.limit && guest.leavesBy == nil {
      log("a client does not read what it is told: it is given up")
      forget(guest)
    }
  }

  private func receive(from guest: Guest) {
    for _ in 0..<4 {
      guard let bytes = guest.stream.receive() else { break }
      guest.frames.push(bytes)
      do throws(MessageFrames.Garbled) {
        while let message = try guest.frames.next() {
          handle(.said(guest.id, message))
          if guest.leavesBy != nil { return }
        }
      } catch {
        handle(.garbled(guest.id, "a message of \(error.length) octets is none"))
        return
      }
    }
    if guest.stream.ending != nil, guest.leavesBy == nil { forget(guest) }
  }

  private func forget(_ guest: Guest) {
    guests.removeAll { $0 === guest }
    handle(.gone(guest.id))
  }

  private func accept() {
    for _ in 0..<16 {
      switch listener.accept() {
      case .nobody: return
      case .refused(let failure):
        log("\(failure)")
        listensFrom = now.moment + .milliseconds(100)
        return
      case .stream(let stream):
        guard let peer = stream.peer else { continue }
        let guest = Guest(id: ConnectionID(nextConnection), stream: stream)
        nextConnection += 1
        guests.append(guest)
        handle(.arrived(guest.id, Credentials(process: peer.process, user: peer.user)))
      }
    }
  }

  /// Those that were dropped go when what they were told is written.
  private func letGo() {
    guests.removeAll { guest in
      guard let by = guest.leavesBy else { return false }
      return !guest.stream.wantsToWrite || by <= now.moment
    }
  }

  // MARK: The one door

  private func handle(_ input: KeeperInput) {
    var inputs = [input]
    var next = 0
    while next < inputs.count {
      for output in keeper.handle(inputs[next], at: now) {
        if let answer = perform(output) { inputs.append(answer) }
      }
      next += 1
    }
  }

  private func perform(_ output: KeeperOutput) -> KeeperInput? {
    switch output {
    case .send(let packet): transport.send(packet, at: now)
    case .computeDatabaseHash(let bytes):
      return .databaseHash((try? databaseHash(of: bytes)) ?? [UInt8](repeating: 0, count: 16))
    case .reopen:
      do throws(SystemFailure) {
        try transport.reopen(at: now)
        isTransportLost = false
        return .started(seed: seed)
      } catch {
        return .transportLost("\(error)")
      }
    case .tell(let connection, let message):
      guests.first { $0.id == connection }?.stream.send(MessageFrames.framed(message))
    case .drop(let connection): guests.first { $0.id == connection }?.leavesBy = now.moment + .seconds(1)
    case .log(let text): log(text)
    case .leave: hasLeft = true
    }
    return nil
  }
}
