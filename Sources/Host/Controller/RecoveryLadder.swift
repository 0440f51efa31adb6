import Vocabulary

/// The steps of recovery of an adapter, from the gentlest to the last (rule 21): restart the scan,
/// reset and initialise the controller, close and reopen the connection to it. A step that does not
/// help leads to the next. After `HostLimits.settled` without trouble, recovery starts at the first
/// step again.
///
/// An adapter that has never worked gets one more Reset and is then given up. One that has worked
/// is given up after `HostLimits.recovery`. A connection that cannot be opened is tried without
/// limit, because only the client knows how long to wait.
struct RecoveryLadder: Equatable, Sendable {
  enum Step: Equatable, Sendable {
    case restartScan
    case reset
    /// Close the connection, and open it after this time.
    case reopen(after: TimeSpan)
    case giveUp
    /// Leave the adapter as it is.
    case rest
  }

  /// Whether it was initialised at least once.
  private(set) var hasWorked = false
  /// The number of steps since it last worked for long, and since when.
  private var climbed = 0
  private var began: Moment?
  private var reopenings = 0
  private var lastStep: Moment?
  /// The number of steps because of silence.
  private var silences = 0
  /// Since when it has been away, for the log.
  private(set) var awaySince: Moment?

  init() {}

  /// Returns the next step. With links, silence alone never resets the controller (rule 4).
  mutating func climb(_ trouble: AdapterTrouble, hasLinks: Bool, at now: Moment) -> Step {
    if case .scanSilent = trouble { return silence(hasLinks: hasLinks, at: now) }
    if let lastStep, awaySince == nil, now - lastStep > HostLimits.settled {
      climbed = 0
      reopenings = 0
      began = nil
    }
    lastStep = now
    if began == nil { began = now }
    if awaySince == nil { awaySince = now }
    switch trouble {
    case .transportLost: return hasWorked ? reopen() : .giveUp
    case .refused where !hasWorked: return .giveUp
    default: break
    }
    climbed += 1
    guard hasWorked else { return climbed > HostLimits.firstResets ? .giveUp : .reset }
    if climbed == 1 { return .reset }
    if let began, now - began >= HostLimits.recovery { return .giveUp }
    return reopen()
  }

  private mutating func reopen() -> Step {
    var delay = HostLimits.reopenAfter
    for _ in 0..<min(reopenings, 16) where delay < HostLimits.reopenCeiling { delay = delay * 2 }
    reopenings += 1
    return .reopen(after: min(delay, HostLimits.reopenCeiling))
  }

  /// Returns the step for a silent scan. The air may really be silent, so this never gives up.
  private mutating func silence(hasLinks: Bool, at now: Moment) -> Step {
    silences += 1
    switch silences {
    case 1: return .restartScan
    case 2 where !hasLinks:
      awaySince = now
      return .reset
    case 3 where !hasLinks:
      awaySince = now
      return .reopen(after: .zero)
    default: return .rest
    }
  }

  /// The adapter is initialised. Returns how long it was away.
  mutating func works(at now: Moment) -> TimeSpan? {
    hasWorked = true
    defer { awaySince = nil }
    return awaySince.map { now - $0 }
  }

  /// A scan received something.
  mutating func heard() { silences = 0 }

  /// Whether every step against silence was tried.
  var isResting: Bool { silences >= 4 }
}

extension RecoveryLadder: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    hasWorked = try reader.next()
    climbed = try reader.next(0...1 << 32, "steps of recovery")
    began = try reader.next()
    reopenings = try reader.next(0...1 << 32, "reopenings")
    lastStep = try reader.next()
    silences = try reader.next(0...1 << 32, "silences")
    awaySince = try reader.next()
  }

  func write(to writer: inout ByteWriter) {
    writer.put(all: hasWorked, climbed, began, reopenings, lastStep, silences, awaySince)
  }
}
