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
  /// The steps, if none of them is an index; otherwise empty.
  let members: [PathStep]
  var isFixed: Bool { !members.isEmpty }

  package init(root: Operand, steps: [Step]) {
    self.root = root
    self.steps = steps
    let members = steps.compactMap { if case .member(let name) = $0 { PathStep.member(name) } else { nil } }
    self.members = members.count == steps.count ? members : []
  }
}
