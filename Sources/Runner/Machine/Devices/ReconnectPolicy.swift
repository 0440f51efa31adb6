import Exchange
import Vocabulary

struct ReconnectPolicy: Equatable, Sendable {
  /// `nil` means without limit.
  var times: Int?
  var wait = TimeSpan.seconds(1)
  var ceiling = TimeSpan.minutes(1)
}

extension ReconnectPolicy: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    times = try reader.readBool() ? Int(try reader.readUInt32()) : nil
    wait = try TimeSpan(reading: &reader)
    ceiling = try TimeSpan(reading: &reader)
  }

  func write(to writer: inout ByteWriter) {
    writer.put(times != nil)
    if let times { writer.put(UInt32(clamping: times)) }
    wait.write(to: &writer)
    ceiling.write(to: &writer)
  }
}
