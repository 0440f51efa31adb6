import Vocabulary

/// A time limit. It starts again in a restored run, so its length is kept.
struct Limit: Equatable, Sendable {
  var span: TimeSpan
  var due: Moment
}

extension Limit: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    span = try TimeSpan(reading: &reader)
    due = try Moment(reading: &reader)
  }

  func write(to writer: inout ByteWriter) {
    span.write(to: &writer)
    due.write(to: &writer)
  }
}

extension Moment? {
  /// Sets the earlier of both moments; `nil` counts as later than any moment.
  mutating func lower(to moment: Moment?) { if let moment, moment < self ?? .distantFuture { self = moment } }
}
