import Exchange
import Vocabulary

/// The state of a device's link.
enum LinkPhase: Equatable, Sendable {
  case idle
  /// A keeper holds the link of the killed run. It is resumed after `on restore`; if it has ended,
  /// the keeper reports that.
  case kept
  /// A scan is learning the address type; with a deadline.
  case locating(OperationID, Moment?)
  /// An attempt is in progress; with a deadline.
  case connecting(OperationID, Moment?)
  /// Waiting for the next attempt, which starts early if an advertisement is received.
  case gated(until: Moment, listening: OperationID?)
  /// The set-up list is running: the item and its command. With `Fiber.Role.refusedLink`, it waits
  /// before the `pair` for the `otherwise` that renews the bond.
  case settingUp(Int, OperationID)
  /// The recipe's own set-up statements are running for the first time.
  case firstSetUp
  case onConnect
  case ready
  case closing(OperationID)
}
