/// A length of time in nanoseconds, the language's `duration`.
package struct TimeSpan: Hashable, Comparable, Sendable {
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  package static let zero = TimeSpan(nanoseconds: 0)

  // Counts come from recipes and peers, so they clamp instead of trapping.
  package static func microseconds(_ count: Int64) -> TimeSpan { TimeSpan(nanoseconds: 1000) * count }
  package static func milliseconds(_ count: Int64) -> TimeSpan { TimeSpan(nanoseconds: 1_000_000) * count }
  package static func seconds(_ count: Int64) -> TimeSpan { TimeSpan(nanoseconds: 1_000_000_000) * count }
  package static func minutes(_ count: Int64) -> TimeSpan { .seconds(60) * count }
  package static func hours(_ count: Int64) -> TimeSpan { .minutes(60) * count }
  package static func days(_ count: Int64) -> TimeSpan { .hours(24) * count }

  package var milliseconds: Int64 { nanoseconds / 1_000_000 }
  package var seconds: Double { Double(nanoseconds) / 1e9 }

  package static func < (left: TimeSpan, right: TimeSpan) -> Bool { left.nanoseconds < right.nanoseconds }

  // Spans come from recipes and checkpoints, so sums clamp instead of trapping.
  package static func + (left: TimeSpan, right: TimeSpan) -> TimeSpan {
    let (sum, overflow) = left.nanoseconds.addingReportingOverflow(right.nanoseconds)
    return TimeSpan(nanoseconds: overflow ? (left.nanoseconds < 0 ? .min : .max) : sum)
  }

  package static prefix func - (span: TimeSpan) -> TimeSpan {
    TimeSpan(nanoseconds: span.nanoseconds == .min ? .max : -span.nanoseconds)
  }

  package static func - (left: TimeSpan, right: TimeSpan) -> TimeSpan { left + -right }

  package static func * (span: TimeSpan, factor: Int64) -> TimeSpan {
    let (product, overflow) = span.nanoseconds.multipliedReportingOverflow(by: factor)
    return TimeSpan(nanoseconds: overflow ? ((span.nanoseconds < 0) != (factor < 0) ? .min : .max) : product)
  }
}

extension TimeSpan: CustomStringConvertible {
  /// The notation of recipes: `1h30min`, `250ms`, `0s`; below a millisecond in microseconds,
  /// `40us`.
  package var description: String {
    if nanoseconds < 0 { return "-\(-self)" }
    if nanoseconds == 0 { return "0s" }
    if nanoseconds < 1_000_000 { return "\(nanoseconds / 1000)us" }
    var rest = nanoseconds / 1_000_000
    var text = ""
    for (unit, size) in [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000), ("ms", 1)] as [(String, Int64)]
    where rest >= size {
      text += "\(rest / size)\(unit)"
      rest %= size
    }
    return text
  }

  /// The notation of recipes with the fraction of a millisecond, as it is written: `7.5ms`. What
  /// was measured or divided, and so is no whole number of microseconds, has no fraction.
  package var exact: String {
    let part = nanoseconds.magnitude % 1_000_000
    if part == 0 || part % 1000 != 0 || nanoseconds.magnitude < 1_000_000 { return description }
    let fraction = DecimalText.text(Double(part) / 1_000_000)
    let whole = description
    return whole.hasSuffix("ms") ? "\(whole.dropLast(2))\(fraction.dropFirst())ms" : "\(whole)\(fraction)ms"
  }

  /// The time in at most two units, none of them below a second, such as `45s` or `2h10min`.
  package var rough: String {
    let seconds = max(0, milliseconds / 1000)
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400)
    if days > 0 { return hours % 24 > 0 ? "\(days)d\(hours % 24)h" : "\(days)d" }
    if hours > 0 { return minutes % 60 > 0 ? "\(hours)h\(minutes % 60)min" : "\(hours)h" }
    if minutes > 0 { return seconds % 60 > 0 ? "\(minutes)min\(seconds % 60)s" : "\(minutes)min" }
    return "\(seconds)s"
  }
}

extension TimeSpan: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { nanoseconds = try reader.readZigzag() }

  package func write(to writer: inout ByteWriter) { writer.put(zigzag: nanoseconds) }
}
