import Exchange
import Vocabulary

extension Fiber: Storable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    let id = try reader.readVarint()
    self.init(id: id, role: try Role(reading: &reader))
    frames = try reader.readList(of: Frame.self)
    slots = try reader.readList(of: Value.self)
    wait = try Wait(reading: &reader)
    mark = try reader.readVarint()
    hasWritten = try reader.readBool()
    var end = 0
    for frame in frames {
      guard frame.base >= end, frame.base <= slots.count else { throw .invalid("frame", UInt64(truncatingIfNeeded: frame.base)) }
      end = frame.base
    }
  }

  func write(to writer: inout ByteWriter) {
    writer.put(varint: id)
    role.write(to: &writer)
    writer.put(list: frames)
    writer.put(list: slots)
    wait.write(to: &writer)
    writer.put(varint: mark)
    writer.put(hasWritten)
  }
}

extension Fiber.Role: Storable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    let code = try reader.readUInt8()
    let unit = Int(try reader.readUInt16())
    let device = Int(try reader.readUInt32()) - 1
    switch code {
    case 0: self = .body
    case 1: self = .handler(unit: unit, device: device)
    case 2: self = .connect(unit: unit, device: device)
    case 3: self = .timer(unit: unit)
    case 4: self = .restore(unit: unit)
    case 5: self = .stop(unit: unit)
    case 6: self = .failure(unit: unit)
    default: throw .invalid("fiber role", UInt64(code))
    }
  }

  func write(to writer: inout ByteWriter) {
    let (code, unit, device): (UInt8, Int, Int) =
      switch self {
      case .body: (0, 0, -1)
      case .handler(let unit, let device): (1, unit, device)
      case .connect(let unit, let device): (2, unit, device)
      case .timer(let unit): (3, unit, -1)
      case .restore(let unit): (4, unit, -1)
      case .stop(let unit): (5, unit, -1)
      case .failure(let unit): (6, unit, -1)
      }
    writer.put(code)
    writer.put(UInt16(truncatingIfNeeded: unit))
    writer.put(UInt32(truncatingIfNeeded: device + 1))
  }
}

extension Frame: Storable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    let unit = Int(try reader.readUInt16())
    let pc = Int(try reader.readUInt32())
    let base = Int(try reader.readUInt32())
    self.init(unit: unit, pc: pc, base: base, destination: try reader.readUInt16())
    tries = try reader.readList(of: TryState.self)
    handlers = try reader.readList(of: SmallNumber.self).map { Int($0.value) }
  }

  func write(to writer: inout ByteWriter) {
    writer.put(UInt16(truncatingIfNeeded: unit))
    writer.put(UInt32(truncatingIfNeeded: pc))
    writer.put(UInt32(truncatingIfNeeded: base))
    writer.put(destination)
    writer.put(list: tries)
    writer.put(list: handlers.map { SmallNumber(value: UInt32(truncatingIfNeeded: $0)) })
  }
}

/// A number below 2^32 in a list.
struct SmallNumber: Storable {
  var value: UInt32

  init(value: UInt32) { self.value = value }

  init(reading reader: inout RawSpan) throws(DecodeError) { value = try reader.readUInt32() }

  func write(to writer: inout ByteWriter) { writer.put(value) }
}

extension TryState: Storable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    site = Int(try reader.readUInt16())
    attempt = Int(clamping: try reader.readVarint())
    times = try reader.readBool() ? Int(clamping: try reader.readVarint()) : nil
    every = try reader.readOptional(TimeSpan.self)
    limit = try reader.readOptional(Limit.self)
    handlers = Int(try reader.readUInt16())
    device = try Value(reading: &reader)
  }

  func write(to writer: inout ByteWriter) {
    writer.put(UInt16(truncatingIfNeeded: site))
    writer.put(varint: UInt64(attempt))
    writer.put(times != nil)
    if let times { writer.put(varint: UInt64(times)) }
    writer.put(optional: every)
    writer.put(optional: limit)
    writer.put(UInt16(truncatingIfNeeded: handlers))
    device.write(to: &writer)
  }
}

extension Wait: Storable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .none
    case 1: self = .span(try Instant(reading: &reader))
    case 2: self = .forever
    case 3:
      let site = Int(try reader.readUInt16())
      self = .until(site: site, try reader.readOptional(Limit.self))
    case 4:
      let site = Int(try reader.readUInt16())
      self = .event(site: site, try reader.readOptional(Limit.self))
    case 5: self = .scan(try ScanWait(reading: &reader))
    case 6:
      let device = Int(try reader.readUInt32())
      self = .link(device: device, try reader.readOptional(Limit.self))
    case 7:
      let site = Int(try reader.readUInt16())
      self = .reconnect(site: site, devices: try reader.readList(of: SmallNumber.self).map { Int($0.value) })
    case 8: self = .operation(try OperationWait(reading: &reader))
    case 9: self = .retry(try Instant(reading: &reader))
    case 10:
      let effect = try EffectID(reading: &reader)
      self = .file(effect, repeats: try reader.readBool())
    case 11: self = .published(try OperationID(reading: &reader))
    case 12: self = .closing(device: Int(try reader.readUInt32()))
    case let other: throw .invalid("wait", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .none: writer.put(UInt8(0))
    case .span(let due):
      writer.put(UInt8(1))
      due.write(to: &writer)
    case .forever: writer.put(UInt8(2))
    case .until(let site, let limit):
      writer.put(UInt8(3))
      writer.put(UInt16(truncatingIfNeeded: site))
      writer.put(optional: limit)
    case .event(let site, let limit):
      writer.put(UInt8(4))
      writer.put(UInt16(truncatingIfNeeded: site))
      writer.put(optional: limit)
    case .scan(let scan):
      writer.put(UInt8(5))
      scan.write(to: &writer)
    case .link(let device, let limit):
      writer.put(UInt8(6))
      writer.put(UInt32(truncatingIfNeeded: device))
      writer.put(optional: limit)
    case .reconnect(let site, let devices):
      writer.put(UInt8(7))
      writer.put(UInt16(truncatingIfNeeded: site))
      writer.put(list: devices.map { SmallNumber(value: UInt32(truncatingIfNeeded: $0)) })
    case .operation(let operation):
      writer.put(UInt8(8))
      operation.write(to: &writer)
    case .retry(let due):
      writer.put(UInt8(9))
      due.write(to: &writer)
    case .file(let effect, let repeats):
      writer.put(UInt8(10))
      effect.write(to: &writer)
      writer.put(repeats)
    case .published(let operation):
      writer.put(UInt8(11))
      operation.write(to: &writer)
    case .closing(let device):
      writer.put(UInt8(12))
      writer.put(UInt32(truncatingIfNeeded: device))
    }
  }
}

extension ScanWait: Storable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    site = Int(try reader.readUInt16())
    limit = try reader.readOptional(Limit.self)
    found = try reader.readList(of: Found.self)
  }

  func write(to writer: inout ByteWriter) {
    writer.put(UInt16(truncatingIfNeeded: site))
    writer.put(optional: limit)
    writer.put(list: found)
  }
}

extension ScanWait.Found: Storable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    device = Int(try reader.readUInt32())
    rssi = Int(try reader.readInt8())
  }

  func write(to writer: inout ByteWriter) {
    writer.put(UInt32(truncatingIfNeeded: device))
    writer.put(Int8(clamping: rssi))
  }
}

extension OperationWait: Storable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    device = Int(try reader.readUInt32())
    request = try GattRequest(reading: &reader)
    limit = try reader.readOptional(Limit.self)
    let raw = try reader.readUInt8()
    guard let policy = Policy(rawValue: raw) else { throw .invalid("when unsure", UInt64(raw)) }
    self.policy = policy
    sent = try reader.readOptional(OperationID.self)
    isVerifying = try reader.readBool()
    isSecret = try reader.readBool()
    let delivery = try reader.readUInt8()
    guard delivery <= 3 else { throw .invalid("delivery", UInt64(delivery)) }
    lost = delivery == 0 ? nil : Failure.Delivery(rawValue: delivery - 1)
  }

  func write(to writer: inout ByteWriter) {
    writer.put(UInt32(truncatingIfNeeded: device))
    request.write(to: &writer)
    writer.put(optional: limit)
    writer.put(policy.rawValue)
    writer.put(optional: sent)
    writer.put(isVerifying)
    writer.put(isSecret)
    writer.put(lost.map { $0.rawValue + 1 } ?? 0)
  }
}
