import Exchange
import Vocabulary

/// A question of a pairing that this activation answers.
struct PairingActivation: Equatable, Sendable {
  /// 0 once the answer is not waited for: it was given, the pairing has ended, or its host is gone.
  var id: PairingQuestionID
  var question: PairingQuestion
  var isAnswered = false

  static let gone = PairingQuestionID(0)

  var isOpen: Bool { id != Self.gone && question.needsAnswer && !isAnswered }
}

/// Where a fiber took its question with `wait for passkey`. If a kill costs the question, the fiber
/// goes back there: the pairing starts over, with another code.
struct TakenQuestion: Equatable, Sendable {
  /// The frame that waited, counted from the bottom, and where it waited.
  var frame: Int
  var pc: Int
  /// What was open in that frame, and which device it meant.
  var tries: Int
  var rescues: Int
  var handlers: Int
  var device: Value
  /// The event that it took.
  var event: UInt64
  /// The question went with the host of a process that was killed.
  var isLost = false
}

/// An answer that the run gives by itself, until the host has taken it. A run that comes back gives
/// it again, under the same number.
struct OwedAnswer: Equatable, Sendable {
  var operation: OperationID
  var activation: PairingActivation
}

extension PairingActivation: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      id: PairingQuestionID(try reader.readVarint()), question: try PairingQuestion(reading: &reader),
      isAnswered: try reader.readBool())
  }

  func write(to writer: inout ByteWriter) {
    writer.put(varint: id.raw)
    question.write(to: &writer)
    writer.put(isAnswered)
  }
}

extension TakenQuestion: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    frame = Int(try reader.readUInt16())
    pc = Int(try reader.readUInt32())
    tries = Int(try reader.readUInt16())
    rescues = Int(try reader.readUInt16())
    handlers = Int(try reader.readUInt16())
    device = try Value(reading: &reader)
    event = try reader.readVarint()
    isLost = try reader.readBool()
  }

  func write(to writer: inout ByteWriter) {
    writer.put(UInt16(truncatingIfNeeded: frame))
    writer.put(UInt32(truncatingIfNeeded: pc))
    writer.put(UInt16(truncatingIfNeeded: tries))
    writer.put(UInt16(truncatingIfNeeded: rescues))
    writer.put(UInt16(truncatingIfNeeded: handlers))
    device.write(to: &writer)
    writer.put(varint: event)
    writer.put(isLost)
  }
}

extension OwedAnswer: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(operation: try OperationID(reading: &reader), activation: try PairingActivation(reading: &reader))
  }

  func write(to writer: inout ByteWriter) {
    operation.write(to: &writer)
    activation.write(to: &writer)
  }
}
