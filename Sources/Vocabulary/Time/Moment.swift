/// A point on the boot clock, in nanoseconds since the machine started, including sleep. Used for
/// deadlines.
package struct Moment: Hashable, Comparable, Sendable {
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  package static let zero = Moment(nanoseconds: 0)
  package static let distantFuture = Moment(nanoseconds: .max)

  package static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

  package static func + (moment: Moment, span: TimeSpan) -> Moment {
    Moment(nanoseconds: (TimeSpan(nanoseconds: moment.nanoseconds) + span).nanoseconds)
  }

  package static func - (moment: Moment, span: TimeSpan) -> Moment { moment + -span }

  package static func - (left: Moment, right: Moment) -> TimeSpan {
    TimeSpan(nanoseconds: left.nanoseconds) - TimeSpan(nanoseconds: right.nanoseconds)
  }
}

extension Moment: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { nanoseconds = try reader.readZigzag() }

  package func write(to writer: inout ByteWriter) { writer.put(zigzag: nanoseconds) }
}
