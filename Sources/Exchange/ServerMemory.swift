package import Vocabulary

/// What our server remembers of a bonded client from link to link (Vol 3, Part G, 3.3.3.3 and 7.2).
package struct ServerMemory: Equatable, Sendable {
  package struct Configuration: Equatable, Sendable {
    /// The handle of the Client Characteristic Configuration descriptor.
    package var handle: AttributeHandle
    package var value: UInt16

    package init(handle: AttributeHandle, value: UInt16) {
      self.handle = handle
      self.value = value
    }
  }

  package var identity: Address
  package var configurations: [Configuration]
  /// The client's Client Supported Features.
  package var features: UInt8
  /// The attribute table with these handles; other tables have others.
  package var table: UInt64

  package init(identity: Address, configurations: [Configuration], features: UInt8, table: UInt64) {
    self.identity = identity
    self.configurations = configurations
    self.features = features
    self.table = table
  }
}

extension ServerMemory.Configuration: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try AttributeHandle(reading: &reader)
    value = try reader.readUInt16()
  }

  package func write(to writer: inout ByteWriter) {
    handle.write(to: &writer)
    writer.put(value)
  }
}

extension ServerMemory: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    identity = try Address(reading: &reader)
    configurations = try reader.next([Configuration].self)
    features = try reader.readUInt8()
    table = try reader.readUInt64()
  }

  package func write(to writer: inout ByteWriter) {
    identity.write(to: &writer)
    writer.put(all: configurations)
    writer.put(features)
    writer.put(table)
  }
}
