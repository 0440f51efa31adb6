package import Vocabulary

/// A service, characteristic or descriptor of a device as a value: `for each c in
/// service.characteristics`.
package struct AttributeValue: Equatable, Sendable {
  /// The index of the device in the machine's table.
  package var device: Int
  package var service: UUID
  package var serviceInstance: Int
  /// `nil` if this is a service.
  package var characteristic: UUID?
  package var instance: Int
  /// Set if this is a descriptor.
  package var descriptor: UUID?
  /// Handle of the service declaration, characteristic value or descriptor; 0 if unknown.
  package var handle: UInt16
  /// The properties octet of the characteristic's declaration (Vol 3, Part G, 3.3.1.1).
  package var properties: UInt8

  package init(
    device: Int, service: UUID, serviceInstance: Int = 0, characteristic: UUID? = nil, instance: Int = 0, descriptor: UUID? = nil,
    handle: UInt16 = 0, properties: UInt8 = 0
  ) {
    self.device = device
    self.service = service
    self.serviceInstance = serviceInstance
    self.characteristic = characteristic
    self.instance = instance
    self.descriptor = descriptor
    self.handle = handle
    self.properties = properties
  }

  /// The attribute's own UUID.
  package var uuid: UUID { descriptor ?? characteristic ?? service }

  /// The Bluetooth SIG's name, if it has one.
  package var name: String? {
    if let descriptor { return AssignedNumbers.name(ofDescriptor: descriptor) }
    if let characteristic { return AssignedNumbers.name(ofCharacteristic: characteristic) }
    return AssignedNumbers.name(ofService: service)
  }

  /// The names of the properties in recipes and messages (Vol 3, Part G, table 3.5).
  package var propertyNames: [String] { Self.names(ofProperties: properties) }

  static func names(ofProperties properties: UInt8) -> [String] {
    let names = [
      "broadcast", "read", "write without response", "write", "notify", "indicate", "signed write", "extended properties",
    ]
    return names.indices.compactMap { properties >> UInt8($0) & 1 == 1 ? names[$0] : nil }
  }
}

extension AttributeValue: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let device = Int(truncatingIfNeeded: try reader.readVarint())
    let service = try UUID(reading: &reader)
    let serviceInstance = Int(truncatingIfNeeded: try reader.readVarint())
    let characteristic = try reader.next(UUID?.self)
    let instance = Int(truncatingIfNeeded: try reader.readVarint())
    let descriptor = try reader.next(UUID?.self)
    let handle = try reader.readUInt16()
    self.init(
      device: device, service: service, serviceInstance: serviceInstance, characteristic: characteristic, instance: instance,
      descriptor: descriptor, handle: handle, properties: try reader.readUInt8())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(varint: UInt64(truncatingIfNeeded: device))
    service.write(to: &writer)
    writer.put(varint: UInt64(truncatingIfNeeded: serviceInstance))
    writer.put(all: characteristic)
    writer.put(varint: UInt64(truncatingIfNeeded: instance))
    writer.put(all: descriptor)
    writer.put(handle)
    writer.put(properties)
  }
}
