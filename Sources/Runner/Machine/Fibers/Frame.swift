import Exchange
import Vocabulary

struct Frame: Equatable, Sendable {
  var unit: Int
  var pc: Int
  /// The index of its first local in `slots`.
  var base: Int
  /// The destination of its result, an operand of the frame below.
  var destination: UInt16
  var tries: [TryState] = []
  /// The handlers that its blocks have activated.
  var handlers: [ActiveHandler] = []
}

extension Frame: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    let unit = Int(try reader.readUInt16())
    let pc = Int(try reader.readUInt32())
    let base = Int(try reader.readUInt32())
    self.init(unit: unit, pc: pc, base: base, destination: try reader.readUInt16())
    tries = try reader.next([TryState].self)
    handlers = try reader.next([ActiveHandler].self)
  }

  func write(to writer: inout ByteWriter) {
    writer.put(UInt16(truncatingIfNeeded: unit))
    writer.put(UInt32(truncatingIfNeeded: pc))
    writer.put(UInt32(truncatingIfNeeded: base))
    writer.put(destination)
    writer.put(all: tries)
    writer.put(all: handlers)
  }
}
