package import Exchange
import Recipe
import Vocabulary

/// An attribute: fixed when the text says all of it.
package struct AttributeSite: Equatable, Sendable {
  package struct Step: Equatable, Sendable {
    package var uuid: UUIDSite
    package var instance: Operand?
  }

  package enum Form: Equatable, Sendable {
    case fixed(AttributePath)
    case handle(Operand)
    case value(Operand)
    case steps(service: Step?, characteristic: Step, descriptor: Step?)
    case rssi
  }

  package var form: Form
  package var device: DeviceSite
  package var text: String
}
