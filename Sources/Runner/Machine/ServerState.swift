import Exchange
import Recipe
import Vocabulary

/// The server as saved in a checkpoint. Attribute values have rows of their own.
struct ServerState: Equatable, Sendable {
  struct Subscriber: Equatable, Sendable {
    var device: Int
    var attribute: ServerAttributeID
    var kind: SubscriptionKind
  }

  /// A command that a keeper has not confirmed. A restored run repeats it with the same number.
  struct Order: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
      case publish, advertise, stopAdvertising
      /// Stores the current value of the attribute.
      case update(ServerAttributeID)
      case answer(ServerRequestID, ServerAnswer)
    }

    var operation: OperationID
    var kind: Kind
  }

  /// The peripheral; `nil` if none is served.
  var name: String?
  /// The advertising plan; `nil` if it does not advertise.
  var plan: AdvertisingPlan?
  /// Connected centrals, in the order of their links.
  var centrals: [Int] = []
  var subscribers: [Subscriber] = []
  var orders: [Order] = []
}

/// The server of a run with its rows. Writing to its state or to a value marks the row.
struct Server: Sendable {
  private var tracked = Tracked(ServerState(), isChanged: false)
  /// Indexed by attribute number.
  private(set) var values: [[UInt8]] = []
  private var changed: [Int] = []
  private var isValueChanged: [Bool] = []
  /// The number of values that have rows.
  private var stored = 0
  /// The index of the peripheral in the program.
  var site: Int?
  /// Whether the host does not have the current table.
  var mustPublish = false
  /// The latest order of this process.
  var lastOrder: OperationID?
  /// The order of the table.
  var tableOrder: OperationID?
  /// Handlers of the peripheral that was stopped in this turn, and the fiber that stopped it.
  var left: (units: [Int], stopper: Fiber.Role?)?
  /// The last published table, for a simulated peripheral whose handles move.
  var table: ServerTable?

  init() {}

  /// From a checkpoint.
  init(stored state: ServerState, values: [[UInt8]]) {
    tracked = Tracked(state, isChanged: false)
    self.values = values
    isValueChanged = Array(repeating: false, count: values.count)
    stored = values.count
  }

  var state: ServerState {
    _read { yield tracked.value }
    _modify { yield &tracked.value }
  }

  /// Replaces all values, for another table.
  mutating func replace(_ values: [[UInt8]]) {
    self.values = values
    isValueChanged = Array(repeating: false, count: values.count)
    changed = []
    for place in values.indices { mark(place) }
  }

  mutating func set(_ attribute: ServerAttributeID, _ value: [UInt8]) {
    guard values.indices.contains(attribute.raw), values[attribute.raw] != value else { return }
    values[attribute.raw] = value
    mark(attribute.raw)
  }

  private mutating func mark(_ place: Int) {
    if isValueChanged[place] { return }
    isValueChanged[place] = true
    changed.append(place)
  }

  /// Does not delete rows; the caller deletes all of them.
  mutating func removeAll() { self = Server() }

  // MARK: Rows

  mutating func rewrite() {
    tracked.rewrite()
    for place in values.indices { mark(place) }
  }

  mutating func store(in commit: inout Commit) {
    if tracked.takeChange() { commit.rows.append(Commit.Row(RowKey(.server), tracked.value.encoded)) }
    for place in changed {
      isValueChanged[place] = false
      commit.rows.append(Commit.Row(RowKey(.served, UInt64(place)), values[place]))
    }
    changed.removeAll(keepingCapacity: true)
    while stored > values.count {
      stored -= 1
      commit.rows.append(Commit.Row(RowKey(.served, UInt64(stored)), nil))
    }
    stored = values.count
  }
}

extension ServerState: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    name = try reader.readBool() ? try reader.readText() : nil
    plan = try reader.next(AdvertisingPlan?.self)
    centrals = try reader.next([SmallNumber].self).map { Int($0.value) }
    subscribers = try reader.next([Subscriber].self)
    orders = try reader.next([Order].self)
  }

  func write(to writer: inout ByteWriter) {
    writer.put(name != nil)
    if let name { writer.put(text: name) }
    writer.put(all: plan)
    writer.put(all: centrals.map { SmallNumber(value: UInt32(truncatingIfNeeded: $0)) })
    writer.put(all: subscribers)
    writer.put(all: orders)
  }
}

extension ServerState.Subscriber: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    device = Int(try reader.readUInt32())
    attribute = ServerAttributeID(Int(try reader.readUInt16()))
    kind = try reader.readBool() ? .indicate : .notify
  }

  func write(to writer: inout ByteWriter) {
    writer.put(UInt32(truncatingIfNeeded: device))
    writer.put(UInt16(truncatingIfNeeded: attribute.raw))
    writer.put(kind == .indicate)
  }
}

extension ServerState.Order: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    operation = try OperationID(reading: &reader)
    switch try reader.readUInt8() {
    case 0: kind = .publish
    case 1: kind = .advertise
    case 2: kind = .stopAdvertising
    case 3: kind = .update(ServerAttributeID(Int(try reader.readUInt16())))
    case 4:
      let request = ServerRequestID(try reader.readVarint())
      kind = .answer(request, try ServerAnswer(reading: &reader))
    case let other: throw .invalid("order of a server", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    operation.write(to: &writer)
    switch kind {
    case .publish: writer.put(UInt8(0))
    case .advertise: writer.put(UInt8(1))
    case .stopAdvertising: writer.put(UInt8(2))
    case .update(let attribute):
      writer.put(UInt8(3))
      writer.put(UInt16(truncatingIfNeeded: attribute.raw))
    case .answer(let request, let answer):
      writer.put(UInt8(4))
      writer.put(varint: request.raw)
      answer.write(to: &writer)
    }
  }
}
