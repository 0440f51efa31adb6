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

extension OwedAnswer: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(operation: try OperationID(reading: &reader), activation: try PairingActivation(reading: &reader))
  }

  func write(to writer: inout ByteWriter) {
    operation.write(to: &writer)
    activation.write(to: &writer)
  }
}
