import Exchange
import Vocabulary

/// One strand of a run: the body, or one activation of a handler. Durable: a stack of frames over one array of values.
struct Fiber: Equatable, Sendable {
  enum Role: Equatable, Sendable {
    case body
    /// Unit and device (-1 for none); one at a time for each pair.
    case handler(unit: Int, device: Int)
    /// `on connect` of a device: belongs to one link.
    case connect(unit: Int, device: Int)
    case timer(unit: Int)
    case restore(unit: Int)
    case stop(unit: Int)
    case failure(unit: Int)
  }

  var id: UInt64
  var role: Role
  var frames: [Frame] = []
  var slots: [Value] = []
  var wait: Wait = .none
  /// Behind which event `wait for` looks.
  var mark: UInt64 = 0
  /// A `write` since the last `wait` has moved the mark already.
  var hasWritten = false
  /// The request of a central that this activation answers, and for which attribute.
  var serverRequest: ServerActivation?

  // Not saved.
  /// Loop rounds and calls since it last waited.
  var rounds = 0
  var isStored = false
  var isDirty = true
  /// Waits in the queue of those that can go on.
  var isQueued = false

  static let none = Fiber(id: 0, role: .body)
}

/// A request of a central under way. Worth nothing once the link is gone.
struct ServerActivation: Equatable, Sendable {
  var request: ServerRequestID
  var attribute: ServerAttributeID
  var isAnswered = false
  /// What `update` said meanwhile: stored behind the answer, which itself stores what was written.
  var update: [UInt8]?
}

struct Frame: Equatable, Sendable {
  var unit: Int
  var pc: Int
  /// Where its locals begin in `slots`.
  var base: Int
  /// Where its result goes, an operand of the frame below.
  var destination: UInt16
  var tries: [TryState] = []
  /// Units of handlers that its blocks have made active.
  var handlers: [Int] = []
}

struct TryState: Equatable, Sendable {
  var site: Int
  /// From 1.
  var attempt: Int
  /// Nothing means until it succeeds.
  var times: Int?
  var every: TimeSpan?
  var limit: Limit?
  var handlers: Int
  var device: Value
}

/// What a fiber waits for.
enum Wait: Equatable, Sendable {
  case none
  case span(Instant)
  case forever
  case until(site: Int, Limit?)
  case event(site: Int, Limit?)
  case scan(ScanWait)
  case link(device: Int, Limit?)
  case reconnect(site: Int, devices: [Int])
  case operation(OperationWait)
  /// Between two attempts of a `try`.
  case retry(Instant)
  /// An append (or a save, which is done again).
  case file(EffectID, repeats: Bool)
  /// A notification or indication of our server.
  case published(OperationID)
  case closing(device: Int)
}

struct ScanWait: Equatable, Sendable {
  var site: Int
  var limit: Limit?
  /// Devices found so far, for `all` and `strongest`.
  var found: [Found] = []

  // Not saved.
  var operation: OperationID?
  /// Everybody heard, bounded, for the message when nothing is found.
  var heard: [Heard] = []

  struct Found: Equatable, Sendable {
    var device: Int
    var rssi: Int
  }

  struct Heard: Equatable, Sendable {
    var address: UInt64
    var name: String?
    var rssi: Int?
    var services: [UUID]
  }
}

/// A GATT operation of a statement.
struct OperationWait: Equatable, Sendable {
  var device: Int
  var request: GattRequest
  var limit: Limit?
  var policy: Policy
  /// The number of the command that was handed to the host; nothing while it waits for the device.
  var sent: OperationID?
  /// `when unsure verify`: the read that decides is under way.
  var isVerifying = false
  /// The bytes hold a secret and were not saved: the statement is done anew after a kill.
  var isSecret = false
  /// It was sent on a link that is gone.
  var lost: Failure.Delivery?

  /// What to do when the outcome is not known.
  enum Policy: UInt8, Sendable {
    /// Reads, subscriptions: done again.
    case harmless
    case fail, `repeat`, verify, skip
  }
}
