import Exchange
import Packets
import Vocabulary

/// One pairing of a link for several clients: who waits for it, who is asked, and what each gets.
extension LEHost {
  /// A `pair` that waits for its link.
  struct PairWaiter: Equatable, Sendable {
    var owner: OwnerID
    var id: OperationID
    var request: PairRequest
    /// Whether it came during the pairing of another client. If it asks for more, it follows.
    var joinsAnother = false
    /// Whether its own pairing has begun, over a link that another one's has secured.
    var hasFollowed = false
    /// Whether it insists on a new pairing (`--rebond`) while an old bond encrypts the link.
    var awaitsRenewal = false

    /// Whether it can or must authenticate the peer, so that Just Works would be less.
    var asksForMore: Bool { request.capability != .noInputNoOutput || request.isStrict }
  }

  /// The client that was asked, and since when.
  struct OpenQuestion: Equatable, Sendable {
    var id: PairingQuestionID
    var owner: OwnerID
  }

  // MARK: Requests

  mutating func pair(_ owner: OwnerID, _ id: OperationID, _ peer: Address, _ request: PairRequest, renews: Bool) {
    guard let index = link(to: peer), links[index].stage == .ready, links[index].closingReadEnds == nil else {
      return complete(owner, id, .failure(disconnected(peer)))
    }
    refreshBonds()
    guard bonds.identity != nil else {
      return complete(
        owner, id,
        .failure(
          Failure(
            .file, "bonds cannot be saved: \(bonds.fault ?? "there is no folder for them")", blame: .ours, layer: .os,
            hint: "nothing was sent to \(peer); a state folder is named by --state, or by XDG_STATE_HOME for a keeper",
            delivered: .notSent)))
    }
    if !renews, links[index].policies.contains(where: { $0.owner == owner && $0.expectsBond && !$0.request.replacesLost }),
      let failure = bondElsewhere(at: index)
    {
      return complete(owner, id, .failure(failure))
    }
    let (isBusy, isPairing) = (links[index].security.isBusy, links[index].security.isPairing)
    links[index].pairWaiters.append(
      PairWaiter(
        owner: owner, id: id, request: request, joinsAnother: isPairing, awaitsRenewal: renews && isBusy && !isPairing))
    // Later requests share the current pairing.
    guard !isBusy else { return }
    takeOutOfBand(of: owner, at: index)
    secure(links[index].handle, .pair(request, renews: renews))
  }

  /// Cancels a `pair`. The pairing ends with the last one that needs it. Returns whether there was
  /// one.
  mutating func cancelPairing(_ owner: OwnerID, _ id: OperationID) -> Bool {
    for index in links.indices {
      guard let place = links[index].pairWaiters.firstIndex(where: { $0.owner == owner && $0.id == id }) else { continue }
      links[index].pairWaiters.remove(at: place)
      complete(owner, id, .failure(PairingFault.cancelled.failure(with: links[index].peer)))
      if !isPairingNeeded(at: index) { secure(links[index].handle, .cancelled) }
      return true
    }
    return false
  }

  /// Whether another party needs the pairing on a link: another `pair`, a refused request, or the
  /// central that began it.
  private func isPairingNeeded(at index: Int) -> Bool {
    !links[index].pairWaiters.isEmpty || !links[index].onDemand.isEmpty
      || links[index].role == .peripheral && links[index].security.pairing != nil
  }

  /// Ends the part of a departed client in the pairing on a link that others keep. If only that
  /// client could answer the open question, the pairing ends, and the others begin their own.
  mutating func dropPairing(of owner: OwnerID, at index: Int) {
    let dropped = links[index].pairWaiters.filter { $0.owner == owner }
    links[index].pairWaiters.removeAll { $0.owner == owner }
    for waiter in dropped {
      complete(owner, waiter.id, .failure(PairingFault.cancelled.failure(with: links[index].peer)))
    }
    let wasAsked = links[index].question?.owner == owner
    if wasAsked || !dropped.isEmpty && !isPairingNeeded(at: index) { secure(links[index].handle, .cancelled) }
  }

  // MARK: Questions

  /// The client to ask: the one that started the pairing, or the serving client if a central did.
  /// A bonded link that is being encrypted has no owner yet, so the client that waits for it is
  /// asked.
  private func personAsked(at index: Int) -> OwnerID? {
    if let waiter = links[index].pairWaiters.first { return waiter.owner }
    if let wanted = links[index].onDemand.first { return wanted.owner }
    if links[index].role == .peripheral { return servingOwner }
    return authenticationPolicy(at: index)?.owner ?? links[index].owners.first
      ?? arbiter.requestedConnections.first { $0.peer == links[index].peer }?.owner
  }

  mutating func ask(_ question: PairingQuestion, on handle: ConnectionHandle) {
    guard let index = link(handle) else { return }
    let owner = personAsked(at: index)
    if case .display(let code) = question {
      guard links[index].security.pairing?.request.fixedPasskey == nil else { return }
      guard let owner, links[index].security.pairing?.request.displays == true else {
        return note(.log, "the code for \(links[index].peer) is \(question.digits ?? "\(code)")")
      }
      bonds.questions += 1
      report(owner, .pairingAsked(PairingQuestionID(bonds.questions), links[index].peer, question))
      return
    }
    guard let owner else { return secure(handle, .answered(.no)) }
    bonds.questions += 1
    let id = PairingQuestionID(bonds.questions)
    links[index].question = OpenQuestion(id: id, owner: owner)
    report(owner, .pairingAsked(id, links[index].peer, question))
  }

  mutating func withdrawQuestion(on handle: ConnectionHandle) {
    guard let index = link(handle), let open = links[index].question else { return }
    links[index].question = nil
    report(open.owner, .pairingWithdrawn(open.id))
  }

  mutating func answerPairing(_ owner: OwnerID, _ id: OperationID, _ asked: PairingQuestionID, _ answer: PairingAnswer) {
    guard let index = links.indices.first(where: { links[$0].question == OpenQuestion(id: asked, owner: owner) }) else {
      return complete(owner, id, .success(.done))
    }
    links[index].question = nil
    // Completed when the pairing ends, so that a killed run does not rely on it before.
    links[index].answers.append(Link.Waiter(owner: owner, id: id))
    secure(links[index].handle, .answered(answer))
  }

  // MARK: The end

  mutating func pairingFinished(_ result: PairingResult, on handle: ConnectionHandle) {
    guard let index = link(handle) else { return }
    let peer = links[index].peer
    let followers = followers(of: result, at: index)
    let waiting = links[index].pairWaiters.filter { waiter in !followers.contains(waiter) }
    links[index].pairWaiters = followers
    let onDemand = links[index].onDemand
    links[index].onDemand = []
    let awaited = links[index].awaitsEncryption
    links[index].awaitsEncryption = false
    for answer in links[index].answers { complete(answer.owner, answer.id, .success(.done)) }
    links[index].answers = []
    switch result {
    case .secured(let level):
      confirmBond(handle)
      identify(handle)
      if awaited, isLive(handle) != nil { becomeReady(handle) }
      // The peer has a bond now. The serving client did not request it, but is informed too.
      let isServed = link(handle).map { links[$0].role == .peripheral } ?? false
      if isServed || !waiting.isEmpty || !onDemand.isEmpty { linkChanged(handle) }
      for waiter in waiting {
        // Not even the bond of an earlier pairing is enough for a client that asks for more.
        let lack = level.lack(for: waiter.request)
        complete(waiter.owner, waiter.id, lack.map { .failure($0.failure(with: peer)) } ?? .success(.paired(level)))
      }
      for wanted in onDemand { askAgain(wanted, on: handle) }
    case .failed(let fault):
      let failure = fault.failure(with: peer, waiting: links[index].security.attempts.remaining(at: now.moment))
      let level = link(handle).map { links[$0].security.security }
      for waiter in waiting {
        // The two cannot authenticate each other, so the first client's bond is the best possible.
        if waiter.hasFollowed, !waiter.awaitsRenewal, fault.isForLackOfMeans, let level, level.isEncrypted,
          level.lack(for: waiter.request) == nil
        {
          complete(waiter.owner, waiter.id, .success(.paired(level)))
        } else {
          complete(waiter.owner, waiter.id, .failure(failure))
        }
      }
      for wanted in onDemand {
        // If the client that began it has left, the device is asked again and pairs with this one.
        if fault == .cancelled {
          askAgain(wanted, on: handle)
        } else {
          complete(wanted.owner, wanted.id, .failure(failure))
        }
      }
      if waiting.isEmpty, onDemand.isEmpty, !awaited, fault != .lost {
        let begins = "pairing with \(peer) failed"
        note(.warning, failure.message.hasPrefix(begins) ? failure.message : "\(begins): \(failure.message)")
      }
      if awaited { closeLink(handle, failure) }
    }
    follow(on: handle)
  }

  /// The clients that get less than they ask for, or that came during the pairing of another one
  /// and can authenticate the peer. Without this, Just Works would be silent for them.
  private func followers(of result: PairingResult, at index: Int) -> [PairWaiter] {
    guard links[index].role == .central, links[index].stage == .ready else { return [] }
    return links[index].pairWaiters.filter { waiter in
      if waiter.hasFollowed { return false }
      let hasData = links[index].policies.contains { $0.owner == waiter.owner && $0.outOfBand != nil }
      let follows = waiter.joinsAnother && (waiter.asksForMore || hasData)
      switch result {
      case .secured(let level):
        return waiter.awaitsRenewal || level.lack(for: waiter.request) != nil || follows && !level.isAuthenticated
      // Whoever began it has left.
      case .failed(.cancelled): return true
      case .failed(let fault): return follows && fault.mayBeOfOneClient
      }
    }
  }

  /// Starts the pairing of the first client that follows another one.
  private mutating func follow(on handle: ConnectionHandle) {
    guard let index = isLive(handle), let waiter = links[index].pairWaiters.first, !waiter.hasFollowed,
      !links[index].security.isBusy
    else { return }
    links[index].pairWaiters[0].hasFollowed = true
    takeOutOfBand(of: waiter.owner, at: index)
    let level = links[index].security.security
    let raises = level.isEncrypted && level.lack(for: waiter.request) == nil && !waiter.awaitsRenewal
    secure(handle, raises ? .raise(waiter.request) : .pair(waiter.request, renews: waiter.awaitsRenewal))
  }
}

extension LEHost.PairWaiter: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      owner: try reader.next(), id: try reader.next(), request: try reader.next(), joinsAnother: try reader.next(),
      hasFollowed: try reader.next(), awaitsRenewal: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: owner, id, request, joinsAnother, hasFollowed, awaitsRenewal) }
}

extension LEHost.OpenQuestion: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { self.init(id: try reader.next(), owner: try reader.next()) }
  func write(to writer: inout ByteWriter) { writer.put(all: id, owner) }
}
