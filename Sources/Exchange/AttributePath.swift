package import Vocabulary

/// An attribute as a recipe names it: `[service/]characteristic[/descriptor]`, each with an
/// instance, or a raw handle.
package struct AttributePath: Hashable, Sendable {
  package struct Step: Hashable, Sendable {
    package var uuid: UUID
    /// `uuid[1]` is the second. Without an index, a second candidate makes the path ambiguous.
    package var instance: Int?

    package init(_ uuid: UUID, instance: Int? = nil) {
      self.uuid = uuid
      self.instance = instance
    }
  }

  package enum Form: Hashable, Sendable {
    case handle(AttributeHandle)
    case named(service: Step?, characteristic: Step, descriptor: Step?)
  }

  package var form: Form
  /// The service in which a bare SIG characteristic is looked up first (`heart_rate` for
  /// `heart_rate_measurement`).
  package var home: UUID?
  /// The path as the recipe writes it, for messages.
  package var text: String

  package init(form: Form, home: UUID? = nil, text: String) {
    self.form = form
    self.home = home
    self.text = text
  }

  /// Whether this path refers to the attribute of this reference.
  package func matches(_ reference: AttributeReference) -> Bool {
    switch form {
    case .handle(let handle): return handle == reference.handle
    case .named(let service, let characteristic, let descriptor):
      guard characteristic.uuid == reference.characteristic, descriptor?.uuid == reference.descriptor else { return false }
      if let service {
        guard service.uuid == reference.service, service.instance ?? reference.serviceInstance == reference.serviceInstance else {
          return false
        }
        return characteristic.instance ?? reference.instance == reference.instance
      }
      if let home, characteristic.instance == nil, reference.service != home { return !reference.homeExists }
      return characteristic.instance ?? reference.overallInstance == reference.overallInstance
    }
  }
}
