/// A point on the wall clock, in nanoseconds since 1970-01-01T00:00:00Z; the language's `time`.
package struct WallTime: Hashable, Comparable, Sendable {
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The start of every simulation: 2026-01-01T00:00:00Z.
  package static let simulationStart = WallTime(nanoseconds: 1_767_225_600_000_000_000)

  /// Whole seconds since 1970, rounded down.
  package var unix: Int64 {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return rest < 0 ? seconds - 1 : seconds
  }

  /// The nanoseconds beyond the whole seconds, 0 to 999,999,999.
  package var subsecond: Int64 {
    let rest = nanoseconds % 1_000_000_000
    return rest < 0 ? rest + 1_000_000_000 : rest
  }

  /// Whole seconds since 1970, clamped to the range of 64-bit nanoseconds (1677 to 2262).
  package init(unix seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    self.init(nanoseconds: overflow ? (seconds < 0 ? .min : .max) : product)
  }

  package static func < (left: WallTime, right: WallTime) -> Bool { left.nanoseconds < right.nanoseconds }

  package static func + (time: WallTime, span: TimeSpan) -> WallTime {
    WallTime(nanoseconds: (TimeSpan(nanoseconds: time.nanoseconds) + span).nanoseconds)
  }

  package static func - (time: WallTime, span: TimeSpan) -> WallTime { time + -span }

  package static func - (left: WallTime, right: WallTime) -> TimeSpan {
    TimeSpan(nanoseconds: left.nanoseconds) - TimeSpan(nanoseconds: right.nanoseconds)
  }
}

extension WallTime: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { nanoseconds = try reader.readZigzag() }

  package func write(to writer: inout ByteWriter) { writer.put(zigzag: nanoseconds) }
}
