import Host
import Keeper
import Vocabulary

/// The orders of a keeper that are not answered yet, oldest first. The image contains them, so a
/// successor performs them.
struct PendingOrders: Equatable {
  enum Order: Equatable {
    case compute(ComputationID, Computation)
    case reopen
  }

  private var orders: [Order] = []

  init() {}

  /// The next order to perform.
  var first: Order? { orders.first }

  /// Adds an order that needs an answer; ignores others.
  mutating func add(_ output: KeeperOutput) {
    switch output {
    case .compute(let id, let computation): orders.append(.compute(id, computation))
    case .reopen: orders.append(.reopen)
    case .send, .deliver, .drop, .log, .leave: break
    }
  }

  /// Removes the order that an input answers.
  mutating func take(_ input: KeeperInput) {
    let place: Int? =
      switch input {
      case .computed(let id, _): orders.firstIndex { if case .compute(id, _) = $0 { true } else { false } }
      case .started, .transportLost: orders.firstIndex(of: .reopen)
      default: nil
      }
    if let place { orders.remove(at: place) }
  }
}

extension PendingOrders.Order: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .compute(try reader.next(), try reader.next())
    case 1: self = .reopen
    case let other: throw .invalid("order", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .compute(let id, let computation): writer.put(all: UInt8(0), id, computation)
    case .reopen: writer.put(UInt8(1))
    }
  }
}

extension PendingOrders: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { orders = try reader.next() }
  func write(to writer: inout ByteWriter) { writer.put(all: orders) }
}
