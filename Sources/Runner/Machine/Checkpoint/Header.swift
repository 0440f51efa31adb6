import Exchange
import Vocabulary

/// Counters and what else there is once in a run.
struct Header: Equatable, Sendable {
  /// Counts up when the meaning of the rows changes.
  static let version: UInt8 = 12
  /// Numbers of operations are set aside so many at a time, that not each costs a commit.
  static let operationBlock: UInt64 = 64
  /// A run that ends commits nothing more and still asks for its links to be closed: numbers behind
  /// those that were set aside are left to that.
  static let operationMargin: UInt64 = 1024

  var nextFiber: UInt64 = 1
  /// How far numbers of operations are set aside.
  var reservedOperations: UInt64 = 0
  var nextEffect: UInt64 = 0
  var nextTimer: UInt64 = 1
  /// Number of the newest event.
  var sequence: UInt64 = 0
  var random: UInt64 = 0
  var bootID = ""
  /// Failures that no handler caught so far, and the code that the first of them asks for.
  var failures: UInt64 = 0
  var failureCode: Int64 = 0
  /// The run had begun to end, and how: one more than the raw value of `StopReason`; 0 while it has
  /// not.
  var ending: UInt8 = 0
  var endingCode: Int64 = 0
  /// `on stop` has begun: what is left of it are its fibers.
  var isStopping = false
  /// What full queues have lost and nobody was told of yet. `DropCounts` counts it.
  var dropped: [DroppedEvents] = []

  /// Answers to questions of pairings that the host has not taken.
  var answers: [OwedAnswer] = []

  // Of a run that is the client of a keeper
  /// Who it is there, 16 octets; none for a run that never was one.
  var keeperIdentity: [UInt8] = []
  /// The acquaintance with the keeper that has its links; 0 for none.
  var keeperSession: UInt64 = 0
  /// Everything up to this event of that keeper is in this checkpoint.
  var covered = EventNumber(0)
}

extension Header: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    let version = try reader.readUInt8()
    guard version == Self.version else { throw .invalid("checkpoint version", UInt64(version)) }
    // Counters are numbers of rows, which have 55 bits; beyond them they could not be counted up.
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
    // Its row in a queue has the number of a handler beside it.
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
    answers = try reader.next([OwedAnswer].self)
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
