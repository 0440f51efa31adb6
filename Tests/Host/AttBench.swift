import Exchange
import Host
import Packets
import Vocabulary

/// One bearer under test, with PDUs as hex text and a list of everything it ordered.
struct AttBench {
  static let address = Address(bits: 0xC47C_8D6A_120F, kind: .random)

  var peer: GattPeer
  var server = GattServer()
  var now = Instant.simulationStart
  /// PDUs that were sent and not yet read.
  var sent: [[UInt8]] = []
  var events: [HostEvent] = []
  var owned: [(owner: OwnerID, event: HostEvent)] = []
  var closed: Failure?
  var ready: UInt16?
  var tokens: [(token: UInt64, owner: OwnerID)] = []
  var arrivals: [Instant] = []
  private var nextID: UInt64 = 1
  /// Every order in sequence: `send 0a 03 00`, `attributeCache`, `completed`…
  var order: [String] = []
  /// Whether each PDU is handed over and acknowledged immediately.
  var flows = true
  private var taken = 0

  init(isCentral: Bool = true, mtu: UInt16 = 517, attributeCache: AttributeCache? = nil) {
    peer = GattPeer(peer: Self.address, isCentral: isCentral, preferredMTU: mtu, attributeCache: attributeCache)
  }

  /// Starts the bearer with this ATT_MTU.
  static func ready(mtu: UInt16 = 23, attributeCache: AttributeCache? = nil) -> AttBench {
    var bench = AttBench(mtu: mtu, attributeCache: attributeCache)
    bench.take(bench.peer.start(at: bench.now))
    bench.hear(ATTPDU.exchangeMTUResponse(mtu).encoded)
    bench.sent = []
    bench.order = []
    return bench
  }

  mutating func take(_ effects: [GattEffect]) {
    taken += 1
    if ReencodedHost.isDue(taken, first: 8) { (peer, server) = (ReencodedHost.remade(peer), ReencodedHost.remade(server)) }
    ReencodedHost.watcher?(peer)
    ReencodedHost.watcher?(server)
    for effect in effects {
      switch effect {
      case .send(let pdu):
        sent.append(pdu)
        order.append("send \(Hex.text(pdu))")
      case .ready(let mtu): ready = mtu
      case .report(let owner, let event): reported(owner, event)
      case .reportToLinkOwners(let event): reported(.run, event)
      case .reportIndication(let owner, let event, let token):
        tokens.append((token, owner))
        reported(owner, event)
      case .reportArrived(let owner, let event, let at):
        arrivals.append(at)
        reported(owner ?? .run, event)
      case .needsSecurity(let owner, let id, _, let failure, _): reported(owner, .completed(id, .failure(failure)))
      case .authenticationMissing: order.append("proof")
      case .closeLink(let failure):
        closed = failure
        order.append("close")
      }
    }
    guard flows else { return }
    for effect in effects {
      if case .send = effect {
        let more = peer.handedOver(server: &server, at: now)
        _ = peer.delivered(at: now)
        take(more)
      }
    }
  }

  private mutating func reported(_ owner: OwnerID, _ event: HostEvent) {
    events.append(event)
    owned.append((owner, event))
    switch event {
    case .completed: order.append("completed")
    case .attributeCacheChanged: order.append("knowledge")
    case .attributeCacheDropped: order.append("dropped")
    case .notificationReceived(_, let reference, let value, let kind):
      order.append("\(kind == .notify ? "notify" : "indicate") \(reference.handle) \(Hex.text(value))")
    case .gap(_, let count): order.append("gap \(count)")
    default: break
    }
  }

  mutating func start() { take(peer.start(at: now)) }

  mutating func hear(_ bytes: [UInt8]) { take(peer.receive(bytes, server: &server, at: now)) }

  mutating func hear(_ text: String) { hear(Hex.bytes(text) ?? []) }

  @discardableResult
  mutating func submit(_ request: GattRequest, owner: OwnerID = .run) -> OperationID {
    let id = OperationID(nextID)
    nextID += 1
    take(peer.submit(owner, id, request, at: now))
    return id
  }

  mutating func cancel(_ id: OperationID) { take(peer.cancel(.run, id, at: now)) }

  /// Advances time, and wakes the bearer at every deadline on the way.
  mutating func wait(_ span: TimeSpan) {
    let end = now + span
    while let deadline = peer.nextDeadline, deadline <= end.moment {
      if deadline > now.moment { now = now + (deadline - now.moment) }
      let before = peer
      take(peer.wake(at: now))
      if peer == before { break }
    }
    now = end
  }

  mutating func lose() { take(peer.lost(DisconnectReason(code: 0x08, text: "out of range"), server: &server, at: now)) }

  /// PDUs sent since the last call.
  mutating func said() -> [String] {
    defer { sent = [] }
    return sent.map { Hex.text($0) }
  }

  func outcome(_ id: OperationID) -> Result<Outcome, Failure>? {
    for event in events { if case .completed(id, let result) = event { return result } }
    return nil
  }

  func failure(_ id: OperationID) -> Failure? {
    if case .failure(let failure)? = outcome(id) { failure } else { nil }
  }

  func count(of id: OperationID) -> Int { events.count { if case .completed(id, _) = $0 { true } else { false } } }

  var notes: [String] {
    events.compactMap { if case .noted(_, let text) = $0 { text } else { nil } }
  }

  var values: [[UInt8]] {
    events.compactMap { if case .notificationReceived(_, _, let value, _) = $0 { value } else { nil } }
  }
}

extension AttributePath {
  /// `180d/2a37`, `2a37`, `2a37[1]`, `180d/2a37/2902`, `handle 0003`, each optionally with ` home
  /// 180d`.
  init?(test text: String) {
    let words = text.split(separator: " ")
    if words.count == 2, words[0] == "handle" {
      guard let raw = UInt16(words[1], radix: 16) else { return nil }
      self.init(form: .handle(AttributeHandle(raw)), text: text)
      return
    }
    var home: UUID?
    if words.count == 3, words[1] == "home" { home = UUID(words[2]) }
    func step(_ part: Substring) -> Step? {
      let pieces = part.split(separator: "[")
      guard let first = pieces.first, let uuid = UUID(first) else { return nil }
      return Step(uuid, instance: pieces.count == 2 ? Int(pieces[1].dropLast()) : nil)
    }
    let steps = words.first.map { $0.split(separator: "/").compactMap(step) } ?? []
    switch steps.count {
    case 1: self.init(form: .named(service: nil, characteristic: steps[0], descriptor: nil), home: home, text: text)
    case 2: self.init(form: .named(service: steps[0], characteristic: steps[1], descriptor: nil), home: home, text: text)
    case 3: self.init(form: .named(service: steps[0], characteristic: steps[1], descriptor: steps[2]), home: home, text: text)
    default: return nil
    }
  }

  static func test(_ text: String) -> AttributePath {
    AttributePath(test: text) ?? AttributePath(form: .handle(AttributeHandle(0)), text: "not a path: \(text)")
  }
}
