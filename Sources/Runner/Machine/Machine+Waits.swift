import Exchange
import Recipe
import Vocabulary

extension Machine {
  /// Ends a `wait`, so that the next `wait for` takes only events from now on.
  func endMark(_ fiber: inout Fiber) {
    fiber.mark = header.value.sequence
    fiber.hasWritten = false
  }

  mutating func waitUntil(_ index: Int, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let site = program.untils[index]
    var limit = try limit(site.within, standard: nil, fiber, base)
    if environment.patience > .zero, let given = limit { limit = Limit(span: given.span, due: given.due + environment.patience) }
    if try Value.truth(of: try evaluate(site.predicate, &fiber)) {
      endMark(&fiber)
      return nil
    }
    return pause(&fiber, .until(site: index, limit))
  }

  /// Evaluates every `wait until` again after something has happened.
  mutating func recheckUntils() {
    // A failure may end a fiber and shift the others, so look them up by number.
    for id in fibers.map(\.id) {
      guard let index = fibers.index(of: id), case .until(let site, _) = fibers[index].wait else { continue }
      if program.untils[site].mentionsNow, fibers[index].role.waitsForEvents, isCatchingUp { continue }
      var failure: Failure?
      var holds = false
      askingFiber(index) { machine, fiber in
        do throws(Failure) {
          holds = try Value.truth(of: try machine.evaluate(machine.program.untils[site].predicate, &fiber))
        } catch {
          failure = error
        }
        if holds { machine.endMark(&fiber) }
      }
      if let failure { fail(index, failure) } else if holds { complete(index) }
    }
  }

  mutating func waitEvent(_ index: Int, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let site = program.eventWaits[index]
    let limit = try limit(site.within, standard: nil, fiber, base)
    if case .notify(let attribute, _) = site.event {
      _ = try path(attribute, fiber, base)
      let device = try device(attribute.device, fiber, base)
      if !devices[link: device].isLinked, !devices[device].isWanted, devices[link: device].phase == .idle,
        devices[link: device].resumeLimit == nil
      {
        // Events from before the link was lost can still be taken.
        if let (event, value) = try oldest(site, &fiber, base) { return try take(event, value, site, &fiber, base) }
        throw disconnected(device)
      }
    }
    if site.event.scan == nil, let (event, value) = try oldest(site, &fiber, base) {
      return try take(event, value, site, &fiber, base)
    }
    if case .line = site.event, isInputOver {
      // The end of stdin is reported to every wait for a line.
      let fits = try site.predicate.map { (predicate) throws(Failure) in
        try Value.truth(of: try evaluate(predicate, &fiber, it: .nothing))
      }
      if fits ?? true {
        endMark(&fiber)
        store(.nothing, (site.destination ?? .it).raw, &fiber, base)
        return nil
      }
    }
    return pause(&fiber, .event(site: index, limit))
  }

  private mutating func take(
    _ event: MachineEvent, _ value: Value, _ site: WaitEventSite, _ fiber: inout Fiber, _ base: Int
  ) throws(Failure) -> Stop? {
    fiber.mark = event.sequence
    fiber.hasWritten = false
    if case .notified(let reference, let bytes) = event.kind, case .notify(_, raw: false) = site.event {
      received(value, from: bytes, of: reference.descriptor ?? reference.characteristic, by: fiber)
    }
    take(event, &fiber)
    store(value, (site.destination ?? .it).raw, &fiber, base)
    return nil
  }

  /// The oldest kept event that this `wait for` may take.
  private mutating func oldest(
    _ site: WaitEventSite, _ fiber: inout Fiber, _ base: Int
  ) throws(Failure) -> (MachineEvent, Value)? {
    for event in events.kept where event.sequence > fiber.mark && !isOutdated(event) {
      guard event.kind.isFor(site.isOfServer),
        matches(event, site.event, device: try wantedDevice(site, fiber, base), fiber, base)
      else { continue }
      let value = try eventValue(event, site.event)
      if let predicate = site.predicate {
        guard try Value.truth(of: try evaluate(predicate, &fiber, it: value)) else { continue }
      }
      return (event, value)
    }
    return nil
  }

  private func wantedDevice(_ site: WaitEventSite, _ fiber: borrowing Fiber, _ base: Int) throws(Failure) -> Int? {
    switch site.event {
    case .notify(let attribute, _), .write(let attribute, _), .read(let attribute), .subscribe(let attribute),
      .unsubscribe(let attribute):
      if site.isOfServer, case .current = attribute.device { return nil }
      return try device(attribute.device, fiber, base)
    case .connect(let site), .disconnect(let site), .services(let site):
      if let site { return try device(site, fiber, base) }
      return meantDevice(fiber, base)
    case .passkey: return meantDevice(fiber, base)
    case .advertisement, .restore, .stop, .failure, .line, .adapter: return nil
    }
  }

  private func meantDevice(_ fiber: borrowing Fiber, _ base: Int) -> Int? {
    if case .device(let index) = fiber.slots[base + 1] { index } else { nil }
  }

  /// Keeps an event if some `wait for` names its kind, and passes it to fibers that wait for it.
  /// - Returns: whether a fiber waited for it.
  mutating func keep(_ event: MachineEvent) -> Bool {
    guard program.eventWaits.contains(where: { event.kind.isFor($0.isOfServer) && isNamed(event, by: $0.event) }) else {
      return false
    }
    events.keep(event, isOlder: isOlder(event.at))
    if events.keepsTooMuch { pruneKept() }
    if events.keepsTooMuch, let oldest = events.takeKept() {
      events.countDropped(line: 0, device: oldest.device, at: now.moment)
    }
    var isTaken = false
    for id in fibers.map(\.id) {
      guard let index = fibers.index(of: id), case .event(let site, _) = fibers[index].wait else { continue }
      var failure: Failure?
      var taken: Value?
      let waiting = program.eventWaits[site]
      askingFiber(index) { machine, fiber in
        let base = fiber.frames[fiber.frames.count - 1].base
        do throws(Failure) {
          if let (found, value) = try machine.oldest(waiting, &fiber, base) {
            fiber.mark = found.sequence
            fiber.hasWritten = false
            machine.take(found, &fiber)
            taken = value
          }
        } catch {
          failure = error
        }
      }
      if let failure {
        fail(index, failure)
      } else if let taken {
        isTaken = true
        complete(index, taken, into: waiting.destination)
      }
    }
    return isTaken
  }

  /// Drops kept events that all fibers have passed.
  mutating func pruneKept() {
    guard !events.kept.isEmpty else { return }
    var oldest = header.value.sequence
    for fiber in fibers { oldest = min(oldest, fiber.mark) }
    events.prune(through: oldest)
  }

  // MARK: Time

  mutating func fireDeadlines() {
    let moment = now.moment
    // Once the body has ended, timers do not fire.
    if life == .running, !isCatchingUp { fireTimers() }
    var position = 0
    while position < fibers.count {
      let id = fibers[position].id
      if mayTime(fibers[position]) { fireDeadline(position, moment) }
      if position < fibers.count, fibers[position].id == id { position += 1 }
    }
    fireLinkDeadlines(moment)
    fireAdapterPatience(moment)
  }

  var isDraining: Bool { if case .draining = life { true } else { false } }

  private func mayTime(_ fiber: borrowing Fiber) -> Bool {
    if isRestoring { return fiber.isRestore }
    switch life {
    case .running, .draining: return true
    case .stopping: return fiber.isStop
    case .closing, .done: return false
    }
  }

  private mutating func fireDeadline(_ index: Int, _ moment: Moment) {
    for (frame, state) in fibers[index].frames.enumerated() {
      for (attempt, state) in state.tries.enumerated() {
        if let limit = state.limit, limit.due <= moment { return cutOff(index, frame: frame, attempt: attempt) }
      }
    }
    switch fibers[index].wait {
    case .span(let due):
      if due.moment <= moment, !isCatchingUp || !Self.waitsForEvents(fibers[index], at: moment) {
        withFiber(index) { machine, fiber in machine.endMark(&fiber) }
        complete(index)
      }
    case .retry(let due): if due.moment <= moment { fibers.wake(index) }
    case .until(let site, let limit):
      if let limit, limit.due <= moment {
        fail(index, timeout("the condition of `wait until` did not become true", limit))
      } else if program.untils[site].mentionsNow {
        hasNews = true
      }
    case .event(_, let limit):
      if let limit, limit.due <= moment { fail(index, timeout("the event of `wait for` did not come", limit)) }
    case .link(let device, let limit): if let limit, limit.due <= moment { linkTimedOut(index, device, limit) }
    case .scan(let scan): if let limit = scan.limit, limit.due <= moment { scanEnded(index, scan) }
    case .operation(let operation):
      if let limit = operation.limit, limit.due <= moment { operationTimedOut(index, operation, limit) }
    case .command(let command):
      if let limit = command.limit, limit.due <= moment { commandTimedOut(index, command, limit) }
    case .none, .forever, .reconnect, .file, .published, .closing, .forgetting, .branches, .asked, .prompt: break
    }
  }

  func timeout(_ text: String, _ limit: Limit) -> Failure {
    Failure(.timeout, "\(text) within \(limit.span)", blame: .peer)
  }
}
