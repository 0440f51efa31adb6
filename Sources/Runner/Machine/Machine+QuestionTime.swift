import Exchange
import Recipe
import Vocabulary

/// Extended time limits: a statement whose pairing asks a person has as much time as `pair`.
extension Machine {
  /// The time limit of `pair`. Each command of a pairing may take 30 s (Vol 3, Part H, 3.4).
  static let pairingTimeout = TimeSpan.minutes(1)

  /// Extends the default limits of statements that wait for this device during a pairing. A
  /// `within` of the recipe is not changed.
  mutating func allowForAnswer(from index: Int) {
    let limit = Limit(span: Self.pairingTimeout, due: now.moment + Self.pairingTimeout)
    for place in fibers.indices {
      guard hasStandardLimit(fibers[place]) else { continue }
      switch fibers[place].wait {
      case .operation(var operation):
        guard operation.device == index, operation.sent != nil, operation.cut == nil, let before = operation.limit,
          before.due < limit.due
        else { continue }
        operation.limit = limit
        fibers[place].wait = .operation(operation)
      case .link(index, let before?) where before.due < limit.due: fibers[place].wait = .link(device: index, limit)
      default: break
      }
    }
    if case .connecting(let operation, let due?) = devices[link: index].phase, due < limit.due {
      devices[link: index].phase = .connecting(operation, limit.due)
    }
  }

  /// How long a discovery may prolong statements. A device that changes its services again and
  /// again would otherwise prolong them for ever.
  static let discoveryTimeout = TimeSpan.minutes(5)

  /// Starts the default limits of this device's statements again, because it has answered a request
  /// of a discovery. A large device is discovered with hundreds of them.
  mutating func allowForDiscovery(of index: Int) {
    for place in fibers.indices {
      guard case .operation(var operation) = fibers[place].wait, operation.device == index, operation.cut == nil,
        let limit = operation.limit, hasStandardLimit(fibers[place])
      else { continue }
      let ends = devices[link: index].discoveryEnds ?? now.moment + Self.discoveryTimeout
      devices[link: index].discoveryEnds = ends
      operation.limit?.due = max(limit.due, min(now.moment + limit.span, ends))
      fibers[place].wait = .operation(operation)
    }
  }

  /// Whether the statement of a fiber has the default time limit.
  private func hasStandardLimit(_ fiber: borrowing Fiber) -> Bool {
    guard let pc = fiber.frames.last?.pc, program.code.indices.contains(pc) else { return false }
    let op = program.code[pc]
    let place = Int(op.a)
    switch op.code {
    case .discover: return program.discovers[place].within == .standard
    case .pair: return program.pairs[place].within == .standard
    case .read: return program.reads[place].within == .standard
    case .write: return program.writes[place].within == .standard
    case .subscribe, .unsubscribe: return program.subscribes[place].within == .standard
    case .connect: return program.connects[place].within == .standard
    case .request: return true
    default: return false
    }
  }
}
