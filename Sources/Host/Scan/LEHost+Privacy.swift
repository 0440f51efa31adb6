import Exchange
import Packets
import Vocabulary

/// Who is behind a private address (Vol 3, Part C, 10.7): known by the IRK of its bond, and asked
/// of the toolbox once for each address.
struct Privacy: Equatable, Sendable {
  /// An advertisement that waits for the name of its device.
  struct Sighting: Equatable, Sendable {
    var address: Address
    var data: [UInt8]
    var isResponse: Bool
    var connectable: Bool?
    var rssi: Int8
  }

  /// Addresses rotate: the oldest fall out.
  static let most = 1024
  static let mostSightings = 64

  /// Nothing for one that is nobody's who is bonded.
  private var identities: [Address: Address?] = [:]
  /// As they came; a ring once it is full.
  private var order: [Address] = []
  private var oldest = 0
  var sightings: [Sighting] = []
  /// A link whose peer is not named yet.
  var connection: ConnectionComplete?
  /// When our own private address is changed.
  var rotatesAt: Moment?

  var count: Int { order.count }

  /// Nothing when it was never asked.
  func identity(_ address: Address) -> Address?? { identities[address] }

  mutating func put(_ address: Address, _ identity: Address?) {
    if identities.updateValue(identity, forKey: address) != nil { return }
    if order.count < Self.most {
      order.append(address)
    } else {
      identities[order[oldest]] = nil
      order[oldest] = address
      oldest = oldest + 1 == Self.most ? 0 : oldest + 1
    }
  }

  /// Other bonds may name other addresses.
  mutating func forget() {
    identities = [:]
    order = []
    oldest = 0
  }

  /// Whether it is the first that waits for this name.
  mutating func hold(_ sighting: Sighting) -> Bool {
    let isFirst = !sightings.contains { $0.address == sighting.address }
    if sightings.count >= Self.mostSightings { sightings.removeFirst() }
    sightings.append(sighting)
    return isFirst
  }
}

extension LEHost {
  var privatePeers: [RadioSurroundings.PrivatePeer] {
    bonds.bonds.compactMap { bond in
      guard let key = bond.identityKey else { return nil }
      // what it directs at us names us by a private address of ours, if it has our IRK
      let own = bond.hasOurs ? bonds.identity?.key : nil
      let entry = ResolvingListEntry(peer: bond.identity, peerKey: key, localKey: own ?? [UInt8](repeating: 0, count: 16))
      return RadioSurroundings.PrivatePeer(identity: bond.identity, address: bond.lastAddress, entry: entry)
    }
  }

  /// Bonds have come or gone: other addresses are known, and the controller is to resolve others.
  mutating func bondsChanged() {
    privacy.forget()
    arbiter.peersChanged()
  }

  /// As far as it is known already.
  func identity(at address: Address) -> Address { (privacy.identity(address) ?? nil) ?? address }

  /// What an advertiser is called; nothing while that is being found out.
  /// - Parameter isIdentity: the controller has resolved a private address to this one.
  mutating func name(of address: Address, isIdentity: Bool, for sighting: Privacy.Sighting) -> Address? {
    if isIdentity {
      arbiter.resolvedByController()
      return address
    }
    guard bonds.canResolve else { return address }
    guard address.isResolvablePrivate else {
      if arbiter.isWished(address) { met(address, at: address) }
      return address
    }
    guard let known = privacy.identity(address) else {
      if privacy.hold(sighting) { resolve(address) }
      return nil
    }
    guard let identity = known else { return address }
    met(identity, at: address)
    apply(arbiter.heardUnresolved(identity))
    return identity
  }

  /// The same of a link whose peer the controller has resolved.
  mutating func resolvedByController(_ identity: Address, at address: Address) {
    arbiter.resolvedByController()
    guard address.isResolvablePrivate, bonds.holds(identity) else { return }
    privacy.put(address, identity)
    met(identity, at: address)
  }

  /// The same of the peer of a link that was made.
  mutating func name(of event: ConnectionComplete) -> Address? {
    guard bonds.canResolve, event.peer.isResolvablePrivate else { return event.peer }
    guard let known = privacy.identity(event.peer) else {
      privacy.connection = event
      resolve(event.peer)
      return nil
    }
    return known ?? event.peer
  }

  private mutating func met(_ identity: Address, at address: Address) {
    if bonds.met(identity, at: address), arbiter.isWished(identity) { arbiter.peersChanged() }
  }

  private mutating func resolve(_ address: Address) {
    out.append(.compute(computations.order(for: .resolving(address)), .resolve(address, bonds.identityKeys)))
  }

  mutating func resolved(_ address: Address, _ identity: Address?) {
    // its bond may be gone meanwhile
    privacy.put(address, identity.flatMap { bonds.holds($0) ? $0 : nil })
    let waiting = privacy.sightings.filter { $0.address == address }
    privacy.sightings.removeAll { $0.address == address }
    for sighting in waiting {
      tell(sighting.address, sighting.data, isResponse: sighting.isResponse, sighting.connectable, sighting.rssi)
    }
    if let event = privacy.connection, event.peer == address {
      privacy.connection = nil
      connectionCompleted(event)
    }
  }

  /// A link whose peer was paired with under a private address has its identity from now on.
  mutating func identify(_ handle: ConnectionHandle) {
    guard let index = isLive(handle), let identity = links[index].security.bond?.identity, identity != links[index].peer else {
      return
    }
    let heard = links[index].peer
    if heard.isResolvablePrivate { privacy.put(heard, identity) }
    links[index].peer = identity
    links[index].gatt.peer = identity
    links[index].gatt.session.peer = identity
    arbiter.rename(handle, to: identity)
    var told = links[index].owners
    if links[index].role == .peripheral, !told.contains(serverOwner) { told.append(serverOwner) }
    for owner in told { report(owner, .identified(heard, identity)) }
  }

  // MARK: Our own

  /// Before there is one, our identity would be on the air.
  var awaitsOwnAddress: Bool {
    configuration.privateFor != nil && facts.privateAddress == nil && arbiter.ownAddress == nil && bonds.fault == nil
  }

  mutating func wakePrivacy() {
    guard phase == .ready, let at = privacy.rotatesAt, at <= now.moment else { return }
    rotateOwnAddress()
  }

  /// Draws a private address, and later another one; never while somebody pairs with this one.
  mutating func rotateOwnAddress() {
    guard let span = configuration.privateFor, let own = bonds.identity else { return }
    guard !links.contains(where: { $0.security.isBusy }) else {
      privacy.rotatesAt = now.moment + .seconds(1)
      return
    }
    privacy.rotatesAt = now.moment + max(span, .seconds(1))
    out.append(.compute(computations.order(for: .ownAddress), .privateAddress(own.key)))
  }
}

extension Privacy.Sighting: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      address: try reader.next(), data: try reader.next(), isResponse: try reader.next(), connectable: try reader.next(),
      rssi: Int8(bitPattern: try reader.next()))
  }

  func write(to writer: inout ByteWriter) {
    writer.put(all: address, data, isResponse, connectable, UInt8(bitPattern: rssi))
  }
}

extension Privacy: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    order = try reader.next()
    oldest = try reader.next(0...max(0, order.count - 1), "oldest private address")
    let known = try reader.next([Address?].self)
    guard order.count <= Self.most, known.count == order.count else { throw .invalid("private addresses", UInt64(known.count)) }
    for (address, identity) in zip(order, known) where identities.updateValue(identity, forKey: address) != nil {
      throw .invalid("private address that is there twice", address.bits)
    }
    sightings = try reader.next()
    connection = try reader.next()
    rotatesAt = try reader.next()
  }

  func write(to writer: inout ByteWriter) {
    writer.put(all: order, oldest, order.map { identities[$0] ?? nil }, sightings, connection, rotatesAt)
  }
}
