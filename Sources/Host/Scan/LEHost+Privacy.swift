import Exchange
import Packets
import Vocabulary

/// Resolution of private addresses (Vol 3, Part C, 10.7) by the IRKs of bonds. The toolbox resolves
/// each address once.
struct Privacy: Equatable, Sendable {
  /// An advertisement that waits until its address is resolved.
  struct Sighting: Equatable, Sendable {
    var address: Address
    var data: [UInt8]
    var isResponse: Bool
    var connectable: Bool?
    var rssi: Int8
  }

  /// The most addresses. They rotate, so the oldest are dropped.
  static let most = 1024
  static let mostSightings = 64

  /// The identity of each private address; `nil` if it is of no bonded device.
  private var identities: [Address: Address?] = [:]
  /// The order of arrival; a ring once it is full.
  private var order: [Address] = []
  private var oldest = 0
  var sightings: [Sighting] = []
  /// A link whose peer's address is not resolved yet.
  var connection: ConnectionComplete?
  /// When our private address changes next.
  var rotatesAt: Moment?

  var count: Int { order.count }

  /// The identity; the outer `nil` means not resolved yet.
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

  /// Forgets all addresses, because the bonds have changed.
  mutating func forget() {
    identities = [:]
    order = []
    oldest = 0
  }

  /// Keeps a report. Returns whether it is the first that waits for this address.
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
      // A peer with our IRK may direct advertising to a private address of ours.
      let own = bond.hasOurs ? bonds.identity?.key : nil
      let entry = ResolvingListEntry(peer: bond.identity, peerKey: key, localKey: own ?? [UInt8](repeating: 0, count: 16))
      return RadioSurroundings.PrivatePeer(identity: bond.identity, address: bond.lastAddress, entry: entry)
    }
  }

  /// Call after bonds have changed: the known addresses and the resolving list depend on them.
  mutating func bondsChanged() {
    privacy.forget()
    arbiter.peersChanged()
  }

  /// The identity address if it is known, else the address itself.
  func identity(at address: Address) -> Address { (privacy.identity(address) ?? nil) ?? address }

  /// The name of an advertiser; `nil` while its address is being resolved.
  ///
  /// - Parameter isIdentity: Whether the controller has resolved a private address to this one.
  mutating func name(of address: Address, isIdentity: Bool, for sighting: Privacy.Sighting) -> Address? {
    if isIdentity {
      arbiter.resolvedByController()
      return address
    }
    guard bonds.canResolve else { return address }
    guard address.isResolvablePrivate else {
      if arbiter.isRequested(address) { met(address, at: address) }
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

  /// The same for a link whose peer the controller has resolved.
  mutating func resolvedByController(_ identity: Address, at address: Address) {
    arbiter.resolvedByController()
    guard address.isResolvablePrivate, bonds.holds(identity) else { return }
    privacy.put(address, identity)
    met(identity, at: address)
  }

  /// The same for the peer of a new link.
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
    if bonds.met(identity, at: address), arbiter.isRequested(identity) { arbiter.peersChanged() }
  }

  private mutating func resolve(_ address: Address) {
    out.append(.compute(computations.order(for: .resolving(address)), .resolve(address, bonds.identityKeys)))
  }

  mutating func resolved(_ address: Address, _ identity: Address?) {
    // The bond may have been removed meanwhile.
    privacy.put(address, identity.flatMap { bonds.holds($0) ? $0 : nil })
    let waiting = privacy.sightings.filter { $0.address == address }
    privacy.sightings.removeAll { $0.address == address }
    for sighting in waiting {
      deliver(sighting.address, sighting.data, isResponse: sighting.isResponse, sighting.connectable, sighting.rssi)
    }
    if let event = privacy.connection, event.peer == address {
      privacy.connection = nil
      connectionCompleted(event)
    }
  }

  /// Gives a link the identity address of a peer that was paired under a private address.
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
    var audience = links[index].owners
    if links[index].role == .peripheral, !audience.contains(serverOwner) { audience.append(serverOwner) }
    for owner in audience { report(owner, .identified(heard, identity)) }
  }

  // MARK: Our own address

  /// Whether to wait for a private address. Before that, our identity address would be on the air.
  var awaitsOwnAddress: Bool {
    configuration.privateFor != nil && facts.privateAddress == nil && arbiter.ownAddress == nil && bonds.fault == nil
  }

  mutating func wakePrivacy() {
    guard phase == .ready, let at = privacy.rotatesAt, at <= now.moment else { return }
    rotateOwnAddress()
  }

  /// Requests a new private address from time to time, but never while a device is pairing with
  /// this one.
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
