package import Exchange
package import Vocabulary

/// The client's side of a keeper, as a value: open requests, links, and the last event.
///
/// It outlives its connection. If a keeper comes back and still knows the client, open requests are
/// repeated under their numbers and duplicate reports are dropped. If it does not, `loss` returns
/// the consequences.
package struct KeeperClient: Sendable {
  package enum Event: Equatable, Sendable {
    /// The keeper accepts the client. The message says whether it still has what the client left.
    case welcomed(KeeperMessage.Welcome)
    case report(HostReport)
    case refused(KeeperMessage.Refusal)
    case statusReport(KeeperStatus)
    /// Unreadable data arrived, so the connection must be closed.
    case malformed(String)
  }

  private let version: String
  private let identity: [UInt8]
  private let name: String
  private let isEphemeral: Bool
  /// The session number from the keeper; 0 before the first.
  package private(set) var session: UInt64
  /// The newest committed event, and the newest received one.
  package private(set) var covered: EventNumber
  private var received: EventNumber
  /// Open requests, ascending.
  private var waiting: [HostRequest] = []
  /// The open requests that no keeper has received yet.
  private var unsentRequests: [OperationID] = []
  /// The reported links, ascending.
  private var links: [Address] = []
  /// The centrals connected to our server.
  private var centrals: [Address] = []
  /// Whether the last welcome was from a keeper that does not know the client's earlier session.
  package private(set) var hasLostSession = false
  /// Whether the loss of the last keeper was reported.
  package private(set) var isLossReported = false
  package private(set) var adapter: AdapterInfo?

  package init(
    version: String, identity: [UInt8], name: String, session: UInt64 = 0, covered: EventNumber = EventNumber(0),
    isEphemeral: Bool = false
  ) {
    self.version = version
    self.identity = identity
    self.name = name
    self.session = session
    self.covered = covered
    received = covered
    self.isEphemeral = isEphemeral
  }

  // MARK: To the keeper

  /// The first message on each connection.
  package var hello: [UInt8] {
    KeeperMessage.hello(
      KeeperMessage.Hello(
        version: version, identity: identity, name: name, session: session, covered: covered, isEphemeral: isEphemeral)
    ).encoded
  }

  /// Encodes a request and remembers it until its outcome arrives.
  /// - Parameter isSentNow: Whether there is a connection to send it on.
  package mutating func ask(_ request: HostRequest, isSentNow: Bool = true) -> [UInt8] {
    if !isSentNow { unsentRequests.append(request.id) }
    switch request.command {
    case .acknowledge(let number): covered = max(covered, number)
    // Cancellations are repeated too, because losing one would leave a scan running.
    case .cancel(let id): if waiting.contains(where: { $0.id == id }) { waiting.append(request) }
    default: waiting.append(request)
    }
    return KeeperMessage.request(request).encoded
  }

  /// Encodes all open requests for another connection.
  package mutating func repeatMessages() -> [[UInt8]] {
    unsentRequests.removeAll()
    return waiting.map { KeeperMessage.request($0).encoded }
  }

  // MARK: From the keeper

  package mutating func take(_ message: [UInt8]) -> Event? {
    let read: KeeperMessage
    do throws(DecodeError) {
      read = try KeeperMessage(encoded: message, name: "message")
    } catch {
      return .malformed("a message of the keeper cannot be read: \(error)")
    }
    switch read {
    case .welcome(let welcome):
      if !welcome.isReturning {
        covered = EventNumber(0)
        received = EventNumber(0)
        hasLostSession = session != 0
      } else {
        hasLostSession = false
      }
      session = welcome.session
      adapter = welcome.adapter
      for link in welcome.links where !links.contains(link.peer) { links.append(link.peer) }
      for link in welcome.centrals where !centrals.contains(link.peer) { centrals.append(link.peer) }
      return .welcomed(welcome)
    case .report(let report):
      // The keeper repeats reports after another hello.
      guard report.number > received else { return nil }
      received = report.number
      note(report.event)
      return .report(report)
    case .refused(let refusal): return .refused(refusal)
    case .statusReport(let status): return .statusReport(status)
    case .ending, .kept: return nil
    case .hello, .request, .resumed, .goodbye, .status, .stop, .disconnectAll, .resetAdapter, .packets:
      return .malformed("the keeper sent a message that only a client sends")
    }
  }

  private mutating func note(_ event: HostEvent) {
    switch event {
    case .adapterReady(let info): adapter = info
    case .adapterLost, .adapterAway: adapter = nil
    case .completed(let operation, _): settle(operation)
    case .connected(let operation, let peer, _):
      settle(operation)
      if !links.contains(peer) {
        links.append(peer)
        links.sort()
      }
    case .disconnected(let peer, _): links.removeAll { $0 == peer }
    case .centralConnected(let peer, _): if !centrals.contains(peer) { centrals.append(peer) }
    case .identified(let heard, let identity):
      if let place = links.firstIndex(of: heard) { links[place] = identity }
      if let place = centrals.firstIndex(of: heard) { centrals[place] = identity }
      links.sort()
    case .centralDisconnected(let peer, _): centrals.removeAll { $0 == peer }
    default: break
    }
  }

  /// The outcome of a request has arrived, which also settles its cancellation.
  private mutating func settle(_ operation: OperationID) {
    waiting.removeAll { $0.id == operation || $0.command == .cancel(operation) }
  }

  // MARK: Loss

  /// A keeper has accepted the client again, so its loss is reported again.
  package mutating func lossIsOver() { isLossReported = false }

  /// The keeper is gone, with all links. Operations on links fail; scans and connections are
  /// requested from the next keeper.
  /// - Parameter next: What is known of the next keeper, as the hint.
  package mutating func loss(_ next: String, at now: Instant) -> [HostReport] {
    guard !isLossReported else { return [] }
    isLossReported = true
    adapter = nil
    var events: [HostEvent] = [
      .adapterAway(
        Failure(
          .adapter, DisconnectReason.keeperEnded.text, blame: .adapter, layer: .os, hint: next, delivered: .maybe))
    ]
    for request in waiting {
      switch request.command {
      case .gatt:
        events.append(
          .completed(
            request.id,
            .failure(
              Failure(
                .disconnected, "the link was lost: \(DisconnectReason.keeperEnded.text)", blame: .adapter, layer: .os,
                delivered: unsentRequests.contains(request.id) ? .notSent : .maybe))))
      // The run publishes its table again.
      case .disconnect, .publish, .advertise, .stopAdvertising, .update, .publishValue, .answer, .answerPairing:
        events.append(.completed(request.id, .success(.done)))
      case .scan, .connect, .forgetBond, .offerOutOfBand, .cancel, .acknowledge: break
      }
    }
    waiting.removeAll { request in
      switch request.command {
      case .gatt, .disconnect, .publish, .advertise, .stopAdvertising, .update, .publishValue, .answer, .answerPairing: true
      case .scan, .connect, .forgetBond, .offerOutOfBand, .cancel, .acknowledge: false
      }
    }
    for peer in links { events.append(.disconnected(peer, .keeperEnded)) }
    links = []
    for peer in centrals { events.append(.centralDisconnected(peer, .keeperEnded)) }
    centrals = []
    return events.map { HostReport(number: EventNumber(0), at: now, event: $0) }
  }
}
