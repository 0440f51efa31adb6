package import Exchange
package import Host
package import Vocabulary

/// The process that owns an adapter, as a value: a host, several clients, and the reports that each
/// has not acknowledged.
///
/// A client that says goodbye releases everything. After the death of a client everything stays:
/// links, subscriptions and scans continue, and reports wait with their times until the client is
/// back or its hold time is over. A request that arrives twice is performed once. So a killed run
/// continues as if it had only been slow.
package struct Keeper: Equatable, Sendable {
  /// A connection that has not identified itself.
  struct NewConnection: Equatable, Sendable {
    var connection: ConnectionID
    var credentials: Credentials
    var due: Moment
  }

  package let configuration: KeeperConfiguration
  package private(set) var host: LEHost
  var clients: [KeptClient] = []
  var newConnections: [NewConnection] = []
  var nextOwner: UInt32 = 2
  var random: UInt64
  package private(set) var since: Instant
  /// The process id, for display.
  package var process: Int32
  /// When the keeper exits because it has had no clients for long enough.
  var leavesAt: Moment?
  var isClosing = false
  var hasLeft = false
  /// Why the adapter was given up. A keeper without an adapter exits, and later clients find
  /// another one.
  package private(set) var lostBecause: Failure?
  private var now: Instant
  private var out: [KeeperOutput] = []  // unsaved: empty between two inputs
  /// Whether the host has closed during this input. The keeper leaves after its other outputs.
  private var isOver = false  // unsaved: false, or the keeper has left

  /// The seed makes session numbers, which must be hard to guess.
  package init(configuration: KeeperConfiguration, seed: UInt64, process: Int32 = 0, at now: Instant) {
    self.configuration = configuration
    self.process = process
    host = LEHost(configuration: configuration.host)
    random = seed
    since = now
    self.now = now
    leavesAt = now.moment + configuration.keep
  }

  package mutating func handle(_ input: KeeperInput, at now: Instant) -> [KeeperOutput] {
    guard !hasLeft else { return [] }
    self.now = now
    switch input {
    case .started(let seed): feed(.started(seed: seed))
    case .packet(let bytes): feed(.packet(bytes))
    case .transportLost(let why): feed(.transportLost(why))
    case .transportBack: feed(.transportBack)
    case .outOfStep(let what): feed(.outOfStep(what))
    case .packetsDropped(let count): feed(.packetsDropped(count))
    case .computed(let id, let result): feed(.computed(id, result))
    case .arrived(let connection, let credentials): arrived(connection, credentials)
    case .messageReceived(let connection, let bytes): receive(connection, bytes)
    case .malformed(let connection, let why): refuse(connection, .init(.malformed, why))
    case .gone(let connection): gone(connection)
    case .closing: close()
    case .deadline: break
    }
    wake()
    dropUnresponsiveClients()
    if lostBecause != nil { close() }
    lookForClients()
    deliver()
    if isOver { leave() }
    var result: [KeeperOutput] = []
    swap(&result, &out)
    return result
  }

  package var nextDeadline: Moment? {
    var next = host.nextDeadline
    for index in newConnections.indices { next.advance(to: newConnections[index].due) }
    for index in clients.indices { next.advance(to: clients[index].heldUntil) }
    next.advance(to: leavesAt)
    return hasLeft ? nil : next
  }

  /// The number of connected clients.
  package var connectedClients: Int { clients.count { $0.connection != nil } }

  // MARK: The host

  private mutating func feed(_ input: HostInput) {
    var inputs = [input]
    var next = 0
    while next < inputs.count {
      for output in host.handle(inputs[next], at: now) {
        switch output {
        case .send(let packet), .sendHidden(let packet, _): out.append(.send(packet))
        case .compute(let id, let computation): out.append(.compute(id, computation))
        case .reopen: out.append(.reopen)
        case .closed: isOver = true
        case .report(let report):
          if case .adapterLost(let failure) = report.event, lostBecause == nil {
            lostBecause = failure
            out.append(.log("giving up on the adapter: \(failure.message)"))
          }
          if let confirmed = take(report) { inputs.append(confirmed) }
        }
      }
      next += 1
    }
  }

  /// Adds a report to its client's queue. Returns an input for the host if an indication must be
  /// confirmed now, or if devices must be reported again for lack of room.
  private mutating func take(_ report: HostReport) -> HostInput? {
    // Clients repeat their requests at the next keeper, so failures because of our end do not
    // count.
    if isClosing { return nil }
    guard let index = clients.indices.first(where: { clients[$0].owner == report.owner }) else { return nil }
    let isAway = clients[index].connection == nil
    // Runs for each report, so the sum is computed only if it matters.
    let isCramped = clients[index].queue.allOctets > KeeperLimits.freeOctets && isCramped(clients[index].credentials.user)
    if case .requestExpired(let asked) = report.event { clients[index].queue.expire(asked) }
    let isKept = clients[index].queue.add(
      report.event, number: report.number, at: report.at, isAway: isAway, isCramped: isCramped)
    switch report.event {
    case .notificationReceived(_, _, _, .indicate) where isAway || !isKept:
      return .request(HostRequest(owner: report.owner, id: OperationID(0), command: .acknowledge(report.number)))
    case .advertisementReceived where !isAway && !isKept: return .sightingsLost(report.owner)
    default: return nil
    }
  }

  // MARK: Time

  private mutating func wake() {
    let moment = now.moment
    if let due = host.nextDeadline, due <= moment { feed(.deadline) }
    for newConnection in newConnections where newConnection.due <= moment {
      refuse(newConnection.connection, .init(.malformed, "no hello came within \(KeeperLimits.hello)"))
    }
    // Loops over indices, because this runs after every packet and a client with its queue is
    // expensive to copy.
    for client in clients.indices.filter({ clients[$0].heldUntil.map { $0 <= moment } ?? false }).map({ clients[$0] }) {
      out.append(.log("\(client.name) did not come back within \(configuration.hold): its links are closed"))
      dismiss(client.owner)
    }
    if let due = leavesAt, due <= moment { close() }
  }

  /// Drops clients whose reports pile up because they acknowledge nothing or do not come back.
  private mutating func dropUnresponsiveClients() {
    for client in clients.indices.filter({ clients[$0].queue.isTooLong }).map({ clients[$0] }) {
      giveUp(client.owner, "\(client.queue.count) reports are waiting for its acknowledgement")
    }
    while let (owner, octets) = greediest {
      giveUp(owner, "\(octets >> 20) MB of reports are waiting for the clients of its user, most of them for this one")
    }
  }

  private mutating func giveUp(_ owner: OwnerID, _ why: String) {
    guard let client = clients.first(where: { $0.owner == owner }) else { return }
    out.append(.log("disconnecting \(client.name): \(why)"))
    if let connection = client.connection {
      out.append(.deliver(connection, KeeperMessage.refused(KeeperMessage.Refusal(.busy, why)).encoded))
    }
    dismiss(owner)
  }

  /// Exits after a while without clients.
  private mutating func lookForClients() {
    if !clients.isEmpty || isClosing {
      leavesAt = nil
    } else if leavesAt == nil {
      leavesAt = now.moment + configuration.keep
    }
  }

  private mutating func close() {
    guard !isClosing else { return }
    isClosing = true
    leavesAt = nil
    feed(.closing)
  }

  private mutating func leave() {
    guard !hasLeft else { return }
    hasLeft = true
    for client in clients { if let connection = client.connection { out.append(.drop(connection)) } }
    for newConnection in newConnections { out.append(.drop(newConnection.connection)) }
    clients = []
    newConnections = []
    out.append(.leave)
  }

  /// Sends the reports that clients may get now.
  private mutating func deliver() {
    for index in clients.indices {
      guard let connection = clients[index].connection else { continue }
      for message in clients[index].queue.deliver() { out.append(.deliver(connection, message)) }
    }
  }

  // MARK: Connections

  private mutating func arrived(_ connection: ConnectionID, _ credentials: Credentials) {
    newConnections.append(NewConnection(connection: connection, credentials: credentials, due: now.moment + KeeperLimits.hello))
    let isKnown = credentials.user == configuration.user || credentials.user == 0 || configuration.letsGroupIn
    if !isKnown {
      refuse(
        connection,
        .init(
          .forbidden, "this keeper serves user \(configuration.user), not user \(credentials.user)",
          hint: "start one of your own, or let the socket's group in"))
    } else if newConnections.count > KeeperLimits.newConnectionsOfUser, let surplus = surplusConnection {
      // For the same user the newest connection is closed; that of another user is old enough.
      let isOwn = surplus.credentials.user == credentials.user
      refuse(
        isOwn ? connection : surplus.connection,
        .init(.busy, "\(newConnections.count - 1) connections have not identified themselves"))
    }
  }

  private func client(on connection: ConnectionID) -> Int? { clients.indices.first { clients[$0].connection == connection } }

  /// Sends the reason and closes the connection. A client that misbehaves is treated as dead.
  private mutating func refuse(_ connection: ConnectionID, _ refusal: KeeperMessage.Refusal) {
    guard newConnections.contains(where: { $0.connection == connection }) || client(on: connection) != nil else { return }
    out.append(.deliver(connection, KeeperMessage.refused(refusal).encoded))
    out.append(.drop(connection))
    gone(connection)
  }

  private mutating func gone(_ connection: ConnectionID) {
    newConnections.removeAll { $0.connection == connection }
    guard let index = client(on: connection) else { return }
    clients[index].connection = nil
    let left = clients[index]
    let isSucceeded = clients.contains { left.isForerunner(of: $0.identity, $0.credentials.user) && $0.connection != nil }
    if left.isEphemeral || isSucceeded { return dismiss(left.owner) }
    clients[index].heldUntil = now.moment + configuration.hold
    out.append(.log("\(clients[index].name) disconnected without a goodbye: its links are held for \(configuration.hold)"))
    feed(.sightingsLost(clients[index].owner))
    feed(.ownerAway(clients[index].owner))
    // The keeper stores its indications, so it can confirm them.
    if let newest = clients[index].queue.newestIndication {
      feed(.request(HostRequest(owner: clients[index].owner, id: OperationID(0), command: .acknowledge(newest))))
    }
  }

  private mutating func dismiss(_ owner: OwnerID) {
    guard let index = clients.firstIndex(where: { $0.owner == owner }) else { return }
    let client = clients.remove(at: index)
    if let connection = client.connection { out.append(.drop(connection)) }
    feed(.dismissed(owner))
  }

  // MARK: Messages

  private mutating func receive(_ connection: ConnectionID, _ bytes: [UInt8]) {
    let message: KeeperMessage
    do throws(DecodeError) {
      message = try KeeperMessage(encoded: bytes, name: "message")
    } catch {
      return refuse(connection, .init(.malformed, "a message cannot be read: \(error)"))
    }
    switch message {
    case .hello(let hello): greet(connection, hello)
    case .status:
      guard newConnections.contains(where: { $0.connection == connection }) || client(on: connection) != nil else { return }
      out.append(.deliver(connection, KeeperMessage.statusReport(status).encoded))
    case .stop(let force): stop(connection, force)
    case .disconnectAll(let force):
      let holders = clients.filter { $0.connection != nil && !host.links(of: $0.owner).isEmpty }
      endLinks(connection, .linksUnwanted, against: holders, force)
    case .resetAdapter(let force): endLinks(connection, .resetWanted, against: clients.filter { $0.connection != nil }, force)
    case .packets: givePackets(connection)
    case .welcome, .report, .refused, .statusReport, .ending, .kept:
      refuse(connection, .init(.malformed, "only a keeper sends that"))
    case .request(let request):
      guard let index = client(on: connection) else { return refuse(connection, .init(.malformed, "no hello was received")) }
      perform(request, of: index)
    case .resumed(let upTo, let except):
      guard let index = client(on: connection) else { return refuse(connection, .init(.malformed, "no hello was received")) }
      feed(.resumed(clients[index].owner, upTo: upTo, except: except))
    case .goodbye:
      guard let index = client(on: connection) else { return refuse(connection, .init(.malformed, "no hello was received")) }
      dismiss(clients[index].owner)
    }
  }

  /// Returns the last packets, which contain data of all clients, so only to the user of this
  /// keeper and root.
  private mutating func givePackets(_ connection: ConnectionID) {
    guard let place = newConnections.firstIndex(where: { $0.connection == connection }) else {
      return refuse(connection, .init(.malformed, "a client cannot ask for packets"))
    }
    let user = newConnections[place].credentials.user
    guard user == configuration.user || user == 0 else {
      return refuse(
        connection, .init(.forbidden, "the packets of this keeper are for user \(configuration.user), not for user \(user)"))
    }
    let kept = host.lastPackets.map { KeptPacket(isSent: $0.isSent, time: $0.time, bytes: $0.bytes) }
    out.append(.deliver(connection, KeeperMessage.kept(kept).encoded))
  }

  private mutating func stop(_ connection: ConnectionID, _ force: Bool) {
    guard let place = newConnections.firstIndex(where: { $0.connection == connection }) else {
      return refuse(connection, .init(.malformed, "a client cannot stop its keeper"))
    }
    let here = clients.filter { $0.connection != nil }
    guard here.isEmpty || force else { return refuse(connection, objection(of: here)) }
    // The connection stays open until the end, which is the answer.
    newConnections[place].due = .distantFuture
    close()
  }

  private func objection(of clients: [KeptClient]) -> KeeperMessage.Refusal {
    let names = clients.map { "\($0.name) (pid \($0.credentials.process))" }
    let isOne = names.count == 1
    return .init(
      .busy, "\(isOne ? "a client is" : "\(names.count) clients are") connected: \(names.joined(separator: ", "))",
      hint: "stop \(isOne ? "it" : "them") first, or add --force")
  }

  /// Ends links, whichever client holds them. Reports for a client that is away stay in its queue,
  /// before the end of its links.
  private mutating func endLinks(_ connection: ConnectionID, _ input: HostInput, against holders: [KeptClient], _ force: Bool) {
    guard newConnections.contains(where: { $0.connection == connection }) else {
      return refuse(connection, .init(.malformed, "a client cannot order that"))
    }
    guard holders.isEmpty || force else { return refuse(connection, objection(of: holders)) }
    let peers = host.openLinks.map(\.peer)
    feed(input)
    out.append(.deliver(connection, KeeperMessage.ending(peers).encoded))
  }

  private mutating func greet(_ connection: ConnectionID, _ hello: KeeperMessage.Hello) {
    guard let place = newConnections.firstIndex(where: { $0.connection == connection }) else {
      return refuse(connection, .init(.malformed, "hello was sent twice"))
    }
    guard hello.revision == KeeperLimits.revision, hello.version == configuration.version else {
      let own = configuration.version
      return refuse(
        connection,
        .init(
          .version,
          hello.version == own
            ? "this is the keeper of another build of tooth \(own)"
            : "this is the keeper of tooth \(own), and you are tooth \(Self.shown(hello.version))",
          hint: "end it with tooth keeper stop; the next run starts one of its own version"))
    }
    if isClosing { return refuse(connection, .init(.leaving, "the keeper is about to exit")) }
    let name = Self.shown(hello.name)
    let user = newConnections[place].credentials.user
    if let index = known(hello.identity, of: user) {
      if clients[index].connection != nil {
        let holder = clients[index]
        return refuse(
          connection, .init(.busy, "\(holder.name) is connected already, as process \(holder.credentials.process)"))
      }
      if hello.session == clients[index].session {
        clients[index].credentials = newConnections[place].credentials
        newConnections.remove(at: place)
        return welcomeBack(index, connection, name, hello)
      }
      // The run starts again, or has used another keeper meanwhile, so what it left is not needed.
      dismiss(clients[index].owner)
    }
    for former in clients.filter({ $0.isForerunner(of: hello.identity, user) && $0.connection == nil }) { dismiss(former.owner) }
    switch admission(of: user) {
    case .free: break
    case .inPlaceOf(let idle):
      if let index = clients.firstIndex(where: { $0.owner == idle }) {
        out.append(.log("dropped \(clients[index].name), which is away and holds no link, to admit \(name)"))
      }
      dismiss(idle)
    case .refused(let why): return refuse(connection, .init(.busy, why))
    }
    let owner = OwnerID(nextOwner)
    nextOwner += 1
    let client = KeptClient(
      owner: owner, identity: hello.identity, session: nextSession(), name: name, credentials: newConnections[place].credentials,
      isEphemeral: hello.isEphemeral, connection: connection, queue: ReportQueue(owner: owner))
    newConnections.remove(at: place)
    clients.append(client)
    let welcome = KeeperMessage.Welcome(session: client.session, isReturning: false, adapter: host.adapter)
    out.append(.deliver(connection, KeeperMessage.welcome(welcome).encoded))
    feed(.arrived(owner))
  }

  /// Shortens and escapes a name that a client gives itself. A single character may have any number
  /// of octets.
  private static func shown(_ text: String) -> String {
    var shown = ""
    for scalar in text.unicodeScalars {
      guard shown.utf8.count + scalar.utf8.count <= KeeperLimits.name else { break }
      let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
      shown.unicodeScalars.append(isControl ? " " : scalar)
    }
    return shown
  }

  /// Sends uncommitted reports again, after the state of what the client left.
  private mutating func welcomeBack(
    _ index: Int, _ connection: ConnectionID, _ name: String, _ hello: KeeperMessage.Hello
  ) {
    clients[index].name = name
    clients[index].isEphemeral = hello.isEphemeral
    clients[index].connection = connection
    clients[index].heldUntil = nil
    feed(.ownerBack(clients[index].owner))
    acknowledge(index, hello.covered)
    clients[index].queue.reportGaps(at: now, all: true)
    clients[index].queue.begin()
    let welcome = KeeperMessage.Welcome(
      session: clients[index].session, isReturning: true, adapter: host.adapter,
      links: host.links(of: clients[index].owner).map { .init(peer: $0.peer, info: $0.info) },
      centrals: host.servingOwner == clients[index].owner ? host.centrals.map { .init(peer: $0.peer, info: $0.info) } : [],
      missed: clients[index].queue.reportedAsMissed, newest: clients[index].queue.newest)
    out.append(.deliver(connection, KeeperMessage.welcome(welcome).encoded))
  }

  private mutating func acknowledge(_ index: Int, _ number: EventNumber) {
    let (indication, outcomes) = clients[index].queue.acknowledge(number)
    if !outcomes.isEmpty { clients[index].requests.removeAll { outcomes.contains($0) } }
    clients[index].queue.reportGaps(at: now)
    if let indication {
      feed(.request(HostRequest(owner: clients[index].owner, id: OperationID(0), command: .acknowledge(indication))))
    }
  }

  private mutating func perform(_ given: HostRequest, of index: Int) {
    var request = given
    request.owner = clients[index].owner
    switch request.command {
    case .acknowledge(let number): return acknowledge(index, number)
    case .cancel: return feed(.request(request))
    // A client that has come back may have a new filter.
    case .scan where host.listens(request.owner, request.id): return feed(.request(request))
    // It is in progress, or its outcome is queued.
    case _ where clients[index].requests.contains(request.id): return
    case .gatt(let peer, _):
      // A client may not use the links of others.
      guard host.holds(request.owner, peer) || host.servingOwner == request.owner && host.isCentral(peer) else {
        return fail(
          request, index, Failure(.disconnected, "\(peer) is not connected", blame: .radio, layer: .hci, delivered: .notSent))
      }
    case .connect(let wanted):
      if let failure = refusal(ofLinkTo: wanted.peer, for: index) { return fail(request, index, failure) }
    case .disconnect(let peer) where host.isCentral(peer) && host.servingOwner != request.owner:
      // It belongs to the client that serves.
      return done(request, index)
    case .scan, .disconnect, .forgetBond, .answerPairing, .offerOutOfBand: break
    case .publish, .advertise, .stopAdvertising, .update, .publishValue, .answer:
      if let failure = refusal(ofServing: request) { return fail(request, index, failure) }
    }
    guard clients[index].requests.count < KeeperLimits.requests else {
      return fail(
        request, index,
        Failure(
          .refused, "\(KeeperLimits.requests) requests are already in progress", blame: .ours, layer: .os, delivered: .notSent))
    }
    clients[index].requests.append(request.id)
    feed(.request(request))
  }

  /// Refuses to replace what another client serves.
  private func refusal(ofServing request: HostRequest) -> Failure? {
    guard let owner = host.servingOwner, owner != request.owner else { return nil }
    let holder = clients.first { $0.owner == owner }
    return Failure(
      .adapter,
      "\(holder.map { "\($0.name) (pid \($0.credentials.process))" } ?? "another run") already serves on \(configuration.adapter)",
      blame: .adapter, layer: .os, hint: "an adapter serves one run at a time; stop it, or name another adapter",
      delivered: .notSent)
  }

  private mutating func fail(_ request: HostRequest, _ index: Int, _ failure: Failure) {
    end(request, index, .failure(failure))
  }

  private mutating func done(_ request: HostRequest, _ index: Int) { end(request, index, .success(.done)) }

  private mutating func end(_ request: HostRequest, _ index: Int, _ result: Result<Outcome, Failure>) {
    let open = clients[index].requests.count
    guard open < 2 * KeeperLimits.requests else {
      if let connection = clients[index].connection {
        refuse(connection, .init(.busy, "\(open) requests have an unacknowledged outcome"))
      }
      return
    }
    clients[index].requests.append(request.id)
    _ = clients[index].queue.add(.completed(request.id, result), number: EventNumber(0), at: now, isAway: false)
  }

  /// Never 0, which means no session.
  private mutating func nextSession() -> UInt64 { max(SplitMix.next(&random), 1) }

  // MARK: Status

  package var status: KeeperStatus {
    KeeperStatus(
      revision: KeeperLimits.revision, version: configuration.version, adapter: configuration.adapter,
      process: UInt32(bitPattern: process),
      since: since.wall, address: host.publicAddress, info: host.adapter, hold: configuration.hold, keep: configuration.keep,
      clients: clients.map { client in
        KeeperStatus.Client(
          name: client.name, process: UInt32(bitPattern: client.credentials.process), user: client.credentials.user,
          heldFor: client.heldUntil.map { max(.zero, $0 - now.moment) }, links: host.links(of: client.owner).map(\.peer),
          waiting: client.queue.count, missed: client.queue.missed)
      },
      links: host.openLinks)
  }
}

// MARK: Handover between processes

extension Keeper.NewConnection: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(connection: try reader.next(), credentials: try reader.next(), due: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: connection, credentials, due) }
}

extension Keeper: Portable {
  /// Reads the keeper as it was between two inputs, where `out` is empty.
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    configuration = try reader.next()
    host = try reader.next()
    clients = try reader.next()
    newConnections = try reader.next()
    nextOwner = try reader.next()
    // It increases by one per client.
    guard nextOwner <= 1 << 31 else { throw .invalid("owner", UInt64(nextOwner)) }
    random = try reader.next()
    since = try reader.next()
    process = Int32(bitPattern: try reader.next())
    leavesAt = try reader.next()
    isClosing = try reader.next()
    hasLeft = try reader.next()
    lostBecause = try reader.next()
    now = try reader.next()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(all: configuration, host, clients, newConnections, nextOwner, random, since, UInt32(bitPattern: process))
    writer.put(all: leavesAt, isClosing, hasLeft, lostBecause, now)
  }

  /// All known connections. A successor has none of them; their clients connect again.
  package var connections: [ConnectionID] { newConnections.map(\.connection) + clients.compactMap(\.connection) }
}
