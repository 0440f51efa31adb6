import Exchange
import Vocabulary

/// A program that `run` has started.
struct CommandWait: Equatable, Sendable {
  var effect: EffectID
  var limit: Limit?
  var policy: OperationWait.Policy
}

extension CommandWait: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    effect = try EffectID(reading: &reader)
    limit = try reader.next(Limit?.self)
    let raw = try reader.readUInt8()
    guard let policy = OperationWait.Policy(rawValue: raw) else { throw .invalid("when unsure", UInt64(raw)) }
    self.policy = policy
  }

  func write(to writer: inout ByteWriter) {
    effect.write(to: &writer)
    writer.put(all: limit)
    writer.put(policy.rawValue)
  }
}
