import Exchange
import Recipe
import Vocabulary

/// Scans that run as long as a block is active or a statement waits.
extension Machine {
  /// Begins and ends scans according to what currently needs one.
  mutating func arrangeListening() {
    guard program.hasListeners, !isRestoring else { return }
    switch life {
    case .closing, .done: return
    case .running, .draining, .stopping: break
    }
    listens.endPause(at: now.moment)
    for operation in listens.operations where listens.owner(of: operation).map({ !needsListening($0) }) ?? false {
      listens.end(operation)
      request(nextOperation(), .cancel(operation))
    }
    for handler in activeHandlers where scanSite(ofHandler: handler.unit) != nil { beginListening(.handler(handler.unit)) }
    guard program.eventWaits.contains(where: { $0.event.scan != nil }) else { return }
    for index in fibers.indices where needsListening(.fiber(fibers[index].id)) { beginListening(.fiber(fibers[index].id)) }
  }

  /// Ends all scans, when the run ends or restarts.
  mutating func endListening() {
    for operation in listens.operations {
      listens.end(operation)
      request(nextOperation(), .cancel(operation))
    }
  }

  private mutating func beginListening(_ owner: Listen.Owner) {
    guard listens.pausedUntil == nil, !listens.contains(owner), let request = listeningRequest(owner) else { return }
    let operation = nextOperation()
    listens.begin(owner, operation)
    self.request(operation, .scan(request))
  }

  /// Resumes the scans of a killed run, at a keeper with the same number.
  mutating func restoreListening() {
    guard newestKept != nil else {
      for operation in listens.operations { listens.end(operation) }
      return
    }
    for operation in listens.operations {
      guard let owner = listens.owner(of: operation), needsListening(owner), let request = listeningRequest(owner) else { continue }
      self.request(operation, .scan(request))
    }
  }

  private func needsListening(_ owner: Listen.Owner) -> Bool {
    switch owner {
    case .handler(let unit): activeHandlers.contains { $0.unit == unit } && scanSite(ofHandler: unit) != nil
    case .fiber(let id): scanSite(ofFiber: id) != nil
    }
  }

  /// The scan of a handler for advertisements.
  func scanSite(ofHandler unit: Int) -> Int? {
    guard program.units.indices.contains(unit), case .handler(let site) = program.units[unit].role else { return nil }
    switch site.trigger {
    case .event(let event): return event.scan
    case .whenever(let scan, _): return scan
    case .every, .after: return nil
    }
  }

  private func scanSite(ofFiber id: UInt64) -> Int? {
    guard let index = fibers.index(of: id), case .event(let site, _) = fibers[index].wait,
      program.eventWaits.indices.contains(site)
    else { return nil }
    return program.eventWaits[site].event.scan
  }

  /// The duty cycle of a scan; `use scan` applies to the whole recipe.
  func duty(_ usual: ScanRequest.Duty) -> ScanRequest.Duty { program.settings.scan ?? usual }

  private func listeningRequest(_ owner: Listen.Owner) -> ScanRequest? {
    switch owner {
    case .handler(let unit):
      guard let site = scanSite(ofHandler: unit) else { return nil }
      return ScanRequest(
        duty: duty(isWhenever(unit) ? .gentle : .full), filter: filter(of: site, frame(unit, at: site)), reportsOthers: false)
    case .fiber(let id):
      guard let site = scanSite(ofFiber: id), let index = fibers.index(of: id) else { return nil }
      return ScanRequest(duty: duty(.full), filter: filter(of: site, fibers[index]), reportsOthers: false)
    }
  }

  /// A frame in which a handler examines an advertisement before it has a fiber.
  private func frame(_ unit: Int, at scan: Int) -> Fiber {
    var fiber = Fiber(id: 0, role: .body)
    fiber.frames = [Frame(unit: unit, pc: program.scans[scan].prologue ?? program.units[unit].entry, base: 0, destination: 0)]
    fiber.slots = Array(filledWith: .nothing, count: max(program.units[unit].localCount, Operand.firstFree))
    return fiber
  }

  /// Returns false if this number is not a scan of a handler or of `wait for`.
  mutating func listenerHeard(_ operation: OperationID, _ advertisement: Advertisement, _ at: Instant) -> Bool {
    guard let owner = listens.owner(of: operation) else { return false }
    switch life {
    case .closing, .done: return true
    case .running, .draining, .stopping: break
    }
    switch owner {
    case .handler(let unit): handlerHeard(unit, advertisement, at)
    case .fiber(let id): fiberHeard(id, advertisement, at)
    }
    return true
  }

  private mutating func handlerHeard(_ unit: Int, _ advertisement: Advertisement, _ at: Instant) {
    guard let scan = scanSite(ofHandler: unit), case .handler(let site) = program.units[unit].role, life == .running || isDraining
    else { return }
    // Update a known device even if it does not match.
    if let known = deviceIndex(advertisement.address) { learn(known, advertisement, at) }
    if case .whenever(_, let again) = site.trigger, !mayAppear(unit, advertisement.address, again, at) { return }
    var fiber = frame(unit, at: scan)
    do throws(Failure) {
      if let prologue = program.scans[scan].prologue { _ = try evaluate(prologue, &fiber) }
      guard try matches(advertisement, program.scans[scan], &fiber) else { return }
    } catch {
      effects.append(
        .failed(
          FailureReport(
            failure: error, range: program.statements[program.units[unit].owner ?? 0].range, device: nil, attempts: 1, ends: false,
            isOfHandler: true))
      )
      header.countFailure()
      return
    }
    let index = knownDevice(AddressValue(advertisement.address), isHeard: true)
    learn(index, advertisement, at)
    hasNews = true
    if case .whenever = site.trigger { return appeared(index, advertisement.address, unit, site) }
    enqueue(MachineEvent(sequence: header.nextEvent(), device: index, kind: .advertised(advertisement), at: at), unit, site)
  }

  private mutating func fiberHeard(_ id: UInt64, _ advertisement: Advertisement, _ at: Instant) {
    guard let scan = scanSite(ofFiber: id), let place = fibers.index(of: id), case .event(let number, _) = fibers[place].wait
    else { return }
    let site = program.eventWaits[number]
    var failure: Failure?
    var value: Value?
    askingFiber(place) { machine, fiber in
      do throws(Failure) {
        guard try machine.matches(advertisement, machine.program.scans[scan], &fiber) else { return }
        let heard = machine.advertisementValue(advertisement, machine.program.scans[scan])
        if let predicate = site.predicate {
          guard try Value.truth(of: try machine.evaluate(predicate, &fiber, it: heard)) else { return }
        }
        value = heard
        machine.endMark(&fiber)
      } catch {
        failure = error
      }
    }
    if let failure { return fail(place, failure) }
    guard let value else { return }
    learn(knownDevice(AddressValue(advertisement.address), isHeard: true), advertisement, at)
    complete(place, value, into: site.destination)
  }

  /// Handles a scan that the host has ended by itself. The scan of a handler begins again later.
  mutating func listeningEnded(_ operation: OperationID, _ owner: Listen.Owner, _ result: Result<Outcome, Failure>) {
    guard case .failure(let failure) = result, failure.kind != .cancelled else { return }
    if case .fiber(let id) = owner {
      listens.end(operation)
      if let place = fibers.index(of: id) { fail(place, failure) }
      return
    }
    listens.ended(operation, at: now.moment)
    note(.warning, failure.message)
  }

  /// Counts advertisements that a keeper could not queue.
  mutating func advertisementsMissed(_ operation: OperationID, _ count: Int) {
    guard case .handler(let unit)? = listens.owner(of: operation), case .handler(let site) = program.units[unit].role else {
      return
    }
    events.countDropped(line: site.line, device: -1, count: UInt64(clamping: count), at: now.moment)
  }
}

extension EventSite {
  /// The scan of an advertisement event.
  var scan: Int? { if case .advertisement(let scan) = self { scan } else { nil } }
}
