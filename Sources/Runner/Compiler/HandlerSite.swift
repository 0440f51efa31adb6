package import Exchange
import Recipe

package struct HandlerSite: Equatable, Sendable {
  package enum Trigger: Equatable, Sendable {
    case event(EventSite)
    /// Offsets of the code that computes the operands; it ends with `predicateEnd`.
    case every(period: Int, at: Int?)
    case after(delay: Int)
    /// The scan, and the offset of the code that computes `again after`.
    case whenever(scan: Int, again: Int?)

    /// Whether the handler alone needs an adapter. Other events need a statement first.
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
  /// Whether it is declared at the top level and so active from the start.
  package var isTopLevel: Bool
  package var line: RecipeLine
  /// Whether its attribute is in a variable, which is checked with each event.
  package var isNamedByValue = false
  /// Whether an enclosing `with` or `whenever` determines its device.
  package var isGivenDevice = false
  /// Whether it belongs to a `peripheral`, so that its `on connect` is about centrals.
  package var isOfServer = false
}
