import Exchange
import Packets
import Vocabulary

@testable import Host

/// One side of an attribute bearer with its own clock, everything it sent, and everything its
/// clients got as reports.
struct Bearer {
  var peer: GattPeer
  var server = GattServer()
  var now = Instant.simulationStart
  /// PDUs that were sent and not yet read.
  var sent: [[UInt8]] = []
  /// Whether each PDU is handed over and acknowledged immediately.
  var flows = true
  private(set) var unhanded = 0
  var isClosed = false
  private(set) var issued: [OperationID] = []
  private(set) var outcomes: [UInt64: Int] = [:]
  private var tokens: [(token: UInt64, owner: OwnerID)] = []
  private var events: UInt64 = 0
  private var changes = 0
  /// Requests to our server that still await an answer of the owner.
  var asked: [ServerRequestID] = []

  init(isCentral: Bool, mtu: UInt16, attributeCache: AttributeCache? = nil) {
    peer = GattPeer(peer: Table.peers[0], isCentral: isCentral, preferredMTU: mtu, attributeCache: attributeCache)
  }

  mutating func take(_ effects: [GattEffect]) {
    demand(effects.count < 4000, "\(effects.count) effects at once")
    for effect in effects {
      switch effect {
      case .send(let pdu):
        demand(!pdu.isEmpty && pdu.count <= Int(peer.mtu), "\(Hex.text(pdu)), \(pdu.count) octets with an MTU of \(peer.mtu)")
        demand((try? ATTPDU(encoded: pdu)) != nil, "\(Hex.text(pdu)) was sent, which is no PDU")
        sent.append(pdu)
        unhanded += 1
      case .ready(let mtu): demand(mtu >= 23 && mtu <= 517, "an MTU of \(mtu)")
      case .report(_, let event), .reportToLinkOwners(let event), .reportArrived(_, let event, _): reported(event)
      case .reportIndication(let owner, let event, let token):
        tokens.append((token, owner))
        events += 1
        peer.indicationReported(token: token, owner: owner, number: EventNumber(events))
        reported(event)
      case .needsSecurity: demand(false, "nothing here waits for security")
      case .authenticationMissing: break
      case .closeLink: isClosed = true
      }
    }
    if flows { flow(unhanded) }
  }

  /// Sends this many PDUs to the controller, which delivers them to the peer.
  mutating func flow(_ count: Int) {
    for _ in 0..<count where unhanded > 0 {
      unhanded -= 1
      let more = peer.handedOver(server: &server, at: now)
      _ = peer.delivered(at: now)
      take(more)
    }
  }

  private mutating func reported(_ event: HostEvent) {
    switch event {
    case .completed(let id, let result):
      outcomes[id.raw, default: 0] += 1
      demand(outcomes[id.raw] == 1, "operation \(id.raw) ended a second time: \(result)")
    case .attributeCacheChanged(_, let attributeCache):
      // Doing this each time would cost the square of an endless server's table.
      changes += 1
      if changes < 32 || changes % 256 == 0 { roundTrip(AttributeCache.self, attributeCache.encoded) }
    case .readRequested(let id, _, _), .writeRequested(let id, _, _, _, _): asked.append(id)
    default: break
    }
  }

  mutating func hear(_ pdu: [UInt8]) { take(peer.receive(pdu, server: &server, at: now)) }

  mutating func submit(_ request: GattRequest) {
    let id = OperationID(UInt64(issued.count + 1))
    issued.append(id)
    take(peer.submit(.run, id, request, at: now))
  }

  mutating func publish(_ id: UInt64, _ attribute: Int, _ value: [UInt8], _ kind: SubscriptionKind, to: Address?) {
    issued.append(OperationID(id))
    if let failure = server.beginPublication(.run, OperationID(id), ServerAttributeID(attribute), value, kind, to: to) {
      return reported(.completed(OperationID(id), .failure(failure)))
    }
    take(peer.sendPublication(server: &server, at: now))
    take(server.endPublication())
  }

  mutating func answer(_ id: ServerRequestID, _ answer: ServerAnswer) {
    take(peer.answer(id, answer, server: &server, at: now))
  }

  /// Accepts every request to our server.
  mutating func acceptAll() {
    let open = asked
    asked = []
    for id in open { answer(id, .accept) }
  }

  mutating func acknowledge() {
    tokens = []
    take(peer.acknowledged(owner: .run, EventNumber(events), at: now))
  }

  mutating func replace(_ table: ServerTable) {
    if server.publish(table, owner: .run) != nil { server.hashComputed(Array(repeating: 7, count: 16)) }
    take(peer.tableChanged(server: &server, at: now))
  }

  /// Advances to the next deadline, or by a little if there is none. A deadline that remains after
  /// it was served would make the loop spin.
  mutating func wait() {
    guard let deadline = peer.nextDeadline else {
      now = now + .milliseconds(100)
      return
    }
    if deadline > now.moment { now = now + (deadline - now.moment) }
    for _ in 0..<64 {
      take(peer.wake(at: now))
      guard let next = peer.nextDeadline, next <= now.moment else { return }
    }
    demand(false, "the bearer asks to be woken at a moment that is over, again and again")
  }

  /// Ends the link. Every request must then have exactly one outcome.
  mutating func lose() {
    take(peer.lost(DisconnectReason(text: "the end"), server: &server, at: now))
    demand(peer.nextDeadline == nil, "a lost bearer has a deadline")
    for id in issued {
      demand(outcomes[id.raw] == 1, "operation \(id.raw) of \(issued.count) has \(outcomes[id.raw] ?? 0) outcomes")
    }
  }
}
