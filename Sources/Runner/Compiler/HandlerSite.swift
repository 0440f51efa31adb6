package import Exchange
import Recipe

package struct HandlerSite: Equatable, Sendable {
  package enum Trigger: Equatable, Sendable {
    case event(EventSite)
    /// Operands are evaluated by the unit's prologue, which ends with `predicateEnd`.
    case every(period: Int, at: Int?)
    case after(delay: Int)
    /// The scan, and the code that computes `again after`.
    case whenever(scan: Int, again: Int?)

    /// Whether it alone is a reason to open an adapter: other events need a statement first.
    var needsHost: Bool {
      switch self {
      case .whenever, .event(.advertisement), .event(.adapter): true
      case .event, .every, .after: false
      }
    }
  }

  package var trigger: Trigger
  package var name: Operand?
  package var keepingLatest: Bool
  /// Declared at the top level: active from the start.
  package var isTopLevel: Bool
  package var line: RecipeLine
  /// Its attribute stands in a variable, and whether that names one is seen with each event.
  package var isNamedByValue = false
  /// A `with` or `whenever` around it says which device it serves.
  package var isGivenDevice = false
  /// Stands in a `peripheral`: its `on connect` is about centrals.
  package var isOfServer = false
}
