import Exchange
import Recipe
import Vocabulary

/// What a handler serves, or `wait for` waits for.
package enum EventSite: Equatable, Sendable {
  case notify(AttributeSite, raw: Bool)
  case connect(DeviceSite?)
  case disconnect(DeviceSite?)
  // peripheral
  case write(AttributeSite, raw: Bool)
  case read(AttributeSite)
  case subscribe(AttributeSite)
  case unsubscribe(AttributeSite)
  case restore
  case stop
  case failure
}
