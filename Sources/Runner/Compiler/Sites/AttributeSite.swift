package import Exchange
import Recipe
import Vocabulary

/// An attribute, fixed if the text determines it completely.
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

  /// Whether part of it is in a local, which only a fiber has.
  var isComputed: Bool {
    func isLocal(_ step: Step?) -> Bool {
      guard let step else { return false }
      if case .value(let operand) = step.uuid, operand.isLocal { return true }
      return step.instance?.isLocal ?? false
    }
    switch form {
    case .fixed, .rssi: return false
    case .handle(let operand), .value(let operand): return operand.isLocal
    case .steps(let service, let characteristic, let descriptor):
      return isLocal(service) || isLocal(characteristic) || isLocal(descriptor)
    }
  }
}
