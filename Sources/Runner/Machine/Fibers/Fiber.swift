import Exchange
import Vocabulary

/// A coroutine of a run: the body or an activation of a handler. Durable, as a stack of frames and
/// one array of values.
struct Fiber: Equatable, Sendable {
  enum Role: Equatable, Sendable {
    case body
    /// Unit and device (-1 for none). Each pair has at most one fiber.
    case handler(unit: Int, device: Int)
    /// `on connect` of a device; ends with the link.
    case connect(unit: Int, device: Int)
    /// The `otherwise` of a device's set-up item. Ends with the link, unless the item is
    /// `refusedLink`.
    case setUp(device: Int, item: Int)
    /// An activation of the timer with this number.
    case timer(unit: Int, number: UInt64)
    /// `whenever` for one device.
    case whenever(unit: Int, device: Int)
    case restore(unit: Int)
    case stop(unit: Int)
    case failure(unit: Int)
    /// An element of `for each … at once`; the fiber of the loop waits for it.
    case branch(parent: UInt64, number: Int, admission: Admission)

    /// In place of an item: the `otherwise` of a `pair` after the device refused the link before
    /// set-up. It outlives links, and may connect again.
    static let refusedLink = Int(UInt16.max)

    /// The device whose link ends it.
    var linkedDevice: Int? {
      switch self {
      case .setUp(_, Self.refusedLink): nil
      case .connect(_, let device), .setUp(let device, _): device
      case .body, .handler, .timer, .whenever, .restore, .stop, .failure, .branch: nil
      }
    }
  }

  /// When a branch may run, which is the same as for the fiber of its loop.
  enum Admission: UInt8, Equatable, Sendable { case all, restore, stop }

  var id: UInt64
  var role: Role
  var frames: [Frame] = []
  var slots: [Value] = []
  var wait: Wait = .none
  /// `wait for` takes only events after this one.
  var mark: UInt64 = 0
  /// Whether a `write` since the last `wait` has already moved the mark.
  var hasWritten = false
  /// Whether the write that it repeats may have been done before the run was killed.
  var isInDoubt = false
  /// The central's request that this activation answers, with the attribute.
  var serverRequest: ServerActivation?
  /// The pairing question that this activation answers.
  var question: PairingActivation?
  /// Where a `wait for passkey` took the question.
  var taken: TakenQuestion?
  /// Whether it is a branch that ends its loop.
  var leaves = false  // unsaved: it ends in the same turn
  /// Loop rounds and calls since it last waited.
  var rounds = 0  // unsaved: a resumed run starts counting again

  static let none = Fiber(id: 0, role: .body)
}

extension Fiber: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    let id = try reader.readVarint()
    self.init(id: id, role: try Role(reading: &reader))
    frames = try reader.next([Frame].self)
    slots = try reader.next([Value].self)
    wait = try Wait(reading: &reader)
    mark = try reader.readVarint()
    hasWritten = try reader.readBool()
    isInDoubt = try reader.readBool()
    serverRequest = try reader.next(ServerActivation?.self)
    question = try reader.next(PairingActivation?.self)
    taken = try reader.next(TakenQuestion?.self)
    var end = 0
    for frame in frames {
      guard frame.base >= end, frame.base <= slots.count else { throw .invalid("frame", UInt64(truncatingIfNeeded: frame.base)) }
      end = frame.base
    }
  }

  func write(to writer: inout ByteWriter) {
    writer.put(varint: id)
    role.write(to: &writer)
    writer.put(all: frames)
    writer.put(all: slots)
    wait.write(to: &writer)
    writer.put(varint: mark)
    writer.put(hasWritten)
    writer.put(isInDoubt)
    writer.put(all: serverRequest)
    writer.put(all: question)
    writer.put(all: taken)
  }
}

extension Fiber.Role: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    let code = try reader.readUInt8()
    let unit = Int(try reader.readUInt16())
    let device = Int(try reader.readUInt32()) - 1
    switch code {
    case 0: self = .body
    case 1: self = .handler(unit: unit, device: device)
    case 2: self = .connect(unit: unit, device: device)
    case 3: self = .timer(unit: unit, number: try reader.readVarint())
    case 4: self = .restore(unit: unit)
    case 5: self = .stop(unit: unit)
    case 6: self = .failure(unit: unit)
    case 7: self = .whenever(unit: unit, device: device)
    case 8:
      guard let admission = Fiber.Admission(rawValue: UInt8(truncatingIfNeeded: unit)) else {
        throw .invalid("branch", UInt64(unit))
      }
      self = .branch(parent: try reader.readVarint(), number: device, admission: admission)
    case 9: self = .setUp(device: device, item: unit)
    default: throw .invalid("fiber role", UInt64(code))
    }
  }

  func write(to writer: inout ByteWriter) {
    let (code, unit, device): (UInt8, Int, Int) =
      switch self {
      case .body: (0, 0, -1)
      case .handler(let unit, let device): (1, unit, device)
      case .connect(let unit, let device): (2, unit, device)
      case .timer(let unit, _): (3, unit, -1)
      case .restore(let unit): (4, unit, -1)
      case .stop(let unit): (5, unit, -1)
      case .failure(let unit): (6, unit, -1)
      case .whenever(let unit, let device): (7, unit, device)
      case .setUp(let device, let item): (9, item, device)
      case .branch(_, let number, let admission): (8, Int(admission.rawValue), number)
      }
    writer.put(code)
    writer.put(UInt16(truncatingIfNeeded: unit))
    writer.put(UInt32(truncatingIfNeeded: device + 1))
    if case .branch(let parent, _, _) = self { writer.put(varint: parent) }
    if case .timer(_, let number) = self { writer.put(varint: number) }
  }
}
