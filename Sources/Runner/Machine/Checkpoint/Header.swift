import Exchange
import Vocabulary

/// Counters and what else there is once in a run.
struct Header: Equatable, Sendable {
  /// Counts up when the meaning of the rows changes.
  static let version: UInt8 = 1

  var nextFiber: UInt64 = 1
  var nextOperation: UInt64 = 0
  var nextEffect: UInt64 = 0
  var nextTimer: UInt64 = 1
  /// Number of the newest event.
  var sequence: UInt64 = 0
  var random: UInt64 = 0
  var bootID = ""
  /// Failures that no handler caught so far, and the code that the first of them asks for.
  var failures: UInt64 = 0
  var failureCode: Int64 = 0
  /// The run had begun to end, and how: one more than the raw value of `StopReason`; 0 while it has not.
  var ending: UInt8 = 0
  var endingCode: Int64 = 0
}

extension Header: Storable {
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
    nextOperation = try counter()
    nextEffect = try counter()
    nextTimer = try counter()
    sequence = try counter()
    random = try reader.readUInt64()
    bootID = try reader.readText()
    failures = try counter()
    failureCode = try reader.readZigzag()
    ending = try reader.readUInt8()
    guard ending == 0 || StopReason(rawValue: ending - 1) != nil else { throw .invalid("ending", UInt64(ending)) }
    endingCode = try reader.readZigzag()
  }

  func write(to writer: inout ByteWriter) {
    writer.put(Self.version)
    writer.put(varint: nextFiber)
    writer.put(varint: nextOperation)
    writer.put(varint: nextEffect)
    writer.put(varint: nextTimer)
    writer.put(varint: sequence)
    writer.put(random)
    writer.put(text: bootID)
    writer.put(varint: failures)
    writer.put(zigzag: failureCode)
    writer.put(ending)
    writer.put(zigzag: endingCode)
  }
}
