import Linux
package import Packets
package import Vocabulary

/// Finds and ends the links that a dead program left in a controller, and resets the controller,
/// without a host.
///
/// HCI has no command that lists links, so this reads the RSSI of every possible handle. A
/// controller refuses handles that it does not know (Vol 4, Part E, 7.5.4).
package final class AdapterMaintenance {
  /// Why the controller could not be examined.
  package enum Trouble: Error, Equatable {
    case silent(HCIOpcode)
    case gone(String)
  }

  package struct Link: Equatable, Sendable {
    package var handle: ConnectionHandle
    /// Why the controller says the link ended; `nil` if it did not report the end in time.
    package var reason: HCIStatus?
  }

  /// The state of a controller after its reset.
  package struct Health: Equatable, Sendable {
    package var address: Address?
    /// The HCI version number (Assigned Numbers, 2.1).
    package var version: UInt8?
    /// The time from Reset to its answer.
    package var took: TimeSpan
    /// Whether it answered only after the connection to it was reopened.
    package var wasReopened = false
  }

  /// The time in which a controller answers a command.
  package static let answer = TimeSpan.seconds(2)
  /// The time to wait for a link to end. A supervision timeout can take 32 s, which is too long to
  /// wait for.
  package static let ending = TimeSpan.seconds(6)
  /// The longest time that a search of all handles may take.
  package static let search = TimeSpan.seconds(12)
  /// Handles are 0x0000 to 0x0EFF (Vol 4, Part E, 5.3.1).
  private static let handles: UInt16 = 0x0F00
  /// The most commands in flight at a time, if the controller allows that many.
  private static let pace = 8

  private let transport: any Transport
  private let patience: TimeSpan
  private var allowed = 1
  private var ended: [ConnectionHandle: HCIStatus] = [:]
  private var answers: [(opcode: HCIOpcode, parameters: [UInt8])] = []

  /// Whether the search covered every handle before its time was over.
  package private(set) var hasSeenAll = true

  package init(_ transport: any Transport, patience: TimeSpan = answer) {
    self.transport = transport
    self.patience = patience
  }

  // MARK: The conversation

  private func send(_ command: HCICommand) {
    allowed -= 1
    transport.send(HCIPacket.command(command).encoded, at: SystemClock.now())
    transport.flush()
  }

  /// Reads packets until the condition is true or the time is over. Returns false if it was over,
  /// however much else arrived.
  private func listen(until moment: Moment, for isThere: () -> Bool) throws(Trouble) -> Bool {
    while true {
      for packet in transport.receive(at: SystemClock.now()) { take(packet) }
      _ = transport.takeFaults()
      if isThere() { return true }
      if let ending = transport.ending { throw .gone(ending) }
      guard SystemClock.now().moment < moment else { return false }
      transport.flush()
      _ = Poll.wait(for: transport.interest.map { [$0] } ?? [], until: min(moment, transport.nextMoment ?? moment))
    }
  }

  private func take(_ packet: [UInt8]) {
    // Skip data of links that no host owns, and events that mean nothing here.
    guard packet.first == H4Type.event.rawValue else { return }
    var reader = packet.span.bytes
    guard (try? reader.skip(1)) != nil, let event = try? HCIEvent(reading: &reader) else { return }
    switch event {
    case .commandComplete(let complete):
      allowed = Int(complete.allowedPackets)
      answers.append((complete.opcode, complete.parameters))
    case .commandStatus(let status):
      allowed = Int(status.allowedPackets)
      answers.append((status.opcode, [status.status.raw]))
    case .disconnectionComplete(let event): if event.status.isSuccess { ended[event.handle] = event.reason }
    default: break
    }
  }

  /// Sends a command and waits for its answer. Returns its return parameters, the status first.
  private func ask(_ command: HCICommand) throws(Trouble) -> [UInt8] {
    answers = []
    let limit = SystemClock.now().moment + patience
    send(command)
    var answer: [UInt8]? { answers.first { $0.opcode == command.opcode }?.parameters }
    guard try listen(until: limit, for: { answer != nil }), let answer else { throw .silent(command.opcode) }
    return answer
  }

  // MARK: Links

  /// Returns the handles of the controller's links, ascending; `nil` if the controller does not
  /// support the search.
  package func links() throws(Trouble) -> [ConnectionHandle]? {
    // Test whether the controller supports the command at all.
    let first = try ask(.readRSSI(ConnectionHandle(0)))
    guard let status = first.first.map({ HCIStatus($0) }), status.isSuccess || status == .unknownConnection else { return nil }
    var found = status.isSuccess ? [ConnectionHandle(0)] : []
    let end = SystemClock.now().moment + Self.search
    var next: UInt16 = 1
    // Answers arrive in the order of the commands.
    var asked: [ConnectionHandle] = []
    answers = []
    while next < Self.handles || !asked.isEmpty {
      while next < Self.handles, allowed > 0, asked.count < Self.pace {
        let handle = ConnectionHandle(next)
        next += 1
        asked.append(handle)
        send(.readRSSI(handle))
      }
      let now = SystemClock.now().moment
      // Controllers assign low numbers first, so what was found by now is most likely everything.
      guard now < end else {
        hasSeenAll = false
        return found
      }
      guard try listen(until: now + patience, for: { answers.contains { $0.opcode == .readRSSI } }) else {
        throw .silent(.readRSSI)
      }
      for answer in answers where answer.opcode == .readRSSI && !asked.isEmpty {
        let handle = asked.removeFirst()
        if answer.parameters.first == 0 { found.append(handle) }
      }
      answers = []
    }
    return found
  }

  /// Ends links and waits until the controller reports the end of each.
  package func end(_ handles: [ConnectionHandle]) throws(Trouble) -> [Link] {
    ended = [:]
    for handle in handles { _ = try ask(.disconnect(handle, reason: .remoteUserTerminated)) }
    _ = try listen(until: SystemClock.now().moment + Self.ending, for: { handles.allSatisfy { ended[$0] != nil } })
    return handles.map { Link(handle: $0, reason: ended[$0]) }
  }

  // MARK: Reset

  /// Sends HCI Reset (Vol 4, Part E, 7.3.2). If the controller does not answer, reopens it and
  /// tries once more.
  package func reset() throws(Trouble) -> Health {
    do throws(Trouble) { return try resetOnce() } catch {
      do throws(SystemFailure) { try transport.reopen(at: SystemClock.now()) } catch { throw .gone("\(error)") }
      var health = try resetOnce()
      health.wasReopened = true
      return health
    }
  }

  private func resetOnce() throws(Trouble) -> Health {
    // Answers to commands from before the reset no longer count.
    allowed = 1
    let start = SystemClock.now().moment
    let status = try ask(.reset).first.map { HCIStatus($0) }
    let took = SystemClock.now().moment - start
    guard status == .success else { throw .gone("the controller refuses Reset: \(status.map { "\($0)" } ?? "without a reason")") }
    var health = Health(took: took)
    if let bytes = try? returned(LocalVersion.self, .readLocalVersion) { health.version = bytes.hciVersion }
    if let bytes = try? returned(ReadAddress.self, .readAddress), bytes.address.bits != 0 { health.address = bytes.address }
    return health
  }

  private func returned<Value: Portable>(_ type: Value.Type, _ command: HCICommand) throws -> Value? {
    let parameters = try ask(command)
    guard parameters.first == 0 else { return nil }
    return try CommandComplete(opcode: command.opcode, parameters: parameters).returned(type)
  }
}

extension AdapterMaintenance.Health {
  /// The Bluetooth version, such as `5.2`; `nil` for a number that is not assigned yet.
  package var bluetooth: String? {
    let names = ["1.0b", "1.1", "1.2", "2.0", "2.1", "3.0", "4.0", "4.1", "4.2", "5.0", "5.1", "5.2", "5.3", "5.4", "6.0", "6.1"]
    return version.flatMap { Int($0) < names.count ? names[Int($0)] : nil }
  }
}
