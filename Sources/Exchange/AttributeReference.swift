package import Vocabulary

/// An attribute of a peer that discovery has found.
package struct AttributeReference: Hashable, Sendable {
  package var handle: AttributeHandle
  package var service: UUID
  /// The index among the services with this UUID, from 0.
  package var serviceInstance: Int
  package var characteristic: UUID
  /// The index among the characteristics with this UUID in its service, from 0.
  package var instance: Int
  /// The index among the known characteristics with this UUID on the device, from 0.
  package var overallInstance: Int
  package var descriptor: UUID?
  package var properties: UInt8
  /// Whether the device has the home service of this characteristic but this one is in another.
  package var homeExists: Bool

  package init(
    handle: AttributeHandle, service: UUID, serviceInstance: Int = 0, characteristic: UUID, instance: Int = 0,
    overallInstance: Int = 0, descriptor: UUID? = nil, properties: UInt8 = 0, homeExists: Bool = false
  ) {
    self.handle = handle
    self.service = service
    self.serviceInstance = serviceInstance
    self.characteristic = characteristic
    self.instance = instance
    self.overallInstance = overallInstance
    self.descriptor = descriptor
    self.properties = properties
    self.homeExists = homeExists
  }
}
