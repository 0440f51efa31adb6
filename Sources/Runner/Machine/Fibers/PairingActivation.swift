import Exchange
import Vocabulary

/// The pairing question that an activation answers.
struct PairingActivation: Equatable, Sendable {
  /// 0 if no answer is expected any more: it was given, the pairing has ended, or its host is gone.
  var id: PairingQuestionID
  var question: PairingQuestion
  var isAnswered = false

  static let gone = PairingQuestionID(0)

  var isOpen: Bool { id != Self.gone && question.needsAnswer && !isAnswered }
}

/// Where a fiber took its question with `wait for passkey`. If a kill loses the question, the fiber
/// goes back there, because the pairing starts again with another code.
struct TakenQuestion: Equatable, Sendable {
  /// The frame that waited, counted from the bottom, and its instruction.
  var frame: Int
  var pc: Int
  /// The open blocks of that frame, and its current device.
  var tries: Int
  var rescues: Int
  var handlers: Int
  var device: Value
  /// The number of the event that it took.
  var event: UInt64
  /// Whether the question was lost with the host of a killed process.
  var isLost = false
}

/// An answer that the run gives by itself, kept until the host confirms it. A restored run repeats
/// it with the same number.
struct PendingAnswer: Equatable, Sendable {
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

extension PendingAnswer: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(operation: try OperationID(reading: &reader), activation: try PairingActivation(reading: &reader))
  }

  func write(to writer: inout ByteWriter) {
    operation.write(to: &writer)
    activation.write(to: &writer)
  }
}
