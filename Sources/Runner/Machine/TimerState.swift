import Vocabulary

/// An active `every` or `after`.
struct TimerState: Equatable, Sendable {
  var id: UInt64
  var handler: ActiveHandler
  var due: Instant
  /// `nil` for `after`.
  var period: TimeSpan?
  /// The time of `every D at "06:00"`.
  var at: TimeOfDay?
  /// Whether a tick came while the last activation was still running.
  var isTickPending = false
  /// When the delayed tick was due.
  var pendingDue: Instant?
}

extension TimerState: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    id = try reader.readVarint()
    handler = try ActiveHandler(reading: &reader)
    due = try Instant(reading: &reader)
    period = try reader.next(TimeSpan?.self)
    at = try reader.next(TimeOfDay?.self)
    isTickPending = try reader.readBool()
    pendingDue = try reader.next(Instant?.self)
  }

  func write(to writer: inout ByteWriter) {
    writer.put(varint: id)
    handler.write(to: &writer)
    due.write(to: &writer)
    writer.put(all: period)
    writer.put(all: at)
    writer.put(isTickPending)
    writer.put(all: pendingDue)
  }
}
