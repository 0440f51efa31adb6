import Vocabulary

/// Counts failed pairings and delays the next attempt (Vol 3, Part H, 2.3.6): 2 s, doubled with
/// each failure up to 5 min.
struct PairingAttempts: Equatable, Sendable {
  private var failures = 0
  private var waitsUntil: Moment?

  /// - Parameter isFixed: Whether the passkey never changes, so that each attempt reveals a part of
  ///   it.
  mutating func failed(at now: Moment, isFixed: Bool = false) {
    // Failures are forgotten a while after their delay, those with a fixed passkey after a day.
    let forgotten = isFixed ? SecurityLimits.longestFixedWait : SecurityLimits.attemptsForgotten
    if let waitsUntil, waitsUntil + forgotten <= now { failures = 0 }
    failures = min(failures + 1, 17)
    let longest = isFixed ? SecurityLimits.longestFixedWait : SecurityLimits.longestWait
    var wait = SecurityLimits.firstWait
    for _ in 1..<failures where wait < longest { wait = wait + wait }
    waitsUntil = now + min(wait, longest)
  }

  /// The remaining delay of the next attempt.
  func remaining(at now: Moment) -> TimeSpan? { waitsUntil.flatMap { now < $0 ? $0 - now : nil } }

  func isOver(before other: PairingAttempts) -> Bool { (waitsUntil ?? .zero) < (other.waitsUntil ?? .zero) }
}

/// The attempts of each device on any link. It is bounded; the device whose delay ends first is
/// dropped.
struct AttemptBook: Equatable, Sendable {
  struct Entry: Equatable, Sendable {
    var peer: Address
    var attempts: PairingAttempts
  }

  private var entries: [Entry] = []
  static let most = 64

  /// Private addresses share one entry, because anyone can create them.
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

/// The limits of pairing.
enum SecurityLimits {
  /// The time from each PDU to the next (Vol 3, Part H, 3.4).
  static let transaction = TimeSpan.seconds(30)
  /// The time in which Encryption Change must arrive.
  static let encryption = TimeSpan.seconds(40)
  /// The time in which a user must answer.
  static let question = TimeSpan.seconds(28)
  /// How long a Security Request without a bond waits for a `pair`.
  static let heldRequest = TimeSpan.seconds(5)
  /// The time in which a bonded central should encrypt the link before we request it.
  static let patience = TimeSpan.milliseconds(500)
  /// The delay before changes by a bonded client of our server are written to disk.
  static let memory = TimeSpan.seconds(1)
  /// The most PDUs that may wait while the pairing waits for something else.
  static let inbox = 8
  /// The shortest time between answers to PDUs outside a pairing other than Pairing Requests.
  static let unsolicited = TimeSpan.seconds(1)
  /// The most key PDUs that may overtake the event of encryption.
  static let earlyKeys = 4
  static let firstWait = TimeSpan.seconds(2)
  static let longestWait = TimeSpan.minutes(5)
  static let longestFixedWait = TimeSpan.days(1)
  /// The longest delay that a `pair` of ours waits out. Beyond that it fails and reports the delay.
  static let longestOwnWait = TimeSpan.seconds(30)
  /// The longest delay after which a refused Pairing Request is repeated: after 2, 4 and 8 s.
  static let longestPeerWait = TimeSpan.seconds(8)
  /// Added to a delay of our own, because the peer's delay starts when it hears of the failure.
  static let ownMargin = TimeSpan.milliseconds(500)
  static let attemptsForgotten = TimeSpan.minutes(10)
}

extension PairingAttempts: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    failures = try reader.next(0...17, "attempts")
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
