import Exchange
import Vocabulary

/// What is done again on every connection.
struct SetUpItem: Equatable, Sendable {
  /// The statement is not in the edited recipe any more.
  static let goneStatement = Int(UInt32.max)

  var request: GattRequest
  var statement: Int
  /// What its `otherwise` finds in the locals of its unit; the body has none.
  var locals: [Value] = []

  var isPairing: Bool { if case .pair = request { true } else { false } }
}

extension SetUpItem: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    request = try GattRequest(reading: &reader)
    statement = Int(try reader.readUInt32())
    locals = try reader.next([Value].self)
  }

  func write(to writer: inout ByteWriter) {
    request.write(to: &writer)
    writer.put(UInt32(truncatingIfNeeded: statement))
    writer.put(all: locals)
  }
}
