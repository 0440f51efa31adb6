package import Exchange
package import Packets
package import Vocabulary

/// The LE host of one controller, in both roles, as a value with inputs and outputs.
///
/// This file only distributes inputs. `Controller/` initialises the controller and paces commands,
/// `Scan/` controls the radio, `Link/` manages the links and their data, and `Bearer/`,
/// `Procedures/` and `Server/` implement the attribute protocol.
///
/// If the adapter is lost, its links are gone but requests stay: scans, pending connections and
/// advertising continue after the next `started`.
package struct LEHost: Equatable, Sendable {
  enum Phase: Equatable, Sendable {
    case off
    case initialising(InitialisationStep)
    case ready
    /// The connection to the controller will be reopened; `nil` once that was ordered.
    case reopening(at: Moment?)
    /// The adapter was given up.
    case lost
    case closing(until: Moment)
    case closed
  }

  let configuration: HostConfiguration
  var phase: Phase = .off
  var now = Instant.simulationStart
  var out: [HostOutput] = []  // unsaved: empty between two inputs
  var seed: UInt64 = 0

  // The controller
  var queue = CommandQueue()
  var facts = ControllerFacts()
  var credits = 0
  var ring: PacketRing
  var ladder = RecoveryLadder()
  /// Why the adapter is being recovered or was given up, as reported to clients; `nil` while it
  /// works.
  var gone: Failure?
  /// Whether reopening should lead to another controller, because this one has never worked and the
  /// user named none.
  package internal(set) var needsAnotherAdapter = false
  /// The number of answers to Reset that were not awaited and may still arrive.
  var pendingResets = 0
  /// When the last packet arrived.
  var packetAt: Moment?
  /// When a broad scan last received something or started; `nil` before the first advertisement.
  var heardAt: Moment?
  /// When the controller last gave a sign of a restart.
  var suspectedAt: Moment?
  /// The number of unreadable packets.
  var malformed = 0

  // The radio
  var arbiter = RadioArbiter()
  var devices = DeviceCache()

  // Links, ascending by handle
  var links: [Link] = []
  /// The link whose turn it is to send.
  var turn = 0
  var early: [[UInt8]] = []
  var unexpectedLink: UnexpectedLink?
  var server = GattServer()
  var serverOwner = OwnerID.run
  /// The client that serves. There is only one, because the adapter has one table and one
  /// advertising set.
  package internal(set) var servingOwner: OwnerID?
  /// Whether the serving client's process is gone but may return.
  var isServerAway = false
  var computations = PendingComputations()
  var bonds = BondBook()
  var privacy = Privacy()
  /// Our out-of-band data.
  var offer: OutOfBandOffer?

  // Clients
  private var clients: [Client] = []

  /// When `handle` must be called next, as of the last input.
  package private(set) var nextDeadline: Moment?  // unsaved: follows from the rest

  package init(configuration: HostConfiguration = HostConfiguration()) {
    self.configuration = configuration
    ring = PacketRing(capacity: configuration.keptPackets)
  }

  package mutating func handle(_ input: HostInput, at now: Instant) -> [HostOutput] {
    self.now = now
    switch input {
    case .started(let seed): start(seed: seed)
    case .packet(let bytes): receive(bytes)
    case .request(let request): take(request)
    case .transportLost(let reason): trouble(.transportLost(reason))
    case .transportBack: if case .reopening(.some) = phase { phase = .reopening(at: now.moment) }
    case .outOfStep(let what): trouble(.outOfStep(what))
    case .packetsDropped(let count): trouble(.packetsDropped(count))
    case .linksUnwanted: cutLinks()
    case .resetWanted: resetAsWanted()
    case .arrived(let owner): admit(owner)
    case .resumed(let owner, let upTo, let except): withdraw(owner, upTo: upTo, except: except)
    case .sightingsLost(let owner): arbiter.forgetSightings(of: owner)
    case .ownerAway(let owner):
      if owner == servingOwner { isServerAway = true }
      arbiter.endSpareScans(of: owner)
    case .ownerBack(let owner): if owner == servingOwner { isServerAway = false }
    case .dismissed(let owner): dismiss(owner)
    case .computed(let id, let result): take(id, result)
    case .closing: close()
    case .deadline: break
    }
    if let deadline = earliestDeadline(), deadline <= now.moment { wake() }
    if arbiter.isDirty { arbitrate() }
    sendCommands()
    sendData()
    if case .closing = phase { finishClosing() }
    nextDeadline = earliestDeadline()
    var result: [HostOutput] = []
    swap(&result, &out)
    return result
  }

  /// Called after every packet. It is mutating only so that it works in place: reading an element
  /// of the array would copy the whole link.
  private mutating func earliestDeadline() -> Moment? {
    var earliest = queue.deadline
    if case .closing(let until) = phase { earliest.advance(to: until) }
    if case .reopening(let at) = phase { earliest.advance(to: at) }
    earliest.advance(to: queue.resumesAt)
    earliest.advance(to: heartbeatDue)
    earliest.advance(to: silenceDue)
    earliest.advance(to: unexpectedLink?.by)
    earliest.advance(to: bonds.savesAt)
    if phase == .ready { earliest.advance(to: privacy.rotatesAt) }
    earliest.advance(to: arbiter.nextDeadline)
    for index in links.indices {
      earliest.advance(to: links[index].earliestDeadline())
      if isServerAway { earliest.advance(to: links[index].gatt.requestExpires) }
    }
    return earliest
  }

  /// The last packets in both directions, oldest first, for the capture of a failure (rule 25).
  package var lastPackets: [BtsnoopRecord] { ring.records }

  /// A reported link, for display.
  package struct OpenLink: Equatable, Sendable {
    package var peer: Address
    /// The name that it advertised, if that was heard lately.
    package var name: String?
    package var info: LinkInfo
    package var since: Moment
    /// Whether its end was requested and is not reported yet.
    package var isEnding: Bool

    package init(peer: Address, name: String? = nil, info: LinkInfo, since: Moment, isEnding: Bool) {
      self.peer = peer
      self.name = name
      self.info = info
      self.since = since
      self.isEnding = isEnding
    }
  }

  package var openLinks: [OpenLink] {
    links.filter { $0.stage != .establishing }.map {
      OpenLink(
        peer: $0.peer, name: devices.name(of: $0.peer), info: $0.info, since: $0.since,
        isEnding: $0.stage == .closing || $0.closingReadEnds != nil)
    }
  }

  private mutating func wake() {
    wakeController()
    wakeRecovery()
    wakeRadio()
    wakeLinks()
    wakePrivacy()
  }

  // MARK: Packets

  private mutating func receive(_ bytes: [UInt8]) {
    ring.add(bytes, isSent: false, at: now.wall, hiddenFrom: hiddenFrom(bytes))
    switch phase {
    case .off, .reopening, .lost, .closed: return
    case .initialising, .ready, .closing: break
    }
    packetAt = now.moment
    if bytes.first == H4Type.acl.rawValue {
      receiveData(bytes)
      return
    }
    guard bytes.first == H4Type.event.rawValue else {
      malformed += 1
      return
    }
    var reader = bytes.span.bytes
    do {
      try reader.skip(1)
      receive(try HCIEvent(reading: &reader))
    } catch {
      malformed += 1
      // Log only some of them, because there may be a flood.
      if malformed & (malformed - 1) == 0 {
        note(.warning, "an HCI event could not be read: \(error)\(malformed > 1 ? " (\(malformed) packets so far)" : "")")
      }
    }
  }

  private mutating func receive(_ event: HCIEvent) {
    switch event {
    case .commandComplete(let complete): commandCompleted(complete)
    case .commandStatus(let status): commandAnswered(status)
    case .hardwareError(let code): trouble(.hardwareError(code))
    case .unknown(0xFF, let bytes): vendorEvent(bytes)
    case .numberOfCompletedPackets(let list): for entry in list { packetsCompleted(entry) }
    case .disconnectionComplete(let event): disconnectionCompleted(event)
    case .leConnectionComplete(let event): connectionCompleted(event)
    case .leEnhancedConnectionComplete(let event): connectionCompleted(event.connection, at: event.peerPrivateAddress)
    case .leConnectionUpdateComplete(let event): connectionUpdated(event)
    case .leConnectionParameterRequest(let event): connectionParametersAsked(event)
    case .leLongTermKeyRequest(let event): longTermKeyAsked(event)
    case .lePHYUpdateComplete(let event): phyUpdated(event)
    case .leDataLengthChange(let event): heard(event.handle)
    case .leReadRemoteFeaturesComplete(let event): if event.status.isSuccess { heard(event.handle) }
    case .readRemoteVersionComplete(let event): if event.status.isSuccess { heard(event.handle) }
    case .leAdvertisingReport(let reports): for report in reports { advertisementHeard(report) }
    case .leExtendedAdvertisingReport(let reports): for report in reports { advertisementHeard(report) }
    case .leAdvertisingSetTerminated: arbiter.advertisingEnded()
    case .dataBufferOverflow: note(.warning, "the controller dropped data: its buffer overflowed")
    case .encryptionChange(let event): encryptionChanged(event.handle, event.status, isOn: event.enabled != 0)
    case .encryptionKeyRefreshComplete(let status, let handle): encryptionChanged(handle, status, isOn: true)
    case .authenticatedPayloadTimeoutExpired, .leScanTimeout,
      .leChannelSelectionAlgorithm, .leUnknown, .unknown:
      break
    }
  }

  // MARK: Clients

  fileprivate struct Client: Equatable, Sendable {
    var owner: OwnerID
    var nextNumber: UInt64 = 1
    var highest: OperationID?
    var recent: [OperationID] = []
  }

  private mutating func place(of owner: OwnerID) -> Int {
    if let index = clients.firstIndex(where: { $0.owner == owner }) { return index }
    clients.append(Client(owner: owner))
    return clients.count - 1
  }

  private mutating func admit(_ owner: OwnerID) {
    _ = place(of: owner)
    switch phase {
    case .ready: report(owner, .adapterReady(facts.info))
    case .lost: if let gone { report(owner, .adapterLost(gone)) }
    case .off, .initialising, .reopening, .closing, .closed: if let gone { report(owner, .adapterAway(gone)) }
    }
  }

  private mutating func dismiss(_ owner: OwnerID) {
    // It receives no more reports. Only a run with its own host is known without a request.
    clients.removeAll { $0.owner == owner }
    if servingOwner == owner { endServing() }
    if offer?.owner == owner { offer = nil }
    withdrawEverything(of: owner)
  }

  private mutating func withdraw(_ owner: OwnerID, upTo: OperationID, except: [OperationID]) {
    let waiting =
      arbiter.scans.filter { $0.owner == owner }.map(\.id) + arbiter.requestedConnections.filter { $0.owner == owner }.map(\.id)
    for operation in waiting.sorted() where operation <= upTo && !except.contains(operation) { cancel(owner, operation) }
  }

  /// The links of a client, as reported to it.
  package func links(of owner: OwnerID) -> [(peer: Address, info: LinkInfo)] {
    links.filter { $0.stage == .ready && $0.closingReadEnds == nil && $0.owners.contains(owner) }.map { ($0.peer, $0.info) }
  }

  /// The peers that a client has a link to or waits for.
  package func peers(of owner: OwnerID) -> [Address] {
    var peers = arbiter.requestedConnections.filter { $0.owner == owner }.map(\.request.peer)
    for index in links.indices where links[index].owners.contains(owner) && !peers.contains(links[index].peer) {
      peers.append(links[index].peer)
    }
    return peers
  }

  /// The bonded peers, as far as the bonds are loaded.
  package var bondedPeers: [Address] { bonds.bonds.map(\.identity) }

  /// The most links of the controller; `nil` until it has refused one.
  package var knownLinkLimit: Int? { arbiter.linkLimit }

  /// Whether a client holds a link to this peer.
  package func holds(_ owner: OwnerID, _ peer: Address) -> Bool {
    links.contains { ($0.peer == peer || $0.address == peer) && $0.owners.contains(owner) }
  }

  /// The controller's description of itself; `nil` before it is initialised.
  package var adapter: AdapterInfo? { phase == .ready ? facts.info : nil }

  /// The controller's own address, also while the controller is away.
  package var publicAddress: Address? { facts.publicAddress }

  /// The clients that have made requests; if there are none, the run that owns this host.
  var knownOwners: [OwnerID] { clients.isEmpty ? [.run] : clients.map(\.owner) }

  /// Whether this number is new. A command that arrives twice is performed once.
  private mutating func isFirst(_ request: HostRequest) -> Bool {
    let index = place(of: request.owner)
    if let highest = clients[index].highest, request.id <= highest {
      if clients[index].recent.contains(request.id) { return false }
    } else {
      clients[index].highest = request.id
    }
    if clients[index].recent.count >= HostLimits.rememberedRequests { clients[index].recent.removeFirst() }
    clients[index].recent.append(request.id)
    return true
  }

  @discardableResult
  mutating func report(_ owner: OwnerID, _ event: HostEvent, at instant: Instant? = nil) -> EventNumber {
    // A dismissed client receives no more reports.
    guard owner == .run || clients.contains(where: { $0.owner == owner }) else { return EventNumber(0) }
    let index = place(of: owner)
    let number = EventNumber(clients[index].nextNumber)
    clients[index].nextNumber += 1
    out.append(.report(HostReport(owner: owner, number: number, at: instant ?? now, event: event)))
    return number
  }

  mutating func complete(_ owner: OwnerID, _ id: OperationID, _ result: Result<Outcome, Failure>) {
    report(owner, .completed(id, result))
  }

  mutating func note(_ level: LogLevel, _ text: String) {
    for owner in knownOwners { report(owner, .noted(level, text)) }
  }

  private mutating func take(_ request: HostRequest) {
    // An acknowledgement carries the number of an event, not of a request, and does no harm if
    // repeated.
    if case .acknowledge = request.command {} else if !isFirst(request), !isScanAgain(request) { return }
    let (owner, id) = (request.owner, request.id)
    if case .closing = phase { return refuse(request, "tooth is closing") }
    if phase == .closed { return refuse(request, "tooth is closed") }
    switch request.command {
    case .scan(let wanted):
      refreshBonds()
      arbiter.scan(owner, id, wanted)
    case .connect(let wanted):
      refreshBonds()
      connect(owner, id, wanted)
    case .disconnect(let peer): disconnect(owner, id, peer)
    case .gatt(let peer, .readRSSI): readRSSI(owner, id, peer)
    case .gatt(let peer, .pair(let wanted, let renews)): pair(owner, id, peer, wanted, renews: renews)
    case .gatt(let peer, .adjust(let wanted)): adjust(owner, id, peer, wanted)
    case .gatt(let peer, let operation): submit(owner, id, peer, operation)
    case .cancel(let other): cancel(owner, other)
    case .acknowledge(let number): acknowledge(owner, number)
    case .publish(let table): publish(owner, id, table)
    case .advertise(let plan): advertise(owner, id, plan)
    case .stopAdvertising where mayServe(owner): apply(arbiter.stopAdvertising(owner, id))
    case .stopAdvertising: complete(owner, id, .success(.done))
    case .update(let attribute, let value): update(owner, id, attribute, value)
    case .publishValue(let attribute, let value, let kind, let peer): publishValue(owner, id, attribute, value, kind, to: peer)
    case .answer(let asked, let answer): self.answer(owner, id, asked, answer)
    case .forgetBond(let peer): forgetBond(owner, id, peer)
    case .answerPairing(let asked, let answer): answerPairing(owner, id, asked, answer)
    case .offerOutOfBand: offerOutOfBand(owner, id)
    }
  }

  /// Whether this repeats a scan, which then continues with the new filter.
  private func isScanAgain(_ request: HostRequest) -> Bool {
    if case .scan = request.command { listens(request.owner, request.id) } else { false }
  }

  private mutating func refuse(_ request: HostRequest, _ why: String) {
    switch request.command {
    case .cancel, .acknowledge: return
    case .disconnect, .stopAdvertising, .answer, .answerPairing: complete(request.owner, request.id, .success(.done))
    default: complete(request.owner, request.id, .failure(Failure(.cancelled, why, blame: .ours, layer: .hci, delivered: .notSent)))
    }
  }
}

// MARK: Handover between processes

extension LEHost.Client: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      owner: try reader.next(), nextNumber: try reader.nextCounter("number of an event"), highest: try reader.next(),
      recent: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: owner, nextNumber, highest, recent) }
}

extension LEHost: Portable {
  /// Reads the host as it was between two inputs, where `out` is empty.
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    configuration = try reader.next()
    phase = try reader.next()
    now = try reader.next()
    seed = try reader.next()
    queue = try reader.next()
    facts = try reader.next()
    credits = try reader.next(0...0xFFFF, "credits")
    ring = try reader.next()
    ladder = try reader.next()
    gone = try reader.next()
    needsAnotherAdapter = try reader.next()
    pendingResets = try reader.nextCounter("answers to Reset")
    packetAt = try reader.next()
    heardAt = try reader.next()
    suspectedAt = try reader.next()
    malformed = try reader.nextCounter("packets that could not be read")
    arbiter = try reader.next()
    devices = try reader.next()
    links = try reader.next()
    turn = try reader.next(0...1 << 32, "turn")
    early = try reader.next()
    unexpectedLink = try reader.next()
    server = try reader.next()
    serverOwner = try reader.next()
    servingOwner = try reader.next()
    isServerAway = try reader.next()
    computations = try reader.next()
    bonds = try reader.next()
    privacy = try reader.next()
    offer = try reader.next()
    clients = try reader.next()
    nextDeadline = earliestDeadline()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(all: configuration, phase, now, seed, queue, facts, credits, ring)
    writer.put(all: ladder, gone, needsAnotherAdapter, pendingResets, packetAt, heardAt, suspectedAt, malformed)
    writer.put(all: arbiter, devices, links, turn, early, unexpectedLink, server)
    writer.put(all: serverOwner, servingOwner, isServerAway, computations, bonds, privacy, offer, clients)
  }
}
