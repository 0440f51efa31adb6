import Exchange
package import Vocabulary

/// The number of an effect that is answered.
package struct EffectID: Hashable, Comparable, Sendable {
  package var raw: UInt64

  package init(_ raw: UInt64) { self.raw = raw }

  package static func < (left: EffectID, right: EffectID) -> Bool { left.raw < right.raw }
}

extension EffectID: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { raw = try reader.readVarint() }

  package func write(to writer: inout ByteWriter) { writer.put(varint: raw) }
}
