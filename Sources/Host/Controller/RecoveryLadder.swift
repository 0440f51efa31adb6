import Vocabulary

/// What is done about an adapter that is in trouble, from the gentlest step to the last (rule 21):
/// restart the scan, reset the controller and initialise it anew, close the connection to it and
/// open it again. Each step that did not help leads to the next; one that helped is forgotten after
/// `HostLimits.settled`.
///
/// An adapter that has never worked is no case for patience: one more Reset, and it is given up.
/// One that has is given up when it did not work for `HostLimits.recovery`. A connection that
/// cannot be opened is tried for ever: how long somebody wants to wait for it is not known here.
struct RecoveryLadder: Equatable, Sendable {
  enum Step: Equatable, Sendable {
    case restartScan
    case reset
    /// Close and open the connection, after this.
    case reopen(after: TimeSpan)
    case giveUp
    /// It is left as it is.
    case rest
  }

  /// It was initialised once.
  private(set) var hasWorked = false
  /// Steps taken since it last worked for long, and since when.
  private var climbed = 0
  private var began: Moment?
  private var reopenings = 0
  private var lastStep: Moment?
  /// Steps taken because nothing was heard.
  private var silences = 0
  /// Since when it is away, for the log.
  private(set) var awaySince: Moment?

  init() {}

  /// The next step. `hasLinks` keeps a controller from being reset only because nothing is heard
  /// (rule 4).
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

  /// Silence may be the truth: nothing ends because of it.
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

  /// Initialised: for how long it was away.
  mutating func works(at now: Moment) -> TimeSpan? {
    hasWorked = true
    defer { awaySince = nil }
    return awaySince.map { now - $0 }
  }

  /// Something was heard while scanning.
  mutating func heard() { silences = 0 }

  /// Everything was tried against silence.
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
