package import Exchange
package import Vocabulary

/// What a run is told: facts, in the past tense.
package enum RunnerEvent: Equatable, Sendable {
  case host(HostReport)
  /// An append or save was performed, or failed (disk full, no such folder, …).
  case fileWritten(EffectID, Failure?)
  /// The line is on stdout or stderr: it need not be repeated.
  case outputWritten(EffectID)
  /// Somebody wants the run to end: `on stop` runs, links are closed, then `finished` comes.
  case stopRequested(StopReason)
}

/// The number of an effect that has an outcome.
package struct EffectID: Hashable, Comparable, Sendable {
  package var raw: UInt64

  package init(_ raw: UInt64) { self.raw = raw }

  package static func < (left: EffectID, right: EffectID) -> Bool { left.raw < right.raw }
}

extension EffectID: Storable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { raw = try reader.readVarint() }

  package func write(to writer: inout ByteWriter) { writer.put(varint: raw) }
}
