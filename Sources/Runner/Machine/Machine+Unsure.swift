import Exchange
import Vocabulary

/// Operations that did not complete. The host may know whether they were done; otherwise `when
/// unsure` decides.
extension Machine {
  /// How long to wait for the host's report on a withdrawn operation. It comes almost at once,
  /// unless the keeper is gone.
  static let withdrawal = TimeSpan.seconds(2)

  /// Handles a failure reported by the host.
  mutating func operationFailed(_ place: Int, _ given: OperationWait, _ failure: Failure) {
    var operation = given
    let index = operation.device
    if operation.cut != nil {
      return settleCut(place, operation, failure.delivered ?? (failure.blame == .refused ? .notSent : .maybe))
    }
    // ATT's transaction timeout also ends the link (Vol 3, Part F, 3.3.3).
    let isSilence = failure.kind == .timeout && failure.layer == .att
    guard isSilence || failure.kind == .disconnected || failure.kind == .cancelled else {
      return failedAtPeer(place, operation, failure)
    }
    // Decided when the loss of the link is reported, so that `on disconnect` comes first.
    if operation.isVerifying || operation.isLocating {
      // The failed request had no side effects, so the state of the write is unchanged.
      operation.lost = operation.lost ?? .notSent
    } else {
      let delivery = failure.delivered ?? .maybe
      operation.lost = delivery == .notSent ? operation.lost ?? .notSent : delivery
    }
    operation.isLocating = false
    operation.isVerifying = false
    if operation.lost == .notSent || operation.policy == .harmless { operation.sent = nil }
    if isSilence { operation.givenUp = failure }
    put(operation, place)
    guard !devices[link: index].isLinked else { return }
    if case .closing = devices[link: index].phase { return }
    operationLostLink(place, operation, DisconnectReason(text: failure.message))
  }

  private mutating func put(_ operation: OperationWait, _ place: Int) {
    fibers[place].wait = .operation(operation)
  }

  /// Handles a refusal by the device or the host. A malformed answer to a write is neither a
  /// success nor a refusal.
  private mutating func failedAtPeer(_ place: Int, _ given: OperationWait, _ failure: Failure) {
    var operation = given
    if operation.isVerifying {
      return fail(place, unsure(operation, "it could not be read back: \(failure.message)"), device: operation.device)
    }
    guard operation.mayHaveLeft, let delivery = failure.delivered, delivery != .notSent else {
      return fail(place, failure, device: operation.device)
    }
    let isFirst = operation.lost == nil
    operation.lost = delivery
    switch operation.policy {
    case .fail: fail(place, unsure(operation, failure.message), device: operation.device)
    case .skip: written(place, operation)
    case .repeat, .verify:
      guard isFirst else { return fail(place, failure, device: operation.device) }
      operation.sent = nil
      send(&operation, for: fibers[place].id, fibers[place].role)
      put(operation, place)
    case .harmless: fail(place, failure, device: operation.device)
    }
  }

  /// Handles the loss of the link while this operation waited or was in progress.
  mutating func operationLostLink(_ place: Int, _ given: OperationWait, _ reason: DisconnectReason) {
    var operation = given
    let index = operation.device
    if operation.cut != nil { return settleCut(place, operation, operation.lost ?? .maybe) }
    if operation.mayHaveLeft { operation.lost = operation.isVerifying ? operation.lost : operation.lost ?? .maybe }
    // An operation that was never sent is repeated silently.
    if operation.lost == .notSent { operation.lost = nil }
    var isUnsure = operation.lost != nil
    let silence = operation.givenUp
    operation.givenUp = nil
    operation.isLocating = false
    operation.sent = nil
    operation.isVerifying = false
    let name = devices[index].text
    switch operation.policy {
    case .fail where isUnsure:
      return fail(place, unsure(operation, "the link to \(name) was lost (\(reason.text))"), device: index)
    case .skip where isUnsure:
      guard operation.takeNextPiece(at: now.moment) else { return complete(place) }
      isUnsure = false
    default: break
    }
    if devices[index].isWanted || devices[link: index].resumeLimit != nil { return put(operation, place) }
    let delivery = operation.lost ?? .notSent
    if isUnsure, operation.policy != .harmless {
      return fail(
        place,
        Failure(
          .unreachable, "the link to \(name) was lost (\(reason.text)), and no statement restores it", blame: .radio, layer: .hci,
          code: reason.code.map(UInt16.init),
          hint: "`when unsure \(operation.policy == .verify ? "verify" : "repeat")` makes it safe to `connect` and try again",
          delivered: delivery), device: index)
    }
    if var told = silence ?? adapter.trouble {
      told.delivered = delivery
      return fail(place, told, device: index)
    }
    if case .pair = operation.request {
      // Pairing changes nothing until it has succeeded.
      return fail(
        place,
        Failure(
          .disconnected, "the link to \(name) was lost during the pairing: \(reason.text)", blame: .radio, layer: .smp,
          code: reason.code.map(UInt16.init),
          hint: PairingAdvice.lost), device: index)
    }
    fail(
      place,
      Failure(
        .disconnected, "the link to \(name) was lost: \(reason.text)", blame: .radio, layer: .hci,
        code: reason.code.map(UInt16.init), delivered: delivery), device: index)
  }

  func unsure(_ operation: OperationWait, _ why: String) -> Failure {
    Failure(
      .unsure, "it is not known whether the write was done: \(why)", blame: .radio, layer: .att,
      hint: "choose what happens then with `when unsure repeat`, `verify` or `skip`, or ask the device in `otherwise if unsure`",
      delivered: operation.lost ?? .maybe)
  }

  // MARK: Time limits

  /// Handles the end of a statement's `within`.
  mutating func operationTimedOut(_ place: Int, _ operation: OperationWait, _ limit: Limit) {
    let index = operation.device
    let name = devices[index].text
    if let cut = operation.cut {
      // The host has not reported whether it was sent.
      if cut == .statement { settleCut(place, operation, .maybe) }
      return
    }
    if operation.sent == nil, !devices[link: index].isLinked {
      if var trouble = adapter.trouble, operation.lost == nil {
        trouble.delivered = .notSent
        return fail(place, trouble, device: index)
      }
      return fail(
        place,
        unfinishedEncryption(index, within: limit.span, operation.lost ?? .notSent)
          ?? Failure(
            .unreachable, "\(name) did not come back within \(limit.span)", blame: .radio, layer: .hci,
            delivered: operation.lost ?? .notSent), device: index)
    }
    if awaitsWithdrawal(place, .statement) { return }
    withdraw(operation)
    if let lost = operation.lost, lost != .notSent, operation.policy == .fail || operation.policy == .skip {
      var told = operation
      told.cut = .statement
      return settleCut(place, told, lost)
    }
    fail(place, overdue(operation, limit.span, operation.lost), device: index)
  }

  private func overdue(_ operation: OperationWait, _ span: TimeSpan, _ delivery: Failure.Delivery?) -> Failure {
    if case .pair = operation.request, devices[link: operation.device].question != nil {
      return Failure(
        .timeout, "the pairing with \(devices[operation.device].text) got no answer to its question within \(span)", blame: .recipe,
        layer: .smp, hint: "`answer` in `on passkey` gives it, in less time", delivered: delivery)
    }
    if let ends = devices[link: operation.device].discoveryEnds, ends <= now.moment {
      return Failure(
        .timeout, "the discovery of \(devices[operation.device].text) took longer than \(Self.discoveryTimeout)", blame: .peer,
        layer: .att, hint: "`within` gives it more time; `request interval 15ms` makes it faster", delivered: delivery)
    }
    return Failure(
      .timeout, "\(devices[operation.device].text) did not answer within \(span)", blame: .peer, layer: .att, delivered: delivery)
  }

  /// Withdraws a write that must not repeat if it was sent. The fiber waits for the host's report;
  /// returns false if none is needed.
  mutating func awaitsWithdrawal(_ place: Int, _ cut: OperationWait.Cut) -> Bool {
    guard case .operation(var operation) = fibers[place].wait, operation.mayHaveLeft, operation.lost == nil,
      operation.policy == .fail || operation.policy == .skip
    else { return false }
    if operation.cut == nil { withdraw(operation) }
    operation.cut = cut
    let by = now.moment + Self.withdrawal
    if let limit = operation.limit, limit.due < by { operation.limit?.due = by }
    if case .attempt(let frame, let attempt) = cut { fibers[place].frames[frame].tries[attempt].limit?.due = by }
    fibers[place].wait = .operation(operation)
    return true
  }

  /// Finishes a withdrawn operation, whose delivery is now known or will never be known.
  mutating func settleCut(_ place: Int, _ given: OperationWait, _ delivery: Failure.Delivery) {
    var operation = given
    let index = operation.device
    guard let cut = operation.cut else { return }
    operation.cut = nil
    operation.lost = delivery
    fibers[place].wait = .operation(operation)
    switch cut {
    case .attempt(let frame, let attempt):
      fibers[place].frames[frame].tries[attempt].limit?.due = now.moment
      endAttempts(place, frame: frame, attempt: attempt, isUnsure: delivery != .notSent && operation.policy == .fail)
    case .statement:
      let span = operation.limit?.span ?? .zero
      if delivery == .notSent { return fail(place, overdue(operation, span, .notSent), device: index) }
      if operation.policy == .skip {
        // The time of the statement is over, even if some pieces are left.
        if operation.takeNextPiece(at: now.moment) { return fail(place, overdue(operation, span, .notSent), device: index) }
        return complete(place)
      }
      fail(place, unsure(operation, "\(devices[index].text) did not answer within \(span)"), device: index)
    }
  }
}
