import Exchange
import Packets
import Vocabulary

/// Security that is made when an attribute requires it.
extension LEHost {
  /// A request that the peer refused for lack of security; nothing was delivered.
  struct OnDemand: Equatable, Sendable {
    var owner: OwnerID
    var id: OperationID
    var request: GattRequest
    var failure: Failure
    /// Whether a pairing was started for it. It is repeated once after that.
    var hasPaired = false
  }

  /// Whether a refusal is a reason to secure the link: there is a bond, or this client permits a
  /// new or a better one.
  func maySecure(_ owner: OwnerID, at index: Int) -> Bool {
    guard links[index].stage == .ready else { return false }
    let level = links[index].security.security
    // It is told which adapter has the bond.
    if bondElsewhere(at: index) != nil { return true }
    if !level.isEncrypted, links[index].security.bond != nil { return true }
    guard bonds.identity != nil,
      let policy = links[index].policies.first(where: { $0.owner == owner }), policy.request.isAutomatic
    else { return false }
    // A better bond is worth a new pairing if this client can authenticate. The central starts it.
    return !level.isEncrypted
      || links[index].role == .central && !level.isAuthenticated
        && (policy.request.capability != .noInputNoOutput || policy.outOfBand != nil || offer(at: index) != nil)
  }

  /// Whether a client lets a device be paired whose bond belongs to another adapter (`--rebond`).
  private func mayRenew(_ owner: OwnerID, at index: Int) -> Bool {
    links[index].policies.contains { $0.owner == owner && $0.request.isAutomatic && $0.request.replacesLost }
  }

  /// - Parameter level: The security of the link when the request was sent.
  mutating func secureOnDemand(_ wanted: OnDemand, from level: LinkSecurity, on handle: ConnectionHandle) {
    guard let index = isLive(handle), links[index].closingReadEnds == nil else {
      return complete(wanted.owner, wanted.id, .failure(wanted.failure))
    }
    let may = maySecure(wanted.owner, at: index)
    let current = links[index].security.security
    // Meanwhile secured for another request.
    if current.isEncrypted, current != level { return askAgain(wanted, on: handle) }
    let needsAuthentication = wanted.failure.code == UInt16(ATTError.insufficientAuthentication.raw)
    guard may, !current.isEncrypted || needsAuthentication else {
      return complete(wanted.owner, wanted.id, .failure(wanted.failure))
    }
    if !mayRenew(wanted.owner, at: index), var failure = bondElsewhere(at: index) {
      // The request was sent and refused.
      failure.delivered = nil
      return complete(wanted.owner, wanted.id, .failure(failure))
    }
    let isBusy = links[index].security.isBusy
    var wanted = wanted
    // Otherwise a bond encrypts the link first.
    wanted.hasPaired = !isBusy && (current.isEncrypted || links[index].security.bond?.centralKey == nil)
    links[index].onDemand.append(wanted)
    guard !isBusy else { return }
    let policy = links[index].policies.first { $0.owner == wanted.owner }?.request ?? PairRequest()
    takeOutOfBand(of: wanted.owner, at: index)
    secure(handle, current.isEncrypted ? .raise(policy) : .pair(policy, renews: false))
  }

  /// The policy of a client that permits pairing on demand and can authenticate.
  func authenticationPolicy(at index: Int) -> SecurityPolicy? {
    let isOffered = offer(at: index) != nil
    return links[index].policies.first { policy in
      policy.request.isAutomatic && (policy.request.capability != .noInputNoOutput || policy.outOfBand != nil || isOffered)
    }
  }

  /// The peer requests more security, as an attribute would. The link is paired again if a client
  /// permits that and can authenticate.
  mutating func raiseForPeer(on handle: ConnectionHandle) {
    guard let index = isLive(handle), links[index].closingReadEnds == nil, bonds.identity != nil else { return }
    guard let able = authenticationPolicy(at: index) else {
      return note(
        .log, "\(links[index].peer) asks for an authenticated bond; `use pairing automatic` with `on passkey` makes one")
    }
    takeOutOfBand(of: able.owner, at: index)
    secure(handle, .raise(able.request))
  }

  /// A pairing for this client may use its out-of-band data of the peer.
  mutating func takeOutOfBand(of owner: OwnerID, at index: Int) {
    guard links[index].role == .central else { return }
    links[index].security.outOfBand = links[index].policies.first { $0.owner == owner }?.outOfBand
  }

  /// The link's security has changed and nothing was delivered, so the request is sent again.
  mutating func askAgain(_ wanted: OnDemand, on handle: ConnectionHandle) {
    guard let index = isLive(handle) else { return complete(wanted.owner, wanted.id, .failure(wanted.failure)) }
    let level = !wanted.hasPaired && maySecure(wanted.owner, at: index) ? links[index].security.security : nil
    apply(links[index].gatt.submit(wanted.owner, wanted.id, wanted.request, securesFrom: level, at: now), to: handle)
  }

  mutating func cancelOnDemand(_ owner: OwnerID, _ id: OperationID) -> Bool {
    for index in links.indices {
      guard let place = links[index].onDemand.firstIndex(where: { $0.owner == owner && $0.id == id }) else { continue }
      links[index].onDemand.remove(at: place)
      complete(owner, id, .failure(GattPeer.cancelled(.notSent)))
      return true
    }
    return false
  }

  /// A client has released the link.
  mutating func dropOnDemand(of owner: OwnerID, at index: Int) {
    let dropped = links[index].onDemand.filter { $0.owner == owner }
    links[index].onDemand.removeAll { $0.owner == owner }
    links[index].policies.removeAll { $0.owner == owner }
    for waiter in dropped { complete(waiter.owner, waiter.id, .failure(GattPeer.cancelled(.notSent))) }
  }
}

extension LEHost.OnDemand: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      owner: try reader.next(), id: try reader.next(), request: try reader.next(), failure: try reader.next(),
      hasPaired: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: owner, id, request, failure, hasPaired) }
}
