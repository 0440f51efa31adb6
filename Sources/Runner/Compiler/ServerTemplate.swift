package import Exchange
import Recipe

/// A compiled peripheral, which can be published once the values of `starts as` are known.
package struct ServerTemplate: Equatable, Sendable {
  package struct Attribute: Equatable, Sendable {
    package var id: ServerAttributeID
    package var service: Int
    package var path: AttributePath
    /// Offset of the code that computes `starts as`.
    package var initial: Int?
    package var isDescriptor: Bool
  }

  /// The name of its declaration.
  package var peripheral: String
  /// The unit that computes its values.
  var unit: Int
  package var table: ServerTable
  package var attributes: [Attribute]
  package var advertise: Int?
  /// Offset of the code that computes `passkey`.
  package var passkey: Int?
  /// Its handlers, if they are active only while it is served.
  package var handlers: [Int] = []

  init(peripheral: String, name: String, unit: Int) {
    self.peripheral = peripheral
    self.unit = unit
    table = ServerTable(name: name, services: [])
    attributes = []
  }
}

extension ServerTemplate {
  /// By number: what identifies each attribute in two versions of a recipe.
  var attributeKeys: [String] {
    var counts: [String: Int] = [:]
    var keys = Array(repeating: "", count: attributes.count)
    for attribute in attributes where keys.indices.contains(attribute.id.raw) {
      let service = table.services.indices.contains(attribute.service) ? "\(table.services[attribute.service].uuid)" : ""
      let key = "\(service) \(attribute.path.text)\(attribute.isDescriptor ? " descriptor" : "")"
      keys[attribute.id.raw] = "\(key) \(counts[key, default: 0])"
      counts[key, default: 0] += 1
    }
    return keys
  }

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
