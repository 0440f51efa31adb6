import Host
import Keeper
import Vocabulary

/// What a keeper has ordered of its process and was not told the answer to, oldest first. It is in
/// the image, so a successor does what its predecessor did not come to.
struct OwedOrders: Equatable {
  enum Order: Equatable {
    case compute(ComputationID, Computation)
    case reopen
  }

  private var orders: [Order] = []

  init() {}

  /// The one to do next.
  var first: Order? { orders.first }

  /// Takes in what is to be answered; nothing else.
  mutating func add(_ output: KeeperOutput) {
    switch output {
    case .compute(let id, let computation): orders.append(.compute(id, computation))
    case .reopen: orders.append(.reopen)
    case .send, .tell, .drop, .log, .leave: break
    }
  }

  /// An input that answers one of them takes it out.
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

extension OwedOrders.Order: Portable {
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

extension OwedOrders: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { orders = try reader.next() }
  func write(to writer: inout ByteWriter) { writer.put(all: orders) }
}
