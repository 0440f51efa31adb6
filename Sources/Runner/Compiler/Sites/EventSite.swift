import Exchange
package import Recipe
import Vocabulary

/// The event of a handler or of `wait for`.
package enum EventSite: Equatable, Sendable {
  case notify(AttributeSite, raw: Bool)
  case connect(DeviceSite?)
  case disconnect(DeviceSite?)
  case services(DeviceSite?)
  /// An advertisement that matches the scan of this index.
  case advertisement(Int)
  // peripheral
  case write(AttributeSite, raw: Bool)
  case read(AttributeSite)
  case subscribe(AttributeSite)
  case unsubscribe(AttributeSite)
  case restore
  case stop
  case failure
  case line
  case adapter
  case passkey(EventSyntax.Passkey)

  /// The attribute of the event, if it has one.
  var attribute: AttributeSite? {
    switch self {
    case .notify(let site, _), .write(let site, _), .read(let site), .subscribe(let site), .unsubscribe(let site): site
    case .connect, .disconnect, .services, .advertisement, .restore, .stop, .failure, .line, .adapter, .passkey: nil
    }
  }
}
