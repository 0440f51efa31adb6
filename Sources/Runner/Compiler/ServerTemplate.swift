package import Exchange
import Recipe

/// A peripheral's declaration, ready to be published once the values of `starts as` are known.
package struct ServerTemplate: Equatable, Sendable {
  package struct Attribute: Equatable, Sendable {
    package var id: ServerAttributeID
    package var service: Int
    package var path: AttributePath
    /// Where the instructions that compute `starts as` begin.
    package var initial: Int?
    package var isDescriptor: Bool
  }

  /// What its declaration calls it.
  package var peripheral: String
  /// Where the code of its values is.
  var unit: Int
  package var table: ServerTable
  package var attributes: [Attribute]
  package var advertise: Int?
  /// The same of `passkey`.
  package var passkey: Int?
  /// Its handlers, where they are active only while it is served.
  package var handlers: [Int] = []

  init(peripheral: String, name: String, unit: Int) {
    self.peripheral = peripheral
    self.unit = unit
    table = ServerTable(name: name, services: [])
    attributes = []
  }
}

extension ServerTemplate {
  /// Whether a handler answers writes of this attribute.
  func isAsked(_ id: ServerAttributeID) -> Bool {
    for service in table.services {
      for characteristic in service.characteristics {
        if characteristic.id == id { return characteristic.asksBeforeWrite }
        for descriptor in characteristic.descriptors where descriptor.id == id { return descriptor.asksBeforeWrite }
      }
    }
    return true
  }
}
