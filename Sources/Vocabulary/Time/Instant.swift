/// A point in time on both clocks: the boot clock for deadlines, the wall clock for ages and
/// people.
package struct Instant: Hashable, Sendable {
  package var moment: Moment
  package var wall: WallTime

  package init(moment: Moment, wall: WallTime) {
    self.moment = moment
    self.wall = wall
  }

  /// The first instant of a simulation.
  package static let simulationStart = Instant(moment: .zero, wall: .simulationStart)

  package static func + (instant: Instant, span: TimeSpan) -> Instant {
    Instant(moment: instant.moment + span, wall: instant.wall + span)
  }
}

extension Instant: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let moment = try Moment(reading: &reader)
    self.init(moment: moment, wall: try WallTime(reading: &reader))
  }

  package func write(to writer: inout ByteWriter) {
    moment.write(to: &writer)
    wall.write(to: &writer)
  }
}
