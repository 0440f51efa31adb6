import Exchange
import Vocabulary

/// A device that the run knows: its identity, and what the run wants from it. `DeviceLink` has its
/// link.
struct Device: Equatable, Sendable {
  /// The 48 bits of its address.
  var bits: UInt64
  /// Learned from its first advertisement if the recipe does not specify it.
  var kind: Address.Kind?
  var name: String?
  var services: [UUID] = []
  /// The value when it was last saved; `DeviceLink` has the latest.
  var rssi: Int?
  /// The time of its last advertisement when it was last saved; `DeviceLink` has the latest.
  var heard: WallTime?
  /// Fields set with `set device.x to e`.
  var fields = Record()
  /// Whether it is reconnected after a link loss.
  var isWanted = false
  /// Whether it had a link when this was saved.
  var wasLinked = false
  /// Whether a link was up when this was saved, so that a keeper will report its end.
  var hasLink = false
  /// The fiber whose first set-up, from `connect` to `ready`, is in progress.
  var connector: UInt64?
  /// Activations of `whenever` and branches of `at once` that have connected it. The link ends with
  /// the last of them.
  var holders: [UInt64] = []
  /// Whether another fiber has connected it, too, so that its link stays.
  var isHeldByRun = false
  /// Whether set-up was completed once. On later connections `on connect` follows the set-up list.
  var wasReady = false
  /// Whether the set-up of the link was complete when this was saved.
  var isSetUp = false
  /// Whether this link was made or kept for a restored run.
  var isResumed = false
  var setUp: [SetUpItem] = []
  /// The ATT_MTU that its links request; `nil` requests the largest.
  var mtu: UInt16?
  var policy = ReconnectPolicy()
  /// How many times the delay has doubled.
  var step = 0
  /// The number of failed attempts since the link was lost.
  var failedAttempts = 0
  /// The number of completed set-up items on the current link.
  var setUpDone = 0
  /// The number of consecutive set-up failures.
  var setUpFailures = 0

  /// Whether the device was forgotten, so that its number can be reused.
  private(set) var isGone = false  // unsaved: such a place has no row

  init(bits: UInt64, kind: Address.Kind?) {
    self.bits = bits
    self.kind = kind
  }

  static let gone: Device = {
    var device = Device(bits: 0, kind: nil)
    device.isGone = true
    return device
  }()

  /// Whether the recipe has never used it.
  var isUntouched: Bool {
    !isWanted && !wasLinked && !wasReady && !isResumed && setUp.isEmpty && fields.fields.isEmpty && holders.isEmpty
      && policy == ReconnectPolicy()
      && step == 0 && failedAttempts == 0 && setUpFailures == 0
  }

  var address: Address? { kind.map { Address(bits: bits, kind: $0) } }

  var addressValue: AddressValue { AddressValue(bits: bits, kind: kind) }

  /// Its name in messages.
  var text: String { name ?? addressValue.description }
}

extension Device: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    let bits = try reader.readUInt64()
    let kind = try reader.readUInt8()
    guard kind <= 2 else { throw .invalid("address type", UInt64(kind)) }
    self.init(bits: bits, kind: kind == 0 ? nil : Address.Kind(rawValue: kind - 1))
    name = try reader.readBool() ? try reader.readText() : nil
    services = try reader.next([UUID].self)
    rssi = try reader.readBool() ? Int(try reader.readInt8()) : nil
    heard = try reader.next(WallTime?.self)
    guard case .record(let fields) = try Value(reading: &reader) else { throw .invalid("device fields", 0) }
    self.fields = fields
    isWanted = try reader.readBool()
    wasLinked = try reader.readBool()
    hasLink = try reader.readBool()
    connector = try reader.readBool() ? try reader.readVarint() : nil
    holders = try reader.next([FiberNumber].self).map(\.id)
    isHeldByRun = try reader.readBool()
    wasReady = try reader.readBool()
    isSetUp = try reader.readBool()
    isResumed = try reader.readBool()
    setUp = try reader.next([SetUpItem].self)
    mtu = try reader.readBool() ? try reader.readUInt16() : nil
    policy = try ReconnectPolicy(reading: &reader)
    step = Int(try reader.readUInt8())
    failedAttempts = Int(try reader.readUInt32())
    setUpDone = Int(try reader.readUInt16())
    setUpFailures = Int(try reader.readUInt8())
  }

  func write(to writer: inout ByteWriter) {
    writer.put(bits)
    writer.put(kind.map { $0.rawValue + 1 } ?? 0)
    writer.put(name != nil)
    if let name { writer.put(text: name) }
    writer.put(all: services)
    writer.put(rssi != nil)
    if let rssi { writer.put(Int8(clamping: rssi)) }
    writer.put(all: heard)
    Value.record(fields).write(to: &writer)
    writer.put(isWanted)
    writer.put(wasLinked)
    writer.put(hasLink)
    writer.put(connector != nil)
    if let connector { writer.put(varint: connector) }
    writer.put(all: holders.map { FiberNumber(id: $0) })
    writer.put(isHeldByRun)
    writer.put(wasReady)
    writer.put(isSetUp)
    writer.put(isResumed)
    writer.put(all: setUp)
    writer.put(mtu != nil)
    if let mtu { writer.put(mtu) }
    policy.write(to: &writer)
    writer.put(UInt8(clamping: step))
    writer.put(UInt32(clamping: failedAttempts))
    writer.put(UInt16(clamping: setUpDone))
    writer.put(UInt8(clamping: setUpFailures))
  }
}
