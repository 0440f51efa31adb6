import Vocabulary

/// How often pairing has failed, and how long the peer waits before the next attempt (Vol 3, Part
/// H, 2.3.6): 2 s, doubled with each up to 5 min.
struct PairingAttempts: Equatable, Sendable {
  enum Admission: Sendable {
    case yes
    case no
    /// Not, and it was told already.
    case silently
  }

  private var failures = 0
  private var waitsUntil: Moment?
  private var wasTold = false

  mutating func failed(at now: Moment) {
    // forgotten after a while
    if let waitsUntil, waitsUntil + SecurityLimits.attemptsForgotten <= now { failures = 0 }
    failures = min(failures + 1, 16)
    var wait = SecurityLimits.firstWait
    for _ in 1..<failures where wait < SecurityLimits.longestWait { wait = wait + wait }
    waitsUntil = now + min(wait, SecurityLimits.longestWait)
    wasTold = false
  }

  mutating func admits(at now: Moment) -> Admission {
    guard let waitsUntil, now < waitsUntil else { return .yes }
    if wasTold { return .silently }
    wasTold = true
    return .no
  }
}

/// The limits of pairing by name.
enum SecurityLimits {
  /// From each PDU to the next (Vol 3, Part H, 3.4).
  static let transaction = TimeSpan.seconds(30)
  /// Encryption Change comes within this.
  static let encryption = TimeSpan.seconds(40)
  /// A person answers within this.
  static let question = TimeSpan.seconds(28)
  /// A Security Request without a bond waits so long for a `pair`.
  static let heldRequest = TimeSpan.seconds(5)
  /// A bonded central has so long to encrypt the link before it is asked to.
  static let patience = TimeSpan.milliseconds(500)
  /// What a bonded client configures at our server is on disk after this.
  static let memory = TimeSpan.seconds(1)
  /// PDUs that wait while something else is awaited.
  static let inbox = 8
  /// Key PDUs that may overtake the event of encryption.
  static let earlyKeys = 4
  static let firstWait = TimeSpan.seconds(2)
  static let longestWait = TimeSpan.minutes(5)
  static let attemptsForgotten = TimeSpan.minutes(10)
}

extension PairingAttempts: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    failures = try reader.next(0...16, "attempts")
    waitsUntil = try reader.next()
    wasTold = try reader.next()
  }

  func write(to writer: inout ByteWriter) { writer.put(all: failures, waitsUntil, wasTold) }
}
