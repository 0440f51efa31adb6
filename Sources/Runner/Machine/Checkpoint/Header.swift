import Exchange
import Vocabulary

/// Counters and other state that exists once per run.
struct Header: Equatable, Sendable {
  /// Increased when the meaning of the rows changes, or the code that the compiler gives.
  static let version: UInt8 = 16
  /// Operation numbers are reserved in blocks of this size to avoid a commit for each of them.
  static let operationBlock: UInt64 = 64
  /// How many operation numbers beyond the reserved ones a run may use to close its links while it
  /// ends and no longer commits.
  static let operationMargin: UInt64 = 1024

  var nextFiber: UInt64 = 1
  /// Operation numbers up to this one are reserved.
  var reservedOperations: UInt64 = 0
  var nextEffect: UInt64 = 0
  var nextTimer: UInt64 = 1
  /// The number of the latest event.
  var sequence: UInt64 = 0
  var random: UInt64 = 0
  var bootID = ""
  /// Unhandled failures so far, and the exit code that the first of them requests.
  var failures: UInt64 = 0
  var failureCode: Int64 = 0
  /// Why the run was ending: the raw value of `StopReason` plus one; 0 if it was not ending.
  var ending: UInt8 = 0
  var endingCode: Int64 = 0
  /// Whether `on stop` has begun, so that only its fibers continue.
  var isStopping = false
  /// Events that full queues dropped and that are not reported yet; maintained by `DropCounts`.
  var dropped: [DroppedEvents] = []

  /// Answers to pairing questions that the host has not confirmed.
  var answers: [PendingAnswer] = []

  // For a run that is the client of a keeper.
  /// The identity of the run at the keeper, 16 octets; empty if it never had a keeper.
  var keeperIdentity: [UInt8] = []
  /// The session with the keeper that holds the run's links; 0 if there is none.
  var keeperSession: UInt64 = 0
  /// The keeper's last event that this checkpoint covers.
  var covered = EventNumber(0)
}

extension Header: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    let version = try reader.readUInt8()
    guard version == Self.version else { throw .invalid("checkpoint version", UInt64(version)) }
    // Counters are row numbers of 55 bits, which must not overflow.
    func counter() throws(DecodeError) -> UInt64 {
      let number = try reader.readVarint()
      guard number < 1 << 55 else { throw .invalid("counter", number) }
      return number
    }
    nextFiber = try counter()
    reservedOperations = try counter()
    nextEffect = try counter()
    nextTimer = try counter()
    sequence = try counter()
    // The row of a queued event also contains the number of a handler.
    guard sequence < 1 << 41 else { throw .invalid("event number", sequence) }
    random = try reader.readUInt64()
    bootID = try reader.readText()
    failures = try counter()
    failureCode = try reader.readZigzag()
    ending = try reader.readUInt8()
    guard ending == 0 || StopReason(rawValue: ending - 1) != nil else { throw .invalid("ending", UInt64(ending)) }
    endingCode = try reader.readZigzag()
    isStopping = try reader.readBool()
    dropped = try reader.next([DroppedEvents].self)
    answers = try reader.next([PendingAnswer].self)
    keeperIdentity = try reader.readBlob()
    keeperSession = try reader.readUInt64()
    covered = EventNumber(try reader.readVarint())
  }

  func write(to writer: inout ByteWriter) {
    writer.put(Self.version)
    writer.put(varint: nextFiber)
    writer.put(varint: reservedOperations)
    writer.put(varint: nextEffect)
    writer.put(varint: nextTimer)
    writer.put(varint: sequence)
    writer.put(random)
    writer.put(text: bootID)
    writer.put(varint: failures)
    writer.put(zigzag: failureCode)
    writer.put(ending)
    writer.put(zigzag: endingCode)
    writer.put(isStopping)
    writer.put(all: dropped)
    writer.put(all: answers)
    writer.put(blob: keeperIdentity)
    writer.put(keeperSession)
    writer.put(varint: covered.raw)
  }
}
