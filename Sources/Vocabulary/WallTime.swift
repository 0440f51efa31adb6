/// A point on the wall clock: nanoseconds since 1970-01-01T00:00:00Z, the recipe's `time`.
package struct WallTime: Hashable, Comparable, Sendable {
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Where every simulated world begins: 2026-01-01T00:00:00Z.
  package static let simulationStart = WallTime(nanoseconds: 1_767_225_600_000_000_000)

  /// Whole seconds since 1970, rounded down.
  package var unix: Int64 {
    nanoseconds >= 0 ? nanoseconds / 1_000_000_000 : -((-nanoseconds + 999_999_999) / 1_000_000_000)
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

extension WallTime: Storable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { nanoseconds = try reader.readZigzag() }

  package func write(to writer: inout ByteWriter) { writer.put(zigzag: nanoseconds) }
}
