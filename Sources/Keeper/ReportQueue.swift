import Exchange
import Vocabulary

/// The reports for a client that it has not acknowledged: in order, numbered, bounded.
///
/// The numbers are the keeper's own and ascend. Dropped reports get none, and a report that is
/// replaced before it was sent loses its number. Reports keep the time of their event.
struct ReportQueue: Equatable, Sendable {
  struct Entry: Equatable, Sendable {
    var number: EventNumber
    /// The host's number for the acknowledgement of an indication; `nil` if none is needed.
    var indication: EventNumber?
    /// The request whose outcome this is.
    var outcome: OperationID?
    /// The whole message.
    var message: [UInt8]
    /// The kind of report, for the limits.
    var load: Load
    /// The state that it reports, which a later report may replace.
    var matter: Matter?
    /// The request of a central that needs an answer.
    var request: ServerRequestID?
  }

  enum Matter: Equatable, Sendable {
    /// The attribute cache of this peer; the next report contains more.
    case attributeCache(Address)
    /// The parameters of the link to this peer.
    case link(Address)
    /// The value of one of our attributes that a central wrote.
    case value(ServerAttributeID)
    case subscription(ServerAttributeID, Address)
    /// The connection of a central.
    case visit(Address)
    /// A request of a central that waits for an answer.
    case request(Address)

    /// A question of a pairing.
    case question(PairingQuestionID)

    /// Whether it ends when this central disconnects.
    func isOver(without central: Address) -> Bool {
      switch self {
      case .link(central), .subscription(_, central), .visit(central), .request(central): true
      default: false
      }
    }
  }

  enum Load: Equatable, Sendable {
    case none
    /// A value from this peer.
    case value(Address)
    case advertisement
    case note
  }

  /// The values of one peer in the queue.
  struct Peer: Equatable, Sendable {
    var address: Address
    var waiting = 0
    /// The number of values dropped since the last reported gap.
    var missed = 0
  }

  /// A device that a client which is away gets one report of.
  struct Heard: Equatable, Sendable {
    var operation: OperationID
    var address: Address
  }

  /// The number of dropped advertisements of a scan since the last report of them.
  struct MissedAdvertisements: Equatable, Sendable {
    var operation: OperationID
    var count: Int
  }

  let owner: OwnerID
  private(set) var entries: [Entry] = []
  /// The index of the first entry that is not acknowledged.
  private(set) var head = 0
  /// The number of entries from the head that were sent on this connection.
  private(set) var sent = 0
  /// The newest number that was sent on any connection, so that the client may have committed it.
  private(set) var newestSent = EventNumber(0)
  private(set) var nextNumber: UInt64 = 1
  private(set) var peers: [Peer] = []
  private(set) var heard: [Heard] = []
  private(set) var missedAdvertisements: [MissedAdvertisements] = []
  private(set) var octets = 0  // unsaved: counted again
  /// The number of reports that must not be dropped, and their octets.
  private(set) var plain = 0  // unsaved: counted again
  private(set) var plainOctets = 0  // unsaved: counted again
  private(set) var advertisements = 0  // unsaved: counted again
  private(set) var notes = 0  // unsaved: counted again
  /// The total number of dropped values.
  private(set) var missed = 0

  init(owner: OwnerID) { self.owner = owner }

  var count: Int { entries.count - head }
  var allOctets: Int { octets + plainOctets }
  /// Whether more reports wait than a client may have.
  var isTooLong: Bool { plain > KeeperLimits.reports || plainOctets > KeeperLimits.reportOctets }
  /// The newest acknowledged number.
  var acknowledged: EventNumber { EventNumber((head < entries.count ? entries[head].number.raw : nextNumber) - 1) }
  /// The newest report that waits; 0 if there is none.
  var newest: EventNumber { entries[head...].last?.number ?? EventNumber(0) }
  /// The newest indication that waits.
  var newestIndication: EventNumber? { entries[head...].last { $0.indication != nil }?.indication }

  private func place(of peer: Address) -> Int? { peers.firstIndex { $0.address == peer } }

  // MARK: In

  /// Adds a report. Returns false if it was dropped, or counted, for lack of room.
  /// - Parameter isCramped: Whether its user's clients have so many reports that droppable ones are
  ///   dropped.
  mutating func add(_ event: HostEvent, number: EventNumber, at instant: Instant, isAway: Bool, isCramped: Bool = false) -> Bool {
    var load = Load.none
    var indication: EventNumber?
    var outcome: OperationID?
    var request: ServerRequestID?
    var matter: Matter?
    switch event {
    case .notificationReceived(let peer, _, _, _), .writeRequested(_, _, let peer, _, withResponse: false):
      load = .value(peer)
      if case .notificationReceived(_, _, _, .indicate) = event { indication = number }
      let place = place(of: peer) ?? peers.count
      if place == peers.count { peers.append(Peer(address: peer)) }
      if peers[place].missed > 0 || peers[place].waiting >= KeeperLimits.values || octets >= KeeperLimits.octets || isCramped {
        peers[place].missed += 1
        missed += 1
        return false
      }
      peers[place].waiting += 1
    case .advertisementReceived(let operation, let advertisement):
      load = .advertisement
      guard advertisements < KeeperLimits.advertisements, octets < KeeperLimits.octets, !isCramped else {
        if !isAway { countUnheard(operation) }
        return false
      }
      if isAway {
        // Report each device once: a client that comes back needs to know which are there, not how
        // often.
        let device = Heard(operation: operation, address: advertisement.address)
        if heard.contains(device) { return false }
        heard.append(device)
      }
      advertisements += 1
    case .noted:
      load = .note
      guard notes < KeeperLimits.notes, !isCramped else { return false }
      notes += 1
    case .completed(let operation, _), .connected(let operation, _, _): outcome = operation
    case .gap(let peer, let count):
      // The host has counted values that it could not keep; they are missing as well.
      _ = peer
      missed += count
    case .disconnected(let peer, _): reportGap(of: peer, at: instant)
    // One follows each response of a discovery and contains all earlier ones. Of consecutive unsent
    // ones, the last is enough.
    case .attributeCacheChanged(let peer, _):
      matter = .attributeCache(peer)
      if sent < count, entries.last?.matter == matter { remove(at: entries.count - 1) }
    case .linkChanged(let peer, _): matter = replacing(.link(peer))
    case .valueWritten(let attribute, _, _): matter = replacing(.value(attribute))
    case .subscribed(let attribute, let peer, _), .unsubscribed(let attribute, let peer):
      matter = replacing(.subscription(attribute, peer))
    case .centralConnected(let peer, _): matter = .visit(peer)
    case .centralDisconnected(let peer, _):
      reportGap(of: peer, at: instant)
      if isCrowded, forgetVisit(of: peer) { return true }
    case .pairingAsked(let id, _, let question): if question.needsAnswer { matter = .question(id) }
    // If the question was not sent, neither is needed.
    case .pairingWithdrawn(let id):
      if let place = entries[(head + sent)...].lastIndex(where: { $0.matter == .question(id) }), entries[place].number > newestSent
      {
        remove(at: place)
        return true
      }
    case .readRequested(let asked, _, let peer), .writeRequested(let asked, _, let peer, _, withResponse: true):
      request = asked
      matter = .request(peer)
    default: break
    }
    append(event, at: instant, indication: indication, outcome: outcome, load: load, matter: matter, request: request)
    return true
  }

  /// Drops a request that was refused because its owner was away. An empty report keeps its number.
  mutating func expire(_ request: ServerRequestID) {
    guard let place = entries[head...].firstIndex(where: { $0.request == request }) else { return }
    count(entries[place].message, as: entries[place].load, -1)
    let event = HostEvent.noted(.warning, "a request of a central was refused: nothing answered it within \(KeeperLimits.answer)")
    let report = HostReport(owner: owner, number: entries[place].number, at: now(of: entries[place]), event: event)
    entries[place].message = KeeperMessage.report(report).encoded
    entries[place].request = nil
    count(entries[place].message, as: entries[place].load, 1)
  }

  /// The time of its event.
  private func now(of entry: Entry) -> Instant {
    if case .report(let report)? = try? KeeperMessage(encoded: entry.message) { return report.at }
    return Instant(moment: .zero, wall: WallTime(nanoseconds: 0))
  }

  /// Whether so many reports wait that intermediate states are omitted.
  private var isCrowded: Bool { plain >= KeeperLimits.states }

  /// Removes an unsent report of the same state if too many wait.
  private mutating func replacing(_ matter: Matter) -> Matter {
    if isCrowded, let place = entries[(head + sent)...].lastIndex(where: { $0.matter == matter }) { remove(at: place) }
    return matter
  }

  /// Omits a visit of a central whose start and end were not sent; values that it wrote stay.
  /// Returns false if its start was sent.
  private mutating func forgetVisit(of peer: Address) -> Bool {
    guard let first = entries[(head + sent)...].lastIndex(where: { $0.matter == .visit(peer) }), entries[first].number > newestSent
    else { return false }
    for place in (first..<entries.count).reversed() where entries[place].matter?.isOver(without: peer) ?? false {
      remove(at: place)
    }
    return true
  }

  private mutating func remove(at place: Int) {
    let entry = entries.remove(at: place)
    count(entry.message, as: entry.load, -1)
  }

  private mutating func append(
    _ event: HostEvent, at instant: Instant, indication: EventNumber? = nil, outcome: OperationID? = nil, load: Load = .none,
    matter: Matter? = nil, request: ServerRequestID? = nil
  ) {
    let number = EventNumber(nextNumber)
    nextNumber += 1
    let report = HostReport(owner: owner, number: number, at: instant, event: event)
    let message = KeeperMessage.report(report).encoded
    count(message, as: load, 1)
    entries.append(
      Entry(
        number: number, indication: indication, outcome: outcome, message: message, load: load, matter: matter,
        request: request))
  }

  private mutating func count(_ message: [UInt8], as load: Load, _ sign: Int) {
    if load != .none {
      octets += sign * message.count
    } else {
      plain += sign
      plainOctets += sign * message.count
    }
  }

  /// Reports the missing values of a peer after its last value that was kept.
  private mutating func reportGap(of peer: Address, at instant: Instant) {
    guard let place = place(of: peer), peers[place].missed > 0 else { return }
    let count = peers[place].missed
    peers[place].missed = 0
    append(.gap(peer, count), at: instant)
  }

  private mutating func countUnheard(_ operation: OperationID) {
    if let place = missedAdvertisements.firstIndex(where: { $0.operation == operation }) {
      missedAdvertisements[place].count += 1
    } else if missedAdvertisements.count < KeeperLimits.scansWithGaps {
      missedAdvertisements.append(MissedAdvertisements(operation: operation, count: 1))
    }
  }

  /// Reports the number of dropped advertisements once there is room again.
  private mutating func reportMissedAdvertisements(at instant: Instant) {
    if missedAdvertisements.isEmpty || 2 * advertisements > KeeperLimits.advertisements { return }
    for entry in missedAdvertisements { append(.advertisementsMissed(entry.operation, entry.count), at: instant) }
    missedAdvertisements = []
  }

  /// Reports the gaps of peers whose values have room again.
  mutating func reportGaps(at instant: Instant, all: Bool = false) {
    reportMissedAdvertisements(at: instant)
    for peer in peers where peer.missed > 0 {
      if all || peer.waiting < KeeperLimits.values && octets < KeeperLimits.octets { reportGap(of: peer.address, at: instant) }
    }
  }

  // MARK: Out

  /// Returns the messages that may be sent now.
  mutating func deliver() -> [[UInt8]] {
    var messages: [[UInt8]] = []
    while sent < count, sent < KeeperLimits.window {
      messages.append(entries[head + sent].message)
      newestSent = max(newestSent, entries[head + sent].number)
      sent += 1
    }
    return messages
  }

  /// The connection is new, so unacknowledged reports are sent again.
  mutating func begin() {
    sent = 0
    heard = []
  }

  /// Acknowledges all reports up to this number. Returns the newest indication and the outcomes
  /// among them.
  mutating func acknowledge(_ number: EventNumber) -> (indication: EventNumber?, outcomes: [OperationID]) {
    var indication: EventNumber?
    var outcomes: [OperationID] = []
    while head < entries.count, entries[head].number <= number {
      let entry = entries[head]
      entries[head].message = []
      head += 1
      if sent > 0 { sent -= 1 }
      if let wanted = entry.indication { indication = wanted }
      if let outcome = entry.outcome { outcomes.append(outcome) }
      count(entry.message, as: entry.load, -1)
      switch entry.load {
      case .none: break
      case .value(let peer): if let place = place(of: peer) { peers[place].waiting -= 1 }
      case .advertisement: advertisements -= 1
      case .note: notes -= 1
      }
    }
    peers.removeAll { $0.waiting == 0 && $0.missed == 0 }
    if head == entries.count {
      entries.removeAll(keepingCapacity: entries.capacity <= 4096)
      head = 0
    } else if head > 512, head * 2 > entries.count {
      entries.removeFirst(head)
      head = 0
    }
    return (indication, outcomes)
  }

  /// The number of dropped values that reports in this queue mention.
  var reportedAsMissed: Int {
    var sum = 0
    for entry in entries[head...] where entry.load == .none {
      guard case .report(let report)? = try? KeeperMessage(encoded: entry.message), case .gap(_, let count) = report.event else {
        continue
      }
      sum += count
    }
    return sum
  }
}

extension ReportQueue.Load: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .none
    case 1: self = .value(try reader.next())
    case 2: self = .advertisement
    case 3: self = .note
    case let other: throw .invalid("load", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .none: writer.put(UInt8(0))
    case .value(let peer): writer.put(all: UInt8(1), peer)
    case .advertisement: writer.put(UInt8(2))
    case .note: writer.put(UInt8(3))
    }
  }
}

extension ReportQueue.Matter: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .attributeCache(try reader.next())
    case 1: self = .link(try reader.next())
    case 2: self = .value(try reader.next())
    case 3: self = .subscription(try reader.next(), try reader.next())
    case 4: self = .visit(try reader.next())
    case 5: self = .request(try reader.next())
    case 6: self = .question(try reader.next())
    case let other: throw .invalid("matter of a report", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .attributeCache(let peer): writer.put(all: UInt8(0), peer)
    case .link(let peer): writer.put(all: UInt8(1), peer)
    case .value(let attribute): writer.put(all: UInt8(2), attribute)
    case .subscription(let attribute, let peer): writer.put(all: UInt8(3), attribute, peer)
    case .visit(let peer): writer.put(all: UInt8(4), peer)
    case .request(let peer): writer.put(all: UInt8(5), peer)
    case .question(let id): writer.put(all: UInt8(6), id)
    }
  }
}

extension ReportQueue.Entry: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      number: try reader.next(), indication: try reader.next(), outcome: try reader.next(), message: try reader.next(),
      load: try reader.next(), matter: try reader.next(), request: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: number, indication, outcome, message, load, matter, request) }
}

extension ReportQueue.Peer: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(address: try reader.next(), waiting: try reader.next(), missed: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: address, waiting, missed) }
}

extension ReportQueue.Heard: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { self.init(operation: try reader.next(), address: try reader.next()) }
  func write(to writer: inout ByteWriter) { writer.put(all: operation, address) }
}

extension ReportQueue.MissedAdvertisements: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { self.init(operation: try reader.next(), count: try reader.next()) }
  func write(to writer: inout ByteWriter) { writer.put(all: operation, count) }
}

extension ReportQueue: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    owner = try reader.next()
    entries = try reader.next()
    nextNumber = try reader.next()
    peers = try reader.next()
    heard = try reader.next()
    missedAdvertisements = try reader.next()
    missed = try reader.next()
    newestSent = try reader.next()
    sent = try reader.next()
    guard (0...entries.count).contains(sent) else { throw .invalid("reports told", UInt64(bitPattern: Int64(sent))) }
    // Recompute what follows from the entries.
    for (place, entry) in entries.enumerated() {
      let next = place + 1 < entries.count ? entries[place + 1].number.raw : nextNumber
      guard 0 < entry.number.raw, entry.number.raw < next else { throw .invalid("number of a report", entry.number.raw) }
      count(entry.message, as: entry.load, 1)
      if entry.load == .advertisement { advertisements += 1 }
      if entry.load == .note { notes += 1 }
    }
    for place in peers.indices {
      peers[place].waiting = entries.count { $0.load == .value(peers[place].address) }
    }
  }

  func write(to writer: inout ByteWriter) {
    writer.put(all: owner, Array(entries[head...]), nextNumber, peers, heard, missedAdvertisements, missed, newestSent, sent)
  }
}
