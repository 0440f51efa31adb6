import Exchange
import Recipe
import Vocabulary

/// What a run serves, as its checkpoint has it. The values of the attributes have rows of their
/// own.
struct ServerState: Equatable, Sendable {
  struct Subscriber: Equatable, Sendable {
    var device: Int
    var attribute: ServerAttributeID
    var kind: SubscriptionKind
  }

  /// Something that a keeper was asked for and has not confirmed. A run that comes back asks again,
  /// under the same number.
  struct Order: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
      case publish, advertise, stopAdvertising
      /// Stores the value that the attribute has here.
      case update(ServerAttributeID)
      case answer(ServerRequestID, ServerAnswer)
    }

    var operation: OperationID
    var kind: Kind
  }

  /// The peripheral; nothing while nothing is served.
  var name: String?
  /// What is advertised; nothing while it does not advertise.
  var plan: AdvertisingPlan?
  /// Centrals with a link, in the order in which they came.
  var centrals: [Int] = []
  var subscribers: [Subscriber] = []
  var orders: [Order] = []
}

/// The server of a run, with its rows: whoever writes to its state or to a value marks the row.
struct Server: Sendable {
  private var tracked = Tracked(ServerState(), isChanged: false)
  /// By the number of the attribute.
  private(set) var values: [[UInt8]] = []
  private var changed: [Int] = []
  private var isValueChanged: [Bool] = []
  /// So many values have rows.
  private var stored = 0
  /// The number of the peripheral in the program.
  var site: Int?
  /// The host does not have the table yet, or has another one.
  var mustPublish = false
  /// The newest order of this process.
  var lastOrder: OperationID?
  /// That of the table.
  var tableOrder: OperationID?
  /// Handlers of what was served until this turn, and who has stopped it.
  var left: (units: [Int], stopper: Fiber.Role?)?
  /// As it was published last, for a simulated peripheral whose attributes move.
  var table: ServerTable?

  init() {}

  /// Of a checkpoint.
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

  /// Other values, those of another table.
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

  /// Without rows to delete: the caller has all of them deleted.
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
