import Exchange
import Vocabulary

/// A request that is repeated on every connection.
struct SetUpItem: Equatable, Sendable {
  /// Stands for a statement that was removed from the recipe.
  static let goneStatement = Int(UInt32.max)

  var request: GattRequest
  var statement: Int
  /// The locals of its unit for its `otherwise`; empty in the body.
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
