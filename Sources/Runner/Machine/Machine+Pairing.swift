import Exchange
import Recipe
import Vocabulary

/// Pairing: which questions are asked, what answers them, and how a kill affects them.
extension Machine {
  /// Later answers are useless, because the host has ended the pairing.
  private static let answerable = TimeSpan.seconds(28)

  /// How to pair with a device. The active handlers determine whether codes can be displayed,
  /// entered and confirmed.
  func pairing(with device: Int) -> PairRequest {
    var request = basicPairing
    for unit in activeHandlers.lazy.filter({ $0.serves(device) }).map(\.unit) {
      request.add(program.units[unit].role, isOfServer: false)
    }
    for site in program.eventWaits where !site.isOfServer && mayRun(site) { request.add(site.event) }
    if environment.codes.passkey != nil { request.enters = true }
    if environment.codes.consent != nil { request.confirms = true }
    request.needsProof = environment.codes.areProof
    return request
  }

  private var basicPairing: PairRequest {
    PairRequest(
      isStrict: program.settings.pairsStrictly, smallestKey: environment.smallestKey,
      isAutomatic: program.settings.pairsOnDemand, replacesLost: environment.rebonds)
  }

  /// How centrals may pair with the served peripheral; `nil` if the recipe does not mention
  /// pairing.
  mutating func serverPairing(_ template: ServerTemplate) -> PairRequest? {
    let basic = basicPairing
    var request = basic
    let units = program.isPeripheral ? Array(program.units.indices) : template.handlers
    for unit in units { request.add(program.units[unit].role, isOfServer: true) }
    for site in program.eventWaits where site.peripheral == template.peripheral { request.add(site.event) }
    request.fixedPasskey = try? fixedPasskey(of: template)
    let isNeeded =
      request != basic || template.table.isProtected && !program.isPeripheral || basic.smallestKey < 16
      || environment.codes.outOfBand != nil || environment.codes.offerFile != nil
    return isNeeded ? request : nil
  }

  /// Whether a fiber may still reach a `wait for`, which is not the case in a finished entry.
  private func mayRun(_ site: WaitEventSite) -> Bool {
    !program.isEntry(site.unit) || fibers.contains { fiber in fiber.frames.contains { $0.unit == site.unit } }
  }

  /// The fixed passkey of a peripheral.
  mutating func fixedPasskey(of template: ServerTemplate) throws(Failure) -> UInt32? {
    guard let start = template.passkey else { return nil }
    guard let code = PairRequest.passkey(try evaluate(unit: template.unit, at: start).opened()) else {
      throw .value("a passkey is text of six digits, or a number up to 999999")
    }
    return code
  }

  mutating func pairingAsked(_ id: PairingQuestionID, _ peer: Address, _ question: PairingQuestion, _ at: Instant) {
    let index = knownDevice(AddressValue(peer))
    let activation = PairingActivation(id: id, question: question)
    if environment.codes.answer(to: question) != nil { return queueAnswer(activation) }
    allowForAnswer(from: index)
    if question.needsAnswer { devices[link: index].question = id }
    let kind = MachineEvent.Kind.pairingAsked(activation, isOfServer: program.isPeripheral || server.state.centrals.contains(index))
    let event = MachineEvent(sequence: 0, device: index, kind: kind, at: at)
    let isHandled = activeHandlers.contains { handler in
      let unit = handler.unit
      guard handler.serves(index), case .handler(let site) = program.units[unit].role, case .event(let wanted) = site.trigger else {
        return false
      }
      return kind.isFor(site.isOfServer) && isNamed(event, by: wanted)
    }
    let isAwaited = program.eventWaits.contains { kind.isFor($0.isOfServer) && isNamed(event, by: $0.event) && mayRun($0) }
    takeBackAnswers(event)
    let isTaken = (isHandled || isAwaited) && deliver(kind, device: index, at: at)
    if question.needsAnswer {
      // A fiber may reach its `wait for passkey` until the pairing ends.
      if !isHandled, !isAwaited { queueAnswer(activation) }
    } else if !isTaken {
      note(.log, "the code for \(devices[index].text) is \(question.digits ?? "")")
    }
  }

  /// Withdraws the questions of a pairing that has ended.
  mutating func pairingWithdrawn(_ id: PairingQuestionID) {
    settleQuestion(id)
    for number in fibers.map(\.id) {
      guard let index = fibers.index(of: number), fibers[index].question?.id == id else { continue }
      endQuestion(index)
    }
    events.withdraw(id)
  }

  private mutating func settleQuestion(_ id: PairingQuestionID) {
    for index in devices.active where devices[link: index].question == id { devices[link: index].question = nil }
  }

  /// Ends an activation whose answer is not needed any more.
  mutating func endQuestion(_ index: Int) {
    let id = fibers[index].id
    guard fibers[index].question?.isOpen == true else { return }
    // A fiber that took the question continues; its `answer` will fail.
    let isTaken = fibers[index].taken != nil
    guard isTaken || !fibers[index].isFileWait else { return }
    fibers[index].question?.id = PairingActivation.gone
    if isTaken { return }
    if case .operation(let operation) = fibers[index].wait { withdraw(operation) }
    cancelWait(index)
    fibers.release(id)
    fiberEnded(index)
  }

  /// Whether a question was queued for too long, or its host is gone.
  func isOutdated(_ event: MachineEvent) -> Bool {
    guard case .pairingAsked(let activation, _) = event.kind else { return false }
    return activation.id == PairingActivation.gone || event.at.moment + Self.answerable <= now.moment
  }

  // MARK: Answers

  mutating func answer(_ value: Value, to activation: PairingActivation, _ fiber: inout Fiber) throws(Failure) -> Stop? {
    if isGone(activation, fiber) { return try takeAnother(&fiber) }
    guard activation.question.needsAnswer else {
      throw .value("a code that is only shown needs no answer")
    }
    let answer: PairingAnswer
    switch activation.question {
    case .passkey:
      guard let code = PairRequest.passkey(try value.opened()) else {
        throw .value("a code is text of six digits, or a number up to 999999")
      }
      answer = .passkey(code)
    case .comparison, .unproven, .display:
      guard case .bool(let isRight) = try value.opened() else { throw .value("the answer here is true or false") }
      answer = isRight ? .yes : .no
    }
    return give(answer, to: activation, &fiber)
  }

  mutating func refuse(_ activation: PairingActivation, _ fiber: inout Fiber) throws(Failure) -> Stop? {
    if isGone(activation, fiber) { return try takeAnother(&fiber) }
    guard activation.question.needsAnswer else {
      throw .value("a code that is only shown cannot be refused")
    }
    return give(.no, to: activation, &fiber)
  }

  /// Gives an answer. The statement ends when the host has confirmed it; a killed run repeats it.
  private mutating func give(_ answer: PairingAnswer, to activation: PairingActivation, _ fiber: inout Fiber) -> Stop? {
    guard activation.isOpen else { return nil }
    settleQuestion(activation.id)
    let operation = nextOperation()
    request(operation, .answerPairing(activation.id, answer))
    fiber.question?.isAnswered = true
    return pause(&fiber, .published(operation))
  }

  /// Repeats an answer, which the checkpoint does not contain because it may be secret.
  mutating func answerAgain(_ index: Int) {
    let top = fibers[index].frames.count - 1
    fibers[index].wait = .none
    fibers[index].question?.isAnswered = false
    fibers[index].frames[top].pc = statementStart(fibers[index].frames[top].pc)
    fibers.wake(index)
  }

  /// Refuses on behalf of a handler that ends without an answer, or fails.
  mutating func refuseUnanswered(_ fiber: Fiber) {
    guard let activation = fiber.question, activation.isOpen else { return }
    queueAnswer(activation)
  }

  private func ownAnswer(to activation: PairingActivation) -> PairingAnswer {
    environment.codes.answer(to: activation.question) ?? .no
  }

  /// Answers without a handler.
  private mutating func queueAnswer(_ activation: PairingActivation) {
    settleQuestion(activation.id)
    let operation = nextOperation()
    header.urgent.answers.append(PendingAnswer(operation: operation, activation: activation))
    request(operation, .answerPairing(activation.id, ownAnswer(to: activation)))
  }

  mutating func answerTaken(_ operation: OperationID) {
    guard let place = header.value.answers.firstIndex(where: { $0.operation == operation }) else { return }
    header.value.answers.remove(at: place)
  }

  // MARK: `wait for passkey`

  /// Records the question that a fiber has taken; an earlier open one is refused.
  mutating func take(_ event: MachineEvent, _ fiber: inout Fiber) {
    guard case .pairingAsked(let activation, _) = event.kind, activation.question.needsAnswer else { return }
    refuseUnanswered(fiber)
    fiber.question = activation
    let top = fiber.frames.count - 1
    let frame = fiber.frames[top]
    fiber.taken = TakenQuestion(
      frame: top, pc: frame.pc, tries: frame.tries.count, rescues: frame.tries.count { $0.rescued != nil },
      handlers: frame.handlers.count, device: fiber.slots[frame.base + 1], event: event.sequence)
  }

  private func isGone(_ activation: PairingActivation, _ fiber: borrowing Fiber) -> Bool {
    fiber.taken != nil && activation.id == PairingActivation.gone
  }

  /// Takes the next question if a kill lost the current one; otherwise fails.
  private mutating func takeAnother(_ fiber: inout Fiber) throws(Failure) -> Stop {
    if goBack(&fiber) { return .turnOver }
    fiber.question = nil
    fiber.taken = nil
    throw Failure(.timeout, "the pairing had ended before this", blame: .peer)
  }

  /// Moves a fiber whose question was lost by a kill back to its `wait for passkey`, if it is still
  /// inside the same blocks.
  private mutating func goBack(_ fiber: inout Fiber) -> Bool {
    guard let taken = fiber.taken, taken.isLost, fiber.frames.indices.contains(taken.frame),
      program.code.indices.contains(taken.pc), program.code[taken.pc].code == .waitEvent
    else { return false }
    let frame = fiber.frames[taken.frame]
    guard Int(program.unitOf[taken.pc]) == frame.unit, frame.tries.count >= taken.tries, frame.handlers.count >= taken.handlers,
      frame.tries.prefix(taken.tries).count(where: { $0.rescued != nil }) == taken.rescues,
      let wait = program.statement(at: taken.pc), let current = program.statement(at: frame.pc),
      (program.statements[current].blocks + [current]).starts(with: program.statements[wait].blocks)
    else { return false }
    while fiber.frames.count > taken.frame + 1 { popFrame(&fiber) }
    while fiber.frames[taken.frame].tries.count > taken.tries { endTry(&fiber) }
    while fiber.frames[taken.frame].handlers.count > taken.handlers {
      if let handler = fiber.frames[taken.frame].handlers.popLast() { leaveHandler(handler) }
    }
    fiber.slots[frame.base + 1] = taken.device
    fiber.frames[taken.frame].pc = statementStart(taken.pc)
    fiber.wait = .none
    fiber.mark = taken.event
    fiber.hasWritten = false
    fiber.question = nil
    fiber.taken = nil
    return true
  }

  /// Whether the answer of a fiber was lost with the host of a killed process. The fiber waits
  /// until the pairing asks again or turns out to be over.
  private func hasLostAnswer(_ fiber: borrowing Fiber, about device: Int) -> Bool {
    guard case .published = fiber.wait, let taken = fiber.taken, taken.isLost, fiber.question?.isAnswered == true else {
      return false
    }
    if case .device(let meant) = taken.device { return meant == device }
    return true
  }

  /// Moves fibers back to their `wait for passkey` when the pairing asks again.
  private mutating func takeBackAnswers(_ event: MachineEvent) {
    for number in fibers.map(\.id) {
      guard let index = fibers.index(of: number), hasLostAnswer(fibers[index], about: event.device),
        let pc = fibers[index].taken?.pc, program.code.indices.contains(pc), program.code[pc].code == .waitEvent
      else { continue }
      let site = program.eventWaits[Int(program.code[pc].a)]
      guard event.kind.isFor(site.isOfServer), isNamed(event, by: site.event) else { continue }
      if withFiber(index, { machine, fiber in machine.goBack(&fiber) }) { fibers.wake(index) }
    }
  }

  /// Continues fibers with a lost answer, because the pairing has succeeded or failed.
  mutating func settleAnswers(about device: Int) {
    for number in fibers.map(\.id) {
      guard let index = fibers.index(of: number), hasLostAnswer(fibers[index], about: device) else { continue }
      fibers[index].question = nil
      fibers[index].taken = nil
      complete(index)
    }
  }

  /// Clears the question of a fiber after its pairing has ended.
  func forgetQuestion(_ fiber: inout Fiber) {
    guard fiber.taken != nil, fiber.question?.isAnswered == true else { return }
    fiber.question = nil
    fiber.taken = nil
  }

  // MARK: Our out-of-band data

  /// Requests our out-of-band data before the first connection or service, and again in a later
  /// process. A host that still has it returns the same data.
  mutating func askForOffer() {
    guard environment.codes.offerFile != nil, !hasAskedForOffer, !isRestoring, life == .running else { return }
    hasAskedForOffer = true
    request(nextOperation(), .offerOutOfBand)
  }

  // MARK: After a kill

  /// Repeats answers at a keeper. Without one, questions are lost, because a new pairing asks
  /// again.
  mutating func restoreQuestions() {
    guard past?.kept != nil else {
      if !header.value.answers.isEmpty { header.urgent.answers = [] }
      for number in fibers.map(\.id) {
        guard let index = fibers.index(of: number), fibers[index].question?.isOpen == true else { continue }
        fibers[index].taken?.isLost = true
        endQuestion(index)
      }
      return
    }
    for answer in header.value.answers {
      request(answer.operation, .answerPairing(answer.activation.id, ownAnswer(to: answer.activation)))
    }
  }
}

extension PairRequest {
  /// Adds what a handler can do for a pairing.
  fileprivate mutating func add(_ role: Unit.Role, isOfServer: Bool) {
    guard case .handler(let site) = role, case .event(let event) = site.trigger, site.isOfServer == isOfServer else { return }
    add(event)
  }

  fileprivate mutating func add(_ event: EventSite) {
    guard case .passkey(let kind) = event else { return }
    switch kind {
    case .request: enters = true
    case .display: displays = true
    case .confirm: confirms = true
    }
  }

  /// A passkey from a recipe's value: six digits of text, or a number.
  static func passkey(_ value: Value) -> UInt32? {
    switch value {
    case .text(let text):
      let digits = text.utf8.filter { $0 != UInt8(ascii: " ") }
      guard digits.count == 6 else { return nil }
      return UInt32(text.filter { $0 != " " }).flatMap { $0 <= 999_999 && !text.contains("+") ? $0 : nil }
    default: return value.whole.flatMap { (0...999_999).contains($0) ? UInt32($0) : nil }
    }
  }
}
