import Exchange
import Recipe
import Vocabulary

package struct PlaceSite: Equatable, Sendable {
  package enum Step: Equatable, Sendable {
    case member(String)
    case index
  }

  package let root: Operand
  package let steps: [Step]
  /// `set r.l to r.l + value`: the value is added to the one at the place.
  package let grows: Bool
  /// The steps, if none of them is an index; otherwise empty.
  let members: [PathStep]
  var isFixed: Bool { !members.isEmpty }

  package init(root: Operand, steps: [Step], grows: Bool = false) {
    self.root = root
    self.steps = steps
    self.grows = grows
    let members = steps.compactMap { if case .member(let name) = $0 { PathStep.member(name) } else { nil } }
    self.members = members.count == steps.count ? members : []
  }
}
