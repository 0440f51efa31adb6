package import Vocabulary

extension AttributePath: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let form: Form
    switch try reader.readUInt8() {
    case 0: form = .handle(try AttributeHandle(reading: &reader))
    case 1:
      let service = try reader.next(Step?.self)
      let characteristic = try Step(reading: &reader)
      form = .named(service: service, characteristic: characteristic, descriptor: try reader.next(Step?.self))
    case let other: throw .invalid("attribute path", UInt64(other))
    }
    let home = try reader.next(UUID?.self)
    self.init(form: form, home: home, text: try reader.readText())
  }

  package func write(to writer: inout ByteWriter) {
    switch form {
    case .handle(let handle):
      writer.put(UInt8(0))
      handle.write(to: &writer)
    case .named(let service, let characteristic, let descriptor):
      writer.put(UInt8(1))
      writer.put(all: service)
      characteristic.write(to: &writer)
      writer.put(all: descriptor)
    }
    writer.put(all: home)
    writer.put(text: text)
  }
}

extension AttributePath.Step: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let uuid = try UUID(reading: &reader)
    var instance: Int?
    if try reader.readBool() { instance = Int(try reader.readUInt16()) }
    self.init(uuid, instance: instance)
  }

  package func write(to writer: inout ByteWriter) {
    uuid.write(to: &writer)
    writer.put(instance != nil)
    // No device has more attributes than that, so a number beyond it still matches none.
    if let instance { writer.put(instance < 0 ? .max : UInt16(clamping: instance)) }
  }
}

extension AttributeReference: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let handle = try AttributeHandle(reading: &reader)
    let service = try UUID(reading: &reader)
    let serviceInstance = Int(try reader.readUInt16())
    let characteristic = try UUID(reading: &reader)
    let instance = Int(try reader.readUInt16())
    let overall = Int(try reader.readUInt16())
    let descriptor = try reader.next(UUID?.self)
    let properties = try reader.readUInt8()
    self.init(
      handle: handle, service: service, serviceInstance: serviceInstance, characteristic: characteristic, instance: instance,
      overallInstance: overall, descriptor: descriptor, properties: properties, homeExists: try reader.readBool())
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
    service.write(to: &writer)
    writer.put(UInt16(truncatingIfNeeded: serviceInstance))
    characteristic.write(to: &writer)
    writer.put(UInt16(truncatingIfNeeded: instance))
    writer.put(UInt16(truncatingIfNeeded: overallInstance))
    writer.put(all: descriptor)
    writer.put(properties)
    writer.put(homeExists)
  }
}

extension GattRequest: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { try self.init(reading: &reader, isHidden: false) }

  private init(reading reader: inout RawSpan, isHidden: Bool) throws(DecodeError) {
    let kind = try reader.readUInt8()
    guard !isHidden || (1...3).contains(kind) else { throw .invalid("hidden GATT request", UInt64(kind)) }
    switch kind {
    case 0: self = .discover(try reader.next([UUID].self))
    case 1: self = .read(try AttributePath(reading: &reader))
    case 2:
      let path = try AttributePath(reading: &reader)
      self = .write(path, try reader.readBlob())
    case 3:
      let path = try AttributePath(reading: &reader)
      self = .writeWithoutResponse(path, try reader.readBlob())
    case 4: self = .subscribe(try AttributePath(reading: &reader))
    case 5: self = .unsubscribe(try AttributePath(reading: &reader))
    case 6: self = .readRSSI
    case 7: self = .locate(try AttributePath(reading: &reader))
    case 8: self = .hidden(try GattRequest(reading: &reader, isHidden: true))
    case 9:
      let wanted = try PairRequest(reading: &reader)
      self = .pair(wanted, renews: try reader.readBool())
    case 10: self = .adjust(try LinkRequest(reading: &reader))
    case let other: throw .invalid("GATT request", UInt64(other))
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .discover(let services):
      writer.put(UInt8(0))
      writer.put(all: services)
    case .read(let path):
      writer.put(UInt8(1))
      path.write(to: &writer)
    case .write(let path, let value):
      writer.put(UInt8(2))
      path.write(to: &writer)
      writer.put(blob: value)
    case .writeWithoutResponse(let path, let value):
      writer.put(UInt8(3))
      path.write(to: &writer)
      writer.put(blob: value)
    case .subscribe(let path):
      writer.put(UInt8(4))
      path.write(to: &writer)
    case .unsubscribe(let path):
      writer.put(UInt8(5))
      path.write(to: &writer)
    case .readRSSI: writer.put(UInt8(6))
    case .pair(let wanted, let renews):
      writer.put(UInt8(9))
      wanted.write(to: &writer)
      writer.put(renews)
    case .adjust(let wanted):
      writer.put(UInt8(10))
      wanted.write(to: &writer)
    case .locate(let path):
      writer.put(UInt8(7))
      path.write(to: &writer)
    case .hidden(let request):
      writer.put(UInt8(8))
      request.write(to: &writer)
    }
  }
}
