import Exchange
package import Vocabulary

/// Background work of a prompt between two entries. Every statement takes precedence over it.
extension Machine {
  /// Starts background work for a while, because completion may need it.
  package mutating func keyPressed(at now: Instant) { idle.until = now.moment + IdleWork.span }

  /// Whether a turn would begin background work.
  package var hasIdleWork: Bool { idle.until != nil && idle.scan == nil && !idle.isRefused }

  /// Devices that were heard between entries, the newest first.
  package var heardBetweenEntries: [(address: String, name: String?, signal: Int?)] {
    idle.heard.reversed().filter { now.moment - $0.at < IdleWork.oldest }.map {
      (AddressValue($0.address).description, $0.name, $0.signal)
    }
  }

  /// Begins and ends background work, at the end of a turn.
  mutating func arrangeIdleWork() {
    guard idle.until != nil || idle.isUnderWay else { return }
    guard life == .running, !isRestoring, let until = idle.until, now.moment < until else { return endIdleWork() }
    if let (operation, device) = idle.discovery, isUsed(device) {
      idle.discovery = nil
      request(nextOperation(), .cancel(operation))
    }
    guard adapter.isUp, isAtPrompt else { return }
    if idle.scan == nil, !idle.isRefused {
      let operation = nextOperation()
      idle.scan = operation
      // Nothing passes the filter, so each device is reported once, and once more with its name.
      request(operation, .scan(ScanRequest(duty: .spare, filter: ScanFilter(strongerThan: .max))))
    }
    guard idle.discovery == nil else { return }
    idle.asked.removeAll { !devices.indices.contains($0) || !devices[link: $0].isLinked }
    guard let device = devices.active.first(where: { !idle.asked.contains($0) && lacksAttributes($0) && !isUsed($0) }),
      let address = devices[device].address
    else { return }
    let operation = nextOperation()
    idle.discovery = (operation, device)
    request(operation, .gatt(address, .discover([])))
  }

  mutating func endIdleWork() {
    idle.until = nil
    for operation in [idle.scan, idle.discovery?.operation] {
      if let operation { request(nextOperation(), .cancel(operation)) }
    }
    idle.scan = nil
    idle.discovery = nil
    idle.isRefused = false
  }

  /// Returns false if the operation is not background work.
  mutating func idleWorkCompleted(_ operation: OperationID, _ result: Result<Outcome, Failure>) -> Bool {
    if operation == idle.scan {
      idle.scan = nil
      if case .failure = result { idle.isRefused = true }
      return true
    }
    guard let discovery = idle.discovery, discovery.operation == operation else { return false }
    // A failed discovery is not repeated over this link.
    idle.asked.append(discovery.device)
    idle.discovery = nil
    return true
  }

  private func lacksAttributes(_ index: Int) -> Bool {
    guard let cache = devices[cache: index] else { return true }
    return cache.servicesNext != nil || cache.services.contains { $0.includesNext != nil || $0.characteristicsNext != nil }
  }

  /// Whether a statement uses this link, or it is not ready.
  private func isUsed(_ index: Int) -> Bool {
    guard devices.indices.contains(index), devices[link: index].phase == .ready else { return true }
    return fibers.contains { if case .operation(let operation) = $0.wait { operation.device == index } else { false } }
  }
}
