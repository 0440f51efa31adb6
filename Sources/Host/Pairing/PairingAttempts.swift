import Vocabulary

/// How often pairing has failed, and how long the peer waits before the next attempt (Vol 3, Part
/// H, 2.3.6): 2 s, doubled with each up to 5 min.
struct PairingAttempts: Equatable, Sendable {
  private var failures = 0
  private var waitsUntil: Moment?

  /// - Parameter isFixed: the code is the same each time, and each attempt gives a part of it away.
  mutating func failed(at now: Moment, isFixed: Bool = false) {
    // forgotten after a while
    if let waitsUntil, waitsUntil + SecurityLimits.attemptsForgotten <= now { failures = 0 }
    failures = min(failures + 1, 16)
    let longest = isFixed ? SecurityLimits.longestFixedWait : SecurityLimits.longestWait
    var wait = SecurityLimits.firstWait
    for _ in 1..<failures where wait < longest { wait = wait + wait }
    waitsUntil = now + min(wait, longest)
  }

  /// How long the next attempt waits.
  func remaining(at now: Moment) -> TimeSpan? { waitsUntil.flatMap { now < $0 ? $0 - now : nil } }

  func isOver(before other: PairingAttempts) -> Bool { (waitsUntil ?? .zero) < (other.waitsUntil ?? .zero) }
}

/// The attempts of each device, on whichever link. Bounded: those whose wait ends first are
/// forgotten.
struct AttemptBook: Equatable, Sendable {
  struct Entry: Equatable, Sendable {
    var peer: Address
    var attempts: PairingAttempts
  }

  private var entries: [Entry] = []
  static let most = 64

  /// Private addresses, which anybody can make, share one entry.
  private static func name(_ peer: Address) -> Address {
    peer.kind == .public || peer.isStaticRandom ? peer : Address(bits: 0, kind: .random)
  }

  subscript(peer: Address) -> PairingAttempts {
    get {
      let name = Self.name(peer)
      return entries.first { $0.peer == name }?.attempts ?? PairingAttempts()
    }
    set {
      let name = Self.name(peer)
      entries.removeAll { $0.peer == name }
      guard newValue != PairingAttempts() else { return }
      if entries.count >= Self.most,
        let first = entries.indices.min(by: { entries[$0].attempts.isOver(before: entries[$1].attempts) })
      {
        entries.remove(at: first)
      }
      entries.append(Entry(peer: name, attempts: newValue))
    }
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
  /// Outside of a pairing, PDUs that are no Pairing Requests are answered only so often.
  static let unsolicited = TimeSpan.seconds(1)
  /// A Pairing Request is not refused while the peer's link layer owes so many acknowledgements.
  static let unacknowledged = 8
  /// Key PDUs that may overtake the event of encryption.
  static let earlyKeys = 4
  static let firstWait = TimeSpan.seconds(2)
  static let longestWait = TimeSpan.minutes(5)
  static let longestFixedWait = TimeSpan.days(1)
  /// So long a `pair` of ours waits by itself; behind that it is told how long to wait.
  static let longestOwnWait = TimeSpan.seconds(30)
  static let attemptsForgotten = TimeSpan.minutes(10)
}

extension PairingAttempts: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    failures = try reader.next(0...16, "attempts")
    waitsUntil = try reader.next()
  }

  func write(to writer: inout ByteWriter) { writer.put(all: failures, waitsUntil) }
}

extension AttemptBook.Entry: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { self.init(peer: try reader.next(), attempts: try reader.next()) }
  func write(to writer: inout ByteWriter) { writer.put(all: peer, attempts) }
}

extension AttemptBook: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    entries = try reader.next()
    guard entries.count <= Self.most else { throw .invalid("devices that failed to pair", UInt64(entries.count)) }
  }

  func write(to writer: inout ByteWriter) { writer.put(all: entries) }
}
